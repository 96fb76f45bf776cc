//! The response to marks, computed by hand from google/bbr `tcp_bbr.c`.

use headgate_model::chance::Stream;
use headgate_model::control::Echo;

use super::super::marks::{Marks, count_doublings};
use super::*;

const ECN: Variant = Variant::LinuxEcnAny;

fn marked(variant: Variant) -> Flow {
    let mut flow = Flow::new(variant);
    flow.controller.on_feedback(Echo::Accurate);
    flow
}

/// Acknowledges a segment that is marked or not.
fn next(flow: &mut Flow, is_marked: bool) {
    flow.delivered += 1.0;
    let ack =
        Ack { now_s: flow.now_s(), rate: flow.rate(), marked: f64::from(u8::from(is_marked)), ..ack(0.1) };
    flow.controller.on_ack(&ack, &PATH, &mut flow.window);
}

#[test]
fn only_the_variants_with_marks_ask_for_exact_feedback() {
    for (variant, echo) in
        [(DRAFT, Echo::None), (LINUX, Echo::None), (ECN, Echo::Accurate), (Variant::LinuxEcn, Echo::Accurate)]
    {
        assert_eq!(Flow::new(variant).controller.echo(), echo);
    }
}

/// Returns the remaining part of a flight of 96 segments after round trips of ten segments, of which `counts`
/// are marked.
fn remains(max_rtt_s: f64, rtt_s: f64, counts: &[u32]) -> Option<f64> {
    let mut marks = Marks::new(max_rtt_s);
    marks.granted = true;
    let mut delivered = 0.0;
    for &count in counts {
        for n in 0..10 {
            delivered += 1.0;
            let rate = Rate { newly: 1.0, delivered, ..Rate::default() };
            let ack = Ack { rate, marked: f64::from(u8::from(n < count)), ..Ack::default() };
            marks.take(&ack, n == 9, rtt_s);
        }
    }
    marks.reduce(96.0)
}

#[test]
fn the_average_share_of_marks_reduces_the_flight_by_up_to_a_third() {
    let rounds = |counts: &[u32]| remains(1.0, 0.1, counts);
    // alpha begins at 1: 1 - 1/3 of 96. The first round trip decides that marks count.
    assert_eq!(rounds(&[10, 10]), Some(64.0));
    assert_eq!(rounds(&[0, 0]), None);
    // 15/16, then (15 * 15/16 + 1)/16 = 0.941; 96 (1 - 0.941/3) = 65.9
    assert_eq!(rounds(&[0, 10]), Some(65.0));
}

#[test]
fn marks_count_on_short_paths_only() {
    assert_eq!(remains(0.005, 0.005, &[10, 10]), Some(64.0));
    assert_eq!(remains(0.005, 0.006, &[10, 10]), None);
}

#[test]
fn without_exact_feedback_marks_do_not_count() {
    let mut flow = Flow::new(ECN);
    flow.controller.on_feedback(Echo::Latched);
    flow.go_to(Mode::Cruise);
    (0..1000).for_each(|_| next(&mut flow, true));
    assert!(flow.model().bounds.inflight_short.is_infinite());
}

#[test]
fn two_round_trips_with_half_of_the_segments_marked_end_the_start() {
    // 49, 50 or 51 of each 100: at half of them the second whole round trip ends it
    for (count, ends) in [(49, false), (50, true)] {
        let mut flow = marked(ECN);
        for n in 0..320 {
            flow.model().pipe.now = false;
            next(&mut flow, n % 100 < count);
            if flow.model().pipe.full {
                break;
            }
        }
        let model = flow.model();
        assert_eq!(model.bounds.inflight_long.is_finite(), ends, "{count}");
    }
}

