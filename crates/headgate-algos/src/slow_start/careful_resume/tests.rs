use super::*;
use crate::trial::{PATH, ack, congestion, loss, starting, timeout};
use headgate_model::control::Rate;

const SAVED: Params = Params { saved_cwnd: 400.0, saved_rtt_s: 0.1, max_jump: 1e6, beta: 0.5 };

/// An ACK after which `delivered` segments have arrived, `newly` of them now, and `in_flight` are outstanding.
fn at(now_s: f64, delivered: f64, newly: f64, in_flight: f64) -> Ack {
    let rate = Rate { delivered, newly, in_flight, ..Rate::default() };
    Ack { now_s, acked: newly, rate, ..ack(0.1) }
}

/// The slow start after its reconnaissance with an initial window of 10.
fn jumped(params: Params) -> (CarefulResume, Window) {
    let (mut start, mut window) = (CarefulResume::new(params), starting(10.0));
    start.on_start(0.0, &PATH, &mut window);
    for arrived in [2.0, 4.0, 6.0, 8.0, 10.0] {
        let ack = at(1.0, arrived, 2.0, 10.0 + arrived);
        start.on_ack(&ack, 0.1, &PATH, &mut window);
        start.grow(&ack, &mut window);
    }
    (start, window)
}

#[test]
fn the_window_jumps_to_half_of_the_saved_one_over_one_round_trip() {
    let (start, window) = jumped(SAVED);
    assert_eq!((window.cwnd, window.pace, start.pipe), (200.0, 2_000.0, 20.0));
    assert_eq!(jumped(Params { max_jump: 150.0, ..SAVED }).1.cwnd, 150.0);
}

#[test]
fn another_path_or_a_small_window_is_slow_start() {
    for params in [
        Params { saved_cwnd: 0.0, ..SAVED },
        Params { saved_rtt_s: 0.2, ..SAVED },    // the RTT halved
        Params { saved_rtt_s: 0.0099, ..SAVED }, // more than ten times
        Params { saved_cwnd: 36.0, ..SAVED },    // the window is 18 by then
    ] {
        let (start, window) = jumped(params);
        assert_eq!((window.cwnd, start.phase), (20.0, Phase::Over), "{params:?}");
    }
    assert_eq!(jumped(Params { saved_rtt_s: 0.0101, ..SAVED }).1.cwnd, 200.0);
    assert_eq!(jumped(Params { saved_rtt_s: 0.0, ..SAVED }).1.cwnd, 200.0);
}

/// Acknowledges two segments and checks that the window does not grow.
fn hold(start: &mut CarefulResume, ack: &Ack, window: &mut Window) {
    let before = window.cwnd;
    start.on_ack(ack, 0.1, &PATH, window);
    start.grow(ack, window);
    assert_eq!(window.cwnd, before);
}

#[test]
fn the_flight_becomes_the_window_once_the_jump_is_acknowledged() {
    let (mut start, mut window) = jumped(SAVED);
    hold(&mut start, &at(1.05, 12.0, 2.0, 100.0), &mut window);
    hold(&mut start, &at(1.09, 30.0, 18.0, 180.0), &mut window); // the last segment before the jump
    assert_eq!(start.pipe, 40.0);
    let first = at(1.095, 32.0, 2.0, 180.0);
    start.on_ack(&first, 0.1, &PATH, &mut window);
    start.grow(&first, &mut window);
    assert_eq!((window.cwnd, window.pace), (180.0, f64::INFINITY));
    assert_eq!(start.phase, Phase::Validating { jumped: 212.0 });
    let next = at(1.1, 34.0, 2.0, 180.0);
    start.on_ack(&next, 0.1, &PATH, &mut window);
    start.grow(&next, &mut window);
    assert_eq!(window.cwnd, 182.0);
    start.on_ack(&at(1.2, 212.0, 178.0, 180.0), 0.1, &PATH, &mut window);
    assert_eq!(start.phase, Phase::Over);
}

#[test]
fn a_full_window_or_one_round_trip_ends_the_jump_too() {
    for (now_s, in_flight) in [(1.02, 199.0), (1.101, 120.0)] {
        let (mut start, mut window) = jumped(SAVED);
        start.on_ack(&at(now_s, 12.0, 2.0, in_flight), 0.1, &PATH, &mut window);
        assert_eq!(window.cwnd, in_flight);
        assert!(matches!(start.phase, Phase::Validating { .. }));
    }
}

#[test]
fn an_application_that_did_not_use_the_jump_keeps_the_pipe() {
    let (mut start, mut window) = jumped(SAVED);
    start.on_ack(&at(1.101, 26.0, 16.0, 25.0), 0.1, &PATH, &mut window);
    assert_eq!((window.cwnd, start.phase), (36.0, Phase::Over)); // 20 + 16
}

#[test]
fn a_loss_leaves_half_of_what_passed_and_then_beta_of_it() {
    let (mut start, mut window) = jumped(SAVED);
    start.on_ack(&at(1.1, 32.0, 22.0, 190.0), 0.1, &PATH, &mut window);
    window.ssthresh = 95.0; // Reno: half the flight
    start.on_congestion(&loss(190), &mut window);
    assert_eq!((window.cwnd, start.controls_cwnd_in_recovery()), (21.0, true)); // (20 + 22) / 2
    let rate = |newly, newly_lost| Rate { newly, newly_lost, ..Rate::default() };
    start.on_repair(&Ack { rate: rate(58.0, 100.0), ..ack(0.1) }, &mut window);
    start.on_repair(&Ack { rate: rate(100.0, 0.0), ..ack(0.1) }, &mut window); // 32 were not yet known
    start.on_recovered(&mut window);
    assert_eq!((window.cwnd, window.ssthresh), (21.0, 66.0)); // (42 + 58 + 32) / 2
}

#[test]
fn a_mark_limits_the_threshold_and_a_time_out_ends_it() {
    let (mut start, mut window) = jumped(SAVED);
    window.ssthresh = 100.0;
    start.on_congestion(&congestion(Cause::Mark, 190), &mut window);
    assert_eq!((window.ssthresh, start.phase), (10.0, Phase::Over)); // half of the pipe of 20
    let (mut start, mut window) = jumped(SAVED);
    start.on_congestion(&timeout(190), &mut window);
    assert_eq!((start.phase, window.pace), (Phase::Over, f64::INFINITY));
}

#[test]
fn a_loss_during_the_reconnaissance_is_left_to_the_algorithm() {
    let (mut start, mut window) = (CarefulResume::new(SAVED), starting(10.0));
    start.on_start(0.0, &PATH, &mut window);
    start.on_congestion(&loss(10), &mut window);
    assert_eq!((start.phase, window.cwnd), (Phase::Over, 10.0));
}
