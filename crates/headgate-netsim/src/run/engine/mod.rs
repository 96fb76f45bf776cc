//! The engine. Time advances in windows no longer than the lookahead. Within a window every region runs
//! independently, as one sorted batch without an event queue.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::devices::{Arrays, ResolvedDevices};
use crate::packets::packet::Packet;
use crate::plan::Plan;
use crate::record::observer::{Observer, SampleCursor};
use crate::record::trace::{Connections, TraceSelection};
use crate::record::{Balance, Counters, FlowSample, NetworkSample, PortRow, PortSample, Record, digest};
use crate::region::limits::{Limit, LimitExceeded};
use crate::region::partition::Partition;
use crate::region::setup::Setup;
use crate::region::shard_state::ShardState;
use crate::run::all_shards::AllShards;
use crate::run::network::Network;
use crate::run::populate;
use crate::run::recorder::Recorder;
use crate::run::shard::Shard;
use crate::run::thread_pool::{PARALLEL_FROM, ThreadPool, with_thread_pool};
use crate::time::windows::Windows;

mod live;

/// A run. Between calls of [`Engine::advance`], its whole state can be serialised.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Engine<L: ControllerRegistry> {
    network: Network<L>,
    clock: Clock,
    /// It was stopped within a window.
    stopped_mid_window: bool,
    /// Number of threads. A change applies from the next window on.
    #[serde(skip, default = "one")]
    threads: usize,
    /// Window from which on regions are redistributed. The first distributions are guesses; later ones
    /// rarely change.
    #[serde(skip)]
    next_rebalance: u64,
    /// Packets of a stretch from which on the next one runs in parallel.
    #[serde(skip, default = "parallel_from")]
    parallel_from: u64,
    #[serde(skip, default = "no_limit")]
    packet_limit: usize,
    /// Connections whose events are reported.
    connections: Connections,
    #[serde(skip)]
    samples: SampleCursor,
    /// For each live host when its last foreign packet left it.
    last_injected: Vec<Option<Time>>,
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

/// Windows before the load of each region is known well enough to distribute them.
const FIRST_WINDOWS: u64 = 64;

/// The progress of a run, and its recorder.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Clock {
    windows: Windows,
    /// The current window.
    window: u64,
    /// Windows that end later are not run by this call.
    #[serde(skip, default = "never")]
    until: Time,
    recorder: Recorder,
}

/// The reason that [`Engine::advance`] stops running windows.
#[derive(PartialEq, Eq)]
enum PauseReason {
    /// The run has ended.
    Finished,
    /// Stopped between two windows.
    Stopped,
    /// Stopped within a stretch.
    Interrupted,
    /// The regions must be redistributed.
    Rebalance,
}

