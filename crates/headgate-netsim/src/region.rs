//! A region: routers and groups of hosts joined by short links, and everything of theirs. Between two
//! windows it hears of the others, and within one of nobody: so regions run in any order, or at once.
//!
//! The declared order of simultaneous events: packets before timers; packets by addressed endpoint,
//! kind and row, timers by site, purpose and owner.

use headgate_model::control::Registry;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::agenda::Agenda;
use crate::batch::{Batch, rank};
use crate::calendar::{Calendar, Filed};
use crate::fabric::{Fabric, Origin, Step};
use crate::intra_window::IntraWindow;
use crate::mail::Completed;
use crate::packet::Packet;
use crate::papers::Papers;
use crate::port::Port;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::site::Site;
use crate::timers::{Purpose, Timer};
use crate::workspace::Workspace;

/// Events between two looks at whether to go on: about a millisecond.
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
#[serde(bound = "L: Registry")]
pub struct Region<L: Registry> {
    number: u32,
    rows: Vec<u32>,
    pub fabric: Fabric<L>,
    pub sites: Vec<Site<L>>,
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

impl<L: Registry> Region<L> {
    pub fn new(number: u32, fabric: Fabric<L>) -> Self {
        Self {
            number,
            rows: Vec::new(),
            fabric,
            sites: Vec::new(),
            holders: Vec::new(),
            holder_of: Vec::new(),
            timers: Agenda::default(),
            intra: IntraWindow::default(),
            events: 0,
            work: Duration::ZERO,
        }
    }

    /// A router joins, with links of these kinds to its hosts.
    pub fn add_router(&mut self, row: u32, hosts: &[u32]) {
        self.rows.push(row);
        self.fabric.add_router(hosts);
    }

    /// A group of hosts joins.
    pub fn add_site(&mut self, row: u32, site: Site<L>, hosts: &[u32]) {
        self.rows.push(row);
        self.fabric.add_hosts(hosts);
        self.sites.push(site);
    }

