//! The profile of a transport: its options and constants.

use headgate_model::ecn::Ecn;
use headgate_model::units::{SECOND, Span};
use serde::{Deserialize, Serialize};

use crate::feedback::Feedback;
use crate::quic::Quic;

/// Segments of a flow that never ends.
pub const ENDLESS: u32 = u32::MAX - 1;

/// The payload of a Linux socket buffer, bytes (64 KiB less the largest header). A paced burst comes from one
/// buffer. With 45 segments per buffer, pairs of segments therefore do not stay aligned.
const BUFFER_BYTES: u32 = 65_215;

/// The rule that turns RTT samples into the retransmission time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RtoRule {
    /// RFC 6298 with one sample in each round trip.
    Rfc6298,
    /// Linux: every sample counts, and the variance is the largest of a round trip (`tcp_rtt_estimator`).
    Linux,
    /// ns-2.35: integers in ticks of the timer's clock (`TcpAgent::rtt_update`).
    Ns2 {
        /// The tick of the timer's clock, picoseconds.
        tick: Span,
    },
}

/// Declares the profile once: the struct, and a setter for each field.
macro_rules! profile {
    ($(#[$meta:meta])* pub struct Profile { $($(#[$about:meta])* pub $field:ident: $kind:ty,)* }) => {
        $(#[$meta])*
        pub struct Profile {
            $($(#[$about])* pub $field: $kind,)*
        }

        /// Setters that can be chained: `Profile::default().initial_window(4.0).sack(false)`.
        impl Profile {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

profile! {
    /// The options and constants of one kind of host's TCP. Times are picoseconds, sizes are bytes on the
    /// wire, windows are segments.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct Profile {
        /// Size of a full data segment, with its headers.
        pub data_bytes: u16,
        /// Payload of a full data segment.
        pub payload_bytes: u16,
        /// Size of an ACK.
        pub ack_bytes: u16,
        /// Size of a SYN and of its answer.
        pub syn_bytes: u16,
        /// Initial window.
        pub initial_window: f64,
        /// Initial slow-start threshold; infinite if there is none.
        pub initial_ssthresh: f64,
        /// Window that receivers advertise.
        pub receive_window: u32,
        /// The rule that turns RTT samples into the time-out.
        pub rto_rule: RtoRule,
        /// Lower bound of the time-out (RFC 6298 section 2.4).
        pub min_rto: Span,
        /// Lower bound of the difference between the time-out and the smoothed RTT.
        pub rto_margin: Span,
        /// Time-out before the first sample.
        pub initial_rto: Span,
        /// Upper bound of the time-out (RFC 6298 section 2.5).
        pub max_rto: Span,
        /// Number of SYNs after which the connection fails.
        pub syn_tries: u8,
        /// First time-out of a SYN.
        pub syn_rto: Span,
        /// Whether that time-out doubles with each try.
        pub syn_backoff: bool,
        /// Initial state of a connection whose SYN was sent again.
        pub syn_retry: SynRetry,
        /// Whether recovery uses selective acknowledgements (RFC 6675).
        pub sack: bool,
        /// With SACK: whether the flight of a fast recovery falls by one for each ACK, and by two for an ACK
        /// that acknowledges new data, even if it reports more (ns-2's Sack1). Lost segments then stay in the
        /// flight.
        pub pipe_by_acks: bool,
        /// Without SACK: whether fast recovery continues after a partial ACK (RFC 6582).
        pub partial_acks: bool,
        /// Whether the first two duplicate ACKs allow new segments (limited transmit, RFC 3042).
        pub limited_transmit: bool,
        /// With SACK: proportional rate reduction (RFC 9937).
        pub prr: bool,
        /// With SACK: loss detection by time (RACK, RFC 8985).
        pub rack_tlp: bool,
        /// With SACK: whether receivers report duplicates (D-SACK, RFC 2883) and senders use the reports.
        pub dsack: bool,
        /// Whether needless reductions are undone (RFC 3708, RFC 4015).
        pub undo: bool,
        /// Whether time-outs are tested for being spurious (F-RTO, RFC 5682). It needs `undo`.
        pub frto: bool,
        /// With RACK: tail loss probes (RFC 8985 section 7).
        pub tail_probe: bool,
        /// Whether a time-out discards the SACK record, so that all segments are sent again (RFC 2018 section
        /// 8, ns-2's Sack1).
        pub forgets_sacks: bool,
        /// Whether every time-out lowers `ssthresh` (4.3BSD), not only the first for one window (Linux).
        pub each_timeout: bool,
        /// Whether windows grow by acknowledged segments instead of by ACKs.
        pub count_segments: bool,
        /// Whether windows are whole segments, as in Linux: smaller growth is carried over, and a reduction
        /// starts from the window instead of the flight.
        pub whole_windows: bool,
        /// Whether windows grow only while they limit the flow (RFC 7661).
        pub window_validation: bool,
        /// The window after an idle time.
        pub after_idle: AfterIdle,
        /// Longest wait of a delayed ACK (RFC 5681 section 4.2); `None` sends every ACK at once.
        pub delayed_ack: Option<Span>,
        /// Number of first segments of a connection that are acknowledged at once.
        pub quick_acks: u32,
        /// Whether every ACK echoes a time stamp (RFC 7323). Otherwise one segment is timed at a time, and
        /// never a retransmitted one (Karn).
        pub timestamps: bool,
        /// Granularity of RTT samples; 0 = exact.
        pub clock: Span,
        /// Granularity of time stamps if only they measure an RTT, which is that of a retransmission; 0 =
        /// exact.
        pub timestamp_clock: Span,
        /// Pacing rate as multiples of cwnd/srtt, in slow start and afterwards; `None` sends as the window
        /// allows.
        pub pacing: Option<(f64, f64)>,
        /// Paced bursts do not cross multiples of this number of segments; 0 disables bursts and every other
        /// detail of Linux's pacing. See [`Self::burst_edge_of`].
        pub burst_edge: u32,
        /// Whether every controller uses ECN (RFC 3168), not only those that need it.
        pub ecn: bool,
        /// With ECN: the feedback that senders ask for; `None` is the one that the controller needs.
        pub ecn_feedback: Option<Feedback>,
        /// With accurate feedback: whether ACKs carry the AccECN option (RFC 9768 section 3.2.3).
        pub accecn_option: bool,
        /// With ECN: the codepoint of data; `None` is that of the controller.
        pub ecn_codepoint: Option<Ecn>,
        /// With ECN: whether ACKs are ECN-capable too. Senders ignore their marks.
        pub ecn_acks: bool,
        /// With ECN: whether answers to SYNs and retransmissions are ECN-capable too, and with accurate
        /// feedback SYNs (RFC 8311 section 4.3).
        pub ecn_control: bool,
        /// Whether a SYN that is sent again no longer asks for ECN (RFC 3168 section 6.1.1.1).
        pub ecn_fallback: bool,
        /// The most exact feedback that receivers of the profile support.
        pub ecn_support: Feedback,
        /// The settings of QUIC; `None` is TCP. With QUIC, the options of TCP's loss recovery, time-outs,
        /// time stamps and delayed ACKs are not used.
        pub quic: Option<Quic>,
    }
}

/// The window of a connection that has sent nothing for longer than its time-out, unless its controller also
/// sets the window in recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterIdle {
    /// At most the initial window (RFC 5681 section 4.1).
    Rfc5681,
    /// Halved for each time-out that has passed, down to the initial window; `ssthresh` rises to three
    /// quarters of the window (RFC 2861, `tcp_cwnd_restart`).
    ///
    /// NOTE(RFC 5681 section 4.1): the RFC reduces the window to the restart window after one time-out. Linux
    /// follows RFC 2861 instead.
    Linux,
    /// Unchanged for five minutes; then halved, and again after each further five minutes, down to the initial
    /// window; `ssthresh` rises to three quarters of the window (RFC 7661 section 4.4.3).
    ///
    /// NOTE(RFC 7661 section 4.4.1): after a loss, the RFC sets the window by the larger of the flight and
    /// pipeACK, and subtracts the retransmissions. The controller reduces it here as for any loss.
    Rfc7661,
    /// One segment, because the timer of ns-2's agents runs on and expires.
    ///
    /// NOTE(RFC 5681 section 4.1): the RFC keeps the restart window.
    Ns2,
    /// Unchanged.
    ///
    /// NOTE(RFC 5681 section 4.1): the RFC reduces the window after an idle time.
    Keep,
}

/// The initial state of a connection whose SYN was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SynRetry {
    /// A window of one segment (RFC 5681 section 3.1) and a time-out of 3 s (RFC 6298 section 5.7).
    Rfc5681,
    /// The initial window, unless the SYN was sent more than twice and the answer is not to the first one.
    /// The first RTT sample is that of the SYN that was answered (`tcp_init_transfer`, `tcp_ack_update_rtt`).
    ///
    /// NOTE(RFC 5681 section 3.1): the RFC requires an initial window of one segment after a lost SYN.
    Linux,
}

impl Profile {
    /// Returns Linux's [`Self::burst_edge`] for segments of `segment_bytes` bytes of payload.
    #[must_use]
    pub fn burst_edge_of(segment_bytes: u16) -> u32 {
        (BUFFER_BYTES / u32::from(segment_bytes)).max(1)
    }
}

impl Default for Profile {
    /// A current Linux host on Ethernet, without ECN: SACK, RACK and TLP, PRR, delayed ACKs, time stamps, an
    /// initial window of ten segments (RFC 6928), and an RTO from 0.2 s to 120 s.
    fn default() -> Self {
        const MILLISECOND: Span = SECOND / 1000;
        Self {
            data_bytes: 1514,
            payload_bytes: 1448,
            ack_bytes: 66,
            syn_bytes: 74,
            initial_window: 10.0,
            initial_ssthresh: f64::INFINITY,
            receive_window: ENDLESS,
            rto_rule: RtoRule::Linux,
            min_rto: 200 * MILLISECOND,
            rto_margin: 200 * MILLISECOND,
            initial_rto: SECOND,
            max_rto: 120 * SECOND,
            syn_tries: 7,
            syn_rto: SECOND,
            syn_backoff: true,
            syn_retry: SynRetry::Linux,
            sack: true,
            pipe_by_acks: false,
            partial_acks: true,
            limited_transmit: true,
            prr: true,
            rack_tlp: true,
            dsack: true,
            undo: true,
            frto: true,
            tail_probe: true,
            forgets_sacks: false,
            each_timeout: false,
            count_segments: true,
            whole_windows: true,
            window_validation: true,
            after_idle: AfterIdle::Linux,
            delayed_ack: Some(40 * MILLISECOND),
            quick_acks: 16,
            timestamps: true,
            clock: 0,
            timestamp_clock: MILLISECOND,
            pacing: None,
            burst_edge: 0,
            ecn: false,
            ecn_feedback: None,
            accecn_option: true,
            ecn_codepoint: None,
            ecn_acks: false,
            ecn_control: false,
            ecn_fallback: false,
            ecn_support: Feedback::Accurate,
            quic: None,
        }
    }
}
