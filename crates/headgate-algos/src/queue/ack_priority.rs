//! ACK priority: packets without data leave before all data.
//!
//! # Overview
//! ACK priority keeps ACKs from waiting behind data of the opposite direction, so that they arrive as evenly
//! as they were sent and cause no bursts.
//!
//! # The rule
//! Two queues share one buffer: data, and everything else (ACKs, SYNs). The next packet is the oldest of the
//! second queue, or of the first if the second is empty. The buffer's limit counts both. An arrival of
//! either kind that finds the buffer full is dropped.
//!
//! # Differences from the paper
//! NOTE(Xia's ns-2 code, DropTail2): that queue separates ACKs from everything else, so that its SYNs wait
//! with the data.
//!
//! # When to use it
//! With flows in both directions, if the queue of one direction should not affect the other; with `vcp`, as
//! its author released it.
//!
//! # References
//! Xia's ns-2 code, 2005 (`DropTail2`); Zhang, Shenker, Clark 1991 (ACK compression).

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, QueuedPacket};
use std::collections::VecDeque;

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "ack-priority",
    title: "ACK priority",
    aliases: &[],
    family: "share",
    rule: "next packet: the oldest ACK, or else the oldest data",
    response: "",
    references: &["Xia's ns-2 code, 2005", "Zhang, Shenker, Clark 1991"],
    params: Params::TABLE,
};

/// A port's ACK priority.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct AckPriority {
    acks: VecDeque<u32>,
    data: VecDeque<u32>,
}

impl AckPriority {
    /// Creates a discipline in its initial state.
    pub fn new(_params: Params, _rate_bytes_s: f64) -> Self {
        Self::default()
    }
}

impl Discipline for AckPriority {
    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        let queue = if packet.data { &mut self.data } else { &mut self.acks };
        queue.push_back(packet.id);
    }

    fn dequeue(
        &mut self,
        _port: &Backlog,
        _drops: &mut Vec<u32>,
        _chance: &mut Stream,
    ) -> Option<(u32, bool)> {
        let next = self.acks.pop_front().or_else(|| self.data.pop_front());
        next.map(|id| (id, false))
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("ACKs", self.acks.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::chance;
    use headgate_model::chance::Stream;
    use headgate_model::ecn::Ecn;

    fn put(queue: &mut AckPriority, id: u32, data: bool) {
        let packet = QueuedPacket { id, size_bytes: 40, flow: 1, data, ecn: Ecn::NotEct, since_s: 0.0 };
        queue.enqueue(packet, &Backlog::default(), &mut Vec::new());
    }

    fn next(queue: &mut AckPriority) -> Option<u32> {
        queue.dequeue(&Backlog::default(), &mut Vec::new(), &mut chance()).map(|(id, _)| id)
    }

    #[test]
    fn acks_leave_before_data_and_each_kind_in_order() {
        let mut queue = AckPriority::default();
        for (id, data) in [(0, true), (1, false), (2, true), (3, false)] {
            put(&mut queue, id, data);
        }
        assert_eq!([(); 2].map(|()| next(&mut queue)), [Some(1), Some(3)]);
        assert_eq!(next(&mut queue), Some(0));
        put(&mut queue, 4, false); // overtakes the data that came before
        assert_eq!([(); 3].map(|()| next(&mut queue)), [Some(4), Some(2), None]);
    }

    #[test]
    fn whatever_comes_no_data_leaves_while_an_ack_waits() {
        let (mut queue, mut chance) = (AckPriority::default(), Stream::new(3, "packets", 0));
        let (mut waiting, mut came) = (Vec::new(), 0);
        for _ in 0..2000 {
            if chance.chance(0.5) {
                let data = chance.chance(0.5);
                put(&mut queue, came, data);
                waiting.push((data, came));
                came += 1;
            } else {
                waiting.sort_unstable(); // ACKs first, then by arrival
                let due = (!waiting.is_empty()).then(|| waiting.remove(0).1);
                assert_eq!(next(&mut queue), due);
            }
        }
    }
}
