//! The engine: time goes in windows no longer than the lookahead, so that within one every region can
//! run for itself, as one sorted batch, without an event queue.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::choices::{Choices, Lists};
use crate::excess::{Asked, Excess};
use crate::meter::Meter;
use crate::network::Network;
use crate::observer::{Observer, SampleCursor};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::populate;
use crate::record::{Balance, Counters, FlowSample, NetworkSample, PortRow, PortSample, Record, digest};
use crate::regions::Regions;
use crate::setup::Setup;
use crate::shard::Shard;
use crate::shared::Shared;
use crate::team::{PARALLEL_FROM, Team, with_team};
use crate::trace::{Connections, Followed};
use crate::windows::Windows;
use crate::world::World;

mod live;

/// A run: its whole state is serialisable between calls of [`Engine::advance`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Engine<L: ControllerRegistry> {
    network: Network<L>,
    clock: Clock,
    /// It was stopped within a stretch of the window in hand.
    stopped: bool,
    /// Threads that it may have; it is shared out over them when the next window begins.
    #[serde(skip, default = "one")]
    threads: usize,
    /// When the regions are shared out anew: first guesses are bad, later ones rarely change.
    #[serde(skip)]
    next_sharing: u64,
    /// Packets of a stretch from which on the threads run it in parallel.
    #[serde(skip, default = "parallel_from")]
    parallel_from: u64,
    #[serde(skip, default = "no_limit")]
    limit: usize,
    /// What is known of the connections whose events are handed out, and how many samples were.
    connections: Connections,
    #[serde(skip)]
    samples: SampleCursor,
    /// When the last foreign packet of each live host left it.
    entered: Vec<Option<Time>>,
}

fn one() -> usize {
    1
}

fn parallel_from() -> u64 {
    PARALLEL_FROM
}

fn no_limit() -> usize {
    usize::MAX
}

fn never() -> Time {
    NEVER
}

/// Windows before the work of each region is known well enough to share them out by it.
const FIRST_WINDOWS: u64 = 64;

/// Where a run stands, and what it has noted.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Clock {
    windows: Windows,
    /// The window in hand.
    window: u64,
    /// Windows that end later wait for another call.
    #[serde(skip, default = "never")]
    until: Time,
    meter: Meter,
}

/// How a call of [`Engine::advance`] comes to a pause.
#[derive(PartialEq, Eq)]
enum Pause {
    Over,
    /// Between two windows.
    Stopped,
    /// Within a stretch.
    Interrupted,
    /// The regions are to be shared out anew.
    Sharing,
}

impl Clock {
    /// Goes on window by window.
    fn run<L: ControllerRegistry>(
        &mut self,
        setup: &Arc<Setup>,
        team: &mut dyn Team<L>,
        sharing: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Pause {
        while !self.meter.is_done() {
            let (end, stop) = (self.windows.start(self.window + 1), self.meter.next());
            if end.min(self.meter.duration) > self.until {
                return Pause::Stopped;
            }
            let outcome = team.run(self.window, end.min(stop), go_on);
            if !outcome.whole {
                return Pause::Interrupted;
            }
            if stop <= end {
                team.show(&mut |shards| self.visit(stop, setup, shards));
            }
            if end <= stop {
                self.window = self.next_window(outcome.silent_until);
                let pause = if self.window >= sharing { Pause::Sharing } else { Pause::Stopped };
                if pause == Pause::Sharing || !go_on() {
                    return if self.meter.is_done() { Pause::Over } else { pause };
                }
            }
        }
        Pause::Over
    }

    fn visit<L: ControllerRegistry>(&mut self, now: Time, setup: &Arc<Setup>, shards: &mut [&mut Shard<L>]) {
        let filed = |shard: &mut &mut Shard<L>| shard.space.calendar.count(Packet::is_data);
        let last = now >= self.meter.duration;
        let filed = if last { shards.iter_mut().map(filed).sum() } else { 0 };
        let mut world = World::new(setup, shards.iter_mut().map(|shard| &mut **shard));
        self.meter.visit(now, &mut world);
        if last {
            self.meter.record.balance = balance(&world, filed, &self.meter.record.ports);
        }
    }

    /// While no packet is under way only timers matter.
    fn next_window(&self, silent_until: Option<Time>) -> u64 {
        let silent = |timer: Time| self.windows.of(timer.min(self.meter.next()).min(self.until));
        let next = silent_until.map_or(0, silent);
        next.max(self.window + 1)
    }
}

/// Every packet is in a calendar or held by a port.
fn balance<L: ControllerRegistry>(world: &World<'_, L>, filed: usize, ports: &[PortRow]) -> Balance {
    let doomed: u64 = ports.iter().map(|port| port.early.lost).sum();
    let under_way = (filed + world.held_data()) as u64 + doomed;
    Balance { counters: world.counters().by_now(ports), under_way }
}

impl<L: ControllerRegistry> Engine<L> {
    /// The state before the first event of a plan that was validated.
    pub fn new(plan: &Plan, choices: &Choices, lists: &Lists) -> Self {
        let people = populate::populate(plan, choices, lists);
        let regions = Regions::of(plan, &people.hosts, &people.inline);
        let live = people.shared.setup.live.len();
        let regions = if live > 0 { regions.with_live_windows() } else { regions };
        let meter = Meter::new(plan, people.sources);
        let windows = Windows::new(regions.lookahead);
        let network = Network::new(plan, people, &regions);
        let clock = Clock { windows, window: 0, until: NEVER, meter };
        Self {
            network,
            clock,
            stopped: false,
            threads: 1,
            next_sharing: u64::MAX,
            parallel_from: PARALLEL_FROM,
            limit: usize::MAX,
            connections: Connections::default(),
            samples: SampleCursor::default(),
            entered: vec![None; live],
        }
    }

