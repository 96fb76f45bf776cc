//! A port that stores its packets. Its discipline chooses which packet leaves next, and can drop packets at
//! departure.
//!
//! Between two arrivals only departures, ticks and rate changes occur, all at known times.
//! [`QueuedPort::catch_up`] processes them in order when the next packet arrives or the window ends. They
//! need no events.

use headgate_model::chance::Stream;
use headgate_model::control::ControllerRegistry;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::{Feedback, Routers};
use headgate_model::plan::{Buffer, OutageQueue};
use headgate_model::queue::{Backlog, Discipline, TwoQueues, Verdict};
use headgate_model::units::{NEVER, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::context::PortContext;
use super::line::{Job, Line, Transmission};
use super::served::ServiceOrder;
use super::store::Store;
use super::wire::{Carried, Stage, Wire, pass_all};
use super::{BufferLimit, PortOccupancy, extend_digest};
use crate::packets::packet::Packet;
use crate::record::{EventKind, Tally};

/// A port that stores its packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct QueuedPort<L: ControllerRegistry> {
    line: Line,
    wire: Wire<L::Impairment>,
    /// Impairments that arrivals pass before the queue.
    ingress: Vec<Stage<L::Impairment>>,
    digest: u64,
    room: BufferLimit,
    store: Store,
    queue: ServiceOrder<L::Queue>,
    router: Option<L::Router>,
    chance: Stream,
    since: Time,
    /// Packets and bytes present when the tally began, and the time that they had waited by then,
    /// picoseconds.
    carried: (u64, u64),
    waited: u128,
    tally: Tally,
    /// The counts of a discipline with two queues when the tally began.
    queues_before: TwoQueues,
    /// Time that data packets waited before the discipline dropped them, picoseconds.
    dropped_wait: u128,
    /// The packet in service, if an outage will interrupt it, and the time that it waited.
    interrupted: Option<(Packet, Span)>,
    /// Packets that outages dropped or lost since the tally began.
    outage_losses: u64,
    /// When the last packet that an outage loses on the wire leaves the port.
    cut_leaves: Time,
    /// Time before which the discipline sends no packet.
    held_until: Time,
    /// Numbers in the store of the packets that the discipline drops. Scratch memory.
    #[serde(skip)]
    drops: Vec<u32>,
}

/// The devices of a port other than its queue discipline, built and ready to use.
#[derive(Clone, Debug)]
pub struct BuiltDevices<L: ControllerRegistry> {
    /// The path from the port to the other end of the link.
    pub wire: Wire<L::Impairment>,
    /// Impairments that arrivals pass before the queue.
    pub ingress: Vec<Stage<L::Impairment>>,
    /// Router feedback, if it is used.
    pub router: Option<L::Router>,
}

impl<L: ControllerRegistry> QueuedPort<L> {
    /// Creates a port with this buffer and line. Without a discipline, packets leave in order of arrival.
    pub fn new(
        room: Buffer,
        line: Line,
        queue: Option<L::Queue>,
        beside: BuiltDevices<L>,
        chance: Stream,
    ) -> Self {
        let BuiltDevices { wire, ingress, router } = beside;
        Self {
            line,
            wire,
            ingress,
            digest: 0,
            room: BufferLimit::from(room),
            store: Store::default(),
            queue: ServiceOrder::new(queue),
            router,
            chance,
            since: 0,
            carried: (0, 0),
            waited: 0,
            tally: Tally::default(),
            queues_before: TwoQueues::default(),
            dropped_wait: 0,
            interrupted: None,
            outage_losses: 0,
            cut_leaves: 0,
            held_until: 0,
            drops: Vec::new(),
        }
    }

    /// Returns the number of packets that wait, without the packet in service.
    pub fn queue(&self) -> usize {
        self.store.len()
    }

    /// Returns the queue discipline, if there is one.
    pub fn discipline_mut(&mut self) -> Option<&mut L::Queue> {
        self.queue.discipline_mut()
    }

    /// Counts the data packets that wait.
    pub fn waiting_data(&self) -> usize {
        self.store.data()
    }

    /// Counts the data packets that the port stores.
    pub fn held_data(&self) -> usize {
        self.waiting_data() + usize::from(self.interrupted.is_some_and(|(packet, _)| packet.is_data()))
    }

