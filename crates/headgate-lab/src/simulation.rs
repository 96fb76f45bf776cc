//! A run that can be stopped at any time, kept in a file and resumed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};
use std::time::Instant;

use headgate_algos::control::AnyController;
use headgate_algos::plugin::Fault;
use headgate_model::check::{Checked, Wrong};
pub use headgate_model::units::{Time, seconds};
use headgate_netsim::choices::Lists;
use headgate_netsim::engine::Engine;
pub use headgate_netsim::excess::Excess;
pub use headgate_netsim::foreign::{Delivery, ForeignPacket, Loss, Outcomes, Refused};
use headgate_netsim::observer::Observer;
use headgate_netsim::record::{EVENT_KINDS, Event, PACKET_KINDS};
use headgate_netsim::trace::Followed;
use headgate_tcp::Phase;

use crate::own::Own;
use crate::snapshot;
use crate::tables::{Table, labels, tables, updates};
use crate::trace_log::Log;
use crate::validate::validate;

/// One run: the engine at work, and the identity of what it runs.
pub struct Simulation {
    engine: Engine<AnyController>,
    identity: u64,
    own: Own,
    log: Log,
}

/// A packet from outside, and when it leaves its host, ps.
pub type Arrival = (Time, ForeignPacket);

/// Events that were handed out.
#[derive(Default)]
struct Events(Vec<Event>);

impl Observer for Events {
    fn on_event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

/// What a run leaves behind.
pub struct Results {
    pub tables: Vec<Table>,
    /// What numbers stand for, by column; the last is empty, for what has no label.
    pub labels: BTreeMap<&'static str, Vec<String>>,
    /// Equal runs have equal digests.
    pub digest: String,
    pub packet_hops: u64,
    /// How far groups of routers may run ahead of each other.
    pub lookahead_s: f64,
}

impl Simulation {
    /// A run of a plan and the users' own code that it names.
    pub fn new(plan_json: &str, lists: &Lists, own: Own) -> Checked<Self> {
        let mut ready = validate(plan_json, lists)?;
        own.complete(&mut ready.choices.ports)?;
        let mut engine = Engine::new(&ready.plan, &ready.choices, lists);
        own.join(&mut engine)?;
        Ok(Self { engine, identity: snapshot::identity(plan_json, lists), own, log: Log::default() })
    }

    /// Resumes a run of the same plan from a [`Self::snapshot`].
    pub fn resume(plan_json: &str, lists: &Lists, own: Own, bytes: &[u8]) -> Checked<Self> {
        let identity = snapshot::identity(plan_json, lists);
        let mut engine = snapshot::read(identity, bytes)?;
        own.join(&mut engine)?;
        Ok(Self { engine, identity, own, log: Log::default() })
    }

    /// Writes the state between two events. The inner result is the file's error.
    pub fn snapshot(&self, file: &mut impl Write) -> Checked<io::Result<()>> {
        let told = |wrong| self.fault().map_or(wrong, |fault| Wrong::new("snapshot", &fault.says));
        snapshot::write(self.identity, &self.engine, file).map_err(told)
    }

    /// Runs for about `wall_s` seconds of real time; true when the run is over. How a run is cut into
    /// calls does not change its results.
    pub fn advance(&mut self, wall_s: f64) -> bool {
        let started = Instant::now();
        let Self { engine, own, .. } = self;
        let sound = || own.fault().is_none();
        engine.advance(&mut || started.elapsed().as_secs_f64() < wall_s && sound())
    }

    /// Runs all windows that end by `until`, ps, so that packets may be injected from [`Self::now`] on; true when
    /// the run is over.
    pub fn advance_to(&mut self, until: Time) -> bool {
        let Self { engine, own, .. } = self;
        engine.advance_to(until, &mut || own.fault().is_none())
    }

