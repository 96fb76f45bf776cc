//! PIE: a controller of the wait by its error and the change of the error, with gains that depend on the
//! probability.
//!
//! # Overview
//! PIE keeps the wait in the queue near a target at any rate and load, and admits bursts.
//!
//! # The rule
//! Every `update`: `p += f(p) (alpha (wait - target) + beta (wait - wait before))`; `f` is 1/2048 below
//! 1e-6, then 1/512, 1/128, 1/32, 1/8, 1/2 for each factor of ten, and 1 from 0.1 on. From there on no step
//! exceeds 0.02. If the queue is empty twice in a row, `p *= 0.98`. An arrival is dropped with the
//! probability `p`, but not during the burst allowance, nor while the previous wait was below half the target
//! and `p < 0.2`, nor with at most two packets at the port. The allowance restarts when `p` is 0 and the wait
//! is twice below half the target. With `active_from` all this starts at an arrival that finds that many
//! waiting packets, from the initial state. It ends at an arrival that finds no packet, if none waited before
//! and `p` is 0.
//!
//! # Differences from the paper
//! NOTE(RFC 8033 section 4.3): the wait is exact, computed from the line's rate, so that the estimator of the
//! departure rate is not needed.
//!
//! NOTE(RFC 8033 section 5.3): a discipline does not know the buffer. A third of it, from which PIE may be
//! active, is given as `active_from`.
//!
//! NOTE(RFC 8033 section 5.4): arrivals without space do not reach the discipline, so that they do not
//! restart the sum of probabilities.
//!
//! The form includes §5.1 (ECN), §5.4 (less random drops, optional) and §5.5 (the cap).
//!
//! # When to use it
//! If a queue should have the same wait at any rate, without storing or time-stamping packets.
//!
//! # References
//! RFC 8033; Pan et al. 2013; ns-3 pie-queue-disc.cc (auto-tuning).

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, Verdict};
use headgate_model::units::{Time, picoseconds};

headgate_model::choices! {
    /// Whether the size of a packet changes its drop probability.
    pub enum Mode {
        /// All packets alike.
        Packets = "packets",
        /// In proportion to its size.
        Bytes = "bytes",
    }
}

headgate_model::params! {
    /// The target of the wait.
    target_s: number(0.015, (1e-6, 100.0), "s", "RFC 8033 §4.2, QDELAY_REF") marks IfOn,
    /// Time between updates of the probability.
    update_s: number(0.015, (1e-6, 100.0), "s", "RFC 8033 §4.2, T_UPDATE"),
    /// Burst that is admitted if there was no congestion.
    burst_s: number(0.15, (0.0, 100.0), "s", "RFC 8033 §4.4, MAX_BURST"),
    /// Gain of the error.
    alpha: number(0.125, (0.0, 100.0), "1/s", "RFC 8033 §4.2"),
    /// Gain of its change.
    beta: number(1.25, (0.0, 100.0), "1/s", "RFC 8033 §4.2"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["on", "off"], "RFC 8033 §5.1"),
    /// Probability from which ECN-capable packets are dropped too.
    mark_below: number(0.1, (0.0, 1.0), "1", "RFC 8033 §5.1, mark_ecnth") used_with ecn ["on"],
    /// Whether drops keep a smallest and a largest distance.
    derandomise: switch(["off", "on"], "RFC 8033 §5.4"),
    /// Size of a mean packet.
    mean_packet_bytes: number(1500.0, (1.0, 65535.0), "bytes", "RFC 8033, MEAN_PKTSIZE; its number is free"),
    /// Whether larger packets are dropped more often.
    mode: choice(Mode, "RFC 8033 §4.1"),
    /// Number of waiting packets from which it is active; 0 = always.
    active_from_packets: number(0.0, (0.0, 1e12), "packets", "RFC 8033 §5.3: a third of the buffer"),
}

pub(crate) const CARD: Card = Card {
    name: "pie",
    title: "PIE",
    aliases: &[],
    family: "delay",
    rule: "p += f(p) (alpha (wait - target) + beta (wait - wait_old))",
    response: "wait = target",
    references: &["RFC 8033", "Pan et al. 2013"],
    params: Params::TABLE,
};

