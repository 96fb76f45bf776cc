//! The queues of CAKE, their hosts, and the order in which they are served.

use std::collections::VecDeque;

use headgate_model::chance::Stream;
use headgate_model::queue::{AckFields, HostPair, QueuedPacket};

use super::ack_filter;
use super::cobalt::{Cobalt, Limits};
use super::options::{AckFilter, Isolation};
use super::rotation::{List, Rotation};
use super::ways::{self, Found, Hosts, PLACES};
use crate::queue::codel::{Fifo, PacketQueue};

/// The role of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Role {
    /// In no list.
    Off,
    /// It just began, and has not used its quantum.
    Sparse,
    /// It has used its quantum while it was empty: in the old list, but not persistent.
    Waiting,
    /// It persists.
    Bulk,
    /// Empty, but its control is not at rest.
    Decaying,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Queue {
    packets: PacketQueue,
    cobalt: Cobalt,
    deficit_bytes: f64,
    /// Places of its hosts.
    source: u16,
    destination: u16,
    role: Role,
}

/// All queues of a port.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct QueueSet {
    isolation: Isolation,
    limits: Limits,
    quantum_bytes: f64,
    queues: Vec<Queue>,
    /// The tag and the bytes of each queue.
    tags: Vec<u32>,
    backlogs: Vec<u64>,
    ack_filter: AckFilter,
    /// The fields of the packets of each queue that are ACKs, if they are filtered.
    acks: Vec<VecDeque<Option<AckFields>>>,
    rotation: Rotation,
    sources: Hosts,
    destinations: Hosts,
    /// Queues that are sparse or bulk.
    busy: usize,
    packets: usize,
    bytes: u64,
}

impl QueueSet {
    pub fn new((isolation, ack_filter): (Isolation, AckFilter), limits: Limits, quantum_bytes: f64) -> Self {
        let queue = Queue {
            packets: PacketQueue::default(),
            cobalt: Cobalt::default(),
            deficit_bytes: 0.0,
            source: 0,
            destination: 0,
            role: Role::Off,
        };
        Self {
            isolation,
            limits,
            quantum_bytes,
            queues: vec![queue; PLACES],
            tags: vec![0; PLACES],
            backlogs: vec![0; PLACES],
            ack_filter,
            acks: if ack_filter == AckFilter::Off { Vec::new() } else { vec![VecDeque::new(); PLACES] },
            rotation: Rotation::new(PLACES),
            sources: Hosts::new(),
            destinations: Hosts::new(),
            busy: 0,
            packets: 0,
            bytes: 0,
        }
    }

