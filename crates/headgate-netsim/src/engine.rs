//! The engine: time goes in windows no longer than the lookahead, so that within one every region can
//! run for itself, as one sorted batch, without an event queue.

use headgate_model::control::Registry;
use headgate_model::plan::{Link, Plan};
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::calendar::Calendar;
use crate::excess::{Asked, Excess};
use crate::fabric::{Fabric, Step};
use crate::meter::Meter;
use crate::packet::Packet;
use crate::port::Port;
use crate::record::{Balance, Record};
use crate::region::{Batch, Region};
use crate::regions::Regions;
use crate::setup::{self, Choices, Lists, Population};
use crate::site::Site;
use crate::timers::{Purpose, Timer};
use crate::world::World;

/// A link whose port acts at departures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Holder {
    region: u32,
    /// Its packets arrive within the window in which they leave: each departure needs a timer.
    short: bool,
    /// The departure for which a timer was set last.
    armed: Time,
}

/// A run: its whole state is serialisable between calls of [`Engine::advance`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: Registry")]
pub struct Engine<L: Registry> {
    world: World<L>,
    calendar: Calendar,
    regions: Vec<Region>,
    /// Region of each row.
    region_of: Vec<u32>,
    /// Of each link, if its port acts at departures.
    holders: Vec<Option<Holder>>,
    meter: Meter,
    lookahead: Span,
    /// The region whose turn it is in this window; the batch is its.
    turn: usize,
    batch: Batch,
}

/// Events between two looks at whether to go on: about a millisecond.
const STRIDE: usize = 1024;

impl<L: Registry> Engine<L> {
    /// The state before the first event of a plan that was validated.
    pub fn new(plan: &Plan, choices: &Choices, lists: &Lists) -> Self {
        let Population { shared, sites, hosts, inline, timers, sources } =
            setup::populate(plan, &choices.laws, lists);
        let fabric = Fabric::new(plan, &choices.ports, shared.split, &hosts, &inline);
        let regions = Regions::of(plan, &hosts, &inline);
        let rows = 2 * plan.nodes.len();
        let mut region_of = vec![0; rows];
        for (index, rows) in (0..).zip(&regions.rows) {
            rows.iter().for_each(|&row| region_of[row as usize] = index);
        }
        let holders = holders(plan, &fabric, &region_of, regions.lookahead);
        let ports = ports_of(regions.rows.len(), &holders);
        let in_regions = regions.rows.into_iter().zip(ports).map(|(rows, ports)| Region::new(rows, ports));
        let in_regions = in_regions.collect();
        let mut engine = Self {
            world: World { shared, sites, fabric },
            calendar: Calendar::new(rows, regions.lookahead),
            regions: in_regions,
            region_of,
            holders,
            meter: Meter::new(plan, sources),
            lookahead: regions.lookahead,
            turn: 0,
            batch: Batch::default(),
        };
        engine.world.shared.timers = timers;
        engine.set_timers();
        engine
    }

    /// Runs until the end, or until `go_on` says no or a law asks for too much; true when the run is over.
    pub fn advance(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        while !self.meter.is_done() {
            let end = self.calendar.start(self.calendar.current + 1);
            let stop = self.meter.next();
            if !self.run_window(end.min(stop), go_on) {
                return false;
            }
            if stop <= end {
                self.meter.visit(stop, &mut self.world);
                if self.meter.is_done() {
                    self.meter.record.balance = self.balance();
                }
            }
            if end <= stop {
                self.calendar.turn();
                self.skip_silence();
                if self.excess().is_some() || !go_on() {
                    return self.meter.is_done();
                }
            }
        }
        true
    }

    /// Every packet is in the calendar or held by a port.
    fn balance(&self) -> Balance {
        let held: usize = self.world.fabric.ports.iter().map(Port::held_data).sum();
        let ports = &self.meter.record.ports;
        let doomed: u64 = ports.iter().map(|port| port.early.lost).sum();
        let under_way = (self.calendar.count(Packet::is_data) + held) as u64 + doomed;
        Balance { counters: self.world.shared.counters.by_now(ports), under_way }
    }

    /// While no packet is under way only timers matter.
    fn skip_silence(&mut self) {
        let waits = |region: &Region| self.next_departure(region) != NEVER;
        if self.calendar.is_silent() && !self.regions.iter().any(waits) {
            let timer = self.regions.iter().map(Region::next_timer).min().unwrap_or(NEVER);
            self.calendar.skip_to(timer.min(self.meter.next()));
        }
    }

    /// Runs all regions up to `until`, or a part of that: then it says no.
    fn run_window(&mut self, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        while self.turn < self.regions.len() {
            if self.is_due(until) && !self.run_region(until, go_on) {
                return false;
            }
            self.turn += 1;
        }
        self.turn = 0;
        true
    }

