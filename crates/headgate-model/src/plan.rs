//! The parts of a plan: a scenario with every default filled in and every unit resolved.
//!
//! Python writes it as JSON. Times are integer picoseconds, rates bit/s, sizes
//! bytes; a packet count is a count of full segments.

use serde::Deserialize;

pub use crate::size::Size;

/// A router.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    pub name: String,
    /// A label; flows are told apart by the unordered pairs of these. Empty = no class.
    #[serde(default)]
    pub class: String,
}

/// One direction of a link, with the queue that feeds it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub name: String,
    pub from: u32,
    pub to: u32,
    pub rate_bps: u64,
    pub delay_ps: u64,
    pub buffer: Buffer,
    /// Independent loss probability of each packet, after the queue.
    #[serde(default)]
    pub loss: f64,
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
}

/// From then on the link has another rate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    pub at_ps: u64,
    pub rate_bps: u64,
}

/// How much may wait (the packet in service is extra).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    Packets(u64),
    Bytes(u64),
    Infinite,
}

/// A kind of host link: rate and delay are the same both ways.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    pub name: String,
    /// A label; flows are told apart by that of the slower of their hosts' links. Empty = no class.
    #[serde(default)]
    pub class: String,
    pub rate_bps: u64,
    pub delay_ps: u64,
    /// Bytes that may wait at the router's end, which drops what is beyond, and at the host's end, whose
    /// senders wait until there is room; absent = no limit.
    #[serde(default)]
    pub buffer_bytes: Option<u64>,
}

/// A TCP profile (see docs/reference/transport).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    pub name: String,
    pub segment_bytes: u16,
    pub header_bytes: u16,
    pub ack_bytes: u16,
    pub syn_bytes: u16,
    pub initial_window: f64,
    /// Absent = unbounded.
    pub initial_ssthresh: Option<f64>,
    /// Segments; absent = infinite.
    pub receive_window: Option<u32>,
    pub min_rto_ps: u64,
    /// Least excess of the time-out over the smoothed RTT.
    #[serde(default)]
    pub rto_margin_ps: u64,
    pub initial_rto_ps: u64,
    pub max_rto_ps: u64,
    /// SYNs sent in all before the connection fails.
    pub syn_tries: u8,
    /// First SYN time-out.
    pub syn_rto_ps: u64,
    /// It doubles with each try.
    pub syn_backoff: bool,
    pub recovery: Recovery,
    pub limited_transmit: bool,
    pub prr: bool,
    pub rack_tlp: bool,
    #[serde(default)]
    pub timeout_reduction: TimeoutReduction,
    /// Grow by segments acknowledged (Linux) or by ACKs received (ns-2).
    pub count: Count,
    /// As in Linux, windows are whole segments, growth by less is kept until it makes one, and a reduction
    /// starts from the window, not from what is in flight.
    #[serde(default)]
    pub whole_windows: bool,
    /// Grow only while the window is what limits the flow (RFC 7661 / Linux).
    pub window_validation: bool,
    pub delayed_ack: bool,
    pub delayed_ack_ps: u64,
    /// First segments of a connection that are acknowledged at once (Linux quick ACKs).
    pub quick_acks: u32,
    pub rtt: RttSampling,
    /// RTT samples are rounded to this; 0 = exact.
    pub clock_ps: u64,
    /// Time stamps count in this, where only they tell an RTT: that of what was sent again. 0 = exact.
    #[serde(default)]
    pub timestamp_clock_ps: u64,
    /// Pace data at this multiple of cwnd/srtt; absent = send in bursts as the window allows.
    pub pacing: Option<Pacing>,
    /// Pacing as in Linux: from a connection's tenth segment on, in bursts
    /// ([`crate::control::Window::quantum`]), and what leaves late has less to wait for the next.
    #[serde(default)]
    pub pacing_bursts: bool,
    /// Every law uses ECN (RFC 3168), not only those that need it.
    #[serde(default)]
    pub ecn: bool,
    /// With ECN, ACKs are capable of marks too; nobody answers them.
    #[serde(default)]
    pub ecn_acks: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    pub slow_start_gain: f64,
    pub gain: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Fast recovery ends at the first partial ACK (RFC 5681 §3.2).
    Reno,
    Newreno,
    Sack,
}

/// How often time-outs lower the threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutReduction {
    /// Not again for a window that fast recovery reduced, nor while one segment times out again (Linux).
    #[default]
    Once,
    /// Each time, from the window as it is by then (4.3BSD, ns-2).
    Each,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    Segments,
    Acks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RttSampling {
    /// Every ACK echoes a time stamp (RFC 7323).
    Timestamps,
    /// One segment is timed at a time, never a retransmitted one (Karn).
    PerWindow,
}

/// A law and the parameters that differ from its defaults. A choice parameter takes its word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawChoice {
    pub name: String,
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
    /// SHA-256 of its source: the law is a user's own, and comes beside the plan.
    #[serde(default)]
    pub own: Option<String>,
}

/// What stands at a port, and the parameters that differ from its defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceChoice {
    pub name: String,
    #[serde(default)]
    pub params: std::collections::BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Number(f64),
    Word(String),
}

/// Where a host sits: at a router, behind a host link of the named kind or directly on it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub node: u32,
    #[serde(default)]
    pub edge: Option<u32>,
}

/// `hosts` equal hosts at one place.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    pub node: u32,
    #[serde(default)]
    pub edge: Option<u32>,
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
    pub flows: FlowRows,
    #[serde(default)]
    pub series: Option<Series>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowRows {
    All,
    None,
}

/// Time series of chosen single flows and links. A flow is known by its number: all traffic is counted
/// through, and each item takes as many numbers as it has names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    pub interval_ps: u64,
    pub flows: Vec<u32>,
    pub links: Vec<u32>,
}
