//! Tests of SCReAMv2: equations by hand, an invariant, and an independent program.

use super::*;
use headgate_model::chance::Stream;
use headgate_model::media::{PacketReport, RateControllers, SenderQueue};

use crate::media::AnyRateController;

const STREAM: MediaStream =
    MediaStream { min_bps: 1e5, max_bps: 1e8, start_bps: 2.4e6, frame_s: 0.02, packet_bytes: 1200.0 };

fn params() -> Params {
    let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
    Params::from_values(&values)
}

/// A controller at a path of 20 ms without a queue, and its rates.
fn begun(params: Params) -> (Scream, Rates) {
    let mut controller = Scream::new(params);
    let mut rates = Rates::starting_at(STREAM.start_bps);
    controller.on_start(&STREAM, 0.0, &mut rates);
    controller.on_feedback(&report(0.02, &[packet(0, 0.0, Some(0.01), false)]).view(), &mut rates);
    (controller, rates)
}

struct Report {
    sender: SenderQueue,
    before: f64,
    packets: Vec<PacketReport>,
}

impl Report {
    fn view(&self) -> Feedback<'_> {
        Feedback {
            sender: self.sender,
            in_flight_before_bytes: self.before,
            reported_s: self.sender.now_s - 0.01,
            packets: &self.packets,
        }
    }
}

fn packet(sequence: u64, sent_s: f64, arrived_s: Option<f64>, is_marked: bool) -> PacketReport {
    let ecn = if is_marked { Ecn::Ce } else { Ecn::Ect1 };
    PacketReport { sequence, sent_s, arrived_s, ecn, size_bytes: 1200.0 }
}

/// A report at this time that acknowledges these packets, with nothing in flight after it.
fn report(now_s: f64, packets: &[PacketReport]) -> Report {
    let before = packets.iter().map(|packet| packet.size_bytes).sum();
    Report { sender: SenderQueue { now_s, ..SenderQueue::default() }, before, packets: packets.to_vec() }
}

#[test]
fn pacing_follows_its_headroom_in_both_variants() {
    for variant in [Variant::Draft, Variant::Of2024] {
        for pacing_headroom in [1.28, 1.5] {
            let (_, rates) = begun(Params { variant, pacing_headroom, ..params() });
            assert!((rates.pacing_bps / rates.target_bps - pacing_headroom).abs() < 1e-9, "{rates:?}");
        }
    }
}

#[test]
fn the_first_round_trip_sets_window_target_and_pacing() {
    let (controller, rates) = begun(params());
    assert_eq!(controller.srtt_s, 0.02);
    let window = 6000.0; // 2.4 Mbit/s * 20 ms / 8; 1200 bytes in flight allow no growth above 3000
    assert!((controller.ref_wnd - window).abs() < 1e-9, "{}", controller.ref_wnd);
    let ratio: f64 = 1200.0 / window;
    let target = (1.0 - (ratio - 0.1)) * 1200.0 / 1220.0 / 1.2 * 8.0 * window / 0.02;
    assert!((rates.target_bps - target).abs() < 1e-6 * target);
    assert!((rates.pacing_bps - 1.5 * target).abs() < 1e-6 * target);
    assert!((rates.window_bytes - 3.0 * window).abs() < 1e-9); // no variation of the delay
    assert_eq!(rates.discard_s, 0.1);
}

#[test]
fn the_window_grows_by_a_packet_per_virtual_round_trip_and_multiplicatively_long_after_a_congestion() {
    let (mut controller, _) = begun(params());
    controller.max_flight = [5000.0, 0.0];
    // 1200 * 1200/6000 * 20/25; 1.25 s of 2.5 s after the start: 1 + 0.02 * 5 * 0.5
    controller.increase(1200.0, 1.25, false);
    assert!((controller.ref_wnd - (6000.0 + 192.0 * 1.05)).abs() < 1e-9, "{}", controller.ref_wnd);
    let window = controller.ref_wnd;
    controller.increase(1200.0, 1.25, true); // the target rate is the greatest one
    assert_eq!(controller.ref_wnd, window);
    controller.max_flight = [3000.0, 2000.0];
    controller.increase(1200.0, 1.25, false); // 1200 + 1.5 * 3000 are less than the window
    assert_eq!(controller.ref_wnd, window);
    controller.max_flight = [50_000.0, 0.0];
    controller.ref_wnd = 6000.0;
    controller.detector.scale = 0.1; // near the window of the last congestion
    controller.increase(1200.0, 0.0, false);
    assert!((controller.ref_wnd - (6000.0 + 192.0 * 0.25)).abs() < 1e-9);
}

