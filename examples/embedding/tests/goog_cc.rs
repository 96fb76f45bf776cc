//! Headgate's GCC beside the crate goog_cc, a port of libwebrtc's `goog_cc` to Rust: the same reports of
//! random links, with the same constants, without probes and padding.

use goog_cc::experiments::FieldTrials;
use goog_cc::network_control::{NetworkControllerConfig, NetworkControllerInterface};
use goog_cc::transport::{
    NetworkControlUpdate, PacketResult, ProcessInterval, SentPacket, StreamsConfig, TargetRateConstraints,
    TransportPacketsFeedback,
};
use goog_cc::units::{DataRate, DataSize, Timestamp};
use goog_cc::{GoogCcConfig, GoogCcNetworkController};
use headgate_algos::media::gcc::{Gcc, Params, Variant};
use headgate_model::ecn::Ecn;
use headgate_model::media::{self, Feedback, MediaStream, PacketReport, RateController, Rates, SenderQueue};

const SEQUENCES: u64 = 100;
const LENGTH_MS: u64 = 40_000;
/// Time from one report to the next, milliseconds.
const REPORT_MS: u64 = 50;
/// Delay in each direction, milliseconds.
const DELAY_MS: f64 = 30.0;

/// A linear congruential generator of 64 bits.
struct Chance(u64);

impl Chance {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.draw()
    }
}

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms as i64)
}

fn bps(rate: f64) -> Option<DataRate> {
    Some(DataRate::from_bits_per_sec(rate as i64))
}

/// Their controller, with the constants of libwebrtc of 2025 for losses. The crate's are older.
struct Theirs {
    controller: GoogCcNetworkController,
    target_bps: f64,
}

impl Theirs {
    fn new(stream: &MediaStream) -> Self {
        let mut field_trials = FieldTrials::default();
        let losses = &mut field_trials.loss_based_bwe_v2;
        losses.bw_rampup_upper_bound_factor = 1.5;
        losses.bw_rampup_upper_bound_in_hold_factor = 1.2;
        losses.loss_threshold_of_high_bandwidth_preference = 0.2;
        losses.inherent_loss_upper_bound_bw_balance = DataRate::from_kilobits_per_sec(100);
        losses.instant_upper_bound_bw_balance = DataRate::from_kilobits_per_sec(100);
        losses.observation_window_size = 15;
        losses.use_in_start_phase = true;
        losses.lower_bound_by_acked_rate_factor = 1.0;
        losses.hold_duration_factor = 2.0;
        losses.use_byte_loss_rate = true;
        losses.bound_best_candidate = true;
        let constraints = TargetRateConstraints {
            at_time: at(0),
            min_data_rate: bps(stream.min_bps),
            max_data_rate: bps(stream.max_bps),
            starting_rate: bps(stream.start_bps),
        };
        let stream_based_config = StreamsConfig::default();
        let config = NetworkControllerConfig { field_trials, constraints, stream_based_config };
        let controller = GoogCcNetworkController::new(config, GoogCcConfig { feedback_only: true });
        let mut theirs = Self { controller, target_bps: stream.start_bps };
        theirs.process(0);
        theirs
    }

    fn process(&mut self, now_ms: u64) {
        let interval = ProcessInterval { at_time: at(now_ms), ..ProcessInterval::default() };
        let update = self.controller.on_process_interval(interval);
        self.take(&update);
    }

    fn take(&mut self, update: &NetworkControlUpdate) {
        if let Some(target) = &update.target_rate {
            self.target_bps = target.target_rate.bps() as f64;
        }
    }

    fn sent(packet: &PacketReport) -> SentPacket {
        SentPacket {
            send_time: at((1e3 * packet.sent_s).round() as u64),
            size: DataSize::from_bytes(packet.size_bytes as i64),
            sequence_number: packet.sequence as i64,
            ..SentPacket::default()
        }
    }

    fn report(&mut self, packets: &[PacketReport], now_ms: u64) {
        let one = |packet: &PacketReport| PacketResult {
            sent_packet: Self::sent(packet),
            receive_time: packet
                .arrived_s
                .map_or(Timestamp::plus_infinity(), |arrived_s| at((1e3 * arrived_s).round() as u64)),
            ..PacketResult::default()
        };
        let update = self.controller.on_transport_packets_feedback(TransportPacketsFeedback {
            feedback_time: at(now_ms),
            packet_feedbacks: packets.iter().map(one).collect(),
            ..TransportPacketsFeedback::default()
        });
        self.take(&update);
        self.process(now_ms);
    }
}

/// A link whose rate changes, and the packets on it.
struct Link {
    bps: f64,
    loss: f64,
    queue_ms: f64,
    free_ms: f64,
    flying: Vec<PacketReport>,
}

