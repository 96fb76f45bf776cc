//! Random networks and loads, small enough for the slow engine and demanding for the fast one.

use headgate_algos::control::AnyController;
use headgate_algos::impairment::AnyImpairment;
use headgate_algos::media::AnyRateController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_model::control::ControllerRegistry;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Routers;
use headgate_model::impairment::Impairments;
use headgate_model::media::RateControllers;
use headgate_model::params::{Card, Param};
use headgate_model::plan::*;
use headgate_model::queue::Queues;
use headgate_model::units::SECOND;
use headgate_netsim::devices::{PortDevices, ResolvedDevice, ResolvedDevices};
use headgate_netsim::plan::Plan;
use headgate_netsim::traffic::Traffic;
use headgate_netsim::traffic::kinds::flows::{Flows, Pause};

use crate::traffic::{bursts, matrix, media, on_off, poisson, traffic};

pub const MS: u64 = SECOND / 1000;
const US: u64 = SECOND / 1_000_000;

pub fn pick<T: Copy>(s: &mut Stream, from: &[T]) -> T {
    from[s.below(from.len() as u64) as usize]
}

pub fn plan(seed: u64) -> Plan {
    let mut s = Stream::new(seed, "network", 0);
    let n = 2 + s.below(6) as u32;
    let classes = ["D", "F", "N", ""];
    let node = |i| Node { name: format!("r{i}"), class: classes[i as usize % 4].into() };
    let mut plan = Plan {
        seed,
        duration_ps: 3 * SECOND,
        nodes: (0..n).map(node).collect(),
        links: links(n, &mut s),
        edges: edges(&mut s),
        transports: (0..3).map(|_| transport(&mut s)).collect(),
        controllers: AnyController::cards().iter().map(controller_choice).collect(),
        traffic: Vec::new(),
        files: vec!["document".into(), "jumbo".into()],
        measure: Measure {
            warmup_ps: pick(&mut s, &[500 * MS, 733 * MS]),
            periods: vec![[500 * MS, 2 * SECOND], [2 * SECOND, 3 * SECOND]],
            interval_ps: 7 * MS,
            flows: FlowRows::All,
            series: None,
        },
    };
    plan.traffic = traffic(n, &mut s);
    plan.traffic.extend(on_off(n, seed));
    plan.traffic.extend(bursts(n, seed));
    plan.traffic.extend(matrix(n, seed));
    plan.traffic.extend(media(n, seed));
    let mut s = Stream::new(seed, "after an idle time", 0);
    for transport in &mut plan.transports {
        transport.after_idle =
            pick(&mut s, &[AfterIdle::Rfc5681, AfterIdle::Linux, AfterIdle::Ns2, AfterIdle::Keep]);
    }
    let mut s = Stream::new(seed, "pauses", 0);
    for traffic in &mut plan.traffic {
        if let Traffic::Flows(flows) = traffic {
            flows.pauses = pauses(flows, &mut s);
        }
    }
    let mut s = Stream::new(seed, "outages", 0);
    plan.links.iter_mut().for_each(|link| link.outages = outages(&mut s));
    plan
}

/// No pauses, or several after the start of the last flow.
fn pauses(flows: &Flows, s: &mut Stream) -> Vec<Pause> {
    let many = pick(s, &[0, 0, 1, 4]);
    let mut until_ps = flows.start_ps + u64::from(flows.count) * flows.stagger_ps;
    let pause = |_| {
        let at_ps = until_ps + pick(s, &[1, 3 * MS, 200 * MS]);
        until_ps = at_ps + pick(s, &[US, 20 * MS, 900 * MS]);
        Pause { at_ps, until_ps }
    };
    (0..many).map(pause).collect()
}

/// No outages, or several of random effects and of up to 400 ms. Some follow each other without a gap.
fn outages(s: &mut Stream) -> Vec<Outage> {
    let mut until_ps = 300 * MS;
    let many = if s.below(6) == 0 { 1 + s.below(5) } else { 0 };
    let outage = |_| {
        let at_ps = until_ps + pick(s, &[0, US, 30 * MS, 500 * MS]);
        until_ps = at_ps + pick(s, &[1, 40 * US, 5 * MS, 400 * MS]);
        let queue = pick(s, &[OutageQueue::Drop, OutageQueue::Keep]);
        let in_flight = pick(s, &[OutageFlight::Deliver, OutageFlight::Lose]);
        Outage { at_ps, until_ps, queue, in_flight }
    };
    (0..many).map(outage).collect()
}

