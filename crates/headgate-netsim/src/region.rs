//! A region: routers and groups of hosts joined by short links, and everything of theirs. Between two
//! windows it hears of the others, and within one of nobody: so regions run in any order, or at once.
//!
//! The declared order of simultaneous events: packets before timers; packets by addressed endpoint,
//! kind and node, timers by host group, purpose and owner.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::batch::{Batch, rank};
use crate::calendar::{Calendar, Filed};
use crate::fabric::{Fabric, Origin, Step};
use crate::host_group::HostGroup;
use crate::intra_window::IntraWindow;
use crate::mail::Completed;
use crate::packet::Packet;
use crate::port::Port;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::side_table::SideTable;
use crate::timers::{Purpose, Timer};
use crate::workspace::Workspace;

/// Events between two checks of whether to stop: about a millisecond.
const STRIDE: usize = 1024;

/// A port that acts at departures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Holder {
    port: u32,
    /// Its packets arrive within the window in which they leave: each departure needs a timer.
    short: bool,
    /// The departure for which a timer was set last.
    armed: Time,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Region<L: ControllerRegistry> {
    number: u32,
    nodes: Vec<u32>,
    pub fabric: Fabric<L>,
    pub groups: Vec<HostGroup<L>>,
    holders: Vec<Holder>,
    /// Of each port, if it acts at departures, its place among the holders.
    holder_of: Vec<Option<u32>>,
    timers: Agenda,
    intra: IntraWindow,
    /// Packets taken from the batch.
    pub events: u64,
    /// The time that it took in windows that were timed.
    #[serde(skip)]
    pub work: Duration,
}

impl<L: ControllerRegistry> Region<L> {
    pub fn new(number: u32, fabric: Fabric<L>) -> Self {
        Self {
            number,
            nodes: Vec::new(),
            fabric,
            groups: Vec::new(),
            holders: Vec::new(),
            holder_of: Vec::new(),
            timers: Agenda::default(),
            intra: IntraWindow::default(),
            events: 0,
            work: Duration::ZERO,
        }
    }

    /// A router joins, with links of these kinds to its hosts.
    pub fn add_router(&mut self, node: u32, hosts: &[u32]) {
        self.nodes.push(node);
        self.fabric.add_router(hosts);
    }

    /// A group of hosts joins.
    pub fn add_group(&mut self, node: u32, group: HostGroup<L>, hosts: &[u32]) {
        self.nodes.push(node);
        self.fabric.add_hosts(hosts);
        self.groups.push(group);
    }

    /// A link from one of the routers joins.
    pub fn add_port(&mut self, link: u32, end: u32, port: Port<L>, delay: Span, lookahead: Span) {
        let number = self.fabric.ports.len() as u32;
        let holds = !matches!(port, Port::Analytic(_));
        self.holder_of.push(holds.then_some(self.holders.len() as u32));
        self.holders.extend(holds.then_some(Holder { port: number, short: delay < lookahead, armed: NEVER }));
        self.fabric.add_port(link, end, port);
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Everything that happens before `until`, in the declared order; it says no if it was stopped within or asks for
    /// too much.
    pub fn run(&mut self, until: Time, space: &mut Workspace<L>, go_on: &mut dyn FnMut() -> bool) -> bool {
        if !space.batch.is_open() && !self.is_due(until, &space.calendar) {
            return true;
        }
        if !space.batch.is_open() {
            space.batch.load(&self.nodes, &mut space.calendar);
        }
        while !(self.run_events(until, space) && self.run_departures(until, space)) {
            if space.shared.excess.is_some() || !go_on() {
                return false;
            }
        }
        self.put_back(space);
        space.shared.excess.is_none()
    }

    /// Its turn comes soon: warms the cache. In a region with few packets a window, most of what it touches would be
    /// waited for.
    pub fn expect(&self, calendar: &Calendar) {
        self.nodes.iter().for_each(|&node| calendar.expect(node as usize));
        self.fabric.expect_ports();
    }

    /// Whether anything happens before `until`.
    fn is_due(&self, until: Time, calendar: &Calendar) -> bool {
        self.nodes.iter().any(|&node| !calendar.is_empty(node as usize))
            || self.timers.next < until
            || self.next_departure() < until
    }

    /// When a port next acts at a departure.
    #[inline]
    pub fn next_departure(&self) -> Time {
        let departures = self.holders.iter().map(|holder| self.fabric.next_departure(holder.port));
        departures.min().unwrap_or(NEVER)
    }

    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timers.next
    }

    pub fn set_timer(&mut self, timer: Timer) {
        self.timers.set(timer);
    }

