//! The interface of a congestion-control law.
//!
//! A law is a pure state machine: what happened comes in as one record, a window (and perhaps a
//! pace) goes out. Loss detection, retransmission, timers, pacing and rate samples belong to the
//! transport, once for all laws. Windows are in segments, times in seconds, because that is how the
//! papers are written.
//!
//! The records are laid out as C does, since a user's own law may be written in another language: their
//! fields are given by [`crate::layout`] and by `headgate.h`. A new field goes to the end of its record.

use crate::feedback::{Routers, Words};
use crate::impairment::Impairments;
use crate::params::Card;
use crate::queue::Queues;
use crate::whole::floor;

/// What a law sets and the transport obeys.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C)]
pub struct Window {
    /// Congestion window, segments (may be fractional; the transport sends whole segments).
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until something sets it.
    pub ssthresh: f64,
    /// Pacing rate, segments/s; infinite = unpaced.
    pub pace: f64,
}

impl Window {
    /// Whether it is a window at all. No law may leave another behind.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.cwnd < f64::INFINITY && self.ssthresh > 0.0 && self.pace > 0.0
    }

    /// Whether the window is below the threshold: each acknowledged segment adds one.
    pub fn slow_starts(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: one segment per acknowledged segment, stopping at `ssthresh` (RFC 5681 §3.1).
    /// Returns the acknowledged segments that are left for congestion avoidance.
    pub fn slow_start(&mut self, acked: f64) -> f64 {
        let room = (self.ssthresh - self.cwnd).max(0.0);
        let step = acked.min(room);
        self.cwnd += step;
        acked - step
    }

    /// Segments that a paced sender may hand over at once: a millisecond's worth (2^-10 s), two at
    /// least from 1.2 Mbit/s up, 64 KiB at most (Linux, `tcp_tso_autosize` and `bbr_min_tso_segs`).
    pub fn quantum(&self, segment_bytes: u32) -> f64 {
        let bits = f64::from(segment_bytes) * 8.0;
        let least = if self.pace * bits < 1.2e6 { 1.0 } else { 2.0 };
        let most = floor(65_215.0 * 8.0 / bits); // less the largest header
        floor(self.pace / 1024.0).min(most).max(least)
    }
}

/// What one acknowledgement brought.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ack {
    /// Now, seconds since the run began.
    pub now_s: f64,
    /// Segments that the law may count: newly acknowledged ones, or one per ACK, as the profile says.
    pub acked: f64,
    /// RTT sample, seconds; 0 when this ACK gives none.
    pub rtt_s: f64,
    /// Segments in flight before this ACK arrived.
    pub in_flight: u32,
    /// A round trip has passed since the last such mark (RFC 9002-style round counting).
    pub round_start: bool,
    /// The window is what limits the flow; laws do not grow it otherwise.
    pub cwnd_limited: bool,
    /// Fast recovery is still repairing losses after this ACK.
    pub recovers: bool,
    /// The retransmission timer has expired, and what was outstanding then is not yet acknowledged.
    pub after_timeout: bool,
    /// Segments of this ACK whose congestion mark was echoed (ECN, [`Echo::Accurate`] only).
    pub marked: f64,
    /// All zero unless [`Controller::wants_rate`].
    pub rate: Rate,
    /// Segments leave at a pace rather than in bursts: the law sets one, or the transport paces by itself.
    pub paced: bool,
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation), and what was lost.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Rate {
    /// Segments/s; 0 when this ACK gives no sample.
    pub per_s: f64,
    /// Time over which the sample was taken, seconds.
    pub interval_s: f64,
    /// Segments delivered in all.
    pub delivered: f64,
    /// Segments that this ACK delivered.
    pub newly: f64,
    /// `delivered` when the sampled segment was sent.
    pub prior: f64,
    /// Segments in flight when the sampled segment was sent, itself included.
    pub then_in_flight: f64,
    /// Segments found lost in all.
    pub lost: f64,
    /// Segments found lost since the sampled one was sent.
    pub lost_since: f64,
    /// Segments found lost since the ACK before.
    pub newly_lost: f64,
    /// Segments in flight now, after this ACK.
    pub in_flight: f64,
    /// RTT of the newest segment of this ACK that was sent only once, seconds; if it brought none, what time
    /// stamps say of one that was sent again; 0 when there is neither.
    pub rtt_s: f64,
    /// Time until pacing lets the next segment go, seconds.
    pub wait_s: f64,
    /// The sender had nothing to send when the sampled segment was sent.
    pub app_limited: bool,
}

