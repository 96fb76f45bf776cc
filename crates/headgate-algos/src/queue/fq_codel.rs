//! FQ-CoDel: a CoDel queue for each flow, served in turn, new flows first.
//!
//! # Overview
//! FQ-CoDel isolates flows: a flow that builds a queue waits in it, and other flows do not.
//!
//! # The rule
//! A hash of the flow selects one of `flows` queues. In its turn, each may send `quantum` bytes. A queue that
//! was empty joins the new queues, which are served before the old ones. When its quantum is used it becomes
//! old, and also when it becomes empty, as long as there are old queues. Each queue runs CoDel. At more than
//! `limit` packets, or if the port has no space, the queue that holds the most bytes drops up to half its
//! packets, at most `drop_batch`, at its head; its CoDel counts them as its own drops.
//!
//! # Differences from the paper
//! NOTE(RFC 8289 section 4.4): CoDel drops nothing while at most one packet is left. As in Linux, that is one
//! packet in all queues (`backlog`), so that a flow with one waiting packet also receives a signal to slow
//! down. If each queue counts for itself, as in the RFC, each of many flows keeps one or two packets that are
//! never dropped.
//!
//! NOTE(RFC 8290 section 4.1.1): the hash is fixed, not salted, and uses the connection and its direction
//! instead of the five header fields, so that a repeated run repeats its collisions.
//!
//! NOTE(RFC 8290): `ce_threshold` of Linux marks each packet that has waited longer, so that flows of L4S, whose
//! packets carry ECT(1), keep short queues.
//!
//! # When to use it
//! At a line shared by flows that should not affect each other. It needs no settings.
//!
//! # References
//! RFC 8290; RFC 8289; Shreedhar, Varghese 1995 (deficit round robin); Linux sch_fq_codel.c (drop batch).

use super::codel::{self, Control, Fifo, MarkedPackets, PacketQueue, exceeds_ce_threshold};
use crate::parts::round_robin::RoundRobin;
use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, QueuedPacket};

headgate_model::choices! {
    /// The packets that protect the last packet of a queue from a drop.
    pub enum BacklogScope {
        /// Packets of all queues (Linux `sch_fq_codel.c`).
        All = "all",
        /// Packets of the same queue (RFC 8289 §4.4).
        Own = "own",
    }
}

headgate_model::params! {
    /// Wait up to which a queue may persist.
    target_s: number(0.005, (0.0, 100.0), "s", "RFC 8290 §5.2.2") marks IfOn,
    /// Time for which waits must exceed the target.
    interval_s: number(0.1, (1e-9, 1000.0), "s", "RFC 8290 §5.2.1"),
    /// Bytes that a queue may send in its turn.
    quantum_bytes: number(1514.0, (1.0, 1e6), "bytes", "RFC 8290 §5.2.4"),
    /// Number of queues.
    flows: number(1024.0, (1.0, 65536.0), "queues", "RFC 8290 §5.2.5"),
    /// Packets in all queues.
    limit_packets: number(10240.0, (1.0, 1e12), "packets", "RFC 8290 §5.2.3"),
    /// Bytes that count in CoDel's test whether more than a packet is left: those of all queues, or of its
    /// own.
    backlog: choice(BacklogScope, "Linux sch_fq_codel.c; RFC 8289 §4.4"),
    /// Largest number of packets dropped at once for lack of space; 1 = one at a time.
    drop_batch: number(64.0, (1.0, 1e6), "packets", "RFC 8290 §4.1; Linux sch_fq_codel.c"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["on", "off"], "RFC 8290 §5.2.7"),
    /// How CoDel finds the square root of its count.
    root: choice(codel::Root, "Linux codel_impl.h; RFC 8289 §5.4"),
    /// Wait above which every packet of a kind is marked; 0 = none.
    ce_threshold_s: number(0.0, (0.0, 100.0), "s", "Linux sch_fq_codel.c, ce_threshold") marks Always,
    /// The packets that it marks: all that are capable of ECN, or those with ECT(1).
    ce_threshold_for: choice(MarkedPackets, "Linux sch_fq_codel.c, ce_threshold_selector") used_with ce_threshold_s,
}