    /// Packets and timers, at most a stride of them; true when none is left. The hot loop is a function of its
    /// own: within the loop over strides it costs a hundredth more.
    #[inline(never)]
    fn run_events(&mut self, until: Time, space: &mut Workspace<L>) -> bool {
        let mut batch = std::mem::take(&mut space.batch);
        let mut over = false;
        for _ in 0..STRIDE {
            let packet = batch.next_time(&space.calendar).min(self.intra.next_time());
            let timer = self.timers.next;
            over = packet.min(timer) >= until;
            if over {
                break;
            }
            if packet <= timer {
                let (node, packet) = self.take_packet(&mut batch, &space.calendar);
                self.anticipate(&batch, space);
                self.arrive(node as usize, packet, space);
            } else {
                self.wake(space);
            }
        }
        space.batch = batch;
        over
    }

    /// The next packet of the batch or of this window's; there is one.
    #[inline]
    fn take_packet(&mut self, batch: &mut Batch, calendar: &Calendar) -> (u32, Packet) {
        self.events += 1;
        if !self.intra.is_empty() {
            let key = |next: (u32, &Packet)| (next.1.time, rank(next));
            if let Some(first) = self.intra.pop_before(batch.next(calendar).map(key)) {
                return (first.node, first.packet);
            }
        }
        let (node, packet) = batch.next(calendar).expect("there is a packet");
        batch.pass();
        (node, *packet)
    }

    /// What leaves its ports at last, at most a stride from each; true when nothing is left.
    fn run_departures(&mut self, until: Time, space: &mut Workspace<L>) -> bool {
        let mut over = true;
        for at in 0..self.holders.len() {
            let port = self.holders[at].port;
            over &= self.fabric.catch_up_in_part(port, until, STRIDE, &mut space.shared);
            self.flush_port(port, space);
        }
        over
    }

    /// Files the packets that left a port, and sees to its next departure.
    fn flush_port(&mut self, port: u32, space: &mut Workspace<L>) {
        let end = self.fabric.end(port);
        let mut leaving = std::mem::take(&mut space.shared.leaving);
        for (time, packet) in leaving.drain(..) {
            self.send(Step::Node(end, time), &packet, space);
        }
        space.shared.leaving = leaving;
        self.await_departure(port);
    }

    /// At a short link the next departure is an event.
    #[inline]
    fn await_departure(&mut self, port: u32) {
        let Some(holder) = self.holder_of[port as usize] else { return };
        let holder = &mut self.holders[holder as usize];
        if !holder.short {
            return;
        }
        let next = self.fabric.next_departure(port);
        if next != holder.armed && next != NEVER {
            holder.armed = next;
            let timer = Timer { time: next, group: 0, purpose: Purpose::Depart, id: port, generation: 0 };
            self.timers.set(timer);
        }
    }

    /// Warms the cache for an event that comes soon.
    #[inline]
    fn anticipate(&self, batch: &Batch, space: &Workspace<L>) {
        let Some((node, packet)) = batch.ahead(&space.calendar) else { return };
        let setup = &*space.shared.setup;
        let index = setup.places[node as usize].index as usize;
        space.shared.side_table.expect(packet);
        if node as usize >= setup.routers() {
            self.groups[index].expect(packet, space.shared.split.slot(packet.flow));
            self.fabric.expect_up(index, packet);
        } else if space.shared.split.group(packet.flow) == node as usize {
            self.fabric.expect_down(index, packet);
        }
    }

    /// A packet is at a router or at a host.
    #[inline]
    fn arrive(&mut self, node: usize, mut packet: Packet, space: &mut Workspace<L>) {
        space.shared.now = packet.time;
        let setup = &*space.shared.setup;
        if node >= setup.routers() {
            let group = setup.places[node].index;
            return self.deliver(group as usize, &packet, space);
        }
        match self.fabric.forward(node, &mut packet, &mut space.shared) {
            Step::Here => {
                let group = space.shared.setup.hosts_of(node as u32).index;
                self.deliver(group as usize, &packet, space);
            }
            step => self.send(step, &packet, space),
        }
    }

    #[inline(always)]
    fn deliver(&mut self, group: usize, packet: &Packet, space: &mut Workspace<L>) {
        self.groups[group].on_packet(packet, &mut space.shared);
        self.flush(group, space);
    }

