//! FQ-PIE: a PIE queue for each flow, served in turn, new flows first.
//!
//! # Overview
//! FQ-PIE isolates flows as FQ-CoDel does, and controls the wait in each flow's queue with PIE. It drops or marks
//! packets when they arrive.
//!
//! # The rule
//! A hash of the flow selects one of `flows` queues, which are served as in FQ-CoDel. The wait of a queue is that
//! of its packet that left last, and 0 if none is left. Every `update`, from 0.5 s on, each queue sets
//! `p += f(p) (alpha (wait - target) + beta (wait - wait before))`, with `f` as in PIE, and adds 0.02 if the wait
//! exceeds 250 ms. If the queue was empty twice, `p` falls by a 64th. An arrival is dropped with the probability
//! `p`, but not during the burst allowance, nor while the wait is below half the target and `p < 0.2`, nor if the
//! queue holds less than two packets, nor until the probabilities since the last drop add up to 0.85. At 8.5 it
//! is certain.
//!
//! # Differences from the paper
//! NOTE(sch_fq_pie.c): the hash is fixed, as in FQ-CoDel. There is no limit of memory; Linux counts packets
//! beyond its limit and keeps them.
//!
//! NOTE(sch_pie.c): probabilities are real numbers and at most 1. The kernel's test for overflow acts at 256.
//!
//! NOTE(sch_pie.c): the estimator of the departure rate, off by default, is absent.
//!
//! # When to use it
//! To compare with FQ-CoDel, or at a line of a router that has FQ-PIE.
//!
//! # References
//! Linux `sch_fq_pie.c`, `sch_pie.c`; RFC 8033; RFC 8290 §4.2; Ramakrishnan et al. 2019.

use super::codel::{Fifo, PacketQueue};
use super::pie::scale_step;
use crate::parts::round_robin::RoundRobin;
use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, Verdict};
use headgate_model::units::{Time, picoseconds};

mod law;

use law::Law;

headgate_model::params! {
    /// The target of the wait.
    target_s: number(0.015, (1e-6, 100.0), "s", "Linux pie.h; RFC 8033 §4.2") marks IfOn,
    /// Time between updates of the probabilities.
    update_s: number(0.015, (1e-6, 100.0), "s", "Linux pie.h; RFC 8033 §4.2"),
    /// Gain of the error.
    alpha: number(0.125, (0.0, 100.0), "1/s", "Linux pie.h, 2/16; RFC 8033 §4.2"),
    /// Gain of its change.
    beta: number(1.25, (0.0, 100.0), "1/s", "Linux pie.h, 20/16; RFC 8033 §4.2"),
    /// Bytes that a queue may send in its turn.
    quantum_bytes: number(1514.0, (1.0, 1_048_576.0), "bytes", "Linux sch_fq_pie.c"),
    /// Number of queues.
    flows: number(1024.0, (1.0, 65536.0), "queues", "Linux sch_fq_pie.c"),
    /// Packets in all queues.
    limit_packets: number(10240.0, (1.0, 1e12), "packets", "Linux sch_fq_pie.c"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["off", "on"], "Linux sch_fq_pie.c"),
    /// Probability above which ECN-capable packets are dropped too.
    mark_below: number(0.1, (0.0, 1.0), "1", "Linux sch_fq_pie.c, ecn_prob") used_with ecn ["on"],
    /// Whether smaller packets are dropped less often.
    bytemode: switch(["off", "on"], "Linux sch_pie.c"),
}

pub(crate) const CARD: Card = Card {
    name: "fq-pie",
    title: "FQ-PIE",
    aliases: &[],
    family: "delay",
    rule: "DRR over hashed flows, new ones first, PIE in each",
    response: "wait of each flow = target",
    references: &["Linux sch_fq_pie.c", "RFC 8033", "Ramakrishnan et al. 2019"],
    params: Params::TABLE,
};

/// Time of the first update (Linux `sch_fq_pie.c`, HZ / 2).
const FIRST_UPDATE_S: f64 = 0.5;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Flow {
    packets: PacketQueue,
    law: Law,
    /// Whether it is in the list of queues that updates visit.
    awake: bool,
}

/// A port's FQ-PIE.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct FqPie {
    params: Box<Params>,
    flows: Vec<Flow>,
    round_robin: RoundRobin,
    /// Queues that an update may change.
    awake: Vec<u32>,
    packets: usize,
    next: Time,
}

impl FqPie {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        let flows = vec![Flow::default(); params.flows as usize];
        let round_robin = RoundRobin::new(flows.len(), params.quantum_bytes);
        let next = picoseconds(FIRST_UPDATE_S);
        Self { params: Box::new(params), flows, round_robin, awake: Vec::new(), packets: 0, next }
    }
}

impl Discipline for FqPie {
    fn admit(&mut self, arrival: &Arrival, _port: &Backlog, chance: &mut Stream) -> Verdict {
        let Params { limit_packets, ecn, mark_below, .. } = *self.params;
        let at = self.round_robin.hash_flow(arrival.flow);
        let Flow { packets, law, .. } = &mut self.flows[at];
        let is_full = self.packets as f64 >= limit_packets;
        if !is_full && !law.chooses(&self.params, packets.bytes(), arrival.size_bytes, chance) {
            return Verdict::Keep;
        }
        if !is_full && ecn && law.probability <= mark_below && arrival.ecn.is_capable() {
            return Verdict::Mark;
        }
        law.sum = 0.0;
        Verdict::Drop
    }

    fn next_tick(&self) -> Time {
        self.next
    }

    fn on_tick(&mut self, _port: &Backlog) {
        let Self { params, flows, awake, .. } = self;
        awake.retain(|&at| {
            let Flow { packets, law, awake } = &mut flows[at as usize];
            law.update(params, packets.bytes());
            *awake = packets.len() > 0 || !law.is_at_rest();
            *awake
        });
        self.next += picoseconds(self.params.update_s);
    }

    fn pass_idle_ticks(&mut self, until: Time, _idle: &Backlog) {
        let update = picoseconds(self.params.update_s);
        if self.next <= until && self.awake.is_empty() {
            self.next += (until - self.next) / update * update;
        }
    }

    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        let at = self.round_robin.hash_flow(packet.flow);
        let flow = &mut self.flows[at];
        flow.packets.push(packet);
        if !std::mem::replace(&mut flow.awake, true) {
            self.awake.push(at as u32);
        }
        self.round_robin.activate(at);
        self.packets += 1;
    }

    fn dequeue(
        &mut self,
        port: &Backlog,
        _drops: &mut Vec<u32>,
        _chance: &mut Stream,
    ) -> Option<(u32, bool)> {
        loop {
            let at = self.round_robin.find_next()?;
            let Flow { packets, law, .. } = &mut self.flows[at];
            let Some(packet) = packets.pop() else {
                self.round_robin.deactivate_next();
                continue;
            };
            self.packets -= 1;
            self.round_robin.charge(at, packet.size_bytes);
            law.send(port.now_s, packet.since_s, packets.len() == 0);
            return Some((packet.id, false));
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("busy queues", self.round_robin.count_active() as f64))
    }
}

#[cfg(test)]
mod tests;