#[test]
fn alpha_rises_by_an_eighth_and_falls_by_a_128th() {
    let (mut controller, mut rates) = begun(params());
    let marked = [packet(1, 0.02, Some(0.03), true), packet(2, 0.02, Some(0.03), false)];
    controller.on_feedback(&report(0.04, &marked).view(), &mut rates);
    assert_eq!(controller.detector.alpha, 0.5 / 8.0);
    controller.on_feedback(&report(0.06, &[packet(3, 0.04, Some(0.05), false)]).view(), &mut rates);
    assert_eq!(controller.detector.alpha, 0.0625 * 127.0 / 128.0);
}

#[test]
fn a_mark_reduces_the_window_by_half_of_alpha_once_per_round_trip() {
    let (mut controller, _) = begun(params());
    controller.ref_wnd = 100_000.0;
    controller.detector.alpha = 0.4;
    controller.reduce(Event::Mark, 0.1);
    assert!((controller.ref_wnd - 80_000.0).abs() < 1e-6);
    controller.srtt_s = 0.05; // twice the virtual round trip
    controller.reduce(Event::Mark, 0.1);
    assert!((controller.ref_wnd - 72_000.0).abs() < 1e-6);
    controller.detector.queueing_s = 0.02; // above a quarter of 60 ms: not scaled near the inflection point
    controller.detector.scale = 0.1;
    controller.reduce(Event::Mark, 0.1);
    assert!((controller.ref_wnd - 64_800.0).abs() < 1e-6);
    controller.detector.queueing_s = 0.01;
    controller.reduce(Event::Mark, 0.1);
    assert!((controller.ref_wnd - 64_800.0 * (1.0 - 0.1 * 0.25)).abs() < 1e-6);
}

/// Marks at 30 and 40 ms, none at 60 ms. The draft reacts to the second one at 60 ms; the program of 2024
/// forgets it.
#[test]
fn the_program_forgets_a_mark_that_arrives_before_it_may_react() {
    for (variant, reductions) in [(Variant::Draft, 2), (Variant::Of2024, 1)] {
        let (mut controller, mut rates) = begun(Params { variant, ..params() });
        let mut reduced = 0;
        for (sequence, now_s, is_marked) in [(1, 0.03, true), (2, 0.04, true), (3, 0.06, false)] {
            let before = controller.detector.since_reaction_s(0.0).abs();
            let packets = [packet(sequence, now_s - 0.02, Some(now_s - 0.01), is_marked)];
            controller.on_feedback(&report(now_s, &packets).view(), &mut rates);
            reduced += u32::from(controller.detector.since_reaction_s(0.0).abs() > before);
        }
        assert_eq!(reduced, reductions, "{variant:?}");
    }
}

#[test]
fn losses_classic_marks_and_delay_have_their_factors() {
    let (mut controller, _) = begun(Params { marks: Marks::Classic, ..params() });
    controller.ref_wnd = 100_000.0;
    controller.reduce(Event::Loss, 0.1);
    assert!((controller.ref_wnd - 70_000.0).abs() < 1e-6);
    controller.reduce(Event::Mark, 0.1);
    assert!((controller.ref_wnd - 56_000.0).abs() < 1e-6);
    controller.reduce(Event::Delay(0.5), 0.1);
    assert!((controller.ref_wnd - 42_000.0).abs() < 1e-6);
    controller.ref_wnd = 3100.0;
    controller.reduce(Event::Loss, 0.1);
    assert_eq!(controller.ref_wnd, 3000.0);
    assert_eq!(controller.codepoint(), Ecn::Ect0);
}

