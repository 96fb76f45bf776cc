//! The engine against a slow one with a global heap: equal digests over many random networks.

mod event;
mod heap;
mod networks;
mod observed;
mod server;
mod traffic;
mod watch;

use std::ops::Range;

use headgate_algos::control::AnyController;
use headgate_model::plan::Link;
use headgate_model::units::Time;
use headgate_netsim::devices::Arrays;
use headgate_netsim::plan::Plan;
use headgate_netsim::port::Port;
use headgate_netsim::record::{Balance, PeriodRow};
use headgate_netsim::run::engine::Engine;
use headgate_netsim::run::populate;
use watch::{Look, Seen};

type Machine = Engine<AnyController>;

fn machine(plan: &Plan) -> Machine {
    Machine::new(plan, &networks::choices(plan), &Default::default())
}

fn finished(mut machine: Machine) -> Machine {
    assert!(machine.advance(&mut || true));
    machine
}

#[test]
fn the_digest_is_the_slow_engines() {
    let mut seen = [0; 6];
    for seed in 0..300 {
        let plan = networks::plan(seed);
        let ours = finished(machine(&plan));
        let (theirs, looks) = heap::HeapEngine::<AnyController>::new(&plan, &networks::choices(&plan)).run();
        assert_eq!(ours.digest(), theirs, "network {seed}, lookahead {} ps", ours.lookahead());
        assert_counts(&ours, &plan, &looks, seed);
        let flows = &ours.record().flows;
        let drops: u64 = ours.record().ports.iter().map(|p| p.tally.drops).sum();
        let timeouts: u32 = flows.iter().map(|f| f.timeouts_total).sum();
        let recoveries: u32 = flows.iter().map(|f| f.recoveries_total).sum();
        let apart = ours.lookahead() < networks::MS / 10;
        let given_up = ours.record().balance.counters.flows_abandoned > 0;
        let cut_off = ours.record().ports.iter().any(|port| port.sent.outage_losses > 0);
        let now = [drops > 0, timeouts > 0, recoveries > 0, apart, given_up, cut_off];
        for (seen, now) in seen.iter_mut().zip(now) {
            *seen += u32::from(now);
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "the networks are too kind: {seen:?}");
}

#[test]
fn threads_change_no_digest() {
    assert_threads_change_nothing(0..60);
}

#[test]
#[ignore = "a minute of two cores; `make validate` runs it"]
fn threads_change_no_digest_of_three_hundred_networks() {
    assert_threads_change_nothing(0..300);
}

fn assert_threads_change_nothing(networks: Range<u64>) {
    for seed in networks {
        let plan = networks::plan(seed);
        let alone = finished(machine(&plan)).digest();
        for threads in [2, 3, 7] {
            let mut run = machine(&plan);
            run.use_threads(threads);
            if run.lookahead() > networks::MS {
                run.always_in_parallel();
            }
            assert_eq!(finished(run).digest(), alone, "network {seed} on {threads} threads");
        }
    }
}

/// A resumed run may use another number of threads than the run that was saved.
#[test]
fn a_run_resumed_on_other_threads_is_the_same_run() {
    for seed in 0..100 {
        let plan = networks::plan(seed);
        let mut run = machine(&plan);
        for (number, threads) in (0..).zip([3, 1, 2].into_iter().cycle()) {
            run.use_threads(threads);
            let mut left = 1u64 << number;
            let mut go_on = || {
                left = left.saturating_sub(1);
                left > 0
            };
            if run.advance(&mut go_on) {
                break;
            }
            let bytes = postcard::to_stdvec(&run).expect("plain data");
            run = postcard::from_bytes(&bytes).expect("the same data");
        }
        assert_eq!(run.digest(), finished(machine(&plan)).digest(), "network {seed}");
    }
}

/// The counts of every period, and those since the warm-up, equal the events by its end.
fn assert_counts(ours: &Machine, plan: &Plan, looks: &[Look], seed: u64) {
    let at = |time: Time| looks.iter().find(|look| look.at == time).expect("looked at");
    let ports = populate::ports::<AnyController>(plan, &networks::choices(plan).ports, &Arrays::new());
    let is_held = |port: usize| matches!(ports[port], Port::Queued(_));
    let warmed = plan.measure.warmup_ps;
    for (row, port) in ours.record().ports.iter().zip(0..) {
        let seen = at(plan.duration_ps).links[port].since(&at(warmed).links[port]);
        assert_eq!(row.tally.wait_ps, seen.wait_ps, "network {seed}, port {port}");
        let most = u128::from(row.tally.max_queue) * u128::from(row.sent.elapsed);
        assert!(seen.wait_ps <= most, "network {seed}, port {port}: {row:?}");
        if !is_held(port) {
            let ours = (row.tally.lost, row.sent.departures);
            assert_eq!(ours, (seen.lost, seen.departures), "network {seed}, port {port}");
            assert_bytes(row.sent.sent_bytes, &seen, seed);
        }
    }
    for row in &ours.record().links {
        let PeriodRow { start, end, .. } = ours.record().periods[row.period as usize];
        let link = row.link as usize;
        let from = if end > warmed { start.max(warmed) } else { start };
        let seen = at(end).links[link].since(&at(from).links[link]);
        assert_eq!(row.tally.wait_ps, seen.wait_ps, "network {seed}, link {link}, period {}", row.period);
        if !is_held(link) {
            assert_eq!(row.sent.departures, seen.departures, "network {seed}, link {link}");
            assert_bytes(row.sent.sent_bytes, &seen, seed);
        }
    }
    for row in &ours.record().periods {
        let (from, to) = (at(row.start), at(row.end));
        let waits = |look: &Look| look.links.iter().map(|seen| seen.data_wait_ps).sum::<u128>();
        assert_eq!(row.counters.wait_ps, waits(to) - waits(from), "network {seed}");
        if !(0..plan.links.len()).any(|link| is_held(link) && loses(&plan.links[link])) {
            assert_eq!(row.counters.segments_dropped, to.gone - from.gone, "network {seed}");
        }
    }
}

/// Returns whether a link loses packets that it has sent.
fn loses(link: &Link) -> bool {
    let random = link.loss > 0.0 || !link.lose.is_empty() || !link.losses.is_empty();
    random || !link.impairments.is_empty() || !link.outages.is_empty()
}

/// The unsent part is rounded to whole bytes for each of at most nine rates.
fn assert_bytes(ours: u64, seen: &Seen, seed: u64) {
    assert!((ours as f64 - seen.sent_bytes).abs() < 10.0, "network {seed}: {ours}, {seen:?}");
}

/// Each packet sent has arrived, was dropped, or is in the calendar or at a port. All are counted separately.
#[test]
fn no_packet_and_no_flow_is_lost_sight_of() {
    let (mut under_way, mut held) = (0, 0);
    for seed in 0..100 {
        let plan = networks::plan(seed);
        let ours = finished(machine(&plan));
        let Balance { counters, under_way: now } = &ours.record().balance;
        let gone = counters.segments_out + counters.segments_dropped + now;
        assert_eq!(counters.segments_in + counters.segments_copied, gone, "network {seed}");
        let over = counters.flows_completed + counters.connection_failures + counters.flows_abandoned;
        assert_eq!(counters.flows_started, over + counters.active as u64, "network {seed}");
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

/// A window may contain any number of packets, so a run can also stop and be saved within one.
#[test]
fn a_run_stops_within_a_window_and_goes_on_as_if_it_had_not() {
    let plan = networks::far();
    let whole = finished(machine(&plan));
    let mut parts = machine(&plan);
    let (mut before, mut most, mut stops) = (0, 0, 0);
    while !parts.advance(&mut || false) {
        most = most.max(parts.packet_hops() - before);
        before = parts.packet_hops();
        stops += 1;
        if stops % 20 == 0 {
            let bytes = postcard::to_stdvec(&parts).expect("serialises");
            parts = postcard::from_bytes(&bytes).expect("comes back");
        }
    }
    assert_eq!(parts.digest(), whole.digest());
    assert_eq!(format!("{:?}", parts.record()), format!("{:?}", whole.record()));
    let hops = whole.packet_hops();
    assert!(hops > 100_000 && most < 15_000 && stops > 40, "{hops} hops, {most} at once, {stops} stops");
}

/// A SYN takes less than a nanosecond. A window that exceeds the lookahead by that much would miss it.
#[test]
fn what_takes_no_time_to_send_is_not_lost_between_windows() {
    let mut plan = networks::far();
    plan.links.iter_mut().for_each(|link| link.rate_bps = 400_000_000_000);
    plan.edges[0].rate_bps = 4_000_000_000_000;
    let ours = finished(machine(&plan));
    let (theirs, _) = heap::HeapEngine::<AnyController>::new(&plan, &networks::choices(&plan)).run();
    assert_eq!(ours.digest(), theirs);
    assert!(ours.record().flows.iter().all(|flow| flow.delivered > 0));
}

#[test]
fn no_more_sources_transmit_than_there_are() {
    let mut fewer = 0;
    for seed in 0..30 {
        let ours = finished(machine(&networks::plan(seed)));
        for row in &ours.record().periods {
            assert!(row.transmitting_sum <= row.samples * ours.record().sources, "network {seed}");
            assert!(row.transmitting_sum <= row.active_sum, "network {seed}");
            fewer += u32::from(row.transmitting_sum < row.active_sum);
        }
    }
    assert!(fewer > 5, "no source has several flows");
}

#[test]
fn thousands_of_short_flows_do_not_mistake_each_other() {
    let plan = networks::churn();
    let ours = finished(machine(&plan));
    let (theirs, _) = heap::HeapEngine::<AnyController>::new(&plan, &networks::choices(&plan)).run();
    assert_eq!(ours.digest(), theirs);
    let flows = &ours.record().flows;
    assert!(flows.len() > 1_800, "{}", flows.len()); // 2 s of 1000 flows/s
    let done = flows.iter().filter(|f| f.fct_receiver.is_some() && f.delivered_total == f.size).count();
    assert!(done > flows.len() - 10, "{done} of {}", flows.len()); // the last ones are active
}

#[test]
fn another_seed_is_another_run() {
    let plan = networks::plan(5);
    let other = Plan { seed: 6, ..plan.clone() };
    assert_ne!(finished(machine(&plan)).digest(), finished(machine(&other)).digest());
}
