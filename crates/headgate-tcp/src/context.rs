//! The interface between a connection's two ends and the program that drives them.

use headgate_model::control::Window;
pub use headgate_model::feedback::{CongestionHeader, Words};
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::accecn::ByteCounts;
use crate::flags::Flags;
use crate::profile::Profile;

/// The most segments that a sender may send in one event: ten times the largest initial window.
pub const MOST_AT_ONCE: u32 = 1_000_000;

/// Up to three SACK blocks [from, to) (RFC 2018, with time stamps), the most recent first. Unused blocks are
/// empty.
pub type Blocks = [(u32, u32); 3];

/// The purpose of a timer. Each end of a connection runs at most one timer of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// SYN, retransmission, probe or reordering timer; handled by [`crate::Sender::on_timer`].
    Retransmit,
    /// The time at which a paced sender may send again; handled by [`crate::Sender::on_timer`].
    Pace,
    /// The deadline of a delayed ACK; handled by [`crate::Receiver::on_timer`].
    DelayedAck,
}

/// The part of the environment that both ends need.
///
/// Timers are lazy. A timer that was set is never cancelled, and may be set again for an earlier time. Every
/// expiry is reported with the time that the timer was set for, and an end ignores expiries that no longer
/// matter.
pub trait Context {
    /// The current time, picoseconds.
    fn now(&self) -> Time;

    /// The connection's profile, the same at every call.
    fn profile(&self) -> &Profile;

    /// Sets `timer` to expire at this time, picoseconds.
    fn set_timer(&mut self, timer: Timer, at: Time);
}

/// The part of the environment that a sender needs.
pub trait SenderContext: Context {
    /// Sends a SYN, with a congestion header if the controller's scheme uses one.
    fn send_syn(&mut self, syn: Syn, header: Option<CongestionHeader>);

    /// Sends a data segment, with a congestion header if the controller's scheme uses one.
    fn send_data(&mut self, segment: DataSegment, header: Option<CongestionHeader>);

    /// Returns the byte counts of the current ACK's AccECN option, if it carries one.
    fn byte_counts(&self) -> Option<ByteCounts> {
        None
    }

    /// Returns the delay that the current ACK of QUIC reports, picoseconds.
    fn ack_delay(&self) -> Span {
        0
    }

    /// Observes an event, to count or to trace it.
    fn observe(&mut self, _event: Event) {}

    /// Reports that the controller exceeded a limit. The sender sends nothing new afterwards.
    fn limit_exceeded(&mut self, excess: LimitExceeded);
}

/// The part of the environment that a receiver needs.
pub trait ReceiverContext: Context {
    /// Keeps the congestion header of the current segment, if it carries one, for the next ACK.
    fn keep_header(&mut self) {}

    /// Sends an ACK.
    fn send_ack(&mut self, ack: AckSegment);

    /// Sends an ACK with an AccECN option.
    fn send_ack_with_counts(&mut self, ack: AckSegment, _counts: ByteCounts) {
        self.send_ack(ack);
    }

    /// Sends an ACK of QUIC.
    fn send_report(&mut self, ack: AckSegment, _report: AckReport) {
        self.send_ack(ack);
    }
}

/// The content of an ACK of QUIC beside its ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckReport {
    /// Time between the arrival of the largest packet number and the ACK, picoseconds.
    pub delay: Span,
    /// Received packets by codepoint, with ECN (RFC 9000 section 13.4). They are packets, not bytes.
    pub counts: Option<ByteCounts>,
}

/// A SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syn {
    /// Size of the flow, segments; 0 if the SYN only requests an answer to its header.
    pub segments: u32,
    /// The feedback of marks that the SYN asks for, and its ECN field.
    pub flags: Flags,
    /// Retransmissions of the SYN so far, modulo 4. The SYN-ACK returns the number, as it would return a time
    /// stamp (RFC 7323).
    pub tries: u8,
}

/// The answer to a SYN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynAck {
    /// Retransmissions of the SYN that is answered, modulo 4.
    pub tries: u8,
    /// The feedback of marks that the receiver grants, and the ECN field.
    pub flags: Flags,
}

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Sequence number, in segments. Of QUIC it is the packet number.
    pub seq: u32,
    /// Time stamp (RFC 7323). The ACK echoes it. Of QUIC it is the sequence number of the segment that the
    /// packet carries.
    pub stamp: u32,
    /// The ECN field, and further flags.
    pub flags: Flags,
}

/// An ACK. One of QUIC contains [`crate::quic::AckRanges`] instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSegment {
    /// The next segment expected. All segments below it have arrived.
    pub next: u32,
    /// The echoed time stamp.
    pub stamp: u32,
    /// SACK blocks, if a segment is missing.
    pub blocks: Option<Blocks>,
    /// Flags: the ACK echoes a congestion mark (with accurate feedback: the ACE field), and its ECN field.
    pub flags: Flags,
}

impl AckSegment {
    /// Whether it echoes a congestion mark, with classic or exact feedback.
    #[inline]
    #[must_use]
    pub fn echoes_mark(&self) -> bool {
        self.flags.has(Flags::ECHO)
    }
}

/// An event at a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The SYN was answered.
    Established,
    /// A data segment was sent, for the first time or again.
    Sent {
        /// Its sequence number, or the packet number of QUIC.
        seq: u32,
        /// True if the segment was sent before.
        again: bool,
    },
    /// New data were acknowledged outside recovery.
    Acknowledged {
        /// Number of segments that the controller counted.
        segments: u32,
        /// The window before the ACK, segments.
        before: f64,
        /// The window after the ACK, segments.
        cwnd: f64,
    },
    /// A round trip was measured.
    RttSample {
        /// The sample, seconds.
        rtt_s: f64,
    },
    /// An ACK with accurate feedback reported marks.
    Marked,
    /// An ACK arrived that acknowledged nothing new.
    DuplicateAck,
    /// The retransmission timer expired.
    Timeout,
    /// A reduction proved needless, and the window was restored.
    Undone {
        /// True if the reduction was that of a time-out.
        timeout: bool,
    },
    /// A segment was found lost.
    Lost {
        /// Its sequence number, or the packet number of QUIC.
        seq: u32,
    },
}

/// A limit that a controller exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LimitExceeded {
    /// A controller's window, segments, would send more than [`MOST_AT_ONCE`] segments in one event.
    Burst(f64),
    /// The controller left an invalid window ([`Window::is_sound`]).
    Window(Window),
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Burst(cwnd) => {
                write!(
                    f,
                    "a window of {cwnd:.0} segments would send more than {MOST_AT_ONCE} packets at once"
                )
            }
            Self::Window(Window { cwnd, ssthresh, pace }) => write!(
                f,
                "cwnd became {cwnd} segments, ssthresh {ssthresh} segments, pace {pace} segments/s; \
                 cwnd must be finite, the others above 0"
            ),
        }
    }
}