    /// Whether anything happens before `until` in the region whose turn it is.
    fn is_due(&self, until: Time) -> bool {
        let region = &self.regions[self.turn];
        self.batch.is_open()
            || region.rows.iter().any(|&row| !self.calendar.is_empty(row as usize))
            || region.next_timer() < until
            || self.next_departure(region) < until
    }

    /// When a port of a region next acts at a departure.
    #[inline]
    fn next_departure(&self, region: &Region) -> Time {
        let departures = region.ports.iter().map(|&link| self.world.fabric.next_departure(link));
        departures.min().unwrap_or(NEVER)
    }

    /// Everything that happens in the region whose turn it is before `until`, in the declared order; it
    /// says no if it was stopped within.
    fn run_region(&mut self, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        if !self.batch.is_open() {
            self.batch.load(&self.regions[self.turn].rows, &mut self.calendar);
        }
        while !(self.run_events(until) && self.run_departures(until)) {
            if self.excess().is_some() || !go_on() {
                return false;
            }
        }
        self.regions[self.turn].put_back(&mut self.batch, &mut self.calendar);
        true
    }

    /// Packets and timers, at most a stride of them; true when none is left. The hot loop is a function of its
    /// own: within the loop over strides it costs a hundredth more.
    #[inline(never)]
    fn run_events(&mut self, until: Time) -> bool {
        let (index, mut batch) = (self.turn, std::mem::take(&mut self.batch));
        let mut over = false;
        for _ in 0..STRIDE {
            let region = &mut self.regions[index];
            let (packet, timer) = (region.next_packet(&batch, &self.calendar), region.next_timer());
            over = packet.min(timer) >= until;
            if over {
                break;
            }
            if packet <= timer {
                let (row, packet) = region.take_packet(&mut batch, &self.calendar);
                self.anticipate(&batch);
                self.arrive(row as usize, packet);
            } else {
                self.wake(index);
            }
        }
        self.batch = batch;
        over
    }

    /// What leaves the region's ports at last, at most a stride from each; true when nothing is left.
    fn run_departures(&mut self, until: Time) -> bool {
        let mut over = true;
        for at in 0..self.regions[self.turn].ports.len() {
            let link = self.regions[self.turn].ports[at];
            let World { shared, fabric, .. } = &mut self.world;
            over &= fabric.catch_up_in_part(link, until, STRIDE, shared);
            self.flush_port(link);
        }
        over
    }

    /// A port makes up for the departures before `until`.
    fn depart(&mut self, link: u32, until: Time) {
        let World { shared, fabric, .. } = &mut self.world;
        fabric.catch_up(link, until, shared);
        self.flush_port(link);
    }

    /// Files the packets that left a port, and sees to its next departure.
    fn flush_port(&mut self, link: u32) {
        let end = self.world.fabric.end(link);
        let mut leaving = std::mem::take(&mut self.world.shared.leaving);
        for (time, packet) in leaving.drain(..) {
            self.send(Step::Router(end, time), &packet);
        }
        self.world.shared.leaving = leaving;
        self.await_departure(link);
    }

    /// At a short link the next departure is an event.
    #[inline]
    fn await_departure(&mut self, link: u32) {
        let Some(holder) = self.holders[link as usize].as_mut().filter(|holder| holder.short) else { return };
        let next = self.world.fabric.next_departure(link);
        if next != holder.armed && next != NEVER {
            holder.armed = next;
            let timer = Timer { time: next, site: 0, purpose: Purpose::Depart, id: link, generation: 0 };
            self.regions[holder.region as usize].set_timer(timer);
        }
    }

    /// Warms the cache for an event that comes soon.
    #[inline]
    fn anticipate(&self, batch: &Batch) {
        let Some((row, packet)) = batch.ahead(&self.calendar) else { return };
        let row = row as usize;
        let World { sites, fabric, shared } = &self.world;
        shared.papers.expect(packet);
        if row >= sites.len() {
            let site = row - sites.len();
            sites[site].expect(packet, shared.split.slot(packet.flow));
            fabric.expect(site, packet);
        } else if fabric.is_last(row, packet) {
            fabric.expect(row, packet);
        }
    }

    /// A packet is at a router or at a host.
    #[inline]
    fn arrive(&mut self, row: usize, mut packet: Packet) {
        self.world.shared.now = packet.time;
        let routers = self.world.sites.len();
        if row >= routers {
            return self.deliver(row - routers, &packet);
        }
        let World { shared, fabric, .. } = &mut self.world;
        match fabric.forward(row, &mut packet, shared) {
            Step::Here => self.deliver(row, &packet),
            step => self.send(step, &packet),
        }
    }

