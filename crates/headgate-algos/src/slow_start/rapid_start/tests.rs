use super::*;
use crate::trial::{PATH, ack, acked, avoiding, loss, starting, timeout};
use headgate_model::control::Rate;

fn growing() -> RapidStart {
    RapidStart::new(Params::default())
}

/// An ACK at this time with this RTT, seconds.
fn at(now_s: f64, rtt_s: f64) -> Ack {
    Ack { now_s, ..ack(rtt_s) }
}

fn path(min_rtt_s: f64) -> Path {
    Path { srtt_s: min_rtt_s, min_rtt_s, ..PATH }
}

#[test]
fn an_empty_queue_triples_the_window_and_a_queue_doubles_it() {
    for (rtt_s, cwnd) in [(0.1, 30.0), (0.104, 30.0), (0.1041, 20.0)] {
        let (mut start, mut window) = (growing(), starting(10.0));
        for _ in 0..10 {
            start.on_ack(&at(1.0, rtt_s), 0.1, &PATH, &mut window);
            start.grow(&at(1.0, rtt_s), &mut window);
        }
        assert_eq!(window.cwnd, cwnd, "{rtt_s}");
    }
}

#[test]
fn the_margin_is_the_smaller_of_4_ms_and_a_tenth() {
    for (min_rtt_s, empty_s, queue_s) in [(0.01, 0.011, 0.01101), (0.2, 0.204, 0.20401)] {
        for (rtt_s, gain) in [(empty_s, 2.0), (queue_s, 1.0)] {
            let (mut start, mut window) = (growing(), starting(10.0));
            start.on_ack(&at(1.0, rtt_s), min_rtt_s, &path(min_rtt_s), &mut window);
            assert_eq!(start.gain, gain, "{rtt_s}");
        }
    }
}

#[test]
fn the_smallest_rtt_of_the_last_round_trip_decides() {
    let (mut start, mut window) = (growing(), starting(10.0));
    for (now_s, rtt_s, gain) in [(1.0, 0.1, 2.0), (1.05, 0.15, 2.0), (1.1, 0.15, 2.0), (1.11, 0.15, 1.0)] {
        start.on_ack(&at(now_s, rtt_s), 0.1, &PATH, &mut window);
        assert_eq!(start.gain, gain, "{now_s}");
    }
}

#[test]
fn the_floor_is_the_least_of_all_samples_of_the_span() {
    let (mut floor, mut all, mut random) = (Floor::default(), Vec::new(), 12_345u64);
    for step in 0..3_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (now_s, rtt_s) = (f64::from(step) * 0.003, 0.1 + (random >> 40) as f64 * 1e-9);
        all.push((now_s, rtt_s));
        let least = all.iter().filter(|s| s.0 >= now_s - 0.1).map(|s| s.1).fold(f64::INFINITY, f64::min);
        assert_eq!(floor.update(now_s, rtt_s, 0.1), least);
    }
}

#[test]
fn the_first_window_is_twice_the_initial_one_over_one_round_trip() {
    let (mut start, mut window) = (growing(), starting(10.0));
    start.on_start(0.0, &PATH, &mut window);
    assert_eq!((window.cwnd, window.pace), (20.0, 200.0)); // 20 segments in 100 ms
    start.on_ack(&at(1.0, 0.1), 0.1, &PATH, &mut window);
    assert_eq!(window.pace, f64::INFINITY);
}

#[test]
fn a_transport_that_paces_does_so_at_three_windows_while_the_window_triples() {
    let (mut start, mut window) = (growing(), starting(10.0));
    let paced = |rtt_s| Ack { paced: true, ..at(1.0, rtt_s) };
    start.on_ack(&paced(0.1), 0.1, &PATH, &mut window);
    start.on_ack(&paced(0.1), 0.1, &PATH, &mut window);
    assert_eq!(window.pace, 300.0);
    start.on_exit(&mut window);
    assert_eq!(window.pace, f64::INFINITY);
}

/// Starts the drain of a window of `flight`, of which the algorithm keeps `beta`.
fn draining(flight: u32, beta: f64) -> (RapidStart, Window) {
    let mut start = growing();
    let mut window = Window { ssthresh: beta * f64::from(flight), ..avoiding(f64::from(flight)) };
    start.on_congestion(&loss(flight), &mut window);
    assert!(start.controls_cwnd_in_recovery());
    (start, window)
}

fn repair(start: &mut RapidStart, newly: f64, newly_lost: f64, window: &mut Window) {
    let rate = Rate { newly, newly_lost, ..Rate::default() };
    start.on_repair(&Ack { rate, ..acked(newly) }, window);
}

#[test]
fn the_factors_are_those_of_the_draft() {
    // beta 0.5: 29/36, 11/36, 29/36; beta 0.7: 53/60, 11/60, 53/60
    for (beta, silence, per_delivered) in [(0.5, 29.0 / 36.0, 11.0 / 36.0), (0.7, 53.0 / 60.0, 11.0 / 60.0)] {
        let (start, window) = draining(3_600, beta);
        let Phase::Draining(drain) = &*start.phase else { panic!("no drain") };
        for (found, expected) in [
            (window.cwnd, 3_600.0 * silence),
            (drain.per_delivered, per_delivered),
            (drain.per_lost, silence),
            (drain.least_cwnd, 3_600.0 * beta / 3.0), // silence - ack / 3 - 2 loss / 3 = beta / 3
        ] {
            assert!((found - expected).abs() < 1e-9, "{beta}: {found} {expected}");
        }
    }
}

#[test]
fn beta_of_what_was_delivered_remains_in_any_order() {
    let mut random = 99u64;
    for flight in [36, 100, 1_000] {
        for beta in [0.5, 0.7, 0.875] {
            for share in [0.0, 0.2, 0.5, 0.66] {
                let (mut start, mut window) = draining(flight, beta);
                let mut lost = (share * f64::from(flight)).floor();
                let mut delivered = f64::from(flight) - lost;
                let expected = (beta * delivered).max(beta * f64::from(flight) / 3.0);
                while delivered + lost > 0.0 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let one = if random >> 63 == 0 { delivered.min(2.0) } else { 0.0 };
                    let other = if one == 0.0 { lost.min(1.0) } else { 0.0 };
                    let one = if one + other == 0.0 { delivered.min(2.0) } else { one };
                    repair(&mut start, one, other, &mut window);
                    (delivered, lost) = (delivered - one, lost - other);
                }
                repair(&mut start, 50.0, 50.0, &mut window); // retransmissions
                assert!((window.cwnd - expected).abs() < 1e-6, "{flight} {beta} {share}: {}", window.cwnd);
                start.on_recovered(&mut window);
                assert_eq!(window.ssthresh, window.cwnd);
            }
        }
    }
}

#[test]
fn a_small_window_keeps_beta_of_the_initial_window() {
    let mut start = growing();
    start.on_start(0.0, &PATH, &mut starting(10.0));
    let mut window = Window { ssthresh: 6.0, ..avoiding(12.0) };
    start.on_congestion(&loss(12), &mut window);
    repair(&mut start, 2.0, 10.0, &mut window);
    assert_eq!(window.cwnd, 5.0);
}

#[test]
fn a_time_out_or_a_second_loss_is_left_to_the_algorithm() {
    for event in [timeout(20), loss(20)] {
        let (mut start, mut window) = draining(36, 0.5);
        let before = window.cwnd;
        start.on_congestion(&event, &mut window);
        assert!(!start.controls_cwnd_in_recovery());
        assert_eq!((window.cwnd, start.growth(&acked(3.0))), (before, 3.0));
    }
}
