//! RED: drops or marks arrivals at random, the more often the longer the queue has been on average.
//!
//! # What it does
//! Keeps a moving average of the queue, lets bursts pass below it, and spreads losses over flows and time.
//!
//! # The law
//! At each arrival `mean += weight (queue - mean)`, after `m` rounds of `mean *= 1 - weight` for the packets
//! that could have left while the line was idle. Between the thresholds `p_b = max_p (mean - min) /
//! (max - min)`; above, gentle RED goes on to 1 at `2 max`, the other drops all. The gap to the drop before
//! is made uniform by the count of arrivals since then: `p = p_b / (1 - count p_b)`; or, waiting, 0 while
//! `count p_b < 1`, then `p_b / (2 - count p_b)`; or a number drawn once for each gap, which ends when `count
//! p_b` reaches it: while the mean rises that is sooner than by the hazard. In byte mode the queue is counted in mean packets, and `p`
//! grows with the size. Thresholds and weight of 0 are automatic: `min = max(5, target rate / 2)`,
//! `max = 3 min`, `weight = 1 - exp(-1 / (10 rtt rate))`.
//!
//! # Where it differs from the paper
//! It is ns-2.35's: waiting and gentle by default, nothing dropped with at most one packet waiting, dropped
//! instead of marked above `mark_below`. With the gap drawn once it is Linux's: it drops however few wait, and
//! what finds the mean above the band, where all is dropped, ends the gap without beginning another. Arrivals
//! for which the port has no room do not reach it. Bytes include the rest of the packet in service. ns-2 knows
//! the delay of the line; here `rtt` stands for it. Linux's RED takes the line to be idle once it is asked for a packet
//! and has none; a token bucket filter peeks first and asks for none that is not there, so below it the mean does not
//! decay.
//!
//! # When to use it
//! To run the experiments of its time; its queue depends on load and settings.
//!
//! # References
//! Floyd, Jacobson 1993; Floyd 2000 (gentle); ns-2.35 red.cc, ns-default.tcl; RFC 3168 (marks).

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, Arrival, Verdict};

headgate_model::params! {
    /// Mean queue at which drops begin; 0 = automatic.
    min_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 5 in Floyd, Jacobson 1993"),
    /// Mean queue at which they have the probability `max_p`; 0 = three times the other.
    max_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 15 in Floyd, Jacobson 1993",
        at_least ["min_packets"]),
    /// Probability at the upper threshold.
    max_p: number(0.1, (0.0, 1.0), "1", "ns-2.35; 0.02 in Floyd, Jacobson 1993"),
    /// Weight of an arrival in the mean; 0 = automatic.
    weight: number(0.0, (0.0, 1.0), "1", "ns-2.35; 0.002 in Floyd, Jacobson 1993"),
    /// Wait that the automatic thresholds aim at.
    target_s: number(0.005, (0.0, 100.0), "s", "ns-2.35, targetdelay_"),
    /// RTT that the automatic weight is for, three packets' time at least.
    rtt_s: number(0.1, (0.0, 1000.0), "s", "ns-2.35: the least it assumes"),
    /// Size of a mean packet.
    mean_packet_bytes: number(500.0, (1.0, 65535.0), "bytes", "ns-2.35, mean_pktsize_"),
    /// What is counted: packets that wait, bytes still to be sent, or, as below a token bucket, packets with the one
    /// in service, where the mean does not decay while the line is idle.
    mode: choice(["packets", "bytes", "present"], "Floyd, Jacobson 1993 §4; the last, Linux sch_red.c below sch_tbf.c"),
    /// Whether the probability rises from `max_p` to 1 above the upper threshold, or jumps.
    gentle: choice(["on", "off"], "Floyd 2000; ns-2.35"),
    /// Whether there is a least gap between drops, or none, or none and the gap is drawn once.
    wait: choice(["on", "off", "drawn"], "ns-2.35; Floyd, Jacobson 1993 §4; there figure 17, and Linux red.h"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: choice(["off", "on"], "ns-2.35, setbit_"),
    /// Probability `p_b` above which they are dropped after all.
    mark_below: number(0.1, (0.0, 1.0), "1", "ns-2.35, mark_p_"),
}

pub(crate) const CARD: Card = Card {
    name: "red",
    title: "RED",
    aliases: &[],
    family: "queue",
    law: "p = max_p (mean - min)/(max - min)",
    response: "mean = min + (max - min) p/max_p",
    references: &["Floyd, Jacobson 1993", "Floyd 2000", "ns-2.35"],
    params: Params::TABLE,
};

