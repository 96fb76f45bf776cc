//! DualPI2: two queues whose controls are coupled, one for scalable senders and one for all others.
//!
//! # Overview
//! DualPI2 gives low-latency traffic a separate short queue. Its marks are coupled to the drops of the other
//! queue, so that flows of both kinds obtain about the same rate at the same RTT.
//!
//! # The rule
//! ECT(1) and CE join the low-latency queue L, all others the classic queue C. Every `tupdate`:
//! `p' += alpha (wait - target) + beta (wait - wait before)`. A packet of C is dropped, or marked if it is
//! capable of ECN, with the probability `p'^2`. One of L is marked with `p_CL = coupling p'`, or with the
//! probability of L's own threshold if that is larger. If both queues wait, C obtains the share
//! `classic_protection` of the bytes. When `p_CL` reaches 1, packets of both queues are dropped with `p'^2`.
//!
//! | | `rfc` | `linux` |
//! | --- | --- | --- |
//! | wait of the control | of C's first packet | the larger of both queues |
//! | `alpha`, `beta` | 0.16 Hz, 3.2 Hz | 41/256 Hz, 819/256 Hz |
//! | L's own threshold | a ramp from 0.8 to 1.2 ms | a step above 1 ms |
//! | choice of packets | a sum of probabilities (no randomness) | random; C by two draws of `p'` |
//! | `classic_protection` | 1/16 | 10 % |
//! | `limit` | 250 ms of the line | 10,000 packets |
//! | without drops | - | less than two packets in both queues |
//!
//! # Differences from the paper
//! NOTE(RFC 9332 appendix A.2): the code for overload takes the larger wait of both queues. `rfc` takes C's, as
//! appendix A.1; `pi_wait = "larger"` is the other form. Without packets in C, `p'` is otherwise 0, and L is only
//! limited by its marks and by `limit`.
//!
//! NOTE(RFC 9332 appendix A.1): `tupdate` is 16 ms, `alpha` 0.16 Hz and `beta` 3.2 Hz in the variant `rfc` too. The
//! formulas of Figure 2 give 15 ms, 0.15 Hz and 3 Hz for its `target` of 15 ms and `RTT_max` of 100 ms.
//!
//! NOTE(RFC 9332 appendix A.1): the RFC leaves the scheduler open. The weighted one is that of Linux, with the
//! share of the RFC's example. The queueing time of L is that of the packet that leaves, and `Th_len` counts the
//! packets that it leaves behind. A limit of 250 ms holds at least two packets.
//!
//! NOTE(Linux 6.17 sch_dualpi2.c): probabilities and gains are real numbers instead of 32-bit fractions, which
//! round the gains by 0.06 %. There is no limit of memory, and no filter.
//!
//! # When to use it
//! At a line that senders with scalable control (L4S, DCTCP with ECT(1)) share with all others.
//!
//! # References
//! RFC 9332; RFC 9331; De Schepper et al. 2016; Linux 6.17 sch_dualpi2.c.

mod law;
mod options;
mod pair;

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, TwoQueues, Verdict};
use headgate_model::units::{Time, picoseconds};

use crate::parts::ethernet::FRAME_BYTES;
use law::Law;
pub use options::{Classifier, DropAt, PiWait, Scheduler, Variant};
use pair::{QueueKind, QueuePair};

