//! CoDel: drops at the head of the queue if packets wait longer than a target for longer than an interval.
//!
//! # Overview
//! CoDel distinguishes a standing queue from a burst by the smallest wait of an interval. It drops at an
//! increasing rate, by the square root of the number of drops, until the wait is below the target.
//!
//! # The rule
//! A packet is above the target if its wait is at least `target`, unless at most one packet is left behind
//! it. When packets have been above for an `interval`, the one at the head is dropped, and the next ones
//! `interval / sqrt(count)` later, until one is not above. If dropping restarts within 16 intervals, `count`
//! resumes at the previous rate of drops.
//!
//! # Differences from the paper
//! NOTE(RFC 8289 section 5): ECN-capable packets can be marked and sent instead of dropped, as in Linux; the
//! RFC leaves this open.
//!
//! NOTE(RFC 8289): `ce_threshold` of Linux marks each packet that has waited longer, in addition to CoDel's own marks.
//!
//! NOTE(RFC 8289 section 5.4): by default the square root is computed as in Linux, by one step of Newton's
//! method per drop (`root`). The second drop of a phase then follows after half an interval instead of 0.71,
//! so that many flows that each lose a few packets in a row lose more.
//!
//! # When to use it
//! At any line whose queue should stay short, without a setting for its rate.
//!
//! # References
//! RFC 8289; Nichols, Jacobson 2012; Linux `codel_impl.h` (marking).

mod ce_threshold;

pub(crate) use ce_threshold::{MarkedPackets, exceeds_ce_threshold};
use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Backlog, Discipline, QueuedPacket};
use std::collections::VecDeque;

headgate_model::choices! {
    /// How the square root of the number of drops is found.
    pub enum Root {
        /// One step of Newton's method for each drop (Linux `codel_impl.h`).
        Newton = "newton",
        /// Exactly (RFC 8289 §5.4).
        Exact = "exact",
    }
}

headgate_model::params! {
    /// Wait up to which a queue may persist.
    target_s: number(0.005, (0.0, 100.0), "s", "RFC 8289 §4.3") marks IfOn,
    /// Time for which waits must exceed the target: about the longest RTT.
    interval_s: number(0.1, (1e-9, 1000.0), "s", "RFC 8289 §4.2"),
    /// Bytes behind a packet up to which its wait does not count: one packet.
    mtu_bytes: number(1514.0, (0.0, 1e6), "bytes", "Linux sch_codel.c, an Ethernet frame"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["off", "on"], "RFC 8289 leaves it open"),
    /// How the square root of the count is found: a step of Newton's method for each drop, or exactly.
    root: choice(Root, "Linux codel_impl.h; RFC 8289 §5.4"),
    /// Wait above which every packet capable of ECN is marked; 0 = none.
    ce_threshold_s: number(0.0, (0.0, 100.0), "s", "Linux codel_impl.h, ce_threshold") marks Always,
}

pub(crate) const CARD: Card = Card {
    name: "codel",
    title: "CoDel",
    aliases: &[],
    family: "delay",
    rule: "if min wait over interval >= target: drop at head, next after interval/sqrt(n)",
    response: "",
    references: &["RFC 8289", "Nichols, Jacobson 2012"],
    params: Params::TABLE,
};

/// Intervals after the last drop within which the rate of drops is kept.
const MEMORY: f64 = 16.0;

/// The control law of one queue.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Control {
    params: Params,
    /// Time at which waits will have been above the target for an interval.
    above_until_s: Option<f64>,
    dropping: bool,
    next_s: f64,
    /// The number that determines the rate of drops, and its value when this phase of dropping began.
    count: f64,
    first: f64,
    /// The estimate of the inverse root of the count.
    inverse_root: f64,
}

impl Control {
    pub fn new(params: Params) -> Self {
        Self {
            params,
            above_until_s: None,
            dropping: false,
            next_s: 0.0,
            count: 0.0,
            first: 0.0,
            inverse_root: 1.0,
        }
    }

    /// Takes the next packet to send from a queue, and drops others. Returns the packet and whether it is
    /// marked.
    pub fn dequeue(
        &mut self,
        queue: &mut impl Fifo,
        now_s: f64,
        drops: &mut Vec<u32>,
    ) -> Option<(QueuedPacket, bool)> {
        let (mut next, mut above) = self.take(queue, now_s);
        if self.dropping {
            self.dropping = above;
            while self.dropping && now_s >= self.next_s {
                self.recount(self.count + 1.0);
                let marked = self.marks(next);
                if !marked {
                    drops.extend(next.map(|packet| packet.id));
                    (next, above) = self.take(queue, now_s);
                    self.dropping = above;
                }
                if self.dropping {
                    self.next_s = self.after(self.next_s);
                }
                if marked {
                    return next.map(|packet| (packet, true));
                }
            }
        } else if above {
            let marked = self.marks(next);
            self.begin(now_s);
            if marked {
                return next.map(|packet| (packet, true));
            }
            drops.extend(next.map(|packet| packet.id));
            (next, _) = self.take(queue, now_s);
        }
        next.map(|packet| (packet, false))
    }

