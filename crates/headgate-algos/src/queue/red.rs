//! RED: drops or marks arrivals at random, with a probability that increases with the mean queue.
//!
//! # Overview
//! RED keeps a moving average of the queue, admits bursts below it, and spreads losses over flows and time.
//!
//! # The rule
//! At each arrival `mean += weight (queue - mean)`, after `m` rounds of `mean *= 1 - weight` for the packets
//! that could have left while the line was idle. Between the thresholds `p_b = max_p (mean - min) / (max -
//! min)`; above them, gentle RED continues to 1 at `2 max`, and RED otherwise drops everything.
//!
//! The count of arrivals since the last drop makes the gap uniform: `p = p_b / (1 - count p_b)`. With `wait =
//! on`, `p` is 0 while `count p_b < 1`, then `p_b / (2 - count p_b)`. With `wait = drawn`, one number is
//! drawn for each gap, which ends when `count p_b` reaches it; while the mean rises that is sooner than by
//! the hazard. In byte mode the queue is counted in mean packets, and `p` grows with the packet's size.
//! Thresholds and weight of 0 are automatic: `min = max(5, target rate / 2)`, `max = 3 min`, `weight = 1 -
//! exp(-1 / (10 rtt rate))`.
//!
//! # Differences from the paper
//! NOTE(Floyd, Jacobson 1993): the defaults are those of ns-2.35: waiting and gentle, no drop with at most
//! one waiting packet, drops instead of marks above `mark_below`.
//!
//! NOTE(Floyd, Jacobson 1993): with the gap drawn once, the form is that of Linux. It drops however few
//! packets wait. An arrival that finds the mean above the band is dropped like all others, and ends the gap
//! without starting another.
//!
//! NOTE(ns-2.35 red.cc): ns-2 knows the delay of the line; here `rtt` replaces it. Arrivals for which the
//! port has no space do not reach the discipline. Bytes include the rest of the packet in service.
//!
//! NOTE(Linux sch_red.c): Linux's RED considers the line idle once it is asked for a packet and has none. A
//! token bucket filter above it peeks first and never asks an empty queue, so that the mean does not decay
//! (`mode = present`).
//!
//! # When to use it
//! To reproduce experiments of its time. Its queue depends on load and settings.
//!
//! # References
//! Floyd, Jacobson 1993; Floyd 2000 (gentle); ns-2.35 red.cc, ns-default.tcl; RFC 3168 (marks).

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, Verdict};

headgate_model::choices! {
    /// The unit in which the queue is measured.
    pub enum Mode {
        /// Packets that wait.
        Packets = "packets",
        /// Bytes, in packets of the mean size.
        Bytes = "bytes",
        /// Packets, with the one in service (Linux `sch_red.c` below `sch_tbf.c`).
        Present = "present",
    }
}

headgate_model::choices! {
    /// How gaps between drops are drawn.
    pub enum Wait {
        /// Uniform from 1 to 2 over the probability (ns-2.35).
        On = "on",
        /// Uniform up to 1 over the probability (Floyd, Jacobson 1993 §4).
        Off = "off",
        /// Drawn once for each gap (Floyd, Jacobson 1993, figure 17; Linux `red.h`).
        Drawn = "drawn",
    }
}

