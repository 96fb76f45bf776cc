//! Copa's equations, computed by hand.

use super::*;
use crate::trial::{PATH, RESTART, ack, loss, starting, timeout};

fn controller() -> Copa {
    Copa::new(Params::default())
}

/// A flow that left the start phase with this window on an empty path.
fn settled(cwnd: f64) -> (Copa, Window) {
    let (mut controller, mut window) = (controller(), starting(cwnd));
    controller.0.starts = false;
    controller.0.velocity = Velocity::new(cwnd);
    controller.on_ack(&Ack { now_s: 0.0, acked: 0.0, ..ack(0.1) }, &PATH, &mut window);
    (controller, window)
}

/// An ACK at a time at which only its own RTT is in the standing window of 50 ms.
fn late(now_s: f64, queueing_s: f64) -> Ack {
    Ack { now_s, ..ack(0.1 + queueing_s) }
}

#[test]
fn the_window_moves_towards_the_target_rate() {
    // 1/(0.5 * 0.01) = 200 per second; w/0.11 is that at w = 22; the step is 1/(0.5 w)
    for (cwnd, step) in [(21.9, 2.0 / 21.9), (22.1, -2.0 / 22.1)] {
        let (mut controller, mut window) = settled(cwnd);
        controller.on_ack(&late(1.0, 0.01), &PATH, &mut window);
        assert!((window.cwnd - cwnd - step).abs() < 1e-12, "{cwnd}: {}", window.cwnd);
        assert!((window.pace - 2.0 * window.cwnd / 0.11).abs() < 1e-9);
    }
}

#[test]
fn delta_sets_target_and_step() {
    let (mut controller, mut window) = settled(43.0);
    controller.0.packets = 4.0; // delta 0.25: w/0.11 < 4/0.01 below 44
    controller.on_ack(&late(1.0, 0.01), &PATH, &mut window);
    assert!((window.cwnd - 43.0 - 4.0 / 43.0).abs() < 1e-12);
}

#[test]
fn an_empty_queue_lets_any_window_grow() {
    let (mut controller, mut window) = settled(1e6);
    controller.on_ack(&late(1.0, 0.0), &PATH, &mut window);
    assert!(window.cwnd > 1e6);
}

#[test]
fn the_standing_rtt_is_the_smallest_of_half_an_srtt() {
    let (mut controller, mut window) = settled(20.0);
    for (now_s, rtt_s, standing_s) in
        [(1.0, 0.12, 0.12), (1.01, 0.13, 0.12), (1.02, 0.11, 0.11), (1.06, 0.14, 0.11), (1.08, 0.15, 0.14)]
    {
        controller.on_ack(&Ack { now_s, ..ack(rtt_s) }, &PATH, &mut window);
        assert_eq!(controller.0.standing.get(), standing_s, "{now_s}");
    }
}

#[test]
fn the_base_is_forgotten_after_ten_seconds() {
    let (mut controller, mut window) = settled(20.0);
    let mut base = |now_s| {
        controller.on_ack(&late(now_s, 0.02), &PATH, &mut window);
        controller.0.min_rtt.get()
    };
    assert_eq!([base(5.0), base(10.0), base(10.1)], [0.1, 0.1, 0.1 + 0.02]);
}

#[test]
fn the_velocity_doubles_after_three_round_trips_in_one_direction() {
    let mut velocity = Velocity::new(100.0);
    let mut turn = |cwnd| {
        velocity.turn(cwnd, 6.0);
        velocity.value
    };
    // 6 is the bound delta w
    assert_eq!([101.0, 102.0, 103.0, 104.0, 105.0, 106.0].map(&mut turn), [1.0, 1.0, 1.0, 2.0, 4.0, 6.0]);
    assert_eq!([105.0, 104.0, 103.0, 102.0, 103.0].map(&mut turn), [1.0, 1.0, 1.0, 2.0, 1.0]);
}

#[test]
fn a_round_trip_moves_the_window_by_the_velocity_over_delta() {
    let (mut controller, mut window) = settled(50.0);
    controller.0.velocity.value = 4.0;
    (0..50).for_each(|_| controller.on_ack(&late(1.0, 0.0), &PATH, &mut window));
    // 50 steps of 8/w from 50: w^2 grows by 800 and by the sum of the squared steps, 50 * (8/54)^2 = 1.1
    assert!((window.cwnd - (2500.0f64 + 801.1).sqrt()).abs() < 0.02, "{}", window.cwnd);
}

