//! Adaptive RED: RED that adapts its largest probability until the mean queue is in the middle of the band.
//!
//! # Overview
//! Adaptive RED removes RED's dependence on the load: `max_p` follows the load slowly, up by addition, down
//! by a factor.
//!
//! # The rule
//! RED with automatic thresholds and weight. At most every `interval`: if the mean is below `min + 0.4 (max -
//! min)`, `max_p *= beta`; if above `max - 0.4 (max - min)`, `max_p += min(alpha, max_p / 4)`; within
//! `bottom` and `top`.
//!
//! # Differences from the paper
//! NOTE(Floyd, Gummadi, Shenker 2001): as in ns-2.35, the interval is checked when a packet arrives, and
//! starts at the last change.
//!
//! NOTE(Floyd, Gummadi, Shenker 2001): as in ns-2.35, the automatic `bottom` is `min(0.01, 80000 bit/s /
//! rate)`, one over the window of one flow; the paper uses 0.01.
//!
//! NOTE(ns-2.35 red.cc): from `max` to `2 max`, the probability rises from the current `max_p`; in ns-2 it
//! rises from the initial one.
//!
//! Everything else is as in `red`.
//!
//! # When to use it
//! If a queue of about `target` is wanted at any load, without unnecessary drops.
//!
//! # References
//! Floyd, Gummadi, Shenker 2001; ns-2.35 red.cc, ns-default.tcl.

use super::red::{self, Red};
use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, Verdict};

headgate_model::choices! {
    /// The unit in which a queue is measured.
    pub enum Mode {
        /// Packets.
        Packets = "packets",
        /// Bytes, in packets of the mean size.
        Bytes = "bytes",
    }
}

headgate_model::params! {
    /// Wait in the middle between the thresholds, which the mean queue should have.
    target_s: number(0.005, (0.0, 100.0), "s", "Floyd, Gummadi, Shenker 2001 §4; ns-2.35"),
    /// Mean queue at which drops begin; 0 = automatic.
    min_packets: number(0.0, (0.0, 1e12), "packets", "Floyd, Gummadi, Shenker 2001 §4") marks IfOn,
    /// Upper threshold; 0 = three times the lower.
    max_packets: number(0.0, (0.0, 1e12), "packets", "Floyd, Gummadi, Shenker 2001 §4",
        at_least ["min_packets"]),
    /// Weight of an arrival in the mean; 0 = automatic.
    weight: number(0.0, (0.0, 1.0), "1", "Floyd, Gummadi, Shenker 2001 §4"),
    /// First probability at the upper threshold.
    max_p: number(0.1, (0.0, 1.0), "1", "ns-2.35, linterm_"),
    /// Greatest increase of `max_p`.
    alpha: number(0.01, (0.0, 1.0), "1", "Floyd, Gummadi, Shenker 2001, figure 1"),
    /// Factor of its decrease.
    beta: number(0.9, (0.0, 1.0), "1", "Floyd, Gummadi, Shenker 2001, figure 1"),
    /// Least `max_p`; 0 = automatic.
    bottom: number(0.0, (0.0, 1.0), "1", "ns-2.35, bottom_"),
    /// Greatest `max_p`.
    top: number(0.5, (0.0, 1.0), "1", "Floyd, Gummadi, Shenker 2001, figure 1", at_least ["bottom"]),
    /// Least time between two changes.
    interval_s: number(0.5, (1e-6, 1000.0), "s", "Floyd, Gummadi, Shenker 2001, figure 1"),
    /// RTT for which the automatic weight is computed; at least three packet times.
    rtt_s: number(0.1, (0.0, 1000.0), "s", "ns-2.35: the least it assumes"),
    /// Size of a mean packet.
    mean_packet_bytes: number(500.0, (1.0, 65535.0), "bytes", "ns-2.35, mean_pktsize_"),
    /// Unit of the queue length.
    mode: choice(Mode, "Floyd, Jacobson 1993 §4"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["off", "on"], "ns-2.35, setbit_"),
    /// Probability above which they are dropped after all; `max_p` may rise to `top`.
    mark_below: number(0.5, (0.0, 1.0), "1", "the top of max_p; 0.1 in ns-2.35") used_with ecn ["on"],
}

pub(crate) const CARD: Card = Card {
    name: "ared",
    title: "Adaptive RED",
    aliases: &[],
    family: "queue",
    rule: "RED; max_p += min(alpha, max_p/4) above, *= beta below the middle fifth",
    response: "mean = (min + max)/2",
    references: &["Floyd, Gummadi, Shenker 2001", "ns-2.35"],
    params: Params::TABLE,
};

/// Share of the band at either end in which `max_p` changes.
const OUTER: f64 = 0.4;

