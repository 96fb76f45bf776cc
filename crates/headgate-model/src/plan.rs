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

/// A TCP profile (see docs/reference/transport).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// Names differ.
    pub name: String,
    /// Payload of a full segment, bytes.
    pub segment_bytes: u16,
    /// Headers of a data segment, bytes.
    pub header_bytes: u16,
    /// An ACK on the wire, bytes.
    pub ack_bytes: u16,
    /// A SYN and its answer on the wire, bytes.
    pub syn_bytes: u16,
    /// First window, segments (RFC 6928).
    pub initial_window: f64,
    /// Absent = unbounded.
    pub initial_ssthresh: Option<f64>,
    /// Segments; absent = infinite.
    pub receive_window: Option<u32>,
    /// How RTT samples give the time-out.
    #[serde(default)]
    pub rto_rule: RtoRule,
    /// The tick of the timer's clock, with [`RtoRule::Ns2`].
    #[serde(default)]
    pub rto_tick_ps: u64,
    /// Least time-out (RFC 6298 §2.4).
    pub min_rto_ps: u64,
    /// Least excess of the time-out over the smoothed RTT.
    #[serde(default)]
    pub rto_margin_ps: u64,
    /// Time-out before the first RTT sample (RFC 6298 §2.1).
    pub initial_rto_ps: u64,
    /// Largest time-out (RFC 6298 §2.5).
    pub max_rto_ps: u64,
    /// SYNs sent in all before the connection fails.
    pub syn_tries: u8,
    /// First SYN time-out.
    pub syn_rto_ps: u64,
    /// It doubles with each try.
    pub syn_backoff: bool,
    /// How a connection begins whose SYN was sent again.
    #[serde(default)]
    pub syn_retry: SynRetry,
    /// What happens after a fast retransmit.
    pub recovery: Recovery,
    /// The first two duplicates let new segments go (RFC 3042).
    pub limited_transmit: bool,
    /// Proportional rate reduction (RFC 9937), with SACK.
    pub prr: bool,
    /// Losses are found by time, and tails are probed (RFC 8985), with SACK.
    pub rack_tlp: bool,
    /// Receivers report duplicates (D-SACK, RFC 2883), and senders heed it, with SACK.
    #[serde(default)]
    pub dsack: bool,
    /// Reductions are undone that turn out to be needless (RFC 3708, RFC 4015).
    #[serde(default)]
    pub undo: bool,
    /// A time-out is tested for being spurious (F-RTO, RFC 5682), where reductions are undone.
    #[serde(default)]
    pub frto: bool,
    /// With RACK, a tail is probed before its time-out (RFC 8985 §7).
    #[serde(default = "probes")]
    pub tail_probe: bool,
    /// How a time-out changes the record of SACKed segments.
    #[serde(default)]
    pub timeout_sacks: TimeoutSacks,
    /// How often time-outs lower the threshold.
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
    /// ACKs may wait for a second segment (RFC 5681 §4.2).
    pub delayed_ack: bool,
    /// For so long.
    pub delayed_ack_ps: u64,
    /// First segments of a connection that are acknowledged at once (Linux quick ACKs).
    pub quick_acks: u32,
    /// Where RTT samples come from.
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
    /// With ECN, ACKs are capable of marks too; senders ignore them.
    #[serde(default)]
    pub ecn_acks: bool,
}

/// Pacing, as multiples of cwnd/srtt.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// In slow start.
    pub slow_start_gain: f64,
    /// After it.
    pub gain: f64,
}

/// What happens after a fast retransmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Fast recovery ends at the first partial ACK (RFC 5681 §3.2).
    Reno,
    /// It lasts until all that was outstanding is acknowledged (RFC 6582).
    Newreno,
    /// The sender knows which segments arrived (RFC 6675).
    Sack,
    /// It knows, but counts what is in flight by ACKs (ns-2's Sack1 and FAST).
    Sack1,
}

/// How a connection begins whose SYN was sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SynRetry {
    /// With a window of one segment and a time-out of 3 s (RFC 5681 §3.1, RFC 6298 §5.7).
    #[default]
    Rfc5681,
    /// With the initial window, unless the SYN was sent more than twice (Linux).
    Linux,
}

/// How RTT samples give the time-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RtoRule {
    /// SRTT and RTTVAR with gains of 1/8 and 1/4, by one sample in each round trip (RFC 6298).
    #[default]
    Rfc6298,
    /// A sample from each ACK, and the largest mean deviation of a round trip (`tcp_rtt_estimator`).
    Linux,
    /// Integers in ticks of a clock (`TcpAgent::rtt_update` of ns-2.35).
    Ns2,
}

/// How a time-out changes the record of SACKed segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutSacks {
    /// It stays, and SACKed segments are not sent again (RFC 6675, Linux).
    #[default]
    Kept,
    /// It is emptied, and everything outstanding is sent again (RFC 2018 §8, ns-2's Sack1).
    Forgotten,
}

fn probes() -> bool {
    true
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

/// By what windows grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// By segments acknowledged.
    Segments,
    /// By ACKs received.
    Acks,
}

/// Where RTT samples come from.
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