impl Rate {
    /// Segments in flight before this ACK.
    pub fn in_flight_before(&self) -> f64 {
        self.in_flight + self.newly + self.newly_lost
    }
}

/// What is known of the path, kept by the transport.
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

/// Why the window must shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Cause {
    /// Duplicate ACKs, SACK or RACK found a loss: at most once per window.
    Loss,
    /// The retransmission timer expired.
    Timeout,
    /// The network marked packets instead of dropping them (ECN): at most once per window.
    Mark,
}

/// Congestion, as the transport found it. The law sets `ssthresh`; the transport then moves `cwnd`
/// there as its recovery algorithm says (or to one segment after a time-out).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Congestion {
    /// Why.
    pub cause: Cause,
    /// Now, seconds since the run began.
    pub now_s: f64,
    /// Segments in flight (RFC 5681's FlightSize).
    pub in_flight: u32,
}

/// The end of an idle time: the application has more to send, and nothing was outstanding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restart {
    /// Now, seconds since the run began.
    pub now_s: f64,
    /// Time since the last transmission, seconds.
    pub idle_s: f64,
    /// Segments delivered so far; 0 unless the law wants the rate.
    pub delivered: f64,
}

/// How a receiver tells of congestion marks.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Echo {
    /// Packets are not capable of ECN.
    #[default]
    None,
    /// On every ACK from the first mark until the sender has reacted (RFC 3168).
    Latched,
    /// Exactly which segments were marked (RFC 8257 §3.2).
    Accurate,
}

/// A congestion-control law. One file each, one registry line each.
pub trait Controller: Clone + Send {
    /// A connection is established; the window holds the profile's initial values.
    fn on_start(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// New data were acknowledged outside recovery.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// Any other ACK: a duplicate, or one within fast recovery. `acked` is what it delivered, by its
    /// number or by SACK.
    fn on_recovery_ack(&mut self, _ack: &Ack, _path: &Path, _window: &mut Window) {}

    /// A segment was found lost; `sent` tells what was known when it was sent. Only for laws that want
    /// the rate.
    fn on_segment_lost(&mut self, _sent: &Rate, _path: &Path, _window: &mut Window) {}

    /// Congestion: set `window.ssthresh`.
    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window);

    /// Recovery ended; `cwnd` is back at `ssthresh`.
    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// The last reduction was needless, as later ACKs show: the window returns to `before`, cwnd before the
    /// reduction in segments, or to what it has grown to since. The transport restores `ssthresh`.
    fn on_undo(&mut self, before: f64, _path: &Path, window: &mut Window) {
        window.cwnd = window.cwnd.max(before);
    }

    /// A connection sends again whose data were all acknowledged. The transport has lowered the window
    /// already, as the profile says.
    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {}

    /// The law sets `cwnd` also while lost segments are repaired, and after idle times; the transport leaves it
    /// alone.
    fn controls_cwnd_in_recovery(&self) -> bool {
        false
    }

    /// The echo of congestion marks that the law requires.
    fn echo(&self) -> Echo {
        Echo::None
    }

    /// Whether [`Ack::rate`] is needed; the transport then keeps a record of every segment sent.
    fn wants_rate(&self) -> bool {
        false
    }

    /// The scheme whose header each data packet and the SYN carry.
    fn scheme(&self) -> Option<u8> {
        None
    }

    /// The congestion header of the packet that leaves now; before [`Self::on_start`], of the SYN.
    fn header(&mut self, _path: &Path, _window: &Window) -> Words {
        Words::default()
    }

    /// A congestion header came back, with the SYN-ACK or with an ACK, whose own callback follows.
    fn on_header(&mut self, _header: &Words, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// A further quantity of the law that a trace may show, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of laws, and of what routers and links have: the engine is generic over it.
pub trait ControllerRegistry:
    Controller + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Queue disciplines.
    type Queue: Queues;
    /// Router feedback.
    type Router: Routers;
    /// Impairments of links.
    type Impairment: Impairments;

    /// Cards of all laws, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// A law by its index in [`Self::cards`]; `values` are in the order of the card's parameters.
    /// Indices beyond the cards are those of users' own laws.
    fn build(index: usize, values: &[f64]) -> Self;
}
