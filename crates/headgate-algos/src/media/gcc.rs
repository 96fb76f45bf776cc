//! GCC: Google congestion control, as in WebRTC and as in its draft.
//!
//! # Overview
//! GCC watches how the one-way delay changes. If it grows for 10 ms, the rate falls below the rate that
//! arrives; otherwise it rises by up to 8 % per second, or slowly near the last known capacity. A second
//! control lowers the rate when packets are lost. The smaller rate counts.
//!
//! # The rule
//! Per group of packets, `d(i) = (t(i) - t(i-1)) - (T(i) - T(i-1))` with arrivals `t` and departures `T`.
//!
//! * `webrtc`: the slope `k` of the smoothed sum of `d` over 20 groups by least squares; signal
//!   `4 min(i, 60) k`.
//! * `draft`: `m(i)`, the mean of `d` by a Kalman filter; signal `min(i, 60) m(i)`.
//!
//! The signal is compared with a threshold `c` that follows it: `c += (t(i) - t(i-1)) K (|signal| - c)`, with
//! one `K` above and one below the threshold. Over-use: `rate = 0.85 R` with the arriving rate `R`. Normal:
//! `rate *= 1.08` per second, or half a packet per `rtt + 100 ms` if an over-use is known at about this rate;
//! at most `1.5 R`. Under-use: constant.
//!
//! * Losses, `webrtc`: the most likely limit of the rate above which packets are lost ([`likelihood`]); not
//!   below `R`.
//! * Losses, `draft`: less than 2 %: `rate *= 1.05`; more than 10 %: `rate *= 1 - p/2`.
//! * Start, `webrtc`: probes at 3 and 6 times the rate, then at twice the rate as long as they succeed.
//! * Pacing at 2.5 times the rate (`webrtc`), or at the rate (`draft`).
//!
//! # Differences from the paper
//! NOTE(libwebrtc `goog_cc_network_control.cc`): there is no estimate of the network from elsewhere, no
//! window, no padding except for probes, and no separate detector for audio; their default is off, except
//! padding after losses.
//!
//! NOTE(libwebrtc `send_side_bandwidth_estimation.cc`): before the third observation of losses the delay
//! alone decides. libwebrtc also applies the thresholds of 2 and 10 % until then.
//!
//! NOTE(draft-ietf-rmcat-gcc-02 section 4): the draft sends a group of packets every 5 ms; here each packet
//! is paced. The Kalman filter needs that: frames sent at 2.5 times the rate queue in the link, which the
//! filter takes for noise. It then overlooks an increase of 1 % per second, and the buffer fills.
//!
//! # When to use it
//! As the rate control of browsers. Beside flows that fill the buffer it falls behind, because their queue
//! looks like over-use.
//!
//! # References
//! draft-ietf-rmcat-gcc-02; Carlucci et al. 2016 (MMSys), *Analysis and design of the Google congestion
//! control for web real-time communication*; libwebrtc `modules/congestion_controller/goog_cc` (2025).

mod aimd;
mod arrivals;
mod backoff;
mod capacity;
mod delay;
mod detector;
mod kalman;
pub mod likelihood;
mod loss;
mod probe;
mod thresholds;
mod throughput;
mod trendline;

use std::collections::VecDeque;

use headgate_model::media::{
    Feedback, Frame, MediaStream, PacketReport, RateController, Rates, SenderQueue, SentPacket,
};
use headgate_model::params::Card;

use backoff::Backoff;
use delay::{Delay, Measured};
use detector::Usage;
use loss::{Bounds, Limit, Loss};
use probe::{Permission, Probes};
use thresholds::Thresholds;
use throughput::Throughput;

headgate_model::choices! {
    /// The published form of the algorithm.
    pub enum Variant {
        /// libwebrtc: least squares, probes, likelihood of losses.
        Webrtc = "webrtc",
        /// The draft: Kalman filter, thresholds of losses.
        Draft = "draft",
    }
}

headgate_model::params! {
    /// The published form.
    variant: choice(Variant, "libwebrtc"),
    /// Whether the stream begins with probes; `webrtc` only.
    probes: switch(["on", "off"], "libwebrtc") used_with variant ["webrtc"],
    /// Pacing rate as a multiple of the target rate; 0 = 2.5 (`webrtc`) or 1 (`draft`).
    pacing_factor: number(0.0, (0.0, 100.0), "1", "libwebrtc; draft-ietf-rmcat-gcc-02 section 4"),
}

pub(crate) const CARD: Card = Card {
    name: "gcc",
    title: "Google congestion control",
    aliases: &[],
    family: "hybrid",
    rule: "rate = 0.85 R if the delay grows, else * 1.08 per s or + half a packet per rtt + 100 ms",
    response: "not below the arriving rate R",
    references: &[
        "draft-ietf-rmcat-gcc-02",
        "Carlucci et al. 2016, Analysis and design of the Google congestion control for WebRTC",
    ],
    params: Params::TABLE,
};