/// Probabilities below which the step is divided by these numbers (RFC 8033 §4.2).
const DIVISORS: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (0.01, 8.0), (0.1, 2.0)];

/// Probability from which steps are limited, and the limit (RFC 8033 §5.5).
const CAPPED_FROM: f64 = 0.1;
pub(crate) const LARGEST_STEP: f64 = 0.02;

/// Factor by which the probability falls when the queue is empty (RFC 8033 §4.2).
const DECAY: f64 = 0.98;

/// Probability below which a short previous wait protects arrivals (RFC 8033 §4.1).
pub(crate) const PROTECTED_BELOW: f64 = 0.2;

/// Bounds of the sum of probabilities between which drops are random (RFC 8033 §5.4).
pub(crate) const LEAST_SUM: f64 = 0.85;
pub(crate) const LARGEST_SUM: f64 = 8.5;

/// Returns the step of a probability, scaled by it and limited (RFC 8033 §4.2, §5.5).
pub(crate) fn scale_step(unscaled: f64, probability: f64) -> f64 {
    let divisor = DIVISORS.iter().find(|(below, _)| probability < *below);
    let step = unscaled / divisor.map_or(1.0, |(_, by)| *by);
    if probability >= CAPPED_FROM { step.min(LARGEST_STEP) } else { step }
}

/// A port's PIE.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pie {
    params: Params,
    probability: f64,
    before_s: f64,
    /// Rest of the burst allowance.
    burst: Time,
    /// Sum of the probabilities since the last drop.
    sum: f64,
    next: Time,
    active: bool,
}

impl Pie {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        let (next, burst) = (picoseconds(params.update_s), picoseconds(params.burst_s));
        let active = params.active_from_packets == 0.0;
        Self { params, probability: 0.0, before_s: 0.0, burst, sum: 0.0, next, active }
    }

    /// Activates PIE in its initial state at a long enough queue, and deactivates it at an empty one (RFC
    /// 8033 §5.3).
    fn switch(&mut self, port: &Backlog) {
        let from = self.params.active_from_packets;
        if !self.active && port.packets >= from {
            *self = Self { next: self.next, active: true, ..Self::new(self.params, port.rate_bytes_s) };
        } else if from > 0.0 && self.probability == 0.0 && self.before_s == 0.0 && port.bytes == 0.0 {
            self.active = false;
        }
    }

    fn update(&mut self, wait_s: f64) {
        self.probability += self.step(wait_s);
        if wait_s == 0.0 && self.before_s == 0.0 {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        let half_s = self.params.target_s / 2.0;
        self.burst = self.burst.saturating_sub(picoseconds(self.params.update_s));
        if self.probability == 0.0 && wait_s < half_s && self.before_s < half_s {
            self.burst = picoseconds(self.params.burst_s);
        }
        self.before_s = wait_s;
    }

    fn step(&self, wait_s: f64) -> f64 {
        let error = self.params.alpha * (wait_s - self.params.target_s);
        let change = self.params.beta * (wait_s - self.before_s);
        scale_step(error + change, self.probability)
    }

    fn is_protected(&self, port: &Backlog) -> bool {
        let was_short = self.before_s < self.params.target_s / 2.0;
        self.burst > 0
            || (was_short && self.probability < PROTECTED_BELOW)
            || port.bytes <= 2.0 * self.params.mean_packet_bytes
    }

    fn is_chosen(&mut self, size_bytes: u32, chance: &mut Stream) -> bool {
        let packets = f64::from(size_bytes) / self.params.mean_packet_bytes;
        let p = (self.probability * if self.params.mode == Mode::Bytes { packets } else { 1.0 }).min(1.0);
        self.sum = if self.probability == 0.0 { 0.0 } else { self.sum + p };
        let chosen = match self.params.derandomise {
            true if self.sum < LEAST_SUM => false,
            true if self.sum >= LARGEST_SUM => true,
            _ => p > 0.0 && chance.open01() <= p,
        };
        if chosen {
            self.sum = 0.0;
        }
        chosen
    }
}

