use super::*;
use crate::trial::queue::{arrival_of, chance, params};

fn queue(changes: &[(&str, f64)]) -> DualPi2 {
    DualPi2::new(Params::from_values(&params(Params::TABLE, changes)), 5e6)
}

/// The same of both variants, whose base probability has this value.
fn at(p: f64, changes: &[(&str, f64)]) -> [DualPi2; 2] {
    [0.0, 1.0].map(|variant| {
        let mut queue = queue(&[&[("variant", variant)], changes].concat());
        queue.law.probability = p;
        queue
    })
}

fn port(now_s: f64) -> Backlog {
    Backlog { now_s, ..Backlog::default() }
}

/// Lets packets of 1500 B arrive at a time, with numbers from 0 on. Returns the verdicts.
fn put(queue: &mut DualPi2, packets: u32, ecn: Ecn, since_s: f64) -> Vec<Verdict> {
    let chance = &mut chance();
    let mut one = |id| {
        let verdict = queue.admit(&arrival_of(1, ecn), &port(since_s), chance);
        if verdict != Verdict::Drop {
            let packet = QueuedPacket { id, size_bytes: 1500, flow: 1, data: true, ecn, since_s };
            queue.enqueue(packet, &port(since_s), &mut Vec::new());
        }
        verdict
    };
    (0..packets).map(&mut one).collect()
}

/// Lets packets of this kind pass, each before eleven others or more, and returns the shares of marks and drops.
fn shares(queue: &mut DualPi2, packets: u32, ecn: Ecn) -> (f64, f64) {
    let (mut marks, mut drops, chance) = (0.0, Vec::new(), &mut chance());
    put(queue, 12, ecn, 0.0);
    for _ in 0..packets {
        let left = queue.dequeue(&port(0.0), &mut drops, chance);
        marks += f64::from(u8::from(left.is_some_and(|(_, marked)| marked)));
        while queue.pair.packets() < 12 {
            put(queue, 1, ecn, 0.0);
        }
    }
    let all = f64::from(packets) + drops.len() as f64;
    (marks / all, drops.len() as f64 / all)
}

#[test]
fn a_trace_of_the_control_by_hand() {
    // a packet of C arrives at 24 ms and stays: the waits at ticks are 0, 8, 24 and 40 ms
    // 0.16 (8 - 15 ms) + 3.2 (8 - 0 ms) = 0.02448; + 0.16 * 9 ms + 3.2 * 16 ms; + 0.16 * 25 ms + 3.2 * 16 ms
    let mut queue = queue(&[]);
    queue.on_tick(&port(0.016));
    assert_eq!(queue.law.probability, 0.0); // -0.0024 is clamped
    put(&mut queue, 1, Ecn::NotEct, 0.024);
    for (now_s, due) in [(0.032, 0.02448), (0.048, 0.07712), (0.064, 0.13232)] {
        queue.on_tick(&port(now_s));
        assert!((queue.law.probability - due).abs() < 1e-12, "{} {due}", queue.law.probability);
    }
    assert!((queue.law.coupled() - 2.0 * 0.13232).abs() < 1e-12);
    assert_eq!(queue.next, 5 * 16_000_000_000);
}

#[test]
fn a_trace_of_linux_by_hand() {
    // a packet of L waits too: 41/256 (8 - 15 ms) + 819/256 * 8 ms
    let mut queue = queue(&[("variant", 1.0)]);
    put(&mut queue, 1, Ecn::Ect1, 0.024);
    queue.on_tick(&port(0.032));
    let due = -0.007 * 41.0 / 256.0 + 0.008 * 819.0 / 256.0;
    assert!((queue.law.probability - due).abs() < 1e-12);
    let mut classic = super::tests::queue(&[("variant", 1.0), ("pi_wait", 1.0)]);
    put(&mut classic, 1, Ecn::Ect1, 0.024);
    classic.on_tick(&port(0.032));
    assert_eq!(classic.law.probability, 0.0);
}

