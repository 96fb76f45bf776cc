//! Spurious losses, computed by hand from draft-ietf-ccwg-bbr section 5.5.11 and google/bbr `bbr_undo_cwnd`.

use super::*;

#[test]
fn an_undone_loss_frees_what_it_has_bounded() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.model().cwnd = 80.0;
        flow.model().bounds.inflight_long = 120.0;
        flow.controller.on_congestion(&loss(80), &PATH, &mut flow.window);
        let bounds = &mut flow.model().bounds;
        (bounds.bw_short, bounds.inflight_short, bounds.inflight_long) = (700.0, 70.0, 90.0);
        flow.window.cwnd = 40.0;
        flow.controller.on_undo(80.0, &PATH, &mut flow.window);
        let bounds = flow.model().bounds;
        assert!(bounds.bw_short.is_infinite() && bounds.inflight_short.is_infinite());
        assert_eq!((bounds.inflight_long, flow.window.cwnd), (120.0, 80.0));
    }
}

/// `is_loss_in_round = false`: the round trip that ends after the undo lowers no bound.
#[test]
fn an_undone_loss_does_not_count_in_its_round_trip() {
    for variant in [DRAFT, LINUX] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Cruise);
        flow.lose(100.0, 1.0);
        flow.controller.on_congestion(&loss(100), &PATH, &mut flow.window);
        flow.controller.on_undo(100.0, &PATH, &mut flow.window);
        (0..102).for_each(|_| flow.next());
        assert!(flow.model().bounds.bw_short.is_infinite(), "{variant:?}");
    }
}

/// `undo_state` = ProbeBW_UP: the probe is repeated from its REFILL, and its bound is as before.
#[test]
fn a_probe_that_a_spurious_loss_ended_is_repeated() {
    for (variant, mode) in [(DRAFT, Mode::Refill), (LINUX, Mode::Down)] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Up);
        flow.model().bounds.inflight_long = 150.0;
        (1..=3).for_each(|n| flow.lose(125.0, f64::from(n)));
        assert_eq!((flow.model().mode, flow.model().bounds.inflight_long), (Mode::Down, 124.0));
        flow.controller.on_congestion(&loss(100), &PATH, &mut flow.window);
        flow.lose(125.0, 4.0); // of the same event
        flow.controller.on_undo(100.0, &PATH, &mut flow.window);
        // Linux saves the bounds when its repair begins, after the loss has lowered them
        let bound = if variant == DRAFT { 150.0 } else { 124.0 };
        assert_eq!((flow.model().mode, flow.model().bounds.inflight_long), (mode, bound), "{variant:?}");
        flow.controller.on_undo(100.0, &PATH, &mut flow.window); // `undo_state` is None now
        assert_eq!(flow.model().mode, mode);
    }
}

/// `undo_state` = Startup: `full_bw_reached = false`, and `EnterStartup` unless the flow probes the RTT.
#[test]
fn start_up_that_spurious_losses_ended_continues() {
    for (variant, now, after) in [
        (DRAFT, Mode::Drain, Mode::Startup),
        (DRAFT, Mode::Cruise, Mode::Startup),
        (DRAFT, Mode::ProbeRtt, Mode::ProbeRtt),
        (LINUX, Mode::Drain, Mode::Drain),
    ] {
        let mut flow = Flow::new(variant);
        flow.lose(100.0, 1.0);
        flow.controller.on_congestion(&loss(100), &PATH, &mut flow.window);
        let rate = Rate { lost_since: 3.0, ..flow.rate() };
        let ack = Ack { rate, recovers: true, ..ack(0.1) };
        let model = flow.model();
        (model.startup_losses, model.latest.starts) = (STARTUP_LOSSES, true);
        flow.controller.0.heed_startup_losses(&Event { ack: &ack, path: &PATH, window: &mut flow.window });
        assert!(flow.model().pipe.full && flow.model().bounds.inflight_long.is_finite());
        flow.model().mode = now;
        flow.controller.on_undo(100.0, &PATH, &mut flow.window);
        let model = flow.model();
        assert_eq!((model.mode, model.pipe.full), (after, variant == LINUX), "{variant:?} {now:?}");
        assert!(model.bounds.inflight_long.is_infinite());
    }
}

/// "When a loss recovery episode starts, BBR saves information about its current state."
#[test]
fn later_losses_of_an_episode_do_not_replace_what_it_saved() {
    let mut flow = Flow::new(DRAFT);
    flow.go_to(Mode::Cruise);
    flow.lose(100.0, 1.0);
    flow.controller.on_congestion(&loss(100), &PATH, &mut flow.window);
    for _ in 0..102 {
        flow.delivered += 1.0;
        let ack = Ack { now_s: flow.now_s(), rate: flow.rate(), recovers: true, ..ack(0.1) };
        flow.controller.on_recovery_ack(&ack, &PATH, &mut flow.window);
    }
    assert!(flow.model().bounds.bw_short.is_finite()); // the round trip of the loss has ended
    flow.lose(100.0, 1.0);
    flow.controller.on_undo(100.0, &PATH, &mut flow.window);
    assert!(flow.model().bounds.bw_short.is_infinite());
}
