//! PS: a server that all flows share equally, packet by packet.
//!
//! # Overview
//! PS approximates processor sharing as closely as packets allow: each flow with a packet at the port gets
//! the same rate at any time.
//!
//! # The rule
//! In the ideal server, virtual time `V` counts the bytes that each flow has received: `dV/dt = rate / busy
//! flows`. A packet of `L` bytes would finish there at `F = max(F of the previous one, V) + L`. Packets leave
//! in the order of `F`, without preemption.
//!
//! # Differences from the paper
//! None: this is PGPS with equal weights. A packet leaves at most one packet time after its departure
//! from the ideal server. Virtual time restarts with each busy period of the ideal server.
//!
//! # When to use it
//! As the reference for schemes that claim to share ideally.
//!
//! # References
//! Parekh, Gallager 1993 (virtual time: §III, theorem 1: the bound); Demers, Keshav, Shenker 1989.

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, QueuedPacket};
use std::collections::{BTreeMap, BTreeSet};

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "ps",
    title: "Processor sharing (PGPS)",
    aliases: &["pgps"],
    family: "share",
    rule: "next packet: least F = max(F_before, V) + L",
    response: "rate/n for each of n busy flows",
    references: &["Parekh, Gallager 1993", "Demers, Keshav, Shenker 1989"],
    params: Params::TABLE,
};

/// A virtual time as its bits. They are ordered as the values, because virtual time is never negative.
type Virtual = u64;

/// A port's processor sharing (PGPS).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Ps {
    /// Virtual time, the time at which it was computed, and the line's rate since then.
    now: f64,
    now_s: f64,
    rate_bytes_s: f64,
    /// Busy flows of the ideal server, by the virtual time at which each will finish.
    ends: BTreeSet<(Virtual, u64)>,
    finish: BTreeMap<u64, Virtual>,
    /// Packets by their virtual finish time, then in order of arrival.
    line: BTreeMap<(Virtual, u64), u32>,
    arrivals: u64,
}

impl Ps {
    /// Creates a discipline in its initial state, at a link of this rate, bytes/s.
    pub fn new(_params: Params, rate_bytes_s: f64) -> Self {
        Self { rate_bytes_s, ..Self::default() }
    }

    /// Advances the ideal server to the current time.
    fn advance(&mut self, port: &Backlog) {
        let mut rest_s = port.now_s - self.now_s;
        let rate_bytes_s = std::mem::replace(&mut self.rate_bytes_s, port.rate_bytes_s);
        self.now_s = port.now_s;
        while let Some(&(end, flow)) = self.ends.first() {
            let per_flow = rate_bytes_s / self.ends.len() as f64;
            let until_s = (f64::from_bits(end) - self.now) / per_flow;
            if until_s > rest_s {
                self.now += rest_s * per_flow;
                return;
            }
            rest_s -= until_s;
            self.now = f64::from_bits(end);
            self.ends.remove(&(end, flow));
            self.finish.remove(&flow);
        }
        self.now = 0.0;
    }
}

