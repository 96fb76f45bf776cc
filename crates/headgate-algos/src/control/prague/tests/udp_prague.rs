//! The variant that follows udp_prague.

use super::*;

#[test]
fn udp_prague_has_no_slow_start() {
    let (mut prague, mut window) = (prague(Variant::Udp), starting(10.0));
    prague.on_start(0.0, &PATH, &mut window);
    prague.on_ack(&at(1.0, 1.0, 0.0), &PATH, &mut window);
    near(prague.0.exact, 10.1);
    assert_eq!(window.cwnd, 11.0); // 1.03 * 10.1 = 10.4, and one
}

#[test]
fn udp_prague_grows_by_a_millisecond_of_its_rate_after_quiet_round_trips() {
    let (mut prague, mut window) = settled(Variant::Udp, 200.0);
    let round = |step: i32| Ack { round_start: true, ..at(f64::from(step) * 0.1, 1.0, 0.0) };
    for step in 1..8 {
        let before = prague.0.exact;
        prague.on_ack(&round(step), &PATH, &mut window);
        near(prague.0.exact, before + 1.0 / before);
    }
    let before = prague.0.exact;
    prague.on_ack(&round(8), &PATH, &mut window);
    near(prague.0.exact, before + 0.01); // 1 ms of 10 windows per second, over the window
    prague.0.exact = 2560.0; // 25.6 segments per ms: 38.4 MB/s
    window.cwnd = prague.0.whole_window(window.cwnd);
    prague.0.whole = window.cwnd;
    prague.on_congestion(&congestion(Cause::Mark, 2560), &PATH, &mut window);
    assert_eq!(prague.0.quiet, 27.0); // 38.4/1.92 and 7
}

#[test]
fn udp_prague_paces_faster_in_the_first_half_of_a_round_trip() {
    let (mut prague, mut window) = settled(Variant::Udp, 10.0);
    prague.0.updated_s = 1.0;
    for (now_s, swing) in [(1.04, 1.03), (1.06, 1.0 / 1.03)] {
        prague.on_ack(&Ack { cwnd_limited: false, ..at(now_s, 1.0, 0.0) }, &PATH, &mut window);
        near(window.pace, 100.0 * swing);
        near(prague.0.exact, 10.0);
    }
}

#[test]
fn udp_prague_grows_if_half_of_its_window_is_in_flight() {
    for (in_flight, cwnd) in [(4, 10.0), (5, 10.1)] {
        let (mut prague, mut window) = settled(Variant::Udp, 10.0);
        let ack = Ack { in_flight, cwnd_limited: false, ..at(1.0, 1.0, 0.0) };
        prague.on_ack(&ack, &PATH, &mut window);
        near(prague.0.exact, cwnd);
    }
}

#[test]
fn udp_prague_neither_grows_nor_shrinks_for_a_target_round_trip_after_a_loss() {
    let (mut prague, mut window) = settled(Variant::Udp, 80.0);
    let short = path(0.01);
    prague.0.alpha = 0.5;
    prague.on_congestion(&Congestion { now_s: 1.0, ..loss(80) }, &short, &mut window);
    near(prague.0.exact, 40.0);
    assert_eq!(prague.0.quiet, 100.0); // half of 8000/s at one segment per 25 ms
    prague.on_ack(&at(1.02, 1.0, 0.0), &short, &mut window);
    let mark = Congestion { now_s: 1.02, ..congestion(Cause::Mark, 40) };
    prague.on_congestion(&mark, &short, &mut window);
    prague.on_congestion(&Congestion { now_s: 1.02, ..loss(40) }, &short, &mut window);
    near(prague.0.exact, 40.0);
    prague.on_ack(&at(1.026, 1.0, 0.0), &short, &mut window);
    near(prague.0.exact, 40.0 + 0.16 / 40.0);
}

#[test]
fn a_timeout_of_udp_prague_starts_again_without_slow_start() {
    let (mut prague, mut window) = settled(Variant::Udp, 80.0);
    prague.0.alpha = 0.5;
    prague.on_congestion(&timeout(80), &PATH, &mut window);
    assert_eq!((prague.0.alpha, window.ssthresh), (0.0, 2.0));
}
