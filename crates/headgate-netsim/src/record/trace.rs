//! Traced events of chosen flows and ports. Each shard records them; [`Connections::report`] reports them
//! in order of time.
//!
//! A bit in the head of a packet says that its flow is traced, so ports and receivers in other shards know.

use headgate_model::control::{Controller, Window};
use headgate_model::units::{Span, Time, seconds};
use headgate_tcp::{Phase, Sender, context};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::packets::address::ConnectionId;
use crate::packets::index::{FlowId, LinkIndex};
use crate::packets::packet::{Packet, PacketKind};
use crate::packets::side_table::SideTable;
use crate::record::observer::Observer;
use crate::record::{Connection, Event, EventKind, NO_NUMBER};

/// The flows and links to trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSelection {
    /// Flows, as the results number them.
    pub flows: BTreeSet<FlowId>,
    /// Links, in the order of the plan.
    pub links: BTreeSet<LinkIndex>,
}

/// The events of a shard that were not reported yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Chosen again after each start, so snapshots omit it.
    #[serde(skip)]
    pub selection: Arc<TraceSelection>,
    /// Whether anything is traced. Each hop checks this.
    #[serde(skip)]
    on: bool,
    events: Vec<Event>,
    /// Connections that were opened.
    opened: Vec<Connection>,
    /// Connections that were closed, and when.
    closed: Vec<(Time, ConnectionId)>,
}

impl Trace {
    /// The trace of another shard, without events.
    pub fn new_empty(&self) -> Self {
        Self { selection: Arc::clone(&self.selection), on: self.on, ..Self::default() }
    }

    /// Changes what is traced. If it is nothing, recorded events are discarded.
    pub fn follow(&mut self, selection: &Arc<TraceSelection>) {
        self.on = !(selection.flows.is_empty() && selection.links.is_empty());
        self.selection = Arc::clone(selection);
        if !self.on {
            *self = self.new_empty();
        }
    }

    /// Appends the events of another shard.
    pub fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
        self.opened.extend(other.opened);
        self.closed.extend(other.closed);
    }

    /// Returns whether anything is traced. Packets and receivers may still carry the bit after tracing has
    /// ended.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Returns whether a packet at the port of a link is traced. Other packets pay only for this test.
    #[inline]
    pub fn covers(&self, packet: &Packet, link: LinkIndex) -> bool {
        self.on && (packet.is_followed() || self.selection.links.contains(&link))
    }

    /// Returns the number of unreported events.
    #[inline]
    pub fn count(&self) -> usize {
        self.events.len()
    }

    /// Records an event, if anything is traced.
    pub fn record(&mut self, event: Event) {
        if self.is_on() {
            self.events.push(event);
        }
    }

    /// Returns whether packets of a flow may be traced.
    pub fn covers_flow(&self, flow: FlowId) -> bool {
        !self.selection.links.is_empty() || self.selection.flows.contains(&flow)
    }

    /// Records that a connection opened.
    pub fn open(&mut self, connection: Connection) {
        if self.covers_flow(FlowId(connection.flow)) {
            self.opened.push(connection);
        }
    }

    /// Records that a connection closed.
    pub fn close(&mut self, at: Time, flow: FlowId, connection: ConnectionId) {
        if self.covers_flow(flow) {
            self.closed.push((at, connection));
        }
    }

    /// Adds a packet to the last event: TCP reports a segment before it hands the packet out.
    pub fn describe_last(&mut self, packet: &Packet, side_table: &SideTable) {
        if let Some(event) = self.events.last_mut() {
            *event = with_packet(*event, packet, side_table);
        }
    }

    /// Adds the state of a sender to its events from the one at `first` on.
    pub fn add_state<C: Controller>(&mut self, first: usize, sender: &Sender<C>) {
        self.events[first..].iter_mut().for_each(|event| *event = add_sender_state(*event, sender));
    }

    /// Returns the times, places and positions of the events before `until`.
    fn find(&self, until: Time) -> impl Iterator<Item = (Time, u32, u32)> {
        let events = self.events.iter().zip(0..);
        events.filter(move |(event, _)| event.time < until).map(|(event, at)| (event.time, event.place, at))
    }

    /// Discards the events before `until`, which were reported.
    fn forget(&mut self, until: Time) {
        self.events.retain(|event| event.time >= until);
    }
}

/// After this time no packet of a closed connection is left: a receiver outlives its sender by less, and no
/// realistic queue stores a packet for a minute. A later event lacks the number of its flow.
const FORGOTTEN_AFTER: Span = 64 * headgate_model::units::SECOND;

/// The connections whose packets may be traced.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Connections {
    /// Each connection, and whether an event of it was reported.
    known: BTreeMap<ConnectionId, (Connection, bool)>,
    /// Closed connections, in the order of their ends.
    closed: BTreeSet<(Time, ConnectionId)>,
    /// Times and places of events, each with its shard and its position there. Kept empty, to reuse its
    /// memory. Sorting these moves a sixth of the bytes that sorting the events would.
    #[serde(skip)]
    order: Vec<(Time, u32, u32, u32)>,
}

impl Connections {
    /// Adds a connection that is already open, unless it is known.
    pub fn add_existing(&mut self, connection: Connection) {
        self.known.entry(connection.connection).or_insert((connection, false));
    }

    /// Adds a connection that opens.
    fn open(&mut self, connection: Connection) {
        self.known.insert(connection.connection, (connection, false));
    }