/// Pacing rate as a multiple of the target rate (`kDefaultPaceMultiplier`; draft section 4).
const WEBRTC_PACING: f64 = 2.5;
const DRAFT_PACING: f64 = 1.0;
/// Reports whose longest round trips are averaged.
const RTTS: usize = 32;
/// Share of the arriving rate below which the result of a probe does not lead.
const LEAST_PROBE: f64 = 0.85;

/// The control of losses.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Losses {
    Likelihood(Loss),
    Thresholds(Thresholds),
}

/// One stream's GCC.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Gcc {
    params: Params,
    state: Option<Box<State>>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    stream: MediaStream,
    pacing_factor: f64,
    throughput: Throughput,
    delay: Delay,
    losses: Losses,
    probes: Option<Probes>,
    backoff: Backoff,
    rtts_s: VecDeque<f64>,
    target_bps: f64,
    /// Sequence number of the next packet.
    next: u64,
}

impl Gcc {
    /// Creates a rate controller in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params, state: None }
    }
}

impl State {
    fn new(params: &Params, stream: &MediaStream, now_s: f64) -> Self {
        let range_bps = (stream.min_bps, stream.max_bps);
        let has_probes = params.probes && params.variant == Variant::Webrtc;
        Self {
            stream: *stream,
            pacing_factor: match params.variant {
                _ if params.pacing_factor > 0.0 => params.pacing_factor,
                Variant::Webrtc => WEBRTC_PACING,
                Variant::Draft => DRAFT_PACING,
            },
            throughput: Throughput::new(params.variant),
            delay: Delay::new(params.variant, stream.start_bps, stream.min_bps),
            losses: match params.variant {
                Variant::Webrtc => Losses::Likelihood(Loss::new(range_bps)),
                Variant::Draft => Losses::Thresholds(Thresholds::new(range_bps)),
            },
            probes: has_probes.then(|| Probes::new(stream.start_bps, stream.max_bps, now_s)),
            backoff: Backoff::default(),
            rtts_s: VecDeque::new(),
            target_bps: stream.start_bps,
            next: 0,
        }
    }

    fn take(&mut self, feedback: &Feedback) {
        let now_s = feedback.sender.now_s;
        let arrived = sort_arrivals(feedback);
        self.take_rtts(&arrived, now_s);
        for packet in &arrived {
            self.throughput.take(packet.sent_s, packet.arrived_s, packet.bytes);
        }
        self.throughput.trim();
        let arriving_bps = self.throughput.rate_bps();
        let probe_bps = self.measure_probes(&arrived, arriving_bps);
        let times = arrived.iter().map(|packet| (packet.sent_s, packet.arrived_s));
        self.delay.take(times, &Measured { arriving_bps, probe_bps }, now_s);
        self.take_losses(feedback.packets, arriving_bps, now_s);
        self.aim(now_s);
        let permission = self.permit_probe();
        if let Some(probes) = &mut self.probes {
            probes.follow(self.target_bps, permission, now_s);
        }
    }

    /// Takes the longest round trip of a report with the wait at the receiver, and the shortest without it.
    fn take_rtts(&mut self, arrived: &[Arrival], now_s: f64) {
        let Some(last) = arrived.last() else {
            return;
        };
        let longest_s = arrived.iter().fold(0.0f64, |most_s, packet| most_s.max(now_s - packet.sent_s));
        self.rtts_s.push_back(longest_s);
        if self.rtts_s.len() > RTTS {
            self.rtts_s.pop_front();
        }
        self.delay.take_rtt(self.rtts_s.iter().sum::<f64>() / self.rtts_s.len() as f64);
        let path_s = |packet: &Arrival| now_s - packet.sent_s - (last.arrived_s - packet.arrived_s);
        let shortest_s = arrived.iter().map(path_s).fold(f64::INFINITY, f64::min);
        self.backoff.take_rtt(shortest_s, now_s);
    }

    /// Returns the result of the last probe of which packets arrived, bit/s.
    fn measure_probes(&mut self, arrived: &[Arrival], arriving_bps: Option<f64>) -> Option<f64> {
        let probes = self.probes.as_mut()?;
        let take =
            |packet: &Arrival| probes.take(packet.sequence, packet.sent_s, packet.arrived_s, packet.bytes);
        let result_bps = arrived.iter().filter_map(take).last()?;
        let least_bps =
            arriving_bps.map_or(0.0, |rate_bps| (LEAST_PROBE * rate_bps).min(self.delay.rate_bps()));
        Some(result_bps.max(least_bps))
    }

