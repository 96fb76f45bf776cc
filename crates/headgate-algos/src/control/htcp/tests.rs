//! H-TCP computed by hand.

use super::*;
use crate::trial::{PATH, ack, avoiding, loss};

const LINUX: Variant = Variant::Linux;
const PAPER: Variant = Variant::Paper;

fn variant(variant: Variant) -> Htcp {
    let mut controller = Htcp::new(Params { variant, ..Params::default() });
    controller.state.min_rtt_s = 0.1;
    controller
}

fn controller() -> Htcp {
    variant(PAPER)
}

/// Returns the window after a loss of 100 segments.
fn after_loss(controller: &mut Htcp, most: f64, max_rtt_s: f64) -> f64 {
    (controller.state.throughput.most, controller.state.max_rtt_s) = (most, max_rtt_s);
    let mut window = avoiding(100.0);
    controller.on_congestion(&loss(100), &PATH, &mut window);
    window.ssthresh
}

#[test]
fn the_increase_starts_after_a_second() {
    let controller = controller();
    assert_eq!([0.5, 1.0].map(|d| controller.alpha(d)), [1.0, 1.0]);
    assert_eq!([3.0, 4.0].map(|d| controller.alpha(d)), [22.0, 33.25]); // 1 + 10 * 3 + 9/4
}

#[test]
fn rtt_scaling_divides_by_the_smallest_rtt() {
    let mut controller = controller();
    let mut alpha = |now_s, min_rtt_s| {
        controller.state.min_rtt_s = min_rtt_s;
        controller.alpha(now_s)
    };
    assert_eq!([0.2, 1.0].map(|min_rtt_s| alpha(3.0, min_rtt_s)), [44.0, 44.0]);
    assert!((alpha(3.0, 0.005) - 2.2).abs() < 1e-12);
    assert_eq!(alpha(0.0, 0.005), 1.0); // not below standard TCP
    controller.params.rtt_scaling = false;
    assert_eq!(controller.alpha(3.0), 22.0);
}

#[test]
fn a_kernel_counts_rtts_in_ticks_and_whole_factors() {
    let mut controller = variant(LINUX);
    (controller.params.tick_s, controller.state.min_rtt_s) = (0.01, 0.0);
    let mut window = avoiding(100.0);
    for rtt_s in [0.0406, 0.0606, 0.0806] {
        controller.on_ack(&ack(rtt_s), &PATH, &mut window);
    }
    assert!(
        (controller.state.min_rtt_s - 0.05).abs() < 1e-12
            && (controller.state.max_rtt_s - 0.09).abs() < 1e-12
    );
    assert_eq!(controller.alpha(1.55), 3.0); // 1 + 5.5 + 0.07, cut to 6; over 2
    controller.on_congestion(&loss(100), &PATH, &mut window);
    assert!((controller.state.max_rtt_s - 0.08).abs() < 1e-12); // 5 + 0.95 * 4 = 8.8 ticks
}

#[test]
fn the_backoff_follows_the_rtts_once_throughput_is_steady() {
    let mut controller = controller();
    assert_eq!(after_loss(&mut controller, 1000.0, 0.16), 50.0); // the first
    assert_eq!(after_loss(&mut controller, 1190.0, 0.16), 50.0); // stable for the first time
    assert_eq!(after_loss(&mut controller, 1000.0, 0.16), 62.5); // 0.1/0.16
    assert_eq!(controller.alpha(1.5), 0.75); // 2 * 0.375 after the loss at 1 s
}

#[test]
fn a_change_by_more_than_a_fifth_halves() {
    let mut controller = controller();
    for left in [50.0, 50.0, 62.5] {
        assert_eq!(after_loss(&mut controller, 1000.0, 0.16), left);
    }
    assert_eq!(after_loss(&mut controller, 1210.0, 0.16), 50.0);
    assert_eq!(after_loss(&mut controller, 1210.0, 0.16), 50.0);
    assert_eq!(after_loss(&mut controller, 1210.0, 0.11), 80.0); // 0.91, but at most 0.8
    assert_eq!(after_loss(&mut controller, 1210.0, 0.3), 50.0);
}

#[test]
fn the_backoff_of_ten_milliseconds_or_less_does_not_adapt() {
    for (min_rtt_s, left) in [(0.01, 50.0), (0.0101, 80.0)] {
        let mut controller = controller();
        controller.state.min_rtt_s = min_rtt_s;
        after_loss(&mut controller, 1000.0, 0.012);
        after_loss(&mut controller, 1000.0, 0.012);
        assert_eq!(after_loss(&mut controller, 1000.0, 0.012), left);
    }
}

#[test]
fn the_greatest_rtt_rises_by_steps_and_fades() {
    let mut controller = controller();
    let mut window = avoiding(10.0);
    for (rtt_s, greatest_s) in [(0.115, 0.115), (0.5, 0.115), (0.134, 0.134)] {
        controller.on_ack(&ack(rtt_s), &PATH, &mut window);
        assert_eq!(controller.state.max_rtt_s, greatest_s);
    }
    controller.on_congestion(&loss(10), &PATH, &mut window);
    assert!((controller.state.max_rtt_s - 0.1323).abs() < 1e-12); // 0.1 + 0.95 * 0.034
}

#[test]
fn throughput_is_the_rate_of_whole_windows() {
    let mut rate = Throughput::default();
    for (now_s, lost_s, last) in [(0.1, 0.0, 5.0), (0.2, -9.0, 25.0)] {
        rate.count(5.0, 10.0, now_s - 0.05, lost_s, 0.1);
        rate.count(last, 10.0, now_s, lost_s, 0.1);
    }
    // 100/s, then 300/s with weight 1/4
    assert!((rate.average - 150.0).abs() < 1e-9 && (rate.most - 150.0).abs() < 1e-9);
}

