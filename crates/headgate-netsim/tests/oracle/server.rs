//! A port of the slow engine: a queue of packets and one server.

use headgate_model::chance::Stream;
use headgate_model::plan::{Buffer, Link, LossChange, RateChange};
use headgate_model::queue::Backlog;
use headgate_model::units::{SECOND, Time, seconds};
use headgate_netsim::packets::packet::Packet;
use std::collections::VecDeque;

use crate::event::Place;
use crate::watch::{Seen, Watch};

/// A packet at a server.
pub struct Here {
    pub since: Time,
    pub packet: Packet,
    /// The line loses it.
    pub lost: bool,
    /// Number of the header that the router writes into.
    pub header: u32,
}

/// A queue with one server. Departures within a busy period are exact fractions, rounded down.
pub struct Server {
    /// Rates, the newest last. Packets that arrived under an older rate are served first, at that rate.
    pub paces: VecDeque<Pace>,
    pub changes: VecDeque<RateChange>,
    pub delay: Time,
    pub room: Option<usize>,
    /// Longest admitted wait for a byte-limited queue.
    pub bytes: Option<u64>,
    /// Longest backlog of a host's link before its senders must wait.
    pub wants: Option<Time>,
    pub loss: Option<(f64, Stream)>,
    pub losses: VecDeque<LossChange>,
    /// Numbers of packets that the line loses; packets so far.
    pub lose: Vec<u64>,
    pub entered: u64,
    pub to: Place,
    /// Packets here; the first is served.
    pub queue: VecDeque<Here>,
    pub idle_at: Time,
    pub digest: u64,
    pub counts_wait: bool,
    /// Data packets here.
    pub data: usize,
    pub watch: Watch,
}

/// A rate, a busy period under it, and the packets here that are served at it.
pub struct Pace {
    pub rate_bps: u128,
    pub busy_since: Time,
    pub busy_bits: u128,
    pub queued: VecDeque<u16>,
}

impl Pace {
    pub fn new(rate_bps: u64, busy_since: Time) -> Self {
        Self { rate_bps: u128::from(rate_bps), busy_since, busy_bits: 0, queued: VecDeque::new() }
    }

    pub fn end_of(&self, bits: u128) -> Time {
        self.busy_since + (bits * u128::from(SECOND) / self.rate_bps) as Time
    }

    pub fn clear_at(&self) -> Time {
        let rest: u128 = self.queued.iter().map(|&size| u128::from(size) * 8).sum();
        self.end_of(self.busy_bits + rest)
    }
}

impl Server {
    pub fn new(rate_bps: u64, delay: Time, to: Place) -> Self {
        Self {
            paces: [Pace::new(rate_bps, 0)].into(),
            changes: VecDeque::new(),
            delay,
            room: None,
            bytes: None,
            wants: None,
            loss: None,
            losses: VecDeque::new(),
            lose: Vec::new(),
            entered: 0,
            to,
            queue: VecDeque::new(),
            idle_at: 0,
            digest: 0,
            counts_wait: false,
            data: 0,
            watch: Watch::default(),
        }
    }

    pub fn port(link: &Link, seed: u64) -> Self {
        let mut server = Self::new(link.rate_bps, link.delay_ps, Place::Router(link.to as usize));
        match link.buffer {
            Buffer::Packets(n) => server.room = Some(n as usize),
            Buffer::Bytes(n) => server.bytes = Some(n),
            Buffer::Infinite => {}
        }
        if link.loss > 0.0 || !link.losses.is_empty() {
            server.loss = Some((link.loss, Stream::new(seed, &format!("loss {}", link.name), 0)));
        }
        server.losses = link.losses.iter().copied().collect();
        server.changes = link.changes.iter().copied().collect();
        server.lose.clone_from(&link.lose);
        server.counts_wait = true;
        server
    }

    /// When the whole backlog will have left.
    pub fn clear_at(&self) -> Time {
        self.paces.back().expect("a rate").clear_at()
    }

    /// Applies the rate changes that are due.
    pub fn change_rates(&mut self, now: Time) {
        while self.changes.front().is_some_and(|change| change.at_ps <= now) {
            let change = self.changes.pop_front().expect("looked at");
            self.paces.push_back(Pace::new(change.rate_bps, self.clear_at()));
        }
    }

    /// Returns whether the line randomly loses the packet that arrived last.
    pub fn loses_last(&mut self) -> bool {
        let leaves = self.clear_at();
        let Some((probability, stream)) = &mut self.loss else { return false };
        while self.losses.front().is_some_and(|change| change.at_ps <= leaves) {
            *probability = self.losses.pop_front().expect("looked at").loss;
        }
        *probability > 0.0 && stream.chance(*probability)
    }

    /// Returns the bytes sent until the queue is empty, at the rates under which they arrived.
    pub fn bytes(&self, now: Time) -> f64 {
        let (mut from, mut bytes) = (now, 0.0);
        let ends = self.paces.iter().skip(1).map(|pace| pace.busy_since).chain([self.clear_at()]);
        for (pace, to) in self.paces.iter().zip(ends) {
            bytes += seconds(to.saturating_sub(from)) * (pace.rate_bps as f64 / 8.0);
            from = from.max(to);
        }
        bytes
    }

