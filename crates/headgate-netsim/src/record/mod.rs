//! What a run counts and keeps: facts only, ratios are made elsewhere.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

mod counters;
mod flows;
mod periods;
mod ports;

pub use counters::{Counters, PAIRS, pair};
pub use flows::{FlowRow, FlowSample, FlowTally, Repairs, Status};
pub use periods::{BUCKETS, Cell, ClassRow, LawRow, LinkRow, PeriodRow, Sort};
pub use ports::{Early, PortRow, PortSample, Tally};

/// One number for all that happened: every port's departures, the counts, and each flow's row.
pub fn digest(ports: impl Iterator<Item = u64>, counters: &Counters, flows: &[FlowRow]) -> u64 {
    let fold = |h: u64, word: u64| (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let rows = flows.iter().flat_map(FlowRow::words);
    ports.chain(counters.words()).chain(rows).fold(flows.len() as u64, fold)
}

/// Everything a run leaves behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// In the order of start, traffic, address.
    pub flows: Vec<FlowRow>,
    /// One for each link of the plan.
    pub ports: Vec<PortRow>,
    pub flow_samples: Vec<FlowSample>,
    pub port_samples: Vec<PortSample>,
    pub network_samples: Vec<NetworkSample>,
    pub periods: Vec<PeriodRow>,
    pub laws: Vec<LawRow>,
    pub classes: Vec<ClassRow>,
    pub links: Vec<LinkRow>,
    pub balance: Balance,
    /// All sources of the plan: users, hosts of Poisson pools and of flow lists, single flows.
    pub sources: u64,
}

/// The whole network at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkSample {
    pub time: Time,
    pub active: u64,
    pub connecting: u64,
    pub finished: u64,
}

/// What must add up at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// Counts of the whole run.
    pub counters: Counters,
    /// Data packets between hosts at the end, found in the calendar and at the ports that hold packets.
    pub under_way: u64,
}
