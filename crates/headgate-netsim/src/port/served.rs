//! A port that holds its packets: a discipline says which one leaves next, and drops at departure too.
//!
//! Nothing happens here between two arrivals but departures and ticks, whose times are known. So they
//! are made up for when the next packet arrives or the window ends ([`Served::catch_up`]), in order, and
//! no event is needed for them.

use headgate_model::chance::Stream;
use headgate_model::feedback::{Feedback, Passing, Routers};
use headgate_model::plan::Link;
use headgate_model::queue::{Backlog, Discipline, Ticket, Verdict};
use headgate_model::units::{Busy, NEVER, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::loss::Loss;
use super::rates::Rates;
use super::ticks::TickCache;
use super::{Room, Tally, digested};
use crate::packet::{Head, Packet};
use crate::papers::Papers;
use crate::record::{Counters, PortRow};

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    packet: Packet,
    since: Time,
}

/// What a port needs of the world, and where departing packets go: with the time of their arrival.
pub struct Desk<'a> {
    pub counters: &'a mut Counters,
    pub papers: &'a mut Papers,
    pub leaving: &'a mut Vec<(Time, Packet)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Served<Q, R> {
    busy: Busy,
    ticks: TickCache,
    delay: Span,
    next_rate: Time,
    digest: u64,
    room: Room,
    /// Packets by ticket, and free places.
    store: Vec<Waiting>,
    free: Vec<u32>,
    queue: Q,
    router: Option<R>,
    chance: Stream,
    loss: Option<Box<Loss>>,
    rates: Rates,
    /// Bytes that wait.
    waiting_bytes: u64,
    since: Time,
    /// Packets and bytes here when the tally began.
    carried: (u64, u64),
    tally: Tally,
    /// Tickets that the discipline drops.
    #[serde(skip)]
    drops: Vec<u32>,
}

impl<Q: Discipline, R: Routers> Served<Q, R> {
    pub fn new(link: &Link, loss: Option<Box<Loss>>, queue: Q, router: Option<R>, chance: Stream) -> Self {
        let rates = Rates::new(link.rate_bps, &link.changes);
        Self {
            busy: Busy::default(),
            ticks: TickCache::new(link.rate_bps),
            delay: link.delay_ps,
            next_rate: rates.next(),
            digest: 0,
            room: Room::from(link.buffer),
            store: Vec::new(),
            free: Vec::new(),
            queue,
            router,
            chance,
            loss,
            rates,
            waiting_bytes: 0,
            since: 0,
            carried: (0, 0),
            tally: Tally::default(),
            drops: Vec::new(),
        }
    }

    /// Packets waiting, the one in service not counted.
    pub fn queue(&self) -> usize {
        self.store.len() - self.free.len()
    }

    /// Data packets among those that wait.
    pub fn held_data(&self) -> usize {
        let is_data = |place: u32| self.store[place as usize].packet.is_data();
        let free = self.free.iter().filter(|&&place| is_data(place)).count();
        self.store.iter().filter(|waiting| waiting.packet.is_data()).count() - free
    }

    /// When the next packet's transmission begins; never if none waits.
    pub fn next_departure(&self) -> Time {
        if self.queue() == 0 { NEVER } else { self.busy.until }
    }

    /// A packet arrives at `now`. Calls must come in time order.
    pub fn arrive(&mut self, now: Time, packet: &Packet, desk: &mut Desk) {
        self.catch_up(now + 1, desk);
        self.tally.arrivals += 1;
        self.tally.arrived_bytes += u64::from(packet.size);
        let backlog = self.backlog(now);
        if let Some(router) = &mut self.router {
            let label = desk.papers.number_of(packet, router.scheme());
            let words = desk.papers.words(label).map(|words| &*words);
            router.on_arrival(&packet.passing(), words, &backlog);
        }
        let backlog = self.with_room(now, backlog, desk);
        let verdict = self.verdict(packet, &backlog);
        if verdict == Verdict::Drop {
            return self.discard(packet, desk);
        }
        self.keep(now, packet, verdict == Verdict::Mark, &backlog, desk);
        if self.busy.until <= now {
            self.depart(now, desk);
        }
    }

