//! DualPI2 as the texts write it, without regard to speed: RFC 9332's pseudo-code (figures of appendix A) and the
//! functions of Linux's `sch_dualpi2.c`. It keeps all packets in one list and recounts it whenever it needs a sum.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, Verdict};

use crate::line::SlowQueue;

/// The settings of a user, and the text's values for the rest.
#[derive(Clone, Debug)]
pub struct Settings {
    pub linux: bool,
    pub target_s: f64,
    pub alpha: f64,
    pub beta: f64,
    pub k: f64,
    pub step_s: f64,
    pub min_th_s: f64,
    pub range_s: f64,
    /// Least packets of the low-latency queue for its own threshold.
    pub th_len: usize,
    /// Share of the classic queue, in 1/10,000.
    pub classic_share: i64,
    /// The shift of a time-shifted FIFO; otherwise the queues are weighted.
    pub shift_s: Option<f64>,
    pub limit_packets: Option<usize>,
    pub limit_bytes: f64,
    pub any_ect: bool,
    pub drop_on_overload: bool,
    pub early: bool,
    pub larger: bool,
}

#[derive(Clone, Debug)]
struct Held {
    id: u32,
    size: u32,
    ecn: Ecn,
    low: bool,
    since_s: f64,
    found: usize,
}

/// The slow program.
#[derive(Clone, Debug)]
pub struct Slow {
    set: Settings,
    held: Vec<Held>,
    p: f64,
    before_s: f64,
    /// `q.count` of the low-latency and the classic queue.
    counts: (f64, f64),
    credit: i64,
    chance: Stream,
}

impl Slow {
    pub fn new(set: Settings, chance: Stream) -> Self {
        let credit = Self::first_credit(&set);
        Self { set, held: Vec::new(), p: 0.0, before_s: 0.0, counts: (0.0, 0.0), credit, chance }
    }

    fn first_credit(set: &Settings) -> i64 {
        1514 * (set.classic_share - (10_000 - set.classic_share))
    }

    fn bytes(&self) -> u64 {
        self.held.iter().map(|packet| u64::from(packet.size)).sum()
    }

    fn len(&self, low: bool) -> usize {
        self.held.iter().filter(|packet| packet.low == low).count()
    }

    /// `q.time()`: the wait of a queue's first packet.
    fn time_s(&self, low: bool, now_s: f64) -> f64 {
        self.held.iter().find(|packet| packet.low == low).map_or(0.0, |packet| now_s - packet.since_s)
    }

    fn roll(&mut self, p: f64) -> bool {
        // a probability of 0 needs no random number
        p != 0.0 && self.chance.open01() <= p
    }

    fn recur(&mut self, low: bool, likelihood: f64) -> bool {
        let count = if low { &mut self.counts.0 } else { &mut self.counts.1 };
        *count += likelihood;
        if *count > 1.0 {
            *count -= 1.0;
            return true;
        }
        false
    }

    /// Linux's `must_drop`, with the marks that it sets.
    fn must_drop(&mut self, low: bool, ecn: Ecn) -> Verdict {
        if self.bytes() < 2 * 1514 {
            return Verdict::Keep;
        }
        let p = self.p;
        let local_l = p * self.set.k;
        let overload = self.set.drop_on_overload && local_l > 1.0;
        if !low {
            if self.roll(p) && self.roll(p) {
                return if overload || ecn == Ecn::NotEct { Verdict::Drop } else { Verdict::Mark };
            }
            return Verdict::Keep;
        }
        if overload {
            return if self.roll(p) && self.roll(p) { Verdict::Drop } else { Verdict::Mark };
        }
        if self.roll(local_l) { Verdict::Mark } else { Verdict::Keep }
    }

    /// The part of the RFC's dequeue that may drop.
    fn classic_drop(&mut self, low: bool, ecn: Ecn) -> Verdict {
        let (p_c, p_cl) = (self.p * self.p, self.set.k * self.p);
        let p_c_max = (1.0 / (self.set.k * self.set.k)).min(1.0);
        if low {
            let saturated = self.set.drop_on_overload && p_cl >= 1.0;
            return if saturated && self.recur(true, p_c) { Verdict::Drop } else { Verdict::Keep };
        }
        if !self.recur(false, p_c) {
            return Verdict::Keep;
        }
        let over = self.set.drop_on_overload && p_c >= p_c_max;
        if ecn == Ecn::NotEct || over { Verdict::Drop } else { Verdict::Mark }
    }