    /// A link from one of the routers joins.
    pub fn add_port(&mut self, link: u32, end: u32, port: Port<L>, delay: Span, lookahead: Span) {
        let number = self.fabric.ports.len() as u32;
        let holds = !matches!(port, Port::Line(_));
        self.holder_of.push(holds.then_some(self.holders.len() as u32));
        self.holders.extend(holds.then_some(Holder { port: number, short: delay < lookahead, armed: NEVER }));
        self.fabric.add_port(link, end, port);
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Everything that happens before `until`, in the declared order; it says no if it was stopped within or asks for
    /// too much.
    pub fn run(&mut self, until: Time, space: &mut Workspace<L>, go_on: &mut dyn FnMut() -> bool) -> bool {
        if !space.batch.is_open() && !self.is_due(until, &space.calendar) {
            return true;
        }
        if !space.batch.is_open() {
            space.batch.load(&self.rows, &mut space.calendar);
        }
        while !(self.run_events(until, space) && self.run_departures(until, space)) {
            if space.shared.excess.is_some() || !go_on() {
                return false;
            }
        }
        self.put_back(space);
        space.shared.excess.is_none()
    }

    /// Whether anything happens before `until`.
    fn is_due(&self, until: Time, calendar: &Calendar) -> bool {
        self.rows.iter().any(|&row| !calendar.is_empty(row as usize))
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
                let (row, packet) = self.take_packet(&mut batch, &space.calendar);
                self.anticipate(&batch, space);
                self.arrive(row as usize, packet, space);
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
                return (first.row, first.packet);
            }
        }
        let (row, packet) = batch.next(calendar).expect("there is a packet");
        batch.pass();
        (row, *packet)
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
            self.send(Step::Router(end, time), &packet, space);
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
            let timer = Timer { time: next, site: 0, purpose: Purpose::Depart, id: port, generation: 0 };
            self.timers.set(timer);
        }
    }

    /// Warms the cache for an event that comes soon.
    #[inline]
    fn anticipate(&self, batch: &Batch, space: &Workspace<L>) {
        let Some((row, packet)) = batch.ahead(&space.calendar) else { return };
        let setup = &*space.shared.setup;
        let index = setup.places[row as usize].index as usize;
        space.shared.papers.expect(packet);
        if row as usize >= setup.routers() {
            self.sites[index].expect(packet, space.shared.split.slot(packet.flow));
            self.fabric.expect_up(index, packet);
        } else if space.shared.split.site(packet.flow) == row as usize {
            self.fabric.expect_down(index, packet);
        }
    }

    /// A packet is at a router or at a host.
    #[inline]
    fn arrive(&mut self, row: usize, mut packet: Packet, space: &mut Workspace<L>) {
        space.shared.now = packet.time;
        let setup = &*space.shared.setup;
        if row >= setup.routers() {
            let site = setup.places[row].index;
            return self.deliver(site as usize, &packet, space);
        }
        match self.fabric.forward(row, &mut packet, &mut space.shared) {
            Step::Here => {
                let site = space.shared.setup.hosts_of(row as u32).index;
                self.deliver(site as usize, &packet, space);
            }
            step => self.send(step, &packet, space),
        }
    }

    #[inline(always)]
    fn deliver(&mut self, site: usize, packet: &Packet, space: &mut Workspace<L>) {
        self.sites[site].on_packet(packet, &mut space.shared);
        self.flush(site, space);
    }

    fn wake(&mut self, space: &mut Workspace<L>) {
        let timer = self.timers.take();
        space.shared.now = timer.time;
        if timer.purpose == Purpose::Depart {
            self.fabric.catch_up(timer.id, timer.time + 1, &mut space.shared);
            return self.flush_port(timer.id, space);
        }
        let site = space.shared.setup.hosts_of(timer.site).index as usize;
        self.sites[site].on_timer(&timer, &mut space.shared);
        self.flush(site, space);
    }

    /// Carries out what a site's event asked for.
    #[inline]
    fn flush(&mut self, site: usize, space: &mut Workspace<L>) {
        let mut out = std::mem::take(&mut space.shared.out);
        let router = self.sites[site].router();
        for (host, packet) in &mut out {
            let origin = Origin { router, host: *host };
            let step = self.fabric.leave(site, origin, packet, &mut space.shared);
            self.send(step, packet, space);
        }
        out.clear();
        space.shared.out = out;
        if !space.shared.told_to_wait.is_empty() {
            self.tell_to_wait(site, &mut space.shared);
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
        let (row, time) = match step {
            Step::Router(router, time) => (router as usize, time),
            Step::Site(router, time) => (setup.routers() + router as usize, time),
            Step::Gone => return space.shared.papers.forget(packet),
            Step::Held(port) => return self.flush_port(port, space),
            Step::Here => unreachable!("no host talks to another on its own router"),
        };
        match space.calendar.file(row, time, packet) {
            Filed::Done => {}
            Filed::ThisWindow => self.intra.push(row as u32, packet.arriving(time)),
            Filed::Elsewhere => {
                let to = (row, setup.places[row].region);
                space.post.send(to, time, packet, &mut space.shared.papers);
            }
        }
    }

    fn set_timers(&mut self, space: &mut Workspace<L>) {
        for timer in space.shared.timers.drain(..) {
            match space.shared.setup.hosts_of(timer.site).region {
                here if here == self.number => self.timers.set(timer),
                region => space.post.set_timer(region, timer),
            }
        }
    }

    /// Receivers report completion to the record of their sender, beside the network.
    fn tell_completed(&mut self, space: &mut Workspace<L>) {
        let mut completed = std::mem::take(&mut space.shared.completed);
        for (address, generation) in completed.drain(..) {
            let note = Completed { address, generation, at: space.shared.now };
            let setup = &space.shared.setup;
            match setup.hosts_of(setup.split.site(address) as u32).region {
                here if here == self.number => self.note_completed(note, setup),
                region => space.post.tell_completed(region, note),
            }
        }
        space.shared.completed = completed;
    }

    pub fn note_completed(&mut self, note: Completed, setup: &Setup) {
        let site = setup.hosts_of(setup.split.site(note.address) as u32).index;
        let flow = &mut self.sites[site as usize].flows[setup.split.slot(note.address)];
        if flow.path.generation == note.generation {
            flow.received = Some(note.at - flow.tcp.stats.started);
        }
    }

    /// Hosts that have enough to send let their senders know.
    fn tell_to_wait(&mut self, site: usize, shared: &mut Shared<L>) {
        let split = shared.split;
        for (address, until) in shared.told_to_wait.drain(..) {
            self.sites[site].flows[split.slot(address)].tcp.wait_until(until);
        }
    }

    /// What is left of the window waits for its rest.
    fn put_back(&mut self, space: &mut Workspace<L>) {
        space.batch.close(&mut space.calendar);
        for arrival in self.intra.drain() {
            space.calendar.put_back(arrival.row as usize, &arrival.packet);
        }
    }

    /// Packets in the hands of its ports.
    pub fn held(&mut self) -> usize {
        self.fabric.ports.iter_mut().map(|port| port.held_mut().count()).sum()
    }

    /// What its packets at ports and its receivers carry goes from some papers to others.
    pub fn move_side_records(&mut self, from: &mut Papers, to: &mut Papers) {
        let held = self.fabric.ports.iter_mut().flat_map(Port::held_mut);
        held.for_each(|packet| from.move_records(packet, to));
        self.sites.iter_mut().for_each(|site| site.move_labels(from, to));
    }

    pub fn bytes(&self) -> usize {
        let sites: usize = self.sites.iter().map(Site::bytes).sum();
        self.fabric.bytes() + sites + self.timers.bytes() + self.intra.bytes()
    }
}
