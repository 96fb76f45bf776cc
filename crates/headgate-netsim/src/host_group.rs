//! The hosts behind one router: their connections and their traffic. How flows begin and end is in `flows`.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

use crate::flow::Flow;
use crate::packet::{Kind, Packet};
use crate::prefetch::prefetch;
use crate::record::{EventKind, FlowRow, Status};
use crate::rows::row;
use crate::shared::Shared;
use crate::side_table::{NO_HEADER, SideTable};
use crate::sink::Sink;
use crate::timers::{Purpose, Timer};
use crate::traffic::Sources;

mod flows;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostGroup<L> {
    router: u32,
    pub flows: Vec<Flow<L>>,
    free_flows: Vec<u32>,
    /// Slots whose generations are used up, and when they may begin again.
    resting: VecDeque<(u32, Time)>,
    pub sinks: Vec<Sink>,
    free_sinks: Vec<u32>,
    /// Receivers by (sender, generation): a SYN that comes twice finds the first one's.
    connections: BTreeMap<(u32, u8), u32>,
    /// Slots of the connections that stay open between bursts, by their source.
    persistent: BTreeMap<u32, u32>,
    pub sources: Sources,
}

impl<L: ControllerRegistry> HostGroup<L> {
    pub fn router(&self) -> u32 {
        self.router
    }

    pub fn new(router: u32, sources: Sources) -> Self {
        Self {
            router,
            flows: Vec::new(),
            free_flows: Vec::new(),
            resting: VecDeque::new(),
            sinks: Vec::new(),
            free_sinks: Vec::new(),
            connections: BTreeMap::new(),
            persistent: BTreeMap::new(),
            sources,
        }
    }

    /// A packet will soon reach one of the hosts.
    #[inline]
    pub fn expect(&self, packet: &Packet, slot: usize) {
        match packet.kind() {
            Kind::Data => prefetch(&self.sinks, slot),
            Kind::Ack | Kind::SynAck => prefetch(&self.flows, slot),
            Kind::Syn => {}
        }
    }

