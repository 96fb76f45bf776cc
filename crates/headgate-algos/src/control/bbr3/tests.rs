//! BBRv3 computed by hand, for both variants.

use super::*;
use crate::trial::{PATH, RESTART, ack, loss, starting, timeout};

const DRAFT: Variant = Variant::Draft;
const LINUX: Variant = Variant::LinuxV3;

mod echoed;
mod losses;
mod marks;
mod undo;

fn params(variant: Variant) -> Params {
    Params { variant, ..Params::default() }
}

/// A flow on a path of 1000 segments/s and 100 ms, with 100 segments in flight.
struct Flow {
    controller: Bbr3,
    window: Window,
    delivered: f64,
    lost: f64,
}

impl Flow {
    fn new(variant: Variant) -> Self {
        let (mut controller, mut window) = (Bbr3::new(params(variant)), starting(10.0));
        controller.on_start(0.0, &PATH, &mut window);
        Self { controller, window, delivered: 0.0, lost: 0.0 }
    }

    fn now_s(&self) -> f64 {
        self.delivered / 1000.0
    }

    fn model(&mut self) -> &mut Model {
        &mut self.controller.0
    }

    fn rate(&self) -> Rate {
        Rate {
            per_s: 1000.0,
            interval_s: 0.1,
            delivered: self.delivered,
            newly: 1.0,
            prior: (self.delivered - 100.0).max(0.0),
            then_in_flight: 100.0,
            lost: self.lost,
            in_flight: 99.0,
            rtt_s: 0.1,
            ..Rate::default()
        }
    }

    fn acknowledge(&mut self, rate: Rate) {
        let ack = Ack { now_s: self.now_s(), rate, ..ack(0.1) };
        self.controller.on_ack(&ack, &PATH, &mut self.window);
    }

    fn next(&mut self) {
        self.delivered += 1.0;
        self.acknowledge(self.rate());
    }

    fn go_to(&mut self, mode: Mode) {
        for _ in 0..100_000 {
            if self.model().mode == mode {
                return;
            }
            self.next();
        }
        panic!("never {mode:?}");
    }

    /// Loses a segment that was sent with `then_in_flight` segments in flight, the `n`th loss since then.
    fn lose(&mut self, then_in_flight: f64, n: f64) {
        self.lost += 1.0;
        let sent = Rate {
            delivered: self.delivered,
            prior: self.delivered - 100.0,
            then_in_flight,
            lost: self.lost,
            lost_since: n,
            ..Rate::default()
        };
        self.controller.on_segment_lost(&sent, &PATH, &mut self.window);
    }
}

#[test]
fn start_up_paces_at_four_ln_two() {
    assert!((Flow::new(DRAFT).window.pace - 277.0).abs() < 1e-9); // 2.77 * 10 / 0.1
    assert!((Flow::new(LINUX).window.pace - 274.23).abs() < 1e-9); // minus the margin
}

#[test]
fn the_gains_of_the_two_texts_differ() {
    for (variant, drain, down, least) in [(DRAFT, 0.5, 0.9, 0.5), (LINUX, 1.0 / 2.885, 0.91, 1.0)] {
        let mut flow = Flow::new(variant);
        let gain = |flow: &mut Flow, mode| {
            flow.model().mode = mode;
            flow.model().gain()
        };
        assert_eq!(gain(&mut flow, Mode::Drain), drain);
        assert_eq!(gain(&mut flow, Mode::Down), down);
        flow.model().mode = Mode::ProbeRtt;
        assert_eq!(flow.model().cwnd_gain(), least);
    }
}

#[test]
fn a_cycle_goes_down_cruises_refills_and_probes() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Cruise); // DOWN ends at once: no queue, no bound
        let began_s = flow.model().cycle_at_s;
        // a target of 100 segments is more than 63 round trips of 0.1 s: the wait of 2 to 3 s is due
        flow.go_to(Mode::Refill);
        let waited_s = flow.now_s() - began_s;
        assert!((2.0..=3.01).contains(&waited_s), "{waited_s}");
        let refilled_s = flow.now_s();
        flow.go_to(Mode::Up);
        assert!((flow.now_s() - refilled_s - 0.1).abs() < 0.002);
        let probed_s = flow.now_s();
        flow.go_to(Mode::Cruise); // no more bandwidth for three round trips
        assert!((flow.now_s() - probed_s - 0.3).abs() < 0.004);
    }
}

#[test]
fn five_seconds_without_a_smaller_rtt_halve_what_is_in_flight() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::ProbeRtt);
    assert!((flow.now_s() - 5.0).abs() < 0.11);
    assert_eq!(flow.window.cwnd, 50.0); // half of 1000 * 0.1
    for _ in 0..300 {
        flow.delivered += 1.0;
        flow.acknowledge(Rate { in_flight: 50.0, ..flow.rate() });
    }
    assert_eq!(flow.model().mode, Mode::Cruise);
    assert!(flow.window.cwnd >= 200.0);
}

