//! Detection of congestion: losses, marks and their share, and the queueing delay (sections "Congestion
//! Detection" and "Reference Window Reduction").

use headgate_model::ecn::Ecn;
use headgate_model::media::Feedback;

use super::program::REACT_EVERY_S;
use super::{Marks, Params, Variant};

/// Longest time between two updates of the share of marks, seconds.
const ALPHA_EVERY_S: f64 = 0.01;
/// Gain of the mean queueing delay (`QDELAY_AVG_G`).
const DELAY_GAIN: f64 = 1.0 / 4.0;
/// Gain of the variation of the queueing delay (`QDELAY_DEV_AVG_G`).
const VARIATION_GAIN: f64 = 1.0 / 64.0;
/// Delay that normalises the variation, seconds (`QDELAY_DEV_NORM`).
const VARIATION_NORM_S: f64 = 0.025;
/// Round trips between two updates of the window of the last congestion.
const INFLECTION_RTTS: f64 = 10.0;

/// A congestion that reduces the reference window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event {
    /// A packet was lost.
    Loss,
    /// A packet was marked.
    Mark,
    /// The mean queueing delay exceeds half of its target; the virtual share of marks.
    Delay(f64),
}

/// The signs of congestion in the reports.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Detector {
    /// Mean share of marked packets (`l4s_alpha`).
    pub alpha: f64,
    alpha_at_s: f64,
    delivered: f64,
    marked: f64,
    /// Last queueing delay, seconds (`qdelay`).
    pub queueing_s: f64,
    mean_queueing_s: f64,
    mean_at_s: f64,
    /// Normalised variation of the queueing delay (`qdelay_dev_norm`), and its threshold.
    variation: f64,
    variation_most: f64,
    /// Losses or marks since the last reaction.
    is_lost: bool,
    is_marked: bool,
    congested_at_s: f64,
    reacted_at_s: f64,
    /// Window of the last congestion, bytes (`ref_wnd_i`).
    pub inflection: f64,
    pub inflected_at_s: f64,
    packet_bytes: f64,
    /// Factor of growth and reaction near that window, 0.1 to 1 (`scl_t`).
    pub scale: f64,
}

impl Detector {
    /// A detector that knows nothing, with this share of marks.
    pub fn new(alpha: f64) -> Self {
        Self {
            alpha,
            alpha_at_s: 0.0,
            delivered: 0.0,
            marked: 0.0,
            queueing_s: 0.0,
            mean_queueing_s: 0.0,
            mean_at_s: 0.0,
            variation: 0.0,
            variation_most: 0.1,
            is_lost: false,
            is_marked: false,
            congested_at_s: 0.0,
            reacted_at_s: 0.0,
            inflection: 1.0,
            inflected_at_s: 0.0,
            packet_bytes: 0.0,
            scale: 1.0,
        }
    }

    /// The stream begins, at time 0 of the draft.
    pub fn begin(&mut self, now_s: f64, packet_bytes: f64) {
        self.packet_bytes = packet_bytes;
        (self.alpha_at_s, self.mean_at_s) = (now_s, now_s);
        (self.congested_at_s, self.reacted_at_s, self.inflected_at_s) = (now_s, now_s, now_s);
    }

    /// Counts losses and marks of a report, and updates the means.
    pub fn update(&mut self, feedback: &Feedback, queueing_s: f64, ratio: f64, srtt_s: f64, params: &Params) {
        let now_s = feedback.sender.now_s;
        for packet in feedback.packets {
            let is_marked = packet.ecn == Ecn::Ce;
            self.is_lost |= packet.arrived_s.is_none();
            self.is_marked |= is_marked;
            self.delivered += f64::from(u8::from(packet.arrived_s.is_some()));
            self.marked += f64::from(u8::from(is_marked));
        }
        if now_s - self.alpha_at_s >= ALPHA_EVERY_S.min(srtt_s) && self.delivered > 0.0 {
            let share = self.marked / self.delivered;
            self.alpha = params.variant.mean_share(self.alpha, share);
            (self.alpha_at_s, self.delivered, self.marked) = (now_s, 0.0, 0.0);
        }
        self.queueing_s = queueing_s;
        if now_s - self.mean_at_s >= params.virtual_rtt_s.min(srtt_s) {
            self.update_mean(ratio);
            self.mean_at_s = now_s;
        }
    }

