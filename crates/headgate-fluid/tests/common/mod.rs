//! Networks, runs and water-filling for the tests of models with routers.
#![allow(dead_code, reason = "each test file takes a part of it")]

use headgate_fluid::model::{Class, Link, LinkConstants, Model, Now};
use headgate_fluid::models::{build_on, cards};
use headgate_fluid::network::{Flows, Network, Wire};
use headgate_fluid::past::Past;
use headgate_fluid::solve::{Method, solve};
use headgate_fluid::summary::{OutputColumns, output_columns};

pub const EXACT: Method = Method::Adaptive { relative: 1e-9, absolute: 1e-12, most_s: f64::INFINITY };
pub const ADAPTIVE: Method = Method::Adaptive { relative: 1e-6, absolute: 1e-9, most_s: f64::INFINITY };

pub fn flows(flows: f64, rtt_s: f64, path: &[usize]) -> Flows {
    Flows { flows, rtt_s, path: path.to_vec(), set: vec![] }
}

pub fn wire(rate_packets_s: f64) -> Wire {
    Wire { rate_packets_s, buffer_packets: None, delay_s: 0.0, set: vec![] }
}

pub fn network(classes: Vec<Flows>, links: Vec<Wire>) -> Network {
    Network { classes, links, packet_bytes: 1500.0 }
}

/// Links of 1000, 1300, 1600, ... packets/s; two flows over all, three over each.
pub fn parking_lot(links: usize) -> Network {
    let all: Vec<usize> = (0..links).collect();
    let mut classes = vec![flows(2.0, 0.15, &all)];
    classes.extend((0..links).map(|link| flows(3.0, 0.05 + 0.01 * link as f64, &[link])));
    network(classes, (0..links).map(|link| wire(1000.0 + 300.0 * link as f64)).collect())
}

/// Classes on paths of one to four links, distributed evenly; every link carries one.
pub fn large(classes: usize, links: usize) -> Network {
    let part = |index: usize, step: f64| (index as f64 * step).fract();
    let class = |index: usize| {
        let step = 1 + (7.0 * part(index, 0.324_718)) as usize;
        let mut path: Vec<usize> =
            (0..=(index / links) % 4).map(|hop| (index + step * hop) % links).collect();
        path.sort_unstable();
        path.dedup();
        flows((1 + index % 5) as f64, 0.02 + 0.18 * part(index, 0.754_878), &path)
    };
    let wires = (0..links).map(|index| wire(2000.0 + 6000.0 * part(index, 0.569_840)));
    network((0..classes).map(class).collect(), wires.collect())
}

/// Numbers between 0 and 1 from a seed (a linear congruential generator, Knuth's constants).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        let mut chance = Self(seed);
        chance.part();
        chance
    }

    pub fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number between two bounds, uniform in the logarithm.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.part())
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.part() * bound as f64) as usize
    }

    /// One to twelve classes over one to six links: 0.1 to 100 flows, 10 ms to 1 s, 10 to 1e6 packets/s,
    /// buffers from 0 to a second, or none.
    pub fn network(&mut self) -> Network {
        let (classes, links) = (1 + self.below(12), 1 + self.below(6));
        let wires = (0..links).map(|_| self.wire()).collect();
        network((0..classes).map(|_| self.class(links)).collect(), wires)
    }

    fn wire(&mut self) -> Wire {
        let rate = self.between(10.0, 1e6);
        let buffer_packets = [None, Some(0.0), Some(rate * self.part())][self.below(3)];
        Wire { buffer_packets, ..wire(rate) }
    }

    fn class(&mut self, links: usize) -> Flows {
        let mut path: Vec<usize> = (0..links).filter(|_| self.part() < 0.5).collect();
        if path.is_empty() {
            path.push(self.below(links));
        }
        flows(self.between(0.1, 100.0), self.between(0.01, 1.0), &path)
    }
}

pub fn assert_near(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found} beside {expected}");
}

fn card(controller: &str) -> usize {
    cards().iter().position(|card| card.name == controller).expect("the card")
}

/// The index of a parameter.
pub fn index(controller: &str, name: &str) -> usize {
    cards()[card(controller)].params.iter().position(|param| param.name == name).expect("the parameter")
}