    /// Iterates over the packets that the port stores.
    pub fn held_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        self.store.packets_mut().chain(self.interrupted.iter_mut().map(|(packet, _)| packet))
    }

    /// Returns when the next transmission begins, or `NEVER` if no packet waits.
    pub fn next_departure(&self) -> Time {
        if self.queue() == 0 { NEVER } else { self.line.free_at().max(self.held_until) }
    }

    /// Receives a packet at `now`. Calls must come in time order.
    pub fn arrive(&mut self, now: Time, packet: &Packet, ctx: &mut PortContext) {
        self.catch_up(now + 1, ctx);
        self.tally.arrivals += 1;
        self.tally.arrived_bytes += u64::from(packet.size);
        if self.line.outages.drops_arrivals(now) {
            self.outage_losses += 1;
            return self.discard(now, packet, None, ctx);
        }
        let Some(passage) = pass_all(&mut self.ingress, &packet.passing(), now) else {
            return self.discard(now, packet, None, ctx);
        };
        let packet = &self.with_ecn(*packet, passage.ecn);
        let backlog = self.backlog(now);
        if let Some(router) = &mut self.router {
            let header = ctx.side_table.header_number(packet, router.scheme());
            let words = ctx.side_table.header_words(header).map(|words| &*words);
            router.on_arrival(&packet.passing(), words, &backlog);
        }
        let backlog = self.with_room(now, backlog, ctx);
        let verdict = self.verdict(packet, &backlog, ctx);
        if verdict == Verdict::Drop || !ctx.occupancy.reserve() {
            return self.discard(now, packet, None, ctx);
        }
        self.keep(now, packet, verdict == Verdict::Mark, &backlog, ctx);
        if self.next_departure() <= now {
            self.depart(now, ctx);
        }
    }

    fn is_full(&self, backlog: &Backlog) -> bool {
        backlog.present >= self.room.packets as f64
            || self.store.waiting_bytes() as f64 > self.room.bytes as f64
    }

    /// Lets the discipline make room for an arrival while the buffer is full. Returns the backlog
    /// afterwards.
    fn with_room(&mut self, now: Time, mut backlog: Backlog, ctx: &mut PortContext) -> Backlog {
        while self.is_full(&backlog) && self.queue.make_room(&backlog, &mut self.drops) {
            self.clear_drops(now, ctx);
            backlog = self.backlog(now);
        }
        backlog
    }

    fn verdict(&mut self, packet: &Packet, backlog: &Backlog, ctx: &PortContext) -> Verdict {
        if self.is_full(backlog) {
            return Verdict::Drop;
        }
        let arrival = if self.queue.reads_headers() { ctx.read_headers(packet) } else { packet.arrival() };
        self.queue.admit(&arrival, backlog, &mut self.chance)
    }

    fn keep(&mut self, now: Time, packet: &Packet, marked: bool, backlog: &Backlog, ctx: &mut PortContext) {
        self.tally.marks += u64::from(marked);
        let id = self.store.put(packet.marked(marked), now);
        self.note_kept(now, packet, marked, ctx);
        self.queue.enqueue(packet.queued(id, seconds(now)), backlog, &mut self.drops);
        self.clear_drops(now, ctx);
        let most = self.queue() as u64;
        if self.next_departure() > now && most > self.tally.max_queue {
            self.tally.max_queue = most;
        }
    }

    fn note_kept(&self, now: Time, packet: &Packet, marked: bool, ctx: &mut PortContext) {
        ctx.note((now, EventKind::Enqueued), packet, self.queue(), None);
        if marked {
            ctx.note((now, EventKind::Marked), &packet.marked(true), self.queue(), None);
        }
    }

    /// Takes a packet out of the store. Returns it with the time that it waited.
    fn release(&mut self, now: Time, id: u32, occupancy: &mut PortOccupancy) -> (Packet, Span) {
        occupancy.packets -= 1;
        let (packet, waited) = self.store.take(now, id);
        self.tally.wait_ps += u128::from(waited);
        (packet, waited)
    }

    fn clear_drops(&mut self, now: Time, ctx: &mut PortContext) {
        while let Some(id) = self.drops.pop() {
            let (packet, waited) = self.release(now, id, ctx.occupancy);
            self.dropped_wait += u128::from(waited * u64::from(packet.is_data()));
            self.discard(now, &packet, Some(waited), ctx);
        }
    }

    /// Counts and releases a dropped packet. `waited` is `None` for a packet that is dropped on arrival.
    fn discard(&mut self, now: Time, packet: &Packet, waited: Option<Span>, ctx: &mut PortContext) {
        ctx.note((now, EventKind::Dropped), packet, self.queue(), waited);
        self.tally.drops += 1;
        self.tally.dropped_bytes += u64::from(packet.size);
        ctx.counters.segments_dropped += u64::from(packet.is_data());
        ctx.side_table.forget(packet);
    }

    /// Processes all departures, ticks, rate changes and outages before `until`.
    pub fn catch_up(&mut self, until: Time, ctx: &mut PortContext) {
        while self.step(until, ctx) {}
    }

    /// Processes the next departure, tick, rate change or outage before `until`. Returns whether there was
    /// one.
    pub fn step(&mut self, until: Time, ctx: &mut PortContext) -> bool {
        let (departure, tick, change) = (self.next_departure(), self.next_tick(), self.line.next_change());
        let outage = self.line.outages.next_start();
        let next = departure.min(tick).min(change).min(outage);
        if next >= until {
            return false;
        }
        if change == next {
            self.line.change(change);
        } else if outage == next {
            self.begin_outage(outage, ctx);
        } else if tick == next {
            self.tick(tick);
        } else {
            self.depart(departure, ctx);
        }
        true
    }

    #[cold]
    fn begin_outage(&mut self, now: Time, ctx: &mut PortContext) {
        if self.line.outages.begin() == OutageQueue::Keep {
            return;
        }
        let before = self.tally.drops;
        if let Some((packet, waited)) = self.interrupted.take() {
            self.discard(now, &packet, Some(waited), ctx);
        }
        while let Some((id, _)) = self.queue.dequeue(&self.backlog(now), &mut self.drops, &mut self.chance) {
            self.drops.push(id);
            self.clear_drops(now, ctx);
        }
        self.clear_drops(now, ctx);
        self.outage_losses += self.tally.drops - before;
    }

    fn next_tick(&self) -> Time {
        self.router.as_ref().map_or(NEVER, L::Router::next_tick).min(self.queue.next_tick())
    }

    fn tick(&mut self, now: Time) {
        let backlog = self.backlog(now);
        if self.queue.next_tick() == now {
            self.queue.on_tick(&backlog);
        }
        if let Some(router) = self.router.as_mut().filter(|router| router.next_tick() == now) {
            router.on_tick(&backlog);
        }
    }

    /// The line is free: begins the next transmission.
    fn depart(&mut self, now: Time, ctx: &mut PortContext) {
        let backlog = self.backlog(now);
        if let Some((id, marked)) = self.queue.dequeue(&backlog, &mut self.drops, &mut self.chance) {
            self.held_until = self.queue.not_before();
            let (packet, waited) = self.release(now, id, ctx.occupancy);
            self.tally.marks += u64::from(marked);
            ctx.counters.wait_ps += u128::from(waited * u64::from(packet.is_data()));
            if marked {
                ctx.note((now, EventKind::Marked), &packet.marked(true), self.queue(), Some(waited));
            }
            self.transmit(now, packet.marked(marked), waited, ctx);
        }
        self.clear_drops(now, ctx);
    }

    fn transmit(&mut self, now: Time, packet: Packet, waited: Span, ctx: &mut PortContext) {
        if self.router.is_some() {
            self.write(&packet, now, ctx);
        }
        let leaves = match self.line.send(now, Job { size: packet.size, waited }) {
            Transmission::Leaves(leaves) => leaves,
            Transmission::Interrupted(_) => return self.interrupted = Some((packet, waited)),
        };
        ctx.counters.packet_hops += 1;
        self.digest = extend_digest(self.digest, leaves, packet.address);
        ctx.note((leaves, EventKind::Departed), &packet, self.queue(), Some(waited));
        match self.wire.carry(now, leaves, &packet.passing()) {
            Some(Carried { arrives, .. }) if self.line.outages.cuts(leaves, arrives) => {
                self.wire.cut(now, leaves, packet.is_data());
                (self.cut_leaves, self.outage_losses) = (leaves, self.outage_losses + 1);
                self.lose((leaves, waited), &packet, ctx);
            }
            Some(Carried { arrives, copies, ecn }) => {
                let packet = self.with_ecn(packet, ecn);
                self.deliver(arrives, copies, packet, ctx);
            }
            None => self.lose((leaves, waited), &packet, ctx),
        }
    }

    /// Returns a packet with the ECN field that an impairment has given it, if any.
    fn with_ecn(&mut self, mut packet: Packet, ecn: Option<Ecn>) -> Packet {
        if let Some(ecn) = ecn {
            self.tally.ecn_changes += u64::from(ecn != packet.ecn());
            packet.set_ecn(ecn);
        }
        packet
    }

    fn deliver(&mut self, arrives: Time, copies: u32, packet: Packet, ctx: &mut PortContext) {
        ctx.outgoing.push((arrives, packet));
        self.tally.copies += u64::from(copies);
        ctx.counters.segments_copied += u64::from(copies) * u64::from(packet.is_data());
        // Copies arrive a picosecond apart, so that their order does not depend on a sort.
        for k in 1..=u64::from(copies) {
            ctx.outgoing.push((arrives + k, ctx.side_table.copy(&packet)));
        }
    }

    fn lose(&mut self, (leaves, waited): (Time, Span), packet: &Packet, ctx: &mut PortContext) {
        self.tally.lost += 1;
        ctx.note((leaves, EventKind::LinkLoss), packet, self.queue(), Some(waited));
        ctx.counters.segments_dropped += u64::from(packet.is_data());
        ctx.side_table.forget(packet);
    }

    /// Lets the router write into the packet's header.
    fn write(&mut self, packet: &Packet, now: Time, ctx: &mut PortContext) {
        let backlog = self.backlog(now);
        if let Some(router) = &mut self.router {
            let header = ctx.side_table.header_number(packet, router.scheme());
            router.on_departure(&packet.passing(), ctx.side_table.header_words(header), &backlog);
        }
    }

    fn backlog(&self, at: Time) -> Backlog {
        let rate_bytes_s = self.line.rate_bytes_s();
        let (held_bytes, (free_s, idle_s)) = (self.store.waiting_bytes() as f64, self.line.times_s(at));
        Backlog {
            now_s: seconds(at),
            packets: self.queue() as f64,
            present: self.queue() as f64 + if self.line.until() > at { 1.0 } else { 0.0 },
            bytes: held_bytes + self.line.backlog(at),
            held_bytes,
            wait_s: free_s + held_bytes / rate_bytes_s,
            idle_s,
            rate_bytes_s,
        }
    }
}

mod counts;
#[cfg(test)]
mod tests;