#[test]
#[cfg_attr(miri, ignore = "many calls")]
fn probabilities_are_coupled_and_squared() {
    // p' = 0.2: C 0.04, L 0.4. The sum of the RFC is exact but for one packet; Linux's draws are binomial.
    for (mut queue, slack) in at(0.2, &[]).into_iter().zip([1e-4, 4.0 * 0.0025]) {
        let marked = shares(&mut queue, 40_000, Ecn::Ect1);
        assert!((marked.0 - 0.4).abs() <= slack && marked.1 == 0.0, "{marked:?}");
    }
    for (mut queue, slack) in at(0.2, &[]).into_iter().zip([1e-4, 4.0 * 0.001]) {
        let marked = shares(&mut queue, 40_000, Ecn::Ect0);
        assert!((marked.0 - 0.04).abs() <= slack && marked.1 == 0.0, "{marked:?}");
    }
    for (mut queue, slack) in at(0.2, &[("coupling", 4.0)]).into_iter().zip([1e-4, 4.0 * 0.001]) {
        let dropped = shares(&mut queue, 40_000, Ecn::NotEct);
        assert!((dropped.1 - 0.04).abs() <= slack && dropped.0 == 0.0, "{dropped:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "many calls")]
fn overload_drops_in_both_queues_unless_it_is_off() {
    // p' = 0.6: p_CL > 1; 0.36 of all are dropped, and of L the rest is marked
    for ecn in [Ecn::Ect0, Ecn::Ect1] {
        for mut queue in at(0.6, &[]) {
            let (marked, dropped) = shares(&mut queue, 20_000, ecn);
            assert!((dropped - 0.36).abs() < 4.0 * 0.0034, "{dropped}");
            let due = if ecn == Ecn::Ect1 { 1.0 - dropped } else { 0.0 };
            assert!((marked - due).abs() < 1e-3, "{marked} {due}");
        }
        // without, p' ends at 1/2, and C marks a quarter
        for mut queue in at(0.6, &[("drop_on_overload", 1.0)]) {
            queue.law.update(10.0);
            assert_eq!(queue.law.probability, 0.5);
            let (marked, dropped) = shares(&mut queue, 20_000, ecn);
            let due = if ecn == Ecn::Ect1 { 1.0 } else { 0.25 };
            assert!(dropped == 0.0 && (marked - due).abs() < 4.0 * 0.0031, "{marked} {dropped}");
        }
    }
}

#[test]
fn the_low_queue_has_a_step_or_a_ramp() {
    let share = |variant, wait_s| {
        let mut queue = queue(&[("variant", variant), ("ramp_s", 0.0004)]);
        put(&mut queue, 101, Ecn::Ect1, 0.0);
        let marks = (0..100).filter(|_| {
            queue.dequeue(&port(wait_s), &mut Vec::new(), &mut chance()).is_some_and(|one| one.1)
        });
        marks.count()
    };
    assert_eq!([0.0008, 0.00101, 0.02].map(|wait_s| share(1.0, wait_s)), [0, 100, 100]);
    // a half on the ramp; the sum must exceed 1, so that one packet less is marked
    assert_eq!(share(0.0, 0.0008), 0);
    assert!((49..=50).contains(&share(0.0, 0.001)), "{}", share(0.0, 0.001));
    assert_eq!(share(0.0, 0.0012001), 99);
}

#[test]
fn the_last_packet_of_the_low_queue_is_not_marked_by_its_ramp() {
    let mut queue = queue(&[]);
    put(&mut queue, 5, Ecn::Ect1, 0.0);
    let marked: Vec<_> = std::iter::from_fn(|| queue.dequeue(&port(0.1), &mut Vec::new(), &mut chance()))
        .map(|(_, marked)| marked)
        .collect();
    assert_eq!(marked, [false, true, true, true, false]);
}

#[test]
fn linux_spares_packets_before_less_than_two_others() {
    let [_, mut queue] = at(1.0, &[]);
    put(&mut queue, 3, Ecn::NotEct, 0.0);
    let mut drops = Vec::new();
    // 3000 B behind the first one are less than two frames
    assert_eq!(queue.dequeue(&port(0.0), &mut drops, &mut chance()), Some((0, false)));
    put(&mut queue, 2, Ecn::NotEct, 0.0);
    assert_eq!(queue.dequeue(&port(0.0), &mut drops, &mut chance()), Some((2, false)));
    assert_eq!(drops, [1]);
}

#[test]
fn packets_join_a_queue_by_their_ecn_field() {
    let low =
        |classifier| Ecn::ALL.map(|ecn| queue(&[("classifier", classifier)]).classify(ecn) == QueueKind::Low);
    assert_eq!(low(0.0), [false, true, false, true]);
    assert_eq!(low(1.0), [false, true, true, true]);
}

#[test]
fn a_packet_marked_on_arrival_stays_in_its_queue() {
    let [mut queue, _] = at(1.0, &[("drop_at", 1.0), ("drop_on_overload", 1.0)]);
    assert_eq!(put(&mut queue, 3, Ecn::Ect0, 0.0), [Verdict::Keep, Verdict::Mark, Verdict::Mark]);
    assert_eq!((queue.pair.waiting(QueueKind::Low), queue.pair.waiting(QueueKind::Classic)), (0, 3));
}

#[test]
fn the_limit_is_of_time_or_of_packets() {
    let kept = |changes: &[(&str, f64)]| {
        let verdicts = put(&mut queue(changes), 12_000, Ecn::Ect0, 0.0);
        verdicts.iter().filter(|verdict| **verdict == Verdict::Keep).count()
    };
    // 250 ms at 5 MB/s are 1,250,000 B; one frame must fit: 832 packets of 1500 B before the last one
    assert_eq!(kept(&[]), 833);
    assert_eq!(kept(&[("variant", 1.0)]), 10_000);
    assert_eq!(kept(&[("limit_packets", 7.0)]), 7);
}

#[test]
fn a_time_shifted_fifo_serves_the_older_packet() {
    let mut queue = queue(&[("scheduler", 1.0)]); // by 30 ms
    put(&mut queue, 1, Ecn::Ect0, 0.0);
    put(&mut queue, 2, Ecn::Ect1, 0.02);
    assert_eq!(queue.pair.choose(0.1, Some(0.03)), Some(QueueKind::Low));
    assert_eq!(queue.pair.choose(0.1, Some(0.019)), Some(QueueKind::Classic));
}

#[test]
#[cfg_attr(miri, ignore = "a hundred thousand calls")]
fn only_ticks_that_change_nothing_are_passed_over() {
    let until = 3_600_000_000_000_000;
    for mut queue in at(0.5, &[]) {
        let mut slow = queue.clone();
        while slow.next <= until {
            slow.on_tick(&port(0.0));
        }
        let mut ticks = 0;
        while queue.next <= until {
            queue.pass_idle_ticks(until, &port(0.0));
            queue.on_tick(&port(0.0));
            ticks += 1;
        }
        assert!(ticks < 1000, "{ticks}"); // of 225,000
        assert_eq!((queue.next, queue.law), (slow.next, slow.law));
    }
}

/// The expectations of picoquic's `dualq_overload_test` and `dualq_pi2_clamp_test` (MIT).
#[test]
fn the_expectations_of_picoquic_hold() {
    let next = |queue: &mut DualPi2, ecn| {
        put(queue, 1, ecn, 0.0);
        let mut drops = Vec::new();
        let sent = queue.dequeue(&port(0.0), &mut drops, &mut chance());
        (sent.map(|(_, marked)| marked), drops.len())
    };
    let (dropped, marked) = ((None, 1), (Some(true), 0));
    // saturated: the sum of L's probabilities goes from 0.85 to 1.05, and then from 0.05 by 0.2 and 1 to 1.25
    let [mut queue, _] = at(0.2_f64.sqrt(), &[("coupling", 2.5)]);
    queue.sums[QueueKind::Low as usize] = 0.85;
    assert_eq!(next(&mut queue, Ecn::Ect1), dropped);
    assert_eq!(next(&mut queue, Ecn::Ect1), marked);
    // not saturated: 0.9 and 0.2 choose a packet of C, which is dropped or marked
    let [mut queue, _] = at(0.2_f64.sqrt(), &[]);
    for (ecn, due) in [(Ecn::NotEct, dropped), (Ecn::Ect0, marked)] {
        queue.sums[QueueKind::Classic as usize] = 0.9;
        assert_eq!(next(&mut queue, ecn), due);
    }
    queue.law.probability = 1.5;
    queue.law.update(0.015);
    queue.law.update(0.015);
    assert_eq!(queue.law.probability, 1.0);
}
