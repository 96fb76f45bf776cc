//! CUBIC computed by hand, for both variants.

use super::*;
use crate::trial::{PATH, RESTART, ack, avoiding, loss, starting, timeout};

const LINUX: Variant = Variant::Linux;
const RFC: Variant = Variant::Rfc;

fn controller(variant: Variant) -> Cubic {
    Cubic::new(Params { variant, ..Params::default() })
}

/// An algorithm after a loss at a window of 100 segments; 70 are left.
fn lost(variant: Variant) -> (Cubic, Window) {
    let (mut controller, mut window) = (controller(variant), avoiding(100.0));
    controller.on_congestion(&loss(100), &PATH, &mut window);
    window.cwnd = window.ssthresh;
    (controller, window)
}

fn at(now_s: f64) -> Ack {
    Ack { now_s, ..ack(0.1) }
}

#[test]
fn a_loss_leaves_seven_tenths_and_is_remembered() {
    let (controller, window) = lost(RFC);
    assert_eq!((window.ssthresh, controller.state.w_max), (70.0, 100.0));
    let (controller, window) = lost(LINUX);
    assert_eq!((window.ssthresh, controller.state.w_max), (70.0, 100.0));
}

#[test]
fn fast_convergence_gives_up_more() {
    let (mut controller, mut window) = lost(RFC);
    window.cwnd = 90.0;
    controller.on_congestion(&loss(90), &PATH, &mut window);
    assert!((controller.state.w_max - 76.5).abs() < 1e-9); // 90 * 1.7/2
    window.cwnd = 80.0;
    controller.on_congestion(&loss(80), &PATH, &mut window);
    assert_eq!(controller.state.w_max, 80.0);
}

#[test]
fn one_ack_follows_the_curve_one_rtt_ahead() {
    let (mut controller, mut window) = lost(RFC);
    controller.on_ack(&at(10.0), &PATH, &mut window);
    // K = cbrt(30/0.4) = 4.217 s; W(0.1) = 100 - 0.4 * 4.117^3 = 72.09: + 2.09/70. But W(0) = 70 is below
    // w_est = 70 + 0.529/70, so that this ACK follows standard TCP.
    let alpha = 0.9 / 1.7;
    assert!((window.cwnd - 70.0 - alpha / 70.0).abs() < 1e-9);
    let before = window.cwnd;
    controller.on_ack(&at(11.0), &PATH, &mut window);
    let target = 100.0 - 0.4 * (libm::cbrt(75.0) - 1.1f64).powi(3);
    assert!((window.cwnd - before - (target - before) / before).abs() < 1e-9);
    assert!((target - 87.88).abs() < 0.01);
}

