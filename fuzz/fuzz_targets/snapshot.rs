//! Any bytes as a snapshot: they are refused, whether or not their checksum fits.
#![no_main]

use std::collections::BTreeMap;

use headgate_lab::simulation::Simulation;
use headgate_lab::snapshot;
use headgate_lab::user_code::UserCode;
use libfuzzer_sys::fuzz_target;
use serde::ser::{Serialize, SerializeTuple, Serializer};

const PLAN: &str = include_str!("../seeds/plan/replay.json");

/// Bytes that are written as they are, without their number.
struct Plain<'a>(&'a [u8]);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        self.0.iter().try_for_each(|byte| tuple.serialize_element(byte))?;
        tuple.end()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let lists = BTreeMap::new();
    let _ = Simulation::resume(PLAN, &lists, UserCode::default(), bytes);
    let mut whole = Vec::new();
    let identity = snapshot::identity(PLAN, &lists);
    snapshot::write(identity, &Plain(bytes), &mut whole).expect("bytes").expect("memory");
    let _ = Simulation::resume(PLAN, &lists, UserCode::default(), &whole);
});