/// A random tree and some shortcuts; delays from none at all to some milliseconds.
fn links(n: u32, s: &mut Stream) -> Vec<Link> {
    let mut links = Vec::new();
    let delays =
        pick(s, &[[0, 0, 0, 0], [0, MS, 3 * MS, 0], [50 * US, MS, 7 * MS, 2 * MS], [US, 30 * US, 0, MS]]);
    for i in 1..n + 2 {
        let (a, b) = if i < n { (s.below(u64::from(i)) as u32, i) } else { (0, n - 1) };
        let (rate, delay) = (pick(s, &[1_000_000, 9_999_991, 100_000_000, 700_000_000]), pick(s, &delays));
        for (from, to) in [(a, b), (b, a)] {
            let buffer =
                pick(s, &[Buffer::Packets(3), Buffer::Packets(40), Buffer::Bytes(20_000), Buffer::Infinite]);
            let loss = pick(s, &[0.0, 0.0, 0.0, 0.01]);
            let name = format!("{from}-{to}-{i}");
            let queue = device(AnyQueue::cards(), s);
            let feedback = device(AnyRouter::cards(), s);
            let changes = if matches!(buffer, Buffer::Bytes(_)) { Vec::new() } else { changes(s) };
            let lose = pick(s, &[&[][..], &[], &[1, 5, 6]]).to_vec();
            let (rate_bps, delay_ps) = (rate, delay);
            links.push(Link {
                name,
                from,
                to,
                rate_bps,
                delay_ps,
                buffer,
                loss,
                lose,
                queue,
                feedback,
                changes,
                losses: losses(s),
                delays: delay_changes(s),
                ingress: impairments(s, 12),
                impairments: impairments(s, 6),
                ..Link::default()
            });
        }
    }
    links
}

/// No changes, or a period of loss.
fn losses(s: &mut Stream) -> Vec<LossChange> {
    let change = |at_ps, loss| LossChange { at_ps, loss };
    if s.below(8) == 0 { vec![change(300 * MS, 0.2), change(600 * MS, 0.0)] } else { Vec::new() }
}

/// No changes, or a hand-over and back.
fn delay_changes(s: &mut Stream) -> Vec<DelayChange> {
    let change = |at_ps, delay_ps| DelayChange { at_ps, delay_ps };
    if s.below(12) == 0 { vec![change(500 * MS, 9 * MS), change(SECOND, MS)] } else { Vec::new() }
}

/// A chain of impairments at some of the links. Their times are multiples of those of packets, so that some
/// packets would arrive together.
fn impairments(s: &mut Stream, one_of: u64) -> Vec<DeviceChoice> {
    let cards = AnyImpairment::cards();
    let many = if s.below(one_of) == 0 { 1 + s.below(2) } else { 0 };
    (0..many).map(|_| impairment(cards[s.below(cards.len() as u64) as usize], s)).collect()
}

fn impairment(card: &Card, s: &mut Stream) -> DeviceChoice {
    let often = ["share", "loss"].map(|key| (key, 0.05));
    let round = [("late_s", 0.0012 * (1 + s.below(5)) as f64)];
    let given = often.iter().chain(&round).filter(|(key, _)| card.params.iter().any(|p| p.name == *key));
    let params = given.map(|&(key, value)| (key.to_string(), Value::Number(value))).collect();
    DeviceChoice { name: card.name.into(), params, own: None }
}

/// No changes, one, or several while the packets queued at the first one are still present.
fn changes(s: &mut Stream) -> Vec<RateChange> {
    let change = |at_ps, rate_bps| RateChange { at_ps, rate_bps };
    match s.below(6) {
        0 => vec![change(400 * MS, 5_000_003)],
        1 => vec![change(SECOND, 40_000_000)],
        2 => {
            let at = 400 * MS + s.below(SECOND);
            (0..8).map(|n| change(at + n * 5 * MS, pick(s, &[300_000, 3_000_001, 70_000_000]))).collect()
        }
        _ => Vec::new(),
    }
}

/// No device, or any of a registry. Thresholds are low.
fn device(cards: &[&Card], s: &mut Stream) -> Option<DeviceChoice> {
    let card = cards.get(s.below(2 + 2 * cards.len() as u64) as usize)?;
    let low = (card.name == "threshold").then(|| ("mark_packets".to_string(), Value::Number(2.0)));
    Some(DeviceChoice { name: card.name.into(), params: low.into_iter().collect(), own: None })
}