impl Clock {
    /// Runs window by window.
    fn run<L: ControllerRegistry>(
        &mut self,
        setup: &Arc<Setup>,
        pool: &mut dyn ThreadPool<L>,
        sharing: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> PauseReason {
        while !self.recorder.is_done() {
            let (end, stop) = (self.windows.start(self.window + 1), self.recorder.next_stop());
            if end.min(self.recorder.duration) > self.until {
                return PauseReason::Stopped;
            }
            let outcome = pool.run(self.window, end.min(stop), go_on);
            if !outcome.is_complete {
                return PauseReason::Interrupted;
            }
            if stop <= end {
                pool.with_all_shards(&mut |shards| self.visit(stop, setup, shards));
            }
            if end <= stop {
                self.window = self.next_window(outcome.quiet_until);
                let pause =
                    if self.window >= sharing { PauseReason::Rebalance } else { PauseReason::Stopped };
                if pause == PauseReason::Rebalance || !go_on() {
                    return if self.recorder.is_done() { PauseReason::Finished } else { pause };
                }
            }
        }
        PauseReason::Finished
    }

    fn visit<L: ControllerRegistry>(&mut self, now: Time, setup: &Arc<Setup>, shards: &mut [&mut Shard<L>]) {
        let in_calendar = |shard: &mut &mut Shard<L>| shard.workspace.calendar.count(Packet::is_data);
        let last = now >= self.recorder.duration;
        let in_calendar = if last { shards.iter_mut().map(in_calendar).sum() } else { 0 };
        let mut all_shards = AllShards::new(setup, shards.iter_mut().map(|shard| &mut **shard));
        self.recorder.visit(now, &mut all_shards);
        if last {
            self.recorder.record.balance = balance(&all_shards, in_calendar, &self.recorder.record.ports);
        }
    }

    /// Returns the next window. If no packet is in flight, windows without timers are skipped.
    fn next_window(&self, quiet_until: Option<Time>) -> u64 {
        let window_of = |timer: Time| self.windows.of(timer.min(self.recorder.next_stop()).min(self.until));
        let next = quiet_until.map_or(0, window_of);
        next.max(self.window + 1)
    }
}

/// Balances the packets: each is in a calendar or stored by a port.
fn balance<L: ControllerRegistry>(
    all_shards: &AllShards<'_, L>,
    in_calendar: usize,
    ports: &[PortRow],
) -> Balance {
    let doomed: u64 = ports.iter().map(|port| port.early.lost).sum();
    let under_way = (in_calendar + all_shards.held_data()) as u64 + doomed;
    Balance { counters: all_shards.counters().without_early(ports), under_way }
}

impl<L: ControllerRegistry> Engine<L> {
    /// Creates the state before the first event of a validated plan.
    pub fn new(plan: &Plan, choices: &ResolvedDevices, arrays: &Arrays) -> Self {
        let population = populate::populate(plan, choices, arrays);
        let regions = Partition::of(plan, &population.hosts, &population.inline);
        let live = population.state.setup.live.len();
        let regions = if live > 0 { regions.with_live_windows() } else { regions };
        let recorder = Recorder::new(plan, population.sources);
        let windows = Windows::new(regions.lookahead);
        let network = Network::new(plan, population, &regions);
        let clock = Clock { windows, window: 0, until: NEVER, recorder };
        Self {
            network,
            clock,
            stopped_mid_window: false,
            threads: 1,
            next_rebalance: u64::MAX,
            parallel_from: PARALLEL_FROM,
            packet_limit: usize::MAX,
            connections: Connections::default(),
            samples: SampleCursor::default(),
            last_injected: vec![None; live],
        }
    }

    /// Sets the number of threads. Results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, self.network.regions().count().max(1));
        self.next_rebalance = self.clock.window;
    }

    /// Runs every stretch in parallel, however few its packets. Slow; for tests.
    pub fn always_in_parallel(&mut self) {
        self.parallel_from = 0;
    }

    /// Runs until the end, until `go_on` returns false, or until a limit is exceeded. Returns true if the
    /// run has ended.
    pub fn advance(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        loop {
            self.rebalance();
            let Self { network: Network { setup, shards, .. }, clock, next_rebalance, parallel_from, .. } =
                self;
            let sharing = *next_rebalance;
            let pause =
                with_thread_pool(shards, *parallel_from, |pool| clock.run(setup, pool, sharing, go_on));
            self.stopped_mid_window = pause == PauseReason::Interrupted;
            if pause == PauseReason::Finished || self.limit_exceeded().is_some() {
                return self.clock.recorder.is_done();
            }
            if pause != PauseReason::Rebalance {
                return false;
            }
        }
    }

    /// Distributes the regions over the threads by their load, if it is time.
    fn rebalance(&mut self) {
        let window = self.clock.window;
        if self.stopped_mid_window || window < self.next_rebalance {
            return;
        }
        self.network.rebalance(self.threads, window);
        self.set_packet_limit(self.packet_limit);
        let later = (2 * window).max(window + FIRST_WINDOWS);
        self.next_rebalance = if self.threads > 1 { later } else { u64::MAX };
    }

    /// Records from now on the events of these flows, and of all packets at the ports of these links, for
    /// [`Self::report_events`]. Results do not depend on it. Existing connections are traced as far as they
    /// are known. A run that traces the same after a resume misses nothing.
    pub fn follow(&mut self, selection: TraceSelection) {
        let selection = Arc::new(selection);
        let (now, split) = (self.now(), self.network.setup.split);
        for shard in &mut self.network.shards {
            shard.workspace.state.trace.follow(&selection);
            let trace = &shard.workspace.state.trace;
            let flows = shard.regions.iter_mut().flat_map(|region| &mut region.groups);
            for flow in flows.flat_map(|group| &mut group.flows) {
                flow.endpoint.is_followed = selection.flows.contains(&flow.flow_id);
                if flow.is_open() && trace.covers_flow(flow.flow_id) {
                    self.connections.add_existing(flow.connection(now, split));
                }
            }
        }
    }