#[test]
fn a_mean_delay_of_three_quarters_of_the_target_is_a_virtual_share_of_a_half() {
    let (mut controller, mut rates) = begun(params());
    controller.ref_wnd = 200_000.0;
    for n in 1..60u32 {
        let now_s = 0.02 + 0.065 * f64::from(n);
        let delayed = packet(n.into(), now_s - 0.065, Some(now_s - 0.01), false); // 45 ms above the base
        controller.on_feedback(&report(now_s, &[delayed]).view(), &mut rates);
    }
    let event = controller.detector.find_event(0.0, &controller.params);
    let Some(Event::Delay(alpha)) = event else { panic!("{event:?}") };
    assert!((alpha - 0.5).abs() < 1e-6, "{alpha}");
}

#[test]
fn a_frame_in_the_queue_and_a_large_frame_lower_the_target() {
    let (mut controller, mut rates) = begun(params());
    let before = rates.target_bps;
    let sender = SenderQueue { now_s: 0.04, queue_delay_s: 0.025, ..SenderQueue::default() };
    let size_bytes = before * 0.02 / 8.0 * 1.64; // 64 % above the nominal size
    controller.on_frame(&Frame { sender, size_bytes, is_key: false }, &mut rates);
    assert!((controller.rate_adjust - 1.0 / 16.0).abs() < 1e-12); // (25 ms - 5 ms) / 20 ms / 16
    assert!((controller.size_deviation - 0.01).abs() < 1e-12);
    assert!((rates.target_bps / before - 1.2 / (1.2 + 0.0625 + 0.01)).abs() < 1e-9);
}

#[test]
fn pacing_is_relaxed_near_the_greatest_rate() {
    let (mut controller, mut rates) = begun(params());
    let stream = MediaStream { max_bps: rates.target_bps / 0.9, ..STREAM };
    controller.set_rates(&stream, &mut rates);
    assert!((rates.pacing_bps / rates.target_bps - 3.0).abs() < 1e-6); // 1.5 / (1 - 0.5)
    controller.ref_wnd *= 10.0;
    controller.set_rates(&stream, &mut rates);
    assert_eq!(rates.target_bps, stream.max_bps);
    assert!((rates.pacing_bps / rates.target_bps - 6.0).abs() < 1e-6); // at most four times as fast
}

/// A linear congruential generator (Knuth's MMIX) that the Python program shares.
struct Lcg(u64);