/// Smallest automatic probability, and the rate above which it is smaller: the inverse of a window of 1000 B
/// packets in 100 ms (ns-2.35).
const BOTTOM: f64 = 0.01;
const BOTTOM_BYTES_S: f64 = 10_000.0;

/// A port's Adaptive RED.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ared {
    params: Params,
    red: Red,
    bottom: f64,
    changed_s: f64,
}

impl Ared {
    /// Creates a discipline in its initial state, at a link of this rate, bytes/s.
    pub fn new(params: Params, rate_bytes_s: f64) -> Self {
        let Params { min_packets, max_packets, max_p, weight, target_s, rtt_s, .. } = params;
        let Params { mean_packet_bytes, ecn, mark_below, .. } = params;
        let mode = match params.mode {
            Mode::Packets => red::Mode::Packets,
            Mode::Bytes => red::Mode::Bytes,
        };
        let plain = red::Params {
            min_packets,
            max_packets,
            max_p,
            weight,
            target_s,
            rtt_s,
            mean_packet_bytes,
            mode,
            gentle: true,
            wait: red::Wait::On,
            ecn,
            mark_below,
        };
        let automatic = BOTTOM.min(BOTTOM_BYTES_S / rate_bytes_s);
        let bottom = if params.bottom > 0.0 { params.bottom } else { automatic };
        Self { params, red: Red::new(plain, rate_bytes_s), bottom, changed_s: 0.0 }
    }

    fn adapt(&mut self, now_s: f64) {
        let ((min, max), mean, max_p) = (self.red.band(), self.red.mean(), self.red.max_p());
        let part = OUTER * (max - min);
        if mean < min + part && max_p > self.bottom {
            self.red.set_max_p(max_p * self.params.beta);
            self.changed_s = now_s;
        } else if mean > max - part && max_p < self.params.top {
            self.red.set_max_p(max_p + self.params.alpha.min(max_p / 4.0));
            self.changed_s = now_s;
        }
    }
}

impl Discipline for Ared {
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.red.average(port);
        if port.now_s > self.changed_s + self.params.interval_s {
            self.adapt(port.now_s);
        }
        self.red.decide(arrival, port, chance)
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("max_p", self.red.max_p()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::{arrival, params, waiting};

    /// Weight 1: the mean is the current queue. Thresholds 10 and 30: the middle is 18 to 22.
    fn ared() -> Ared {
        let set = [("min_packets", 10.0), ("max_packets", 30.0), ("weight", 1.0)];
        Ared::new(Params::from_values(&params(Params::TABLE, &set)), 1.25e6)
    }

    /// Returns `max_p` after arrivals that find these numbers of packets, one every 0.6 s.
    fn after(queues: &[f64]) -> f64 {
        let (mut queue, mut chance) = (ared(), Stream::new(1, "queue", 0));
        for (at, &packets) in queues.iter().enumerate() {
            let port = Backlog { now_s: 0.1 + 0.6 * at as f64, ..waiting(packets) };
            queue.admit(&arrival(false), &port, &mut chance);
        }
        queue.red.max_p()
    }

    #[test]
    fn max_p_rises_by_a_step_above_the_middle_and_falls_by_a_tenth_below() {
        // the first arrival precedes the end of the interval; an arrival sees the mean including itself
        assert!((after(&[15.0, 25.0]) - 0.11).abs() < 1e-15);
        assert!((after(&[15.0, 25.0, 25.0]) - 0.12).abs() < 1e-15);
        assert!((after(&[15.0, 25.0, 15.0]) - 0.11 * 0.9).abs() < 1e-15);
        // the middle and its bounds
        assert_eq!([18.0, 20.0, 22.0].map(|mean| after(&[15.0, mean, mean])), [0.1; 3]);
    }

    #[test]
    fn a_small_max_p_rises_by_a_quarter() {
        let mut queue = ared();
        queue.red.set_max_p(0.02);
        queue.red.admit(&arrival(false), &waiting(29.0), &mut Stream::new(1, "queue", 0));
        queue.adapt(1.0);
        assert!((queue.red.max_p() - 0.025).abs() < 1e-15);
    }

    #[test]
    fn it_waits_an_interval_and_stays_within_its_bounds() {
        let (mut queue, mut chance) = (ared(), Stream::new(1, "queue", 0));
        for at in 0..10_000 {
            let port = Backlog { now_s: f64::from(at) * 0.01, ..waiting(29.0) };
            queue.admit(&arrival(false), &port, &mut chance);
        }
        // 100 s are at most 196 changes of 0.51 s; forty of 0.01 reach the top
        assert!((queue.red.max_p() - 0.5).abs() < 0.01, "{}", queue.red.max_p());
        assert!((ared().bottom - 0.008).abs() < 1e-15); // 80 kbit/s over 10 Mbit/s
    }
}