#[test]
fn after_a_pause_the_rtt_is_not_probed() {
    for (paused, mode) in [(true, Mode::Cruise), (false, Mode::ProbeRtt)] {
        let mut flow = Flow::new(DRAFT);
        flow.go_to(Mode::Cruise);
        let now_s = flow.now_s() + 6.0;
        if paused {
            let restart = Restart { now_s: now_s - 0.1, delivered: flow.delivered, ..RESTART };
            flow.controller.on_restart(&restart, &PATH, &mut flow.window);
        }
        flow.delivered += 1.0;
        let rate = Rate { prior: flow.delivered - 1.0, app_limited: true, rtt_s: 0.12, ..flow.rate() };
        let ack = Ack { now_s, rate, ..ack(0.1) };
        flow.controller.0.wait_s = 100.0;
        flow.controller.on_ack(&ack, &PATH, &mut flow.window);
        assert_eq!(flow.model().mode, mode, "{paused}");
        assert!(!flow.model().restarts); // it ends with the first ACK
    }
}

#[test]
fn after_a_pause_a_probe_for_bandwidth_paces_as_cruise_does() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Up);
        let bandwidth = flow.model().bandwidth();
        assert_eq!(flow.window.pace, 1.25 * 0.99 * bandwidth);
        let restart = Restart { now_s: flow.now_s() + 1.0, delivered: flow.delivered, ..RESTART };
        flow.controller.on_restart(&restart, &PATH, &mut flow.window);
        assert_eq!(flow.window.pace, 0.99 * bandwidth);
    }
}

#[test]
fn a_probe_of_the_rtt_that_a_pause_outlasts_ends_with_it() {
    for (wait_s, mode) in [(0.1, Mode::ProbeRtt), (0.3, Mode::Cruise)] {
        let mut flow = Flow::new(DRAFT);
        flow.go_to(Mode::ProbeRtt);
        flow.delivered += 1.0;
        flow.acknowledge(Rate { in_flight: 4.0, ..flow.rate() }); // the path is empty from here on
        let restart = Restart { now_s: flow.now_s() + wait_s, delivered: flow.delivered, ..RESTART };
        flow.controller.on_restart(&restart, &PATH, &mut flow.window);
        assert_eq!(flow.model().mode, mode, "{wait_s}");
    }
}

#[test]
fn a_timeout_brings_the_window_back() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Refill);
        let before = flow.window.cwnd;
        flow.window.cwnd = 1.0;
        flow.controller.on_congestion(&timeout(100), &PATH, &mut flow.window);
        flow.delivered += 1.0;
        let ack = Ack { now_s: flow.now_s(), rate: flow.rate(), after_timeout: true, ..ack(0.1) };
        flow.controller.on_ack(&ack, &PATH, &mut flow.window);
        assert_eq!(flow.window.cwnd, FLOOR);
        flow.next();
        assert!(flow.window.cwnd >= before);
    }
}

#[test]
fn below_its_target_and_at_first_the_window_grows_by_what_is_delivered() {
    // 50/s over 0.1 s, twice: a target of 10. Linux grows up to 20, the draft for 10 segments
    for (variant, cwnd, delivered, expected) in [
        (LINUX, 9.0, 500.0, 10.0),
        (LINUX, 19.0, 500.0, 20.0),
        (LINUX, 20.0, 500.0, 20.0),
        (DRAFT, 9.0, 500.0, 10.0),
        (DRAFT, 19.0, 9.0, 20.0),
        (DRAFT, 19.0, 10.0, 19.0),
    ] {
        let mut flow = Flow::new(variant);
        flow.model().bw = [50.0, 0.0];
        let ack = Ack { rate: Rate { delivered, newly: 1.0, ..Rate::default() }, ..Ack::default() };
        let window = Window { cwnd, ..flow.window };
        assert_eq!(flow.model().grown(&ack, &PATH, &window), expected, "{variant:?} {cwnd}");
        flow.model().pipe.full = true;
        assert_eq!(flow.model().grown(&ack, &PATH, &window), 10.0);
    }
}

#[test]
fn what_acks_bring_at_once_is_allowed_for() {
    for (variant, bw, expected) in [(DRAFT, 50.0, 7.0), (LINUX, 50.0, 5.0), (LINUX, 1000.0, 7.0)] {
        let mut flow = Flow::new(variant);
        let model = flow.model();
        model.extra.update(EXTRA_ROUNDS, 0.0, 7.0);
        model.aggregation.take(7.0, 0.0, bw, 100.0);
        assert_eq!(model.allowance(bw), expected); // Linux: at most the delivery of 0.1 s
    }
}

