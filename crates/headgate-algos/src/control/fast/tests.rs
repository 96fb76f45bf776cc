use super::*;
use crate::trial::{self, ack, avoiding, loss, starting, timeout};

/// Below 4 ms, so that increases are not spread.
const BASE_S: f64 = 0.002;
const PATH: Path = Path { srtt_s: BASE_S, min_rtt_s: BASE_S, segment_bytes: 1500 };

fn params(variant: Variant) -> Params {
    let (alpha, gamma, update_rounds, burstiness) = (100.0, 0.5, 2.0, Burstiness::Spread);
    Params { alpha, gamma, mi_threshold_s: 0.0, update_rounds, variant, burstiness }
}

fn controller(variant: Variant) -> Equation {
    Equation::new(&params(variant))
}

#[test]
fn one_update_by_hand() {
    let mut controller = controller(Variant::Paper);
    controller.rtt_s = 0.0025;
    controller.rest_at(1200.0);
    // 0.5 * 1200 + 0.5 * (2/2.5 * 1200 + 100) = 600 + 530
    assert!((controller.target(1200.0, BASE_S) - 1130.0).abs() < 1e-9);
    controller.rest_at(20.0);
    assert_eq!(controller.target(20.0, BASE_S), 40.0); // 10 + 58 is more than twice 20
    controller.goal.alpha = 1.0;
    controller.rest_at(2.0);
    assert_eq!(controller.target(2.0, 0.0), 2.0); // 1 + 0.5 is less than 2
}

#[test]
fn the_window_doubles_below_the_threshold() {
    let (mut controller, mut window) = (controller(Variant::Simple), starting(10.0));
    controller.mi_threshold_s = 0.00075;
    controller.rest_at(window.cwnd);
    for i in 0..20 {
        let ack = Ack { round_start: i % 10 == 0, ..ack(BASE_S + 0.0007) };
        controller.on_ack(&ack, &PATH, &mut window);
    }
    // one each; in the middle of the second round, the acknowledged packet was sent at 15
    assert_eq!((window.cwnd, controller.sent_at()), (30.0, 15.0));
}

#[test]
fn after_a_repair_it_rests_where_the_repair_has_left_it() {
    let (mut controller, mut window) = (controller(Variant::Simple), starting(100.0));
    controller.rest_at(window.cwnd);
    controller.on_congestion(&loss(100), &mut window);
    for (cwnd, rests_at) in [(48.0, 48.0), (1.0, 2.0)] {
        window.cwnd = cwnd; // of the 50 that were left, or after a time-out
        controller.on_recovered(5.0, &window);
        assert_eq!((controller.to, controller.sent_at(), controller.updated_s), (rests_at, rests_at, 5.0));
    }
}

#[test]
fn an_increase_is_spread_over_the_acks_of_ten_milliseconds() {
    let (mut controller, mut window) = (controller(Variant::Simple), starting(1000.0));
    controller.rest_at(window.cwnd);
    // base/rtt w + alpha = 1000 + 100: half of the difference is 50, over ten intervals in 100 ms, that is
    // 100 ACKs
    for (acks, expected) in [(50, 1025.0), (100, 1050.0)] {
        (0..acks).for_each(|_| controller.on_ack(&ack(0.1), &trial::PATH, &mut window));
        assert!((window.cwnd - expected).abs() < 1e-9);
    }
}

/// The window after `acks` ACKs, from 1000 at a base RTT of 100 ms; half of alpha is still to come.
fn increased(burstiness: Burstiness, acks: u32) -> Window {
    let (mut controller, mut window) = (controller(Variant::Simple), starting(1000.0));
    controller.burstiness = burstiness;
    controller.rest_at(window.cwnd);
    (0..acks).for_each(|_| controller.on_ack(&ack(0.1), &trial::PATH, &mut window));
    window
}

#[test]
fn without_burstiness_control_an_increase_comes_at_once() {
    assert_eq!(increased(Burstiness::None, 1).cwnd, 1050.0);
    assert!((increased(Burstiness::Spread, 1).cwnd - 1000.5).abs() < 1e-9); // 50/100
}

