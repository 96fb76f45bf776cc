//! A transport profile as the machine uses it.

use headgate_model::units::{SECOND, Span};
use serde::{Deserialize, Serialize};

/// Segments of a flow that never ends.
pub const ENDLESS: u32 = u32::MAX - 1;

/// A socket buffer of Linux takes so many bytes of payload (64 KiB less the largest header), and a paced
/// burst comes from one buffer. So with 45 segments to a buffer pairs do not stay pairs for ever.
const BUFFER_BYTES: u32 = 65_215;

/// How RTT samples give the retransmission time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RtoRule {
    /// RFC 6298 with one sample in each round trip.
    Rfc6298,
    /// Linux: every sample counts, and the variance is the largest of a round trip (`tcp_rtt_estimator`).
    Linux,
    /// ns-2.35: integers in ticks of the timer's clock (`TcpAgent::rtt_update`).
    Ns2 {
        /// The tick of the timer's clock.
        tick: Span,
    },
}

/// What one kind of host's TCP does, and its constants. Times are picoseconds, sizes bytes on the wire, windows
/// segments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Profile {
    /// A full data segment, with its headers.
    pub data_bytes: u16,
    /// An ACK.
    pub ack_bytes: u16,
    /// A SYN and its answer.
    pub syn_bytes: u16,
    /// First window.
    pub initial_window: f64,
    /// First slow-start threshold; infinite where there is none.
    pub initial_ssthresh: f64,
    /// Window that receivers grant.
    pub receive_window: u32,
    /// How RTT samples give the time-out.
    pub rto_rule: RtoRule,
    /// Least time-out.
    pub min_rto: Span,
    /// Least excess of the time-out over the smoothed RTT.
    pub rto_margin: Span,
    /// Time-out before the first sample.
    pub initial_rto: Span,
    /// Largest time-out.
    pub max_rto: Span,
    /// SYNs sent in all before the connection fails.
    pub syn_tries: u8,
    /// First time-out of a SYN.
    pub syn_rto: Span,
    /// It doubles with each try.
    pub syn_backoff: bool,
    /// How a connection begins whose SYN was sent again.
    pub syn_retry: SynRetry,
    /// Recovery knows which segments arrived (RFC 6675).
    pub sack: bool,
    /// With SACK, what a fast recovery has in flight falls by one for each ACK, by two for one that moves on,
    /// whatever it reports (ns-2's Sack1), so that what is lost stays in it.
    pub pipe_by_acks: bool,
    /// Without SACK, fast recovery goes on after a partial ACK (RFC 6582).
    pub partial_acks: bool,
    /// The first two duplicates let new segments go (RFC 3042).
    pub limited_transmit: bool,
    /// Proportional rate reduction (RFC 9937), with SACK.
    pub prr: bool,
    /// Losses are found by time (RFC 8985), with SACK.
    pub rack_tlp: bool,
    /// Receivers report duplicates (D-SACK, RFC 2883), and senders heed it, with SACK.
    pub dsack: bool,
    /// Reductions are undone that turn out to be needless (RFC 3708, RFC 4015).
    pub undo: bool,
    /// A time-out is tested for being spurious (F-RTO, RFC 5682), if reductions are undone.
    pub frto: bool,
    /// With RACK, tails are probed (RFC 8985 §7).
    pub tail_probe: bool,
    /// A time-out forgets which segments were SACKed, so that all are sent again (RFC 2018 §8, ns-2's Sack1).
    pub forgets_sacks: bool,
    /// Every time-out lowers the threshold (4.3BSD), not only the first for one window (Linux).
    pub each_timeout: bool,
    /// Windows grow by segments acknowledged, not by ACKs received.
    pub count_segments: bool,
    /// As in Linux, windows are whole segments, growth by less is kept until it makes one, and a reduction starts
    /// from the window, not from what is in flight.
    pub whole_windows: bool,
    /// Windows grow only while they are what limits the flow (RFC 7661).
    pub window_validation: bool,
    /// How an idle time changes the window.
    pub after_idle: AfterIdle,
    /// How long an ACK may wait for a second segment (RFC 5681 §4.2), if it may.
    pub delayed_ack: Option<Span>,
    /// First segments of a connection that are acknowledged at once.
    pub quick_acks: u32,
    /// Every ACK echoes a time stamp (RFC 7323); else one segment is timed at a time, and none that was sent again
    /// (Karn).
    pub timestamps: bool,
    /// RTT samples are rounded to this; 0 = exact.
    pub clock: Span,
    /// Time stamps count in this where only they tell an RTT: that of what was sent again. 0 = exact.
    pub timestamp_clock: Span,
    /// Data are paced at these multiples of cwnd/srtt, in slow start and after it; else sent as the window allows.
    pub pacing: Option<(f64, f64)>,
    /// Paced bursts do not cross multiples of so many segments; 0 = no bursts, nor anything else of how
    /// Linux paces. See [`Self::burst_edge_of`].
    pub burst_edge: u32,
    /// Every controller uses ECN (RFC 3168), not only those that need it.
    pub ecn: bool,
    /// With ECN, ACKs are capable of marks too; nobody answers them.
    pub ecn_acks: bool,
}

/// What becomes of the window of a connection that has sent nothing for longer than its time-out, unless its
/// controller sets the window also in recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterIdle {
    /// It is at most the initial one (RFC 5681 §4.1).
    Rfc5681,
    /// It halves for each time-out that has passed, down to the initial one, and the threshold keeps three quarters
    /// of it (RFC 2861, `tcp_cwnd_restart`).
    Linux,
    /// It is one segment: the timer of ns-2's agents runs on, and expires.
    Ns2,
    /// It stays.
    Keep,
}

/// How a connection begins whose SYN was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SynRetry {
    /// With a window of one segment (RFC 5681 §3.1) and a time-out of 3 s (RFC 6298 §5.7).
    Rfc5681,
    /// With the initial window, unless the SYN was sent more than twice and the answer is not to the first one; the
    /// round trip is that of the SYN that was answered (`tcp_init_transfer`, `tcp_ack_update_rtt`).
    Linux,
}

impl Profile {
    /// Linux's [`Self::burst_edge`] for segments of so many bytes of payload.
    #[must_use]
    pub fn burst_edge_of(segment_bytes: u16) -> u32 {
        (BUFFER_BYTES / u32::from(segment_bytes)).max(1)
    }
}

impl Default for Profile {
    /// A Linux host of today on Ethernet, without ECN: SACK, RACK and TLP, PRR, delayed ACKs, time stamps, an
    /// initial window of ten (RFC 6928), RTO from 0.2 s to 120 s.
    fn default() -> Self {
        const MILLISECOND: Span = SECOND / 1000;
        Self {
            data_bytes: 1514,
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
            ecn_acks: false,
        }
    }
}
