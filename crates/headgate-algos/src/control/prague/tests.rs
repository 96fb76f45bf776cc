//! The equations of Prague, computed by hand.
//!
//! `settled` flows of variants with a transition are past it.

mod udp_prague;

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
    (prague.0.exact, prague.0.whole) = (cwnd, window.cwnd);
    prague.0.rounds = 500.0;
    (prague, window)
}

fn at(now_s: f64, acked: f64, marked: f64) -> Ack {
    Ack { now_s, acked, marked, ..ack(0.1) }
}

/// Pacing rate of the kernel at this window per 100 ms: 1500 B for each 1448 B of payload.
fn kernel_pace(cwnd: f64) -> f64 {
    10.0 * cwnd * 1500.0 / 1448.0
}

/// ACKs without effect on the fractional window.
fn idle_acks(count: usize, prague: &mut Prague, window: &mut Window) -> Vec<f64> {
    let mut ack = || {
        prague.on_ack(&Ack { cwnd_limited: false, ..at(1.1, 1.0, 0.0) }, &PATH, window);
        window.cwnd
    };
    (0..count).map(|_| ack()).collect()
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
    (prague.0.alpha, prague.0.alpha_before) = (0.3, 0.3);
    let mark = |now_s| Congestion { now_s, ..congestion(Cause::Mark, 100) };
    prague.on_congestion(&mark(1.0), &path(0.005), &mut window);
    near(prague.0.exact, 85.0);
    prague.on_congestion(&mark(1.02), &path(0.005), &mut window);
    near(prague.0.exact, 85.0);
    prague.on_congestion(&mark(1.0251), &path(0.005), &mut window);
    near(prague.0.exact, 72.25);
}

#[test]
fn the_window_of_the_kernel_moves_by_a_segment_per_ack() {
    for variant in [Variant::Linux, Variant::Linux07, Variant::Of2020] {
        let (mut prague, mut window) = settled(variant, 20.0);
        (prague.0.alpha, prague.0.has_seen_marks) = (0.3, true);
        (prague.0.alpha_before, prague.0.lost_s) = (0.3, 0.0);
        prague.on_congestion(&congestion(Cause::Mark, 20), &PATH, &mut window);
        near(prague.0.exact, 17.0); // 20 less 0.3/2 of it
        assert_eq!((window.cwnd, window.ssthresh), (19.0, 19.0));
        assert_eq!(idle_acks(3, &mut prague, &mut window), [18.0, 17.0, 17.0]);
        assert_eq!(window.ssthresh, 17.0);
        prague.0.exact = 19.5;
        let whole = if variant == Variant::Of2020 { 19.0 } else { 20.0 };
        assert_eq!(idle_acks(4, &mut prague, &mut window), [18.0, 19.0, whole, whole]);
    }
}

#[test]
fn the_window_of_2020_waits_for_a_whole_segment() {
    let (mut prague, mut window) = settled(Variant::Of2020, 20.0);
    for (exact, cwnd) in [(20.99, 20.0), (21.0, 21.0), (20.01, 21.0), (20.0, 20.0), (19.01, 20.0)] {
        prague.0.exact = exact;
        assert_eq!(idle_acks(1, &mut prague, &mut window), [cwnd]);
    }
}

#[test]
fn the_first_mark_halves_the_window_of_slow_start() {
    let (mut prague, mut window) = (prague(Variant::Linux), starting(40.0));
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 41.0);
    near(window.pace, kernel_pace(82.0)); // in slow start twice the window
    prague.on_congestion(&congestion(Cause::Mark, 41), &PATH, &mut window);
    near(prague.0.exact, 20.5);
    assert_eq!((window.cwnd, window.ssthresh), (40.0, 40.0)); // no slow start any more
    near(window.pace, kernel_pace(20.5));
    assert_eq!(*idle_acks(22, &mut prague, &mut window).last().unwrap(), 21.0); // rounded up
}

#[test]
fn a_loss_halves_the_window_and_a_timeout_its_threshold() {
    let (mut prague, mut window) = settled(Variant::Linux, 100.0);
    prague.on_congestion(&loss(100), &PATH, &mut window);
    assert_eq!(*idle_acks(50, &mut prague, &mut window).last().unwrap(), 50.0);
    assert_eq!(window.ssthresh, 50.0);
    prague.on_congestion(&timeout(50), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (50.0, 25.0));
    window.cwnd = 1.0; // as the transport sets it
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 2.0);
}