pub(crate) const CARD: Card = Card {
    name: "fq-codel",
    title: "FQ-CoDel",
    aliases: &[],
    family: "delay",
    rule: "DRR over hashed flows, new ones first, CoDel in each",
    response: "",
    references: &["RFC 8290", "RFC 8289"],
    params: Params::TABLE,
};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Flow {
    packets: PacketQueue,
    control: Control,
}

/// A port's FQ-CoDel.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct FqCodel {
    params: Params,
    flows: Vec<Flow>,
    round_robin: RoundRobin,
    packets: usize,
    bytes: f64,
}

impl FqCodel {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        let Params { target_s, interval_s, ecn, root, .. } = params;
        let of_codel = codel::Params { target_s, interval_s, ecn, root, ..codel::Params::default() };
        let control = Control::new(of_codel);
        let flow = Flow { packets: PacketQueue::default(), control };
        let flows = vec![flow; params.flows as usize];
        let round_robin = RoundRobin::new(flows.len(), params.quantum_bytes);
        Self { params, flows, round_robin, packets: 0, bytes: 0.0 }
    }

    /// Drops packets at the head of the longest queue. Returns false if all queues are empty.
    fn shorten(&mut self, drops: &mut Vec<u32>) -> bool {
        let longest =
            |one: &&mut Flow, other: &&mut Flow| one.packets.bytes().total_cmp(&other.packets.bytes());
        let Some(flow) = self.flows.iter_mut().max_by(longest) else { return false };
        let most = flow.packets.len().div_ceil(2).min(self.params.drop_batch as usize);
        self.bytes -= flow.packets.bytes();
        drops.extend((0..most).filter_map(|_| flow.packets.pop()).map(|packet| packet.id));
        self.bytes += flow.packets.bytes();
        flow.control.press(most);
        self.packets -= most;
        most > 0
    }
}

/// A flow's queue, and the bytes in other queues that count.
struct Among<'a> {
    packets: &'a mut PacketQueue,
    others: f64,
}

impl Fifo for Among<'_> {
    fn pop(&mut self) -> Option<QueuedPacket> {
        self.packets.pop()
    }

    fn bytes(&self) -> f64 {
        self.packets.bytes() + self.others
    }
}

