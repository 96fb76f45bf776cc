//! The options of a profile of TCP or QUIC.

use serde::Deserialize;

use crate::ecn::Ecn;

/// A TCP profile (see docs/reference/transport).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// The name; unique among profiles.
    pub name: String,
    /// Payload of a full segment, bytes.
    pub segment_bytes: u16,
    /// Headers of a data segment, bytes.
    pub header_bytes: u16,
    /// Size of an ACK on the wire, bytes.
    pub ack_bytes: u16,
    /// Size of a SYN and of its answer on the wire, bytes.
    pub syn_bytes: u16,
    /// Initial window, segments (RFC 6928).
    pub initial_window: f64,
    /// Initial slow-start threshold, segments; absent = unbounded.
    pub initial_ssthresh: Option<f64>,
    /// Receive window, segments; absent = infinite.
    pub receive_window: Option<u32>,
    /// The rule that turns RTT samples into the time-out.
    #[serde(default)]
    pub rto_rule: RtoRule,
    /// The tick of the timer's clock, with [`RtoRule::Ns2`].
    #[serde(default)]
    pub rto_tick_ps: u64,
    /// Lower bound of the time-out (RFC 6298 section 2.4).
    pub min_rto_ps: u64,
    /// Lower bound of the difference between the time-out and the smoothed RTT.
    #[serde(default)]
    pub rto_margin_ps: u64,
    /// Time-out before the first RTT sample (RFC 6298 section 2.1).
    pub initial_rto_ps: u64,
    /// Upper bound of the time-out (RFC 6298 section 2.5).
    pub max_rto_ps: u64,
    /// Number of SYNs after which the connection fails.
    pub syn_tries: u8,
    /// First time-out of a SYN.
    pub syn_rto_ps: u64,
    /// Whether that time-out doubles with each try.
    pub syn_backoff: bool,
    /// The initial state of a connection whose SYN was sent again.
    #[serde(default)]
    pub syn_retry: SynRetry,
    /// The loss recovery after a fast retransmit.
    pub recovery: Recovery,
    /// Whether the first two duplicate ACKs allow new segments (RFC 3042).
    pub limited_transmit: bool,
    /// With SACK: proportional rate reduction (RFC 9937).
    pub prr: bool,
    /// With SACK: loss detection by time, and tail loss probes (RFC 8985).
    pub rack_tlp: bool,
    /// With SACK: receivers report duplicates (D-SACK, RFC 2883), and senders use the reports.
    #[serde(default)]
    pub dsack: bool,
    /// Whether needless reductions are undone (RFC 3708, RFC 4015).
    #[serde(default)]
    pub undo: bool,
    /// Whether time-outs are tested for being spurious (F-RTO, RFC 5682), if reductions are undone.
    #[serde(default)]
    pub frto: bool,
    /// With RACK: tail loss probes before a time-out (RFC 8985 section 7).
    #[serde(default = "yes")]
    pub tail_probe: bool,
    /// The effect of a time-out on the SACK record.
    #[serde(default)]
    pub timeout_sacks: TimeoutSacks,
    /// How often time-outs lower `ssthresh`.
    #[serde(default)]
    pub timeout_reduction: TimeoutReduction,
    /// Whether windows grow by acknowledged segments (Linux) or by ACKs (ns-2).
    pub count: Count,
    /// Whether windows are whole segments, as in Linux: smaller growth is carried over, and a reduction
    /// starts from the window instead of the flight.
    #[serde(default)]
    pub whole_windows: bool,
    /// Whether windows grow only while they limit the flow (RFC 7661, Linux).
    pub window_validation: bool,
    /// The window after an idle time.
    #[serde(default)]
    pub after_idle: AfterIdle,
    /// Whether ACKs may wait for a second segment (RFC 5681 section 4.2).
    pub delayed_ack: bool,
    /// The longest wait of a delayed ACK.
    pub delayed_ack_ps: u64,
    /// Number of first segments of a connection that are acknowledged at once (Linux quick ACKs).
    pub quick_acks: u32,
    /// The source of RTT samples.
    pub rtt: RttSampling,
    /// Granularity of RTT samples; 0 = exact.
    pub clock_ps: u64,
    /// Granularity of time stamps if only they measure an RTT, which is that of a retransmission; 0 = exact.
    #[serde(default)]
    pub timestamp_clock_ps: u64,
    /// Pacing rate as a multiple of cwnd/srtt; absent = send as the window allows.
    pub pacing: Option<Pacing>,
    /// Pacing as in Linux: from a connection's tenth segment on, in bursts
    /// ([`crate::control::Window::quantum`]). A late burst shortens the next pause.
    #[serde(default)]
    pub pacing_bursts: bool,
    /// Whether every algorithm uses ECN (RFC 3168), not only those that need it.
    #[serde(default)]
    pub ecn: bool,
    /// With ECN: the feedback that senders ask for; absent = the one that the algorithm needs.
    #[serde(default)]
    pub ecn_feedback: Option<EcnFeedback>,
    /// With accurate feedback: whether ACKs carry the AccECN option (RFC 9768 section 3.2.3).
    #[serde(default = "yes")]
    pub accecn_option: bool,
    /// With ECN: the codepoint of data; absent = that of the algorithm.
    #[serde(default)]
    pub ecn_codepoint: Option<Ecn>,
    /// With ECN: ACKs are ECN-capable too; senders ignore their marks.
    #[serde(default)]
    pub ecn_acks: bool,
    /// With ECN: answers to SYNs and retransmissions are ECN-capable too (RFC 8311 section 4.3).
    #[serde(default)]
    pub ecn_control: bool,
    /// Whether a SYN that is sent again no longer asks for ECN (RFC 3168 section 6.1.1.1).
    #[serde(default)]
    pub ecn_fallback: bool,
    /// The ECN support of receivers.
    #[serde(default)]
    pub ecn_receiver: EcnSupport,
    /// The settings of QUIC; absent = TCP. With QUIC, the options of TCP's loss recovery and ACKs are not
    /// used.
    #[serde(default)]
    pub quic: Option<Quic>,
}

