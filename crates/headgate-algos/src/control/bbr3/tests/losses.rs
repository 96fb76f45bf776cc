//! The response of BBRv3 to losses.

use super::*;

#[test]
fn a_probe_that_loses_more_than_two_percent_bounds_what_is_in_flight() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::Up);
    flow.lose(125.0, 1.0);
    flow.lose(125.0, 2.0);
    assert_eq!(flow.model().mode, Mode::Up); // 2 of 125 are 1.6 %
    flow.lose(125.0, 3.0);
    // 124 before it with 2 lost: (0.02 * 124 - 2) / 0.98 = 0.49 more are 2 %, less than a segment
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
    assert_eq!(flow.model().bounds.inflight_long, 100.0); // the second alone was 2 % of 100
    flow.go_to(Mode::Up);
    flow.delivered += 1.0;
    flow.acknowledge(Rate { in_flight: 100.0, ..flow.rate() }); // at the bound
    let model = flow.model();
    assert_eq!((model.mode, model.cautious, model.too_high), (Mode::Down, true, false));
    flow.go_to(Mode::Refill); // a round trip later, without cruising
    assert!(flow.now_s() - flow.controller.0.cycle_at_s < 0.11);
}

#[test]
fn what_a_probe_may_lose_at_least_leaves_seven_tenths_of_the_target() {
    // a target of 1000/s for 0.1 s; a sample that the sender limits does not change it
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
        assert_eq!(flow.model().bounds.bw_short.is_finite(), counts, "{variant:?}");
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
        flow.controller.on_recovery_ack(&ack, &PATH, &mut flow.window);
    }
    let model = flow.model();
    assert!(model.pipe.full && model.bounds.inflight_long >= 100.0);
}

#[test]
fn start_up_ends_by_losses_in_six_places_that_fast_recovery_repairs() {
    // the number of ACKs that report losses, whether an ACK belongs to the repair, and the losses among 100
    // segments
    for (places, recovers, lost_since, ends) in [
        (6, true, 3.0, true),
        (5, true, 3.0, false),
        (6, false, 3.0, false),
        (6, true, 2.0, false), // two percent are tolerated
    ] {
        let mut flow = Flow::new(DRAFT);
        let rate = Rate { lost_since, ..flow.rate() };
        let ack = Ack { rate, recovers, ..ack(0.1) };
        (flow.controller.0.startup_losses, flow.controller.0.latest.starts) = (places, true);
        flow.controller.0.heed_startup_losses(&Event { ack: &ack, path: &PATH, window: &mut flow.window });
        assert_eq!(flow.controller.0.pipe.full, ends, "{places} {recovers} {lost_since}");
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
