//! The interface of a congestion control algorithm.
//!
//! An algorithm is a pure state machine: an event arrives as one record, and the algorithm sets a window and
//! optionally a pacing rate. The transport implements loss detection, retransmission, timers, pacing and rate
//! samples once for all algorithms. Windows are in segments and times in seconds, as in the papers.
//!
//! The records use C's layout, because a user-defined algorithm may be written in another language.
//! [`crate::layout`] and `headgate.h` list their fields. A new field is appended to its record.

use crate::ecn::Ecn;
use crate::feedback::{Routers, Words};
use crate::impairment::Impairments;
use crate::media::RateControllers;
use crate::params::Card;
use crate::queue::Queues;
use crate::whole::floor;

/// The output of a congestion control algorithm, which the transport obeys.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C)]
pub struct Window {
    /// Congestion window, segments. It may be fractional; the transport sends whole segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until it is set.
    pub ssthresh: f64,
    /// Pacing rate, segments/s; infinite = unpaced.
    pub pace: f64,
}

impl Window {
    /// Whether the window is valid. Every algorithm must leave a valid window.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.cwnd < f64::INFINITY && self.ssthresh > 0.0 && self.pace > 0.0
    }

    /// Whether the window is below the threshold, so that each acknowledged segment adds one.
    pub fn slow_starts(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: adds one segment per acknowledged segment, up to `ssthresh` (RFC 5681 section 3.1).
    /// Returns the acknowledged segments that remain for congestion avoidance.
    pub fn slow_start(&mut self, acked: f64) -> f64 {
        let room = (self.ssthresh - self.cwnd).max(0.0);
        let step = acked.min(room);
        self.cwnd += step;
        acked - step
    }

    /// Returns the number of segments that a paced sender may send at once: those of a millisecond (2^-10 s),
    /// at least two from 1.2 Mbit/s on, at most 64 KiB (Linux `tcp_tso_autosize` and `bbr_min_tso_segs`).
    pub fn quantum(&self, segment_bytes: u32) -> f64 {
        let bits = f64::from(segment_bytes) * 8.0;
        let least = if self.pace * bits < 1.2e6 { 1.0 } else { 2.0 };
        let most = floor(65_215.0 * 8.0 / bits); // less the largest header
        floor(self.pace / 1024.0).min(most).max(least)
    }
}

/// The content of one acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ack {
    /// Current time, seconds since the start of the run.
    pub now_s: f64,
    /// Segments to count: the newly acknowledged ones, or one per ACK, depending on the profile.
    pub acked: f64,
    /// RTT sample, seconds; 0 if this ACK provides none.
    pub rtt_s: f64,
    /// Segments in flight before this ACK arrived.
    pub in_flight: u32,
    /// Whether a round trip has passed since the last ACK with this flag (round counting as in RFC 9002).
    pub round_start: bool,
    /// Whether the window limits the flow. Algorithms increase it only then.
    pub cwnd_limited: bool,
    /// Whether fast recovery is still repairing losses after this ACK.
    pub recovers: bool,
    /// Whether data that was outstanding at the last time-out is not yet acknowledged.
    pub after_timeout: bool,
    /// Segments of this ACK whose congestion mark was echoed.
    pub marked: f64,
    /// Delivery-rate sample; all zero unless [`Controller::wants_rate`].
    pub rate: Rate,
    /// Whether segments are paced, by the algorithm's rate or by the transport.
    pub paced: bool,
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation), with loss counts.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Rate {
    /// Delivery rate, segments/s; 0 if this ACK provides no sample.
    pub per_s: f64,
    /// Duration of the sample, seconds.
    pub interval_s: f64,
    /// Segments delivered so far.
    pub delivered: f64,
    /// Segments that this ACK delivered.
    pub newly: f64,
    /// `delivered` when the sampled segment was sent.
    pub prior: f64,
    /// Segments in flight when the sampled segment was sent, itself included.
    pub then_in_flight: f64,
    /// Segments found lost so far.
    pub lost: f64,
    /// Segments found lost since the sampled one was sent.
    pub lost_since: f64,
    /// Segments found lost since the previous ACK.
    pub newly_lost: f64,
    /// Segments in flight now, after this ACK.
    pub in_flight: f64,
    /// RTT of this ACK's newest segment that was sent only once, seconds. If there is none, the RTT of a
    /// retransmission by its time stamp; 0 if there is neither.
    pub rtt_s: f64,
    /// Time until pacing allows the next segment, seconds.
    pub wait_s: f64,
    /// Whether the sender had nothing else to send when the sampled segment was sent.
    pub app_limited: bool,
}

impl Rate {
    /// Segments in flight before this ACK.
    pub fn in_flight_before(&self) -> f64 {
        self.in_flight + self.newly + self.newly_lost
    }
}

/// The transport's estimates of the path.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C)]
pub struct Path {
    /// Smoothed RTT (RFC 6298), seconds; 0 before the first sample.
    pub srtt_s: f64,
    /// Smallest RTT of the connection, seconds; infinite before the first sample.
    pub min_rtt_s: f64,
    /// Segment size on the wire, bytes.
    pub segment_bytes: u32,
}

