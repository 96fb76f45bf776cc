//! The samples that BBR uses: ACKs during a repair, and samples that the sender limits.

use headgate_algos::control::AnyController;
use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Rate, Window};

use crate::drive::controller;

const PATH: Path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1500 };

/// A new flow with a window of ten.
fn started(name: &str) -> (AnyController, Window) {
    let mut controller = controller(name, &[]);
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
    controller.on_start(0.0, &PATH, &mut window);
    (controller, window)
}

/// The only ACK of the `n`th round trip of 0.1 s, for a segment delivered at this rate.
fn ack_of_round(n: f64, per_s: f64) -> Ack {
    let rate = Rate {
        per_s,
        interval_s: 0.1,
        delivered: n,
        newly: 1.0,
        prior: n - 1.0,
        then_in_flight: 1.0,
        in_flight: 6.0,
        rtt_s: 0.1,
        ..Rate::default()
    };
    Ack { now_s: n / 10.0, acked: 1.0, rtt_s: 0.1, rate, ..Ack::default() }
}

fn bandwidth(controller: &AnyController) -> f64 {
    controller.gauge().expect("it shows its bandwidth").1
}

/// BBR does not treat losses as congestion, so that samples during a repair count like any other.
#[test]
fn the_acks_of_a_repair_tell_of_the_path() {
    for name in ["bbr", "bbr3"] {
        let (mut controller, mut window) = started(name);
        controller.on_ack(&ack_of_round(1.0, 100.0), &PATH, &mut window);
        let event = Congestion { cause: Cause::Loss, now_s: 0.1, in_flight: 10 };
        controller.on_congestion(&event, &PATH, &mut window);
        let repairs = Ack { recovers: true, ..ack_of_round(2.0, 200.0) };
        controller.on_recovery_ack(&repairs, &PATH, &mut window);
        assert_eq!(bandwidth(&controller), 200.0, "{name}");
        if name == "bbr" {
            assert_eq!(window.cwnd, 7.0); // equal to the delivered amount: 6 in flight and 1 more
        }
    }
}

/// A sample that the sender limits is a lower bound of the path's rate. It may raise the maximum of ten round
/// trips, and never replaces a maximum that has expired.
#[test]
fn samples_that_the_sender_limits_count_if_they_are_larger() {
    for (app_limited, per_s, expected) in
        [(false, 900.0, 900.0), (true, 900.0, 1000.0), (true, 1000.0, 1000.0), (true, 1100.0, 1100.0)]
    {
        let (mut controller, mut window) = started("bbr");
        controller.on_ack(&ack_of_round(1.0, 1000.0), &PATH, &mut window);
        for n in 2..=24 {
            let mut ack = ack_of_round(f64::from(n), per_s);
            ack.rate.app_limited = app_limited;
            controller.on_ack(&ack, &PATH, &mut window);
        }
        assert_eq!(bandwidth(&controller), expected, "{app_limited} {per_s}");
    }
}
