//! A region: routers and groups of hosts joined by short links, with their ports, flows, sources and
//! timers. Regions affect each other only between windows, so they run in any order, or at the same time.
//!
//! The declared order of simultaneous events is: packets before timers; packets by addressed endpoint, kind
//! and node; timers by host group, purpose and owner.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::packets::index::{NodeIndex, PortIndex, RegionIndex, RouterIndex};
use crate::packets::packet::Packet;
use crate::packets::side_table::SideTable;
use crate::port::Port;
use crate::region::fabric::{Fabric, NextHop, Origin};
use crate::region::hosts::host_group::HostGroup;
use crate::region::mail::CompletionNotice;
use crate::region::setup::Setup;
use crate::region::shard_state::ShardState;
use crate::region::shard_state::Workspace;
use crate::time::batch::{Batch, rank};
use crate::time::calendar::{Calendar, FilingResult};
use crate::time::intra_window::IntraWindow;
use crate::time::timer_queue::TimerQueue;
use crate::time::timers::{Purpose, Timer};

mod departures;

use departures::HoldingPort;

/// Events between two checks of whether to stop, about a millisecond.
const STRIDE: usize = 1024;

/// A region of the network.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Region<L: ControllerRegistry> {
    number: RegionIndex,
    nodes: Vec<NodeIndex>,
    /// Its routers, ports and host links.
    pub fabric: Fabric<L>,
    /// Its groups of hosts.
    pub groups: Vec<HostGroup<L>>,
    /// Its ports that act at departures.
    holding_ports: Vec<HoldingPort>,
    /// For each port its position among the holding ports, if it is one.
    holder_of: Vec<Option<u32>>,
    timers: TimerQueue,
    intra: IntraWindow,
    /// Packets taken from batches.
    pub events: u64,
    /// Time spent in windows that were timed.
    #[serde(skip)]
    pub work: Duration,
}

impl<L: ControllerRegistry> Region<L> {
    /// An empty region.
    pub fn new(number: RegionIndex, fabric: Fabric<L>) -> Self {
        Self {
            number,
            nodes: Vec::new(),
            fabric,
            groups: Vec::new(),
            holding_ports: Vec::new(),
            holder_of: Vec::new(),
            timers: TimerQueue::default(),
            intra: IntraWindow::default(),
            events: 0,
            work: Duration::ZERO,
        }
    }

    /// Adds a router, with links of these kinds to its hosts.
    pub fn add_router(&mut self, node: NodeIndex, hosts: &[u32]) {
        self.nodes.push(node);
        self.fabric.add_router(hosts);
    }

    /// Adds a group of hosts, with links of these kinds.
    pub fn add_group(&mut self, node: NodeIndex, group: HostGroup<L>, hosts: &[u32]) {
        self.nodes.push(node);
        self.fabric.add_hosts(hosts);
        self.groups.push(group);
    }

    /// Returns the index of the region.
    pub fn number(&self) -> RegionIndex {
        self.number
    }

    /// Returns its nodes.
    pub fn nodes(&self) -> &[NodeIndex] {
        &self.nodes
    }

    /// Processes all events before `until`, in the declared order. Returns false if it was stopped earlier
    /// or a limit was exceeded.
    pub fn run(
        &mut self,
        until: Time,
        workspace: &mut Workspace<L>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        if !workspace.batch.is_open() && !self.is_due(until, &workspace.calendar) {
            return true;
        }
        if !workspace.batch.is_open() {
            workspace.batch.load(&self.nodes, &mut workspace.calendar);
        }
        while !(self.run_events(until, workspace) && self.run_departures(until, workspace)) {
            if workspace.state.limit_exceeded.is_some() || !go_on() {
                return false;
            }
        }
        self.put_back(workspace);
        workspace.state.limit_exceeded.is_none()
    }

    /// Loads the packets and ports of the region into the cache before its turn. A region with few packets
    /// per window would otherwise wait for most of its memory.
    pub fn prefetch(&self, calendar: &Calendar) {
        self.nodes.iter().for_each(|&node| calendar.prefetch(node));
        self.fabric.prefetch_ports();
    }

    /// Returns whether anything happens before `until`.
    fn is_due(&self, until: Time, calendar: &Calendar) -> bool {
        self.nodes.iter().any(|&node| !calendar.is_empty(node))
            || self.timers.next < until
            || self.next_departure() < until
    }