#[test]
fn pacing_leaves_the_window_the_limit() {
    let window = increased(Burstiness::Pace, 100);
    assert!((window.cwnd - 1050.0).abs() < 1e-9);
    assert!((window.pace - 1.2 * 1050.0 / 0.1).abs() < 1e-6);
    assert_eq!(increased(Burstiness::Spread, 100).pace, f64::INFINITY);
}

#[test]
fn gamma_one_is_the_rule_of_the_packet_level() {
    let mut controller = controller(Variant::Paper);
    (controller.goal.gamma, controller.rtt_s) = (1.0, 0.0025);
    controller.rest_at(1200.0);
    assert!((controller.target(1200.0, BASE_S) - 1060.0).abs() < 1e-9); // 2/2.5 * 1200 + 100
}

#[test]
fn a_loss_halves_and_a_timeout_leaves_two() {
    let (mut controller, mut window) = (controller(Variant::Simple), starting(100.0));
    controller.on_congestion(&loss(100), &mut window);
    assert_eq!((window.ssthresh, window.cwnd), (50.0, 100.0));
    window.cwnd = 1.0;
    controller.on_congestion(&timeout(100), &mut window);
    assert_eq!((window.ssthresh, window.cwnd), (50.0, 2.0));
    controller.on_ack(&ack(0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 3.0);
}

#[test]
fn the_rtt_is_averaged_over_a_third_of_a_window() {
    assert_eq!(
        [300.0, 1500.0].map(|cwnd| controller(Variant::Simple).weight(cwnd)),
        [1.0 / 256.0, 1.0 / 500.0]
    );
    assert_eq!([6.0, 30.0].map(|cwnd| controller(Variant::Paper).weight(cwnd)), [0.25, 0.1]);
}

/// Compares the windows after ACKs with and without samples, with an empty queue at the end; starts at 10.
#[test]
fn a_sample_counts_for_the_acks_that_brought_none() {
    // weight 3/300 an ACK: a sample after 100 of them moves the average by 1 - 0.99^100 of the distance
    let mut controller = controller(Variant::Paper);
    controller.rtt_s = 0.1;
    for i in 1..=100 {
        let rtt_s = if i == 100 { 0.2 } else { 0.0 };
        controller.on_ack(&Ack { rtt_s, ..ack(rtt_s) }, &PATH, &mut avoiding(300.0));
    }
    assert!((controller.rtt_s - 0.1 - 0.1 * (1.0 - 0.99f64.powi(100))).abs() < 1e-12);
    let before = controller.rtt_s;
    controller.on_ack(&ack(0.2), &PATH, &mut avoiding(300.0));
    assert!((controller.rtt_s - before - 0.01 * (0.2 - before)).abs() < 1e-12);
}

fn window_after(variant: Variant, rtts_s: &[f64]) -> f64 {
    let (mut controller, mut window) = (controller(variant), starting(10.0));
    (controller.mi_threshold_s, controller.rtt_s) = (0.00075, BASE_S);
    controller.rest_at(10.0);
    for rtt_s in rtts_s {
        controller.rtt_s = *rtt_s;
        controller.on_ack(&Ack { round_start: false, ..ack(0.0) }, &PATH, &mut window);
    }
    window.cwnd
}

#[test]
fn the_paper_s_doubling_ends_with_the_first_queue() {
    let (empty, waits) = (BASE_S, BASE_S + 0.001);
    assert_eq!(window_after(Variant::Paper, &[empty, empty]), 12.0);
    assert_eq!(window_after(Variant::Paper, &[empty, waits, empty]), 11.0);
    let simple = window_after(Variant::Simple, &[empty, waits]);
    assert_eq!(window_after(Variant::Simple, &[empty, waits, empty]), simple + 1.0);
}

#[test]
fn a_loss_ends_it_too_and_a_timeout_begins_it_anew() {
    let (mut controller, mut window) = (controller(Variant::Paper), starting(10.0));
    controller.on_congestion(&loss(10), &mut window);
    assert!(controller.settled);
    controller.on_congestion(&timeout(10), &mut window);
    assert!(!controller.settled);
}