    /// Injects a packet of unknown payload into the network at a live host of the plan, at a time not before
    /// [`Self::now`]; calls come in the order of time.
    pub fn inject(&mut self, time: Time, packet: &ForeignPacket) -> Result<(), Refused> {
        self.engine.inject(time, packet)
    }

    /// Runs all windows that end by `until`, ps, and injects each of `arrivals` with the window that it falls into;
    /// true when the run is over. So a run with the same arrivals is the same run, however early they are known.
    pub fn advance_with(&mut self, arrivals: &mut VecDeque<Arrival>, until: Time) -> Result<bool, Refused> {
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

    /// Returns whether packets can go from one live host to another.
    pub fn can_send(&self, from: u32, to: u32) -> bool {
        self.engine.can_send(from, to)
    }

    /// Returns the end of the window that runs next, ps.
    pub fn window_end(&self) -> Time {
        self.engine.window_end()
    }

    /// Ends the run at `time`, ps, if that is before its end.
    pub fn end_at(&mut self, time: Time) {
        self.engine.end_at(time);
    }

    /// Takes the fates of injected packets since the last call, in order of time.
    pub fn take_outcomes(&mut self) -> Outcomes {
        self.engine.take_outcomes()
    }

    /// Returns the instant up to which everything has happened, ps.
    pub fn now(&self) -> Time {
        self.engine.now()
    }

    /// Sets the number of threads from now on. Results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.engine.use_threads(threads);
    }

    /// Limits the packets in flight to what memory holds; a run that needs more ends with an [`Excess`].
    pub fn limit(&mut self, packets: usize) {
        self.engine.limit(packets);
    }

    /// Returns the fault of a user's own law or discipline, if one failed; results after it mean nothing.
    pub fn fault(&self) -> Option<&Fault> {
        self.own.fault()
    }

    /// Returns the limit that a law or the network exceeded, if any; the run does not go on.
    pub fn excess(&self) -> Option<Excess> {
        self.engine.excess()
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

    /// Returns the memory that the engine holds, bytes.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Records from now on the events of these flows, and of all packets at these links, by their numbers in the
    /// plan. Results do not depend on it.
    pub fn follow(&mut self, flows: BTreeSet<u32>, links: BTreeSet<u32>) {
        self.engine.follow(Followed { flows, links });
    }

    /// Returns the kinds of event and the states of a connection, in the order of their numbers in
    /// [`Self::take_updates`].
    pub fn event_labels() -> BTreeMap<&'static str, &'static [&'static str]> {
        BTreeMap::from([("event", EVENT_KINDS), ("state", &Phase::NAMES), ("packet", PACKET_KINDS)])
    }

    /// Takes at most `most` events that were not taken yet, and the connections whose first event is among them.
    /// Events beyond `most` are lost.
    pub fn take_trace(&mut self, most: usize) -> &Log {
        self.log.begin(most);
        self.engine.report_events(&mut self.log);
        &self.log
    }

    /// Takes the samples and events that were not taken yet, as tables.
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
        Simulation::new(&plan().to_string(), &lists(), Own::default()).expect("a good plan")
    }

    fn resume(bytes: &[u8]) -> Checked<Simulation> {
        Simulation::resume(&plan().to_string(), &lists(), Own::default(), bytes)
    }

    fn finished(mut simulation: Simulation) -> Results {
        while !simulation.advance(1.0) {}
        simulation.results()
    }

    /// A run that stopped somewhere on its way.
    fn stopped() -> Simulation {
        let mut simulation = start();
        while simulation.time_s() < 4.0 {
            assert!(!simulation.advance(0.0));
        }
        simulation
    }

    /// NaN equals NaN here.
    fn assert_equal(one: &Results, other: &Results) {
        assert_eq!((&one.digest, one.packet_hops), (&other.digest, other.packet_hops));
        assert_eq!(format!("{:?}", one.tables), format!("{:?}", other.tables));
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
            assert!(!empty, "{}", table.name);
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
        let wrong = Simulation::resume(&other.to_string(), &lists(), Own::default(), &bytes)
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
