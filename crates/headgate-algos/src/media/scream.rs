//! SCReAMv2: Self-Clocked Rate Adaptation for Multimedia, version 2.
//!
//! # Overview
//! A reference window follows losses, marks and the queueing delay, as Prague's does. The target rate of the
//! encoder is the window divided by the round trip, less a reserve. A pacer and a send window that is larger
//! than the reference window let frames leave quickly.
//!
//! # The rule
//! `ref_wnd += (acked - marked) MSS/ref_wnd min(1, srtt/25 ms) ...` at each report, with multiplicative
//! growth long after a congestion; `ref_wnd *= 1 - alpha/2` at marks, with `alpha` the share of marks;
//! `target = 8 ref_wnd/srtt * MSS/(MSS + 20) / (1.2 + queue + frame sizes)`.
//!
//! # Differences from the paper
//! NOTE(draft-johansson-ccwg-rfc8298bis-screamv2 section "Reference Window Update"): the window begins with
//! the start rate of the stream at the first round trip, not with 3000 bytes: the draft leaves the start rate
//! of the encoder open.
//!
//! NOTE(draft-johansson-ccwg-rfc8298bis-screamv2 section "Competing Flows Compensation"): `qdelay_target` is
//! constant. The draft permits this, and its program disables the compensation too (`enableSbd`).
//!
//! NOTE(draft-johansson-ccwg-rfc8298bis-screamv2 section "Clock drift issues and remedies"): clocks do not
//! drift here, and the remedy is left out. The base delay is that of RFC 6817: minima of ten minutes.
//!
//! NOTE(draft-johansson-ccwg-rfc8298bis-screamv2 section "Sender Transmission Control"): the queue is
//! discarded after 100 ms, as in the program (`kMaxRtpQueueDelay`). The draft leaves this open.
//!
//! # When to use it
//! For interactive video in L4S queues, beside Prague, and in queues without marks.
//!
//! # References
//! draft-johansson-ccwg-rfc8298bis-screamv2 (working copy of version 07, commit 00d8f51); its program
//! `EricssonResearch/scream` at c8f84c3, for what the draft leaves open.

use headgate_model::ecn::Ecn;
use headgate_model::media::{Feedback, Frame, MediaStream, RateController, Rates, SentPacket};
use headgate_model::params::Card;

use crate::parts::delays::Delays;

mod congestion;
mod program;
#[cfg(test)]
mod tests;

use congestion::{Detector, Event};
use program::Memory;

headgate_model::choices! {
    /// The marks that the sender reacts to.
    pub enum Marks {
        /// L4S: packets are ECT(1), and the reaction follows the share of marks.
        L4s = "l4s",
        /// Classic ECN: packets are ECT(0), and the reaction is fixed.
        Classic = "classic",
        /// No ECN.
        None = "none",
    }
}

headgate_model::choices! {
    /// The texts and programs that can be followed.
    pub enum Variant {
        /// The draft.
        Draft = "draft",
        /// The program of 31 October 2024, whose measurements are published (76a298a).
        Of2024 = "2024-10",
    }
}

