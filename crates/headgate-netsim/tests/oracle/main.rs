//! The engine against a slow one with a global heap: same digests over many random networks.

mod heap;
mod networks;

use headgate_algos::control::AnyLaw;
use headgate_model::plan::Plan;
use headgate_netsim::engine::Engine;
use headgate_netsim::record::Balance;

type Machine = Engine<AnyLaw>;

fn machine(plan: &Plan) -> Machine {
    Machine::new(plan, &networks::choices(plan), &Default::default())
}

fn finished(mut machine: Machine) -> Machine {
    assert!(machine.advance(&mut || true));
    machine
}

#[test]
fn the_digest_is_the_slow_engines() {
    let mut seen = [0; 5];
    for seed in 0..300 {
        let plan = networks::plan(seed);
        let ours = finished(machine(&plan));
        let theirs = heap::HeapEngine::<AnyLaw>::new(&plan, &networks::choices(&plan)).run();
        assert_eq!(ours.digest(), theirs, "network {seed}, lookahead {} ps", ours.lookahead());
        let flows = &ours.record().flows;
        let drops: u64 = ours.record().ports.iter().map(|p| p.tally.drops).sum();
        let timeouts: u32 = flows.iter().map(|f| f.timeouts).sum();
        let recoveries: u32 = flows.iter().map(|f| f.recoveries).sum();
        let apart = ours.lookahead() < networks::MS / 10;
        let given_up = ours.record().balance.counters.flows_abandoned > 0;
        let now = [drops > 0, timeouts > 0, recoveries > 0, apart, given_up];
        for (seen, now) in seen.iter_mut().zip(now) {
            *seen += u32::from(now);
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "the networks are too kind: {seen:?}");
}

/// What sources sent has arrived, was dropped, or is found in the calendar and at ports: counted apart.
#[test]
fn no_packet_and_no_flow_is_lost_sight_of() {
    let (mut under_way, mut held) = (0, 0);
    for seed in 0..100 {
        let plan = networks::plan(seed);
        let ours = finished(machine(&plan));
        let Balance { counters, under_way: now } = &ours.record().balance;
        let gone = counters.segments_out + counters.segments_dropped + now;
        assert_eq!(counters.segments_in, gone, "network {seed}");
        let over = counters.flows_completed + counters.connection_failures + counters.flows_abandoned;
        assert_eq!(counters.flows_started, over + counters.active, "network {seed}");
        under_way += now;
        held += u64::from(*now > 0);
    }
    assert!(under_way > 1000 && held > 50, "{under_way} {held}");
}

#[test]
fn a_run_written_out_and_resumed_is_the_same_run() {
    for seed in 0..60 {
        let plan = networks::plan(seed);
        let whole = finished(machine(&plan));
        let mut parts = machine(&plan);
        let mut windows = 0;
        while !parts.advance(&mut || {
            windows += 1;
            windows % 997 != 0
        }) {
            let bytes = postcard::to_stdvec(&parts).expect("serialises");
            parts = postcard::from_bytes(&bytes).expect("comes back");
        }
        assert_eq!(parts.digest(), whole.digest(), "network {seed}");
        let kept = |run: &Machine| format!("{:?}", run.record());
        assert_eq!(kept(&parts), kept(&whole), "network {seed}");
        assert_eq!(parts.record().flows.len(), whole.record().flows.len());
    }
}

#[test]
fn thousands_of_short_flows_do_not_mistake_each_other() {
    let plan = networks::churn();
    let ours = finished(machine(&plan));
    let theirs = heap::HeapEngine::<AnyLaw>::new(&plan, &networks::choices(&plan)).run();
    assert_eq!(ours.digest(), theirs);
    let flows = &ours.record().flows;
    assert!(flows.len() > 1_800, "{}", flows.len()); // 2 s of 1000 flows/s
    let done = flows.iter().filter(|f| f.fct_receiver.is_some() && f.delivered_total == f.size).count();
    assert!(done > flows.len() - 10, "{done} of {}", flows.len()); // the last ones are under way
}

#[test]
fn another_seed_is_another_run() {
    let plan = networks::plan(5);
    let other = Plan { seed: 6, ..plan.clone() };
    assert_ne!(finished(machine(&plan)).digest(), finished(machine(&other)).digest());
}
