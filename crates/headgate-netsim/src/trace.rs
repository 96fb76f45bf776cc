//! Events of chosen flows and ports, as they happen: noted by each shard, handed out in order of time.
//!
//! A packet of a followed flow says so in its head, so that ports and receivers know, whatever shard they are in.

use headgate_model::control::{Controller, Window};
use headgate_model::units::{Span, Time, seconds};
use headgate_tcp::{Phase, Sender, context};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::observer::Observer;
use crate::packet::{Kind, Packet};
use crate::record::{Connection, Event, EventKind, NO_NUMBER};
use crate::side_table::SideTable;

/// What is traced: flows and links by their numbers in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    pub flows: BTreeSet<u32>,
    pub links: BTreeSet<u32>,
}

/// What a shard has noted and was not taken yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Chosen anew after each start, so it is not kept with the state.
    #[serde(skip)]
    pub followed: Arc<Followed>,
    /// Whether anything is traced: each hop asks.
    #[serde(skip)]
    on: bool,
    events: Vec<Event>,
    /// Connections that began, and those that ended and when.
    opened: Vec<Connection>,
    closed: Vec<(Time, (u32, u8))>,
}

impl Trace {
    /// The same for another shard, with nothing noted.
    pub fn new_empty(&self) -> Self {
        Self { followed: Arc::clone(&self.followed), on: self.on, ..Self::default() }
    }

    /// Whom somebody follows from now on; if nobody does, what was noted is forgotten.
    pub fn follow(&mut self, followed: &Arc<Followed>) {
        self.on = !(followed.flows.is_empty() && followed.links.is_empty());
        self.followed = Arc::clone(followed);
        if !self.on {
            *self = self.new_empty();
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
        self.opened.extend(other.opened);
        self.closed.extend(other.closed);
    }

    /// Packets and receivers that were followed say so still when nobody follows them any more.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether somebody follows a packet at the port of a link. Others pass at the price of this test.
    #[inline]
    pub fn sees(&self, packet: &Packet, link: u32) -> bool {
        self.on && (packet.is_followed() || self.followed.links.contains(&link))
    }

    /// Events that wait to be taken.
    #[inline]
    pub fn count(&self) -> usize {
        self.events.len()
    }

    pub fn note(&mut self, event: Event) {
        if self.is_on() {
            self.events.push(event);
        }
    }

    /// Whether somebody may see packets of a flow.
    pub fn shows(&self, flow: u32) -> bool {
        !self.followed.links.is_empty() || self.followed.flows.contains(&flow)
    }

    /// A connection began.
    pub fn open(&mut self, connection: Connection) {
        if self.shows(connection.flow) {
            self.opened.push(connection);
        }
    }

    /// A connection of a flow is over.
    pub fn close(&mut self, at: Time, flow: u32, sender: (u32, u8)) {
        if self.shows(flow) {
            self.closed.push((at, sender));
        }
    }

    /// The packet of the event that was noted last: TCP says that a segment leaves before it hands it out.
    pub fn describe_last(&mut self, packet: &Packet, side_table: &SideTable) {
        if let Some(event) = self.events.last_mut() {
            *event = describe(*event, packet, side_table);
        }
    }

    /// Adds a sender's state to its events from the one at `first` on.
    pub fn add_state<C: Controller>(&mut self, first: usize, sender: &Sender<C>) {
        self.events[first..].iter_mut().for_each(|event| *event = add_sender_state(*event, sender));
    }

    /// Where the events before `until` are, with their times and places.
    fn find(&self, until: Time) -> impl Iterator<Item = (Time, u32, u32)> {
        let events = self.events.iter().zip(0..);
        events.filter(move |(event, _)| event.time < until).map(|(event, at)| (event.time, event.place, at))
    }

    /// Forgets the events before `until`, which were told.
    fn forget(&mut self, until: Time) {
        self.events.retain(|event| event.time >= until);
    }
}

/// After this no packet of a connection that is over is left: a receiver outlives its sender by less, and no queue that
/// is meant holds a packet for a minute. Events of one that comes later lack the number of its flow.
const FORGOTTEN_AFTER: Span = 64 * headgate_model::units::SECOND;

/// The connections whose packets may be seen, by the addresses and generations of their senders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Connections {
    /// Each with whether an event of it was handed out.
    known: BTreeMap<(u32, u8), (Connection, bool)>,
    /// In the order of their ends.
    closed: BTreeSet<(Time, (u32, u8))>,
    /// Times and places of events, each with the shard that has it and where; empty, for its room. They are put in
    /// order in place of the events, of which they are a sixth.
    #[serde(skip)]
    order: Vec<(Time, u32, u32, u32)>,
}

impl Connections {
    /// A connection is under way: what is known of it stays.
    pub fn meet(&mut self, connection: Connection) {
        self.known.entry(connection.sender).or_insert((connection, false));
    }

    /// A connection begins.
    fn open(&mut self, connection: Connection) {
        self.known.insert(connection.sender, (connection, false));
    }