/// A model on a network, whose queues may contain packets at the start.
pub struct Case {
    model: Box<dyn Model>,
    queue: f64,
}

/// The equilibrium of a network.
pub struct Rest {
    pub rates: Vec<f64>,
    pub queues: Vec<f64>,
    pub arrivals: Vec<f64>,
}

impl Case {
    pub fn of(controller: &str, changes: &[(&str, f64)], network: &Network) -> Self {
        let mut values: Vec<f64> =
            cards()[card(controller)].params.iter().map(|param| param.default).collect();
        for (name, value) in changes {
            values[index(controller, name)] = *value;
        }
        Self { model: build_on(card(controller), &values, network), queue: 0.0 }
    }

    pub fn queued(self, queue: f64) -> Self {
        Self { queue, ..self }
    }

    pub fn run(&self, method: &Method, end_s: f64, every_s: f64) -> OutputColumns {
        output_columns(self, &solve(self, method, end_s).expect("a solution"), every_s, 0.0)
    }

    pub fn rest(&self, method: &Method, end_s: f64) -> Rest {
        let shown = output_columns(self, &solve(self, method, end_s).expect("a solution"), end_s, end_s);
        let of_links = |column: usize| shown.links.iter().map(|link| link[column][0]).collect();
        Rest {
            rates: shown.classes.iter().map(|class| class[2][0]).collect(),
            queues: of_links(0),
            arrivals: of_links(3),
        }
    }
}

/// The model, but for its queues at the start: the last places of the state.
impl Model for Case {
    fn before(&self, t_s: f64, index: usize) -> f64 {
        let first = self.model.dimension() - self.model.links();
        if index < first { self.model.before(t_s, index) } else { self.queue }
    }
    fn dimension(&self) -> usize {
        self.model.dimension()
    }
    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        self.model.slope(now, past, slope);
    }
    fn lags(&self) -> usize {
        self.model.lags()
    }
    fn switches(&self) -> usize {
        self.model.switches()
    }
    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        self.model.gaps(now, past, gaps);
    }
    fn confine(&self, state: &mut [f64]) {
        self.model.confine(state);
    }
    fn classes(&self) -> usize {
        self.model.classes()
    }
    fn links(&self) -> usize {
        self.model.links()
    }
    fn class(&self, state: &[f64], index: usize) -> Class {
        self.model.class(state, index)
    }
    fn link(&self, state: &[f64], index: usize) -> Link {
        self.model.link(state, index)
    }
    fn link_constants(&self, index: usize) -> LinkConstants {
        self.model.link_constants(index)
    }
}

/// Rates by water-filling: all rise together until a link is full; its flows stop, the others continue.
/// `takes` is the total that a link carries if the flows that it limits send at the rate `level`; it does not
/// increase with the level.
pub fn max_min(net: &Network, takes: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; net.classes.len()];
    let asked = |rates: &[Option<f64>], link: usize, level: f64| {
        let passing = net.classes.iter().zip(rates).filter(|(class, _)| class.path.contains(&link));
        passing.map(|(class, rate)| class.flows * rate.unwrap_or(level)).sum::<f64>()
    };
    let rising = |rates: &[Option<f64>], link: usize| {
        net.classes.iter().zip(rates).any(|(class, rate)| rate.is_none() && class.path.contains(&link))
    };
    while rates.contains(&None) {
        let full_at = |link: usize| {
            let (mut low, mut high) = (0.0, 1e9);
            for _ in 0..200 {
                let level = 0.5 * (low + high);
                if asked(&rates, link, level) < takes(link, level) { low = level } else { high = level }
            }
            (low, link)
        };
        let open = (0..net.links.len()).filter(|link| rising(&rates, *link));
        let (level, link) = open.map(full_at).min_by(|one, two| one.0.total_cmp(&two.0)).expect("a link");
        for (class, rate) in net.classes.iter().zip(&mut rates) {
            if rate.is_none() && class.path.contains(&link) {
                *rate = Some(level);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// The number of different rates.
pub fn levels(rates: &[f64]) -> usize {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup_by(|one, two| (*one / *two - 1.0).abs() < 1e-6);
    sorted.len()
}