    fn take_losses(&mut self, packets: &[PacketReport], arriving_bps: Option<f64>, now_s: f64) {
        match &mut self.losses {
            Losses::Likelihood(loss) => {
                let bounds = Bounds { delay_bps: self.delay.rate_bps(), arriving_bps };
                let one =
                    |packet: &PacketReport| (packet.sent_s, packet.size_bytes, packet.arrived_s.is_none());
                loss.take(packets.iter().map(one), &bounds);
            }
            Losses::Thresholds(thresholds) => {
                let lost = packets.iter().filter(|packet| packet.arrived_s.is_none()).count();
                thresholds.take(packets.len() as f64, lost as f64, self.target_bps, now_s);
            }
        }
    }

    /// Sets the target to the smaller of the two rates.
    fn aim(&mut self, now_s: f64) {
        let loss_bps = match &self.losses {
            Losses::Likelihood(loss) => loss.rate_bps().unwrap_or(f64::INFINITY),
            Losses::Thresholds(thresholds) => thresholds.rate_bps(),
        };
        let rate_bps = self.delay.rate_bps().min(loss_bps);
        let limited_bps = self.backoff.limit(rate_bps, now_s);
        self.target_bps = limited_bps.clamp(self.stream.min_bps, self.stream.max_bps);
    }

    fn permit_probe(&self) -> Permission {
        let limit = match &self.losses {
            Losses::Likelihood(loss) => loss.limit(),
            Losses::Thresholds(_) => Limit::Delay,
        };
        match (self.delay.usage(), limit) {
            (Usage::Normal, Limit::Delay) if !self.backoff.is_active() => Permission::Free,
            (Usage::Normal, Limit::Increasing) if !self.backoff.is_active() => Permission::Bounded,
            _ => Permission::Forbidden,
        }
    }

    /// Begins a planned probe, if none is being sent. A queue of `queue_bytes` is sent first.
    fn begin_probe(&mut self, queue_bytes: f64, rates: &mut Rates) {
        let packet_bytes = self.stream.packet_bytes;
        if let Some(bytes) = self.probes.as_mut().and_then(|probes| probes.begin(self.next, packet_bytes)) {
            rates.padding_bytes = (bytes - queue_bytes).max(0.0);
        }
    }

    fn set(&self, rates: &mut Rates) {
        rates.target_bps = self.target_bps;
        let probe_bps = self.probes.as_ref().and_then(Probes::rate_bps);
        rates.pacing_bps = probe_bps.unwrap_or(self.pacing_factor * self.target_bps);
    }
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    sequence: u64,
    sent_s: f64,
    arrived_s: f64,
    bytes: f64,
}

/// Returns the packets of a report that arrived, in the order of arrivals.
fn sort_arrivals(feedback: &Feedback) -> Vec<Arrival> {
    let one = |packet: &PacketReport| {
        let PacketReport { sequence, sent_s, size_bytes: bytes, .. } = *packet;
        packet.arrived_s.map(|arrived_s| Arrival { sequence, sent_s, arrived_s, bytes })
    };
    let mut arrived: Vec<Arrival> = feedback.packets.iter().filter_map(one).collect();
    arrived.sort_by(|one, other| one.arrived_s.total_cmp(&other.arrived_s));
    arrived
}

impl RateController for Gcc {
    fn on_start(&mut self, stream: &MediaStream, now_s: f64, rates: &mut Rates) {
        let state = State::new(&self.params, stream, now_s);
        state.set(rates);
        self.state = Some(Box::new(state));
    }

    fn on_frame(&mut self, frame: &Frame, rates: &mut Rates) {
        if let Some(state) = &mut self.state {
            state.begin_probe(frame.sender.queue_bytes, rates);
            state.set(rates);
        }
    }

    fn on_send(&mut self, packet: &SentPacket, rates: &mut Rates) {
        let Some(state) = &mut self.state else {
            return;
        };
        state.next = packet.sequence + 1;
        state.backoff.on_send(packet.sender.now_s);
        let ends =
            state.probes.as_mut().is_some_and(|probes| probes.on_send(packet.sequence, packet.size_bytes));
        if ends {
            state.begin_probe(packet.sender.queue_bytes, rates);
            state.set(rates);
        }
    }

    fn on_feedback(&mut self, feedback: &Feedback, rates: &mut Rates) {
        if feedback.packets.is_empty() {
            return;
        }
        if let Some(state) = &mut self.state {
            state.take(feedback);
            state.set(rates);
        }
    }

    fn on_silence(&mut self, sender: &SenderQueue, rates: &mut Rates) {
        if let Some(state) = &mut self.state {
            state.aim(sender.now_s);
            state.set(rates);
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        self.state.as_ref().map(|state| ("threshold_ms", state.delay.threshold_ms()))
    }
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;