#[test]
fn throughput_starts_anew_within_four_round_trips_of_a_loss() {
    // round trips of 125 ms with nine segments in total: 24/s after three, 18/s after four
    for (now_s, average) in [(0.375, 24.0), (0.5, 79.5)] {
        let mut controller = controller();
        controller.state.min_rtt_s = 0.125;
        (controller.state.throughput.average, controller.state.throughput.most) = (100.0, 100.0);
        controller.on_ack(&Ack { now_s, acked: 9.0, ..ack(0.125) }, &PATH, &mut avoiding(10.0));
        assert_eq!(controller.state.throughput.average, average); // then 100 - (100 - 18)/4
    }
}

#[test]
fn a_sample_of_throughput_is_a_window_less_an_increase() {
    for (acked, average) in [(8.0, 0.0), (9.0, 45.0)] {
        let mut controller = controller();
        controller.on_ack(&Ack { now_s: 0.2, acked, ..ack(0.1) }, &PATH, &mut avoiding(10.0));
        assert_eq!(controller.state.throughput.average, average); // 9 in 0.2 s
    }
}

#[test]
fn linux_adds_a_segment_when_those_counted_before_this_ack_are_a_window() {
    // alpha is 1 within a second: after 10 counted segments the next ACK adds one, and is not counted itself
    let (mut controller, mut window) = (variant(LINUX), avoiding(10.0));
    let mut grows = |acks: u32, acked: f64| {
        (0..acks).for_each(|_| controller.on_ack(&Ack { now_s: 0.5, acked, ..ack(0.1) }, &PATH, &mut window));
        window.cwnd
    };
    assert_eq!([grows(10, 1.0), grows(1, 1.0)], [10.0, 11.0]);
    assert_eq!([grows(11, 1.0), grows(1, 1.0)], [11.0, 12.0]);
    // two segments per ACK: six ACKs make twelve; 50 segments in one ACK add no more than one either
    assert_eq!([grows(6, 2.0), grows(1, 2.0)], [12.0, 13.0]);
    assert_eq!([grows(1, 50.0), grows(1, 50.0)], [13.0, 14.0]);
}

#[test]
fn linux_renews_alpha_when_a_segment_is_added() {
    // 3 s after a loss f is 1 + 20 + 1 and alpha is equal: the window of 100 grows after 5 counted segments,
    // 5 * 22 = 110. Until then the increase is the old one.
    let (mut controller, mut window) = (variant(LINUX), avoiding(100.0));
    let at = |now_s| Ack { now_s, ..ack(0.1) };
    (0..100).for_each(|_| controller.on_ack(&at(3.0), &PATH, &mut window));
    assert_eq!((window.cwnd, controller.state.alpha), (100.0, 1.0));
    controller.on_ack(&at(3.0), &PATH, &mut window);
    assert_eq!((window.cwnd, controller.state.alpha), (101.0, 22.0));
    (0..5).for_each(|_| controller.on_ack(&at(3.5), &PATH, &mut window));
    assert_eq!(window.cwnd, 101.0);
    controller.on_ack(&at(3.5), &PATH, &mut window);
    assert_eq!((window.cwnd, controller.state.alpha), (102.0, 27.0)); // 1 + 25 + 1.5625, cut
}

#[test]
fn linux_keeps_the_increase_of_before_a_loss_for_the_first_segment_after_it() {
    let (mut controller, mut window) = (variant(LINUX), avoiding(100.0));
    controller.on_congestion(&Congestion { now_s: 3.0, ..loss(100) }, &PATH, &mut window);
    assert_eq!((window.ssthresh, controller.state.alpha, controller.state.counted), (50.0, 22.0, 0.0));
    window.cwnd = 50.0;
    controller.on_recovered(3.1, &PATH, &mut window);
    let at = Ack { now_s: 3.1, ..ack(0.1) };
    (0..4).for_each(|_| controller.on_ack(&at, &PATH, &mut window)); // 3 * 22 = 66
    assert_eq!((window.cwnd, controller.state.alpha), (51.0, 1.0));
}

#[test]
fn linux_counts_beta_in_128ths_and_the_ratio_of_rtts_in_eighths() {
    let mut controller = variant(LINUX);
    for left in [50.0, 50.0, 55.0] {
        assert_eq!(after_loss(&mut controller, 1000.0, 0.18), left); // 128 * 0.1/0.18 = 71.1; 71/128 of 100 is 55.5
    }
    assert_eq!(controller.state.beta, 71.0 / 128.0);
    (controller.state.beta, controller.state.min_rtt_s, controller.state.lost_s) = (0.5, 0.041, 0.0);
    assert_eq!(controller.alpha(3.0), 9.0); // 2.439 is 19/8; 22 / 2.375 = 9.26
}

#[test]
fn linux_leaves_uncounted_what_slow_start_does_not_need() {
    let (mut controller, mut window) = (variant(LINUX), Window { ssthresh: 11.0, ..avoiding(10.0) });
    controller.on_ack(&Ack { acked: 5.0, ..ack(0.1) }, &PATH, &mut window);
    assert_eq!((window.cwnd, controller.state.counted), (11.0, 0.0));
}

#[test]
fn an_undone_loss_leaves_the_time_since_the_one_before() {
    let (mut controller, mut window) = (controller(), avoiding(100.0));
    controller.on_congestion(&Congestion { now_s: 3.0, ..loss(100) }, &PATH, &mut window);
    window.cwnd = 50.0;
    controller.on_undo(100.0, &PATH, &mut window);
    controller.on_recovered(3.1, &PATH, &mut window);
    assert_eq!((window.cwnd, controller.alpha(4.0)), (100.0, 33.25)); // as if there had been no loss
}
