//! CNQ-CodelAF: one queue whose flows are signalled by their share of it, and a second one for sparse flows.
//!
//! # Overview
//! CNQ-CodelAF guides flows towards equal shares of one queue, without a queue for each of them. It signals
//! congestion to a flow the earlier, the more packets of it wait.
//!
//! # The rule
//! A packet of a flow without a place in the bulk queue joins the sparse queue, which is served first, and
//! takes a place in the bulk queue that is not sent. All other packets join the bulk queue. For a packet at
//! its head that has waited `w`, with `b` of the `n` waiting packets from its flow and `f` flows that are not
//! sparse, the weighted wait is `w b f / n`. If it exceeds `target`, the flow is signalled after `interval /
//! sqrt(count)` again and again, and each signal adds 1 to `count`. While it does not, `count` falls at the
//! same pace. If it exceeds four intervals, the flow's probability of a drop rises by 1/256, at most once in
//! each `target`. Each packet of a flow that leaves the sparse queue lowers the probability by 1/4096 and
//! lets `count` fall, and each packet sent does so for one of 65,536 flows in turn, if none of its packets
//! waits. Packets that are capable of ECN are marked instead of dropped. The last packet of a flow is never
//! dropped.
//!
//! # Differences from the paper
//! NOTE(draft-morton-tsvwg-codel-approx-fair-01): the control is that of the program, whose count falls at
//! its own pace and which also drops at random under overload.
//!
//! NOTE(sch_cnq_codel_af.c): the shaper is absent, as the rate of the link replaces it. The marks of Some
//! Congestion Experienced are absent; the program makes none by default. Packets are single, so that nothing
//! is split.
//!
//! NOTE(sch_cnq_codel_af.c): the program declares a limit of 10,240 packets and does not apply it. Here the
//! buffer of the port is the limit.
//!
//! NOTE(sch_cnq_codel_af.c): roots are real numbers. Before its first signal, the gap of a flow is 0, so that
//! the second packet above the target is signalled at once, as in the program.
//!
//! NOTE(sch_cnq_codel_af.c): the hash is fixed, not salted, and uses the connection and its direction instead
//! of the five header fields, so that a repeated run repeats its collisions.
//!
//! # When to use it
//! To compare fairness by differential signals in one queue with a queue for each flow (`fq-codel`).
//!
//! # References
//! Morton, Heist 2020 (draft-morton-tsvwg-codel-approx-fair-01); draft-morton-tsvwg-cheap-nasty-queueing-01;
//! Linux fork chromi/sce, `sch_cnq_codel_af.c` at commit 016a60ca.

mod control;

use std::collections::VecDeque;

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, QueuedPacket};

use crate::parts::round_robin::mix;
use control::{Control, Limits};

headgate_model::params! {
    /// Weighted wait up to which a flow may persist.
    target_s: number(0.005, (0.0, 100.0), "s", "Linux sch_cnq_codel_af.c"),
    /// Time after which the first signal of a flow is repeated.
    interval_s: number(0.1, (1e-9, 1000.0), "s", "Linux sch_cnq_codel_af.c, rtt"),
}

pub(crate) const CARD: Card = Card {
    name: "cnq-codel-af",
    title: "CNQ-CodelAF",
    aliases: &[],
    family: "delay",
    rule: "sparse flows first; if wait b f/n > target: signal the flow, next after interval/sqrt(count)",
    response: "flows take equal parts of one queue",
    references: &["Morton, Heist 2020", "Linux fork chromi/sce, sch_cnq_codel_af.c"],
    params: Params::TABLE,
};

/// Number of flows that the hash distinguishes (Linux `sch_cnq_codel_af.c`), and the bits of its index.
const FLOWS: usize = 1 << FLOW_BITS;
const FLOW_BITS: u32 = 16;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Flow {
    /// Its places in the bulk queue.
    places: u32,
    control: Control,
}

/// A port's CNQ-CodelAF.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct CnqCodelAf {
    limits: Limits,
    /// By hash, 1 + the index of the flow; 0 if no packet had this hash yet.
    indices: Vec<u32>,
    flows: Vec<Flow>,
    sparse: VecDeque<(u32, QueuedPacket)>,
    /// Places without a packet are those of packets in, or from, the sparse queue.
    bulk: VecDeque<(u32, Option<QueuedPacket>)>,
    /// Flows with a place, and places without a packet.
    active: usize,
    empty_places: usize,
    /// The hash whose control rests with the next packet sent, if its flow is idle.
    resting: u16,
}

impl CnqCodelAf {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        let Params { target_s, interval_s } = params;
        Self {
            limits: Limits { target_s, interval_s },
            indices: vec![0; FLOWS],
            flows: Vec::new(),
            sparse: VecDeque::new(),
            bulk: VecDeque::new(),
            active: 0,
            empty_places: 0,
            resting: 0,
        }
    }

    /// Counts the waiting packets.
    fn packets(&self) -> usize {
        self.sparse.len() + self.bulk.len() - self.empty_places
    }

    /// Returns the index of the flow of a connection.
    fn classify(&mut self, connection: u64) -> u32 {
        let index = &mut self.indices[(mix(connection) >> (u64::BITS - FLOW_BITS)) as usize];
        if *index == 0 {
            self.flows.push(Flow::default());
            *index = self.flows.len() as u32;
        }
        *index - 1
    }

    /// Takes the packet at the head of the bulk queue, and places without a packet before it.
    fn pop_bulk(&mut self) -> Option<(usize, QueuedPacket)> {
        loop {
            let (at, packet) = self.bulk.pop_front()?;
            let flow = &mut self.flows[at as usize];
            flow.places -= 1;
            self.active -= usize::from(flow.places == 0);
            match packet {
                Some(packet) => return Some((at as usize, packet)),
                None => self.empty_places -= 1,
            }
        }
    }

    /// Lets the control of one idle flow rest, each in turn.
    fn rest_next(&mut self, now_s: f64) {
        let index = self.indices[usize::from(self.resting)] as usize;
        self.resting = self.resting.wrapping_add(1);
        if let Some(flow) = index.checked_sub(1).map(|at| &mut self.flows[at])
            && flow.places == 0
        {
            flow.control.rest(&self.limits, now_s);
        }
    }
}

impl Discipline for CnqCodelAf {
    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        let at = self.classify(packet.flow);
        let flow = &mut self.flows[at as usize];
        flow.places += 1;
        if flow.places > 1 {
            return self.bulk.push_back((at, Some(packet)));
        }
        self.active += 1;
        self.empty_places += 1;
        self.bulk.push_back((at, None));
        self.sparse.push_back((at, packet));
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, chance: &mut Stream) -> Option<(u32, bool)> {
        let now_s = port.now_s;
        while self.packets() > 0 {
            if let Some((at, packet)) = self.sparse.pop_front() {
                self.flows[at as usize].control.rest(&self.limits, now_s);
                self.rest_next(now_s);
                return Some((packet.id, false));
            }
            let (at, packet) = self.pop_bulk()?;
            let (waiting, persisting) = (self.packets() + 1, self.active - self.empty_places);
            let Flow { places, control } = &mut self.flows[at];
            let share = f64::from(*places + 1) * persisting as f64 / waiting as f64;
            let weighted_s = (now_s - packet.since_s) * share;
            let signal = control.decide(&self.limits, (weighted_s, now_s), packet.ecn.is_capable(), chance);
            if !signal.drops || *places == 0 {
                self.rest_next(now_s);
                return Some((packet.id, signal.marks));
            }
            drops.push(packet.id);
        }
        None
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("active flows", self.active as f64))
    }
}

#[cfg(test)]
mod tests;