headgate_model::params! {
    /// Which text is followed. It determines the automatic values.
    variant: choice(Variant, "RFC 9332 appendix A; Linux 6.17 sch_dualpi2.c"),
    /// Wait that the control aims for in C.
    target_s: number(0.015, (0.0, 100.0), "s", "RFC 9332 A.1; sch_dualpi2.c") marks IfOn,
    /// Time between updates of the probability.
    tupdate_s: number(0.016, (1e-6, 100.0), "s", "RFC 9332 A.1; sch_dualpi2.c"),
    /// Gain of the error; 0 = automatic.
    alpha_hz: number(0.0, (0.0, 1e4), "1/s", "0.16 in RFC 9332 A.1; 41/256 in sch_dualpi2.c"),
    /// Gain of the change of the wait; 0 = automatic.
    beta_hz: number(0.0, (0.0, 1e4), "1/s", "3.2 in RFC 9332 A.1; 819/256 in sch_dualpi2.c"),
    /// Ratio of L's probability to the square root of C's.
    coupling: number(2.0, (1.0, 255.0), "1", "RFC 9332 A.1, k; sch_dualpi2.c"),
    /// Wait above which `linux` marks every packet of L.
    step_s: number(0.001, (0.0, 100.0), "s", "sch_dualpi2.c") used_with variant ["linux"] marks IfOn,
    /// Wait above which `rfc` marks packets of L.
    ramp_start_s: number(0.0008, (0.0, 100.0), "s", "RFC 9332 A.1, minTh") used_with variant ["rfc"] marks IfOn,
    /// Wait from there on until `rfc` marks every packet of L.
    ramp_s: number(0.0004, (0.0, 100.0), "s", "RFC 9332 A.1, range") used_with variant ["rfc"],
    /// Packets of L from which its own threshold applies: left behind (`rfc`), or found at arrival (`linux`); 0 =
    /// automatic.
    min_packets: number(0.0, (0.0, 1e12), "packets", "1 in RFC 9332 A.1, Th_len; none in sch_dualpi2.c"),
    /// Which packets join L.
    classifier: choice(Classifier, "RFC 9331 §5.1; sch_dualpi2.c"),
    /// Which queue sends next while both have packets.
    scheduler: choice(Scheduler, "RFC 9332 §4.2.2; sch_dualpi2.c"),
    /// Share of the bytes that C sends while both queues have packets, if they are weighted; 0 = automatic.
    classic_protection: number(0.0, (0.0, 1.0), "1", "1/16 in RFC 9332 A.1; 0.1 in sch_dualpi2.c") used_with scheduler ["weighted"],
    /// Time by which packets of L count as older; 0 = automatic, twice the target.
    time_shift_s: number(0.0, (0.0, 100.0), "s", "RFC 9332 A.1, free") used_with scheduler ["time-shifted"],
    /// Packets in both queues; 0 = automatic.
    limit_packets: number(0.0, (0.0, 1e12), "packets", "250 ms in RFC 9332 A.1; 10,000 in sch_dualpi2.c"),
    /// Whether packets of both queues are dropped when L's probability reaches 1. Otherwise it rises no further.
    drop_on_overload: switch(["on", "off"], "RFC 9332 A.2; sch_dualpi2.c"),
    /// When it is decided whether a packet is dropped.
    drop_at: choice(DropAt, "sch_dualpi2.c"),
    /// The wait that the control sees.
    pi_wait: choice(PiWait, "RFC 9332 A.1, A.2; sch_dualpi2.c"),
}

pub(crate) const CARD: Card = Card {
    name: "dualpi2",
    title: "DualPI2",
    aliases: &[],
    family: "mark",
    rule: "p' += alpha (wait - target) + beta (wait - wait_old); C: p'^2, L: max(k p', own)",
    response: "wait of C = target; L/C rate = 1 at equal RTT",
    references: &["RFC 9332", "RFC 9331", "De Schepper et al. 2016"],
    params: Params::TABLE,
};

/// Time that the automatic limit of `rfc` lasts (RFC 9332 A.1).
const LIMIT_S: f64 = 0.25;

/// Packets of the automatic limit of `linux`.
const LIMIT_PACKETS: f64 = 10_000.0;

/// The decision on a packet before it is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Send,
    Mark,
    Drop,
}

/// A port's DualPI2. Its larger parts are boxed, because every port takes the size of the largest discipline.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct DualPi2 {
    params: Box<Params>,
    /// Bytes in both queues that the automatic limit of `rfc` allows.
    limit_bytes: f64,
    law: Law,
    pair: Box<QueuePair>,
    /// Sums of probabilities since the last choice (RFC 9332 A.1), of L and C.
    sums: [f64; 2],
    /// The queue of the arrival that is being decided on.
    arriving: QueueKind,
    next: Time,
    counts: Box<TwoQueues>,
}