    /// Reports the events before `until` to `observer`, in order of time and with flow numbers. Each
    /// connection is reported before its first event.
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
        // A stable sort is faster here because it uses the many sorted runs. No two entries are equal.
        order.sort();
        let mut opened: Vec<Connection> =
            traces.iter_mut().flat_map(|trace| trace.opened.drain(..)).collect();
        opened.sort_by_key(|connection| connection.opened);
        let mut opened = opened.into_iter().peekable();
        for (time, _, shard, at) in order.drain(..) {
            while let Some(connection) = opened.next_if(|connection| connection.opened <= time) {
                self.open(connection);
            }
            let event = &mut traces[shard as usize].events[at as usize];
            if let Some(connection) = self.assign_flow(event) {
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

    /// Writes the flow number into an event. Returns the connection if this is its first event.
    fn assign_flow(&mut self, event: &mut Event) -> Option<Connection> {
        let (connection, was_reported) = self.known.get_mut(&event.connection)?;
        event.flow = connection.flow;
        (!std::mem::replace(was_reported, true)).then_some(*connection)
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

/// Adds the state of a sender to an event.
fn add_sender_state<C: Controller>(mut event: Event, sender: &Sender<C>) -> Event {
    event.cwnd = sender.window.cwnd;
    event.ssthresh = sender.window.ssthresh;
    event.pace = sender.window.pace;
    event.srtt_s = if sender.rtt.path.srtt_s > 0.0 { sender.rtt.path.srtt_s } else { f64::NAN };
    event.in_flight = f64::from(sender.flight());
    event.phase = sender.phase as u8;
    event
}

/// Adds the fields of a packet to an event.
pub fn with_packet(event: Event, packet: &Packet, side_table: &SideTable) -> Event {
    let (stamp, blocks) = side_table.timestamp_and_blocks(packet);
    with_packet_fields(event, &side_table.without_header(packet), stamp, blocks)
}

/// Adds the fields of a packet whose SACK blocks were already removed.
pub fn with_packet_fields(
    event: Event,
    packet: &Packet,
    stamp: Option<u32>,
    blocks: context::Blocks,
) -> Event {
    Event {
        seq: packet.seq().unwrap_or(NO_NUMBER),
        size: u32::from(packet.size),
        stamp: stamp.unwrap_or(NO_NUMBER),
        packet: packet.kind() as u8,
        flags: packet.flags().0,
        ..event.with_blocks(blocks)
    }
}

/// Returns the event for a packet that leaves an endpoint. TCP itself reports data packets.
pub fn departure_event(packet: &Packet) -> Option<EventKind> {
    match packet.kind() {
        PacketKind::Syn => Some(EventKind::SynSent),
        PacketKind::SynAck => Some(EventKind::SynAckSent),
        PacketKind::Ack => Some(EventKind::AckSent),
        PacketKind::Data => None,
    }
}

/// Converts an observation of TCP into an event: its kind, sequence number and round trip. Returns `None`
/// for observations that are only counted.
pub fn traced_event(observed: context::Event) -> Option<(EventKind, u32, f64)> {
    Some(match observed {
        context::Event::Established => (EventKind::Established, NO_NUMBER, f64::NAN),
        context::Event::Sent { seq, again: false } => (EventKind::Sent, seq, f64::NAN),
        context::Event::Sent { seq, again: true } => (EventKind::Retransmitted, seq, f64::NAN),
        context::Event::Lost { seq } => (EventKind::Lost, seq, f64::NAN),
        context::Event::Timeout => (EventKind::Timeout, NO_NUMBER, f64::NAN),
        context::Event::Undone { .. } => (EventKind::Undone, NO_NUMBER, f64::NAN),
        context::Event::Marked => (EventKind::Echoed, NO_NUMBER, f64::NAN),
        context::Event::RttSample { rtt_s } => (EventKind::RttSample, NO_NUMBER, rtt_s),
        context::Event::Acknowledged { .. } | context::Event::DuplicateAck => return None,
    })
}

/// The state of a sender that may change while it handles an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    window: Window,
    phase: Phase,
}

impl SenderState {
    /// The current state of a sender.
    pub fn of<C>(sender: &Sender<C>) -> Self {
        Self { window: sender.window, phase: sender.phase }
    }

    /// Returns events for what has changed since.
    pub fn changes<C>(&self, sender: &Sender<C>) -> impl Iterator<Item = EventKind> {
        let window = (self.window != sender.window).then_some(EventKind::Window);
        let state = (self.phase != sender.phase).then_some(EventKind::State);
        window.into_iter().chain(state)
    }
}

/// The trace at one port.
pub struct PortTrace<'a> {
    /// The trace of the shard.
    pub trace: &'a mut Trace,
    /// The port's link.
    pub link: LinkIndex,
    /// The place of the first link among those that order events of one instant.
    pub places: u32,
}

impl PortTrace<'_> {
    /// Records an event of a packet. `queue` packets wait; the packet itself has waited for `waited`,
    /// picoseconds.
    pub fn record(
        &mut self,
        (time, kind): (Time, EventKind),
        packet: &Packet,
        side_table: &SideTable,
        queue: usize,
        waited: Option<Span>,
    ) {
        if !self.trace.covers(packet, self.link) {
            return;
        }
        let event = Event::new(time, kind, packet.connection(), self.places + self.link.0);
        let (queue, wait_s) = (queue as f64, waited.map_or(f64::NAN, seconds));
        self.trace.record(with_packet(
            Event { link: self.link.0, queue, wait_s, ..event },
            packet,
            side_table,
        ));
    }
}
