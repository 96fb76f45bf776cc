//! The parts of a plan. A plan is a scenario with all defaults filled in and all units resolved.
//!
//! Python writes it as JSON. Times are integer picoseconds, rates are bit/s, sizes are bytes. A packet count
//! is a count of full segments.

use serde::{Deserialize, Serialize};

pub use crate::size::Size;
pub use crate::transport::{
    AfterIdle, Count, EcnFeedback, EcnSupport, Pacing, Quic, Recovery, RtoRule, RttSampling, SynRetry,
    TimeoutReduction, TimeoutSacks, Transport,
};

/// A router.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The name; unique among routers.
    pub name: String,
    /// A label. Flows are counted by the unordered pairs of these; empty = no class.
    #[serde(default)]
    pub class: String,
}

/// One direction of a link, with the queue in front of it.
#[derive(Default, Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The name; unique among links.
    pub name: String,
    /// Index of the sending router.
    pub from: u32,
    /// Index of the receiving router.
    pub to: u32,
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay, picoseconds.
    pub delay_ps: u64,
    /// Capacity of the queue.
    pub buffer: Buffer,
    /// Loss probability of each packet after the queue, independent of others.
    #[serde(default)]
    pub loss: f64,
    /// Later loss probabilities, in order of time. Each applies to packets sent afterwards.
    #[serde(default)]
    pub losses: Vec<LossChange>,
    /// Numbers of packets that are lost after the queue, in order. The first packet that enters is 1.
    #[serde(default)]
    pub lose: Vec<u64>,
    /// The queue discipline; absent = drop-tail.
    #[serde(default)]
    pub queue: Option<DeviceChoice>,
    /// The router's feedback to senders of its scheme.
    #[serde(default)]
    pub feedback: Option<DeviceChoice>,
    /// Later rates, in order of time. Packets that are already queued leave at the earlier rate.
    #[serde(default)]
    pub changes: Vec<RateChange>,
    /// Later delays, in order of time. Each applies to packets sent afterwards.
    #[serde(default)]
    pub delays: Vec<DelayChange>,
    /// A trace of transmission opportunities instead of the rate, which then is the trace's mean.
    #[serde(default)]
    pub trace: Option<Trace>,
    /// Times at which the link is down, in order and without overlap.
    #[serde(default)]
    pub outages: Vec<Outage>,
    /// Impairments that arrivals pass before the queue, in order.
    #[serde(default)]
    pub ingress: Vec<DeviceChoice>,
    /// Impairments that sent packets pass, in order, before `loss` and `lose`.
    #[serde(default)]
    pub impairments: Vec<DeviceChoice>,
}

/// A change of a link's delay.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayChange {
    /// Time of the change, picoseconds since the start of the run.
    pub at_ps: u64,
    /// The new delay, picoseconds.
    pub delay_ps: u64,
}

/// A change of a link's loss probability.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// Time of the change, picoseconds since the start of the run.
    pub at_ps: u64,
    /// The new probability.
    pub loss: f64,
}

/// A span of time during which a link sends nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// First instant at which the link is down, picoseconds since the start of the run.
    pub at_ps: u64,
    /// First instant at which it is up again, picoseconds.
    pub until_ps: u64,
    /// The packets of the queue, with the packet in service, and those that arrive during the outage.
    pub queue: OutageQueue,
    /// The packets on the wire when the outage begins.
    pub in_flight: OutageFlight,
}

/// The effect of an outage on the queue in front of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageQueue {
    /// All of its packets, and all arrivals until the end of the outage, are dropped.
    Drop,
    /// Packets wait. The packet in service pauses, and its transmission continues afterwards.
    Keep,
}

/// The effect of an outage on packets on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageFlight {
    /// They arrive.
    Deliver,
    /// They are lost.
    Lose,
}

/// A trace: times at which a link carries 1500 bytes each.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the list of times that accompanies the plan: picoseconds, increasing.
    pub list: String,
    /// Period after which the trace repeats, picoseconds; absent = once.
    #[serde(default)]
    pub period_ps: Option<u64>,
}

impl Link {
    /// The smallest delay over the run, picoseconds.
    pub fn least_delay_ps(&self) -> u64 {
        self.delays.iter().map(|change| change.delay_ps).fold(self.delay_ps, u64::min)
    }
}

/// A change of a link's rate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// Time of the change, picoseconds since the start of the run.
    pub at_ps: u64,
    /// The new rate, bit/s.
    pub rate_bps: u64,
}

/// The capacity of a queue, excluding the packet in service.
#[derive(Default, Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
    /// No limit.
    #[default]
    Infinite,
}

/// A kind of host link. Rate and delay are the same in both directions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The name; unique among kinds of host links.
    pub name: String,
    /// A label. Flows are counted by that of the slower of their two host links; empty = no class.
    #[serde(default)]
    pub class: String,
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay, picoseconds.
    pub delay_ps: u64,
    /// Capacity of the queues at both ends, bytes. The router's end drops packets beyond it; at the host's
    /// end senders wait for space. Absent = no limit.
    #[serde(default)]
    pub buffer_bytes: Option<u64>,
}

/// An algorithm, and the parameters that differ from its defaults. A choice parameter takes its word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerChoice {
    /// Its name in the registry, or that of a user-defined algorithm.
    pub name: String,
    /// Values by parameter name.
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
    /// SHA-256 of its source, if it is user-defined; the code accompanies the plan.
    #[serde(default)]
    pub own: Option<String>,
    /// The slow start that replaces its own.
    #[serde(default)]
    pub slow_start: Option<SlowStartChoice>,
}

/// A slow start, and the parameters that differ from its defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowStartChoice {
    /// Its name in the registry.
    pub name: String,
    /// Values by parameter name.
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
}

/// A device of a port, and the parameters that differ from its defaults.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceChoice {
    /// Its name in the registry, or that of a user-defined discipline.
    pub name: String,
    /// Values by parameter name.
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
    /// SHA-256 of its source, if it is user-defined; the code accompanies the plan.
    #[serde(default)]
    pub own: Option<String>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number in the parameter's unit.
    Number(f64),
    /// One of the parameter's choices.
    Word(String),
    /// A truth value, for user-defined code only.
    Truth(bool),
}

/// The location of a host: at a router, behind a host link of the named kind or directly.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Index of its router.
    pub node: u32,
    /// Index of its kind of host link; absent = directly at the router.
    #[serde(default)]
    pub edge: Option<u32>,
}

/// `hosts` equal hosts at one location.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Index of their router.
    pub node: u32,
    /// Index of their kind of host link; absent = directly at the router.
    #[serde(default)]
    pub edge: Option<u32>,
    /// Number of hosts.
    pub hosts: u32,
}

/// The measurements of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Statistics of flows and ports start at this time, picoseconds.
    pub warmup_ps: u64,
    /// Start and end of each measurement period, picoseconds. Responses are computed for each period.
    pub periods: Vec<[u64; 2]>,
    /// Sampling interval of the macroscopic state within a period, picoseconds.
    pub interval_ps: u64,
    /// The flows that are recorded individually.
    pub flows: FlowRows,
    /// Time series to record.
    #[serde(default)]
    pub series: Option<Series>,
}

/// The flows that are recorded individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowRows {
    /// All flows.
    All,
    /// No flow; flows are counted by class only.
    None,
}

/// Time series of individual flows and links. Flows are numbered across all traffic; each item takes as many
/// numbers as it has names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Time between two rows, picoseconds.
    pub interval_ps: u64,
    /// Numbers of flows.
    pub flows: Vec<u32>,
    /// Indices of links.
    pub links: Vec<u32>,
}
