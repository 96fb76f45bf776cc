use super::*;
use crate::trial::queue::{arrival, params, waiting};

fn red(changes: &[(&str, f64)]) -> Red {
    let set = [("min_packets", 5.0), ("max_packets", 15.0), ("weight", 0.5)];
    Red::new(Params::from_values(&params(Params::TABLE, &[&set, changes].concat())), 1.25e6)
}

/// A queue with this mean.
fn at(mean: f64, changes: &[(&str, f64)]) -> Red {
    Red { mean, ..red(changes) }
}

#[test]
#[cfg_attr(miri, ignore = "a hundred thousand calls")]
fn a_gap_that_is_drawn_once_ends_when_the_count_reaches_it() {
    // in the middle: p_b = 0.05, so that gaps are uniform from 1 to 20
    let mut queue = at(10.0, &[("weight", 1e-12), ("wait", 2.0)]);
    let mut chance = Stream::new(1, "queue", 0);
    let (mut gap, mut gaps) = (0u32, Vec::new());
    while gaps.len() < 10_000 {
        gap += 1;
        if queue.admit(&arrival(false), &waiting(10.0), &mut chance) == Verdict::Drop {
            gaps.push(gap);
            gap = 0;
        }
    }
    assert!(gaps[1..].iter().all(|gap| (1..=20).contains(gap)));
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 10.5).abs() < 4.0 * 5.77 / 100.0, "{mean}");
    // at the upper threshold p_b is twice that: the sixth arrival suffices for 0.59
    (queue.mean, queue.count, queue.drawn) = (15.0 - 1e-9, 5.0, 0.59);
    assert_eq!(queue.admit(&arrival(false), &waiting(10.0), &mut chance), Verdict::Drop);
}

#[test]
fn as_linux_has_it_all_above_the_band_is_dropped_and_the_next_below_it_begins_a_gap() {
    let drawn = [("wait", 2.0), ("gentle", 1.0), ("weight", 1e-12)];
    let (mut queue, mut chance) = (at(15.1, &drawn), Stream::new(1, "queue", 0));
    let mut meets = |mean: f64, packets: f64| {
        queue.mean = mean;
        queue.drawn = 0.0; // the gap ends at the first arrival that may end it
        queue.admit(&arrival(false), &waiting(packets), &mut chance)
    };
    assert_eq!([(); 3].map(|()| meets(15.1, 10.0)), [Verdict::Drop; 3]);
    assert_eq!([(); 2].map(|()| meets(14.0, 10.0)), [Verdict::Keep, Verdict::Drop]);
    assert_eq!(meets(14.0, 0.0), Verdict::Drop); // even if few packets wait by now
}

#[test]
fn the_mean_moves_by_its_weight_and_decays_while_idle() {
    let mut queue = red(&[]);
    queue.average(&waiting(8.0));
    assert_eq!(queue.mean, 4.0);
    queue.average(&waiting(8.0));
    assert_eq!(queue.mean, 6.0);
    // 2500 packets of 500 B per second; 0.9 ms are two of them: 6 / 4, and half of that on arrival
    queue.average(&Backlog { idle_s: 0.0009, ..waiting(0.0) });
    assert_eq!(queue.mean, 0.75);
}

#[test]
fn the_probability_is_linear_between_the_thresholds_and_gentle_above() {
    let base = |mean, changes| at(mean, changes).base();
    assert!((base(10.0, &[]) - 0.05).abs() < 1e-15); // half of 0.1
    assert!((base(15.0, &[]) - 0.1).abs() < 1e-15);
    assert!((base(22.5, &[]) - 0.55).abs() < 1e-15); // midway from 0.1 to 1
    assert_eq!(base(31.0, &[]), 1.0);
    assert_eq!(base(15.0, &[("gentle", 1.0)]), 1.0);
}

#[test]
fn the_gap_is_uniform_from_one_to_two_over_p_or_up_to_one() {
    let spaced = |count, changes: &[_]| Red { count, ..at(10.0, changes) }.spaced(0.05, 1000);
    assert_eq!(spaced(19.0, &[]), 0.0); // 0.95
    assert!((spaced(20.0, &[]) - 0.05).abs() < 1e-12); // 0.05 / (2 - 1)
    assert!((spaced(39.0, &[]) - 1.0).abs() < 1e-12); // 0.05 / (2 - 1.95)
    assert_eq!(spaced(40.0, &[]), 1.0);
    assert!((spaced(10.0, &[("wait", 1.0)]) - 0.1).abs() < 1e-12); // 0.05 / (1 - 0.5)
    assert_eq!(spaced(20.0, &[("wait", 1.0)]), 1.0);
}

