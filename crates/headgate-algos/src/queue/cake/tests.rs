use super::*;
use crate::trial::queue::{chance, params};
use headgate_model::ecn::Ecn;
use headgate_model::units::seconds;

fn cake(changes: &[(&str, f64)]) -> Cake {
    Cake::new(Params::from_values(&params(Params::TABLE, changes)), 1e9)
}

fn port(now_s: f64) -> Backlog {
    Backlog { now_s, ..Backlog::default() }
}

/// Lets a packet of 1500 B arrive. The hosts of a flow are its number over 100.
fn put(queue: &mut Cake, id: u32, flow: u64, now_s: f64) -> Vec<u32> {
    let hosts = HostPair { source: flow / 100, destination: flow / 100 };
    let arrival = Arrival { size_bytes: 1500, flow, ecn: Ecn::NotEct, hosts, ack: None };
    assert_eq!(queue.admit(&arrival, &port(now_s), &mut chance()), Verdict::Keep);
    let mut drops = Vec::new();
    let packet = QueuedPacket { id, size_bytes: 1500, flow, data: true, ecn: Ecn::NotEct, since_s: now_s };
    queue.enqueue(packet, &port(now_s), &mut drops);
    drops
}

/// Sends packets at once, and returns how many each of the flows sent.
fn shares(queue: &mut Cake, flows: &[u64], packets: u32) -> Vec<u32> {
    let mut sent = vec![0; flows.len()];
    for (id, &flow) in (0..).zip(flows) {
        (0..5).for_each(|_| drop(put(queue, id, flow, 0.0)));
    }
    for _ in 0..packets {
        let (id, _) = queue.dequeue(&port(0.0), &mut Vec::new(), &mut chance()).expect("packets wait");
        sent[id as usize] += 1;
        put(queue, id, flows[id as usize], 0.0);
    }
    sent
}

#[test]
fn hosts_share_equally_whatever_the_number_of_their_flows() {
    // a host with one flow, and another with eight: 1/2 and 8 x 1/16, or 9 x 1/9
    let flows: Vec<u64> = [100].into_iter().chain(200..208).collect();
    for (isolation, alone) in [(0.0, 0.5), (1.0, 0.5), (2.0, 0.5), (3.0, 1.0 / 9.0)] {
        let sent = shares(&mut cake(&[("isolation", isolation)]), &flows, 9000);
        // 14 rounds with the first quanta, when all queues are still new, and one packet of rounding
        assert!((f64::from(sent[0]) / 9000.0 - alone).abs() < 0.002, "{isolation}: {sent:?}");
        let rest = (9000.0 - f64::from(sent[0])) / 8.0;
        assert!(sent[1..].iter().all(|&sent| (f64::from(sent) - rest).abs() <= 2.0), "{sent:?}");
    }
}

#[test]
fn queues_of_hosts_ignore_flows() {
    // sources and destinations are the same here: two queues
    for isolation in [4.0, 5.0, 6.0] {
        let sent = shares(&mut cake(&[("isolation", isolation)]), &[100, 200, 201, 202], 3000);
        assert!((1499..=1501).contains(&sent[0]), "{isolation}: {sent:?}");
    }
    let mut queue = cake(&[("isolation", 7.0)]);
    (0..10).for_each(|id| drop(put(&mut queue, id, u64::from(id), 0.0)));
    let order: Vec<_> = (0..10)
        .map(|_| queue.dequeue(&port(0.0), &mut Vec::new(), &mut chance()).map(|sent| sent.0))
        .collect();
    assert_eq!(order, (0..10).map(Some).collect::<Vec<_>>());
}

#[test]
fn the_shaper_follows_the_bandwidth_without_a_burst() {
    // 1500 B + 18 B at 1,518,000 B/s: 1 ms each
    let mut queue = cake(&[("bandwidth_bytes_s", 1_518_000.0), ("overhead_bytes", 18.0)]);
    for id in 0..4 {
        put(&mut queue, id, 1, 0.5);
    }
    for at in 0..4 {
        assert!((seconds(queue.not_before()) - 0.5 - f64::from(at) / 1000.0).abs() < 1e-12);
        assert!(queue.dequeue(&port(0.5), &mut Vec::new(), &mut chance()).is_some());
    }
    // an arrival within the last millisecond waits for its end; a late one does not profit from the silence
    put(&mut queue, 9, 1, 0.5035);
    assert!((seconds(queue.not_before()) - 0.504).abs() < 1e-12);
    queue.dequeue(&port(0.504), &mut Vec::new(), &mut chance());
    put(&mut queue, 9, 1, 0.7);
    assert!((seconds(queue.not_before()) - 0.7).abs() < 1e-12);
}