    /// Tells `observer` what shards noted before `until`: events in order of time, with the numbers of flows, and
    /// of each connection before its first one.
    pub fn report<'a>(
        &mut self,
        traces: impl Iterator<Item = &'a mut Trace>,
        until: Time,
        observer: &mut impl Observer,
    ) {
        let mut traces: Vec<&mut Trace> = traces.collect();
        let mut order = std::mem::take(&mut self.order);
        for (trace, shard) in traces.iter().zip(0..) {
            order.extend(trace.find(until).map(|(time, place, at)| (time, place, shard, at)));
        }
        order.sort(); // stable, as that makes use of the many parts that are in order; no two are equal
        let mut opened: Vec<Connection> =
            traces.iter_mut().flat_map(|trace| trace.opened.drain(..)).collect();
        opened.sort_by_key(|connection| connection.opened);
        let mut opened = opened.into_iter().peekable();
        for (time, _, shard, at) in order.drain(..) {
            while let Some(connection) = opened.next_if(|connection| connection.opened <= time) {
                self.open(connection);
            }
            let event = &mut traces[shard as usize].events[at as usize];
            if let Some(connection) = self.name(event) {
                observer.on_connection(&connection);
            }
            observer.on_event(event);
        }
        self.order = order;
        opened.for_each(|connection| self.open(connection));
        for trace in traces {
            self.closed.extend(trace.closed.drain(..));
            trace.forget(until);
        }
        self.forget(until);
    }

    /// Writes the number of its flow on an event; gives the connection if this is its first.
    fn name(&mut self, event: &mut Event) -> Option<Connection> {
        let (connection, told) = self.known.get_mut(&event.sender)?;
        event.flow = connection.flow;
        (!std::mem::replace(told, true)).then_some(*connection)
    }

    fn forget(&mut self, now: Time) {
        while let Some(&(at, sender)) = self.closed.first().filter(|end| end.0 + FORGOTTEN_AFTER < now) {
            self.closed.pop_first();
            if self.known.get(&sender).is_some_and(|(connection, _)| connection.opened <= at) {
                self.known.remove(&sender);
            }
        }
    }
}

/// Adds what a sender's state is to an event of it.
fn add_sender_state<C: Controller>(mut event: Event, sender: &Sender<C>) -> Event {
    event.cwnd = sender.window.cwnd;
    event.ssthresh = sender.window.ssthresh;
    event.pace = sender.window.pace;
    event.srtt_s = if sender.rtt.path.srtt_s > 0.0 { sender.rtt.path.srtt_s } else { f64::NAN };
    event.in_flight = f64::from(sender.flight());
    event.phase = sender.phase as u8;
    event
}

/// Adds what a packet is to an event of it.
pub fn describe(event: Event, packet: &Packet, side_table: &SideTable) -> Event {
    let (stamp, blocks) = side_table.facts(packet);
    describe_bare(event, packet, stamp, blocks)
}

/// The same of a packet whose SACK blocks were taken off.
pub fn describe_bare(event: Event, packet: &Packet, stamp: Option<u32>, blocks: context::Blocks) -> Event {
    Event {
        seq: packet.seq().unwrap_or(NO_NUMBER),
        size: u32::from(packet.size),
        stamp: stamp.unwrap_or(NO_NUMBER),
        packet: packet.kind() as u8,
        flags: packet.flags().0,
        ..event.with_blocks(blocks)
    }
}

/// The event of a packet that leaves an end of a connection, but for data, of which TCP tells.
pub fn leaving(packet: &Packet) -> Option<EventKind> {
    match packet.kind() {
        Kind::Syn => Some(EventKind::SynSent),
        Kind::SynAck => Some(EventKind::SynAckSent),
        Kind::Ack => Some(EventKind::AckSent),
        Kind::Data => None,
    }
}

/// What TCP observes: what happened, the sequence number, the round trip; what it only counts is no event.
pub fn translate(observed: context::Event) -> Option<(EventKind, u32, f64)> {
    Some(match observed {
        context::Event::Established => (EventKind::Established, NO_NUMBER, f64::NAN),
        context::Event::Sent { seq, again: false } => (EventKind::Sent, seq, f64::NAN),
        context::Event::Sent { seq, again: true } => (EventKind::Retransmitted, seq, f64::NAN),
        context::Event::Lost { seq } => (EventKind::Lost, seq, f64::NAN),
        context::Event::Timeout => (EventKind::Timeout, NO_NUMBER, f64::NAN),
        context::Event::Undone { .. } => (EventKind::Undone, NO_NUMBER, f64::NAN),
        context::Event::RttSample { rtt_s } => (EventKind::RttSample, NO_NUMBER, rtt_s),
        context::Event::Acknowledged { .. } | context::Event::DuplicateAck => return None,
    })
}

/// What may change at a sender while it handles an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    window: Window,
    phase: Phase,
}

impl SenderState {
    pub fn of<C>(sender: &Sender<C>) -> Self {
        Self { window: sender.window, phase: sender.phase }
    }

    /// What is different now.
    pub fn changes<C>(&self, sender: &Sender<C>) -> impl Iterator<Item = EventKind> {
        let window = (self.window != sender.window).then_some(EventKind::Window);
        let state = (self.phase != sender.phase).then_some(EventKind::State);
        window.into_iter().chain(state)
    }
}

/// A port where packets are followed, all or only those of followed flows.
pub struct PortTrace<'a> {
    pub trace: &'a mut Trace,
    pub link: u32,
    /// The first place of ports among those that order events of one instant.
    pub places: u32,
}

impl PortTrace<'_> {
    /// Something happened to a packet while so many waited, after it had waited itself.
    pub fn note(
        &mut self,
        (time, kind): (Time, EventKind),
        packet: &Packet,
        side_table: &SideTable,
        queue: usize,
        waited: Option<Span>,
    ) {
        if !self.trace.sees(packet, self.link) {
            return;
        }
        let event = Event::new(time, kind, packet.connection(), self.places + self.link);
        let (queue, wait_s) = (queue as f64, waited.map_or(f64::NAN, seconds));
        self.trace.note(describe(Event { link: self.link, queue, wait_s, ..event }, packet, side_table));
    }
}
