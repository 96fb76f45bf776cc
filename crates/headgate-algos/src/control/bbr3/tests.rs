//! BBR 3 worked by hand, both texts.

use super::*;
use crate::trial::{PATH, ack, loss, starting, timeout};

const DRAFT: f64 = 0.0;
const LINUX: f64 = 1.0;

fn params(variant: f64) -> Params {
    Params { variant, ..Params::default() }
}

/// A flow on a path of 1000 segments/s and 100 ms, with 100 segments in flight.
struct Flow {
    law: Bbr3,
    window: Window,
    delivered: f64,
    lost: f64,
}

impl Flow {
    fn new(variant: f64) -> Self {
        let (mut law, mut window) = (Bbr3::new(params(variant)), starting(10.0));
        law.on_start(0.0, &PATH, &mut window);
        Self { law, window, delivered: 0.0, lost: 0.0 }
    }

    fn now_s(&self) -> f64 {
        self.delivered / 1000.0
    }

    fn model(&mut self) -> &mut Model {
        &mut self.law.0
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
        self.law.on_ack(&ack, &PATH, &mut self.window);
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

    /// A segment that was sent with so many in flight is lost, the `n`th since then.
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
        self.law.on_segment_lost(&sent, &PATH, &mut self.window);
    }
}

#[test]
fn start_up_paces_at_four_ln_two() {
    assert!((Flow::new(DRAFT).window.pace - 277.0).abs() < 1e-9); // 2.77 * 10 / 0.1
    assert!((Flow::new(LINUX).window.pace - 274.23).abs() < 1e-9); // less the margin
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
        flow.go_to(Mode::Cruise); // DOWN is over at once: no queue, no bound
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
fn a_probe_that_loses_more_than_two_percent_bounds_what_is_in_flight() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::Up);
    flow.lose(125.0, 1.0);
    flow.lose(125.0, 2.0);
    assert_eq!(flow.model().mode, Mode::Up); // 2 of 125 are 1.6 %
    flow.lose(125.0, 3.0);
    // 124 before it with 2 lost: (0.02 * 124 - 2) / 0.98 = 0.49 more are 2 %, which is no segment
    let model = flow.model();
    assert_eq!((model.mode, model.bounds.inflight_long, model.too_high), (Mode::Down, 124.0, true));
    flow.go_to(Mode::Cruise);
    flow.next();
    assert_eq!(flow.window.cwnd, 105.0); // 85 % of 124
}

#[test]
fn a_probe_after_one_that_lost_too_much_stops_at_its_bound() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::Up);
    (1..=3).for_each(|n| flow.lose(101.0, f64::from(n)));
    assert_eq!(flow.model().bounds.inflight_long, 100.0); // the second was already 2 % of 100
    flow.go_to(Mode::Up);
    flow.delivered += 1.0;
    flow.acknowledge(Rate { in_flight: 100.0, ..flow.rate() }); // at the bound
    let model = flow.model();
    assert_eq!((model.mode, model.cautious, model.too_high), (Mode::Down, true, false));
    flow.go_to(Mode::Refill); // a round trip later, without cruising
    assert!(flow.now_s() - flow.law.0.cycle_at_s < 0.11);
}

#[test]
fn what_a_probe_may_lose_at_least_leaves_seven_tenths_of_the_target() {
    // a target of 1000/s for 0.1 s; a sample that the sender limits says nothing of it
    for (in_flight, limited, bound) in
        [(20.0, false, 70.0), (69.0, false, 70.0), (71.0, false, 71.0), (71.0, true, f64::INFINITY)]
    {
        let mut flow = Flow::new(DRAFT);
        flow.go_to(Mode::Up);
        let window = Window { cwnd: 150.0, ..flow.window };
        flow.model().answer_loss((in_flight, limited), &PATH, &window);
        assert_eq!((flow.model().bounds.inflight_long, flow.model().mode), (bound, Mode::Down));
    }
}

#[test]
fn losses_that_end_a_probe_count_once_more_in_linux_only() {
    for (variant, counts) in [(DRAFT, false), (LINUX, true)] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Up);
        (1..=3).for_each(|n| flow.lose(125.0, f64::from(n)));
        flow.delivered += 1.0;
        flow.acknowledge(Rate { newly_lost: 3.0, ..flow.rate() });
        (0..200).for_each(|_| flow.next());
        assert_eq!(flow.model().bounds.bw_short.is_finite(), counts, "{variant}");
    }
}

#[test]
fn losses_outside_a_probe_bound_rate_and_volume_until_the_next() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::Cruise);
    flow.lose(100.0, 1.0);
    for _ in 0..200 {
        flow.delivered += 1.0;
        flow.acknowledge(Rate { per_s: 600.0, ..flow.rate() });
    }
    let model = flow.model();
    assert_eq!(model.bounds.bw_short, 1000.0); // the round trip still held a sample of 1000/s
    flow.lose(100.0, 1.0);
    for _ in 0..101 {
        flow.delivered += 1.0;
        flow.acknowledge(Rate { per_s: 600.0, ..flow.rate() });
    }
    assert_eq!(flow.model().bandwidth(), 700.0); // more than 600
    flow.go_to(Mode::Refill);
    assert_eq!(flow.model().bandwidth(), 1000.0);
}