    fn update_mean(&mut self, ratio: f64) {
        let delay_s = self.queueing_s;
        self.mean_queueing_s = if delay_s < self.mean_queueing_s {
            delay_s
        } else {
            DELAY_GAIN * delay_s + (1.0 - DELAY_GAIN) * self.mean_queueing_s
        };
        self.variation_most = (0.1 * (1.0 - ratio / 0.1)).max(0.05);
        let above = (delay_s - VARIATION_NORM_S / 4.0) / VARIATION_NORM_S;
        let limited = above.clamp(0.0, 1.5 * self.variation_most);
        self.variation += VARIATION_GAIN * (limited - self.variation);
    }

    /// Returns the congestion that the sender reacts to now, at most one per round trip.
    /// `ref_wnd` is the window, bytes, and `target_bps` the target rate.
    pub fn detect(
        &mut self,
        now_s: f64,
        [ref_wnd, target_bps]: [f64; 2],
        srtt_s: f64,
        params: &Params,
    ) -> Option<Event> {
        let (steepness, every_s, inflection_rtts) = match params.variant {
            Variant::Draft => (8.0, params.virtual_rtt_s, INFLECTION_RTTS),
            Variant::Of2024 => (4.0, REACT_EVERY_S, 1.0),
        };
        let distance = steepness * (ref_wnd - self.inflection) / self.inflection;
        self.scale = (distance * distance).clamp(0.1, 1.0);
        let is_due = now_s - self.reacted_at_s >= every_s.min(srtt_s);
        let two_marks = 2.0 * self.packet_bytes * 8.0 / srtt_s / target_bps;
        let event = if is_due { self.find_event(two_marks, params) } else { None };
        let is_signalled = self.is_lost || self.is_marked;
        let is_congested = match params.variant {
            Variant::Draft => is_signalled,
            Variant::Of2024 => {
                // The program forgets losses and marks that arrive before it may react again.
                (self.is_lost, self.is_marked) = (false, false);
                event.is_some()
            }
        };
        if is_congested {
            self.congested_at_s = now_s;
        }
        let event = event?;
        if now_s - self.inflected_at_s > inflection_rtts * srtt_s {
            (self.inflected_at_s, self.inflection) = (now_s, ref_wnd);
        }
        Some(event)
    }

    /// `two_marks` is the share of marks at two marks per round trip.
    pub fn find_event(&self, two_marks: f64, params: &Params) -> Option<Event> {
        if self.is_lost {
            Some(Event::Loss)
        } else if self.is_marked {
            Some(Event::Mark)
        } else {
            self.virtual_share(two_marks, params).map(Event::Delay)
        }
    }

    /// Returns the share of marks that that the mean queueing delay means, from half of its target on. The
    /// program of 2024 ignores the delay while packets are marked.
    fn virtual_share(&self, two_marks: f64, params: &Params) -> Option<f64> {
        let half_s = params.delay_target_s / 2.0;
        if self.mean_queueing_s <= half_s {
            return None;
        }
        if params.variant == Variant::Draft {
            return Some(((self.mean_queueing_s - half_s) / half_s).min(1.0));
        }
        let is_marked = params.marks == Marks::L4s && self.alpha >= 0.1 * two_marks;
        let above = (self.mean_queueing_s - half_s / 2.0) / (1.5 * half_s);
        (!is_marked).then_some((two_marks + above).min(1.0))
    }

    /// The window was reduced.
    pub fn note_reaction(&mut self, now_s: f64) {
        (self.is_lost, self.is_marked) = (false, false);
        self.reacted_at_s = now_s;
    }

    /// Returns how far the variation of the queueing delay is below its threshold, as a share of it: at most
    /// 1.
    pub fn steadiness(&self) -> f64 {
        (self.variation_most - self.variation) / self.variation_most
    }

    /// Returns the time since the last loss or mark, seconds.
    pub fn since_congestion_s(&self, now_s: f64) -> f64 {
        now_s - self.congested_at_s
    }

    /// Returns the time since the last reduction, seconds.
    pub fn since_reaction_s(&self, now_s: f64) -> f64 {
        now_s - self.reacted_at_s
    }
}
