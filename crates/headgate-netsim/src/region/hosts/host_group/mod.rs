//! The hosts behind one router, with their connections and sources. The module `flows` begins and ends flows.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

use crate::packets::address::ConnectionId;
use crate::packets::index::{Address, RouterIndex, SourceIndex};
use crate::packets::packet::{Packet, PacketKind};
use crate::packets::prefetch::prefetch;
use crate::packets::side_table::{NO_HEADER, SideTable};
use crate::record::{EventKind, FlowRow, Status};
use crate::region::hosts::flow::Flow;
use crate::region::hosts::flow_rows::flow_row;
use crate::region::hosts::media::MediaHosts;
use crate::region::hosts::sink::Sink;
use crate::region::shard_state::ShardState;
use crate::time::timers::{Purpose, Timer};
use crate::traffic::Sources;

mod flows;

/// The hosts behind one router.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct HostGroup<L: ControllerRegistry> {
    router: RouterIndex,
    /// Senders, by slot.
    pub flows: Vec<Flow<L>>,
    free_flows: Vec<u32>,
    /// Slots whose generations are used up, and when they become free.
    quarantine: VecDeque<(u32, Time)>,
    /// Receivers, by slot.
    pub sinks: Vec<Sink>,
    free_sinks: Vec<u32>,
    /// Slots of receivers. A repeated SYN finds the receiver of the first one.
    connections: BTreeMap<ConnectionId, u32>,
    /// Slots of persistent connections, by their source.
    persistent: BTreeMap<SourceIndex, u32>,
    /// Sources of traffic.
    pub sources: Sources,
    /// Ends of streams of media, if there are any.
    pub media: Option<Box<MediaHosts<L::Media>>>,
}

impl<L: ControllerRegistry> HostGroup<L> {
    /// Returns the router of the hosts.
    pub fn router(&self) -> RouterIndex {
        self.router
    }

    /// Hosts with these sources and without flows.
    pub fn new(router: RouterIndex, sources: Sources) -> Self {
        Self {
            router,
            flows: Vec::new(),
            free_flows: Vec::new(),
            quarantine: VecDeque::new(),
            sinks: Vec::new(),
            free_sinks: Vec::new(),
            connections: BTreeMap::new(),
            persistent: BTreeMap::new(),
            sources,
            media: None,
        }
    }

    /// Loads the endpoint that a packet will soon reach into the cache.
    #[inline]
    pub fn prefetch(&self, packet: &Packet, slot: usize) {
        match packet.kind() {
            PacketKind::Data => prefetch(&self.sinks, slot),
            PacketKind::Ack | PacketKind::SynAck => prefetch(&self.flows, slot),
            PacketKind::Syn => {}
        }
    }

