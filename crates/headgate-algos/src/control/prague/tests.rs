//! The equations of Prague, computed by hand.

use super::*;
use crate::trial::{PATH, ack, avoiding, congestion, loss, starting, timeout};

/// A path of this round trip, 1500 B.
fn path(srtt_s: f64) -> Path {
    Path { srtt_s, min_rtt_s: srtt_s, ..PATH }
}

fn prague(variant: Variant) -> Prague {
    Prague::new(Params { variant, ..Params::default() })
}

/// A flow in congestion avoidance that no longer depends on its round trip.
fn settled(variant: Variant, cwnd: f64) -> (Prague, Window) {
    let (mut prague, window) = (prague(variant), avoiding(cwnd));
    prague.0.exact = cwnd;
    prague.0.rounds = 500.0;
    (prague, window)
}

fn at(now_s: f64, acked: f64, marked: f64) -> Ack {
    Ack { now_s, acked, marked, ..ack(0.1) }
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn growth_per_round_trip_falls_with_its_square_below_the_target() {
    for (srtt_s, step) in [(0.1, 1.0), (0.025, 1.0), (0.0125, 0.25), (0.005, 0.04)] {
        let (mut prague, mut window) = settled(Variant::Linux, 10.0);
        prague.on_ack(&at(1.0, 2.0, 0.0), &path(srtt_s), &mut window);
        near(prague.0.exact, 10.0 + 2.0 * step / 10.0);
        assert_eq!(window.cwnd, 11.0); // whole segments, rounded up
    }
}

#[test]
fn a_young_flow_grows_as_reno_does() {
    let (mut prague, mut window) = settled(Variant::Linux, 10.0);
    prague.0.rounds = 499.0;
    prague.on_ack(&at(1.0, 1.0, 0.0), &path(0.005), &mut window);
    near(prague.0.exact, 10.1);
}

#[test]
fn unmarked_segments_of_an_ack_with_marks_count() {
    let (mut prague, mut window) = settled(Variant::Linux, 10.0);
    prague.on_ack(&at(1.0, 3.0, 1.0), &PATH, &mut window);
    near(prague.0.exact, 10.2);
    prague.on_ack(&at(1.0, 3.0, 3.0), &PATH, &mut window);
    near(prague.0.exact, 10.2);
}

#[test]
fn alpha_is_one_until_the_first_mark() {
    let (mut prague, mut window) = settled(Variant::Linux, 10.0);
    prague.on_ack(&Ack { round_start: true, ..at(1.0, 10.0, 0.0) }, &PATH, &mut window);
    assert_eq!(prague.0.alpha, 1.0);
    prague.on_ack(&Ack { round_start: true, ..at(2.0, 10.0, 2.0) }, &PATH, &mut window);
    near(prague.0.alpha, 0.95); // 15/16 + 0.2/16
}

#[test]
fn alpha_waits_for_the_target_round_trip() {
    let (mut prague, mut window) = settled(Variant::Udp, 10.0);
    let round = |now_s| Ack { round_start: true, ..at(now_s, 10.0, 5.0) };
    prague.on_ack(&round(1.0), &path(0.01), &mut window);
    near(prague.0.alpha, 0.5 / 16.0);
    prague.on_ack(&round(1.01), &path(0.01), &mut window);
    near(prague.0.alpha, 0.5 / 16.0); // 10 of 25 ms
    prague.on_ack(&round(1.03), &path(0.01), &mut window);
    near(prague.0.alpha, 0.5 / 16.0 + (0.5 - 0.5 / 16.0) / 16.0);
}

#[test]
fn marks_take_half_of_alpha_once_per_target_round_trip() {
    let (mut prague, mut window) = settled(Variant::Linux, 100.0);
    prague.0.alpha = 0.3;
    let mark = |now_s| Congestion { now_s, ..congestion(Cause::Mark, 100) };
    prague.on_congestion(&mark(1.0), &path(0.005), &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (85.0, 85.0));
    prague.on_congestion(&mark(1.02), &path(0.005), &mut window);
    assert_eq!(window.cwnd, 85.0);
    prague.on_congestion(&mark(1.0251), &path(0.005), &mut window);
    near(prague.0.exact, 72.25);
    assert_eq!(window.cwnd, 73.0);
}

#[test]
fn the_first_mark_halves_the_window_of_slow_start() {
    let (mut prague, mut window) = (prague(Variant::Linux), starting(40.0));
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 41.0);
    near(window.pace, 820.0); // twice the window per round trip of 100 ms
    prague.on_congestion(&congestion(Cause::Mark, 41), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (21.0, 21.0)); // 20.5, rounded up
    near(window.pace, 205.0);
}

#[test]
fn a_loss_halves_the_window_and_a_timeout_its_threshold() {
    let (mut prague, mut window) = settled(Variant::Linux, 100.0);
    prague.on_congestion(&loss(100), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (50.0, 50.0));
    prague.on_congestion(&timeout(50), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (50.0, 25.0));
    window.cwnd = 1.0; // as the transport sets it
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 2.0);
}

#[test]
fn the_window_of_2020_shrinks_by_whole_segments_at_the_end_of_a_round_trip() {
    let (mut prague, mut window) = settled(Variant::Of2020, 41.0);
    prague.0.alpha = 0.2;
    prague.on_congestion(&congestion(Cause::Mark, 41), &PATH, &mut window);
    assert_eq!(window.cwnd, 41.0);
    let ack = Ack { round_start: true, cwnd_limited: false, ..at(1.0, 4.0, 1.0) };
    prague.on_ack(&ack, &PATH, &mut window);
    near(prague.0.alpha, 0.203_125); // 0.2 + (0.25 - 0.2)/16
    assert_eq!(window.cwnd, 37.0); // 41 * 0.203/2 = 4.16, rounded to 4
    near(window.pace, 390.0);
}

#[test]
fn udp_prague_has_no_slow_start() {
    let (mut prague, mut window) = (prague(Variant::Udp), starting(10.0));
    prague.on_start(0.0, &PATH, &mut window);
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    near(prague.0.exact, 10.1);
}

#[test]
fn random_events_keep_alpha_a_share_and_the_window_above_the_floor() {
    let mut state = 1_u64;
    let mut draw = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for variant in [Variant::Linux, Variant::Udp, Variant::Of2020] {
        let (mut prague, mut window) = (prague(variant), starting(10.0));
        prague.on_start(0.0, &PATH, &mut window);
        for step in 1..20_000 {
            let now_s = f64::from(step) * 0.001;
            let srtt = path(0.001 * (1 + draw(200)) as f64);
            let acked = draw(4) as f64;
            let marked = (draw(3) as f64).min(acked);
            let round_start = draw(10) == 0;
            match draw(40) {
                0 => prague.on_congestion(&Congestion { now_s, ..loss(10) }, &srtt, &mut window),
                1 => prague.on_congestion(&Congestion { now_s, ..timeout(10) }, &srtt, &mut window),
                2..=5 => {
                    let mark = congestion(Cause::Mark, 10);
                    prague.on_congestion(&Congestion { now_s, ..mark }, &srtt, &mut window);
                }
                _ => prague.on_ack(&Ack { round_start, ..at(now_s, acked, marked) }, &srtt, &mut window),
            }
            assert!((0.0..=1.0).contains(&prague.0.alpha));
            assert!(window.is_sound() && window.cwnd >= FLOOR && window.pace < f64::INFINITY);
            assert!(window.cwnd - prague.0.exact.max(FLOOR) < 1.0 && window.cwnd >= prague.0.exact);
        }
    }
}