impl Lcg {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// Drives a controller by a sequence of frames, packets and reports that `tests/oracles/scream_program.py`
/// repeats. Returns window, target, pacing and send window after every 100 steps.
fn drive(seed: u64, params: Params) -> Vec<[f64; 4]> {
    let mut lcg = Lcg(seed);
    let mut controller = Scream::new(params);
    let mut rates = Rates::starting_at(STREAM.start_bps);
    controller.on_start(&STREAM, 1.0, &mut rates);
    let (mut now_s, mut sequence, mut kept) = (1.0, 0, Vec::new());
    for step in 1..=1000 {
        now_s += 0.001 + 0.019 * lcg.draw();
        let queue_delay_s = 0.03 * lcg.draw();
        let size_bytes = rates.target_bps * STREAM.frame_s / 8.0 * (0.5 + lcg.draw());
        let sender = SenderQueue { now_s, queue_delay_s, ..SenderQueue::default() };
        controller.on_frame(&Frame { sender, size_bytes, is_key: false }, &mut rates);
        let packets = 1 + (8.0 * lcg.draw()) as u64;
        let in_flight = 1200.0 * packets as f64 * (1.0 + 20.0 * lcg.draw());
        let sender = SenderQueue { now_s, in_flight_bytes: in_flight, ..SenderQueue::default() };
        controller.on_send(&SentPacket { sender, sequence, size_bytes: 1200.0 }, &mut rates);
        let queueing_s = if step % 400 < 200 { 0.002 * lcg.draw() } else { 0.08 * lcg.draw() };
        let mut news = Vec::new();
        for _ in 0..packets {
            let is_lost = lcg.draw() < 0.002;
            let is_marked = lcg.draw() < 0.05;
            let sent_s = now_s - 0.03 - queueing_s;
            let arrived_s = (!is_lost).then_some(now_s - 0.015);
            news.push(packet(sequence, sent_s, arrived_s, is_marked && !is_lost));
            sequence += 1;
        }
        let sender = SenderQueue { in_flight_bytes: in_flight - 1200.0 * packets as f64, ..sender };
        let reported_s = now_s - 0.015;
        let feedback = Feedback { sender, in_flight_before_bytes: in_flight, reported_s, packets: &news };
        controller.on_feedback(&feedback, &mut rates);
        if step % 100 == 0 {
            kept.push([controller.ref_wnd, rates.target_bps, rates.pacing_bps, rates.window_bytes]);
        }
    }
    kept
}

/// The result of `tests/oracles/scream_program.py`, which follows the pseudocode of the draft line by line.
const PROGRAM: &str = include_str!("program.txt");

#[test]
fn an_independent_program_gives_the_same_windows_and_rates() {
    let variants = [
        params(),
        Params { marks: Marks::Classic, ..params() },
        Params { follows_variation: false, ..params() },
    ];
    let mut lines = PROGRAM.lines();
    for (seed, params) in (1..).zip(variants) {
        for found in drive(seed, params) {
            let line = lines.next().expect("a line of each hundred steps");
            let expected: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found / expected - 1.0).abs() < 1e-9, "{seed}: {found} instead of {expected}");
            }
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn rates_are_sound_and_within_their_limits_under_random_reports() {
    for (index, card) in AnyRateController::cards().iter().enumerate() {
        let values: Vec<f64> = card.params.iter().map(|param| param.default).collect();
        let mut chance = Stream::new(3, card.name, 0);
        for _ in 0..20 {
            let mut controller = AnyRateController::build(index, &values);
            let mut rates = Rates::starting_at(STREAM.start_bps);
            controller.on_start(&STREAM, 0.0, &mut rates);
            let (mut now_s, mut sequence) = (0.0, 0);
            for _ in 0..500 {
                now_s += 0.03 * chance.open01();
                let sender = SenderQueue {
                    now_s,
                    queue_bytes: 1e5 * chance.open01(),
                    queue_delay_s: 0.2 * chance.open01(),
                    in_flight_bytes: 1e5 * chance.open01(),
                };
                match chance.below(4) {
                    0 => controller.on_frame(
                        &Frame { sender, size_bytes: 1e5 * chance.open01(), is_key: true },
                        &mut rates,
                    ),
                    1 => controller.on_silence(&sender, &mut rates),
                    2 => controller.on_send(&SentPacket { sender, sequence, size_bytes: 1200.0 }, &mut rates),
                    _ => {
                        let mut news = Vec::new();
                        for _ in 0..chance.below(40) {
                            let sent_s = now_s - 0.4 * chance.open01();
                            let arrived_s = chance.chance(0.9).then_some(sent_s + 0.3 * chance.open01());
                            let is_marked = arrived_s.is_some() && chance.chance(0.2);
                            news.push(packet(sequence, sent_s, arrived_s, is_marked));
                            sequence += 1;
                        }
                        let feedback = Feedback {
                            sender,
                            in_flight_before_bytes: sender.in_flight_bytes + 1200.0 * news.len() as f64,
                            reported_s: now_s,
                            packets: &news,
                        };
                        controller.on_feedback(&feedback, &mut rates);
                    }
                }
                assert!(rates.is_sound(), "{}: {rates:?}", card.name);
                assert!(
                    (STREAM.min_bps..=STREAM.max_bps).contains(&rates.target_bps),
                    "{}: {rates:?}",
                    card.name
                );
            }
        }
    }
}
