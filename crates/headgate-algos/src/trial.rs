//! Shared fixtures of the unit tests: a path, a window, and events made by hand.

use headgate_model::control::{Ack, Cause, Congestion, Path, Restart, Window};

/// 100 ms, 1500 B.
pub const PATH: Path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1500 };

/// Data is sent again at 1 s after an idle time of 0.5 s.
pub const RESTART: Restart = Restart { now_s: 1.0, idle_s: 0.5, delivered: 0.0 };

/// A window in congestion avoidance.
pub fn avoiding(cwnd: f64) -> Window {
    Window { cwnd, ssthresh: 2.0, pace: f64::INFINITY }
}

/// A window in slow start.
pub fn starting(cwnd: f64) -> Window {
    Window { cwnd, ssthresh: f64::INFINITY, pace: f64::INFINITY }
}

/// An ACK of one segment at 1 s, of a flow that its window limits.
pub fn ack(rtt_s: f64) -> Ack {
    Ack { now_s: 1.0, acked: 1.0, rtt_s, cwnd_limited: true, ..Ack::default() }
}

/// An ACK of this number of segments.
pub fn acked(acked: f64) -> Ack {
    Ack { acked, ..ack(0.1) }
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

/// For queue disciplines.
pub mod queue {
    use headgate_model::chance::Stream;
    use headgate_model::ecn::Ecn;
    use headgate_model::params::Param;
    use headgate_model::queue::{Arrival, Backlog, HostPair};

    /// A random stream.
    pub fn chance() -> Stream {
        Stream::new(1, "queue", 0)
    }

    /// The defaults of a table, with some values changed.
    pub fn params(table: &[Param], changes: &[(&str, f64)]) -> Vec<f64> {
        let changed = |param: &Param| changes.iter().rev().find(|(name, _)| *name == param.name);
        table.iter().map(|param| changed(param).map_or(param.default, |(_, value)| *value)).collect()
    }

    /// A packet of 1500 B.
    pub fn arrival(capable: bool) -> Arrival {
        arrival_of(1, if capable { Ecn::Ect0 } else { Ecn::NotEct })
    }

    /// A packet of 1500 B of a flow, with this ECN field.
    pub fn arrival_of(flow: u64, ecn: Ecn) -> Arrival {
        Arrival { size_bytes: 1500, flow, ecn, hosts: HostPair::default(), ack: None }
    }

    /// A port at which this number of packets waits.
    pub fn waiting(packets: f64) -> Backlog {
        Backlog { packets, present: packets + 1.0, ..Backlog::default() }
    }
}