#[test]
fn at_most_half_a_window_per_round_trip() {
    let (mut controller, mut window) = lost(RFC);
    controller.on_ack(&at(10.0), &PATH, &mut window);
    window.cwnd = 80.0;
    controller.on_ack(&at(1000.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 80.5);
    controller.on_ack(&Ack { now_s: 12.0, acked: 1000.0, ..ack(0.1) }, &PATH, &mut window);
    assert!(window.cwnd < 1.5 * 80.5 + 1e-9);
}

#[test]
fn the_friendly_window_grows_by_one_beyond_the_last_maximum() {
    let (mut controller, _) = lost(RFC);
    assert!((controller.alpha(99.9) - 0.9 / 1.7).abs() < 1e-12);
    assert_eq!(controller.alpha(100.0), 1.0);
    controller.params.variant = LINUX;
    assert!(controller.alpha(100.0) < 1.0);
}

#[test]
fn after_a_timeout_the_curve_starts_flat() {
    let (mut controller, mut window) = (controller(RFC), avoiding(1.0));
    controller.on_congestion(&timeout(100), &PATH, &mut window);
    assert_eq!((window.ssthresh, controller.state.w_max), (70.0, 0.0));
    let epoch = controller.open_epoch(5.0, 70.0);
    assert_eq!((epoch.k_s, epoch.origin, epoch.w_est), (0.0, 70.0, 70.0));
}

#[test]
fn unused_time_is_not_counted() {
    for variant in [LINUX, RFC] {
        let (mut controller, mut window) = lost(variant);
        controller.on_ack(&at(10.0), &PATH, &mut window);
        controller.on_ack(&Ack { cwnd_limited: false, ..at(60.0) }, &PATH, &mut window);
        // RFC: from ACK to ACK; Linux: from 9.9 to 59.9 s, when the two segments were sent
        let start_s = controller.state.epoch.as_ref().map_or(0.0, |epoch| epoch.start_s);
        assert!((start_s - 60.0).abs() < 1e-9, "{variant:?}: {start_s}");
    }
}

/// RFC 9438 sections 4.2 and 5.8: t excludes idle times, although the window limits the flow after the pause.
#[test]
fn a_pause_is_not_counted() {
    let (mut controller, mut window) = lost(RFC);
    controller.on_ack(&at(10.0), &PATH, &mut window);
    let before = window.cwnd;
    controller.on_restart(&Restart { now_s: 60.0, idle_s: 50.1, ..RESTART }, &PATH, &mut window);
    controller.on_ack(&at(60.1), &PATH, &mut window);
    // t = 0.1 s, and K = cbrt(30/0.4) = 4.217 s: W(t + RTT) = 100 - 0.4 * 4.017^3 = 74.07
    let target = 100.0 - 0.4 * (libm::cbrt(75.0) - 0.2f64).powi(3);
    assert!((target - 74.07).abs() < 0.01);
    assert!((window.cwnd - before - (target - before) / before).abs() < 1e-9);
}

/// RFC 9438 section 4.9.2: `cwnd_prior`, `W_max`, `K`, `t_epoch` and `W_est` return if cwnd < `cwnd_prior`.
#[test]
fn a_spurious_loss_restores_the_curve() {
    for (variant, event, cwnd, restores) in [
        (RFC, loss(75), 52.5, true),
        (RFC, timeout(75), 1.0, true),
        (RFC, loss(75), 76.0, false), // found long after the loss
        (LINUX, loss(75), 52.0, false),
    ] {
        let (mut controller, mut window) = lost(variant);
        controller.on_ack(&at(10.0), &PATH, &mut window);
        window.cwnd = 75.0;
        controller.on_congestion(&event, &PATH, &mut window);
        assert!(controller.state.w_max < 75.0 && controller.state.epoch.is_none()); // 63.75, or 0
        window.cwnd = cwnd;
        controller.on_undo(75.0, &PATH, &mut window);
        let state = &controller.state;
        assert_eq!(window.cwnd, cwnd.max(75.0));
        assert_eq!((state.epoch.is_some(), state.w_max == 100.0), (restores, restores), "{variant:?}");
        if restores {
            assert_eq!(state.prior, 100.0);
            controller.on_ack(&at(11.0), &PATH, &mut window);
            // W(1 + 0.1) = 100 - 0.4 (4.217 - 1.1)^3 = 87.88, as without the loss
            let target = 100.0 - 0.4 * (libm::cbrt(75.0) - 1.1f64).powi(3);
            assert!((window.cwnd - 75.0 - (target - 75.0) / 75.0).abs() < 1e-9);
        }
    }
}

#[test]
fn linux_counts_whole_segments() {
    let (mut controller, mut window) = lost(LINUX);
    // W(0.1) = 100 - trunc(27.91) = 73: one segment per 70/3 = 23 acknowledged ones
    for (acks, expected) in [(22, 70.0), (1, 71.0)] {
        (0..acks).for_each(|_| controller.on_ack(&at(10.0), &PATH, &mut window));
        assert_eq!(window.cwnd, expected);
    }
}

#[test]
fn linux_grows_by_a_twentieth_before_any_loss() {
    let (mut controller, mut window) = (controller(LINUX), avoiding(400.0));
    (0..400).for_each(|_| controller.on_ack(&at(10.0), &PATH, &mut window));
    assert_eq!(window.cwnd, 420.0);
}

#[test]
fn hystart_ends_slow_start_at_a_later_rtt_of_data() {
    // a handshake of 100 ms does not count (it is the connection's smallest RTT), data of 100 ms does
    for (first_s, ssthresh) in [(0.1, 73.0), (0.12, f64::INFINITY)] {
        let (mut controller, mut window) = (controller(RFC), starting(64.0));
        controller.on_ack(&Ack { round_start: true, ..ack(first_s) }, &PATH, &mut window);
        for i in 0..9 {
            let ack = Ack { round_start: i == 0, now_s: 2.0 + f64::from(i), ..ack(0.12) };
            controller.on_ack(&ack, &PATH, &mut window);
        }
        assert_eq!(window.ssthresh, ssthresh); // the ninth sample, after eight of growth
    }
}

#[test]
fn the_base_rtt_is_of_data_not_just_after_a_recovery_nor_before_a_timeout() {
    let (mut controller, mut window) = lost(LINUX);
    controller.on_ack(&Ack { now_s: 10.0, ..ack(0.15) }, &PATH, &mut window);
    for (step, base_s) in (1..20).map(|step| (step, 0.15)).chain([(21, 0.11)]) {
        let now_s = 10.0 + 0.05 * f64::from(step);
        controller.on_ack(&Ack { now_s, ..ack(0.11) }, &PATH, &mut window);
        assert_eq!(controller.state.base_rtt_s, base_s, "{now_s}");
    }
    controller.on_congestion(&timeout(80), &PATH, &mut window);
    assert_eq!(controller.state.base_rtt_s, 0.0);
}

#[test]
fn a_curve_that_is_level_with_standard_tcp_is_followed() {
    let (controller, mut window) = lost(RFC);
    let epoch = Epoch { start_s: 10.0, k_s: 0.0, origin: 70.0, w_est: 70.0 };
    controller.step(&epoch, 1.0, 10.0, 1.0, &mut window);
    assert!((window.cwnd - 70.0 - 0.4 / 70.0).abs() < 1e-12); // 0.4 * 1^3 a second later
}

#[test]
fn standard_tcp_grows_by_all_that_is_acknowledged() {
    let (mut controller, mut window) = lost(RFC);
    controller.on_ack(&Ack { acked: 2.0, ..at(10.0) }, &PATH, &mut window);
    assert!((window.cwnd - 70.0 - 0.9 / 1.7 * 2.0 / 70.0).abs() < 1e-12);
}

#[test]
fn linux_leaves_out_only_the_time_between_transmissions() {
    let (mut controller, mut window) = lost(LINUX);
    for now_s in [10.0, 10.05, 30.0] {
        controller.on_ack(&at(now_s), &PATH, &mut window);
    }
    // the last two were sent at 9.95 and 29.9 s
    let start_s = controller.state.epoch.as_ref().map_or(0.0, |epoch| epoch.start_s);
    assert!((start_s - 29.95).abs() < 1e-9, "{start_s}");
}

#[test]
fn an_rtt_of_a_repair_is_one_of_data() {
    // the kernel samples the RTT of every ACK, and grows outside recovery only
    let (mut controller, mut window) = lost(LINUX);
    controller.on_recovery_ack(&Ack { now_s: 1.1, ..ack(0.08) }, &PATH, &mut window);
    assert_eq!((controller.state.base_rtt_s, window.cwnd), (0.08, 70.0));
}

#[test]
fn what_a_repair_sends_ends_an_idle_time_too() {
    let (mut controller, mut window) = lost(LINUX);
    // sent at 9.99 s; an ACK without an RTT opens the epoch; then sent at 11.9 s
    controller.on_recovery_ack(&Ack { now_s: 10.0, ..ack(0.01) }, &PATH, &mut window);
    controller.on_ack(&Ack { now_s: 10.005, ..ack(0.0) }, &PATH, &mut window);
    controller.on_ack(&at(12.0), &PATH, &mut window);
    let start_s = controller.state.epoch.as_ref().map_or(0.0, |epoch| epoch.start_s);
    assert!((start_s - 11.915).abs() < 1e-9, "{start_s}"); // 1.91 s after it was opened
}
