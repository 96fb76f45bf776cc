//! The record of a run: counters, events and rows of results.
//!
//! Records contain facts only; the laboratory and the Python package form ratios from them.

use headgate_model::column::{Count, Instant};
use serde::{Deserialize, Serialize};

mod counters;
mod events;
pub mod exact;
pub mod flow_stats;
mod flows;
mod histogram;
mod keys;
mod media;
pub mod observer;
mod periods;
mod ports;
pub mod trace;

pub use counters::Counters;
pub use events::{Connection, EVENT_KINDS, Event, EventKind, NO_NUMBER, PACKET_KINDS};
pub use flows::{FlowRow, FlowSample, Status};
pub use histogram::Histogram;
pub use keys::{FILE, FlowKey, FlowKeys, LONG_LIVED, NAMED, WEB_OBJECT};
pub use media::{MediaDelays, MediaReceived, MediaRow, MediaSample, MediaSent};
pub use periods::{BUCKETS, ClassRow, ControllerRow, FlowStats, LinkRow, PeriodRow};
pub use ports::{EarlyCounts, LinkUsage, PortRow, PortSample, Tally};

/// Returns one number for everything that happened: the departures of every port, the counters and the row
/// of each flow.
pub fn digest(ports: impl Iterator<Item = u64>, counters: &Counters, flows: &[FlowRow]) -> u64 {
    let fold = |h: u64, word: u64| (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let rows = flows.iter().flat_map(FlowRow::digest_words);
    ports.chain(counters.words()).chain(rows).fold(flows.len() as u64, fold)
}

/// The results of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Rows of flows, by start, traffic and address.
    pub flows: Vec<FlowRow>,
    /// Rows of ports, one for each link of the plan.
    pub ports: Vec<PortRow>,
    /// Samples of the flows of the plan's series.
    pub flow_samples: Vec<FlowSample>,
    /// Samples of the links of the plan's series.
    pub port_samples: Vec<PortSample>,
    /// Samples of the whole network.
    pub network_samples: Vec<NetworkSample>,
    /// Rows of the measurement periods.
    pub periods: Vec<PeriodRow>,
    /// Rows of the congestion control algorithms, for each period.
    pub controllers: Vec<ControllerRow>,
    /// Rows of the classes of flows, for each period.
    pub classes: Vec<ClassRow>,
    /// Rows of the links, for each period.
    pub links: Vec<LinkRow>,
    /// Rows of the streams of media, for each period.
    pub media: Vec<MediaRow>,
    /// Samples of the streams of media, if the plan has series.
    pub media_samples: Vec<MediaSample>,
    /// The balance of packets at the end.
    pub balance: Balance,
    /// The meaning of class numbers.
    pub keys: FlowKeys,
    /// Number of all sources of the plan: users, hosts of Poisson pools and of flow lists, single flows.
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
    /// Counts that must add up at the end of a run.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Balance {
        under_way: Count [HIDDEN], "packets", "Data packets between hosts at the end, found in the calendar and at the ports that hold packets.";
    }
    parts {
        /// Counts of the whole run.
        pub counters: Counters,
    }
}