#[test]
fn what_leaves_while_the_next_waits_is_not_in_the_network() {
    let mut flow = Flow::new(LINUX);
    flow.model().bw = [1000.0, 0.0];
    for (gain, expected) in [(1.0, 95.0), (1.25, 97.0), (0.91, 95.0)] {
        flow.model().pacing_gain = gain; // above one, a quantum of two is added
        let ack = Ack { rate: Rate { wait_s: 0.0055, ..Rate::default() }, ..Ack::default() };
        let event = Event { ack: &ack, path: &PATH, window: &mut flow.window };
        assert_eq!(flow.controller.0.in_network(100.0, &event), expected);
    }
}

#[test]
fn a_full_path_is_paced_at_the_gain_less_the_margin() {
    for (mode, pace) in [(Mode::Cruise, 990.0), (Mode::Up, 1237.5), (Mode::Cruise, 990.0)] {
        let mut flow = Flow::new(DRAFT);
        flow.go_to(mode);
        assert!((flow.window.pace - pace).abs() < 1e-9, "{mode:?} {}", flow.window.pace);
    }
}

#[test]
fn samples_that_the_sender_limits_count_if_they_are_larger() {
    for (app_limited, per_s, expected) in
        [(false, 900.0, 900.0), (true, 900.0, 0.0), (true, 1000.0, 1000.0), (true, 1100.0, 1100.0)]
    {
        let mut flow = Flow::new(DRAFT);
        flow.model().bw = [1000.0, 0.0];
        flow.delivered += 1.0;
        let rate = Rate { app_limited, per_s, ..flow.rate() };
        flow.model().take_bandwidth(&rate, 100.0);
        assert_eq!(flow.model().bw[1], expected);
    }
}

#[test]
fn there_is_room_for_three_quanta_and_two_segments_more_in_a_probe() {
    for (mode, pace, expected) in
        [(Mode::Cruise, 10.0, 6.0), (Mode::Cruise, 10_240.0, 30.0), (Mode::Up, 10_240.0, 32.0)]
    {
        let mut flow = Flow::new(DRAFT);
        flow.model().mode = mode;
        let window = Window { pace, ..flow.window };
        assert_eq!(flow.model().with_quanta(1.0, &PATH, &window), expected);
    }
}

/// draft-ietf-ccwg-bbr section 5.5.8: 3 `send_quantum` with TCP, 1 with QUIC. At 10240/s a quantum is 10.
#[test]
fn over_quic_the_end_hosts_hold_one_quantum() {
    for (variant, expected) in [(DRAFT, 10.0), (LINUX, 30.0)] {
        let mut flow = Flow::new(variant);
        flow.controller.on_quic();
        let window = Window { pace: 10_240.0, ..flow.window };
        assert_eq!(flow.model().with_quanta(1.0, &PATH, &window), expected);
    }
}

#[test]
fn an_rtt_that_is_as_small_again_makes_linux_forget_the_old_one_later() {
    for (variant, at_s) in [(DRAFT, 0.0), (LINUX, 6.0)] {
        let mut flow = Flow::new(variant);
        let (ack, model) = (Ack { rate: flow.rate(), ..ack(0.1) }, &mut flow.controller.0);
        model.now_s = 6.0; // an RTT of 0.1 s, after five seconds without a smaller one
        model.take_rtt(&mut Event { ack: &ack, path: &PATH, window: &mut flow.window });
        assert_eq!((model.min_rtt_s, model.min_rtt_at_s), (0.1, at_s));
    }
}

#[test]
fn the_wait_for_a_probe_is_drawn_apart_from_its_round() {
    let mut seen = [[0; 2]; 2];
    let mut flow = Flow::new(DRAFT);
    for delivered in 0..400 {
        let model = flow.model();
        model.delivered = f64::from(delivered);
        model.enter_down();
        seen[model.rounds_since_probe as usize][usize::from(model.wait_s >= 2.5)] += 1;
    }
    // a quarter of 400 each; five standard deviations of sqrt(400/4 * 3/4) = 8.7
    assert!(seen.as_flattened().iter().all(|count| (57..=143).contains(count)), "{seen:?}");
}

#[test]
fn the_small_window_of_a_probe_is_not_the_good_one() {
    for (mode, saved) in [(Mode::ProbeRtt, 100.0), (Mode::Cruise, FLOOR)] {
        let mut flow = Flow::new(DRAFT);
        flow.model().repair.save(100.0, false);
        (flow.model().mode, flow.model().cwnd) = (mode, FLOOR);
        flow.controller.on_congestion(&loss(4), &PATH, &mut flow.window);
        assert_eq!(flow.model().repair.saved(), saved);
    }
}