#[test]
fn in_byte_mode_a_packet_of_twice_the_mean_is_dropped_twice_as_often() {
    let mut queue = at(10.0, &[("mode", 1.0), ("wait", 1.0)]);
    queue.count_bytes = 5250.0; // ten and a half packets of 500 B
    assert!((queue.spaced(0.05, 1000) - 0.2).abs() < 1e-12); // 2 * 0.05 / (1 - 0.5)
    queue.average(&Backlog { bytes: 4000.0, ..waiting(2.0) });
    assert_eq!(queue.mean, 9.0); // (10 + 4000 / 500) / 2
}

#[test]
fn the_packet_in_service_counts_whole_where_that_is_asked_for() {
    let mut queue = red(&[("mode", 2.0)]);
    queue.average(&Backlog { bytes: 1501.0, ..waiting(1.0) });
    assert_eq!(queue.mean, 1.0); // half of two
    queue.average(&Backlog { present: 0.0, idle_s: 0.01, ..waiting(0.0) });
    assert_eq!(queue.mean, 0.5); // nothing decays except by the arrival itself
}

#[test]
fn what_is_capable_is_marked_up_to_a_probability_and_then_dropped() {
    let mut chance = Stream::new(1, "queue", 0);
    let mut verdict = |mean: f64, ecn, capable| {
        let mut queue = Red { count: 1e6, above: true, ..at(mean, &[("ecn", ecn)]) };
        let verdict = queue.admit(&arrival(capable), &waiting(mean), &mut chance);
        assert_eq!(queue.count, 0.0);
        verdict
    };
    assert_eq!(verdict(10.0, 1.0, true), Verdict::Mark);
    assert_eq!(verdict(10.0, 1.0, false), Verdict::Drop);
    assert_eq!(verdict(10.0, 0.0, true), Verdict::Drop);
    assert_eq!(verdict(16.0, 1.0, true), Verdict::Drop); // p_b = 0.1 + 0.9 / 15
}

#[test]
fn the_first_arrival_above_is_kept_and_so_is_one_that_finds_an_empty_queue() {
    let mut chance = Stream::new(1, "queue", 0);
    let mut queue = Red { count: 1e6, ..at(40.0, &[]) };
    assert_eq!(queue.admit(&arrival(false), &waiting(40.0), &mut chance), Verdict::Keep);
    assert_eq!(queue.count, 1.0);
    assert_eq!(queue.admit(&arrival(false), &waiting(40.0), &mut chance), Verdict::Drop);
    assert_eq!(queue.admit(&arrival(false), &waiting(1.0), &mut chance), Verdict::Keep);
}

#[test]
fn automatic_settings_are_those_of_ns2() {
    let values = params(Params::TABLE, &[]);
    let queue = Red::new(Params::from_values(&values), 1.25e7); // 100 Mbit/s: 25 000 packets/s
    assert_eq!(queue.band(), (62.5, 187.5)); // half of 5 ms at that rate
    assert!((queue.weight - (1.0 - libm::exp(-1.0 / 25_000.0))).abs() < 1e-15); // 10 * 0.1 s
    let slow = Red::new(Params::from_values(&values), 5000.0); // 10 packets/s: 3/10 s
    assert_eq!(slow.band(), (5.0, 15.0));
    assert!((slow.weight - (1.0 - libm::exp(-1.0 / 30.0))).abs() < 1e-15);
}

#[test]
fn packets_and_bytes_are_counted_since_the_last_drop() {
    let mut queue = Red { above: true, ..at(5.0, &[("mode", 1.0)]) }; // at the lower threshold: p_b = 0
    let mut chance = Stream::new(1, "queue", 0);
    for n in [1.0, 2.0, 3.0] {
        assert_eq!(queue.decide(&arrival(false), &waiting(5.0), &mut chance), Verdict::Keep);
        assert_eq!((queue.count, queue.count_bytes), (n, 1500.0 * n));
    }
}