    fn laqm(&self, wait_s: f64) -> f64 {
        let Settings { min_th_s, range_s, .. } = self.set;
        if wait_s >= min_th_s + range_s {
            1.0
        } else if wait_s > min_th_s {
            (wait_s - min_th_s) / range_s
        } else {
            0.0
        }
    }

    /// Whether a packet of the low-latency queue is marked as it leaves.
    fn leaves_marked(&mut self, packet: &Held, now_s: f64) -> bool {
        let wait_s = now_s - packet.since_s;
        if self.set.linux {
            return packet.found >= self.set.th_len && wait_s > self.set.step_s;
        }
        let p_cl = self.set.k * self.p;
        if self.set.drop_on_overload && p_cl >= 1.0 {
            return self.recur(true, 1.0);
        }
        let native = if self.len(true) < self.set.th_len { 0.0 } else { self.laqm(wait_s) };
        self.recur(true, native.max(p_cl.min(1.0)))
    }

    fn test(&mut self, low: bool, ecn: Ecn) -> Verdict {
        if self.set.linux { self.must_drop(low, ecn) } else { self.classic_drop(low, ecn) }
    }

    fn scheduler(&self, now_s: f64) -> bool {
        match self.set.shift_s {
            Some(shift_s) => self.time_s(true, now_s) + shift_s >= self.time_s(false, now_s),
            None => self.credit <= 0,
        }
    }
}

impl SlowQueue for Slow {
    fn arrive(&mut self, now_s: f64, id: u32, arrival: &Arrival) -> Verdict {
        let Arrival { size_bytes: size, ecn, .. } = *arrival;
        let low = if self.set.any_ect { ecn != Ecn::NotEct } else { ecn.bits() % 2 == 1 };
        let full = match self.set.limit_packets {
            Some(limit) => self.held.len() >= limit,
            None => self.bytes() as f64 + 1514.0 > self.set.limit_bytes,
        };
        if full {
            return Verdict::Drop;
        }
        let outcome = if self.set.early { self.test(low, ecn) } else { Verdict::Keep };
        if outcome != Verdict::Drop {
            let found = self.len(low);
            self.held.push(Held { id, size, ecn, low, since_s: now_s, found });
        }
        outcome
    }

    fn depart(&mut self, now_s: f64) -> (Option<(u32, bool)>, Vec<u32>) {
        let mut dropped = Vec::new();
        loop {
            let (l, c) = (self.len(true), self.len(false));
            if l + c == 0 {
                self.credit = Self::first_credit(&self.set);
                return (None, dropped);
            }
            let low = l > 0 && (c == 0 || self.scheduler(now_s));
            let at = self.held.iter().position(|packet| packet.low == low).expect("it has packets");
            let packet = self.held.remove(at);
            let outcome = if self.set.early { Verdict::Keep } else { self.test(low, packet.ecn) };
            if outcome == Verdict::Drop {
                dropped.push(packet.id);
                continue;
            }
            let marked = low && self.leaves_marked(&packet, now_s);
            if low && c > 0 {
                self.credit += i64::from(packet.size) * self.set.classic_share;
            }
            if !low && l > 0 {
                self.credit -= i64::from(packet.size) * (10_000 - self.set.classic_share);
            }
            return (Some((packet.id, marked || outcome == Verdict::Mark)), dropped);
        }
    }

    /// `dualpi2_update`, `calculate_probability`.
    fn update(&mut self, now_s: f64) {
        let (l, c) = (self.time_s(true, now_s), self.time_s(false, now_s));
        let now = if self.set.larger && l > c { l } else { c };
        self.p = self.p + self.set.alpha * (now - self.set.target_s) + self.set.beta * (now - self.before_s);
        self.before_s = now;
        let most = if self.set.drop_on_overload { 1.0 } else { 1.0 / self.set.k };
        if self.p < 0.0 {
            self.p = 0.0;
        }
        if self.p > most {
            self.p = most;
        }
    }

    fn gauge(&self) -> Option<f64> {
        Some(self.p)
    }
}