#[test]
fn sizes_on_the_line_by_hand() {
    // ATM: 1540 B are 33 cells of 53 B, 40 B are one; PTM: one more for each 64 B begun
    let size = |changes: &[(&str, f64)], bytes| cake(changes).shaper.size(bytes);
    let overhead = ("overhead_bytes", 40.0);
    assert_eq!(size(&[overhead], 1500), 1540.0);
    assert_eq!(size(&[overhead, ("framing", 1.0)], 1500), 33.0 * 53.0);
    assert_eq!(size(&[("framing", 1.0)], 40), 53.0);
    assert_eq!(size(&[("framing", 2.0)], 1500), 1524.0);
    assert_eq!(size(&[("mpu_bytes", 84.0)], 40), 84.0);
    assert_eq!(size(&[("overhead_bytes", -64.0)], 40), 1.0);
}

#[test]
fn times_and_sizes_follow_the_bandwidth() {
    let at = |mbps: f64| {
        let params = Params { bandwidth_bytes_s: mbps * 125_000.0, ..Params::default() };
        (
            compute_limits(&params, &Shaper::new(&params)),
            compute_quantum_bytes(params.bandwidth_bytes_s),
            compute_memory_bytes(&params),
        )
    };
    // 1 Mbit/s: a frame takes 12.112 ms, the target 18.168 ms; 125,000/4096 = 30 B are below 300 B
    let (limits, quantum, memory) = at(1.0);
    assert!((limits.target_s - 0.018_168).abs() < 1e-12 && (limits.interval_s - 0.113_168).abs() < 1e-12);
    assert!((limits.least_s - 0.048_448).abs() < 1e-12);
    assert_eq!((quantum, memory), (300.0, 4_194_304.0));
    // 20 Mbit/s: 2,500,000/4096 = 610 B, as tc shows; 100 Mbit/s: 4 x 1.25 MB, 3051 B are above a frame
    assert_eq!((at(20.0).0.target_s, at(20.0).1), (0.005, 610.0));
    assert_eq!((at(100.0).1, at(100.0).2), (1514.0, 5e6));
    // without a shaper 10,240 frames, as tc shows: 15140 KiB
    assert_eq!((at(0.0).0.least_s, at(0.0).1, at(0.0).2), (0.0, 1514.0, 15140.0 * 1024.0));
}

#[test]
fn above_the_memory_the_longest_queue_drops_at_its_head() {
    let mut queue = cake(&[("memory_bytes", 6000.0)]);
    for (id, flow) in [(0, 1), (1, 2), (2, 2), (3, 1)] {
        assert!(put(&mut queue, id, flow, f64::from(id)).is_empty());
    }
    // both hold 3000 B: the older packet; then 2 holds more
    assert_eq!(put(&mut queue, 4, 3, 4.0), [0]);
    assert_eq!(put(&mut queue, 5, 3, 5.0), [1]);
    let mut drops = Vec::new();
    while queue.make_room(&port(6.0), &mut drops) {}
    assert_eq!(drops.len(), 4);
    assert!(queue.dequeue(&port(6.0), &mut Vec::new(), &mut chance()).is_none());
}

mod control {
    use super::super::cobalt::{Cobalt, Limits, Signal};
    use super::*;

    const LIMITS: Limits = Limits { target_s: 0.005, interval_s: 0.1, least_s: 0.0 };

    /// Times of the signals of packets that waited 10 ms, one each millisecond.
    fn signals(cobalt: &mut Cobalt, from_ms: u32, to_ms: u32) -> Vec<u32> {
        let mut chance = chance();
        let at = |ms: &u32| {
            let now_s = f64::from(*ms) / 1000.0;
            cobalt.decide(&LIMITS, (now_s - 0.01, now_s), true, &mut chance).marks
        };
        (from_ms..to_ms).filter(at).collect()
    }

    fn pass(cobalt: &mut Cobalt, now_s: f64) -> Signal {
        cobalt.decide(&LIMITS, (now_s, now_s), true, &mut chance())
    }

    #[test]
    fn signals_come_at_the_intervals_over_the_roots() {
        let mut cobalt = Cobalt::default();
        pass(&mut cobalt, 1.0); // rests until 1.1 s
        // as in the kernel, the first signal is at the second packet; then 100 ms / sqrt(2), / sqrt(3) ... after the
        // first packet
        let seen = signals(&mut cobalt, 1001, 1300);
        let due = [1001.5, 1071.711, 1129.446, 1179.446, 1224.167, 1264.992];
        assert_eq!(seen.len(), due.len(), "{seen:?}");
        // each is at the first packet from its time on
        assert!(
            seen.iter().zip(due).all(|(&seen, due)| (0.0..1.0).contains(&(f64::from(seen) - due))),
            "{seen:?}"
        );
    }

    #[test]
    fn the_count_falls_by_the_signals_that_were_not_due() {
        let mut cobalt = Cobalt::default();
        pass(&mut cobalt, 1.0);
        signals(&mut cobalt, 1001, 1300); // a count of 7
        // silence until 3 s lowers it to 0, whose gap is an interval
        pass(&mut cobalt, 3.0);
        let seen = signals(&mut cobalt, 3001, 3200);
        assert_eq!(seen, [3101, 3172], "{cobalt:?}");
    }

