use super::*;
use crate::control::prague::{self, Prague};
use crate::slow_start::classic::Classic;
use crate::slow_start::hystart_pp::HyStartPlusPlus;
use crate::slow_start::rapid_start::{self, RapidStart};
use crate::trial::{PATH, ack, acked, loss, starting};

/// Reno, as far as these tests need it.
#[derive(Clone, Debug)]
struct Plain;

impl Controller for Plain {
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if ack.cwnd_limited {
            let left = window.slow_start(ack.acked);
            window.cwnd += left / window.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        window.ssthresh = f64::from(event.in_flight) / 2.0;
    }
}

fn rapid() -> Started<Plain> {
    Started::new(Plain, AnySlowStart::RapidStart(RapidStart::new(rapid_start::Params::default())))
}

#[test]
fn the_slow_start_sets_the_growth_and_the_algorithm_the_rest() {
    let (mut started, mut window) = (rapid(), starting(10.0));
    started.on_ack(&acked(4.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 18.0);
    started.on_congestion(&loss(18), &PATH, &mut window);
    assert_eq!(window.ssthresh, 9.0); // Reno's
    window.cwnd = 9.0;
    started.slow_start.on_undo();
    started.on_ack(&acked(3.0), &PATH, &mut window);
    assert!((window.cwnd - (9.0 + 3.0 / 9.0)).abs() < 1e-12);
}

#[test]
fn segments_beyond_the_threshold_count_for_congestion_avoidance() {
    // 4 of 6 segments grow the window from 10 to 18; the other 2 add 2/18
    let (mut started, mut window) = (rapid(), Window { ssthresh: 18.0, ..starting(10.0) });
    started.on_ack(&acked(6.0), &PATH, &mut window);
    assert!((window.cwnd - (18.0 + 2.0 / 18.0)).abs() < 1e-12, "{}", window.cwnd);
}

#[test]
fn a_flow_that_its_window_does_not_limit_does_not_grow() {
    let (mut started, mut window) = (rapid(), starting(10.0));
    started.on_ack(&Ack { cwnd_limited: false, ..acked(4.0) }, &PATH, &mut window);
    assert_eq!(window.cwnd, 10.0);
}

#[test]
fn conservative_slow_start_adds_a_quarter() {
    let mut cautious = HyStartPlusPlus::default();
    cautious.slow_down(0.1);
    let (mut started, mut window) =
        (Started::new(Plain, AnySlowStart::HyStartPlusPlus(cautious)), starting(64.0));
    started.on_ack(&acked(4.0), &PATH, &mut window);
    assert_eq!(window.cwnd, 65.0);
}

#[test]
fn the_base_rtt_is_the_least_since_the_last_time_out() {
    let mut started = Started::new(Plain, AnySlowStart::Classic(Classic));
    let mut window = starting(10.0);
    for (rtt_s, base_s) in [(0.2, 0.2), (0.0, 0.2), (0.1, 0.1), (0.3, 0.1)] {
        started.on_ack(&ack(rtt_s), &PATH, &mut window);
        assert_eq!(started.base_rtt_s, base_s);
    }
    started.on_congestion(&crate::trial::timeout(10), &PATH, &mut window);
    assert_eq!(started.base_rtt_s, 0.0);
}

#[test]
fn the_codepoint_and_the_feedback_are_those_of_the_algorithm() {
    let prague = Prague::new(prague::Params::default());
    let mut started = Started::new(prague, AnySlowStart::Classic(Classic));
    assert_eq!((started.codepoint(), started.echo()), (Ecn::Ect1, Echo::Accurate));
    started.on_feedback(Echo::Latched);
    assert!(!started.controls_cwnd_in_recovery()); // Prague is Reno then
}
