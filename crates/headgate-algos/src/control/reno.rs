//! Reno: additive increase, multiplicative decrease (standard TCP).
//!
//! # What it does
//! Doubles the window each round trip until `ssthresh`, then adds one segment per round trip; halves
//! on a loss.
//!
//! # The law
//! Slow start: `cwnd += acked`. Congestion avoidance: `cwnd += acked / cwnd`. Loss or time-out:
//! `ssthresh = max(in_flight / 2, 2)`.
//!
//! # Where it differs from the paper
//! The window is fractional, so that the increase of `1/cwnd` per segment is exact.
//!
//! # When to use it
//! As the yardstick: "TCP" of most studies is this.
//!
//! # References
//! RFC 5681 §3.1 (slow start, congestion avoidance), equation (4) (ssthresh); Mathis et al. 1997.

use headgate_model::control::{Ack, Congestion, Law, Path, Window};
use headgate_model::params::Card;

headgate_model::params! {}

pub const CARD: Card = Card {
    name: "reno",
    title: "TCP Reno",
    aliases: &["tcp"],
    family: "loss",
    law: "w += 1/w per ACK; w *= 1/2 on loss",
    response: "w = 1.22 / p^0.5",
    references: &["RFC 5681", "Mathis, Semke, Mahdavi, Ott 1997"],
    params: Params::TABLE,
};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Reno;

impl Reno {
    pub fn new(_params: Params) -> Self {
        Self
    }
}

/// Reno's congestion avoidance, for the laws that fall back to it.
#[inline]
pub fn avoid(acked: f64, window: &mut Window) {
    window.cwnd += acked / window.cwnd;
}

/// RFC 5681 equation (4): half the flight, at least two segments.
pub fn halve(in_flight: u32, window: &mut Window) {
    window.ssthresh = (f64::from(in_flight) / 2.0).max(2.0);
}

impl Law for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            avoid(left, window);
        }
    }

    fn on_congestion(&mut self, _event: Congestion, in_flight: u32, _path: &Path, window: &mut Window) {
        halve(in_flight, window);
    }
}