impl DualPi2 {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, rate_bytes_s: f64) -> Self {
        let params = resolve_defaults(params);
        let most = if params.drop_on_overload { 1.0 } else { 1.0 / params.coupling };
        Self {
            params: Box::new(params),
            limit_bytes: (LIMIT_S * rate_bytes_s).max(2.0 * FRAME_BYTES),
            law: Law::new(&params, most),
            pair: Box::new(QueuePair::new(params.classic_protection)),
            sums: [0.0; 2],
            arriving: QueueKind::Classic,
            next: picoseconds(params.tupdate_s),
            counts: Box::default(),
        }
    }

    fn classify(&self, ecn: Ecn) -> QueueKind {
        let low = match self.params.classifier {
            Classifier::L4s => matches!(ecn, Ecn::Ect1 | Ecn::Ce),
            Classifier::AnyEct => ecn.is_capable(),
        };
        if low { QueueKind::Low } else { QueueKind::Classic }
    }

    fn has_room(&self) -> bool {
        if self.params.limit_packets > 0.0 {
            return (self.pair.packets() as f64) < self.params.limit_packets;
        }
        match self.params.variant {
            Variant::Rfc => self.pair.bytes() as f64 + FRAME_BYTES <= self.limit_bytes,
            Variant::Linux => (self.pair.packets() as f64) < LIMIT_PACKETS,
        }
    }

    /// Whether L's coupled probability is used up, so that packets of both queues are dropped.
    fn is_overloaded(&self) -> bool {
        self.params.drop_on_overload
            && match self.params.variant {
                Variant::Rfc => self.law.coupled() >= 1.0,
                Variant::Linux => self.law.coupled() > 1.0,
            }
    }

    /// Decides by the coupled probabilities. `rfc` marks packets of L only when they leave.
    fn decide(&mut self, side: QueueKind, ecn: Ecn, chance: &mut Stream) -> Fate {
        let (overloaded, p) = (self.is_overloaded(), self.law.probability);
        let squared = side == QueueKind::Classic || overloaded;
        if self.params.variant == Variant::Rfc {
            let chosen = squared && self.recur(side, p * p);
            return if chosen { chosen_fate(side, overloaded, ecn) } else { Fate::Send };
        }
        if (self.pair.bytes() as f64) < 2.0 * FRAME_BYTES {
            return Fate::Send;
        }
        if squared && draw(p, chance) && draw(p, chance) {
            return chosen_fate(side, overloaded, ecn);
        }
        let marks = side == QueueKind::Low && (overloaded || draw(self.law.coupled(), chance));
        if marks { Fate::Mark } else { Fate::Send }
    }

    /// Whether a packet of L is marked when it leaves, by L's own threshold or, in `rfc`, by the larger of its
    /// probability and the coupled one.
    fn marks_leaving(&mut self, wait_s: f64, applies: bool) -> bool {
        let Params { variant, step_s, ramp_start_s, ramp_s, min_packets, .. } = *self.params;
        if variant == Variant::Linux {
            return applies && wait_s > step_s;
        }
        let behind = self.pair.waiting(QueueKind::Low) as f64;
        let own = match wait_s {
            _ if behind < min_packets || self.is_overloaded() => 0.0,
            wait_s if wait_s >= ramp_start_s + ramp_s => 1.0,
            wait_s if wait_s > ramp_start_s => (wait_s - ramp_start_s) / ramp_s,
            _ => 0.0,
        };
        self.recur(QueueKind::Low, own.max(self.law.coupled().min(1.0)))
    }

    /// Whether the sum of the probabilities exceeds 1, which it does at evenly spaced packets.
    fn recur(&mut self, side: QueueKind, probability: f64) -> bool {
        let sum = &mut self.sums[side as usize];
        *sum += probability;
        let chosen = *sum > 1.0;
        *sum -= f64::from(u8::from(chosen));
        chosen
    }

    /// Returns the wait that the control sees.
    fn pi_wait_s(&self, now_s: f64) -> f64 {
        let classic_s = self.pair.wait_s(QueueKind::Classic, now_s);
        match self.params.pi_wait {
            PiWait::Larger => classic_s.max(self.pair.wait_s(QueueKind::Low, now_s)),
            PiWait::Classic | PiWait::Variant => classic_s,
        }
    }

    fn drop_arrival(&mut self, side: QueueKind) -> Verdict {
        self.counts.of(side == QueueKind::Low).drops += 1;
        Verdict::Drop
    }
}