#[test]
fn linux_reduces_before_it_updates_alpha_and_udp_prague_afterwards() {
    for (variant, cwnd) in [(Variant::Linux, 90.0), (Variant::Udp, 87.5)] {
        let (mut prague, mut window) = settled(variant, 100.0);
        (prague.0.alpha, prague.0.has_seen_marks) = (0.2, true);
        let ack = Ack { round_start: true, cwnd_limited: false, ..at(1.0, 10.0, 10.0) };
        prague.on_ack(&ack, &PATH, &mut window);
        near(prague.0.alpha, 0.25); // 0.2 + (1 - 0.2)/16
        prague.on_congestion(&congestion(Cause::Mark, 100), &PATH, &mut window);
        near(prague.0.exact, cwnd);
    }
}

#[test]
fn linux_divides_growth_by_the_whole_window_and_the_others_by_the_exact_one() {
    for (variant, cwnd) in [(Variant::Linux, 9.5 + 0.1), (Variant::Linux07, 9.5 + 1.0 / 9.5)] {
        let (mut prague, mut window) = settled(variant, 9.5);
        (window.cwnd, prague.0.whole) = (10.0, 10.0);
        prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
        near(prague.0.exact, cwnd);
    }
}

#[test]
fn the_first_mark_halves_the_window_of_linux_07_and_alpha_starts_at_zero() {
    let (mut prague, mut window) = (prague(Variant::Linux07), starting(40.0));
    prague.on_start(0.0, &PATH, &mut window);
    let ack = Ack { round_start: true, ..at(1.0, 4.0, 1.0) };
    prague.on_ack(&ack, &PATH, &mut window);
    prague.on_congestion(&congestion(Cause::Mark, 40), &PATH, &mut window);
    near(prague.0.exact, 20.0 + 3.0 / 20.0); // the mark takes nothing more: alpha was 0
    assert_eq!(window.ssthresh, 38.0); // two on the way to 20: by the ACK, and by the mark
    near(prague.0.alpha, 0.25 / 16.0);
    prague.on_ack(&Ack { marked: 1.0, ..at(1.1, 1.0, 1.0) }, &PATH, &mut window);
    near(prague.0.exact, 20.15); // only the first one halves
}

#[test]
fn linux_07_depends_little_on_the_round_trip_after_four() {
    for (rounds, step) in [(3.0, 1.0), (4.0, 0.04)] {
        let (mut prague, mut window) = settled(Variant::Linux07, 10.0);
        prague.0.rounds = rounds;
        prague.on_ack(&at(1.0, 1.0, 0.0), &path(0.005), &mut window);
        near(prague.0.exact, 10.0 + step / 10.0);
    }
}

#[test]
fn windows_below_two_segments_are_paced_down_to_100_kbit_per_s() {
    // 12500 B/s of 1500 B are 8.33 segments/s
    for (variant, cwnd, pace) in [(Variant::Linux, 2.0, 200.0), (Variant::Linux07, 0.1, 10.0 / 1.03)] {
        let (mut prague, mut window) = settled(variant, 2.0);
        (prague.0.alpha, prague.0.exact) = (1.0, 0.2);
        (prague.0.alpha_before, prague.0.updated_s) = (1.0, 0.0);
        window.cwnd = 2.0;
        prague.on_congestion(&congestion(Cause::Mark, 2), &path(0.01), &mut window);
        near(prague.0.exact, cwnd);
        assert_eq!(window.cwnd, 2.0);
        near(window.pace, pace * 1500.0 / 1448.0);
    }
    let (mut udp, mut window) = settled(Variant::Udp, 2.0);
    for second in 1..100 {
        let mark = Congestion { now_s: f64::from(second), ..congestion(Cause::Mark, 2) };
        udp.0.alpha = 1.0;
        udp.on_congestion(&mark, &path(0.1), &mut window);
    }
    near(udp.0.exact, 12_500.0 / 1500.0 * 0.1);
}

#[test]
fn the_shares_of_2020_depend_on_the_round_trip() {
    let (mut prague, mut window) = settled(Variant::Of2020, 10.0);
    assert_eq!(prague.0.alpha, 1.0);
    prague.on_ack(&at(1.0, 1.0, 0.0), &path(0.005), &mut window);
    near(prague.0.exact, 10.1);
    for (now_s, exact) in [(1.0, 10.1 - 5.0), (1.005, 5.1 - 3.0)] {
        let mark = Congestion { now_s, ..congestion(Cause::Mark, 10) };
        prague.on_congestion(&mark, &path(0.005), &mut window);
        near(prague.0.exact, exact); // less half of the whole window
        idle_acks(10, &mut prague, &mut window);
        assert_eq!(window.cwnd, exact.ceil());
    }
}

