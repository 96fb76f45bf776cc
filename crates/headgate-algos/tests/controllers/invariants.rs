//! Random ACKs, losses and time-outs: the window stays valid.

use headgate_algos::control::AnyController;
use headgate_model::control::ControllerRegistry;

use crate::cards::corners;
use crate::drive::{Flow, Xorshift, controller};

const SEEDS: u64 = 40;
const EVENTS: u32 = 2_000;

/// An RTT between 10 ms and 1 s, or none.
fn rtt_s(random: &mut Xorshift) -> f64 {
    if random.uniform() < 0.05 { 0.0 } else { 0.01 + 0.99 * random.uniform() * random.uniform() }
}

pub fn step(flow: &mut Flow, random: &mut Xorshift) {
    match random.next() % 400 {
        0 => flow.time_out(),
        1..4 => flow.lose(),
        4..6 => flow.mark(),
        _ => flow.ack(rtt_s(random)),
    }
}

pub fn sound(flow: &Flow) -> bool {
    let window = &flow.window;
    window.cwnd.is_finite() && window.cwnd >= 1.0 && window.ssthresh >= 2.0 && window.pace > 0.0
}

fn walk(controller: AnyController, seed: u64) {
    let mut random = Xorshift(seed);
    let mut flow = Flow::new(controller, 2.0, f64::INFINITY, 0.01);
    for event in 0..EVENTS {
        step(&mut flow, &mut random);
        assert!(sound(&flow), "seed {seed}, event {event}: {:?} {:?}", flow.controller, flow.window);
    }
}

#[test]
fn the_window_stays_finite_and_at_least_one() {
    for index in 0..AnyController::cards().len() {
        for values in corners(index) {
            for seed in 1..=SEEDS {
                walk(AnyController::build(index, &values), seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            }
        }
    }
}

/// The window after a loss, as a share of the flight.
fn left(name: &str, in_flight: u32) -> f64 {
    match name {
        "scalable" if in_flight >= 16 => 0.875,
        _ => 0.5,
    }
}

#[test]
fn a_loss_takes_the_stated_share_at_any_moment() {
    for name in ["ctcp", "fast", "fast-at", "ledbat", "reno", "scalable", "vegas"] {
        let mut random = Xorshift(7);
        let mut flow = Flow::new(controller(name, &[]), 10.0, f64::INFINITY, 0.01);
        for _ in 0..20_000 {
            if random.next() % 300 == 0 {
                let in_flight = flow.in_flight();
                flow.lose();
                let expected = (f64::from(in_flight) * left(name, in_flight)).max(2.0);
                assert!((flow.window.ssthresh - expected).abs() <= 1e-9 * expected, "{name} {in_flight}");
            }
            flow.ack(rtt_s(&mut random));
        }
    }
}

#[test]
fn the_same_acks_give_the_same_window() {
    for card in AnyController::cards() {
        let [first, second] = [(); 2].map(|()| {
            let mut random = Xorshift(11);
            let mut flow = Flow::new(controller(card.name, &[]), 2.0, f64::INFINITY, 0.01);
            (0..5_000).for_each(|_| step(&mut flow, &mut random));
            flow.window
        });
        assert_eq!(first, second, "{}", card.name);
    }
}