fn edges(s: &mut Stream) -> Vec<Edge> {
    let edge = |i| Edge {
        class: ["", "fast", "slow"][i as usize % 3].into(),
        name: format!("e{i}"),
        rate_bps: pick(s, &[10_000_000, 100_000_000, 960_000_000]),
        delay_ps: pick(s, &[0, 5 * US, 500 * US]),
        buffer_bytes: pick(s, &[None, Some(9_000)]),
    };
    (0..2).map(edge).collect()
}

fn transport(s: &mut Stream) -> Transport {
    Transport {
        name: "t".into(),
        segment_bytes: 1460,
        header_bytes: 40,
        ack_bytes: 40,
        syn_bytes: 40,
        initial_window: pick(s, &[2.0, 10.0]),
        initial_ssthresh: pick(s, &[None, Some(30.0)]),
        receive_window: pick(s, &[None, Some(50)]),
        rto_rule: pick(s, &[RtoRule::Rfc6298, RtoRule::Linux, RtoRule::Ns2]),
        rto_tick_ps: 10 * MS,
        min_rto_ps: pick(s, &[MS * 200, SECOND]),
        rto_margin_ps: pick(s, &[0, MS * 200]),
        initial_rto_ps: SECOND,
        max_rto_ps: 60 * SECOND,
        syn_tries: 3,
        syn_rto_ps: SECOND / 2,
        syn_backoff: true,
        recovery: pick(s, &[Recovery::Sack, Recovery::Sack, Recovery::Newreno, Recovery::Reno]),
        limited_transmit: pick(s, &[true, false]),
        prr: pick(s, &[true, false]),
        rack_tlp: pick(s, &[true, false]),
        syn_retry: pick(s, &[SynRetry::Rfc5681, SynRetry::Linux]),
        dsack: pick(s, &[true, false]),
        undo: pick(s, &[true, false]),
        frto: pick(s, &[true, false]),
        tail_probe: pick(s, &[true, false]),
        timeout_sacks: pick(s, &[TimeoutSacks::Kept, TimeoutSacks::Forgotten]),
        timeout_reduction: pick(s, &[TimeoutReduction::Once, TimeoutReduction::Each]),
        count: pick(s, &[Count::Segments, Count::Acks]),
        whole_windows: pick(s, &[true, false]),
        window_validation: pick(s, &[true, false]),
        delayed_ack: pick(s, &[true, false]),
        delayed_ack_ps: 40 * MS,
        quick_acks: pick(s, &[0, 8]),
        rtt: pick(s, &[RttSampling::Timestamps, RttSampling::PerWindow]),
        clock_ps: pick(s, &[0, MS]),
        timestamp_clock_ps: pick(s, &[0, MS]),
        pacing: pick(s, &[None, None, Some(Pacing { slow_start_gain: 2.0, gain: 1.2 })]),
        ecn: pick(s, &[false, true]),
        ecn_feedback: pick(
            s,
            &[None, Some(EcnFeedback::Classic), Some(EcnFeedback::Exact), Some(EcnFeedback::Accurate)],
        ),
        accecn_option: pick(s, &[false, true]),
        ecn_codepoint: pick(s, &[None, Some(Ecn::Ect0), Some(Ecn::Ect1)]),
        ecn_acks: pick(s, &[false, true]),
        ecn_control: pick(s, &[false, true]),
        ecn_fallback: pick(s, &[false, true]),
        ecn_receiver: pick(s, &[EcnSupport::Any, EcnSupport::Any, EcnSupport::Classic, EcnSupport::Off]),
        pacing_bursts: pick(s, &[false, true]),
        after_idle: AfterIdle::Rfc5681, // bursts draw it separately
        quic: pick(s, &[false, false, true]).then(|| quic(s)),
    }
}

fn quic(s: &mut Stream) -> Quic {
    Quic {
        packet_threshold: pick(s, &[3, 10]),
        time_threshold: 1.125,
        max_ack_delay_ps: pick(s, &[0, 25 * MS]),
        ack_every: pick(s, &[2, 10]),
        ack_reordering: pick(s, &[0, 1, 3]),
    }
}

fn controller_choice(card: &&Card) -> ControllerChoice {
    ControllerChoice { name: card.name.into(), params: Default::default(), own: None, slow_start: None }
}