#[test]
fn losses_in_six_places_and_above_two_percent_end_start_up() {
    let mut flow = Flow::new(DRAFT);
    for _ in 0..200 {
        flow.delivered += 1.0;
        flow.lost += 0.1;
        let per_s = flow.delivered * 10.0; // it grows
        let rate = Rate { per_s, newly_lost: 0.1, lost_since: 10.0, ..flow.rate() };
        let ack = Ack { now_s: flow.now_s(), rate, recovers: true, ..ack(0.1) };
        flow.law.on_recovery_ack(&ack, &PATH, &mut flow.window);
    }
    let model = flow.model();
    assert!(model.pipe.full && model.bounds.inflight_long >= 100.0);
}

#[test]
fn start_up_ends_by_losses_in_six_places_that_fast_recovery_repairs() {
    // so many ACKs that told of losses, an ACK of the repair or not, and so many lost of 100
    for (places, recovers, lost_since, ends) in [
        (6, true, 3.0, true),
        (5, true, 3.0, false),
        (6, false, 3.0, false),
        (6, true, 2.0, false), // two percent are tolerated
    ] {
        let mut flow = Flow::new(DRAFT);
        let rate = Rate { lost_since, ..flow.rate() };
        let ack = Ack { rate, recovers, ..ack(0.1) };
        (flow.law.0.startup_losses, flow.law.0.latest.starts) = (places, true);
        flow.law.0.heed_startup_losses(&Event { ack: &ack, path: &PATH, window: &mut flow.window });
        assert_eq!(flow.law.0.pipe.full, ends, "{places} {recovers} {lost_since}");
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
        flow.delivered += 1.0;
        // the first of two segments after six seconds; or of many that were in flight all along
        let (prior, then_in_flight) = if paused { (flow.delivered - 1.0, 1.0) } else { (0.0, 100.0) };
        let rate = Rate { prior, then_in_flight, app_limited: true, rtt_s: 0.12, ..flow.rate() };
        let ack = Ack { now_s: flow.now_s() + 6.0, rate, ..ack(0.1) };
        flow.law.0.wait_s = 100.0;
        flow.law.on_ack(&ack, &PATH, &mut flow.window);
        assert_eq!(flow.model().mode, mode, "{paused}");
    }
}

#[test]
fn a_timeout_brings_the_window_back() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Refill);
        let before = flow.window.cwnd;
        flow.window.cwnd = 1.0;
        flow.law.on_congestion(&timeout(100), &PATH, &mut flow.window);
        flow.delivered += 1.0;
        let ack = Ack { now_s: flow.now_s(), rate: flow.rate(), after_timeout: true, ..ack(0.1) };
        flow.law.on_ack(&ack, &PATH, &mut flow.window);
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
        assert_eq!(flow.model().grown(&ack, &PATH, &window), expected, "{variant} {cwnd}");
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
        assert_eq!(model.allowance(bw), expected); // Linux: what 0.1 s bring at most
    }
}

#[test]
fn what_leaves_while_the_next_waits_is_not_in_the_network() {
    let mut flow = Flow::new(LINUX);
    flow.model().bw = [1000.0, 0.0];
    for (gain, expected) in [(1.0, 95.0), (1.25, 97.0), (0.91, 95.0)] {
        flow.model().pacing_gain = gain; // above one, a quantum of two joins them
        let ack = Ack { rate: Rate { wait_s: 0.0055, ..Rate::default() }, ..Ack::default() };
        let event = Event { ack: &ack, path: &PATH, window: &mut flow.window };
        assert_eq!(flow.law.0.in_network(100.0, &event), expected);
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
fn losses_count_while_it_does_not_accelerate() {
    for (mode, accelerates, cycles) in [
        (Mode::Startup, true, false),
        (Mode::Drain, false, false),
        (Mode::Down, false, true),
        (Mode::Cruise, false, true),
        (Mode::Refill, true, true),
        (Mode::Up, true, true),
        (Mode::ProbeRtt, false, false),
    ] {
        let mut flow = Flow::new(DRAFT);
        let model = flow.model();
        (model.mode, model.bw, model.latest.loses) = (mode, [1000.0, 0.0], true);
        model.adapt_lower_bounds(100.0);
        assert_eq!((model.bounds.bw_short.is_infinite(), model.cycles()), (accelerates, cycles), "{mode:?}");
    }
}

#[test]
fn an_ack_that_tells_of_too_many_losses_ends_a_probe_of_linux_only() {
    for (variant, before, after) in
        [(DRAFT, Mode::Up, Mode::Up), (LINUX, Mode::Up, Mode::Down), (LINUX, Mode::Cruise, Mode::Cruise)]
    {
        let mut flow = Flow::new(variant);
        flow.go_to(before);
        flow.delivered += 1.0;
        flow.acknowledge(Rate { lost_since: 10.0, ..flow.rate() });
        let bounded = flow.model().bounds.inflight_long.is_finite();
        assert_eq!((flow.model().mode, bounded), (after, before != after));
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

#[test]
fn an_rtt_that_is_as_small_again_makes_linux_forget_the_old_one_later() {
    for (variant, at_s) in [(DRAFT, 0.0), (LINUX, 6.0)] {
        let mut flow = Flow::new(variant);
        let (ack, model) = (Ack { rate: flow.rate(), ..ack(0.1) }, &mut flow.law.0);
        model.now_s = 6.0; // an RTT of 0.1 s, after five seconds with none smaller
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
        flow.law.on_congestion(&loss(4), &PATH, &mut flow.window);
        assert_eq!(flow.model().repair.saved(), saved);
    }
}
