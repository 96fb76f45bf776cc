//! The options of a TCP profile.

use serde::Deserialize;

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
    /// How a sender repairs losses after a fast retransmit.
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
    /// How an idle time changes the window.
    #[serde(default)]
    pub after_idle: AfterIdle,
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

/// How a sender repairs losses after a fast retransmit.
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

/// How a connection changes its window after an idle time longer than its retransmission time-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterIdle {
    /// It is at most the initial one (RFC 5681 §4.1).
    #[default]
    Rfc5681,
    /// It halves for each time-out that has passed, down to the initial one (RFC 2861, Linux).
    Linux,
    /// It is one segment (ns-2).
    Ns2,
    /// It stays.
    Keep,
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