    fn wake(&mut self, space: &mut Workspace<L>) {
        let timer = self.timers.take();
        space.shared.now = timer.time;
        if timer.purpose == Purpose::Depart {
            self.fabric.catch_up(timer.id, timer.time + 1, &mut space.shared);
            return self.flush_port(timer.id, space);
        }
        let group = space.shared.setup.hosts_of(timer.group).index as usize;
        self.groups[group].on_timer(&timer, &mut space.shared);
        self.flush(group, space);
    }

    /// Carries out what a host group's event asked for.
    #[inline]
    fn flush(&mut self, group: usize, space: &mut Workspace<L>) {
        let mut outbox = std::mem::take(&mut space.shared.outbox);
        let router = self.groups[group].router();
        for (host, packet) in &mut outbox {
            let origin = Origin { router, host: *host };
            let step = self.fabric.leave(group, origin, packet, &mut space.shared);
            self.send(step, packet, space);
        }
        outbox.clear();
        space.shared.outbox = outbox;
        if !space.shared.told_to_wait.is_empty() {
            self.tell_to_wait(group, &mut space.shared);
        }
        if !space.shared.timers.is_empty() {
            self.set_timers(space);
        }
        if !space.shared.completed.is_empty() {
            self.tell_completed(space);
        }
    }

    #[inline]
    fn send(&mut self, step: Step, packet: &Packet, space: &mut Workspace<L>) {
        let setup = &*space.shared.setup;
        let (node, time) = match step {
            Step::Node(node, time) => (node as usize, time),
            Step::Gone => return space.shared.side_table.forget(packet),
            Step::Held(port) => return self.flush_port(port, space),
            Step::Here => unreachable!("no host talks to another on its own router"),
        };
        match space.calendar.file(node, time, packet) {
            Filed::Done => {}
            Filed::ThisWindow => self.intra.push(node as u32, packet.arriving(time)),
            Filed::Elsewhere => {
                let to = (node, setup.places[node].region);
                space.post.send(to, time, packet, &mut space.shared.side_table);
            }
        }
    }

    fn set_timers(&mut self, space: &mut Workspace<L>) {
        for timer in space.shared.timers.drain(..) {
            match space.shared.setup.hosts_of(timer.group).region {
                here if here == self.number => self.timers.set(timer),
                region => space.post.set_timer(region, timer),
            }
        }
    }

    /// Receivers report completion to the record of their sender, beside the network.
    fn tell_completed(&mut self, space: &mut Workspace<L>) {
        let mut completed = std::mem::take(&mut space.shared.completed);
        for (address, generation, below) in completed.drain(..) {
            let note = Completed { address, generation, below, at: space.shared.now };
            let setup = &space.shared.setup;
            match setup.hosts_of(setup.split.group(address) as u32).region {
                here if here == self.number => self.note_completed(note, setup),
                region => space.post.tell_completed(region, note),
            }
        }
        space.shared.completed = completed;
    }

    pub fn note_completed(&mut self, note: Completed, setup: &Setup) {
        let group = setup.hosts_of(setup.split.group(note.address) as u32).index;
        let flow = &mut self.groups[group as usize].flows[setup.split.slot(note.address)];
        if flow.end.generation == note.generation {
            flow.note_received(note.below, note.at);
        }
    }

    /// Hosts that have enough to send let their senders know.
    fn tell_to_wait(&mut self, group: usize, shared: &mut Shared<L>) {
        let split = shared.split;
        for (address, until) in shared.told_to_wait.drain(..) {
            self.groups[group].flows[split.slot(address)].tcp.apply_backpressure(until);
        }
    }

    /// What is left of the window waits for its rest.
    fn put_back(&mut self, space: &mut Workspace<L>) {
        space.batch.close(&mut space.calendar);
        for arrival in self.intra.drain() {
            space.calendar.put_back(arrival.node as usize, &arrival.packet);
        }
    }

    /// The disciplines of its ports.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.fabric.ports.iter_mut().filter_map(Port::discipline_mut)
    }

    /// Packets in the hands of its ports.
    pub fn held(&mut self) -> usize {
        self.fabric.ports.iter_mut().map(|port| port.held_mut().count()).sum()
    }

    /// What its packets at ports and its receivers carry goes from one side table to another.
    pub fn move_side_entries(&mut self, from: &mut SideTable, to: &mut SideTable) {
        let held = self.fabric.ports.iter_mut().flat_map(Port::held_mut);
        held.for_each(|packet| from.move_meta(packet, to));
        self.groups.iter_mut().for_each(|group| group.move_headers(from, to));
    }

    pub fn bytes(&self) -> usize {
        let groups: usize = self.groups.iter().map(HostGroup::bytes).sum();
        self.fabric.bytes() + groups + self.timers.bytes() + self.intra.bytes()
    }
}
