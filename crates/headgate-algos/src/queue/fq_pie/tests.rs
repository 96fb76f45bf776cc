use super::*;
use crate::trial::queue::{arrival_of, chance, params};
use headgate_model::ecn::Ecn;

fn queue(changes: &[(&str, f64)]) -> FqPie {
    FqPie::new(Params::from_values(&params(Params::TABLE, changes)), 1e6)
}

fn port(now_s: f64) -> Backlog {
    Backlog { now_s, ..Backlog::default() }
}

/// Lets packets of 1500 B of a flow arrive. Returns the verdicts.
fn put(queue: &mut FqPie, flow: u64, packets: u32, ecn: Ecn, since_s: f64) -> Vec<Verdict> {
    let mut chance = Stream::new(1, "queue", 0);
    let mut one = |id| {
        let verdict = queue.admit(&arrival_of(flow, ecn), &port(since_s), &mut chance);
        if verdict != Verdict::Drop {
            let id = 100 * flow as u32 + id;
            let packet = QueuedPacket { id, size_bytes: 1500, flow, data: true, ecn, since_s };
            queue.enqueue(packet, &port(since_s), &mut Vec::new());
        }
        verdict
    };
    (0..packets).map(&mut one).collect()
}

fn send(queue: &mut FqPie, now_s: f64) -> Option<u32> {
    queue.dequeue(&port(now_s), &mut Vec::new(), &mut chance()).map(|(id, _)| id)
}

fn law(queue: &mut FqPie, flow: u64) -> &mut Law {
    let at = queue.round_robin.hash_flow(flow);
    &mut queue.flows[at].law
}

#[test]
fn flows_take_turns() {
    let mut queue = queue(&[("quantum_bytes", 1500.0)]);
    (1..4).for_each(|flow| drop(put(&mut queue, flow, 2, Ecn::NotEct, 0.0)));
    let sent: Vec<_> = std::iter::from_fn(|| send(&mut queue, 0.001)).collect();
    assert_eq!(sent, [100, 200, 300, 101, 201, 301]);
    assert_eq!((queue.packets, queue.round_robin.count_active()), (0, 0));
}

#[test]
fn a_trace_by_hand() {
    let mut queue = queue(&[]);
    put(&mut queue, 1, 5, Ecn::NotEct, 0.0);
    send(&mut queue, 0.03); // 30 ms, and three are left
    queue.on_tick(&port(0.5));
    let first = (0.125 * 0.015 + 1.25 * 0.03) / 2048.0;
    assert!((law(&mut queue, 1).probability - first).abs() < 1e-15);
    queue.on_tick(&port(0.515));
    let second = first + 0.125 * 0.015 / 128.0;
    assert!((law(&mut queue, 1).probability - second).abs() < 1e-15);
    assert_eq!(queue.next, 530_000_000_000);
    // above 250 ms: 0.125 * 0.285 + 1.25 * 0.27 = 0.373 over 128, and 0.02
    send(&mut queue, 0.3);
    queue.on_tick(&port(0.53));
    let third = second + (0.125 * 0.285 + 1.25 * 0.27) / 128.0 + 0.02;
    assert!((law(&mut queue, 1).probability - third).abs() < 1e-15);
}

#[test]
fn the_burst_allowance_ends_after_150_ms_of_departures() {
    let mut queue = queue(&[]);
    put(&mut queue, 1, 9, Ecn::NotEct, 0.0);
    // the first departure only starts the clock
    for (now_s, left_s) in [(0.1, 0.15), (0.2, 0.05), (0.26, 0.0)] {
        send(&mut queue, now_s);
        assert!((law(&mut queue, 1).burst_s - left_s).abs() < 1e-12);
    }
}

#[test]
fn arrivals_are_protected_dropped_or_marked() {
    let verdicts = |changes: &[(&str, f64)], ecn, p, sum, packets| {
        let mut queue = queue(changes);
        put(&mut queue, 1, packets, Ecn::NotEct, 0.0);
        let law = law(&mut queue, 1);
        (law.probability, law.sum, law.wait_s, law.burst_s) = (p, sum, 0.02, 0.0);
        put(&mut queue, 1, 1, ecn, 0.1)[0]
    };
    let certain = 8.5;
    assert_eq!(verdicts(&[], Ecn::Ect0, 0.05, certain, 4), Verdict::Drop); // ECN is off
    assert_eq!(verdicts(&[("ecn", 1.0)], Ecn::Ect0, 0.05, certain, 4), Verdict::Mark);
    assert_eq!(verdicts(&[("ecn", 1.0)], Ecn::NotEct, 0.05, certain, 4), Verdict::Drop);
    assert_eq!(verdicts(&[("ecn", 1.0)], Ecn::Ect0, 0.11, certain, 4), Verdict::Drop); // above 10 %
    assert_eq!(verdicts(&[], Ecn::NotEct, 0.05, certain, 2), Verdict::Keep); // 3000 B are less than two frames
    assert_eq!(verdicts(&[], Ecn::NotEct, 0.05, 0.5, 4), Verdict::Keep); // the sum stays below 0.85
    assert_eq!(verdicts(&[("limit_packets", 4.0)], Ecn::Ect0, 0.0, 0.0, 4), Verdict::Drop);
}

#[test]
fn each_flow_has_its_own_probability() {
    let mut queue = queue(&[]);
    put(&mut queue, 1, 5, Ecn::NotEct, 0.0);
    put(&mut queue, 2, 1, Ecn::NotEct, 0.0);
    (0..3).for_each(|_| assert!(send(&mut queue, 0.03).is_some()));
    queue.on_tick(&port(0.5));
    assert!(law(&mut queue, 1).probability > 0.0 && law(&mut queue, 2).probability == 0.0);
}

#[test]
fn queues_at_rest_are_not_updated() {
    let mut queue = queue(&[]);
    put(&mut queue, 1, 5, Ecn::NotEct, 0.0);
    (0..5).for_each(|_| assert!(send(&mut queue, 0.03).is_some()));
    law(&mut queue, 1).probability = 0.3;
    let mut ticks = 0;
    while !queue.awake.is_empty() && ticks < 1000 {
        queue.on_tick(&port(0.5));
        ticks += 1;
    }
    assert!((10..500).contains(&ticks) && law(&mut queue, 1).is_at_rest(), "{ticks}");
    let (before, until) = (queue.next, queue.next + 1_000_000_000_000);
    queue.pass_idle_ticks(until, &port(0.0));
    assert_eq!(queue.next, before + 990_000_000_000); // 66 updates of 15 ms
    law(&mut queue, 1).update(&Params::default(), 0.0);
    assert!(law(&mut queue, 1).is_at_rest());
}
