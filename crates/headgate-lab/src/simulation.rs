//! A run that can be stopped at any time, saved to a file and resumed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};
use std::time::Instant;

use headgate_algos::control::AnyController;
use headgate_algos::plugin::Fault;
use headgate_model::check::{PlanError, Result};
use headgate_model::units::NEVER;
pub use headgate_model::units::{Time, seconds};
use headgate_netsim::devices::Arrays;
pub use headgate_netsim::packets::foreign::{Delivery, ForeignPacket, InjectError, Loss, Outcomes};
use headgate_netsim::packets::index::{FlowId, LinkIndex};
use headgate_netsim::record::observer::Observer;
use headgate_netsim::record::trace::TraceSelection;
use headgate_netsim::record::{EVENT_KINDS, Event, PACKET_KINDS};
pub use headgate_netsim::region::limits::LimitExceeded;
use headgate_netsim::run::engine::Engine;
use headgate_tcp::Phase;

use crate::snapshot;
use crate::tables::{Table, labels, tables, updates};
use crate::trace_log::Log;
use crate::user_code::UserCode;
use crate::validate::validate;

/// One run: its engine, and the identity of its plan.
pub struct Simulation {
    engine: Engine<AnyController>,
    identity: u64,
    user_code: UserCode,
    log: Log,
}

/// An external packet, and the time at which it leaves its host, ps.
pub type Arrival = (Time, ForeignPacket);

/// The events that the engine reported.
#[derive(Default)]
struct Events(Vec<Event>);

impl Observer for Events {
    fn on_event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

/// The results of a run.
pub struct Results {
    pub tables: Vec<Table>,
    /// The labels of numbers, by column. The last one is empty, for numbers without a label.
    pub labels: BTreeMap<&'static str, Vec<String>>,
    /// Equal runs have equal digests.
    pub digest: String,
    pub packet_hops: u64,
    /// The time by which groups of routers may advance ahead of each other, seconds.
    pub lookahead_s: f64,
}

impl Simulation {
    /// Creates a run of a plan and the user-defined code that it names.
    ///
    /// # Errors
    /// If the plan is invalid, or user-defined code is missing.
    pub fn new(plan_json: &str, lists: &Arrays, user_code: UserCode) -> Result<Self> {
        let mut ready = validate(plan_json, lists)?;
        user_code.complete(&mut ready.choices.ports)?;
        let mut engine = Engine::new(&ready.plan, &ready.choices, lists);
        user_code.join(&mut engine)?;
        Ok(Self { engine, identity: snapshot::identity(plan_json, lists), user_code, log: Log::default() })
    }

    /// Resumes a run of the same plan from a [`Self::snapshot`].
    ///
    /// # Errors
    /// If the snapshot is damaged or belongs to another plan.
    pub fn resume(plan_json: &str, lists: &Arrays, user_code: UserCode, bytes: &[u8]) -> Result<Self> {
        let identity = snapshot::identity(plan_json, lists);
        let mut engine = snapshot::read(identity, bytes)?;
        user_code.join(&mut engine)?;
        Ok(Self { engine, identity, user_code, log: Log::default() })
    }

    /// Writes the state between two events.
    ///
    /// # Errors
    /// The inner result is the file's error; the outer one is that of the state.
    pub fn snapshot(&self, file: &mut impl Write) -> Result<io::Result<()>> {
        let told = |wrong| self.fault().map_or(wrong, |fault| PlanError::new("snapshot", &fault.message));
        snapshot::write(self.identity, &self.engine, file).map_err(told)
    }

    /// Runs for about `wall_s` seconds of real time. Returns true if the run has ended. The division of a run
    /// into calls does not affect its results.
    pub fn advance(&mut self, wall_s: f64) -> bool {
        self.advance_until(wall_s, NEVER)
    }

    /// As [`Self::advance`], but runs no window that ends after `until`, ps.
    pub fn advance_until(&mut self, wall_s: f64, until: Time) -> bool {
        let started = Instant::now();
        let Self { engine, user_code, .. } = self;
        let sound = || user_code.fault().is_none();
        engine.advance_to(until, &mut || started.elapsed().as_secs_f64() < wall_s && sound())
    }