impl Discipline for Pie {
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.switch(port);
        if !self.active || self.is_protected(port) || !self.is_chosen(arrival.size_bytes, chance) {
            return Verdict::Keep;
        }
        let marks = self.params.ecn && arrival.ecn.is_capable() && self.probability < self.params.mark_below;
        if marks { Verdict::Mark } else { Verdict::Drop }
    }

    fn next_tick(&self) -> Time {
        self.next
    }

    fn on_tick(&mut self, port: &Backlog) {
        if self.active {
            self.update(port.wait_s);
        }
        self.next += picoseconds(self.params.update_s);
    }

    fn pass_idle_ticks(&mut self, until: Time, idle: &Backlog) {
        let (mut after, update) = (self.clone(), picoseconds(self.params.update_s));
        after.on_tick(idle);
        if self.next <= until && (Self { next: self.next, ..after }) == *self {
            self.next += (until - self.next) / update * update;
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("probability", self.probability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::{arrival, params, waiting};

    fn pie(changes: &[(&str, f64)]) -> Pie {
        Pie::new(Params::from_values(&params(Params::TABLE, changes)), 0.0)
    }

    /// A port of 1 MB/s with this wait.
    fn port(wait_s: f64) -> Backlog {
        Backlog { bytes: wait_s * 1e6, wait_s, ..waiting(wait_s * 1e6 / 1500.0) }
    }

    #[test]
    fn the_step_is_scaled_by_the_probability() {
        // 0.125 (25 - 15 ms) + 1.25 (25 - 21 ms) = 0.00625
        let step = |probability| Pie { probability, before_s: 0.021, ..pie(&[]) }.step(0.025);
        let cases = [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (0.005, 8.0), (0.05, 2.0)];
        for (probability, divisor) in cases.into_iter().chain([(0.1, 1.0)]) {
            assert!((step(probability) * divisor - 0.00625).abs() < 1e-12, "{probability}");
        }
        // 0.125 * 0.985 + 1.25 * 0.979 is capped
        assert_eq!(Pie { probability: 0.3, before_s: 0.021, ..pie(&[]) }.step(1.0), 0.02);
    }

    #[test]
    fn a_trace_by_hand() {
        let mut queue = pie(&[]);
        let mut seen = Vec::new();
        for wait_s in [0.03, 0.03, 0.0, 0.0, 0.0] {
            queue.on_tick(&port(wait_s));
            seen.push(queue.probability);
        }
        let first = (0.125 * 0.015 + 1.25 * 0.03) / 2048.0; // 1.923e-5
        let second = first + 0.125 * 0.015 / 128.0; // 3.388e-5
        // a step of -0.001875 - 0.0375 over 128 ends below zero, and is clamped there
        for (seen, due) in seen.iter().zip([first, second, 0.0, 0.0, 0.0]) {
            assert!((seen - due).abs() < 1e-15, "{seen} {due}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand calls")]
    fn only_ticks_that_change_nothing_are_passed_over() {
        let until = 3_600_000_000_000_000;
        let mut queue = Pie { probability: 0.5, ..pie(&[]) };
        queue.pass_idle_ticks(until, &port(0.0));
        assert_eq!(queue.next, 15_000_000_000); // it decays first
        let mut slow = queue.clone();
        while slow.next <= until {
            slow.on_tick(&port(0.0));
        }
        let mut ticks = 0;
        while queue.next <= until {
            queue.pass_idle_ticks(until, &port(0.0));
            queue.on_tick(&port(0.0));
            ticks += 1;
        }
        assert!(ticks < 1000, "{ticks}"); // of 240,000
        assert_eq!(queue, slow);
    }

    #[test]
    fn an_empty_queue_makes_the_probability_decay() {
        let mut queue = Pie { probability: 0.5, ..pie(&[]) };
        queue.on_tick(&port(0.0));
        assert!((queue.probability - (0.5 - 0.125 * 0.015) * 0.98).abs() < 1e-15);
    }

    #[test]
    fn the_burst_allowance_lasts_ten_updates_and_comes_back() {
        let mut queue = pie(&[]);
        let ticks = (1..20).find(|_| {
            queue.on_tick(&port(0.2));
            queue.burst == 0
        });
        assert_eq!(ticks, Some(10)); // 150 ms / 15 ms
        queue.probability = 0.0;
        queue.on_tick(&port(0.005));
        assert_eq!(queue.burst, 0); // the wait before was long
        queue.on_tick(&port(0.005));
        assert_eq!(queue.burst, 150_000_000_000);
    }

    #[test]
    fn what_is_protected_is_kept_and_the_rest_dropped_or_marked() {
        let mut chance = Stream::new(1, "queue", 0);
        let mut verdict = |probability: f64, before_s, bytes, burst, capable| {
            let mut queue = Pie { probability, before_s, burst, ..pie(&[("mode", 1.0)]) };
            queue.params.mean_packet_bytes = 1.0; // 1500 times the probability: a drop is certain
            queue.admit(&arrival(capable), &Backlog { bytes, ..waiting(9.0) }, &mut chance)
        };
        assert_eq!(verdict(0.05, 0.02, 9e4, 0, false), Verdict::Drop);
        assert_eq!(verdict(0.05, 0.02, 9e4, 0, true), Verdict::Mark);
        assert_eq!(verdict(0.1, 0.02, 9e4, 0, true), Verdict::Drop); // not below 10 %
        assert_eq!(verdict(0.05, 0.02, 9e4, 1, false), Verdict::Keep); // burst
        assert_eq!(verdict(0.05, 0.007, 9e4, 0, false), Verdict::Keep); // a short wait before
        assert_eq!(verdict(0.2, 0.007, 9e4, 0, false), Verdict::Drop);
        assert_eq!(verdict(0.2, 0.02, 2.0, 0, false), Verdict::Keep); // two packets
    }

    #[test]
    fn it_is_active_from_a_queue_on_until_there_is_none() {
        let (mut queue, mut chance) = (pie(&[("active_from_packets", 20.0)]), Stream::new(1, "queue", 0));
        let mut probability = |packets, ticks| {
            queue.admit(&arrival(false), &port(packets * 0.0015), &mut chance);
            (0..ticks).for_each(|_| queue.on_tick(&port(packets * 0.0015)));
            queue.probability
        };
        assert_eq!(probability(19.0, 20), 0.0);
        let first = (0.125 * 0.015 + 1.25 * 0.03) / 2048.0; // by 20 packets of 1.5 ms, as if the queue had been empty
        assert!((probability(20.0, 1) - first).abs() < 1e-15);
        assert!(probability(19.0, 1) > 0.0); // the burst does not end below the threshold
        assert_eq!(probability(0.0, 2), 0.0);
        assert_eq!(probability(0.0, 0), 0.0); // the burst ends
        assert_eq!(probability(19.0, 20), 0.0);
        assert_eq!((queue.burst, queue.next), (150_000_000_000, 45 * 15_000_000_000));
    }

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand calls")]
    fn drops_that_are_less_random_keep_their_distance() {
        let mut queue = Pie { probability: 0.0625, ..pie(&[("derandomise", 1.0)]) };
        let mut chance = Stream::new(1, "queue", 0);
        let (mut gap, mut gaps) = (0, Vec::new());
        for _ in 0..100_000 {
            gap += 1;
            if queue.is_chosen(1500, &mut chance) {
                gaps.push(gap);
                gap = 0;
            }
        }
        // sums of 0.85 to 8.5 in steps of 1/16, which add up exactly
        assert!(gaps.iter().all(|gap| (14..=136).contains(gap)), "{gaps:?}");
        // thirteen certain ones, then a geometric gap of mean 16
        let mean = f64::from(gaps.iter().sum::<i32>()) / gaps.len() as f64;
        assert!((mean - 29.0).abs() < 4.0 * 16.0 / (gaps.len() as f64).sqrt(), "{mean}");
    }
}
