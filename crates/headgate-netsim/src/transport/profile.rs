//! A transport profile as the machine uses it.

use headgate_model::plan::{Count, Pacing, Recovery, RttSampling, TimeoutReduction, Transport};
use headgate_model::units::Span;
use serde::{Deserialize, Serialize};

/// Segments of a flow that never ends.
pub const ENDLESS: u32 = u32::MAX - 1;

/// A socket buffer of Linux takes so many bytes of payload (64 KiB less the largest header), and a paced
/// burst comes from one buffer. So with 45 segments to a buffer pairs do not stay pairs for ever.
const BUFFER_BYTES: u32 = 65_215;

/// See [`headgate_model::plan::Transport`] for the fields.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Profile {
    pub data_bytes: u16,
    pub ack_bytes: u16,
    pub syn_bytes: u16,
    pub initial_window: f64,
    pub initial_ssthresh: f64,
    pub receive_window: u32,
    pub min_rto: Span,
    pub rto_margin: Span,
    pub initial_rto: Span,
    pub max_rto: Span,
    pub syn_tries: u8,
    pub syn_rto: Span,
    pub syn_backoff: bool,
    pub sack: bool,
    /// Fast recovery goes on after a partial ACK.
    pub partial_acks: bool,
    pub limited_transmit: bool,
    pub prr: bool,
    pub rack_tlp: bool,
    /// Every time-out lowers the threshold.
    pub each_timeout: bool,
    pub count_segments: bool,
    pub whole_windows: bool,
    pub window_validation: bool,
    pub delayed_ack: Option<Span>,
    pub quick_acks: u32,
    pub timestamps: bool,
    pub clock: Span,
    pub timestamp_clock: Span,
    pub pacing: Option<(f64, f64)>,
    /// Paced bursts do not cross multiples of so many segments; 0 = no bursts, nor anything else of how
    /// Linux paces.
    pub burst_edge: u32,
    pub ecn: bool,
    pub ecn_acks: bool,
}

impl From<&Transport> for Profile {
    fn from(t: &Transport) -> Self {
        Self {
            data_bytes: t.segment_bytes + t.header_bytes,
            ack_bytes: t.ack_bytes,
            syn_bytes: t.syn_bytes,
            initial_window: t.initial_window,
            initial_ssthresh: t.initial_ssthresh.unwrap_or(f64::INFINITY),
            receive_window: t.receive_window.unwrap_or(ENDLESS),
            min_rto: t.min_rto_ps,
            rto_margin: t.rto_margin_ps,
            initial_rto: t.initial_rto_ps,
            max_rto: t.max_rto_ps,
            syn_tries: t.syn_tries,
            syn_rto: t.syn_rto_ps,
            syn_backoff: t.syn_backoff,
            sack: t.recovery == Recovery::Sack,
            partial_acks: t.recovery != Recovery::Reno,
            limited_transmit: t.limited_transmit,
            prr: t.prr,
            rack_tlp: t.rack_tlp && t.recovery == Recovery::Sack,
            each_timeout: t.timeout_reduction == TimeoutReduction::Each,
            count_segments: t.count == Count::Segments,
            whole_windows: t.whole_windows,
            window_validation: t.window_validation,
            delayed_ack: t.delayed_ack.then_some(t.delayed_ack_ps),
            quick_acks: t.quick_acks,
            timestamps: t.rtt == RttSampling::Timestamps,
            clock: t.clock_ps,
            timestamp_clock: t.timestamp_clock_ps,
            ecn: t.ecn,
            ecn_acks: t.ecn_acks,
            burst_edge: if t.pacing_bursts { (BUFFER_BYTES / u32::from(t.segment_bytes)).max(1) } else { 0 },
            pacing: t.pacing.map(|Pacing { slow_start_gain, gain }| (slow_start_gain, gain)),
        }
    }
}