    pub fn packets(&self) -> usize {
        self.packets
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts the queues that are sparse or bulk.
    pub fn busy(&self) -> usize {
        self.busy
    }

    /// Adds a packet between these hosts. It may replace an earlier ACK.
    pub fn push(
        &mut self,
        packet: QueuedPacket,
        (hosts, ack): (HostPair, Option<AckFields>),
        drops: &mut Vec<u32>,
    ) {
        let (at, size_bytes) = (self.classify(packet.flow, hosts), u64::from(packet.size_bytes));
        if self.ack_filter != AckFilter::Off {
            drops.extend(ack.and_then(|ack| self.filter(at, packet.flow, &ack)));
            self.acks[at].push_back(ack);
        }
        self.queues[at].packets.push(packet);
        self.backlogs[at] += size_bytes;
        self.bytes += size_bytes;
        self.packets += 1;
        self.activate(at);
    }

    /// Charges a sent packet to its queue.
    pub fn charge(&mut self, at: usize, bytes: f64) {
        self.queues[at].deficit_bytes -= bytes;
    }

    /// Returns the queue of an arrival, and reserves it.
    fn classify(&mut self, flow: u64, hosts: HostPair) -> usize {
        let HostPair { source, destination } = hosts;
        let hash = match self.isolation {
            Isolation::Flowblind => return 0,
            Isolation::Srchost => ways::hash(source),
            Isolation::Dsthost => ways::hash(destination),
            Isolation::Hosts => ways::hash(source) ^ ways::hash(!destination),
            _ => ways::hash(flow),
        };
        let is_free = |at: usize| self.queues[at].role == Role::Off;
        let (at, is_shared) = match ways::find(&self.tags, hash, is_free) {
            Found::Own(at) if self.queues[at].role != Role::Off => return at,
            Found::Own(at) | Found::Free(at) => (at, false),
            Found::Shared(at) => (at, true),
        };
        self.tags[at] = hash;
        self.assign_hosts(at, hosts, is_shared && self.queues[at].role == Role::Bulk);
        at
    }

    /// Assigns the hosts of the arrival to a queue. If it persists, it counts for them from now on.
    fn assign_hosts(&mut self, at: usize, hosts: HostPair, persists: bool) {
        if persists {
            self.count_bulk(at, false);
        }
        let queue = &mut self.queues[at];
        if self.isolation.balances_sources() {
            queue.source = self.sources.place(hosts.source);
        }
        if self.isolation.balances_destinations() {
            queue.destination = self.destinations.place(hosts.destination);
        }
        if persists {
            self.count_bulk(at, true);
        }
    }

    /// Counts a queue that persists, or persists no longer, for its hosts.
    fn count_bulk(&mut self, at: usize, persists: bool) {
        let Queue { source, destination, .. } = self.queues[at];
        let count = if persists { Hosts::add } else { Hosts::remove };
        if self.isolation.balances_sources() {
            count(&mut self.sources, source);
        }
        if self.isolation.balances_destinations() {
            count(&mut self.destinations, destination);
        }
    }

    /// Returns the bytes that a queue may send in its turn.
    #[inline]
    fn quantum(&self, at: usize) -> f64 {
        let Queue { source, destination, .. } = self.queues[at];
        let load = self.sources.flows(source).max(self.destinations.flows(destination)).max(1);
        self.quantum_bytes / f64::from(load)
    }

    fn set_role(&mut self, at: usize, role: Role) {
        let before = std::mem::replace(&mut self.queues[at].role, role);
        if (before == Role::Bulk) != (role == Role::Bulk) {
            self.count_bulk(at, role == Role::Bulk);
        }
        let is_busy = |role| matches!(role, Role::Sparse | Role::Waiting | Role::Bulk);
        self.busy = self.busy + usize::from(is_busy(role)) - usize::from(is_busy(before));
    }

    /// A packet has joined a queue.
    fn activate(&mut self, at: usize) {
        match self.queues[at].role {
            Role::Off | Role::Decaying => {
                self.rotation.move_to(List::New, at);
                self.set_role(at, Role::Sparse);
                self.queues[at].deficit_bytes = self.quantum(at);
            }
            Role::Waiting => self.set_role(at, Role::Bulk),
            Role::Sparse | Role::Bulk => {}
        }
    }

    /// Returns the queue whose turn it is. In each call of `dequeue`, an empty queue may be first.
    pub fn next_turn(&mut self, decays: &mut bool) -> Option<usize> {
        loop {
            let of = |list| self.rotation.first(list);
            let first = if *decays { of(List::Decaying) } else { None };
            let at = first.or(of(List::New)).or(of(List::Old)).or(of(List::Decaying))?;
            *decays = false;
            let Queue { deficit_bytes, role, ref packets, .. } = self.queues[at];
            if deficit_bytes > 0.0 {
                return Some(at);
            }
            if role == Role::Sparse {
                self.set_role(at, if packets.len() > 0 { Role::Bulk } else { Role::Waiting });
            }
            self.queues[at].deficit_bytes += self.quantum(at);
            self.rotation.move_to(List::Old, at);
        }
    }

    /// It was a queue's turn, and it was empty.
    pub fn rest(&mut self, at: usize, now_s: f64) {
        if self.queues[at].cobalt.idle(&self.limits, now_s) {
            self.rotation.remove(at);
            self.set_role(at, Role::Off);
        } else {
            self.rotation.move_to(List::Decaying, at);
            self.set_role(at, Role::Decaying);
        }
    }

    /// Removes the ACK that a new one of this connection replaces. Returns its number.
    fn filter(&mut self, at: usize, flow: u64, last: &AckFields) -> Option<u32> {
        let packets = self.queues[at].packets.iter();
        let own = packets.zip(&self.acks[at]).map(|(packet, ack)| ack.filter(|_| packet.flow == flow));
        let place = ack_filter::find(self.ack_filter, own, last)?;
        self.acks[at].remove(place);
        let packet = self.queues[at].packets.remove(place)?;
        self.forget(at, &packet);
        Some(packet.id)
    }

    /// Counts a packet that has left a queue.
    fn forget(&mut self, at: usize, packet: &QueuedPacket) {
        let size_bytes = u64::from(packet.size_bytes);
        self.backlogs[at] -= size_bytes;
        self.bytes -= size_bytes;
        self.packets -= 1;
    }

    fn pop(&mut self, at: usize) -> Option<QueuedPacket> {
        let packet = self.queues[at].packets.pop()?;
        if let Some(acks) = self.acks.get_mut(at) {
            acks.pop_front();
        }
        self.forget(at, &packet);
        Some(packet)
    }

    /// Takes the packet to send from a queue, and drops others before it. Returns whether it is marked.
    pub fn take(
        &mut self,
        at: usize,
        now_s: f64,
        drops: &mut Vec<u32>,
        chance: &mut Stream,
    ) -> Option<(QueuedPacket, bool)> {
        loop {
            let packet = self.pop(at)?;
            let Queue { cobalt, packets, .. } = &mut self.queues[at];
            let signal =
                cobalt.decide(&self.limits, (packet.since_s, now_s), packet.ecn.is_capable(), chance);
            if !signal.drops || packets.len() == 0 {
                return Some((packet, signal.marks));
            }
            drops.push(packet.id);
        }
    }

    /// Drops the packet at the head of the queue with the most bytes, of several the one that is older. Returns
    /// false if all queues are empty.
    pub fn shorten(&mut self, now_s: f64, drops: &mut Vec<u32>) -> bool {
        let most = self.backlogs.iter().copied().max().filter(|&most| most > 0);
        let longest = (0..PLACES).filter(|&at| Some(self.backlogs[at]) == most);
        let first = |at: usize| self.queues[at].packets.first().map(|packet| (packet.since_s, packet.id, at));
        let older = |one: &(f64, u32, usize), other: &(f64, u32, usize)| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        };
        let Some((_, _, at)) = longest.filter_map(first).min_by(older) else { return false };
        self.queues[at].cobalt.overflow(&self.limits, now_s);
        drops.extend(self.pop(at).map(|packet| packet.id));
        true
    }
}
