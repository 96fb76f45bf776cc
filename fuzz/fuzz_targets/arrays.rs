//! Any numbers as the columns of a flow list: they are refused, or the run begins with them.
#![no_main]

use std::collections::BTreeMap;

use headgate_lab::simulation::Simulation;
use headgate_lab::user_code::UserCode;
use libfuzzer_sys::fuzz_target;

const PLAN: &str = include_str!("../seeds/plan/replay.json");

/// Five columns, each as long as the first byte of its part says.
fn columns(mut bytes: &[u8]) -> BTreeMap<String, Vec<u64>> {
    let mut lists = BTreeMap::new();
    for name in ["start_ps", "packets", "source", "receiver", "law"] {
        let Some((&rows, rest)) = bytes.split_first() else { break };
        let (column, rest) = rest.split_at(rest.len().min(8 * usize::from(rows)));
        let word = |part: &[u8]| u64::from_le_bytes(part.try_into().expect("eight bytes"));
        lists.insert(format!("list.{name}"), column.chunks_exact(8).map(word).collect());
        bytes = rest;
    }
    lists
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut run) = Simulation::new(PLAN, &columns(bytes), UserCode::default()) {
        run.advance(0.0);
    }
});
