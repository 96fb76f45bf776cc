//! Foreign packets: a packet that enters at a live host leaves at another or is lost, and the caller learns
//! which.

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_model::control::ControllerRegistry;
use headgate_model::ecn::Ecn;
use headgate_model::params::{Card, Param};
use headgate_model::queue::Queues;
use headgate_model::units::{SECOND, Time};
use headgate_netsim::devices::{PortDevices, ResolvedDevice, ResolvedDevices};
use headgate_netsim::packets::foreign::{Delivery, ForeignPacket, InjectError, Outcomes};
use headgate_netsim::plan::Plan;
use headgate_netsim::run::engine::Engine;
use serde_json::{Value, json};

type Run = Engine<AnyController>;

const MS: Time = SECOND / 1000;

/// 1500 B over 12 Mbit/s.
const PACKET: Time = MS;

/// Two routers, 12 Mbit/s and 10 ms each way, with a buffer of `buffer` packets. Live hosts 0 and 2 are on
/// the left, 1 and 3 on the right, with `flows` simulated flows.
fn plan(queue: Option<&str>, buffer: u64, edge: Option<u32>, flows: u32) -> Value {
    let link = |from: u32, to: u32| {
        json!({"name": format!("{from}-{to}"), "from": from, "to": to, "rate_bps": 12_000_000,
               "delay_ps": 10 * MS, "buffer": {"packets": buffer},
               "queue": queue.map(|name| json!({"name": name, "params": {}}))})
    };
    let places: Vec<Value> = [0, 1, 0, 1].map(|node| json!({"node": node, "edge": edge})).into();
    let live = json!({"kind": "live", "name": "live", "law": 0, "transport": 0, "hosts": ["a", "b", "c", "d"],
        "places": places});
    let beside = json!({"kind": "flows", "name": "beside", "count": flows.max(1), "law": 0, "transport": 0,
        "sources": [{"node": 0}], "receivers": [{"node": 1}], "start_ps": 0});
    let traffic = if flows > 0 { json!([live, beside]) } else { json!([live]) };
    json!({
        "seed": 1, "duration_ps": 4 * SECOND, "nodes": [{"name": "left"}, {"name": "right"}],
        "links": [link(0, 1), link(1, 0)],
        "edges": [{"name": "host", "rate_bps": 120_000_000, "delay_ps": MS, "buffer_bytes": 6000}],
        "transports": [{
            "name": "t", "segment_bytes": 1460, "header_bytes": 40, "ack_bytes": 40, "syn_bytes": 40,
            "initial_window": 10.0, "min_rto_ps": 200 * MS, "initial_rto_ps": SECOND,
            "max_rto_ps": 60 * SECOND, "syn_tries": 6, "syn_rto_ps": SECOND, "syn_backoff": true,
            "recovery": "sack", "limited_transmit": true, "prr": true, "rack_tlp": false, "count": "segments",
            "window_validation": true, "delayed_ack": false, "delayed_ack_ps": 40 * MS,
            "quick_acks": 0, "rtt": "timestamps", "clock_ps": 0
        }],
        "laws": [{"name": "reno"}],
        "traffic": traffic,
        "measure": {"warmup_ps": 0, "periods": [[0, 4 * SECOND]], "interval_ps": SECOND, "flows": "all"}
    })
}

/// A device with its defaults, and with ECN if it supports that.
fn chosen(cards: &[&Card], name: &str) -> ResolvedDevice {
    let index = cards.iter().position(|card| card.name == name).expect("a card");
    let value = |param: &Param| if param.name == "ecn" { 1.0 } else { param.default };
    ResolvedDevice { index, values: cards[index].params.iter().map(value).collect() }
}

fn start(plan: Value) -> Run {
    let plan: Plan = serde_json::from_value(plan).expect("a plan");
    let queue = |name: &str| chosen(AnyQueue::cards(), name);
    let devices = |link: &headgate_model::plan::Link| PortDevices {
        queue: link.queue.as_ref().map(|choice| queue(&choice.name)),
        ..PortDevices::default()
    };
    let ports = plan.links.iter().map(devices).collect();
    let controllers = vec![chosen(AnyController::cards(), "reno").into()];
    Engine::new(
        &plan,
        &ResolvedDevices { controllers, ports, ..ResolvedDevices::default() },
        &Default::default(),
    )
}