/// The settings of QUIC (RFC 9002).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quic {
    /// A packet is lost if one with a number larger by this is acknowledged.
    pub packet_threshold: u32,
    /// An overtaken packet is lost after this many RTTs.
    pub time_threshold: f64,
    /// The longest wait of an ACK.
    pub max_ack_delay_ps: u64,
    /// Number of packets for one ACK.
    pub ack_every: u32,
    /// The reordering threshold of draft-ietf-quic-ack-frequency; 0 = ACKs do not reveal reordering early.
    pub ack_reordering: u32,
}

/// The feedback of congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnFeedback {
    /// An echo until the sender has reacted (RFC 3168).
    Classic,
    /// An exact echo (RFC 8257), an idealisation.
    Exact,
    /// Counters in ACKs (RFC 9768).
    Accurate,
}

/// The ECN support of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnSupport {
    /// None.
    Off,
    /// The echo of RFC 3168.
    Classic,
    /// Every feedback that senders ask for.
    #[default]
    Any,
}

/// Pacing rates as multiples of cwnd/srtt.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// The multiple in slow start.
    pub slow_start_gain: f64,
    /// The multiple afterwards.
    pub gain: f64,
}

/// The loss recovery after a fast retransmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Reno: fast recovery ends at the first partial ACK (RFC 5681 section 3.2).
    Reno,
    /// NewReno: fast recovery lasts until everything outstanding is acknowledged (RFC 6582).
    Newreno,
    /// The sender records which segments arrived (RFC 6675).
    Sack,
    /// The sender records them too, but computes the flight from ACKs (ns-2's Sack1 and FAST).
    Sack1,
}

/// The initial state of a connection whose SYN was sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SynRetry {
    /// A window of one segment and a time-out of 3 s (RFC 5681 section 3.1, RFC 6298 section 5.7).
    #[default]
    Rfc5681,
    /// The initial window, unless the SYN was sent more than twice (Linux).
    Linux,
}

/// The window after an idle time longer than the retransmission time-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterIdle {
    /// At most the initial window (RFC 5681 section 4.1).
    #[default]
    Rfc5681,
    /// Halved for each time-out that has passed, down to the initial window (RFC 2861, Linux).
    Linux,
    /// Unchanged for five minutes, then halved for each five minutes that have passed (RFC 7661).
    Rfc7661,
    /// One segment (ns-2).
    Ns2,
    /// Unchanged.
    Keep,
}

/// The rule that turns RTT samples into the time-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RtoRule {
    /// SRTT and RTTVAR with gains of 1/8 and 1/4, from one sample per round trip (RFC 6298).
    #[default]
    Rfc6298,
    /// A sample per ACK, and the largest mean deviation of a round trip (`tcp_rtt_estimator`).
    Linux,
    /// Integers in ticks of a clock (`TcpAgent::rtt_update` of ns-2.35).
    Ns2,
}

/// The effect of a time-out on the SACK record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutSacks {
    /// The record stays, and SACKed segments are not sent again (RFC 6675, Linux).
    #[default]
    Kept,
    /// The record is emptied, and everything outstanding is sent again (RFC 2018 section 8, ns-2's Sack1).
    Forgotten,
}

fn yes() -> bool {
    true
}

/// How often time-outs lower `ssthresh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutReduction {
    /// Not again for a window that fast recovery has reduced, nor while one segment times out again (Linux).
    #[default]
    Once,
    /// Each time, from the current window (4.3BSD, ns-2).
    Each,
}

/// The unit by which windows grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Acknowledged segments.
    Segments,
    /// Received ACKs.
    Acks,
}

/// The source of RTT samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RttSampling {
    /// Every ACK echoes a time stamp (RFC 7323).
    Timestamps,
    /// One segment is timed at a time, never a retransmitted one (Karn).
    PerWindow,
}