    /// A packet reached one of the hosts.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        if packet.header().is_some() {
            return self.on_packet_with_header(*packet, state);
        }
        self.on_bare(packet, state);
    }

    fn on_packet_with_header(&mut self, mut packet: Packet, state: &mut ShardState<L>) {
        let header = state.side_table.detach(&mut packet).unwrap_or(NO_HEADER);
        if state.side_table.deliver_foreign(&packet, header) {
            state.counters.segments_out += 1;
            return;
        }
        if self.media.as_mut().is_some_and(|media| media.on_packet(&packet, header, state)) {
            return;
        }
        state.header = header;
        self.on_bare(&packet, state);
        let unread = std::mem::replace(&mut state.header, NO_HEADER);
        state.side_table.discard(unread);
    }

    /// Handles a packet without a header, or whose header is in `state`.
    #[inline]
    fn on_bare(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        match packet.kind() {
            PacketKind::Data => self.on_data(packet, state),
            PacketKind::Ack => self.on_ack(packet, state),
            PacketKind::Syn => self.on_syn(packet, state),
            PacketKind::SynAck => {
                if let Some(flow) = self.flow(packet, state) {
                    flow.on_syn_ack(packet, state);
                }
            }
        }
    }

    /// A timer of one of the hosts expired.
    pub fn on_timer(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        match timer.purpose {
            Purpose::Retransmit => self.on_retransmit(timer, state),
            Purpose::Pace => {
                let flow = &mut self.flows[timer.id as usize];
                if flow.endpoint.generation == timer.generation {
                    flow.on_timer(tcp::Timer::Pace, timer.time, state);
                }
            }
            Purpose::DelayedAck => self.on_delayed_ack(timer, state),
            Purpose::Source => self.on_source(SourceIndex(timer.id), state),
            Purpose::Stop => self.on_stop(timer, state),
            Purpose::Pause => self.on_pause(timer, state),
            Purpose::Release => self.release(timer, state),
            Purpose::CheckPatience => self.check_patience(timer, state),
            Purpose::Capture | Purpose::SendMedia | Purpose::Report => {
                self.media.as_mut().expect("it has set a timer").on_timer(timer, state);
            }
            Purpose::Depart => unreachable!("a port's timer, not a host's"),
        }
    }

    /// Returns the flow that a packet is addressed to, unless its slot has been reused.
    #[inline]
    fn flow(&mut self, packet: &Packet, state: &ShardState<L>) -> Option<&mut Flow<L>> {
        let flow = self.flows.get_mut(state.split.slot(packet.address))?;
        (flow.endpoint.generation == packet.generation).then_some(flow)
    }

    #[inline]
    fn on_ack(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        let Some(flow) = self.flow(packet, state) else {
            state.side_table.forget(packet);
            return;
        };
        if flow.on_ack(packet, state) {
            self.finish(packet.address, Status::Finished, state);
        }
    }

    fn on_syn(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        let known = self.connections.get(&packet.connection()).copied();
        if known.is_none() && packet.segments() == 0 {
            return; // a flow that has ended only asks for a header
        }
        let slot = known.unwrap_or_else(|| self.accept(packet, state));
        let sink = &mut self.sinks[slot as usize];
        if sink.endpoint.is_followed {
            sink.endpoint.note_packet(EventKind::SynReceived, packet, state);
        }
        let mut answer = sink.answer(packet, state.now, &state.profiles);
        if let Some(header) = state.take_header() {
            state.side_table.attach(&mut answer, header);
        }
        sink.endpoint.send(answer, state);
    }

    /// Creates a receiver for a new connection. Returns its slot.
    fn accept(&mut self, packet: &Packet, state: &ShardState<L>) -> u32 {
        let slot = self.free_sinks.pop().unwrap_or(self.sinks.len() as u32);
        let address = state.split.join(self.router, slot as usize);
        let sink = Sink::accept(packet, address, &state.profiles);
        match self.sinks.get_mut(slot as usize) {
            Some(place) => *place = sink,
            None => self.sinks.push(sink),
        }
        self.connections.insert(packet.connection(), slot);
        slot
    }

    #[inline]
    fn on_data(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        state.counters.segments_out += 1;
        state.counters.segments_marked += u64::from(packet.ecn().is_marked());
        self.sinks[state.split.slot(packet.address)].on_data(packet, state);
    }

    fn on_delayed_ack(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let sink = &mut self.sinks[timer.id as usize];
        if sink.endpoint.generation == timer.generation {
            sink.on_timer(timer.time, state);
        }
    }

    fn on_retransmit(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let flow = &mut self.flows[timer.id as usize];
        let due = flow.endpoint.generation == timer.generation;
        if due && !flow.on_timer(tcp::Timer::Retransmit, timer.time, state) {
            let address = flow.endpoint.address;
            self.finish(address, Status::Failed, state);
        }
    }

    fn release(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        if let Some(slot) = self.connections.remove(&ConnectionId::new(Address(timer.id), timer.generation)) {
            self.sinks[slot as usize].release(&mut state.side_table);
            self.free_sinks.push(slot);
        }
    }

    /// Tells the sender at this address that its host has enough to send until a time.
    pub fn apply_backpressure(&mut self, address: Address, until: Time, state: &ShardState<L>) {
        match self.flows.get_mut(state.split.slot(address)) {
            Some(flow) => flow.tcp.apply_backpressure(until),
            None => {
                if let Some(media) = &mut self.media {
                    media.apply_backpressure(address, until, state);
                }
            }
        }
    }

    /// Moves the headers that receivers keep from one side table to another.
    pub fn move_headers(&mut self, from: &mut SideTable, to: &mut SideTable) {
        for sink in &mut self.sinks {
            sink.header = from.move_header(sink.header, to);
        }
    }

    /// Iterates over the active flows, and the connections with active bursts.
    pub fn active(&self) -> impl Iterator<Item = &Flow<L>> {
        self.flows.iter().filter(|flow| flow.is_active())
    }

    /// Returns the flow in a slot if it is open and has this position in the series.
    pub fn series_flow(&self, slot: usize, position: u32, state: &ShardState<L>) -> Option<&Flow<L>> {
        let of = |flow: &&Flow<L>| flow.is_open() && state.setup.series_place(flow.flow_id) == Some(position);
        self.flows.get(slot).filter(of)
    }

    /// Returns how many segments of a connection have arrived here.
    pub fn arrived(&self, connection: ConnectionId) -> u32 {
        let slot = self.connections.get(&connection);
        slot.map_or(0, |&slot| self.sinks[slot as usize].tcp.arrived())
    }

    /// Returns rows of the active flows.
    pub fn active_rows<'a>(&'a self, state: &'a ShardState<L>) -> impl Iterator<Item = FlowRow> + 'a {
        let rows = move |flow: &'a Flow<L>| {
            let row = move |transfer| flow_row(flow, &transfer, flow.status(), self.router, state);
            flow.transfers().map(row)
        };
        self.active().flat_map(rows)
    }

    /// Iterates over the congestion control algorithms of the flows.
    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.flows.iter_mut().map(|flow| &mut flow.tcp.controller)
    }

    /// Excludes deliveries so far from the results, because the warm-up has ended.
    pub fn reset_baselines(&mut self) {
        self.flows.iter_mut().for_each(Flow::reset_baseline);
    }

    /// Returns the memory of the group, bytes.
    pub fn bytes(&self) -> usize {
        let bursts = |flow: &Flow<L>| flow.bursts.as_ref().map_or(0, |bursts| bursts.bytes());
        let flows: usize = self.flows.iter().map(|flow| flow.tcp.extra_bytes() + bursts(flow)).sum();
        let sinks: usize = self.sinks.iter().map(|sink| sink.tcp.extra_bytes()).sum();
        flows
            + sinks
            + self.flows.capacity() * size_of::<Flow<L>>()
            + self.sinks.capacity() * size_of::<Sink>()
            + self.connections.len() * 16
            + self.persistent.len() * 8
            + self.sources.bytes()
            + self.media.as_ref().map_or(0, |media| media.bytes())
    }
}