#[test]
fn the_window_of_2019_shrinks_by_whole_segments_at_the_end_of_a_round_trip() {
    let (mut prague, mut window) = settled(Variant::Of2019, 41.0);
    prague.0.alpha = 0.2;
    prague.on_congestion(&congestion(Cause::Mark, 41), &PATH, &mut window);
    assert_eq!(window.cwnd, 41.0);
    let ack = Ack { round_start: true, ..at(1.0, 4.0, 1.0) };
    prague.on_ack(&ack, &PATH, &mut window);
    near(prague.0.alpha, 0.203_125); // 0.2 + (0.25 - 0.2)/16
    assert_eq!(window.cwnd, 37.0); // 41 * 0.203/2 = 4.16, rounded to 4
    near(window.pace, kernel_pace(39.0));
}

#[test]
fn the_first_mark_ends_the_slow_start_of_2019_and_takes_nothing() {
    let (mut prague, mut window) = (prague(Variant::Of2019), starting(40.0));
    prague.on_start(0.0, &PATH, &mut window);
    prague.on_ack(&at(1.0, 4.0, 4.0), &PATH, &mut window);
    prague.on_congestion(&congestion(Cause::Mark, 40), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (40.0, 40.0));
}

#[test]
fn an_undo_returns_the_fraction_of_a_segment_too() {
    let (mut prague, mut window) = settled(Variant::Linux, 40.25);
    (window.cwnd, prague.0.whole) = (41.0, 41.0);
    prague.on_congestion(&loss(41), &PATH, &mut window);
    assert_eq!(*idle_acks(20, &mut prague, &mut window).last().unwrap(), 21.0);
    prague.on_undo(41.0, &PATH, &mut window);
    near(prague.0.exact, 40.25);
    assert_eq!(window.cwnd, 41.0);
}

#[test]
fn without_exact_feedback_it_is_reno() {
    for variant in [Variant::Linux, Variant::Linux07, Variant::Of2020, Variant::Of2019] {
        for granted in [Echo::None, Echo::Latched] {
            let (mut prague, mut window) = (prague(variant), starting(10.0));
            prague.on_feedback(granted);
            prague.on_start(0.0, &PATH, &mut window);
            assert!(!prague.controls_cwnd_in_recovery() && window.pace == f64::INFINITY);
            prague.on_ack(&at(1.0, 2.0, 0.0), &PATH, &mut window);
            assert_eq!(window.cwnd, 12.0);
            prague.on_congestion(&loss(12), &PATH, &mut window);
            assert_eq!((window.cwnd, window.ssthresh), (12.0, 6.0)); // the transport moves the window
            window.cwnd = 8.0;
            prague.on_ack(&at(1.0, 1.0, 0.0), &path(0.005), &mut window);
            assert_eq!(window.cwnd, 8.125);
        }
        let mut exact = Prague::new(Params { variant, ..Params::default() });
        exact.on_feedback(Echo::Accurate);
        assert!(exact.controls_cwnd_in_recovery());
    }
}

#[test]
fn random_events_keep_alpha_a_share_and_the_window_above_the_floor() {
    let mut state = 1_u64;
    let mut draw = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let all = [Variant::Linux, Variant::Linux07, Variant::Udp, Variant::Of2020, Variant::Of2019];
    for variant in all {
        let (mut prague, mut window) = (prague(variant), starting(10.0));
        prague.on_start(0.0, &PATH, &mut window);
        for step in 1..20_000 {
            let now_s = f64::from(step) * 0.001;
            let srtt = path(0.001 * (1 + draw(200)) as f64);
            let acked = draw(4) as f64;
            let marked = (draw(3) as f64).min(acked);
            let (round_start, before) = (draw(10) == 0, window.cwnd);
            match draw(40) {
                0 => prague.on_congestion(&Congestion { now_s, ..loss(10) }, &srtt, &mut window),
                1 => prague.on_congestion(&Congestion { now_s, ..timeout(10) }, &srtt, &mut window),
                2..=5 => {
                    let mark = congestion(Cause::Mark, 10);
                    prague.on_congestion(&Congestion { now_s, ..mark }, &srtt, &mut window);
                }
                6 => prague.on_undo(window.cwnd, &srtt, &mut window),
                _ => prague.on_ack(&Ack { round_start, ..at(now_s, acked, marked) }, &srtt, &mut window),
            }
            assert!((0.0..=1.0).contains(&prague.0.alpha));
            assert!(window.is_sound() && window.cwnd >= program::FLOOR && window.pace < f64::INFINITY);
            assert!(prague.0.exact > 0.0);
            let due = prague.0.whole_window(window.cwnd);
            if prague.0.params.variant.steps() {
                assert!((window.cwnd - due).abs() <= (before - due).abs().max(1.0) || window.slow_starts());
            } else {
                assert_eq!(window.cwnd, due);
            }
        }
    }
}