fn packet(id: u64, flow: u32) -> ForeignPacket {
    ForeignPacket { id, from: 0, to: 1, flow, size_bytes: 1500, ecn: Ecn::NotEct }
}

/// Returns the outcomes of packets by the end of a second.
fn outcomes(run: &mut Run, packets: impl IntoIterator<Item = (Time, ForeignPacket)>) -> Outcomes {
    packets.into_iter().for_each(|(time, packet)| run.inject(time, &packet).expect("a live host"));
    assert!(!run.advance_to(SECOND, &mut || true));
    run.take_outcomes()
}

fn ids(outcomes: &Outcomes) -> (Vec<u64>, Vec<u64>) {
    let delivered = outcomes.delivered.iter().map(|delivery| delivery.id);
    (delivered.collect(), outcomes.lost.iter().map(|loss| loss.id).collect())
}

#[test]
fn a_packet_arrives_when_its_links_say() {
    let delivery = |time| vec![Delivery { time, id: 7, ecn: Ecn::NotEct }];
    let mut bare = start(plan(None, 10, None, 0));
    assert_eq!(outcomes(&mut bare, [(5 * MS, packet(7, 0))]).delivered, delivery(5 * MS + PACKET + 10 * MS));
    // over host links a tenth of the time each, and 1 ms
    let mut behind = start(plan(None, 10, Some(0), 0));
    let way = 2 * (PACKET / 10 + MS) + PACKET + 10 * MS;
    assert_eq!(outcomes(&mut behind, [(5 * MS, packet(7, 0))]).delivered, delivery(5 * MS + way));
    assert!(behind.take_outcomes().is_empty());
}

#[test]
fn what_finds_no_room_is_lost() {
    // one in service and four that wait; packets of a host leave a picosecond apart
    let burst = (0..9).map(|id| (MS, packet(id, 0)));
    let mut run = start(plan(None, 4, None, 0));
    assert_eq!(ids(&outcomes(&mut run, burst.clone())), (vec![0, 1, 2, 3, 4], vec![5, 6, 7, 8]));
    // 6000 B wait at the host link beside the one in service
    let mut behind = start(plan(None, 99, Some(0), 0));
    assert_eq!(ids(&outcomes(&mut behind, burst)), (vec![0, 1, 2, 3, 4], vec![5, 6, 7, 8]));
}

#[test]
fn a_discipline_that_drops_later_says_so_too() {
    let mut run = start(plan(Some("codel"), 1000, None, 0));
    let all = outcomes(&mut run, (0..600).map(|id| (id * PACKET / 2, packet(id, 0))));
    assert!((5..100).contains(&all.lost.len()), "{}", all.lost.len());
    assert_eq!(all.delivered.len() + all.lost.len(), 600);
}

#[test]
fn marks_reach_only_those_that_can_be_marked() {
    for ecn in Ecn::ALL {
        let mut run = start(plan(Some("codel"), 1000, None, 0));
        let packet = |id| ForeignPacket { ecn, ..packet(id, 0) };
        let all = outcomes(&mut run, (0..600).map(|id| (id * PACKET / 2, packet(id))));
        let marks = all.delivered.iter().filter(|delivery| delivery.ecn.is_marked()).count();
        match ecn {
            Ecn::Ect0 | Ecn::Ect1 => assert!((5..100).contains(&marks) && all.lost.is_empty(), "{marks}"),
            Ecn::NotEct => assert!(marks == 0 && !all.lost.is_empty()),
            Ecn::Ce => assert_eq!(marks, all.delivered.len()),
        }
        assert!(all.delivered.iter().all(|delivery| delivery.ecn == ecn || delivery.ecn.is_marked()));
    }
}