    /// Returns when the next timer expires, or `NEVER`.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timers.next
    }

    /// Sets a timer.
    pub fn set_timer(&mut self, timer: Timer) {
        self.timers.set(timer);
    }

    /// Processes packets and timers, at most a stride of them. Returns true if none is left. This hot loop
    /// is a separate function because it runs 1 % slower inside the loop over strides.
    #[inline(never)]
    fn run_events(&mut self, until: Time, workspace: &mut Workspace<L>) -> bool {
        let mut batch = std::mem::take(&mut workspace.batch);
        let mut over = false;
        for _ in 0..STRIDE {
            let packet = batch.next_time(&workspace.calendar).min(self.intra.next_time());
            let timer = self.timers.next;
            over = packet.min(timer) >= until;
            if over {
                break;
            }
            if packet <= timer {
                let (node, packet) = self.take_packet(&mut batch, &workspace.calendar);
                self.prefetch_ahead(&batch, workspace);
                self.arrive(node, packet, workspace);
            } else {
                self.wake(workspace);
            }
        }
        workspace.batch = batch;
        over
    }

    /// Removes the next packet of the batch or of this window's arrivals. There must be one.
    #[inline]
    fn take_packet(&mut self, batch: &mut Batch, calendar: &Calendar) -> (NodeIndex, Packet) {
        self.events += 1;
        if !self.intra.is_empty() {
            let key = |next: (NodeIndex, &Packet)| (next.1.time, rank(next));
            if let Some(first) = self.intra.pop_before(batch.peek(calendar).map(key)) {
                return (first.node, first.packet);
            }
        }
        let (node, packet) = batch.peek(calendar).expect("there is a packet");
        batch.advance();
        (node, *packet)
    }

    /// Loads memory for an event that comes soon into the cache.
    #[inline]
    fn prefetch_ahead(&self, batch: &Batch, workspace: &Workspace<L>) {
        let Some((node, packet)) = batch.peek_ahead(&workspace.calendar) else { return };
        let setup = &*workspace.state.setup;
        let index = setup.places[node.index()].index as usize;
        workspace.state.side_table.prefetch(packet);
        if !setup.is_router(node) {
            self.groups[index].prefetch(packet, workspace.state.split.slot(packet.address));
            self.fabric.prefetch_uplink(index, packet);
        } else if workspace.state.split.router(packet.address).node() == node {
            self.fabric.prefetch_downlink(index, packet);
        }
    }

    /// A packet arrives at a router or a host.
    #[inline]
    fn arrive(&mut self, node: NodeIndex, mut packet: Packet, workspace: &mut Workspace<L>) {
        workspace.state.now = packet.time;
        let setup = &*workspace.state.setup;
        if !setup.is_router(node) {
            let group = setup.places[node.index()].index;
            return self.deliver(group as usize, &packet, workspace);
        }
        match self.fabric.forward(RouterIndex(node.0), &mut packet, &mut workspace.state) {
            NextHop::LocalHost => {
                let group = workspace.state.setup.hosts_of(RouterIndex(node.0)).index;
                self.deliver(group as usize, &packet, workspace);
            }
            step => self.send(step, &packet, workspace),
        }
    }

    #[inline(always)]
    fn deliver(&mut self, group: usize, packet: &Packet, workspace: &mut Workspace<L>) {
        self.groups[group].on_packet(packet, &mut workspace.state);
        self.flush(group, workspace);
    }

    fn wake(&mut self, workspace: &mut Workspace<L>) {
        let timer = self.timers.take();
        workspace.state.now = timer.time;
        if timer.purpose == Purpose::Depart {
            self.fabric.catch_up(PortIndex(timer.id), timer.time + 1, &mut workspace.state);
            return self.flush_port(PortIndex(timer.id), workspace);
        }
        let group = workspace.state.setup.hosts_of(timer.group).index as usize;
        self.groups[group].on_timer(&timer, &mut workspace.state);
        self.flush(group, workspace);
    }

    /// Carries out the requests that a host group's event left in the shard state.
    #[inline]
    fn flush(&mut self, group: usize, workspace: &mut Workspace<L>) {
        let mut outbox = std::mem::take(&mut workspace.state.outbox);
        let router = self.groups[group].router();
        for (host, packet) in &mut outbox {
            let origin = Origin { router, host: *host };
            let step = self.fabric.send_from_host(group, origin, packet, &mut workspace.state);
            self.send(step, packet, workspace);
        }
        outbox.clear();
        workspace.state.outbox = outbox;
        if !workspace.state.backpressured.is_empty() {
            self.apply_backpressure(group, &mut workspace.state);
        }
        if !workspace.state.timers.is_empty() {
            self.set_timers(workspace);
        }
        if !workspace.state.completed.is_empty() {
            self.report_completed(workspace);
        }
    }

    #[inline]
    fn send(&mut self, step: NextHop, packet: &Packet, workspace: &mut Workspace<L>) {
        let setup = &*workspace.state.setup;
        let (node, time) = match step {
            NextHop::Node(node, time) => (node, time),
            NextHop::Dropped => return workspace.state.side_table.forget(packet),
            NextHop::InPort(port) => return self.flush_port(port, workspace),
            NextHop::LocalHost => unreachable!("no host talks to another on its own router"),
        };
        match workspace.calendar.file(node, time, packet) {
            FilingResult::Filed => {}
            FilingResult::ThisWindow => self.intra.push(node, packet.arriving(time)),
            FilingResult::Elsewhere => {
                let to = (node, setup.places[node.index()].region);
                workspace.outbound.send(to, time, packet, &mut workspace.state.side_table);
            }
        }
    }

    fn set_timers(&mut self, workspace: &mut Workspace<L>) {
        for timer in workspace.state.timers.drain(..) {
            match workspace.state.setup.hosts_of(timer.group).region {
                here if here == self.number => self.timers.set(timer),
                region => workspace.outbound.set_timer(region, timer),
            }
        }
    }

    /// Tells the record of a sender that its receiver has everything. This is a measurement, not a packet.
    fn report_completed(&mut self, workspace: &mut Workspace<L>) {
        let mut completed = std::mem::take(&mut workspace.state.completed);
        for (connection, below) in completed.drain(..) {
            let note = CompletionNotice { connection, below, at: workspace.state.now };
            let setup = &workspace.state.setup;
            match setup.hosts_of(setup.split.router(connection.sender)).region {
                here if here == self.number => self.note_completed(note, setup),
                region => workspace.outbound.report_completed(region, note),
            }
        }
        workspace.state.completed = completed;
    }

    /// Notes at a flow of this region that its receiver has everything.
    pub fn note_completed(&mut self, note: CompletionNotice, setup: &Setup) {
        let group = setup.hosts_of(setup.split.router(note.connection.sender)).index;
        let flow = &mut self.groups[group as usize].flows[setup.split.slot(note.connection.sender)];
        if flow.endpoint.generation == note.connection.generation {
            flow.note_received(note.below, note.at);
        }
    }

    /// Tells senders that their host has enough to send.
    fn apply_backpressure(&mut self, group: usize, state: &mut ShardState<L>) {
        let mut backpressured = std::mem::take(&mut state.backpressured);
        for (address, until) in backpressured.drain(..) {
            self.groups[group].apply_backpressure(address, until, state);
        }
        state.backpressured = backpressured;
    }

    /// Returns the unprocessed packets of the window to the calendar.
    fn put_back(&mut self, workspace: &mut Workspace<L>) {
        workspace.batch.close(&mut workspace.calendar);
        for arrival in self.intra.drain() {
            workspace.calendar.put_back(arrival.node, &arrival.packet);
        }
    }

    /// Iterates over the queue disciplines of its ports.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.fabric.ports.iter_mut().filter_map(Port::discipline_mut)
    }

    /// Counts the packets that its ports store.
    pub fn held_packets(&mut self) -> usize {
        self.fabric.ports.iter_mut().map(|port| port.held_mut().count()).sum()
    }

    /// Moves what stored packets and receivers carry from one side table to another.
    pub fn move_side_entries(&mut self, from: &mut SideTable, to: &mut SideTable) {
        let held = self.fabric.ports.iter_mut().flat_map(Port::held_mut);
        held.for_each(|packet| from.move_meta(packet, to));
        self.groups.iter_mut().for_each(|group| group.move_headers(from, to));
    }

    /// Returns the memory of the region, bytes.
    pub fn bytes(&self) -> usize {
        let groups: usize = self.groups.iter().map(HostGroup::bytes).sum();
        self.fabric.bytes() + groups + self.timers.bytes() + self.intra.bytes()
    }
}
