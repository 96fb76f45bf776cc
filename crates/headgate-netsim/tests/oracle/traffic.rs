//! Random traffic for the random networks.

use headgate_algos::control::AnyController;
use headgate_algos::media::AnyRateController;
use headgate_model::chance::Stream;
use headgate_model::control::ControllerRegistry;
use headgate_model::media::RateControllers;
use headgate_model::plan::*;
use headgate_model::units::SECOND;
use headgate_netsim::traffic::Traffic;
use headgate_netsim::traffic::kinds::bursts::Bursts;
use headgate_netsim::traffic::kinds::flows::Flows;
use headgate_netsim::traffic::kinds::media::Media;
use headgate_netsim::traffic::kinds::on_off::OnOff;
use headgate_netsim::traffic::kinds::poisson::Poisson;
use headgate_netsim::traffic::kinds::web::{FileKind, Patience, Surge, Web};
use headgate_netsim::traffic::mix::ControllerShare;
use headgate_netsim::traffic::times::Times;

use crate::networks::{MS, pick};

pub fn controller(s: &mut Stream) -> u32 {
    s.below(AnyController::cards().len() as u64) as u32
}

pub fn traffic(n: u32, s: &mut Stream) -> Vec<Traffic> {
    let mut all = Vec::new();
    for i in 0..2 + s.below(4) as u32 {
        let from = s.below(u64::from(n)) as u32;
        let to = (from + 1 + s.below(u64::from(n) - 1) as u32) % n;
        all.push(Traffic::Flows(Flows {
            name: format!("f{i}"),
            controller: controller(s),
            transport: i % 3,
            count: 1,
            sources: vec![Place { node: from, edge: pick(s, &[None, Some(0)]) }],
            receivers: vec![Place { node: to, edge: pick(s, &[None, Some(1)]) }],
            start_ps: pick(s, &[0, 0, 13 * MS]),
            stagger_ps: 0,
            packets: pick(s, &[None, Some(1), Some(500)]),
            stop_ps: pick(s, &[None, None, Some(700 * MS)]),
            controllers: Vec::new(),
            pauses: Vec::new(), // drawn separately
        }));
    }
    all.push(poisson(n, s));
    all.push(web(n, s));
    all
}

/// In half of the networks, from the last router to the first; drawn from a separate stream.
pub fn on_off(n: u32, seed: u64) -> Option<Traffic> {
    let mut s = Stream::new(seed, "on and off", 0);
    let drawn = OnOff {
        name: "switches".into(),
        controller: controller(&mut s),
        transport: 0,
        sources: vec![
            Pool { node: n - 1, edge: Some(0), hosts: 2 },
            Pool { node: n - 1, edge: None, hosts: 1 },
        ],
        receivers: vec![Pool { node: 0, edge: pick(&mut s, &[None, Some(1)]), hosts: 2 }],
        on_s: pick(&mut s, &[0.02, 0.3]),
        off_s: 0.2,
        shape: pick(&mut s, &[None, Some(1.5)]),
        keeps_connection: Stream::new(seed, "kept connections", 0).chance(0.5),
        start_ps: 100 * MS,
        stop_ps: 2500 * MS,
        controllers: maybe_mix(&mut s),
    };
    s.chance(0.5).then_some(Traffic::OnOff(drawn))
}

/// In half of the networks, from the last router to the first; drawn from a separate stream.
pub fn bursts(n: u32, seed: u64) -> Option<Traffic> {
    let mut s = Stream::new(seed, "bursts", 0);
    let times = [
        Times::Fixed { ps: 0 },
        Times::Fixed { ps: 230 * MS },
        Times::Exponential { mean_s: 0.1 },
        Times::Pareto { mean_s: 0.1, shape: 1.5 },
    ];
    let (closed, time) = (s.chance(0.5), pick(&mut s, &times));
    let interval = if matches!(time, Times::Fixed { .. }) { Times::Fixed { ps: 40 * MS } } else { time };
    let drawn = Bursts {
        name: "bursts".into(),
        count: 1 + s.below(3) as u32,
        controller: controller(&mut s),
        transport: pick(&mut s, &[0, 1, 2]),
        sources: vec![Place { node: n - 1, edge: Some(0) }, Place { node: n - 1, edge: None }],
        receivers: vec![Place { node: 0, edge: pick(&mut s, &[None, Some(1)]) }],
        start_ps: pick(&mut s, &[0, 100 * MS]),
        stagger_ps: pick(&mut s, &[0, 50 * MS]),
        stop_ps: pick(&mut s, &[2500 * MS, 3 * SECOND]),
        size: pick(
            &mut s,
            &[
                Size::Fixed { packets: 1.0 },
                Size::Fixed { packets: 60.0 },
                Size::Pareto { mean_packets: 20.0, shape: 1.5 },
            ],
        ),
        pause: closed.then_some(time),
        interval: (!closed).then_some(interval),
        bursts: pick(&mut s, &[None, Some(4)]),
        controllers: maybe_mix(&mut s),
    };
    s.chance(0.5).then_some(Traffic::Bursts(drawn))
}

