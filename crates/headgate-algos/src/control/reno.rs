//! Reno: additive increase, multiplicative decrease (standard TCP).
//!
//! # Overview
//! Reno doubles the window in each round trip until `ssthresh`, then adds one segment per round trip. A loss
//! halves the window.
//!
//! # The rule
//! Slow start: `cwnd += acked`. Congestion avoidance: `cwnd += acked / cwnd`. Loss or time-out: `ssthresh =
//! max(in_flight / 2, 2)`.
//!
//! # Differences from the paper
//! NOTE(RFC 5681 section 3.1): the window is fractional, so that the increase of `1/cwnd` per segment is
//! exact. With the transport's `whole_windows` it grows by one whenever a window of segments is acknowledged,
//! as in Linux.
//!
//! # When to use it
//! As the reference: "TCP" of most studies is Reno.
//!
//! # References
//! RFC 5681 §3.1 (slow start, congestion avoidance), equation (4) (ssthresh); Mathis et al. 1997.

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "reno",
    title: "TCP Reno",
    aliases: &["tcp"],
    family: "loss",
    rule: "w += 1/w per ACK; w *= 1/2 on loss",
    response: "w = 1.22 / p^0.5",
    references: &["RFC 5681", "Mathis, Semke, Mahdavi, Ott 1997"],
    params: Params::TABLE,
};

/// One flow's TCP Reno.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Reno;

impl Reno {
    /// Creates a flow in its initial state.
    pub fn new(_params: Params) -> Self {
        Self
    }
}

/// Reno's congestion avoidance, for algorithms that fall back to it.
#[inline]
pub fn avoid(acked: f64, window: &mut Window) {
    window.cwnd += acked / window.cwnd;
}

/// Reno's response to an ACK.
#[inline]
pub fn grow(ack: &Ack, window: &mut Window) {
    if ack.cwnd_limited {
        let left = window.slow_start(ack.acked);
        avoid(left, window);
    }
}

/// RFC 5681 equation (4): half the flight, at least two segments.
pub fn halve(in_flight: u32, window: &mut Window) {
    window.ssthresh = (f64::from(in_flight) / 2.0).max(2.0);
}

impl Controller for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        grow(ack, window);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        halve(event.in_flight, window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, loss, starting};

    fn after_ack(cwnd: f64, ssthresh: f64, acked: f64, cwnd_limited: bool) -> f64 {
        let mut window = Window { ssthresh, ..starting(cwnd) };
        Reno.on_ack(&Ack { acked, cwnd_limited, ..ack(0.1) }, &PATH, &mut window);
        window.cwnd
    }

    #[test]
    fn slow_start_ends_at_the_threshold_within_one_ack() {
        assert_eq!(after_ack(10.0, 20.0, 2.0, true), 12.0);
        assert_eq!(after_ack(19.0, 20.0, 2.0, true), 20.05); // one to the threshold, then 1/20
    }

    #[test]
    fn avoidance_adds_one_segment_a_round_trip() {
        assert_eq!(after_ack(8.0, 2.0, 1.0, true), 8.125); // 8 + 1/8
        assert_eq!(after_ack(8.0, 2.0, 1.0, false), 8.0);
    }

    #[test]
    fn a_loss_leaves_half_the_flight_but_two_segments() {
        for (in_flight, left) in [(101, 50.5), (3, 2.0)] {
            let mut window = starting(200.0);
            Reno.on_congestion(&loss(in_flight), &PATH, &mut window);
            assert_eq!(window.ssthresh, left);
        }
    }
}
