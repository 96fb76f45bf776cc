//! The response of the draft to marks, computed by hand from draft-ietf-ccwg-bbr sections 3.7, 5.3.1.3 and
//! 5.5.10.

use super::*;
use crate::trial::congestion;

/// Reports a mark, as the transport does at most once per window of data.
fn mark(flow: &mut Flow) {
    flow.controller.on_congestion(&congestion(Cause::Mark, 100), &PATH, &mut flow.window);
}

fn next_at(flow: &mut Flow, per_s: f64) {
    flow.delivered += 1.0;
    flow.acknowledge(Rate { per_s, ..flow.rate() });
}

/// `bw_shortterm` becomes 0.7 of it, or the delivered rate. `inflight_shortterm` becomes 0.7 of it, or the
/// delivered rate for the least RTT of 0.1 s: 100, then 60 segments, although 100 were delivered.
#[test]
fn a_mark_outside_a_probe_counts_like_a_loss_of_its_round_trip() {
    for (variant, first, second) in
        [(DRAFT, (1000.0, 140.0), (700.0, 98.0)), (LINUX, (1000.0, 200.0), (1000.0, 200.0))]
    {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Cruise);
        let bounds = &mut flow.model().bounds;
        (bounds.bw_short, bounds.inflight_short) = (1000.0, 200.0);
        mark(&mut flow);
        (0..200).for_each(|_| next_at(&mut flow, 600.0));
        // the round trip still held a sample of 1000/s; without further marks the bounds stay
        let bounds = flow.model().bounds;
        assert_eq!((bounds.bw_short, bounds.inflight_short), first, "{variant:?}");
        mark(&mut flow);
        (0..102).for_each(|_| next_at(&mut flow, 600.0));
        let bounds = flow.model().bounds;
        assert!((bounds.bw_short - second.0).abs() + (bounds.inflight_short - second.1).abs() < 1e-9);
        for (marked, left) in [(true, 68.6), (false, 100.0)] {
            if variant == DRAFT {
                flow.model().bounds.inflight_short = 98.0;
                if marked {
                    mark(&mut flow)
                } else {
                    flow.lose(100.0, 1.0)
                }
                (0..102).for_each(|_| next_at(&mut flow, 600.0));
                assert!((flow.model().bounds.inflight_short - left).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_mark_ends_a_probe_at_its_flight() {
    for (variant, mode, bound) in [(DRAFT, Mode::Down, 125.0), (LINUX, Mode::Up, f64::INFINITY)] {
        let mut flow = Flow::new(variant);
        flow.go_to(Mode::Up);
        mark(&mut flow);
        flow.delivered += 1.0;
        flow.acknowledge(Rate { then_in_flight: 125.0, in_flight: 120.0, ..flow.rate() });
        assert_eq!((flow.model().mode, flow.model().bounds.inflight_long), (mode, bound), "{variant:?}");
        // the sample of the probe counts once: a later mark of it changes no bound
        mark(&mut flow);
        flow.next();
        assert_eq!(flow.model().bounds.inflight_long, bound);
    }
}

#[test]
fn a_mark_ends_start_up_after_a_round_trip() {
    for (variant, marked, acks, bound) in [
        (DRAFT, true, 100, f64::INFINITY),
        (DRAFT, true, 101, 299.0),
        (DRAFT, false, 300, f64::INFINITY),
        (LINUX, true, 300, f64::INFINITY),
    ] {
        let mut flow = Flow::new(variant);
        let acknowledge = |flow: &mut Flow| next_at(flow, 10.0 * (flow.delivered + 1.0)); // it grows
        (0..198).for_each(|_| acknowledge(&mut flow));
        if marked {
            mark(&mut flow);
        }
        (0..acks).for_each(|_| acknowledge(&mut flow));
        // the mark counts at the 199th segment; the 299th was sent after it: 2990/s for 0.1 s
        assert_eq!(flow.model().bounds.inflight_long, bound, "{variant:?} {marked} {acks}");
    }
}

#[test]
fn the_variant_of_linux_without_marks_does_not_answer_them() {
    for (variant, answers) in
        [(DRAFT, true), (LINUX, false), (Variant::LinuxEcn, true), (Variant::LinuxEcnAny, true)]
    {
        assert_eq!(Flow::new(variant).controller.answers_marks(), answers);
    }
}