    /// Reports the new events before [`Self::now`] to `observer`, in order of time. Each connection is
    /// reported before its first event.
    pub fn report_events(&mut self, observer: &mut impl Observer) {
        let now = self.now();
        let traces = self.network.shards.iter_mut().map(|shard| &mut shard.workspace.state.trace);
        self.connections.report(traces, now, observer);
    }

    /// Returns the samples that were not taken yet: of flows, of ports, of the network.
    pub fn take_samples(&mut self) -> (&[FlowSample], &[PortSample], &[NetworkSample]) {
        self.samples.take(&self.clock.recorder.record)
    }

    /// Like [`Self::advance`], and then reports new samples and events to `observer`.
    pub fn advance_observed(
        &mut self,
        observer: &mut impl Observer,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let has_ended = self.advance(go_on);
        self.report_events(observer);
        self.samples.report(&self.clock.recorder.record, observer);
        has_ended
    }

    /// Iterates over all congestion control algorithms: the new ones, and those of flows.
    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.network.shards.iter_mut().flat_map(Shard::controllers_mut)
    }

    /// Iterates over the queue disciplines of ports.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.network.shards.iter_mut().flat_map(Shard::disciplines_mut)
    }

    fn shard_states(&self) -> impl Iterator<Item = &ShardState<L>> {
        self.network.shards.iter().map(|shard| &shard.workspace.state)
    }

    /// Returns the instant up to which all events have happened, picoseconds.
    pub fn now(&self) -> Time {
        let Clock { windows, window, recorder, .. } = &self.clock;
        if recorder.is_done() { recorder.duration } else { windows.start(*window) }
    }

    /// Sets the most packets in flight. A run that needs more ends.
    pub fn set_packet_limit(&mut self, packets: usize) {
        self.packet_limit = packets;
        let packets = packets / self.network.shards.len();
        self.network.shards.iter_mut().for_each(|shard| shard.set_packet_limit(packets));
    }

    /// Returns the limit that ended the run, if one was exceeded.
    pub fn limit_exceeded(&self) -> Option<LimitExceeded> {
        let limit =
            self.shard_states().filter_map(|state| state.limit_exceeded).min_by_key(|exceeded| exceeded.at);
        let full = |packets| LimitExceeded { sender: None, at: self.now(), limit: Limit::Room(packets) };
        limit.or_else(|| self.network.shards.iter().find_map(Shard::overflow).map(full))
    }

    /// Returns the duration of the run, picoseconds.
    pub fn duration(&self) -> Time {
        self.clock.recorder.duration
    }

    /// Returns the number of packets over links so far.
    pub fn packet_hops(&self) -> u64 {
        self.shard_states().map(|state| state.counters.packet_hops).sum()
    }

    /// Returns the least delay of a packet between regions, picoseconds.
    pub fn lookahead(&self) -> Span {
        self.network.lookahead
    }

    /// Returns what the run has recorded. The record is complete when the run has ended.
    pub fn record(&self) -> &Record {
        &self.clock.recorder.record
    }

    /// Returns the digest of every departure, count and ended flow. Equal runs have equal digests.
    pub fn digest(&self) -> u64 {
        let mut counters = Counters::default();
        self.shard_states().for_each(|state| counters.merge(&state.counters));
        let mut ports = vec![0; self.network.setup.ports.len()];
        for region in self.network.regions() {
            let digests = region.fabric.links.iter().zip(&region.fabric.ports);
            digests.for_each(|(&link, port)| ports[link.index()] = port.digest());
        }
        digest(ports.into_iter(), &counters, &self.clock.recorder.record.flows)
    }

    /// Returns the memory of the state, bytes.
    pub fn bytes(&self) -> usize {
        self.network.shards.iter().map(Shard::bytes).sum()
    }
}