    /// A packet reached one of the hosts.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if packet.header().is_some() {
            return self.on_packet_with_header(*packet, shared);
        }
        self.on_bare(packet, shared);
    }

    fn on_packet_with_header(&mut self, mut packet: Packet, shared: &mut Shared<L>) {
        let header = shared.side_table.take_off(&mut packet).unwrap_or(NO_HEADER);
        if shared.side_table.deliver_foreign(&packet, header) {
            shared.counters.segments_out += 1;
            return;
        }
        shared.header = header;
        self.on_bare(&packet, shared);
        let unread = std::mem::replace(&mut shared.header, NO_HEADER);
        shared.side_table.discard(unread);
    }

    /// A packet that has lost its header to `shared`, or has none.
    #[inline]
    fn on_bare(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        match packet.kind() {
            Kind::Data => self.on_data(packet, shared),
            Kind::Ack => self.on_ack(packet, shared),
            Kind::Syn => self.on_syn(packet, shared),
            Kind::SynAck => {
                if let Some(flow) = self.flow(packet, shared) {
                    flow.on_syn_ack(packet, shared);
                }
            }
        }
    }

    /// A timer of one of the hosts went off.
    pub fn on_timer(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        match timer.purpose {
            Purpose::Retransmit => self.on_retransmit(timer, shared),
            Purpose::Pace => {
                let flow = &mut self.flows[timer.id as usize];
                if flow.end.generation == timer.generation {
                    flow.on_timer(tcp::Timer::Pace, timer.time, shared);
                }
            }
            Purpose::DelayedAck => self.on_delayed_ack(timer, shared),
            Purpose::Source => self.wake(timer.id, shared),
            Purpose::Stop => self.on_stop(timer, shared),
            Purpose::Release => self.release(timer, shared),
            Purpose::Look => self.on_look(timer, shared),
            Purpose::Depart => unreachable!("a port's, not a host's"),
        }
    }

    /// The addressed flow, if it is still the one the packet means.
    #[inline]
    fn flow(&mut self, packet: &Packet, shared: &Shared<L>) -> Option<&mut Flow<L>> {
        let flow = self.flows.get_mut(shared.split.slot(packet.flow))?;
        (flow.end.generation == packet.generation).then_some(flow)
    }

    #[inline]
    fn on_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let Some(flow) = self.flow(packet, shared) else {
            shared.side_table.forget(packet);
            return;
        };
        if flow.on_ack(packet, shared) {
            self.finish(packet.flow, Status::Finished, shared);
        }
    }

    fn on_syn(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let known = self.connections.get(&(packet.sender(), packet.generation)).copied();
        if known.is_none() && packet.segments() == 0 {
            return; // a question by a flow that is over
        }
        let slot = known.unwrap_or_else(|| self.accept(packet, shared));
        let sink = &self.sinks[slot as usize];
        if sink.end.followed {
            sink.end.note_packet(EventKind::SynReceived, packet, shared);
        }
        let size = shared.profiles[sink.end.profile as usize].syn_bytes;
        let mut answer = sink.answer(packet, shared.now, size);
        if let Some(header) = shared.take_header() {
            shared.side_table.put_on(&mut answer, header);
        }
        sink.end.send(answer, shared);
    }

    /// A record for a new connection.
    fn accept(&mut self, packet: &Packet, shared: &Shared<L>) -> u32 {
        let slot = self.free_sinks.pop().unwrap_or(self.sinks.len() as u32);
        let address = shared.split.join(self.router as usize, slot as usize);
        let sink = Sink::accept(packet, address, &shared.profiles);
        match self.sinks.get_mut(slot as usize) {
            Some(place) => *place = sink,
            None => self.sinks.push(sink),
        }
        self.connections.insert((packet.sender(), packet.generation), slot);
        slot
    }

    #[inline]
    fn on_data(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        shared.counters.segments_out += 1;
        self.sinks[shared.split.slot(packet.flow)].on_data(packet, shared);
    }

    fn on_delayed_ack(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let sink = &mut self.sinks[timer.id as usize];
        if sink.end.generation == timer.generation {
            sink.on_timer(timer.time, shared);
        }
    }

    fn on_retransmit(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let flow = &mut self.flows[timer.id as usize];
        let due = flow.end.generation == timer.generation;
        if due && !flow.on_timer(tcp::Timer::Retransmit, timer.time, shared) {
            let address = flow.end.address;
            self.finish(address, Status::Failed, shared);
        }
    }

    fn release(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        if let Some(slot) = self.connections.remove(&(timer.id, timer.generation)) {
            self.sinks[slot as usize].forget(&mut shared.side_table);
            self.free_sinks.push(slot);
        }
    }

    /// The headers that receivers keep go from one side table to another.
    pub fn move_headers(&mut self, from: &mut SideTable, to: &mut SideTable) {
        for sink in &mut self.sinks {
            sink.header = from.move_headers(sink.header, to);
        }
    }

    /// Flows, and connections with bursts, that are under way.
    pub fn active(&self) -> impl Iterator<Item = &Flow<L>> {
        self.flows.iter().filter(|flow| flow.is_active())
    }

    /// The flow in a slot, while it is the one that a series follows as `trace`.
    pub fn flow_of(&self, slot: usize, trace: u32, shared: &Shared<L>) -> Option<&Flow<L>> {
        let of = |flow: &&Flow<L>| flow.is_open() && shared.setup.trace_of(flow.number) == Some(trace);
        self.flows.get(slot).filter(of)
    }

    /// Segments that have arrived here of a flow, by the address and generation of its sender.
    pub fn arrived(&self, sender: u32, generation: u8) -> u32 {
        let slot = self.connections.get(&(sender, generation));
        slot.map_or(0, |&slot| self.sinks[slot as usize].tcp.arrived())
    }

    /// Rows of the flows that are under way.
    pub fn open_rows<'a>(&'a self, shared: &'a Shared<L>) -> impl Iterator<Item = FlowRow> + 'a {
        let rows = move |flow: &'a Flow<L>| {
            let row = move |transfer| row(flow, &transfer, flow.status(), self.router, shared);
            flow.transfers().map(row)
        };
        self.active().flat_map(rows)
    }

    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.flows.iter_mut().map(|flow| &mut flow.tcp.controller)
    }

    /// Warm-up is over: what was delivered so far does not count.
    pub fn forget_delivered(&mut self) {
        self.flows.iter_mut().for_each(Flow::forget);
    }

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
    }
}