    fn is_full(&self, backlog: &Backlog) -> bool {
        backlog.present >= self.room.packets as f64 || self.waiting_bytes as f64 > self.room.bytes as f64
    }

    /// The backlog after the discipline has made room for an arrival, if it does.
    fn with_room(&mut self, now: Time, mut backlog: Backlog, desk: &mut Desk) -> Backlog {
        while self.is_full(&backlog) && self.queue.make_room(&mut self.drops) {
            self.clear_drops(desk);
            backlog = self.backlog(now);
        }
        backlog
    }

    fn verdict(&mut self, packet: &Packet, backlog: &Backlog) -> Verdict {
        if self.is_full(backlog) {
            return Verdict::Drop;
        }
        self.queue.admit(&packet.offer(), backlog, &mut self.chance)
    }

    fn keep(&mut self, now: Time, packet: &Packet, marked: bool, backlog: &Backlog, desk: &mut Desk) {
        self.tally.marks += u64::from(marked);
        let waiting = Waiting { packet: packet.marked(marked), since: now };
        let id = self.free.pop().unwrap_or(self.store.len() as u32);
        match self.store.get_mut(id as usize) {
            Some(place) => *place = waiting,
            None => self.store.push(waiting),
        }
        self.waiting_bytes += u64::from(packet.size);
        self.queue.enqueue(packet.ticket(id, seconds(now)), backlog, &mut self.drops);
        self.clear_drops(desk);
        let most = self.queue() as u64;
        if self.busy.until > now && most > self.tally.max_queue {
            self.tally.max_queue = most;
        }
    }

    /// Takes a packet out of the store.
    fn release(&mut self, id: u32) -> Waiting {
        self.free.push(id);
        let waiting = self.store[id as usize];
        self.waiting_bytes -= u64::from(waiting.packet.size);
        waiting
    }

    fn clear_drops(&mut self, desk: &mut Desk) {
        while let Some(id) = self.drops.pop() {
            let packet = self.release(id).packet;
            self.discard(&packet, desk);
        }
    }

    fn discard(&mut self, packet: &Packet, desk: &mut Desk) {
        self.tally.drops += 1;
        self.tally.dropped_bytes += u64::from(packet.size);
        desk.counters.segments_dropped += u64::from(packet.is_data());
        desk.papers.forget(packet);
    }

    /// All departures and ticks before `until`.
    pub fn catch_up(&mut self, until: Time, desk: &mut Desk) {
        loop {
            let (departure, tick) = (self.next_departure(), self.next_tick());
            if departure.min(tick) >= until {
                return;
            }
            if tick <= departure {
                self.tick(tick);
            } else {
                self.depart(departure, desk);
            }
        }
    }