headgate_model::params! {
    /// Text or program that is followed. The parameters below, except marks, beta_loss, beta_ecn,
    /// delay_target, virtual_rtt, pacing_headroom and discard, belong to the draft.
    variant: choice(Variant, "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Marks that the sender reacts to.
    marks: choice(Marks, "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Factor of the window after a loss.
    beta_loss: number(0.7, (0.1, 1.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Factor of the window after a mark of classic ECN.
    beta_ecn: number(0.8, (0.1, 1.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Queueing delay at which the reaction to delay is that of a share of marks of 1; it begins at half of
    /// it.
    delay_target_s: number(0.06, (0.001, 10.0), "s", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Growth of the window per round trip long after a congestion, as a share of the window.
    multiplicative_increase: number(0.02, (0.0, 1.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Round trips after a congestion until growth is fully multiplicative.
    post_congestion_rtts: number(100.0, (1.0, 100_000.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Round trip whose growth flows with shorter ones have.
    virtual_rtt_s: number(0.025, (0.001, 1.0), "s", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Pacing rate as a multiple of the target rate (`packetPacingHeadroom` of the program).
    pacing_headroom: number(1.5, (1.0, 100.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Greatest factor by which pacing is faster near the greatest target rate.
    relaxed_pacing: number(4.0, (1.0, 100.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Send window as a multiple of the reference window, if the queueing delay varies.
    overhead_min: number(1.5, (1.0, 100.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Send window as a multiple of the reference window, if the queueing delay is low.
    overhead_max: number(3.0, (1.0, 100.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2", at_least ["overhead_min"]),
    /// Whether growth, reactions and send window follow the variation of the queueing delay (optional code).
    follows_variation: switch(["on", "off"], "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// Age of the oldest packet in the queue from which on the queue is discarded.
    discard_s: number(0.1, (0.001, 1000.0), "s", "EricssonResearch/scream kMaxRtpQueueDelay"),
}

pub(crate) const CARD: Card = Card {
    name: "scream",
    title: "SCReAMv2",
    aliases: &["screamv2"],
    family: "hybrid",
    rule: "w += MSS per max(RTT, 25 ms); w *= 1 - alpha/2 on marks; rate = w/RTT/1.2",
    response: "about two marks per RTT",
    references: &["draft-johansson-ccwg-rfc8298bis-screamv2"],
    params: Params::TABLE,
};

/// Gain of the share of marks while it rises (`L4S_AVG_G_UP`).
const GAIN_UP: f64 = 1.0 / 8.0;
/// Gain of the share of marks while it falls (`L4S_AVG_G_DOWN`).
const GAIN_DOWN: f64 = 1.0 / 128.0;
/// Smallest reference window, bytes (`MIN_REF_WND`).
const MIN_REF_WND: f64 = 3000.0;
/// Bytes in flight that growth allows, as a multiple of the largest number so far
/// (`BYTES_IN_FLIGHT_HEAD_ROOM`).
const FLIGHT_HEADROOM: f64 = 1.5;
/// Smallest pacing rate without headroom, bit/s (`RATE_PACE_MIN`).
const MIN_PACE_BPS: f64 = 50_000.0;
/// Share of the greatest target rate from which on pacing is faster (`RELAXED_PACING_LIMIT_LOW`).
const RELAXED_FROM: f64 = 0.8;
/// Overhead of a packet, bytes (`PACKET_OVERHEAD`).
const PACKET_OVERHEAD: f64 = 20.0;
/// Gain of the correction for the queue of the sender (`RATE_ADJUST_GAIN`).
const ADJUST_GAIN: f64 = 1.0 / 16.0;
/// Gain of the mean deviation of frame sizes (`FRAME_SIZE_DEV_ALPHA`).
const DEVIATION_GAIN: f64 = 1.0 / 64.0;
/// Reserve of the target rate (section "Media Rate Control").
const RESERVE: f64 = 1.2;
/// Gain of the smoothed round trip (RFC 6298).
const RTT_GAIN: f64 = 1.0 / 8.0;

/// The state of one stream.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scream {
    params: Params,
    stream: Option<MediaStream>,
    /// Reference window, bytes; 0 before the first round trip.
    ref_wnd: f64,
    /// Smoothed round trip, seconds; 0 before the first sample.
    srtt_s: f64,
    delays: Delays,
    detector: Detector,
    /// Correction for the queue of the sender (`rate_adjust_factor`).
    rate_adjust: f64,
    /// Mean positive deviation of frame sizes (`frame_size_dev`).
    size_deviation: f64,
    /// Largest number of bytes in flight in the current and in the previous round trip.
    max_flight: [f64; 2],
    round_began_s: f64,
    /// The memory of the program of 2024.
    memory: Memory,
}

impl Scream {
    /// Creates a rate controller in its initial state.
    pub fn new(params: Params) -> Self {
        Self {
            memory: Memory::default(),
            params,
            stream: None,
            ref_wnd: 0.0,
            srtt_s: 0.0,
            delays: Delays::new(10, 1),
            detector: Detector::new(params.variant.first_alpha()),
            rate_adjust: 0.0,
            size_deviation: 0.0,
            max_flight: [0.0; 2],
            round_began_s: 0.0,
        }
    }

    fn is_of_2024(&self) -> bool {
        self.params.variant == Variant::Of2024
    }

    fn packet_bytes(&self) -> f64 {
        self.stream.map_or(1.0, |stream| stream.packet_bytes)
    }

    /// Returns a packet's share of the reference window, at most 1 (`ref_wnd_ratio`).
    fn ratio(&self) -> f64 {
        (self.packet_bytes() / self.ref_wnd).min(1.0)
    }

    /// Updates the round trip and the queueing delay. Returns false before the first round trip.
    fn update_path(&mut self, feedback: &Feedback) -> bool {
        let now_s = feedback.sender.now_s;
        for packet in feedback.arrived() {
            self.delays.sample(now_s, packet.arrived_s.unwrap_or(packet.sent_s) - packet.sent_s);
        }
        if let Some(rtt_s) = feedback.rtt_s() {
            let gain = if self.srtt_s > 0.0 { RTT_GAIN } else { 1.0 };
            self.srtt_s += gain * (rtt_s - self.srtt_s);
        }
        self.srtt_s > 0.0
    }

    fn note_flight(&mut self, now_s: f64, in_flight: f64) {
        if now_s - self.round_began_s > self.srtt_s {
            self.max_flight = [in_flight, self.max_flight[0]];
            self.round_began_s = now_s;
        }
        self.max_flight[0] = self.max_flight[0].max(in_flight);
    }

    /// Reduces the reference window (section "Reference Window Reduction").
    fn reduce(&mut self, event: Event, now_s: f64) {
        let Params { beta_loss, beta_ecn, virtual_rtt_s, delay_target_s, marks, .. } = self.params;
        let high_rtt = (self.srtt_s / virtual_rtt_s).max(1.0);
        match event {
            Event::Loss => self.ref_wnd *= beta_loss,
            Event::Mark if marks == Marks::Classic => self.ref_wnd *= beta_ecn,
            Event::Mark if self.is_of_2024() => self.reduce_at_mark_2024(now_s),
            Event::Mark => {
                let mut backoff = self.detector.alpha / 2.0 / high_rtt;
                if self.detector.queueing_s < delay_target_s / 4.0 {
                    backoff *= self.detector.scale.max(0.25) * self.steadiness();
                }
                if self.detector.since_reaction_s(now_s) > 100.0 * self.srtt_s.max(virtual_rtt_s) {
                    self.ref_wnd = self.ref_wnd.min(self.max_flight[1]);
                }
                self.ref_wnd *= 1.0 - backoff;
            }
            Event::Delay(alpha) if self.is_of_2024() => self.ref_wnd *= 1.0 - alpha / 2.0,
            Event::Delay(alpha) => self.ref_wnd *= 1.0 - alpha / 2.0 / high_rtt,
        }
        self.ref_wnd = self.ref_wnd.max(MIN_REF_WND);
    }

    /// Returns the factor of growth and reaction by the variation of the queueing delay, from 0.1
    /// (`MIN_QUEUE_DELAY_DEV_SCALE`) to 1.
    fn steadiness(&self) -> f64 {
        if self.params.follows_variation { self.detector.steadiness().max(0.1) } else { 1.0 }
    }

    /// Increases the reference window (section "Reference Window Increase").
    fn increase(&mut self, bytes: f64, now_s: f64, is_at_most: bool) {
        if self.is_of_2024() {
            return self.increase_2024(bytes, now_s, is_at_most);
        }
        let Params { virtual_rtt_s, post_congestion_rtts, multiplicative_increase, .. } = self.params;
        let long = post_congestion_rtts * self.srtt_s.max(virtual_rtt_s);
        let post_congestion = (self.detector.since_congestion_s(now_s) / long).clamp(0.0, 1.0);
        let scale = self.detector.scale;
        let extra = multiplicative_increase * self.ref_wnd / self.packet_bytes();
        let increment = bytes
            * self.ratio()
            * (self.srtt_s / virtual_rtt_s).min(1.0)
            * scale.max(0.25)
            * self.steadiness()
            * (1.0 + extra * post_congestion * scale);
        let allowed = self.packet_bytes() + self.max_flight[0].max(self.max_flight[1]) * FLIGHT_HEADROOM;
        if self.ref_wnd + increment <= allowed && !is_at_most {
            self.ref_wnd += increment;
        }
    }

    /// Returns the target rate (section "Media Rate Control"), bit/s.
    fn target_bps(&self, stream: &MediaStream) -> f64 {
        let small = 1.0 - (self.ratio() - 0.1).clamp(0.0, 0.2);
        let payload = stream.packet_bytes / (stream.packet_bytes + PACKET_OVERHEAD);
        let reserve = RESERVE + self.rate_adjust + self.size_deviation;
        let target = small * payload / reserve * 8.0 * self.ref_wnd / self.srtt_s;
        target.clamp(stream.min_bps, stream.max_bps)
    }

    /// Sets target rate, pacing rate and send window.
    fn set_rates(&self, stream: &MediaStream, rates: &mut Rates) {
        if self.is_of_2024() {
            return self.set_rates_2024(stream, rates);
        }
        let Params { pacing_headroom, relaxed_pacing, overhead_min, overhead_max, .. } = self.params;
        rates.target_bps = self.target_bps(stream);
        let nominal = rates.target_bps / stream.max_bps;
        let relaxed = ((nominal - RELAXED_FROM) / (1.0 - RELAXED_FROM)).min(1.0);
        let slowness = (1.0 - relaxed).clamp(1.0 / relaxed_pacing, 1.0);
        rates.pacing_bps = rates.target_bps.max(MIN_PACE_BPS) * pacing_headroom / slowness;
        let calm = if self.params.follows_variation { self.detector.steadiness().max(0.0) } else { 1.0 };
        rates.window_bytes = self.ref_wnd * (overhead_min + (overhead_max - overhead_min) * calm);
        rates.discard_s = self.params.discard_s;
    }
}

impl RateController for Scream {
    fn on_start(&mut self, stream: &MediaStream, now_s: f64, rates: &mut Rates) {
        self.stream = Some(*stream);
        self.round_began_s = now_s;
        self.detector.begin(now_s, stream.packet_bytes);
        rates.pacing_bps = stream.start_bps.max(MIN_PACE_BPS) * self.params.pacing_headroom;
    }

    fn on_frame(&mut self, frame: &Frame, rates: &mut Rates) {
        let Some(stream) = self.stream else { return };
        let error = (frame.sender.queue_delay_s - stream.frame_s / 4.0) / stream.frame_s;
        self.rate_adjust = (self.rate_adjust + error * ADJUST_GAIN).clamp(0.0, 0.5);
        let nominal = rates.target_bps * stream.frame_s / 8.0;
        self.memory.add_frame(frame, nominal);
        let deviation = ((frame.size_bytes - nominal) / nominal).max(0.0);
        self.size_deviation += DEVIATION_GAIN * (deviation - self.size_deviation);
        self.size_deviation = self.size_deviation.min(0.2);
        if self.srtt_s > 0.0 {
            self.set_rates(&stream, rates);
        }
    }

    fn on_send(&mut self, packet: &SentPacket, _rates: &mut Rates) {
        self.note_flight(packet.sender.now_s, packet.sender.in_flight_bytes);
    }

    fn on_feedback(&mut self, feedback: &Feedback, rates: &mut Rates) {
        let Some(stream) = self.stream else { return };
        if !self.update_path(feedback) {
            return;
        }
        let now_s = feedback.sender.now_s;
        if self.ref_wnd == 0.0 {
            self.ref_wnd = (stream.start_bps * self.srtt_s / 8.0).max(MIN_REF_WND);
        }
        self.note_flight(now_s, feedback.in_flight_before_bytes);
        let queueing_s = self.delays.queueing_s().unwrap_or(0.0);
        let ratio = self.ratio();
        self.detector.update(feedback, queueing_s, ratio, self.srtt_s, &self.params);
        let target = rates.target_bps;
        let event = self.detector.detect(now_s, [self.ref_wnd, target], self.srtt_s, &self.params);
        if let Some(event) = event {
            if self.detector.inflected_at_s == now_s && self.is_of_2024() {
                self.detector.inflection = self.memory.inflection(self.ref_wnd);
            }
            self.reduce(event, now_s);
            self.detector.note_reaction(now_s);
        }
        let acked = feedback.in_flight_before_bytes - feedback.sender.in_flight_bytes;
        let marked = feedback.arrived().filter(|packet| packet.ecn == Ecn::Ce);
        let marked: f64 = marked.map(|packet| packet.size_bytes).sum();
        self.increase((acked - marked).max(0.0), now_s, rates.target_bps >= stream.max_bps);
        self.set_rates(&stream, rates);
    }

    fn codepoint(&self) -> Ecn {
        match self.params.marks {
            Marks::L4s => Ecn::Ect1,
            Marks::Classic => Ecn::Ect0,
            Marks::None => Ecn::NotEct,
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("l4s_alpha", self.detector.alpha))
    }
}