    #[inline(always)]
    fn deliver(&mut self, site: usize, packet: &Packet) {
        let World { shared, sites, .. } = &mut self.world;
        sites[site].on_packet(packet, shared);
        self.flush(site);
    }

    fn wake(&mut self, region: usize) {
        let timer = self.regions[region].take_timer();
        let World { shared, sites, .. } = &mut self.world;
        shared.now = timer.time;
        if timer.purpose == Purpose::Depart {
            return self.depart(timer.id, timer.time + 1);
        }
        sites[timer.site as usize].on_timer(&timer, shared);
        self.flush(timer.site as usize);
    }

    /// Carries out what a site's event asked for.
    #[inline]
    fn flush(&mut self, site: usize) {
        let mut out = std::mem::take(&mut self.world.shared.out);
        for (host, packet) in &mut out {
            let World { shared, fabric, .. } = &mut self.world;
            let step = fabric.leave(site, *host, packet, shared);
            self.send(step, packet);
        }
        out.clear();
        self.world.shared.out = out;
        if !self.world.shared.told_to_wait.is_empty() {
            self.world.tell_to_wait();
        }
        if !self.world.shared.timers.is_empty() {
            self.set_timers();
        }
        if !self.world.shared.completed.is_empty() {
            self.world.note_completed();
        }
    }

    #[inline]
    fn send(&mut self, step: Step, packet: &Packet) {
        let (row, time) = match step {
            Step::Router(router, time) => (router as usize, time),
            Step::Site(router, time) => (self.world.sites.len() + router as usize, time),
            Step::Spoken(link, time) => {
                self.await_departure(link);
                (self.world.fabric.end(link) as usize, time)
            }
            Step::Gone => return self.world.shared.papers.forget(packet),
            Step::Held(link) => return self.flush_port(link),
            Step::Here => unreachable!("no host talks to another on its own router"),
        };
        if !self.calendar.file(row, time, packet) {
            let region = self.region_of[row] as usize;
            self.regions[region].hurry(row, Packet { time, ..*packet });
        }
    }

    fn set_timers(&mut self) {
        let routers = self.world.sites.len();
        for timer in self.world.shared.timers.drain(..) {
            let region = self.region_of[routers + timer.site as usize];
            self.regions[region as usize].set_timer(timer);
        }
    }

    /// Every law of the run: the fresh ones and those at work.
    pub fn laws_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let World { shared, sites, .. } = &mut self.world;
        shared.laws.iter_mut().chain(sites.iter_mut().flat_map(Site::laws_mut))
    }

    /// The instant up to which everything has happened.
    pub fn now(&self) -> Time {
        if self.meter.is_done() { self.meter.duration } else { self.calendar.start(self.calendar.current) }
    }

    /// No more packets than this may be under way; a run that needs more ends.
    pub fn limit(&mut self, packets: usize) {
        self.calendar.limit(packets);
    }

    /// Why the run cannot go on.
    pub fn excess(&self) -> Option<Excess> {
        let full = |packets| Excess { sender: None, at: self.now(), asked: Asked::Room(packets) };
        self.world.shared.excess.or_else(|| self.calendar.full().map(full))
    }

    pub fn duration(&self) -> Time {
        self.meter.duration
    }

    pub fn packet_hops(&self) -> u64 {
        self.world.shared.counters.packet_hops
    }

    pub fn lookahead(&self) -> Span {
        self.lookahead
    }

    /// What the run recorded; complete when it is over.
    pub fn record(&self) -> &Record {
        &self.meter.record
    }

    /// Equal runs have equal digests: of every departure, every count and every finished flow.
    pub fn digest(&self) -> u64 {
        self.world.digest(&self.meter.record.flows)
    }

    /// Memory of the state, bytes.
    pub fn bytes(&self) -> usize {
        self.world.bytes() + self.calendar.bytes() + self.regions.iter().map(Region::bytes).sum::<usize>()
    }
}

/// What is known of the links whose ports act at departures.
fn holders<L: Registry>(
    plan: &Plan,
    fabric: &Fabric<L>,
    region_of: &[u32],
    lookahead: Span,
) -> Vec<Option<Holder>> {
    let holder = |link: &Link| Holder {
        region: region_of[link.from as usize],
        short: link.delay_ps < lookahead,
        armed: NEVER,
    };
    (0..).zip(&plan.links).map(|(index, link)| fabric.catches_up(index).then(|| holder(link))).collect()
}

/// Of each region the links from there whose ports act at departures.
fn ports_of(regions: usize, holders: &[Option<Holder>]) -> Vec<Vec<u32>> {
    let mut ports = vec![Vec::new(); regions];
    for (link, holder) in (0..).zip(holders) {
        holder.iter().for_each(|holder| ports[holder.region as usize].push(link));
    }
    ports
}
