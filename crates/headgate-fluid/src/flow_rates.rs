//! What models share whose flows change their rates by what links say of themselves: XCP, VCP.
//!
//! A link says something to each class that passes it; the least on the path, a round trip late, moves the
//! rate. What arrives at a link is the sum of the rates over it; it has a place in the state, so that a look at
//! the past of a link is one number however many classes pass it.

use crate::model::{Class, Line, Link, Model, Now, Share};
use crate::network::{Network, Routes, band};
use crate::past::Past;
use crate::queues::Queues;

/// What a link knows when it says something to a class.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// What a flow of the class sends.
    pub rate: f64,
    pub arrivals: f64,
    pub queue: f64,
}

/// A law of rates.
pub trait RateLaw: Send + Sync + Sized {
    fn new(values: &[f64], network: &Network) -> Self;

    /// What a flow of a class sends at the start, and the least that it ever sends, packets/s.
    fn start(&self, class: usize) -> f64;
    fn least(&self, class: usize) -> f64;

    /// What a link says to a class, of the size of one; the least of the path counts.
    fn says(&self, class: usize, link: usize, seen: Seen) -> f64;

    /// How fast a rate changes, packets/s in a second, by the least of the path and the rate of a round trip ago.
    fn slope(&self, class: usize, rate_then: f64, least: f64) -> f64;

    /// The weight of a flow of a class in what links share in equilibrium, if they share by levels.
    fn weight(&self, class: usize) -> Option<f64>;

    /// What a link with room for `buffer` packets takes in equilibrium; see [`Model::takes`].
    fn takes(&self, link: usize, level: f64, buffer: f64) -> f64;

    /// In how many places what a link says bends, and a gap for each, of the size of one.
    fn bends(&self) -> usize {
        0
    }
    fn bend(&self, _link: usize, _index: usize, _arrivals: f64, _queue: f64) -> f64 {
        0.0
    }
}

/// A network of flows of one law. The state has a rate for each class, then arrivals, then queues for each link.
pub struct FlowRates<L> {
    law: L,
    network: Network,
    routes: Routes,
    queues: Queues,
}

impl<L: RateLaw> FlowRates<L> {
    pub fn new(values: &[f64], network: &Network) -> Self {
        Self {
            law: L::new(values, network),
            routes: Routes::of(network),
            queues: Queues::of(network),
            network: network.clone(),
        }
    }

    fn start(&self, class: usize) -> f64 {
        self.law.start(class).max(self.law.least(class))
    }

    /// How fast each rate changes, were it free to.
    fn look(&self, now: &Now<'_>, past: &mut Past<'_>, slopes: &mut [f64]) {
        let (classes, links) = (self.network.classes.len(), self.network.links.len());
        for (class, slope) in slopes.iter_mut().enumerate() {
            let then = past.at(class, now.t_s - self.network.classes[class].rtt_s);
            let rate = then.value(class);
            let least = self.routes.least(class, |link| {
                let (arrivals, queue) = (then.value(classes + link), then.value(classes + links + link));
                self.law.says(class, link, Seen { rate, arrivals, queue })
            });
            *slope = self.law.slope(class, rate, least);
        }
    }

    /// What a link says to a class now.
    fn says(&self, class: usize, link: usize, state: &[f64]) -> f64 {
        let (arrivals, queue) = (self.arrivals(state)[link], self.queues(state)[link]);
        self.law.says(class, link, Seen { rate: state[class], arrivals, queue })
    }

    /// A class has one switch, after those of queues: its rate is held at its least.
    fn held(&self, class: usize) -> usize {
        self.queues.switches() + class
    }

    /// Gaps of what only bends, now, so that a lag that meets it later finds it: joints of paths, then links.
    fn bend_gaps(&self, now: &Now<'_>, gaps: &mut [f64]) {
        let sides = &now.sides[self.held(self.network.classes.len())..];
        let (joints, links) = gaps.split_at_mut(self.routes.joints());
        self.routes.joint_gaps(|class, link| self.says(class, link, now.state), sides, joints);
        let (arrivals, queues) = (self.arrivals(now.state), self.queues(now.state));
        for (index, gap) in links.iter_mut().enumerate() {
            let (link, index) = (index / self.law.bends(), index % self.law.bends());
            *gap = self.law.bend(link, index, arrivals[link], queues[link]);
        }
        for (gap, side) in links.iter_mut().zip(&sides[joints.len()..]) {
            *gap += band(*side);
        }
    }