impl Discipline for Ps {
    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, port: &Backlog, _drops: &mut Vec<u32>) {
        self.advance(port);
        let before = self.finish.get(&packet.flow).copied();
        let starts = before.map_or(self.now, f64::from_bits);
        let end = (starts + f64::from(packet.size_bytes)).to_bits();
        if let Some(before) = before {
            self.ends.remove(&(before, packet.flow));
        }
        self.ends.insert((end, packet.flow));
        self.finish.insert(packet.flow, end);
        self.line.insert((end, self.arrivals), packet.id);
        self.arrivals += 1;
    }

    fn dequeue(
        &mut self,
        port: &Backlog,
        _drops: &mut Vec<u32>,
        _chance: &mut Stream,
    ) -> Option<(u32, bool)> {
        if port.rate_bytes_s != self.rate_bytes_s {
            self.advance(port); // rates change when a packet has left
        }
        self.line.pop_first().map(|(_, id)| (id, false))
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("busy flows", self.ends.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::chance;
    use headgate_model::chance::Stream;
    use headgate_model::ecn::Ecn;

    const RATE: f64 = 1000.0; // bytes/s

    fn port(now_s: f64) -> Backlog {
        Backlog { now_s, rate_bytes_s: RATE, ..Backlog::default() }
    }

    fn put(queue: &mut Ps, id: u32, flow: u64, size_bytes: u32, since_s: f64) {
        let packet = QueuedPacket { id, size_bytes, flow, data: true, ecn: Ecn::NotEct, since_s };
        queue.enqueue(packet, &port(since_s), &mut Vec::new());
    }

    fn next(queue: &mut Ps) -> Option<u32> {
        queue.dequeue(&port(0.0), &mut Vec::new(), &mut chance()).map(|(id, _)| id)
    }

    #[test]
    fn virtual_time_by_hand() {
        let mut queue = Ps::new(Params {}, RATE);
        put(&mut queue, 0, 1, 1000, 0.0);
        put(&mut queue, 1, 2, 200, 0.5); // V = 500: ends at 700
        put(&mut queue, 2, 3, 100, 0.8); // two shared for 0.3 s: V = 650: ends at 750
        assert!((queue.now - 650.0).abs() < 1e-9);
        // three share 150 bytes up to V = 700, two 100 up to 750, and one the other 250
        queue.advance(&port(0.8 + 0.15 + 0.1 + 0.1));
        assert!((queue.now - 850.0).abs() < 1e-9, "{}", queue.now);
        assert_eq!([(); 3].map(|()| next(&mut queue)), [Some(1), Some(2), Some(0)]);
        queue.advance(&port(2.0));
        assert_eq!((queue.now, queue.ends.len()), (0.0, 0)); // idle
    }

    #[test]
    fn virtual_time_goes_as_fast_as_the_line_did() {
        let mut queue = Ps::new(Params {}, RATE);
        (0..3).for_each(|id| put(&mut queue, id, 1, 1000, 0.0));
        assert_eq!(next(&mut queue), Some(0));
        // from 1 s on the line runs at a tenth of its rate: V = 1000 + 5 * 100 at 6 s
        let slow = |now_s| Backlog { now_s, rate_bytes_s: RATE / 10.0, ..Backlog::default() };
        assert_eq!(queue.dequeue(&slow(1.0), &mut Vec::new(), &mut chance()), Some((1, false)));
        let packet =
            QueuedPacket { id: 3, size_bytes: 1000, flow: 2, data: true, ecn: Ecn::NotEct, since_s: 6.0 };
        queue.enqueue(packet, &slow(6.0), &mut Vec::new());
        assert!((queue.now - 1500.0).abs() < 1e-9, "{}", queue.now);
    }

    #[test]
    fn flows_of_one_size_alternate() {
        let mut queue = Ps::new(Params {}, RATE);
        (0..3).for_each(|id| put(&mut queue, id, 1, 100, 0.0));
        (3..6).for_each(|id| put(&mut queue, id, 2, 100, 0.0));
        let order: Vec<_> = std::iter::from_fn(|| next(&mut queue)).collect();
        assert_eq!(order, [0, 3, 1, 4, 2, 5]);
    }

    /// Finish times in the ideal server, computed in small steps that give every busy flow its share.
    fn fluid(packets: &[(f64, u64, u32)]) -> Vec<f64> {
        let (step_s, mut done) = (1e-4, vec![f64::INFINITY; packets.len()]);
        let mut left: Vec<f64> = packets.iter().map(|p| f64::from(p.2)).collect();
        let mut at = 0.0;
        while done.iter().any(|time| time.is_infinite()) {
            let heads = (1..9).filter_map(|flow| {
                (0..packets.len()).find(|&i| packets[i].1 == flow && packets[i].0 <= at && left[i] > 0.0)
            });
            let heads: Vec<_> = heads.collect();
            at += step_s;
            for &i in &heads {
                left[i] -= RATE * step_s / heads.len() as f64;
                if left[i] <= 0.0 {
                    done[i] = at;
                }
            }
        }
        done
    }

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand steps")]
    fn no_packet_leaves_more_than_one_packets_time_after_the_ideal_server() {
        let mut chance = Stream::new(7, "packets", 0);
        let mut at = 0.0;
        let packets: Vec<_> = (0..200)
            .map(|_| {
                at += chance.exponential(0.09);
                (at, 1 + chance.below(8), 20 + chance.below(140) as u32)
            })
            .collect();
        let ideal = fluid(&packets);
        let (mut queue, mut free, mut arrived) = (Ps::new(Params {}, RATE), 0.0, 0);
        for _ in 0..packets.len() {
            if queue.line.is_empty() {
                free = packets[arrived].0.max(free);
            }
            while arrived < packets.len() && packets[arrived].0 <= free {
                let (since_s, flow, size) = packets[arrived];
                put(&mut queue, arrived as u32, flow, size, since_s);
                arrived += 1;
            }
            let id = next(&mut queue).expect("a packet") as usize;
            free += f64::from(packets[id].2) / RATE;
            // 159 B, and the steps of the fluid computation: at most some hundred in which a head changed
            assert!(free <= ideal[id] + 0.159 + 0.02, "{id}: {free} {}", ideal[id]);
        }
    }
}
