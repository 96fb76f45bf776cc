//! A run that can be stopped at any time, kept as bytes and resumed.

use std::time::Instant;

use headgate_algos::control::AnyLaw;
use headgate_model::units::seconds;
use headgate_netsim::engine::Engine;
use headgate_netsim::setup::Lists;

use crate::error::Checked;
use crate::snapshot;
use crate::tables::{Table, tables};
use crate::validate::validate;

/// One run: the engine at work, and the identity of what it runs.
pub struct Simulation {
    engine: Engine<AnyLaw>,
    identity: u64,
}

/// What a run leaves behind.
pub struct Results {
    pub tables: Vec<Table>,
    /// Equal runs have equal digests.
    pub digest: String,
    pub packet_hops: u64,
    /// How far groups of routers may run ahead of each other.
    pub lookahead_s: f64,
}

impl Simulation {
    pub fn new(plan_json: &str, lists: &Lists) -> Checked<Self> {
        let ready = validate(plan_json, lists)?;
        let engine = Engine::new(&ready.plan, &ready.laws, lists);
        Ok(Self { engine, identity: snapshot::identity(plan_json, lists) })
    }

    /// Goes on where [`Self::snapshot`] was taken of the same plan.
    pub fn resume(plan_json: &str, lists: &Lists, bytes: &[u8]) -> Checked<Self> {
        let identity = snapshot::identity(plan_json, lists);
        Ok(Self { engine: snapshot::read(identity, bytes)?, identity })
    }

    pub fn snapshot(&self) -> Checked<Vec<u8>> {
        snapshot::write(self.identity, &self.engine)
    }

    /// Runs for about `wall_s` seconds of real time; true when the run is over. How a run is cut into
    /// calls does not change its results.
    pub fn advance(&mut self, wall_s: f64) -> bool {
        let started = Instant::now();
        self.engine.advance(&mut || started.elapsed().as_secs_f64() < wall_s)
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

    /// Memory that the engine holds, bytes.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    pub fn results(&mut self) -> Results {
        Results {
            tables: tables(self.engine.record()),
            digest: format!("{:016x}", self.engine.digest()),
            packet_hops: self.engine.packet_hops(),
            lookahead_s: seconds(self.engine.lookahead()),
        }
    }
}