    fn arrivals<'s>(&self, state: &'s [f64]) -> &'s [f64] {
        &state[self.network.classes.len()..][..self.network.links.len()]
    }

    fn queues<'s>(&self, state: &'s [f64]) -> &'s [f64] {
        &state[self.network.classes.len() + self.network.links.len()..]
    }
}

impl<L: RateLaw> Model for FlowRates<L> {
    fn dimension(&self) -> usize {
        self.network.classes.len() + 2 * self.network.links.len()
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        let (classes, links) = (self.network.classes.len(), self.network.links.len());
        if index < classes {
            return self.start(index);
        }
        let link = index - classes;
        if link < links { self.routes.arrival(link, |class| self.start(class)) } else { 0.0 }
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        let (rates, links) = slope.split_at_mut(self.network.classes.len());
        let (arrivals, queues) = links.split_at_mut(self.network.links.len());
        self.look(now, past, rates);
        for (class, rate) in rates.iter_mut().enumerate() {
            *rate = if now.sides[self.held(class)] { 0.0 } else { *rate };
        }
        self.routes.arrivals(|class| rates[class], arrivals);
        queues.copy_from_slice(self.arrivals(now.state));
        self.queues.slope(now.sides, queues);
    }

    fn lags(&self) -> usize {
        self.network.classes.len()
    }

    fn switches(&self) -> usize {
        let bends = self.routes.joints() + self.law.bends() * self.network.links.len();
        self.held(self.network.classes.len()) + bends
    }

    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        let (queues, classes) = gaps.split_at_mut(self.queues.switches());
        let (held, bends) = classes.split_at_mut(self.network.classes.len());
        self.bend_gaps(now, bends);
        self.queues.arrivals(queues).copy_from_slice(self.arrivals(now.state));
        self.queues.gaps(now.sides, self.queues(now.state), queues);
        self.look(now, past, held);
        for (class, gap) in held.iter_mut().enumerate() {
            let (least, held) = (self.law.least(class), now.sides[self.held(class)]);
            *gap = if held { -*gap } else { least - now.state[class] } / least + band(held);
        }
    }

    fn confine(&self, state: &mut [f64]) {
        let (rates, links) = state.split_at_mut(self.network.classes.len());
        let (arrivals, queues) = links.split_at_mut(self.network.links.len());
        for (class, rate) in rates.iter_mut().enumerate() {
            *rate = rate.max(self.law.least(class));
        }
        self.routes.arrivals(|class| rates[class], arrivals);
        self.queues.confine(queues);
    }

    fn edge(&self, state: &mut [f64], switch: usize, side: bool) {
        let first = self.network.classes.len() + self.network.links.len();
        self.queues.edge(&mut state[first..], switch, side);
    }

    fn classes(&self) -> usize {
        self.network.classes.len()
    }

    fn flows(&self, index: usize) -> f64 {
        self.network.classes[index].flows
    }

    fn links(&self) -> usize {
        self.network.links.len()
    }

    fn class(&self, state: &[f64], index: usize) -> Class {
        let (rate_packets_s, rtt_s) = (state[index], self.network.rtt_s(index, self.queues(state)));
        Class { window_packets: rate_packets_s * rtt_s, rtt_s, rate_packets_s }
    }

    fn link(&self, state: &[f64], index: usize) -> Link {
        let queue_packets = self.queues(state)[index];
        Link {
            queue_packets,
            mean_queue_packets: queue_packets,
            drop_probability: 0.0,
            arrival_packets_s: self.arrivals(state)[index],
        }
    }

    fn line(&self, index: usize) -> Line {
        self.network.line(index)
    }

    fn share(&self, class: usize) -> Option<Share> {
        let weight = self.law.weight(class)?;
        Some(Share { weight, least_packets_s: self.law.least(class) })
    }

    fn takes(&self, link: usize, level: f64) -> f64 {
        self.law.takes(link, level, self.line(link).buffer_packets)
    }

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }
}
