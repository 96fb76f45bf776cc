//! The equations of LEDBAT++, computed by hand.

use super::*;
use crate::trial::{PATH, ack, avoiding, loss, starting, timeout};

fn controller() -> LedbatPp {
    LedbatPp::new(Params::default())
}

/// A flow in congestion avoidance, after one ACK on an empty path of this base RTT.
fn settled(cwnd: f64, base_s: f64) -> (LedbatPp, Window) {
    let (mut controller, mut window) = (controller(), avoiding(cwnd));
    controller.0.phase = Phase::Runs { until_s: 1e9 };
    controller.on_ack(&Ack { acked: 0.0, ..ack(base_s) }, &PATH, &mut window);
    (controller, window)
}

/// The window after an ACK at which all samples of the filter have this queueing delay.
fn window_at(cwnd: f64, queueing_s: f64, acked: f64) -> f64 {
    let (mut controller, mut window) = settled(cwnd, 0.1);
    (0..3).for_each(|_| controller.0.delays.sample(1.0, 0.1 + queueing_s));
    controller.on_ack(&Ack { acked, ..ack(0.1 + queueing_s) }, &PATH, &mut window);
    window.cwnd
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn the_gain_is_the_inverse_of_twice_the_target_over_the_base() {
    // 120 ms over the base, rounded up, at most 16
    for (base_s, divisor) in [(0.2, 1.0), (0.12, 1.0), (0.1, 2.0), (0.05, 3.0), (0.0081, 15.0), (0.001, 16.0)]
    {
        near(settled(50.0, base_s).0.0.gain, 1.0 / divisor);
    }
}

#[test]
fn below_the_target_a_round_trip_adds_the_gain() {
    near(window_at(50.0, 0.0, 1.0), 50.0 + 0.5 / 50.0);
    near(window_at(50.0, 0.06, 2.0), 50.0 + 0.5 * 2.0 / 50.0);
}

#[test]
fn above_the_target_the_window_shrinks_in_proportion() {
    // 66 ms: 1/2 - 50 * 0.1 = -4.5 per round trip
    near(window_at(50.0, 0.066, 1.0), 50.0 - 4.5 / 50.0);
    // 240 ms: at most half of the window
    near(window_at(50.0, 0.24, 1.0), 49.5);
    near(window_at(50.0, 0.24, 500.0), 25.0);
    near(window_at(3.0, 0.24, 3.0), 2.0);
}

#[test]
fn the_first_slow_start_ends_at_three_quarters_of_the_target() {
    for (queueing_s, cwnd, ssthresh) in [(0.044, 50.5, f64::INFINITY), (0.046, 50.0 + 0.5 / 50.0, 50.0)] {
        let (mut controller, mut window) = (controller(), starting(50.0));
        controller.0.delays.sample(1.0, 0.1);
        (0..3).for_each(|_| controller.0.delays.sample(1.0, 0.1 + queueing_s));
        controller.on_ack(&ack(0.1 + queueing_s), &PATH, &mut window);
        near(window.cwnd, cwnd);
        assert_eq!(window.ssthresh, ssthresh);
    }
}

#[test]
fn later_slow_starts_go_up_to_ssthresh() {
    let (mut controller, mut window) = settled(10.0, 0.1);
    window.ssthresh = 20.0;
    (0..4).for_each(|_| controller.0.delays.sample(1.0, 0.15));
    controller.on_ack(&ack(0.15), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (10.5, 20.0));
}

/// Delivers an ACK each 10 ms up to this time on an empty path; returns the windows.
fn until(controller: &mut LedbatPp, from_s: f64, to_s: f64, window: &mut Window) -> Vec<f64> {
    let times = (0..).map(|n| from_s + 0.01 * f64::from(n)).take_while(|now_s| *now_s < to_s - 1e-9);
    let hear = |now_s| {
        controller.on_ack(&Ack { now_s, ..ack(0.1) }, &PATH, window);
        window.cwnd
    };
    times.map(hear).collect()
}

#[test]
fn a_slowdown_follows_two_round_trips_after_the_first_slow_start() {
    let (mut controller, mut window) = (controller(), Window { ssthresh: 12.0, ..starting(12.0) });
    let windows = until(&mut controller, 1.0, 1.2, &mut window);
    assert!(windows.iter().all(|cwnd| *cwnd >= 12.0));
    let kept = window.cwnd;
    // two segments for two round trips of 100 ms, then 1/2 per ACK up to the window before
    assert!(until(&mut controller, 1.2, 1.4, &mut window).iter().all(|cwnd| *cwnd == 2.0));
    assert_eq!(window.ssthresh, kept);
    assert_eq!(until(&mut controller, 1.4, 1.43, &mut window), [2.5, 3.0, 3.5]);
    let rest = until(&mut controller, 1.43, 1.7, &mut window);
    let returned = rest.iter().position(|cwnd| *cwnd == kept).expect("it returns");
    // 20 ACKs added 0.5/12.4 each: (12.8 - 3.5)/0.5 = 18.6, at the 19th
    assert_eq!(returned, 18);
}

#[test]
fn slowdowns_take_a_tenth_of_the_time() {
    let (mut controller, mut window) = (controller(), Window { ssthresh: 12.0, ..starting(12.0) });
    let windows = until(&mut controller, 1.0, 101.0, &mut window);
    let mut marks = Vec::new();
    for n in 1..windows.len() {
        if windows[n] == 2.0 && windows[n - 1] > 2.0 {
            marks.push(n);
        }
    }
    assert!(marks.len() >= 4, "{marks:?}");
    // whole periods, from a slowdown to a slowdown: below the window to return to, then at it or above
    let mut below = 0;
    for period in marks.windows(2) {
        let kept = windows[period[0] - 1];
        below += windows[period[0]..period[1]].iter().filter(|cwnd| **cwnd < kept).count();
    }
    // the first duration is of 40 ACKs, and each is up to an ACK longer than the time below
    let share = below as f64 / (marks[marks.len() - 1] - marks[0]) as f64;
    assert!((0.095..=0.1).contains(&share), "{share}");
}

#[test]
fn slowdowns_can_be_left_out() {
    let mut controller = LedbatPp::new(Params { apart: 0.0, ..Params::default() });
    let mut window = Window { ssthresh: 12.0, ..starting(12.0) };
    let windows = until(&mut controller, 1.0, 101.0, &mut window);
    assert!(windows.iter().all(|cwnd| *cwnd >= 12.0));
}

#[test]
fn a_loss_and_a_timeout_halve() {
    for event in [loss(50), timeout(50)] {
        let (mut controller, mut window) = settled(50.0, 0.1);
        controller.on_congestion(&event, &PATH, &mut window);
        assert_eq!(window.ssthresh, 25.0);
    }
}

#[test]
fn a_loss_in_a_slowdown_halves_the_window_to_return_to() {
    for event in [loss(2), timeout(2)] {
        let (mut controller, mut window) = settled(50.0, 0.1);
        controller.0.slow_down(1.0, &PATH, &mut window);
        controller.on_congestion(&event, &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.0.phase), (25.0, Phase::Returns { since_s: 1.0 }));
    }
}
