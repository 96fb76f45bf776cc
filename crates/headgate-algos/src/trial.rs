//! What the unit tests of the laws share: a path, a window, and events made by hand.

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};

/// 100 ms, 1500 B.
pub const PATH: Path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1500 };

/// A window in congestion avoidance.
pub fn avoiding(cwnd: f64) -> Window {
    Window { cwnd, ssthresh: 2.0, pace: f64::INFINITY }
}

/// A window in slow start.
pub fn starting(cwnd: f64) -> Window {
    Window { cwnd, ssthresh: f64::INFINITY, pace: f64::INFINITY }
}

/// An ACK of one segment at 1 s, by a flow whose window limits it.
pub fn ack(rtt_s: f64) -> Ack {
    Ack { now_s: 1.0, acked: 1.0, rtt_s, cwnd_limited: true, ..Ack::default() }
}

pub fn congestion(cause: Cause, in_flight: u32) -> Congestion {
    Congestion { cause, now_s: 1.0, in_flight }
}

pub fn loss(in_flight: u32) -> Congestion {
    congestion(Cause::Loss, in_flight)
}

pub fn timeout(in_flight: u32) -> Congestion {
    congestion(Cause::Timeout, in_flight)
}