/// The reason for a reduction of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Cause {
    /// Duplicate ACKs, SACK or RACK revealed a loss: at most once per window.
    Loss,
    /// The retransmission timer expired.
    Timeout,
    /// The network marked packets instead of dropping them (ECN): at most once per window.
    Mark,
}

/// A congestion event. The algorithm sets `ssthresh`; the transport then moves `cwnd` there by its recovery
/// algorithm, or to one segment after a time-out.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Congestion {
    /// The reason.
    pub cause: Cause,
    /// Current time, seconds since the start of the run.
    pub now_s: f64,
    /// Segments in flight (RFC 5681's FlightSize).
    pub in_flight: u32,
}

/// The end of an idle time: the application writes more, and nothing was outstanding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restart {
    /// Current time, seconds since the start of the run.
    pub now_s: f64,
    /// Time since the last transmission, seconds.
    pub idle_s: f64,
    /// Segments delivered so far; 0 unless the algorithm wants the rate.
    pub delivered: f64,
}

/// The receiver's echo of congestion marks that an algorithm needs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Echo {
    /// Packets are not ECN-capable.
    #[default]
    None,
    /// Every ACK echoes from the first mark until the sender has reacted (RFC 3168).
    Latched,
    /// ACKs report exactly which segments were marked (RFC 8257 section 3.2).
    Accurate,
}

/// A congestion control algorithm. Each is one file and one line of the registry.
pub trait Controller: Clone + Send {
    /// The receiver agreed to this echo of congestion marks. Precedes [`Self::on_start`].
    fn on_feedback(&mut self, _granted: Echo) {}

    /// The transport is QUIC, not TCP. Precedes [`Self::on_start`].
    fn on_quic(&mut self) {}

    /// The connection is established. The window contains the profile's initial values.
    fn on_start(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// New data was acknowledged outside recovery.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// Any other ACK arrived: a duplicate, or one within fast recovery. `acked` is the number of segments
    /// that it delivered, cumulatively or by SACK.
    fn on_recovery_ack(&mut self, _ack: &Ack, _path: &Path, _window: &mut Window) {}

    /// A segment was found lost; `sent` is the state of the connection when it was sent. Called only for
    /// algorithms that want the rate.
    fn on_segment_lost(&mut self, _sent: &Rate, _path: &Path, _window: &mut Window) {}

    /// Congestion occurred. The algorithm sets `window.ssthresh`.
    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window);

    /// Recovery ended, and `cwnd` is at `ssthresh`.
    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// The last reduction proved needless. `before` is cwnd before the reduction, segments; the window
    /// returns to it, or stays larger. The transport restores `ssthresh`.
    fn on_undo(&mut self, before: f64, _path: &Path, window: &mut Window) {
        window.cwnd = window.cwnd.max(before);
    }

    /// The connection sends again after all its data was acknowledged. The transport has already lowered the
    /// window by the profile's rule.
    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {}

    /// Whether the algorithm sets `cwnd` during recovery and after idle times too. The transport then leaves
    /// it alone.
    fn controls_cwnd_in_recovery(&self) -> bool {
        false
    }

    /// The echo of congestion marks that the algorithm requires.
    fn echo(&self) -> Echo {
        Echo::None
    }

    /// Whether a congestion mark reduces the flow's rate.
    fn answers_marks(&self) -> bool {
        true
    }

    /// The ECN field of the flow's data, if it uses ECN.
    fn codepoint(&self) -> Ecn {
        Ecn::Ect0
    }

    /// Whether the algorithm uses [`Ack::rate`]. The transport then records every segment sent.
    fn wants_rate(&self) -> bool {
        false
    }

    /// The scheme whose header each data packet and the SYN carry.
    fn scheme(&self) -> Option<u8> {
        None
    }

    /// Returns the congestion header of the packet that leaves now; before [`Self::on_start`], of the SYN.
    fn header(&mut self, _path: &Path, _window: &Window) -> Words {
        Words::default()
    }

    /// A congestion header returned with the SYN-ACK or with an ACK. The callback for that ACK follows.
    fn on_header(&mut self, _header: &Words, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// A further quantity of the algorithm for traces, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of algorithms, of rate controllers of media, and of the devices of routers and links. The
/// engine is generic over it.
pub trait ControllerRegistry:
    Controller + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Queue disciplines.
    type Queue: Queues;
    /// Router feedback.
    type Router: Routers;
    /// Impairments of links.
    type Impairment: Impairments;
    /// Rate controllers of media.
    type Media: RateControllers;

    /// Cards of all algorithms, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// Creates an algorithm by its index in [`Self::cards`]; `values` are in the order of the card's
    /// parameters. Indices beyond the cards are those of user-defined algorithms.
    fn build(index: usize, values: &[f64]) -> Self;

    /// Cards of all slow starts, sorted by name.
    fn slow_starts() -> &'static [&'static Card] {
        &[]
    }

    /// Replaces the algorithm's slow start by the one of this index in [`Self::slow_starts`]; `values` are in
    /// the order of the card's parameters.
    #[must_use]
    fn with_slow_start(self, index: usize, _values: &[f64]) -> Self {
        unreachable!("slow start {index} of none")
    }
}