/// Each algorithm once, with its defaults, and the devices of the plan's ports.
pub fn choices(plan: &Plan) -> ResolvedDevices {
    let cards = AnyController::cards();
    let controllers =
        cards.iter().enumerate().map(|(index, card)| choice(index, card, None).into()).collect();
    let fit = |choice: &Option<DeviceChoice>, cards: &[&Card]| {
        let choice = choice.as_ref()?;
        let index = cards.iter().position(|card| card.name == choice.name).expect("a card");
        Some(self::choice(index, cards[index], Some(choice)))
    };
    let fit_row = |row: &[DeviceChoice]| {
        row.iter().filter_map(|choice| fit(&Some(choice.clone()), AnyImpairment::cards())).collect()
    };
    let devices = |link: &Link| PortDevices {
        queue: fit(&link.queue, AnyQueue::cards()),
        feedback: fit(&link.feedback, AnyRouter::cards()),
        ingress: fit_row(&link.ingress),
        impairments: fit_row(&link.impairments),
    };
    let rate = |item: &Traffic| fit(&item.rate_controller().cloned(), AnyRateController::cards());
    ResolvedDevices {
        controllers,
        ports: plan.links.iter().map(devices).collect(),
        rate_controllers: plan.traffic.iter().map(rate).collect(),
    }
}

fn choice(index: usize, card: &Card, other: Option<&DeviceChoice>) -> ResolvedDevice {
    let given = |name| other.and_then(|other| other.params.get(name));
    let value = |param: &Param| match given(param.name) {
        Some(Value::Number(x)) => *x,
        _ => param.default,
    };
    ResolvedDevice { index, values: card.params.iter().map(value).collect() }
}

/// Fast links that are so long that a window contains tens of thousands of packets. Senders begin with their
/// whole window, and one of the ports stores packets.
pub fn far() -> Plan {
    let mut plan = plan(0);
    plan.nodes.truncate(2);
    let link = |(from, to), queue: Option<&str>| Link {
        name: format!("{from}-{to}"),
        from,
        to,
        rate_bps: 1_000_000_000,
        delay_ps: 400 * MS,
        buffer: Buffer::Infinite,
        queue: queue.map(|name| DeviceChoice { name: name.into(), params: Default::default(), own: None }),
        ..Link::default()
    };
    plan.links = vec![link((0, 1), None), link((1, 0), Some("ps"))];
    plan.duration_ps = 2 * SECOND;
    plan.measure.periods = vec![[500 * MS, 2 * SECOND]];
    plan.edges = vec![Edge {
        name: "e".into(),
        class: String::new(),
        rate_bps: 10_000_000_000,
        delay_ps: 0,
        buffer_bytes: None,
    }];
    plan.transports.truncate(1);
    plan.transports[0].initial_window = 1_000.0;
    plan.transports[0].syn_rto_ps = 3 * SECOND;
    plan.transports[0].initial_ssthresh = None;
    plan.transports[0].receive_window = None;
    plan.transports[0].pacing = None;
    let controller =
        AnyController::cards().iter().position(|card| card.name == "reno").expect("an algorithm") as u32;
    let flow = |(n, (from, to))| {
        let place = |node| Place { node, edge: Some(0) };
        Traffic::Flows(Flows {
            name: format!("f{n}"),
            count: 1,
            controller,
            transport: 0,
            sources: vec![place(from)],
            receivers: vec![place(to)],
            start_ps: n * MS,
            stagger_ps: 0,
            packets: None,
            stop_ps: None,
            controllers: Vec::new(),
            pauses: Vec::new(),
        })
    };
    plan.traffic = (0..24).zip([(0, 1), (1, 0)].into_iter().cycle()).map(flow).collect();
    plan
}

/// One short link, one source, very many very short flows: slots and generations are used up quickly.
pub fn churn() -> Plan {
    let mut plan = plan(0);
    plan.nodes.truncate(2);
    let ends = [(0, 1), (1, 0)];
    let link = |(from, to)| Link {
        name: format!("{from}-{to}"),
        from,
        to,
        rate_bps: 1_000_000_000,
        delay_ps: 100 * US,
        buffer: Buffer::Infinite,
        ..Link::default()
    };
    plan.links = ends.map(link).into();
    let Traffic::Poisson(mut poisson) = poisson(2, &mut Stream::new(1, "churn", 0)) else { unreachable!() };
    poisson.sources.truncate(1);
    poisson.controllers.clear();
    poisson.flows_per_s = 1_000.0;
    plan.traffic = vec![Traffic::Poisson(poisson)];
    plan
}