/// Least automatic threshold, packets (ns-2.35).
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
    /// Arrivals since the drop before, and their bytes.
    count: f64,
    count_bytes: f64,
    /// The arrival before found the mean above the lower threshold, and packets waiting.
    above: bool,
    /// The number that ends this gap, where it is drawn once.
    drawn: f64,
}

impl Red {
    /// A discipline that has seen no packet, at a link of this rate, bytes/s.
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

    /// The thresholds.
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
        self.params.mode == 2.0
    }

    fn by_bytes(&self) -> bool {
        self.params.mode == 1.0
    }

    /// Takes what an arrival finds into the mean.
    pub fn average(&mut self, port: &Backlog) {
        let missed = libm::floor(self.rate * port.idle_s);
        if missed > 0.0 && !self.is_below_a_bucket() {
            self.mean *= libm::pow(1.0 - self.weight, missed);
        }
        self.mean += self.weight * (self.queue(port) - self.mean);
    }

    fn queue(&self, port: &Backlog) -> f64 {
        match self.params.mode {
            1.0 => port.bytes / self.params.mean_packet_bytes,
            2.0 => port.present,
            _ => port.packets,
        }
    }

    /// The probability by the mean alone.
    fn base(&self) -> f64 {
        let (over, gentle) = (self.mean - self.max, self.params.gentle == 0.0);
        let p = match (over >= 0.0, gentle) {
            (true, true) => self.max_p + (1.0 - self.max_p) * over / self.max,
            (true, false) => 1.0,
            (false, _) => self.max_p * (self.mean - self.min) / (self.max - self.min),
        };
        p.min(1.0)
    }

    /// The probability after so many arrivals without a drop.
    fn spaced(&self, base: f64, size_bytes: u32) -> f64 {
        let mean_bytes = self.params.mean_packet_bytes;
        let count = if self.by_bytes() { libm::floor(self.count_bytes / mean_bytes) } else { self.count };
        let (seen, waits) = (count * base, self.params.wait == 0.0);
        let p = match (waits, seen) {
            (true, seen) if seen < 1.0 => 0.0,
            (true, seen) if seen < 2.0 => base / (2.0 - seen),
            (false, seen) if seen < 1.0 => base / (1.0 - seen),
            _ => 1.0,
        };
        if self.by_bytes() && p < 1.0 { p * f64::from(size_bytes) / mean_bytes } else { p }
    }

    fn is_drawn(&self) -> bool {
        self.params.wait == 2.0
    }

    fn begin_gap(&mut self, count: f64, count_bytes: f64, chance: &mut Stream) {
        self.restart(count, count_bytes);
        if self.is_drawn() {
            self.drawn = chance.open01();
        }
    }

    /// Whether this arrival is dropped, so many after the last one.
    fn ends_gap(&self, base: f64, size_bytes: u32, chance: &mut Stream) -> bool {
        if self.is_drawn() {
            return self.count * base >= self.drawn;
        }
        chance.open01() <= self.spaced(base, size_bytes)
    }

    fn restart(&mut self, count: f64, count_bytes: f64) {
        (self.count, self.count_bytes) = (count, count_bytes);
    }

    /// Decides by the mean.
    pub fn decide(&mut self, offer: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        let size = f64::from(offer.size_bytes);
        self.restart(self.count + 1.0, self.count_bytes + size);
        if self.is_hard() {
            self.above = false;
            return self.signal(offer, 1.0);
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
        if !self.ends_gap(base, offer.size_bytes, chance) {
            return Verdict::Keep;
        }
        self.begin_gap(0.0, 0.0, chance);
        self.signal(offer, base)
    }

    /// Whether every arrival is dropped, where that leaves no gap that would go on after it (Linux).
    fn is_hard(&self) -> bool {
        self.is_drawn() && self.mean >= self.max && self.base() >= 1.0
    }

    fn signal(&self, offer: &Arrival, base: f64) -> Verdict {
        let marks = self.params.ecn == 1.0 && offer.capable && base <= self.params.mark_below;
        if marks { Verdict::Mark } else { Verdict::Drop }
    }
}

impl Discipline for Red {
    fn admit(&mut self, offer: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.average(port);
        self.decide(offer, port, chance)
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("mean queue", self.mean))
    }
}

#[cfg(test)]
mod tests;