/// Whether an event of this probability occurs.
fn draw(probability: f64, chance: &mut Stream) -> bool {
    probability > 0.0 && chance.open01() <= probability
}

/// Returns the parameters with the variant's values in place of automatic ones.
fn resolve_defaults(params: Params) -> Params {
    let rfc = params.variant == Variant::Rfc;
    let or = |given: f64, of_rfc, of_linux| match given {
        0.0 if rfc => of_rfc,
        0.0 => of_linux,
        _ => given,
    };
    let pi_wait = match params.pi_wait {
        PiWait::Variant if rfc => PiWait::Classic,
        PiWait::Variant => PiWait::Larger,
        given => given,
    };
    Params {
        alpha_hz: or(params.alpha_hz, 0.16, 41.0 / 256.0),
        beta_hz: or(params.beta_hz, 3.2, 819.0 / 256.0),
        min_packets: or(params.min_packets, 1.0, 0.0),
        classic_protection: or(params.classic_protection, 1.0 / 16.0, 0.1),
        time_shift_s: or(params.time_shift_s, 2.0 * params.target_s, 2.0 * params.target_s),
        pi_wait,
        ..params
    }
}

/// The fate of a packet that the squared probability has chosen. L's are chosen at overload only, which disables
/// ECN in both queues.
fn chosen_fate(side: QueueKind, overloaded: bool, ecn: Ecn) -> Fate {
    if side == QueueKind::Low || overloaded || !ecn.is_capable() { Fate::Drop } else { Fate::Mark }
}

impl Discipline for DualPi2 {
    fn admit(&mut self, arrival: &Arrival, _port: &Backlog, chance: &mut Stream) -> Verdict {
        let side = self.classify(arrival.ecn);
        self.arriving = side;
        if !self.has_room() {
            return self.drop_arrival(side);
        }
        if self.params.drop_at == DropAt::Dequeue {
            return Verdict::Keep;
        }
        match self.decide(side, arrival.ecn, chance) {
            Fate::Send => Verdict::Keep,
            Fate::Drop => self.drop_arrival(side),
            Fate::Mark => {
                self.counts.of(side == QueueKind::Low).marks += 1;
                Verdict::Mark
            }
        }
    }

    fn next_tick(&self) -> Time {
        self.next
    }

    fn on_tick(&mut self, port: &Backlog) {
        self.law.update(self.pi_wait_s(port.now_s));
        self.next += picoseconds(self.params.tupdate_s);
    }

    fn pass_idle_ticks(&mut self, until: Time, _idle: &Backlog) {
        let (mut after, update) = (self.law, picoseconds(self.params.tupdate_s));
        after.update(0.0);
        if self.next <= until && self.pair.packets() == 0 && after == self.law {
            self.next += (until - self.next) / update * update;
        }
    }

    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        let side = self.arriving;
        let applies = self.pair.waiting(side) as f64 >= self.params.min_packets;
        self.pair.push(side, packet, applies);
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, chance: &mut Stream) -> Option<(u32, bool)> {
        let shift_s = (self.params.scheduler == Scheduler::TimeShifted).then_some(self.params.time_shift_s);
        loop {
            let side = self.pair.choose(port.now_s, shift_s)?;
            let (packet, applies) = self.pair.pop(side)?;
            let wait_s = port.now_s - packet.since_s;
            let decides = self.params.drop_at == DropAt::Dequeue;
            let fate = if decides { self.decide(side, packet.ecn, chance) } else { Fate::Send };
            if fate == Fate::Drop {
                self.counts.of(side == QueueKind::Low).drops += 1;
                drops.push(packet.id);
                continue;
            }
            let leaves_marked = side == QueueKind::Low && self.marks_leaving(wait_s, applies);
            let marked = leaves_marked || fate == Fate::Mark;
            self.pair.charge(side, packet.size_bytes);
            self.counts.of(side == QueueKind::Low).send(wait_s, marked);
            return Some((packet.id, marked));
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("probability", self.law.probability))
    }

    fn two_queues(&self) -> Option<TwoQueues> {
        Some(*self.counts)
    }
}

#[cfg(test)]
mod tests;