headgate_model::params! {
    /// Mean queue at which drops begin; 0 = automatic.
    min_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 5 in Floyd, Jacobson 1993") marks IfOn,
    /// Mean queue at which they have the probability `max_p`; 0 = three times the other.
    max_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 15 in Floyd, Jacobson 1993",
        at_least ["min_packets"]),
    /// Probability at the upper threshold.
    max_p: number(0.1, (0.0, 1.0), "1", "ns-2.35; 0.02 in Floyd, Jacobson 1993"),
    /// Weight of an arrival in the mean; 0 = automatic.
    weight: number(0.0, (0.0, 1.0), "1", "ns-2.35; 0.002 in Floyd, Jacobson 1993"),
    /// Wait that the automatic thresholds aim for.
    target_s: number(0.005, (0.0, 100.0), "s", "ns-2.35, targetdelay_"),
    /// RTT for which the automatic weight is computed; at least three packet times.
    rtt_s: number(0.1, (0.0, 1000.0), "s", "ns-2.35: the least it assumes"),
    /// Size of a mean packet.
    mean_packet_bytes: number(500.0, (1.0, 65535.0), "bytes", "ns-2.35, mean_pktsize_"),
    /// Unit of the queue length: waiting packets, bytes still to be sent, or, as below a token bucket,
    /// packets including the one in service. In the last case the mean does not decay while the line is
    /// idle.
    mode: choice(Mode, "Floyd, Jacobson 1993 §4; the last, Linux sch_red.c below sch_tbf.c"),
    /// Whether the probability rises from `max_p` to 1 above the upper threshold, or jumps.
    gentle: switch(["on", "off"], "Floyd 2000; ns-2.35"),
    /// Whether drops keep a smallest gap, or none, or none with the gap drawn once.
    wait: choice(Wait, "ns-2.35; Floyd, Jacobson 1993 §4; there figure 17, and Linux red.h"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["off", "on"], "ns-2.35, setbit_"),
    /// Probability `p_b` above which ECN-capable packets are dropped too.
    mark_below: number(0.1, (0.0, 1.0), "1", "ns-2.35, mark_p_") used_with ecn ["on"],
}

pub(crate) const CARD: Card = Card {
    name: "red",
    title: "RED",
    aliases: &[],
    family: "queue",
    rule: "p = max_p (mean - min)/(max - min)",
    response: "mean = min + (max - min) p/max_p",
    references: &["Floyd, Jacobson 1993", "Floyd 2000", "ns-2.35"],
    params: Params::TABLE,
};

/// Smallest automatic threshold, packets (ns-2.35).
const LEAST_MIN: f64 = 5.0;

/// Automatic time constant of the mean, round trips (ns-2.35).
const MEMORY_RTTS: f64 = 10.0;

/// A port's RED.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Red {
    params: Params,
    min: f64,
    max: f64,
    weight: f64,
    /// Mean packets per second of the line.
    rate: f64,
    max_p: f64,
    mean: f64,
    /// Arrivals since the last drop, and their bytes.
    count: f64,
    count_bytes: f64,
    /// Whether the previous arrival found the mean above the lower threshold, and waiting packets.
    above: bool,
    /// The number that ends this gap, if it is drawn once.
    drawn: f64,
}

impl Red {
    /// Creates a discipline in its initial state, at a link of this rate, bytes/s.
    pub fn new(params: Params, rate_bytes_s: f64) -> Self {
        let rate = rate_bytes_s / params.mean_packet_bytes;
        let or = |given: f64, automatic: f64| if given > 0.0 { given } else { automatic };
        let min = or(params.min_packets, (params.target_s * rate / 2.0).max(LEAST_MIN));
        let rtt_s = params.rtt_s.max(3.0 / rate);
        Self {
            min,
            max: or(params.max_packets, 3.0 * min).max(min),
            weight: or(params.weight, 1.0 - libm::exp(-1.0 / (MEMORY_RTTS * rtt_s * rate))),
            rate,
            max_p: params.max_p,
            mean: 0.0,
            count: 0.0,
            count_bytes: 0.0,
            above: false,
            drawn: 0.0,
            params,
        }
    }