/// In half of the networks, streams from the last router to the first; drawn from a separate stream.
pub fn media(n: u32, seed: u64) -> Option<Traffic> {
    let mut s = Stream::new(seed, "media", 0);
    let card = AnyRateController::cards()[s.below(AnyRateController::cards().len() as u64) as usize];
    let drawn = Media {
        name: "media".into(),
        controller: 0,
        transport: 0,
        rate_controller: DeviceChoice { name: card.name.into(), params: Default::default(), own: None },
        count: 1 + s.below(3) as u32,
        sources: vec![Place { node: n - 1, edge: Some(0) }, Place { node: n - 1, edge: None }],
        receivers: vec![Place { node: 0, edge: pick(&mut s, &[None, Some(1)]) }],
        start_ps: pick(&mut s, &[0, 100 * MS]),
        stagger_ps: pick(&mut s, &[0, 50 * MS]),
        stop_ps: pick(&mut s, &[None, Some(2500 * MS)]),
        min_bps: 50e3,
        max_bps: pick(&mut s, &[500e3, 20e6]),
        start_bps: pick(&mut s, &[100e3, 500e3]),
        frame_ps: pick(&mut s, &[10 * MS, 33 * MS]),
        size_deviation: pick(&mut s, &[0.0, 0.5]),
        key_every: pick(&mut s, &[0, 10]),
        key_factor: 1.0,
        reaction_ps: pick(&mut s, &[0, 40 * MS]),
        packet_bytes: pick(&mut s, &[300, 1200]),
        header_bytes: 40,
        burst_ps: pick(&mut s, &[0, MS]),
        reorder_ps: pick(&mut s, &[0, 10 * MS]),
        deadline_ps: 100 * MS,
        report_ps: pick(&mut s, &[MS, 40 * MS]),
        report_packets: pick(&mut s, &[1, 16]),
        report_frames: s.chance(0.5),
    };
    s.chance(0.5).then_some(Traffic::Media(drawn))
}

/// Sources at the first router, receivers at the last.
pub fn poisson(n: u32, s: &mut Stream) -> Traffic {
    Traffic::Poisson(Poisson {
        name: "arrivals".into(),
        controller: controller(s),
        transport: 1,
        sources: vec![Pool { node: 0, edge: None, hosts: 1 }, Pool { node: 0, edge: Some(1), hosts: 3 }],
        receivers: vec![Pool { node: n - 1, edge: None, hosts: 2 }],
        receivers_of: Vec::new(),
        flows_per_s: 40.0,
        rates_per_s: Vec::new(),
        controllers: maybe_mix(s),
        size: Size::Exponential { mean_packets: 20.0 },
        start_ps: 0,
        stop_ps: 2 * SECOND,
    })
}

/// In half of the networks, arrivals and users between the first router and the last, in both directions.
pub fn matrix(n: u32, seed: u64) -> Vec<Traffic> {
    let mut s = Stream::new(seed, "matrix", 0);
    let pools = |s: &mut Stream| {
        let mut pool = |node, hosts| Pool { node, edge: pick(s, &[None, Some(0)]), hosts };
        vec![pool(0, 2), pool(n - 1, 3)]
    };
    let Traffic::Poisson(arrivals) = poisson(n, &mut s) else { unreachable!() };
    let Traffic::Web(users) = web(n, &mut s) else { unreachable!() };
    let arrivals = Poisson {
        name: "matrix".into(),
        sources: pools(&mut s),
        receivers: pools(&mut s),
        receivers_of: vec![1, 0],
        rates_per_s: vec![30.0, 10.0],
        ..arrivals
    };
    let users = Web {
        name: "users".into(),
        sources: pools(&mut s),
        receivers: pools(&mut s),
        receivers_of: vec![1, 0],
        ..users
    };
    let both = vec![Traffic::Poisson(arrivals), Traffic::Web(users)];
    if s.chance(0.5) { both } else { Vec::new() }
}

/// Users and receivers at every router, all behind host links.
fn web(n: u32, s: &mut Stream) -> Traffic {
    let pools = |edge, hosts| (0..n).map(|node| Pool { node, edge: Some(edge), hosts }).collect();
    Traffic::Web(Web {
        name: "web".into(),
        controller: controller(s),
        transport: 2,
        sources: pools(0, 5),
        receivers: pools(1, 7),
        receivers_of: Vec::new(),
        think_s: 0.3,
        size: Size::Pareto { mean_packets: 15.0, shape: 1.5 },
        at_once: 0.5,
        kinds: pick(s, &[&[][..], &[document(0.3)]]).to_vec(),
        controllers: maybe_mix(s),
        patience: pick(s, &[None, Some(Patience { share: 0.6, check_ps: 300 * MS, floor_per_s: 80.0 })]),
        surge: pick(s, &[None, Some(("D", 0.7)), Some(("", 0.2))]).map(surge),
    })
}

fn document(share: f64) -> FileKind {
    FileKind { file: 0, share, size: Size::Exponential { mean_packets: 90.0 } }
}

fn maybe_mix(s: &mut Stream) -> Vec<ControllerShare> {
    if pick(s, &[true, false]) { mix(s) } else { Vec::new() }
}

/// Two algorithms for all routers, and another for routers of class F.
fn mix(s: &mut Stream) -> Vec<ControllerShare> {
    let part = |class: &str, share, controller| ControllerShare { controller, share, class: class.into() };
    vec![part("", 0.25, controller(s)), part("F", 1.0, controller(s)), part("", 0.75, controller(s))]
}

fn surge((class, share): (&str, f64)) -> Surge {
    let size = Size::Fixed { packets: 300.0 };
    Surge { class: class.into(), share, from_ps: 600 * MS, until_ps: 1500 * MS, file: 1, size }
}