    pub fn backlog(&self, now: Time) -> Backlog {
        let rate_bytes_s = self.paces.back().expect("a rate").rate_bps as f64 / 8.0;
        let waits = if self.queue.is_empty() { 0 } else { self.clear_at() - now };
        Backlog {
            now_s: seconds(now),
            packets: self.queue.len().saturating_sub(1) as f64,
            present: self.queue.len() as f64,
            bytes: if self.queue.is_empty() { 0.0 } else { self.bytes(now) },
            held_bytes: 0.0,
            wait_s: seconds(waits),
            idle_s: if self.queue.is_empty() { seconds(now - self.idle_at) } else { 0.0 },
            rate_bytes_s,
        }
    }

    /// Returns the state that a router sees. If the service of the first packet `begins`, that packet is excluded.
    pub fn seen(&self, now: Time, begins: bool) -> Backlog {
        let rest = if self.queue.is_empty() || begins { 0.0 } else { seconds(self.next_end() - now) };
        let waiting = self.queue.iter().skip(1);
        let (packets, held) =
            waiting.fold((0.0, 0.0), |sum, here| (sum.0 + 1.0, sum.1 + f64::from(here.packet.size)));
        let backlog = self.backlog(now);
        Backlog {
            packets,
            present: packets + if rest > 0.0 { 1.0 } else { 0.0 },
            bytes: held + rest * (self.serves_at() as f64 / 8.0),
            held_bytes: held,
            idle_s: if rest > 0.0 { 0.0 } else { seconds(now - self.idle_at) },
            ..backlog
        }
    }

    /// The rate at which the first packet is served, or would be.
    pub fn serves_at(&self) -> u128 {
        let busy = self.paces.iter().find(|pace| !pace.queued.is_empty());
        busy.or(self.paces.back()).expect("a rate").rate_bps
    }

    /// Data packets that wait behind the first one.
    pub fn data_waiting(&self) -> usize {
        self.data - self.queue.front().map_or(0, |first| usize::from(first.packet.is_data()))
    }

    pub fn pass(&mut self, now: Time) {
        self.watch.pass(now, self.queue.len().saturating_sub(1), self.data_waiting());
    }

    /// Returns the counts by now. A packet whose last bit leaves at this instant has left.
    pub fn seen_by(&mut self, now: Time) -> Seen {
        self.pass(now);
        let (Some(first), true) = (self.queue.front(), self.is_leaving(now)) else {
            let in_service = (!self.queue.is_empty()).then(|| (self.starts_at(), self.serves_at()));
            return self.watch.seen(now, in_service);
        };
        let mut watch = self.watch;
        watch.depart(first.packet.size, first.lost);
        watch.seen(now, None)
    }

    pub fn is_leaving(&self, now: Time) -> bool {
        !self.queue.is_empty() && self.next_end() == now
    }

    /// Data packets here that the line loses when they leave.
    pub fn doomed(&self, now: Time) -> usize {
        let here = self.queue.iter().skip(usize::from(self.is_leaving(now)));
        here.filter(|here| here.lost && here.packet.is_data()).count()
    }

    pub fn enter(&mut self, now: Time, here: Here) {
        self.pass(now);
        self.data += usize::from(here.packet.is_data());
        let pace = self.paces.back_mut().expect("a rate");
        if self.queue.is_empty() && now > self.idle_at {
            (pace.busy_since, pace.busy_bits) = (now, 0);
        }
        pace.queued.push_back(here.packet.size);
        self.queue.push_back(here);
    }

    pub fn admits(&self, now: Time) -> bool {
        let waits = if self.queue.is_empty() { 0 } else { self.clear_at() - now };
        let rate_bps = self.paces[0].rate_bps;
        let longest = self.bytes.map(|bytes| longest_wait(bytes, rate_bps));
        self.room.is_none_or(|room| self.queue.len() <= room)
            && longest.is_none_or(|longest| waits <= longest)
    }

    /// Departure of the packet in service.
    pub fn next_end(&self) -> Time {
        let pace = self.paces.iter().find(|pace| !pace.queued.is_empty()).expect("a packet in service");
        pace.end_of(pace.busy_bits + u128::from(self.queue[0].packet.size) * 8)
    }

    /// When the service of the first packet began.
    pub fn starts_at(&self) -> Time {
        let pace = self.paces.iter().find(|pace| !pace.queued.is_empty()).expect("a packet in service");
        pace.end_of(pace.busy_bits)
    }

    pub fn finish_first(&mut self) -> (Packet, bool) {
        let leaves = self.next_end();
        self.pass(leaves);
        let Here { packet, lost, .. } = self.queue.pop_front().expect("a packet in service");
        self.data -= usize::from(packet.is_data());
        self.watch.depart(packet.size, lost);
        while self.paces[0].queued.is_empty() {
            self.paces.pop_front();
        }
        let pace = &mut self.paces[0];
        pace.queued.pop_front();
        pace.busy_bits += u128::from(packet.size) * 8;
        self.idle_at = leaves;
        self.digest =
            (self.digest ^ leaves ^ u64::from(packet.address.0) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (packet.arriving(leaves + self.delay), lost)
    }
}

/// Returns the time that this many bytes take.
pub fn longest_wait(bytes: u64, rate_bps: u128) -> Time {
    (u128::from(bytes) * 8 * u128::from(SECOND)).div_ceil(rate_bps) as Time
}