impl Discipline for FqCodel {
    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, drops: &mut Vec<u32>) {
        let at = self.round_robin.hash_flow(packet.flow);
        self.bytes += f64::from(packet.size_bytes);
        self.flows[at].packets.push(packet);
        self.round_robin.activate(at);
        self.packets += 1;
        if self.packets as f64 > self.params.limit_packets {
            self.shorten(drops);
        }
    }

    fn make_room(&mut self, _port: &Backlog, drops: &mut Vec<u32>) -> bool {
        self.shorten(drops)
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, _chance: &mut Stream) -> Option<(u32, bool)> {
        loop {
            let at = self.round_robin.find_next()?;
            let (flow, before) = (&mut self.flows[at], drops.len());
            let others = self.bytes - flow.packets.bytes();
            let counted = if self.params.backlog == BacklogScope::All { others } else { 0.0 };
            let mut queue = Among { packets: &mut flow.packets, others: counted };
            let next = flow.control.dequeue(&mut queue, port.now_s, drops);
            self.bytes = others + flow.packets.bytes();
            self.packets -= drops.len() - before + usize::from(next.is_some());
            if let Some((packet, marked)) = next {
                self.round_robin.charge(at, packet.size_bytes);
                let Params { ce_threshold_s, ce_threshold_for, .. } = self.params;
                let exceeds = exceeds_ce_threshold(&packet, port.now_s, ce_threshold_s, ce_threshold_for);
                return Some((packet.id, marked || exceeds));
            }
            self.round_robin.deactivate_next();
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("busy queues", self.round_robin.count_active() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::{chance, params};
    use headgate_model::ecn::Ecn;

    fn queue(changes: &[(&str, f64)]) -> FqCodel {
        FqCodel::new(Params::from_values(&params(Params::TABLE, changes)), 1e6)
    }

    /// Adds packets of a flow; their numbers are 100 flow + n.
    fn put(queue: &mut FqCodel, flow: u64, ids: std::ops::Range<u32>, size_bytes: u32) -> Vec<u32> {
        let mut drops = Vec::new();
        for id in ids {
            let id = 100 * flow as u32 + id;
            queue.enqueue(
                QueuedPacket { id, size_bytes, flow, data: true, ecn: Ecn::NotEct, since_s: 0.0 },
                &Backlog::default(),
                &mut drops,
            );
        }
        drops
    }

    fn sent(queue: &mut FqCodel) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(&Backlog::default(), &mut Vec::new(), &mut chance()))
            .map(|(id, _)| id)
            .collect()
    }

    #[test]
    fn flows_take_turns() {
        let mut queue = queue(&[("quantum_bytes", 1500.0)]);
        (1..4).for_each(|flow| drop(put(&mut queue, flow, 0..3, 1500)));
        assert_eq!(sent(&mut queue), [100, 200, 300, 101, 201, 301, 102, 202, 302]);
        assert_eq!((queue.packets, queue.round_robin.count_active()), (0, 0));
    }

    #[test]
    fn turns_are_of_bytes() {
        let mut queue = queue(&[("quantum_bytes", 1500.0)]);
        put(&mut queue, 1, 0..2, 1500);
        put(&mut queue, 2, 0..6, 500);
        assert_eq!(sent(&mut queue), [100, 200, 201, 202, 101, 203, 204, 205]);
    }

    #[test]
    fn a_flow_that_just_began_goes_first_but_only_for_a_quantum() {
        let mut queue = queue(&[("quantum_bytes", 1500.0)]);
        put(&mut queue, 1, 0..4, 1500);
        assert_eq!(queue.dequeue(&Backlog::default(), &mut Vec::new(), &mut chance()), Some((100, false)));
        assert_eq!(queue.dequeue(&Backlog::default(), &mut Vec::new(), &mut chance()), Some((101, false))); // the flow is now old
        put(&mut queue, 2, 0..3, 1500);
        // then both are old, and the other one has just used its turn
        assert_eq!(sent(&mut queue), [200, 201, 102, 202, 103]);
    }

    #[test]
    fn the_fattest_loses_half_of_its_packets_at_the_head() {
        let mut queue = queue(&[("limit_packets", 10.0)]);
        assert!(put(&mut queue, 1, 0..8, 1500).is_empty());
        assert_eq!(put(&mut queue, 2, 0..3, 1500), [100, 101, 102, 103]);
        assert_eq!(queue.packets, 7);
        let mut drops = Vec::new();
        assert!(queue.make_room(&Backlog::default(), &mut drops));
        assert_eq!(drops, [104, 105]);
        sent(&mut queue);
        assert!(!queue.make_room(&Backlog::default(), &mut drops)); // there is nothing left to drop
    }

    #[test]
    fn the_ce_threshold_marks_all_or_those_of_l4s() {
        let marked = |threshold_s, meant, ecn| {
            let mut queue = queue(&[("ce_threshold_s", threshold_s), ("ce_threshold_for", meant)]);
            let packet = QueuedPacket { id: 1, size_bytes: 1500, flow: 1, data: true, ecn, since_s: 0.0 };
            queue.enqueue(packet, &Backlog::default(), &mut Vec::new());
            let port = Backlog { now_s: 0.002, ..Backlog::default() };
            queue.dequeue(&port, &mut Vec::new(), &mut chance()) == Some((1, true))
        };
        assert_eq!(Ecn::ALL.map(|ecn| marked(0.001, 0.0, ecn)), [false, true, true, true]);
        assert_eq!(Ecn::ALL.map(|ecn| marked(0.001, 1.0, ecn)), [false, true, false, false]);
        assert!(!marked(0.002, 0.0, Ecn::Ect1) && !marked(0.0, 0.0, Ecn::Ect1));
    }

    /// Returns the number of drops while each of eight flows queues two packets that have waited long.
    fn dropped(backlog: f64) -> usize {
        let (mut queue, mut drops) = (queue(&[("backlog", backlog)]), Vec::new());
        for at in 0..if cfg!(miri) { 40 } else { 1000 } {
            (0..8).for_each(|flow| drop(put(&mut queue, flow, 0..2 - u32::from(at > 0), 1500)));
            let port = Backlog { now_s: f64::from(at) * 0.01 + 0.1, ..Backlog::default() };
            (0..8).filter(|_| queue.dequeue(&port, &mut drops, &mut chance()).is_none()).for_each(drop);
        }
        drops.len()
    }

    #[test]
    fn a_flow_with_one_packet_left_is_spared_only_if_it_counts_alone() {
        assert!(dropped(0.0) > 0 && dropped(1.0) == 0);
    }
}