    /// The lower and the upper threshold, packets.
    pub fn band(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    pub(crate) fn max_p(&self) -> f64 {
        self.max_p
    }

    pub(crate) fn set_max_p(&mut self, max_p: f64) {
        self.max_p = max_p;
    }

    fn is_below_a_bucket(&self) -> bool {
        self.params.mode == Mode::Present
    }

    fn counts_bytes(&self) -> bool {
        self.params.mode == Mode::Bytes
    }

    /// Updates the mean at an arrival.
    pub fn average(&mut self, port: &Backlog) {
        let missed = libm::floor(self.rate * port.idle_s);
        if missed > 0.0 && !self.is_below_a_bucket() {
            self.mean *= libm::pow(1.0 - self.weight, missed);
        }
        self.mean += self.weight * (self.queue(port) - self.mean);
    }

    fn queue(&self, port: &Backlog) -> f64 {
        match self.params.mode {
            Mode::Bytes => port.bytes / self.params.mean_packet_bytes,
            Mode::Present => port.present,
            Mode::Packets => port.packets,
        }
    }

    /// Returns the probability by the mean alone.
    fn base(&self) -> f64 {
        let (over, gentle) = (self.mean - self.max, self.params.gentle);
        let p = match (over >= 0.0, gentle) {
            (true, true) => self.max_p + (1.0 - self.max_p) * over / self.max,
            (true, false) => 1.0,
            (false, _) => self.max_p * (self.mean - self.min) / (self.max - self.min),
        };
        p.min(1.0)
    }

    /// Returns the probability at this count of arrivals since the last drop.
    fn spaced(&self, base: f64, size_bytes: u32) -> f64 {
        let mean_bytes = self.params.mean_packet_bytes;
        let count = if self.counts_bytes() { libm::floor(self.count_bytes / mean_bytes) } else { self.count };
        let (seen, waits) = (count * base, self.params.wait == Wait::On);
        let p = match (waits, seen) {
            (true, seen) if seen < 1.0 => 0.0,
            (true, seen) if seen < 2.0 => base / (2.0 - seen),
            (false, seen) if seen < 1.0 => base / (1.0 - seen),
            _ => 1.0,
        };
        if self.counts_bytes() && p < 1.0 { p * f64::from(size_bytes) / mean_bytes } else { p }
    }

    fn is_drawn(&self) -> bool {
        self.params.wait == Wait::Drawn
    }

    fn begin_gap(&mut self, count: f64, count_bytes: f64, chance: &mut Stream) {
        self.restart(count, count_bytes);
        if self.is_drawn() {
            self.drawn = chance.open01();
        }
    }

    /// Whether this arrival ends the gap, so that it is dropped.
    fn ends_gap(&self, base: f64, size_bytes: u32, chance: &mut Stream) -> bool {
        if self.is_drawn() {
            return self.count * base >= self.drawn;
        }
        chance.open01() <= self.spaced(base, size_bytes)
    }

    fn restart(&mut self, count: f64, count_bytes: f64) {
        (self.count, self.count_bytes) = (count, count_bytes);
    }

    /// Decides on an arrival by the mean.
    pub fn decide(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        let size = f64::from(arrival.size_bytes);
        self.restart(self.count + 1.0, self.count_bytes + size);
        if self.is_hard() {
            self.above = false;
            return self.signal(arrival, 1.0);
        }
        let was_above = self.above;
        self.above = self.mean >= self.min && (self.is_drawn() || port.packets > 1.0);
        if self.above && !was_above {
            let first = if self.is_drawn() { 0.0 } else { 1.0 };
            self.begin_gap(first, size, chance);
        }
        if !(self.above && was_above) {
            return Verdict::Keep;
        }
        let base = self.base();
        if !self.ends_gap(base, arrival.size_bytes, chance) {
            return Verdict::Keep;
        }
        self.begin_gap(0.0, 0.0, chance);
        self.signal(arrival, base)
    }

    /// Whether every arrival is dropped without a gap that continues afterwards (Linux).
    fn is_hard(&self) -> bool {
        self.is_drawn() && self.mean >= self.max && self.base() >= 1.0
    }

    fn signal(&self, arrival: &Arrival, base: f64) -> Verdict {
        let marks = self.params.ecn && arrival.ecn.is_capable() && base <= self.params.mark_below;
        if marks { Verdict::Mark } else { Verdict::Drop }
    }
}

impl Discipline for Red {
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.average(port);
        self.decide(arrival, port, chance)
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("mean queue", self.mean))
    }
}

#[cfg(test)]
mod tests;
