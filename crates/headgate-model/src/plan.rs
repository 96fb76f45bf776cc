//! The parts of a plan: a scenario with every default filled in and every unit resolved.
//!
//! Python writes it as JSON. Times are integer picoseconds, rates bit/s, sizes
//! bytes; a packet count is a count of full segments.

use serde::Deserialize;

pub use crate::size::Size;
pub use crate::transport::{
    AfterIdle, Count, Pacing, Recovery, RtoRule, RttSampling, SynRetry, TimeoutReduction, TimeoutSacks,
    Transport,
};

/// A router.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Names differ.
    pub name: String,
    /// A label; flows are counted by the unordered pairs of these. Empty = no class.
    #[serde(default)]
    pub class: String,
}

/// One direction of a link, with the queue that feeds it.
#[derive(Default, Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Names differ.
    pub name: String,
    /// Index of the router that sends.
    pub from: u32,
    /// Index of the router that receives.
    pub to: u32,
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay, picoseconds.
    pub delay_ps: u64,
    /// The room of the queue.
    pub buffer: Buffer,
    /// Independent loss probability of each packet, after the queue.
    #[serde(default)]
    pub loss: f64,
    /// Loss probabilities to come, in order of time; each holds for what is sent from then on.
    #[serde(default)]
    pub losses: Vec<LossChange>,
    /// Packets lost after the queue, by number, in order; the first packet that enters is 1.
    #[serde(default)]
    pub lose: Vec<u64>,
    /// The discipline of the queue; absent = drop-tail.
    #[serde(default)]
    pub queue: Option<DeviceChoice>,
    /// What the router tells senders of its scheme.
    #[serde(default)]
    pub feedback: Option<DeviceChoice>,
    /// Rates to come, in order of time; what is queued by then still leaves at the rate before.
    #[serde(default)]
    pub changes: Vec<RateChange>,
    /// Delays to come, in order of time; each holds for what is sent from then on.
    #[serde(default)]
    pub delays: Vec<DelayChange>,
    /// A trace of opportunities in place of the rate, which then tells the trace's mean.
    #[serde(default)]
    pub trace: Option<Trace>,
    /// Impairments that arrivals meet before the queue, in order.
    #[serde(default)]
    pub ingress: Vec<DeviceChoice>,
    /// Impairments that packets meet once they are sent, in order; `loss` and `lose` come last.
    #[serde(default)]
    pub impairments: Vec<DeviceChoice>,
}

/// From then on the link has another delay.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayChange {
    /// When, picoseconds since the run began.
    pub at_ps: u64,
    /// The delay from then on, picoseconds.
    pub delay_ps: u64,
}

/// From then on the link loses packets with another probability.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// When, picoseconds since the run began.
    pub at_ps: u64,
    /// The probability from then on.
    pub loss: f64,
}

/// Instants at which a link carries 1500 bytes each.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the list beside the plan that has them: picoseconds, rising.
    pub list: String,
    /// After which all begins anew, picoseconds; absent = once.
    #[serde(default)]
    pub period_ps: Option<u64>,
}

impl Link {
    /// The least delay that it ever has, picoseconds.
    pub fn least_delay_ps(&self) -> u64 {
        self.delays.iter().map(|change| change.delay_ps).fold(self.delay_ps, u64::min)
    }
}

/// From then on the link has another rate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// When, picoseconds since the run began.
    pub at_ps: u64,
    /// The rate from then on, bit/s.
    pub rate_bps: u64,
}

/// How much may wait (the packet in service is extra).
#[derive(Default, Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
    /// No limit.
    #[default]
    Infinite,
}

/// A kind of host link: rate and delay are the same both ways.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Names differ.
    pub name: String,
    /// A label; flows are counted by that of the slower of their hosts' links. Empty = no class.
    #[serde(default)]
    pub class: String,
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay, picoseconds.
    pub delay_ps: u64,
    /// Bytes that may wait at the router's end, which drops what is beyond, and at the host's end, whose
    /// senders wait until there is room; absent = no limit.
    #[serde(default)]
    pub buffer_bytes: Option<u64>,
}

/// A law and the parameters that differ from its defaults. A choice parameter takes its word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawChoice {
    /// Its name in the registry, or the user's.
    pub name: String,
    /// By the parameters' names.
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
    /// SHA-256 of its source: the law is a user's own, and comes beside the plan.
    #[serde(default)]
    pub own: Option<String>,
}

/// A device of a port, and the parameters that differ from its defaults.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceChoice {
    /// Its name in the registry, or the user's.
    pub name: String,
    /// By the parameters' names.
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
    /// SHA-256 of its source: the discipline is a user's own, and comes beside the plan.
    #[serde(default)]
    pub own: Option<String>,
}

/// What a parameter is set to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// In the parameter's unit.
    Number(f64),
    /// One of the parameter's choices.
    Word(String),
    /// Of a user's own only.
    Truth(bool),
}

/// Where a host sits: at a router, behind a host link of the named kind or directly on it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Index of its router.
    pub node: u32,
    /// Index of its kind of host link; absent = directly at the router.
    #[serde(default)]
    pub edge: Option<u32>,
}

/// `hosts` equal hosts at one place.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Index of their router.
    pub node: u32,
    /// Index of their kind of host link; absent = directly at the router.
    #[serde(default)]
    pub edge: Option<u32>,
    /// How many.
    pub hosts: u32,
}

/// What to keep.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Figures of flows and ports start here.
    pub warmup_ps: u64,
    /// Start and end of each measurement period; responses are given for each.
    pub periods: Vec<[u64; 2]>,
    /// The macroscopic state is sampled this often within a period.
    pub interval_ps: u64,
    /// Which flows have a row of their own.
    pub flows: FlowRows,
    /// What is shown over time.
    #[serde(default)]
    pub series: Option<Series>,
}

/// Which flows have a row of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowRows {
    /// Every one.
    All,
    /// None; they are counted by classes only.
    None,
}

/// Time series of chosen single flows and links. A flow is known by its number: all traffic is counted
/// through, and each item takes as many numbers as it has names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Time between two rows.
    pub interval_ps: u64,
    /// Numbers of flows.
    pub flows: Vec<u32>,
    /// Indices of links.
    pub links: Vec<u32>,
}