#[test]
fn flows_are_told_apart_by_a_fair_queue() {
    // one sends twice what the link holds, the other a tenth of it: under fair queueing that one waits for
    // a packet or two of the other
    for flows in [[0, 1], [5, 5 + 4096]] {
        let mut run = start(plan(Some("fq-codel"), 1000, None, 0));
        let many = (0..300).map(|n| (n * PACKET / 2, packet(n, flows[0])));
        let few = (1..15)
            .map(|n| (n * 10 * PACKET, ForeignPacket { from: 2, to: 3, ..packet(1000 + n, flows[1]) }));
        let mut all: Vec<_> = many.chain(few).collect();
        all.sort_by_key(|(time, packet)| (*time, packet.id));
        let all = outcomes(&mut run, all);
        for delivery in all.delivered.iter().filter(|delivery| delivery.id > 1000) {
            let waited = delivery.time - (delivery.id - 1000) * 10 * PACKET - PACKET - 10 * MS;
            assert!(waited <= 2 * PACKET, "{delivery:?}: {waited}");
        }
    }
}

/// A run with simulated flows and a steady stream of foreign packets, in steps of this length.
fn busy(threads: usize, step: Time, queue: Option<&str>, resumed: bool) -> (u64, Outcomes, String) {
    let mut run = start(plan(queue, 40, Some(0), 5));
    run.use_threads(threads);
    if threads > 1 {
        run.always_in_parallel();
    }
    let (mut all, mut next) = (Outcomes::default(), 0);
    while !run.advance_to(run.now() + step, &mut || true) {
        all.merge(run.take_outcomes());
        // known at most one step ahead: each has its own time
        while next * 3 * MS < run.now() + 2 * step {
            let time = next * 3 * MS;
            if time >= run.now() {
                let back = next % 2 == 1;
                let (from, to) = if back { (3, 2) } else { (0, 1) };
                let packet = ForeignPacket { from, to, ecn: Ecn::Ect0, ..packet(next, next as u32 % 3) };
                run.inject(time, &packet).expect("a live host");
            }
            next += 1;
        }
        if resumed {
            let bytes = postcard::to_allocvec(&run).expect("bytes");
            run = postcard::from_bytes(&bytes).expect("a run");
        }
    }
    all.merge(run.take_outcomes());
    all.sort();
    (run.digest(), all, format!("{:?}", run.record().balance))
}

#[test]
fn results_depend_on_no_threads_and_no_pauses() {
    for queue in [None, Some("codel")] {
        let one = busy(1, 20 * MS, queue, false);
        assert!(one.1.delivered.len() > 1000 && !one.1.lost.is_empty());
        assert!(busy(2, 20 * MS, queue, false) == one, "{queue:?}: threads");
        assert!(busy(1, 20 * MS, queue, true) == one, "{queue:?}: snapshots");
    }
}

#[test]
fn every_packet_is_accounted_for() {
    let mut run = start(plan(None, 40, None, 5));
    let sent = 1200;
    (0..sent).for_each(|id| run.inject(id * 3 * MS, &packet(id, 0)).expect("a live host"));
    while !run.advance_to(run.duration(), &mut || true) {}
    let outcomes = run.take_outcomes();
    assert_eq!((outcomes.delivered.len() + outcomes.lost.len()) as u64, sent);
    let balance = &run.record().balance;
    let counters = &balance.counters;
    let gone = counters.segments_out + counters.segments_dropped + balance.under_way;
    assert!(counters.segments_in > sent && counters.segments_in == gone, "{balance:?}");
}

#[test]
fn windows_are_short_and_none_is_left_out() {
    let mut run = start(plan(None, 40, None, 0));
    assert!(run.lookahead() <= SECOND / 4000);
    assert!(!run.advance_to(3 * SECOND, &mut || true));
    assert!((3 * SECOND - run.now()) <= SECOND / 4000);
    run.inject(3 * SECOND, &packet(1, 0)).expect("a live host");
    assert!(run.advance_to(run.duration(), &mut || true));
    assert_eq!(run.take_outcomes().delivered[0].time, 3 * SECOND + PACKET + 10 * MS);
}

#[test]
fn what_cannot_be_injected_is_refused() {
    let mut run = start(plan(None, 40, None, 0));
    run.advance_to(SECOND, &mut || true);
    let now = run.now();
    assert_eq!(run.inject(now - 1, &packet(1, 0)), Err(InjectError::Past(now)));
    assert_eq!(run.inject(now, &ForeignPacket { to: 4, ..packet(1, 0) }), Err(InjectError::NoHost(4)));
    assert_eq!(run.inject(now, &ForeignPacket { to: 2, ..packet(1, 0) }), Err(InjectError::NoLink));
    assert_eq!(run.inject(now, &packet(1, 0)), Ok(()));
}
