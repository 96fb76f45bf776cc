//! The interface of a congestion-control law.
//!
//! A law is a pure state machine: what happened comes in as one record, a window (and perhaps a
//! pace) goes out. Loss detection, retransmission, timers, pacing and rate samples belong to the
//! transport, once for all laws. Windows are in segments, times in seconds, because that is how the
//! papers are written.

use crate::params::Card;

/// What a law sets and the transport obeys.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Window {
    /// Congestion window, segments (may be fractional; the transport sends whole segments).
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until something sets it.
    pub ssthresh: f64,
    /// Pacing rate, segments/s; infinite = unpaced.
    pub pace: f64,
}

impl Window {
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
}

/// What one acknowledgement brought.
#[derive(Clone, Copy, Debug)]
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
    /// Delivery-rate sample, segments/s; 0 when there is none (see [`Law::wants_rate`]).
    pub rate: f64,
    /// The window is what limits the flow; laws do not grow it otherwise.
    pub cwnd_limited: bool,
}

/// What is known of the path, kept by the transport.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Path {
    /// Smoothed RTT (RFC 6298), seconds; 0 before the first sample.
    pub srtt_s: f64,
    /// Smallest RTT of the connection, seconds; infinite before the first sample.
    pub min_rtt_s: f64,
    /// Segment size on the wire, bytes.
    pub segment_bytes: u32,
}

/// Why the window must shrink. The law sets `ssthresh`; the transport then moves `cwnd` there as its
/// recovery algorithm says (or to one segment after a time-out).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Duplicate ACKs, SACK or RACK found a loss: at most once per window.
    Loss,
    /// The retransmission timer expired.
    Timeout,
}

/// A congestion-control law. One file each, one registry line each.
pub trait Law: Clone + Send {
    /// A connection is established; the window holds the profile's initial values.
    fn on_start(&mut self, _path: &Path, _window: &mut Window) {}

    /// New data were acknowledged outside recovery.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// Congestion: set `window.ssthresh`. `in_flight` is in segments (RFC 5681's FlightSize).
    fn on_congestion(&mut self, event: Congestion, in_flight: u32, path: &Path, window: &mut Window);

    /// Recovery ended; `cwnd` is back at `ssthresh`.
    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {}

    /// Whether [`Ack::rate`] is needed; the transport then keeps a journal of every segment.
    fn wants_rate(&self) -> bool {
        false
    }

    /// Window gauges a trace may show beside `cwnd`, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of laws: what the machine is generic over.
pub trait Registry: Law + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static {
    /// Cards of all laws, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// A law by its index in [`Self::cards`]; `values` are in the order of the card's parameters.
    fn build(index: usize, values: &[f64]) -> Self;
}