    /// Runs on so many threads from now on; results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, self.network.regions().count().max(1));
        self.next_sharing = self.clock.window;
    }

    /// Its threads run every window in parallel, however little there is to do: slow, for tests.
    pub fn always_in_parallel(&mut self) {
        self.parallel_from = 0;
    }

    /// Runs until the end, or until `go_on` says no or a law asks for too much; true when the run is over.
    pub fn advance(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        loop {
            self.share_out();
            let Self { network: Network { setup, shards, .. }, clock, next_sharing, parallel_from, .. } =
                self;
            let sharing = *next_sharing;
            let pause = with_team(shards, *parallel_from, |team| clock.run(setup, team, sharing, go_on));
            self.stopped = pause == Pause::Interrupted;
            if pause == Pause::Over || self.excess().is_some() {
                return self.clock.meter.is_done();
            }
            if pause != Pause::Sharing {
                return false;
            }
        }
    }

    /// Shares the regions out over the threads by the work that they did, if it is time.
    fn share_out(&mut self) {
        let window = self.clock.window;
        if self.stopped || window < self.next_sharing {
            return;
        }
        self.network.share_out(self.threads, window);
        self.limit(self.limit);
        let later = (2 * window).max(window + FIRST_WINDOWS);
        self.next_sharing = if self.threads > 1 { later } else { u64::MAX };
    }

    /// Events of these flows, and of all packets at the ports of these links, are noted from now on, until
    /// [`Self::report_events`] hands them out. Results do not depend on it. What is already under way when it begins
    /// is followed as far as it can be known; who goes on following the same after a resume misses nothing.
    pub fn follow(&mut self, followed: Followed) {
        let followed = Arc::new(followed);
        let (now, split) = (self.now(), self.network.setup.split);
        for shard in &mut self.network.shards {
            shard.space.shared.trace.follow(&followed);
            let trace = &shard.space.shared.trace;
            let flows = shard.regions.iter_mut().flat_map(|region| &mut region.groups);
            for flow in flows.flat_map(|group| &mut group.flows) {
                flow.end.followed = followed.flows.contains(&flow.number);
                if flow.is_open() && trace.shows(flow.number) {
                    self.connections.meet(flow.connection(now, split));
                }
            }
        }
    }

    /// `observer` hears of the events before [`Self::now`] that were not handed out yet, in order of time, and of
    /// each connection before its first one.
    pub fn report_events(&mut self, observer: &mut impl Observer) {
        let now = self.now();
        let traces = self.network.shards.iter_mut().map(|shard| &mut shard.space.shared.trace);
        self.connections.report(traces, now, observer);
    }

    /// Samples that were not handed out yet: of flows, of ports, of the network.
    pub fn take_samples(&mut self) -> (&[FlowSample], &[PortSample], &[NetworkSample]) {
        self.samples.take(&self.clock.meter.record)
    }

    /// As [`Self::advance`], and `observer` hears afterwards of the samples and events since the last call.
    pub fn advance_observed(
        &mut self,
        observer: &mut impl Observer,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let over = self.advance(go_on);
        self.report_events(observer);
        self.samples.report(&self.clock.meter.record, observer);
        over
    }

    /// Every law of the run: the fresh ones and those at work.
    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.network.shards.iter_mut().flat_map(Shard::controllers_mut)
    }

    /// The discipline of every port that has one.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.network.shards.iter_mut().flat_map(Shard::disciplines_mut)
    }

    fn shared(&self) -> impl Iterator<Item = &Shared<L>> {
        self.network.shards.iter().map(|shard| &shard.space.shared)
    }

    /// The instant up to which everything has happened.
    pub fn now(&self) -> Time {
        let Clock { windows, window, meter, .. } = &self.clock;
        if meter.is_done() { meter.duration } else { windows.start(*window) }
    }

    /// No more packets than this may be under way; a run that needs more ends.
    pub fn limit(&mut self, packets: usize) {
        self.limit = packets;
        let packets = packets / self.network.shards.len();
        self.network.shards.iter_mut().for_each(|shard| shard.limit(packets));
    }

    /// Why the run cannot go on.
    pub fn excess(&self) -> Option<Excess> {
        let asked = self.shared().filter_map(|shared| shared.excess).min_by_key(|excess| excess.at);
        let full = |packets| Excess { sender: None, at: self.now(), asked: Asked::Room(packets) };
        asked.or_else(|| self.network.shards.iter().find_map(Shard::full).map(full))
    }

    pub fn duration(&self) -> Time {
        self.clock.meter.duration
    }

    pub fn packet_hops(&self) -> u64 {
        self.shared().map(|shared| shared.counters.packet_hops).sum()
    }

    pub fn lookahead(&self) -> Span {
        self.network.lookahead
    }

    /// What the run recorded; complete when it is over.
    pub fn record(&self) -> &Record {
        &self.clock.meter.record
    }

    /// Equal runs have equal digests: of every departure, every count and every finished flow.
    pub fn digest(&self) -> u64 {
        let mut counters = Counters::default();
        self.shared().for_each(|shared| counters.merge(&shared.counters));
        let mut ports = vec![0; self.network.setup.ports.len()];
        for region in self.network.regions() {
            let digests = region.fabric.links.iter().zip(&region.fabric.ports);
            digests.for_each(|(&link, port)| ports[link as usize] = port.digest());
        }
        digest(ports.into_iter(), &counters, &self.clock.meter.record.flows)
    }

    /// Memory of the state, bytes.
    pub fn bytes(&self) -> usize {
        self.network.shards.iter().map(Shard::bytes).sum()
    }
}