#[test]
fn a_probe_stops_at_marks_on_more_than_half_of_a_sample() {
    for (every, mode) in [(1, Mode::Down), (3, Mode::Up)] {
        let mut flow = marked(ECN);
        flow.go_to(Mode::Up);
        (0..150).for_each(|n| {
            if flow.model().mode == Mode::Up {
                next(&mut flow, n % every == 0);
            }
        });
        assert_eq!(flow.model().mode, mode, "{every}");
        assert_eq!(flow.model().bounds.inflight_long.is_finite(), mode == Mode::Down);
    }
}

#[test]
fn marks_outside_a_probe_reduce_the_flight_but_not_the_bandwidth() {
    let mut flow = marked(ECN);
    flow.go_to(Mode::Cruise);
    let cwnd = flow.window.cwnd;
    (0..200).for_each(|_| {
        flow.model().cycle_at_s = f64::INFINITY; // no probe is due
        flow.model().rounds_since_probe = 0.0;
        flow.model().marks.as_mut().expect("a variant with marks").reduces = true;
        next(&mut flow, true);
    });
    let bounds = flow.model().bounds;
    assert!(bounds.inflight_short < 0.75 * cwnd && bounds.bw_short.is_infinite());
}

#[test]
fn a_probe_begins_once_marks_cease_without_losses() {
    for (is_lost, mode) in [(false, Mode::Refill), (true, Mode::Cruise)] {
        let mut flow = marked(ECN);
        flow.go_to(Mode::Cruise);
        flow.model().cycle_at_s = f64::INFINITY;
        flow.model().rounds_since_probe = 0.0;
        flow.controller.on_congestion(
            &Congestion { cause: Cause::Mark, ..loss(100) },
            &PATH,
            &mut flow.window,
        );
        next(&mut flow, true);
        if is_lost {
            flow.lose(100.0, 0.0);
        }
        assert_eq!(flow.model().mode, Mode::Cruise); // the transport still reduces its window
        flow.controller.on_recovered(flow.now_s(), &PATH, &mut flow.window);
        flow.model().rounds_since_probe = 0.0;
        next(&mut flow, false);
        assert_eq!(flow.model().mode, mode, "{is_lost}");
    }
}

#[test]
fn a_probe_after_marks_grows_by_half_of_the_bound_at_first() {
    assert_eq!([4.0, 100.0, 128.0, 129.0].map(count_doublings), [1, 5, 6, 6]);
    assert_eq!((count_doublings(1.0), count_doublings(f64::INFINITY)), (0, 30));
}

/// Counts the marks of samples, and averages shares, from the list of all segments.
#[test]
fn marks_equal_those_counted_from_a_list_of_all_segments() {
    let mut chance = Stream::new(7, "marks", 0);
    for share in 0..200 {
        let mut marks = Marks::new(1.0);
        marks.granted = true;
        let (mut all, mut ends, mut sent, mut alpha) = (Vec::new(), vec![0], 0, 1.0);
        for _ in 0..300 {
            let newly = 1 + usize::from(chance.chance(0.5));
            let is_marked: Vec<bool> = (0..newly).map(|_| chance.chance(f64::from(share) / 200.0)).collect();
            let count = is_marked.iter().filter(|&&mark| mark).count() as f64;
            all.extend(is_marked);
            // a segment is sent after an ACK, and sampled some ACKs later
            sent = (ends.len() - 1).min(sent + usize::from(chance.chance(0.8)) * 2);
            let prior = ends[sent];
            ends.push(all.len());
            let rate = Rate {
                newly: newly as f64,
                delivered: all.len() as f64,
                prior: prior as f64,
                per_s: 1.0,
                ..Rate::default()
            };
            let ack = Ack { rate, marked: count, ..Ack::default() };
            marks.take(&ack, true, 0.1);
            alpha += (count / newly as f64 - alpha) / 16.0;
            let since = all[prior..].iter().filter(|&&mark| mark).count();
            assert_eq!(marks.are_too_many(&rate), since > 0 && since > (all.len() - prior) / 2);
            let flight = (96.0 * (1.0 - alpha / 3.0f64)).floor();
            assert_eq!(marks.reduce(96.0), (count > 0.0).then_some(flight));
            marks.begin_round();
        }
    }
}