    /// Runs all windows that end by `until`, ps, so that packets may be injected from [`Self::now`] on.
    /// Returns true if the run has ended.
    pub fn advance_to(&mut self, until: Time) -> bool {
        let Self { engine, user_code, .. } = self;
        engine.advance_to(until, &mut || user_code.fault().is_none())
    }

    /// Injects a packet of unknown payload at a live host of the plan, at a time not before [`Self::now`].
    /// Calls are in order of time.
    ///
    /// # Errors
    /// If the packet cannot be injected.
    pub fn inject(&mut self, time: Time, packet: &ForeignPacket) -> Result<(), InjectError> {
        self.engine.inject(time, packet)
    }

    /// Runs all windows that end by `until`, ps, and injects each of `arrivals` in the window to which it
    /// belongs. Returns true if the run has ended. Runs with the same arrivals are therefore equal, however
    /// early the arrivals are known.
    ///
    /// # Errors
    /// If a packet cannot be injected.
    pub fn advance_with(
        &mut self,
        arrivals: &mut VecDeque<Arrival>,
        until: Time,
    ) -> Result<bool, InjectError> {
        loop {
            let end = self.engine.window_end().min(self.engine.duration());
            if end > until {
                return Ok(false);
            }
            while let Some((time, packet)) = arrivals.front().filter(|arrival| arrival.0 < end) {
                self.inject(*time, packet)?;
                arrivals.pop_front();
            }
            let before = self.now();
            if self.advance_to(end) {
                return Ok(true);
            }
            if self.now() == before {
                return Ok(false);
            }
        }
    }

    /// Whether packets can travel from one live host to another.
    pub fn can_send(&self, from: u32, to: u32) -> bool {
        self.engine.can_send(from, to)
    }

    /// The end of the next window, ps.
    pub fn window_end(&self) -> Time {
        self.engine.window_end()
    }

    /// Ends the run at `time`, ps, if that is before its end.
    pub fn end_at(&mut self, time: Time) {
        self.engine.end_at(time);
    }

    /// Takes the outcomes of injected packets since the last call, in order of time.
    pub fn take_outcomes(&mut self) -> Outcomes {
        self.engine.take_outcomes()
    }

    /// The time up to which all events were processed, ps.
    pub fn now(&self) -> Time {
        self.engine.now()
    }

    /// Sets the number of threads. Results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.engine.use_threads(threads);
    }

    /// Limits the number of packets in flight; a run that needs more ends with an [`LimitExceeded`].
    pub fn limit(&mut self, packets: usize) {
        self.engine.set_packet_limit(packets);
    }

    /// The fault of user-defined code, if one occurred. Later results are invalid.
    pub fn fault(&self) -> Option<&Fault> {
        self.user_code.fault()
    }

    /// The limit that an algorithm or the network exceeded, if any. The run then stops.
    pub fn excess(&self) -> Option<LimitExceeded> {
        self.engine.limit_exceeded()
    }

    pub fn time_s(&self) -> f64 {
        seconds(self.engine.now())
    }

    pub fn duration_s(&self) -> f64 {
        seconds(self.engine.duration())
    }

    pub fn packet_hops(&self) -> u64 {
        self.engine.packet_hops()
    }

    /// The memory of the engine, bytes.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Records the events of these flows and of all packets at these links, by their numbers in the plan,
    /// from now on. Results do not depend on it.
    pub fn follow(&mut self, flows: BTreeSet<u32>, links: BTreeSet<u32>) {
        let (flows, links) = (flows.into_iter().map(FlowId), links.into_iter().map(LinkIndex));
        self.engine.follow(TraceSelection { flows: flows.collect(), links: links.collect() });
    }

    /// The kinds of event and the states of a connection, in the order of their numbers in
    /// [`Self::take_updates`].
    pub fn event_labels() -> BTreeMap<&'static str, &'static [&'static str]> {
        BTreeMap::from([("event", EVENT_KINDS), ("state", &Phase::NAMES), ("packet", PACKET_KINDS)])
    }

    /// Takes at most `most` new events, and the connections whose first event is among them. Events beyond
    /// `most` are lost.
    pub fn take_trace(&mut self, most: usize) -> &Log {
        self.log.begin(most);
        self.engine.report_events(&mut self.log);
        &self.log
    }