    #[test]
    fn blue_rises_at_overflows_and_falls_when_it_is_empty() {
        let mut cobalt = Cobalt::default();
        let share = |cobalt: &Cobalt| {
            let (mut chance, mut copy) = (chance(), cobalt.clone());
            let drops = (0..40_000).filter(|_| copy.decide(&LIMITS, (1.0, 1.0), true, &mut chance).drops);
            drops.count() as f64 / 40_000.0
        };
        // 64 overflows, of which every second is too early: 32/256
        (0..64).for_each(|at| cobalt.overflow(&LIMITS, 1.0 + f64::from(at) * 0.003));
        assert!((share(&cobalt) - 0.125).abs() < 4.0 * 0.00165, "{}", share(&cobalt));
        // 256 turns without a packet, again every second: 128/4096 less
        let rests = (0..256).filter(|&at| cobalt.idle(&LIMITS, 2.0 + f64::from(at) * 0.003)).count();
        assert_eq!(rests, 0);
        assert!((share(&cobalt) - 0.09375).abs() < 4.0 * 0.00146, "{}", share(&cobalt));
        assert!((0..4000).any(|at| cobalt.idle(&LIMITS, 3.0 + f64::from(at) * 0.006)));
        assert_eq!(share(&cobalt), 0.0);
    }
}

mod acks {
    use super::super::ack_filter::find;
    use super::*;

    fn ack(number: u32, sacks: &[(u32, u32)], echo: bool) -> AckFields {
        let mut all = [(0, 0); 3];
        all[..sacks.len()].copy_from_slice(sacks);
        AckFields { number, sacks: all, echo }
    }

    fn found(waiting: &[AckFields], last: AckFields) -> [Option<usize>; 2] {
        [AckFilter::On, AckFilter::Aggressive]
            .map(|filter| find(filter, waiting.iter().copied().map(Some), &last))
    }

    #[test]
    fn a_later_ack_replaces_earlier_ones() {
        let plain = |number| ack(number, &[], false);
        assert_eq!(found(&[plain(10)], plain(12)), [None, Some(0)]);
        assert_eq!(found(&[plain(10), plain(12)], plain(14)), [Some(0), Some(0)]);
        // duplicates count losses, and later numbers are not replaced
        assert_eq!(found(&[plain(12), plain(12)], plain(12)), [None, None]);
        assert_eq!(found(&[plain(15), plain(10)], plain(12)), [None, Some(1)]);
    }

    #[test]
    fn blocks_and_echoes_are_kept() {
        let plain = |number| ack(number, &[], false);
        // more blocks replace fewer ones at the same number, and not the other way
        let few = ack(10, &[(12, 13)], false);
        let more = ack(10, &[(12, 15)], false);
        assert_eq!(found(&[plain(10), few], more), [Some(0), Some(0)]);
        assert_eq!(found(&[more, more], few), [None, None]);
        assert_eq!(found(&[few, few], plain(11)), [None, None]);
        // a block below the number reports a duplicate
        let duplicate = ack(10, &[(5, 6)], false);
        assert_eq!(found(&[duplicate, duplicate], ack(12, &[(5, 6)], false)), [None, None]);
        // the last ACK without an echo is kept
        let echo = |number| ack(number, &[], true);
        assert_eq!(found(&[plain(10), echo(11)], echo(12)), [None, Some(1)]);
        assert_eq!(found(&[plain(10), echo(11), echo(12)], echo(13)), [Some(1), Some(1)]);
    }
}

mod tables {
    use super::super::ways::{Found, Hosts, PLACES, WAYS, find};
    use std::collections::BTreeMap;

    #[test]
    fn eight_flows_of_a_set_have_a_place_each() {
        let (mut tags, mut used) = (vec![0; PLACES], BTreeMap::new());
        // these hashes point to places 16, 16, 17, ... of the same set of 16 to 23
        for n in 0..WAYS as u32 {
            let hash = 1024 * (n + 1) + 16 + n / 2;
            let Found::Free(at) = find(&tags, hash, |at| !used.contains_key(&at)) else { panic!("{n}") };
            (tags[at], used) = (hash, used.into_iter().chain([(at, hash)]).collect());
        }
        assert_eq!(used.keys().copied().collect::<Vec<_>>(), (16..24).collect::<Vec<_>>());
        for (&at, &hash) in &used {
            assert_eq!(find(&tags, hash, |_| false), Found::Own(at));
        }
        assert_eq!(find(&tags, 99 * 1024 + 21, |at| !used.contains_key(&at)), Found::Shared(21));
    }

    #[test]
    fn a_host_keeps_its_place_while_it_has_flows() {
        let mut hosts = Hosts::new();
        let place = hosts.place(5);
        hosts.add(place);
        (1000..50_000).for_each(|other| assert_ne!(hosts.place(other), place));
        assert_eq!((hosts.place(5), hosts.flows(place)), (place, 1));
    }
}
