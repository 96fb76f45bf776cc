use headgate_model::control::Rate;

use super::super::{Burstiness, Variant};
use super::*;
use crate::trial::{PATH, ack, avoiding, loss, timeout};

/// Alpha 100, half of the distance per update, every other round trip; no doubling.
fn agent() -> Agent {
    let (variant, burstiness) = (Variant::Ns2, Burstiness::Spread);
    let (alpha, gamma, mi_threshold_s, update_rounds) = (100.0, 0.5, 0.0, 2.0);
    let params = Params { alpha, gamma, mi_threshold_s, update_rounds, variant, burstiness };
    let mut agent = Agent::new(&params);
    (agent.rounds.acks_before, agent.flights.last) = (1000.0, 1000.0);
    agent
}

/// Delivers `count` ACKs at once, each of one of `flight` segments.
fn acknowledge(agent: &mut Agent, count: u32, now_s: f64, flight: f64, window: &mut Window) {
    for _ in 0..count {
        let rate = Rate { rtt_s: 0.1, ..Rate::default() };
        let ack = Ack { now_s, in_flight: flight as u32, rate, ..ack(0.1) };
        agent.on_ack(&ack, &PATH, window);
    }
}

#[test]
fn an_increase_leaves_a_segment_at_a_time() {
    let (mut agent, mut window) = (agent(), avoiding(1000.0));
    // half of alpha is 50; 100 of the 1000 ACKs of a round trip of 100 ms arrive in 10 ms: every other one
    // adds a segment
    acknowledge(&mut agent, 1, 0.05, 1000.0, &mut window);
    assert_eq!((window.cwnd, agent.spread.left, agent.spread.every), (1000.0, 50.0, 2.0));
    acknowledge(&mut agent, 3, 0.05, 1000.0, &mut window);
    assert_eq!((window.cwnd, agent.spread.left), (1002.0, 48.0));
}

#[test]
fn increases_below_a_segment_are_dropped_and_decreases_are_not() {
    for (alpha, expected) in [(1.9, 1000.0), (2.1, 1001.0), (-1.9, 999.05)] {
        let (mut agent, mut window) = (agent(), avoiding(1000.0));
        (agent.goal.alpha, agent.rounds.acks_before) = (alpha, 0.0);
        acknowledge(&mut agent, 1, 0.05, 1000.0, &mut window);
        assert!((window.cwnd - expected).abs() < 1e-9, "{alpha}");
    }
}

#[test]
fn a_window_of_four_takes_as_much_as_itself_at_once() {
    let mut spread = Spread::default();
    spread.begin(9.0, 1000.0);
    assert_eq!((spread.step(4.0), spread.left), (4.0, 5.0));
    assert_eq!(spread.step(8.0), 0.0); // the next of these is due after 111 ACKs
}

#[test]
fn after_a_loss_the_window_is_drawn_to_what_was_in_flight_before() {
    let (mut agent, mut window) = (agent(), avoiding(1000.0));
    acknowledge(&mut agent, 1, 0.05, 1000.0, &mut window);
    agent.on_congestion(&loss(1000), &mut window);
    assert_eq!(window.ssthresh, 500.0);
    window.cwnd = 500.0;
    agent.on_recovered(0.06);
    acknowledge(&mut agent, 1, 0.08, 500.0, &mut window);
    // 0.5 * 500 + 0.5 * (1000 + 100) = 800, at most one for each of the 100 ACKs of 10 ms
    assert_eq!((agent.spread.left + window.cwnd, agent.spread.every), (800.0, 0.0));
}

#[test]
fn packets_of_the_recovery_count_as_sent_before_it_and_later_ones_do_not() {
    let mut flights = Flights { last: 1000.0, ..Flights::default() };
    flights.forget();
    let then: Vec<f64> = (0..1002)
        .map(|_| {
            let then = flights.then(1.0);
            flights.note(499.0);
            then
        })
        .collect();
    // the packet after the first ACK is the 501st to be acknowledged
    assert_eq!((then[499], then[500], then[1001]), (1000.0, 500.0, 500.0));
}

#[test]
fn a_round_trip_ends_with_the_first_ack_after_it() {
    let mut rounds = Rounds { began_s: 1.0, ..Rounds::default() };
    for (now_s, passed) in [(1.05, 0), (1.1, 0), (1.11, 1), (1.2, 1), (1.22, 0)] {
        rounds.count(now_s, 0.1, 2);
        assert_eq!(rounds.passed, passed, "{now_s}");
    }
    assert_eq!((rounds.acks_before, rounds.acks), (2.0, 1.0));
}

#[test]
fn after_a_timeout_the_window_is_two_and_the_average_stays() {
    let (mut agent, mut window) = (agent(), avoiding(100.0));
    acknowledge(&mut agent, 1, 0.05, 100.0, &mut window);
    agent.rtt_s = 0.15;
    agent.on_congestion(&timeout(100), &mut window);
    assert_eq!((window.cwnd, agent.rtt_s), (2.0, 0.15));
}