    /// Takes the new samples and events, as tables.
    pub fn take_updates(&mut self) -> Vec<Table> {
        let mut events = Events::default();
        self.engine.report_events(&mut events);
        updates(self.engine.take_samples(), &events.0)
    }

    pub fn results(&mut self) -> Results {
        Results {
            tables: tables(self.engine.record()),
            labels: labels(self.engine.record()).map(|(column, words)| (column, words.to_vec())).into(),
            digest: format!("{:016x}", self.engine.digest()),
            packet_hops: self.engine.packet_hops(),
            lookahead_s: seconds(self.engine.lookahead()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{lists, plan};
    use crate::tables::Column;

    fn start() -> Simulation {
        Simulation::new(&plan().to_string(), &lists(), UserCode::default()).expect("a good plan")
    }

    fn resume(bytes: &[u8]) -> Result<Simulation> {
        Simulation::resume(&plan().to_string(), &lists(), UserCode::default(), bytes)
    }

    fn finished(mut simulation: Simulation) -> Results {
        while !simulation.advance(1.0) {}
        simulation.results()
    }

    /// A run that was stopped before its end.
    fn stopped() -> Simulation {
        let mut simulation = start();
        while simulation.time_s() < 4.0 {
            assert!(!simulation.advance(0.0));
        }
        simulation
    }

    /// Compares results; NaN equals NaN.
    fn assert_equal(one: &Results, other: &Results) {
        assert_eq!((&one.digest, one.packet_hops), (&other.digest, other.packet_hops));
        assert_eq!(format!("{:?}", one.tables), format!("{:?}", other.tables));
    }

    #[test]
    fn a_run_stops_at_simulated_times_and_gives_the_same_result() {
        let mut run = start();
        for second in 1..10 {
            assert!(!run.advance_until(60.0, second * 1_000_000_000_000));
            // no window is longer than half a second
            assert!((second as f64 - 0.5..=second as f64).contains(&run.time_s()), "{}", run.time_s());
        }
        assert!(run.advance_until(60.0, 10_000_000_000_000));
        assert_equal(&run.results(), &finished(start()));
    }

    #[test]
    fn a_run_goes_to_its_end_and_fills_its_tables() {
        let mut simulation = start();
        assert_eq!((simulation.time_s(), simulation.duration_s()), (0.0, 10.0));
        while !simulation.advance(1.0) {}
        assert_eq!(simulation.time_s(), 10.0);
        assert!(simulation.bytes() > 0 && simulation.packet_hops() > 10_000);
        let results = simulation.results();
        assert_eq!(results.digest.len(), 16);
        for table in &results.tables {
            let empty = match &table.columns[0].1 {
                Column::U64(values) => values.is_empty(),
                Column::F64(values) => values.is_empty(),
            };
            assert_eq!(empty, table.name.starts_with("media"), "{}", table.name); // no media here
        }
    }

    #[test]
    fn how_a_run_is_cut_into_slices_does_not_matter() {
        assert_equal(&finished(start()), &finished(stopped()));
    }

    fn bytes_of(run: &Simulation) -> Vec<u8> {
        let mut bytes = Vec::new();
        run.snapshot(&mut bytes).unwrap().unwrap();
        bytes
    }

    #[test]
    fn a_resumed_run_ends_like_one_that_never_stopped() {
        let bytes = bytes_of(&stopped());
        let resumed = resume(&bytes).unwrap();
        assert!(resumed.time_s() >= 4.0);
        assert_equal(&finished(start()), &finished(resumed));
    }

    #[test]
    fn a_snapshot_of_another_plan_or_a_damaged_one_is_refused() {
        let bytes = bytes_of(&stopped());
        let mut other = plan();
        other["seed"] = 2.into();
        let wrong = Simulation::resume(&other.to_string(), &lists(), UserCode::default(), &bytes)
            .err()
            .expect("a refusal");
        assert_eq!(wrong.to_string(), "snapshot: it is of another plan");
        for cut in [0, 7, 9, 20, bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(resume(&bytes[..cut]).err().expect("a refusal").place, "snapshot");
        }
        for place in (0..bytes.len()).step_by(997) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert_eq!(resume(&damaged).err().expect("a refusal").place, "snapshot", "byte {place}");
        }
    }
}