    fn marks(&self, next: Option<QueuedPacket>) -> bool {
        self.params.ecn && next.is_some_and(|packet| packet.ecn.is_capable())
    }

    fn begin(&mut self, now_s: f64) {
        let since = self.count - self.first;
        let again = since > 1.0 && now_s - self.next_s < MEMORY * self.params.interval_s;
        if again {
            self.recount(since);
        } else {
            (self.count, self.inverse_root) = (1.0, 1.0);
        }
        self.first = self.count;
        self.dropping = true;
        self.next_s = self.after(now_s);
    }

    /// Applies one step of Newton's method, or computes the exact root if the estimate is too large for a
    /// step.
    fn recount(&mut self, count: f64) {
        let (root, excess) = (self.inverse_root, count * self.inverse_root * self.inverse_root);
        let exact = self.params.root == Root::Exact || excess >= 3.0;
        self.count = count;
        self.inverse_root = if exact { 1.0 / count.sqrt() } else { root * (1.5 - 0.5 * excess) };
    }

    /// Records drops for lack of space, after which drops follow each other sooner.
    pub fn press(&mut self, packets: usize) {
        self.count += packets as f64;
    }

    fn after(&self, at_s: f64) -> f64 {
        at_s + self.params.interval_s * self.inverse_root
    }

    /// Returns the packet at the head, and whether packets have been above the target for an interval.
    fn take(&mut self, queue: &mut impl Fifo, now_s: f64) -> (Option<QueuedPacket>, bool) {
        let Some(packet) = queue.pop() else {
            self.above_until_s = None;
            return (None, false);
        };
        if now_s - packet.since_s < self.params.target_s || queue.bytes() <= self.params.mtu_bytes {
            self.above_until_s = None;
            return (Some(packet), false);
        }
        let until_s = *self.above_until_s.get_or_insert(now_s + self.params.interval_s);
        (Some(packet), now_s >= until_s)
    }
}

/// A queue from which CoDel's control law takes packets.
pub(crate) trait Fifo {
    fn pop(&mut self) -> Option<QueuedPacket>;
    /// Number of bytes left.
    fn bytes(&self) -> f64;
}

/// A queue of packets in order of arrival, and their bytes.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct PacketQueue {
    line: VecDeque<QueuedPacket>,
    bytes: u64,
}

impl PacketQueue {
    pub(crate) fn push(&mut self, packet: QueuedPacket) {
        self.bytes += u64::from(packet.size_bytes);
        self.line.push_back(packet);
    }

    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    pub(crate) fn first(&self) -> Option<&QueuedPacket> {
        self.line.front()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &QueuedPacket> {
        self.line.iter()
    }

    /// Removes a packet by its place from the first one on.
    pub(crate) fn remove(&mut self, place: usize) -> Option<QueuedPacket> {
        let packet = self.line.remove(place)?;
        self.bytes -= u64::from(packet.size_bytes);
        Some(packet)
    }
}

impl Fifo for PacketQueue {
    fn pop(&mut self) -> Option<QueuedPacket> {
        let packet = self.line.pop_front()?;
        self.bytes -= u64::from(packet.size_bytes);
        Some(packet)
    }

    fn bytes(&self) -> f64 {
        self.bytes as f64
    }
}

/// A port's CoDel.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Codel {
    control: Control,
    packets: PacketQueue,
}

impl Codel {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        Self { control: Control::new(params), packets: PacketQueue::default() }
    }
}

impl Discipline for Codel {
    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        self.packets.push(packet);
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, _chance: &mut Stream) -> Option<(u32, bool)> {
        let next = self.control.dequeue(&mut self.packets, port.now_s, drops);
        let threshold_s = self.control.params.ce_threshold_s;
        next.map(|(packet, marked)| {
            let exceeds = exceeds_ce_threshold(&packet, port.now_s, threshold_s, MarkedPackets::All);
            (packet.id, marked || exceeds)
        })
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("drops in a row", if self.control.dropping { self.control.count } else { 0.0 }))
    }
}

#[cfg(test)]
mod tests;