#[test]
fn a_velocity_ends_where_the_target_is_crossed() {
    let (mut controller, mut window) = settled(50.0);
    controller.0.velocity.value = 4.0;
    controller.on_ack(&late(1.0, 0.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 50.0 + 8.0 / 50.0);
    let before = window.cwnd;
    controller.on_ack(&late(2.0, 0.1), &PATH, &mut window);
    assert_eq!(window.cwnd, before - 2.0 / before);
    assert_eq!((controller.0.velocity.rises, controller.0.velocity.steady), (false, 0));
}

#[test]
fn a_step_is_at_most_the_acknowledged_segments_and_leaves_two() {
    let (mut controller, mut window) = settled(3.0);
    controller.0.velocity = Velocity { value: 100.0, rises: false, ..Velocity::new(3.0) };
    controller.on_ack(&late(1.0, 1.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 2.0); // 200/3, but 1 acknowledged
    controller.0.packets = 0.5;
    controller.on_ack(&late(2.0, 1.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 2.0); // above the target of 0.5 * 1.1
}

#[test]
fn it_starts_by_doubling_until_the_target() {
    let (mut controller, mut window) = (controller(), starting(10.0));
    controller.on_ack(&late(0.0, 0.0), &PATH, &mut window);
    controller.on_ack(&late(0.3, 0.01), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (12.0, f64::INFINITY));
    controller.on_ack(&late(0.6, 0.03), &PATH, &mut window); // w/0.13 > 2/0.03 from 8.7 on
    assert_eq!(window.ssthresh, 12.0);
    assert!((window.cwnd - (12.0 - 2.0 / 12.0)).abs() < 1e-12);
}

#[test]
fn a_window_that_does_not_limit_falls_but_does_not_grow() {
    let (mut controller, mut window) = settled(22.0);
    for (queueing_s, falls) in [(0.0, false), (0.02, true)] {
        let before = window.cwnd;
        controller.on_ack(
            &Ack { cwnd_limited: false, ..late(1.0 + queueing_s * 10.0, queueing_s) },
            &PATH,
            &mut window,
        );
        assert_eq!(window.cwnd < before, falls);
    }
}

/// The packets to keep after each of these round trips, of a flow with a base RTT of 100 ms.
fn packets(rounds: &[(f64, f64)]) -> Vec<f64> {
    let mut controller = controller();
    let turn = |(least_s, most_s): &(f64, f64)| {
        [*least_s, *most_s].iter().for_each(|queueing_s| controller.0.buffer.now.take(0.1 + queueing_s));
        controller.0.buffer.turn();
        controller.0.choose_mode(0.1);
        controller.0.packets
    };
    rounds.iter().map(turn).collect()
}

#[test]
fn five_round_trips_without_an_empty_queue_are_another_flow() {
    let full = (0.02, 0.1);
    assert_eq!(packets(&[full; 7]), [2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0]);
    // 9 ms are within a tenth of 100 ms, 11 are not
    let mut rounds = [full; 8];
    rounds[5] = (0.009, 0.1);
    assert_eq!(packets(&rounds), [2.0, 2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 2.0]);
    rounds[5] = (0.011, 0.1);
    assert_eq!(packets(&rounds)[5], 4.0);
}

#[test]
fn the_largest_rtt_is_that_of_four_round_trips() {
    // the first is beyond four at the fifth end: 15 ms are more than a tenth of 20
    let mut rounds = [(0.015, 0.02); 5];
    rounds[0] = (0.015, 1.0);
    assert_eq!(packets(&rounds)[4], 3.0);
    rounds.swap(0, 1);
    assert_eq!(packets(&rounds)[4], 2.0);
}

#[test]
fn a_loss_halves_the_packets_and_holds_them_for_a_round_trip() {
    let (mut controller, mut window) = settled(50.0);
    controller.0.buffer.past = [Extremes { least_s: 0.15, most_s: 0.2 }; EMPTY_ROUNDS];
    controller.0.packets = 10.0;
    controller.on_congestion(&loss(50), &PATH, &mut window);
    assert_eq!((controller.0.packets, window.cwnd), (5.0, 50.0));
    controller.0.choose_mode(0.1);
    assert_eq!(controller.0.packets, 5.0);
    controller.0.choose_mode(0.1);
    assert_eq!(controller.0.packets, 6.0);
    (0..9).for_each(|_| controller.on_congestion(&loss(50), &PATH, &mut window));
    assert_eq!(controller.0.packets, 2.0);
}

#[test]
fn a_flow_may_be_told_not_to_compete() {
    let mut controller = Copa::new(Params { competes: false, ..Params::default() });
    controller.0.buffer.past = [Extremes { least_s: 0.15, most_s: 0.2 }; EMPTY_ROUNDS];
    controller.0.choose_mode(0.1);
    assert_eq!(controller.0.packets, 2.0);
}

#[test]
fn a_timeout_starts_again() {
    let (mut controller, mut window) = settled(50.0);
    window.cwnd = 1.0;
    controller.on_congestion(&timeout(50), &PATH, &mut window);
    controller.on_ack(&late(1.0, 0.0), &PATH, &mut window);
    assert_eq!((window.cwnd, window.ssthresh), (2.0, f64::INFINITY));
}

#[test]
fn an_idle_time_keeps_the_window() {
    let (mut controller, mut window) = settled(50.0);
    controller.on_restart(&RESTART, &PATH, &mut window);
    assert_eq!(window.cwnd, 50.0);
}

#[test]
fn the_first_pace_is_that_of_the_handshake() {
    let mut window = starting(10.0);
    controller().on_start(0.0, &PATH, &mut window);
    assert_eq!(window.pace, 200.0);
}
