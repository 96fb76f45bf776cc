//! Converts the transport profiles of a plan into those of TCP.

use headgate_model::plan::{
    self, AfterIdle, Count, EcnFeedback, EcnSupport, Pacing, Recovery, RttSampling, SynRetry,
    TimeoutReduction, TimeoutSacks, Transport,
};
use headgate_tcp::quic::Quic;
use headgate_tcp::{ENDLESS, Feedback, Profile, RtoRule};

/// Converts a transport profile. See [`Transport`] for the fields.
pub fn profile(t: &Transport) -> Profile {
    let sack = matches!(t.recovery, Recovery::Sack | Recovery::Sack1);
    Profile {
        data_bytes: t.segment_bytes + t.header_bytes,
        payload_bytes: t.segment_bytes,
        ack_bytes: t.ack_bytes,
        syn_bytes: t.syn_bytes,
        initial_window: t.initial_window,
        initial_ssthresh: t.initial_ssthresh.unwrap_or(f64::INFINITY),
        receive_window: t.receive_window.unwrap_or(ENDLESS),
        rto_rule: match t.rto_rule {
            plan::RtoRule::Rfc6298 => RtoRule::Rfc6298,
            plan::RtoRule::Linux => RtoRule::Linux,
            plan::RtoRule::Ns2 => RtoRule::Ns2 { tick: t.rto_tick_ps },
        },
        min_rto: t.min_rto_ps,
        rto_margin: t.rto_margin_ps,
        initial_rto: t.initial_rto_ps,
        max_rto: t.max_rto_ps,
        syn_tries: t.syn_tries,
        syn_rto: t.syn_rto_ps,
        syn_backoff: t.syn_backoff,
        syn_retry: match t.syn_retry {
            SynRetry::Rfc5681 => headgate_tcp::SynRetry::Rfc5681,
            SynRetry::Linux => headgate_tcp::SynRetry::Linux,
        },
        sack,
        pipe_by_acks: t.recovery == Recovery::Sack1,
        partial_acks: t.recovery != Recovery::Reno,
        limited_transmit: t.limited_transmit,
        prr: t.prr,
        rack_tlp: t.rack_tlp && sack,
        dsack: t.dsack && sack,
        undo: t.undo,
        frto: t.frto && t.undo,
        tail_probe: t.tail_probe,
        forgets_sacks: t.timeout_sacks == TimeoutSacks::Forgotten,
        each_timeout: t.timeout_reduction == TimeoutReduction::Each,
        count_segments: t.count == Count::Segments,
        whole_windows: t.whole_windows,
        window_validation: t.window_validation,
        after_idle: match t.after_idle {
            AfterIdle::Rfc5681 => headgate_tcp::AfterIdle::Rfc5681,
            AfterIdle::Linux => headgate_tcp::AfterIdle::Linux,
            AfterIdle::Rfc7661 => headgate_tcp::AfterIdle::Rfc7661,
            AfterIdle::Ns2 => headgate_tcp::AfterIdle::Ns2,
            AfterIdle::Keep => headgate_tcp::AfterIdle::Keep,
        },
        delayed_ack: t.delayed_ack.then_some(t.delayed_ack_ps),
        quick_acks: t.quick_acks,
        timestamps: t.rtt == RttSampling::Timestamps,
        clock: t.clock_ps,
        timestamp_clock: t.timestamp_clock_ps,
        ecn: t.ecn,
        ecn_feedback: t.ecn_feedback.map(|feedback| match feedback {
            EcnFeedback::Classic => Feedback::Classic,
            EcnFeedback::Exact => Feedback::Exact,
            EcnFeedback::Accurate => Feedback::Accurate,
        }),
        accecn_option: t.accecn_option,
        ecn_codepoint: t.ecn_codepoint,
        ecn_acks: t.ecn_acks,
        ecn_control: t.ecn_control,
        ecn_fallback: t.ecn_fallback,
        ecn_support: match t.ecn_receiver {
            EcnSupport::Off => Feedback::None,
            EcnSupport::Classic => Feedback::Classic,
            EcnSupport::Any => Feedback::Accurate,
        },
        burst_edge: if t.pacing_bursts { Profile::burst_edge_of(t.segment_bytes) } else { 0 },
        quic: t.quic.map(quic),
        pacing: t.pacing.map(|Pacing { slow_start_gain, gain }| (slow_start_gain, gain)),
    }
}

/// Converts the settings of QUIC.
fn quic(t: plan::Quic) -> Quic {
    Quic {
        packet_threshold: t.packet_threshold,
        time_threshold: t.time_threshold,
        max_ack_delay: t.max_ack_delay_ps,
        ack_every: t.ack_every,
        ack_reordering: t.ack_reordering,
    }
}