impl Link {
    fn new(chance: &mut Chance) -> Self {
        let bps = chance.between(0.3e6, 4.3e6);
        let loss = if chance.draw() < 0.5 { 0.0 } else { chance.between(0.0, 0.15) };
        Self { bps, loss, queue_ms: chance.between(100.0, 1000.0), free_ms: 0.0, flying: Vec::new() }
    }

    fn send(&mut self, sequence: u64, now_ms: u64, size_bytes: f64, chance: &mut Chance) {
        let now = now_ms as f64;
        let wait_ms = (self.free_ms - now).max(0.0);
        let mut arrived_s = None;
        if wait_ms <= self.queue_ms && chance.draw() >= self.loss {
            self.free_ms = now + wait_ms + 8e3 * size_bytes / self.bps;
            arrived_s = Some((self.free_ms + DELAY_MS + 3.0 * chance.draw()).floor() / 1e3);
        }
        let sent_s = now / 1e3;
        self.flying.push(PacketReport { sequence, sent_s, arrived_s, ecn: Ecn::NotEct, size_bytes });
    }

    /// Removes the packets that the receiver has reported by a time, unless all of them are lost.
    fn report(&mut self, now_ms: u64) -> Vec<PacketReport> {
        let until_s = (now_ms as f64 - DELAY_MS) / 1e3;
        let is_known = |packet: &PacketReport| {
            packet.arrived_s.unwrap_or(packet.sent_s + 2.0 * DELAY_MS / 1e3) <= until_s
        };
        if !self.flying.iter().any(|packet| is_known(packet) && packet.arrived_s.is_some()) {
            return Vec::new(); // goog_cc expects an arrival in each report
        }
        let (known, rest) = std::mem::take(&mut self.flying).into_iter().partition(is_known);
        self.flying = rest;
        known
    }
}

/// Returns the relative differences of the targets after the reports of a sequence. The stream follows ours.
fn compare(sequence: u64) -> Vec<f64> {
    let mut chance = Chance(sequence * 7919 + 1);
    for _ in 0..5 {
        chance.draw();
    }
    let start_bps = chance.between(0.1e6, 1e6);
    let stream =
        MediaStream { min_bps: 30e3, max_bps: 20e6, start_bps, frame_s: 1.0 / 30.0, packet_bytes: 1200.0 };
    let (mut theirs, mut link) = (Theirs::new(&stream), Link::new(&mut chance));
    let mut ours = Gcc::new(Params { variant: Variant::Webrtc, probes: false, pacing_factor: 0.0 });
    let mut rates = Rates::starting_at(start_bps);
    ours.on_start(&stream, 0.0, &mut rates);
    let (mut queued, mut due_ms, mut next, mut frame, mut differences) =
        (0.0f64, 0.0f64, 0, 0u32, Vec::new());
    for now_ms in 1..LENGTH_MS {
        if chance.draw() < 0.0001 {
            link.bps = chance.between(0.3e6, 4.3e6);
        }
        if now_ms as f64 >= f64::from(frame) * 1e3 * stream.frame_s {
            frame += 1;
            queued += rates.target_bps * stream.frame_s / 8.0;
        }
        let sender = SenderQueue { now_s: now_ms as f64 / 1e3, ..SenderQueue::default() };
        due_ms = due_ms.max(now_ms as f64 - 1.0);
        while queued > 0.0 && due_ms <= now_ms as f64 {
            let size_bytes = queued.min(stream.packet_bytes).floor().max(100.0);
            queued -= size_bytes;
            due_ms += 8e3 * size_bytes / rates.pacing_bps;
            link.send(next, now_ms, size_bytes, &mut chance);
            ours.on_send(&media::SentPacket { sender, sequence: next, size_bytes }, &mut rates);
            theirs.controller.on_sent_packet(Theirs::sent(&link.flying[link.flying.len() - 1]));
            next += 1;
        }
        let packets = if now_ms % REPORT_MS == 0 { link.report(now_ms) } else { Vec::new() };
        if !packets.is_empty() {
            let feedback =
                Feedback { sender, in_flight_before_bytes: 0.0, reported_s: 0.0, packets: &packets };
            ours.on_feedback(&feedback, &mut rates);
            theirs.report(&packets, now_ms);
            // before the third observation of losses goog_cc applies thresholds, which ours omits
            differences.extend((now_ms > 1500).then(|| (rates.target_bps / theirs.target_bps - 1.0).abs()));
        }
    }
    differences
}

#[test]
fn targets_agree_but_for_reports_at_which_nearly_equal_numbers_are_compared() {
    let differences: Vec<f64> = (0..SEQUENCES).flat_map(compare).collect();
    let within =
        |bound| differences.iter().filter(|off| **off <= bound).count() as f64 / differences.len() as f64;
    println!("{} targets: {:?}", differences.len(), [1e-3, 1e-2, 1e-1].map(within));
    assert!(differences.len() > 50_000);
    assert!(within(1e-3) >= 0.9 && within(1e-2) >= 0.95 && within(1e-1) >= 0.99);
}