    fn next_tick(&self) -> Time {
        self.router.as_ref().map_or(NEVER, R::next_tick).min(self.queue.next_tick())
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

    /// The line is free: the next packet's transmission begins.
    fn depart(&mut self, now: Time, desk: &mut Desk) {
        if now >= self.next_rate {
            self.change_rate(now);
        }
        let backlog = self.backlog(now);
        if let Some((id, marked)) = self.queue.dequeue(&backlog, &mut self.drops) {
            let Waiting { packet, since } = self.release(id);
            self.tally.marks += u64::from(marked);
            self.transmit(now, since, packet.marked(marked), desk);
        }
        self.clear_drops(desk);
    }

    fn transmit(&mut self, now: Time, since: Time, packet: Packet, desk: &mut Desk) {
        let waited = u128::from(now - since);
        self.tally.wait_ps += waited;
        desk.counters.packet_hops += 1;
        desk.counters.wait_ps += if packet.is_data() { waited } else { 0 };
        if self.router.is_some() {
            self.write(&packet, now, desk);
        }
        let leaves = self.busy.serve(now, self.ticks.tick(packet.size), self.ticks.den());
        self.digest = digested(self.digest, leaves, packet.flow);
        if self.loss.as_mut().is_some_and(|loss| loss.takes_next()) {
            self.tally.lost += 1;
            desk.counters.segments_dropped += u64::from(packet.is_data());
            return desk.papers.forget(&packet);
        }
        desk.leaving.push((leaves.saturating_add(self.delay), packet));
    }

    /// The router writes into the packet's label.
    fn write(&mut self, packet: &Packet, now: Time, desk: &mut Desk) {
        let backlog = self.backlog(now);
        if let Some(router) = &mut self.router {
            let label = desk.papers.number_of(packet, router.scheme());
            router.on_departure(&packet.passing(), desk.papers.words(label), &backlog);
        }
    }

    #[cold]
    fn change_rate(&mut self, now: Time) {
        self.rates.change(now, self.busy.until);
        self.next_rate = self.rates.next();
        self.ticks = TickCache::new(self.rates.bps);
        self.busy.change_pace();
    }

    fn backlog(&self, at: Time) -> Backlog {
        let rate_bytes_s = self.rates.bps as f64 / 8.0;
        let rest = seconds(self.busy.until.saturating_sub(at));
        Backlog {
            now_s: seconds(at),
            packets: self.queue() as f64,
            present: self.queue() as f64 + if rest > 0.0 { 1.0 } else { 0.0 },
            bytes: self.waiting_bytes as f64 + rest * rate_bytes_s,
            held_bytes: self.waiting_bytes as f64,
            idle_s: seconds(at.saturating_sub(self.busy.until)),
            rate_bytes_s,
        }
    }

    /// Packets and bytes here at `now`, the part of the one in service that is still to be sent included.
    fn present(&self, now: Time) -> (u64, u64) {
        let rest = self.busy.until.saturating_sub(now);
        let packets = self.queue() as u64 + u64::from(rest > 0);
        (packets, self.waiting_bytes + self.ticks.bytes(rest))
    }

    /// Starts counting afresh at `now`.
    pub fn reset(&mut self, now: Time) {
        self.rates.reset(now);
        self.carried = self.present(now);
        self.since = now;
        self.tally = Tally { max_queue: self.queue() as u64, ..Tally::default() };
    }

    /// What happened since the tally began.
    pub fn row(&mut self, now: Time) -> PortRow {
        if now >= self.next_rate && self.queue() == 0 {
            self.change_rate(now);
        }
        let present = self.present(now);
        let (departures, sent_bytes) = self.tally.left(self.carried, present);
        let rate_bps = self.rates.mean(self.since, now);
        PortRow { tally: self.tally, departures, sent_bytes, rate_bps, elapsed: now - self.since }
    }

    /// What the router shows of itself, or else the discipline.
    pub fn gauge(&self) -> f64 {
        let router = self.router.as_ref().and_then(Feedback::gauge);
        router.or_else(|| self.queue.gauge()).map_or(f64::NAN, |gauge| gauge.1)
    }

    pub fn digest(&self) -> u64 {
        self.digest
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.store.capacity() * size_of::<Waiting>()
    }
}

impl Packet {
    fn passing(&self) -> Passing {
        Passing { size_bytes: u32::from(self.size), data: self.is_data() }
    }

    fn ticket(&self, id: u32, since_s: f64) -> Ticket {
        let (offer, size_bytes) = (self.offer(), u32::from(self.size));
        Ticket { id, size_bytes, flow: offer.flow, capable: offer.capable, since_s }
    }

    fn marked(self, marked: bool) -> Self {
        Self { head: self.head.with(Head::MARKED, marked), ..self }
    }
}
