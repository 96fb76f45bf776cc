//! What the two ends of a connection need of who drives them, and what they exchange.

use headgate_model::control::Window;
pub use headgate_model::feedback::{CongestionHeader, Words};
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::flags::Flags;
use crate::profile::Profile;

/// Segments that a sender may put into the network in one event: ten times the largest first window.
pub const MOST_AT_ONCE: u32 = 1_000_000;

/// Up to three SACK blocks [from, to) (RFC 2018, with time stamps), the most recent first; unused ones are empty.
pub type Blocks = [(u32, u32); 3];

/// What a timer is for; each end of a connection has at most one of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// SYN, retransmission, probe, or reordering: to [`crate::Sender::on_timer`].
    Retransmit,
    /// A paced sender may send again: to [`crate::Sender::on_timer`].
    Pace,
    /// A delayed ACK must go: to [`crate::Receiver::on_timer`].
    DelayedAck,
}

/// What both ends need.
///
/// Timers are lazy: one that was set is never taken back, and may be set again for an earlier time. All of them
/// are handed back with the time that they were set for, and an end ignores those that no longer matter.
pub trait Context {
    /// The time, picoseconds.
    fn now(&self) -> Time;

    /// The connection's profile, the same at every call.
    fn profile(&self) -> &Profile;

    /// `timer` is to go off at this time.
    fn set_timer(&mut self, timer: Timer, at: Time);
}

/// What a sender needs.
pub trait SenderContext: Context {
    /// A SYN leaves, with a header if the controller's scheme has it so.
    fn send_syn(&mut self, syn: Syn, header: Option<CongestionHeader>);

    /// A data segment leaves, with a header if the controller's scheme has it so.
    fn send_data(&mut self, segment: DataSegment, header: Option<CongestionHeader>);

    /// Something happened that may be counted or traced.
    fn observe(&mut self, _event: Event) {}

    /// The controller exceeded a limit. The sender sends nothing new from now on.
    fn exceed(&mut self, excess: Excess);
}

/// What a receiver needs.
pub trait ReceiverContext: Context {
    /// The header of the segment in hand, if it has one, is to be returned with the next ACK.
    fn keep_header(&mut self) {}

    /// An ACK leaves.
    fn send_ack(&mut self, ack: AckSegment);
}

/// A SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syn {
    /// Size of the flow, segments; 0 where only a header is to be answered.
    pub segments: u32,
    /// ECN's part of the handshake.
    pub flags: Flags,
    /// Retransmissions of the SYN so far, modulo 4. The SYN-ACK returns the number, as it would return a time
    /// stamp (RFC 7323).
    pub tries: u8,
}

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSegment {
    /// Sequence number, in segments.
    pub seq: u32,
    /// Time stamp (RFC 7323), which the ACK echoes.
    pub stamp: u32,
    /// ECN.
    pub flags: Flags,
}

/// An ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSegment {
    /// The next segment expected: all below have arrived.
    pub next: u32,
    /// The time stamp that it echoes.
    pub stamp: u32,
    /// SACK blocks, where something is missing.
    pub blocks: Option<Blocks>,
    /// Whether it echoes a congestion mark, and may be marked itself.
    pub flags: Flags,
}

impl AckSegment {
    /// Whether it echoes a congestion mark.
    #[inline]
    #[must_use]
    pub fn echoes_mark(&self) -> bool {
        self.flags.has(Flags::ECHO)
    }
}

/// What happened at a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The SYN was answered.
    Established,
    /// A data segment left, perhaps again.
    Sent {
        /// Its sequence number.
        seq: u32,
        /// It had been sent before.
        again: bool,
    },
    /// New data were acknowledged outside recovery.
    Acknowledged {
        /// How many segments the controller counted.
        segments: u32,
        /// The window until then, segments.
        before: f64,
        /// The window now, segments.
        cwnd: f64,
    },
    /// A round trip was measured.
    RttSample {
        /// It, seconds.
        rtt_s: f64,
    },
    /// An ACK that moved nothing on.
    DuplicateAck,
    /// The retransmission timer expired.
    Timeout,
    /// A reduction was found needless, and the window restored.
    Undone {
        /// It was that of a time-out.
        timeout: bool,
    },
    /// A segment was found lost.
    Lost {
        /// Its sequence number.
        seq: u32,
    },
}

/// A limit that a controller exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Excess {
    /// More than [`MOST_AT_ONCE`] segments in one event, of this window.
    Burst(f64),
    /// An invalid window ([`Window::is_sound`]).
    Window(Window),
}

impl fmt::Display for Excess {
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
