//! What a run counts and keeps: facts only, ratios are made elsewhere.

use headgate_model::column::{Count, Instant};
use serde::{Deserialize, Serialize};

mod counters;
mod events;
mod flows;
mod keys;
mod periods;
mod ports;

pub use counters::Counters;
pub use events::{Connection, EVENT_KINDS, Event, EventKind, NO_NUMBER, PACKET_KINDS, connection};
pub use flows::{FlowRow, FlowSample, Status};
pub use keys::{FILE, FlowKey, FlowKeys, LONG_LIVED, NAMED, WEB_OBJECT};
pub use periods::{BUCKETS, ClassRow, FlowStats, LawRow, LinkRow, PeriodRow};
pub use ports::{Early, PortRow, PortSample, Sent, Tally};

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
    /// What the numbers of classes stand for.
    pub keys: FlowKeys,
    /// All sources of the plan: users, hosts of Poisson pools and of flow lists, single flows.
    pub sources: u64,
}

headgate_model::columns! {
    /// The whole network at one instant.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct NetworkSample {
        time as t_s: Instant, "s", "Time since the start of the run.";
        active as active_flows: Count, "1", "Flows that are established and not finished.";
        connecting as connecting_flows: Count, "1", "Flows in their handshake.";
        finished as finished_flows: Count, "1", "Flows finished since the start.";
    }
}

headgate_model::columns! {
    /// What must add up at the end of a run.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Balance {
        under_way: Count [HIDDEN], "packets", "Data packets between hosts at the end, found in the calendar and at the ports that hold packets.";
    }
    parts {
        /// Counts of the whole run.
        pub counters: Counters,
    }
}
