//! QUIC's loss detection and acknowledgements (RFC 9002, RFC 9000 section 13), in place of TCP's.
//!
//! Packet numbers are never used again. A lost packet's segment leaves again in a packet with a new
//! number. Receivers report ranges of packet numbers and never take a report back. [`crate::Sender`] and
//! [`crate::Receiver`] branch into this module if the [`Profile`](crate::Profile) has [`Quic`] settings. The
//! first and last segments of a flow, its writes, pauses and statistics are those of TCP.
//!
//! [`DataSegment::seq`](crate::context::DataSegment) is the packet number, and
//! [`DataSegment::stamp`](crate::context::DataSegment) the segment that the packet carries.
//! [`AckRanges`] shows how an ACK carries its ranges.

mod acks;
mod congestion;
mod ecn;
mod handshake;
mod late;
mod loss;
mod output;
mod pacer;
mod packets;
mod pto;
mod ranges;
mod receiver;
mod rtt;
mod segments;

use headgate_model::units::{SECOND, Span, Time};
use serde::{Deserialize, Serialize};

use ecn::EcnState;
use late::LatePackets;
use loss::LostRun;
use pacer::Pacer;
use packets::OutstandingPackets;
use rtt::RttState;
use segments::Segments;

pub use ranges::{AckRanges, MOST_RANGES};
pub(crate) use receiver::ReceivedPackets;

/// The granularity of timers (RFC 9002 section 6.1.2, `kGranularity`).
pub const GRANULARITY: Span = SECOND / 1000;

/// The time-outs after which losses in a row count as persistent congestion (RFC 9002 section 7.6.1,
/// `kPersistentCongestionThreshold`).
pub const PERSISTENT_TIMEOUTS: u64 = 3;

/// The minimum window, packets (RFC 9002 section 7.2, `kMinimumWindow`).
pub const LEAST_WINDOW: f64 = 2.0;

/// The settings of QUIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quic {
    /// A packet is lost if one with a number larger by this is acknowledged (RFC 9002 section 6.1.1).
    pub packet_threshold: u32,
    /// A packet is lost if a later one is acknowledged and it was sent this many RTTs ago (RFC 9002 section
    /// 6.1.2).
    pub time_threshold: f64,
    /// Longest wait of an ACK, picoseconds (RFC 9000 section 18.2).
    pub max_ack_delay: Span,
    /// Number of packets for one ACK (RFC 9000 section 13.2.2). It is one more than the ack-eliciting
    /// threshold of draft-ietf-quic-ack-frequency.
    pub ack_every: u32,
    /// The reordering threshold of draft-ietf-quic-ack-frequency: 1 acknowledges every packet out of order at
    /// once, 0 none. A larger number waits until a missing packet is that far behind.
    pub ack_reordering: u32,
}

impl Default for Quic {
    fn default() -> Self {
        Self {
            packet_threshold: 3,
            time_threshold: 9.0 / 8.0,
            max_ack_delay: SECOND / 40,
            ack_every: 2,
            ack_reordering: 1,
        }
    }
}

/// The state of a sending end that only QUIC has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct QuicState {
    packets: OutstandingPackets,
    segments: Segments,
    late: LatePackets,
    rtt: RttState,
    pacer: Pacer,
    ecn: EcnState,
    /// The packets that were lost in a row most recently.
    lost_run: LostRun,
    /// The largest packet number that was acknowledged.
    largest_acked: Option<u32>,
    /// The time at which the next overtaken packet counts as lost.
    loss_time: Option<Time>,
    /// Packets below this one were sent before the current or last recovery period began. Their losses reduce
    /// no window, and their ACKs raise none (RFC 9002 section 7.3.2).
    recovery_end: u32,
    /// An ACK of this packet or a later one ends the phase that follows persistent congestion.
    timeout_end: u32,
    /// Marks of packets below this one belong to a window that was already reduced.
    marked_until: u32,
    /// Whether the window or the pace, and not the application, limited the flow when it sent last.
    is_limited: bool,
    /// Probes that may leave whatever the window is (RFC 9002 section 7.5).
    probes: u8,
}

impl QuicState {
    /// Number of packets in flight.
    pub(crate) fn in_flight(&self) -> u32 {
        self.packets.in_flight()
    }

    /// Heap memory, bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.packets.bytes() + self.segments.bytes() + self.late.bytes()
    }
}
