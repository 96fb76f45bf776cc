//! What models share whose flows change their rates by what links say of themselves: XCP, VCP.
//!
//! A law says how fast a rate changes, from the rate and from what the links of its path said a round trip
//! ago. What arrives at a link is the sum of the rates over it; it has a place in the state, so that a look at
//! the past of a link is one number however many classes pass it.

use crate::history::Moment;
use crate::model::{Class, Line, Link, Model, Now};
use crate::network::{Network, Routes};
use crate::past::Past;
use crate::queues::Queues;

/// Rates and links at a moment of the past.
pub struct Then<'a> {
    moment: Moment<'a>,
    classes: usize,
    links: usize,
}

impl Then<'_> {
    pub fn rate(&self, class: usize) -> f64 {
        self.moment.value(class)
    }

    pub fn arrivals(&self, link: usize) -> f64 {
        self.moment.value(self.classes + link)
    }

    pub fn queue(&self, link: usize) -> f64 {
        self.moment.value(self.classes + self.links + link)
    }
}

/// A law of rates.
pub trait RateLaw: Send + Sync + Sized {
    fn new(values: &[f64], network: &Network) -> Self;

    /// What a flow of a class sends at the start, and the least that it ever sends, packets/s.
    fn start(&self, class: usize) -> f64;
    fn least(&self, class: usize) -> f64;

    /// How fast the rate of a flow changes, packets/s in a second.
    fn slope(&self, class: usize, path: &[usize], rate: f64, then: &Then<'_>) -> f64;
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
            let moment = past.at(class, now.t_s - self.network.classes[class].rtt_s);
            let then = Then { moment, classes, links };
            *slope = self.law.slope(class, self.routes.path(class), now.state[class], &then);
        }
    }

    /// A class has one switch, after those of queues: its rate is held at its least.
    fn held(&self, class: usize) -> usize {
        self.queues.switches() + class
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
        self.queues.switches() + self.network.classes.len()
    }

    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        let (queues, held) = gaps.split_at_mut(self.queues.switches());
        self.queues.arrivals(queues).copy_from_slice(self.arrivals(now.state));
        self.queues.gaps(now.sides, self.queues(now.state), queues);
        self.look(now, past, held);
        for (class, gap) in held.iter_mut().enumerate() {
            let above = now.state[class] - self.law.least(class);
            *gap = if now.sides[self.held(class)] { -*gap } else { -above };
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

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }
}

#[cfg(test)]
pub mod checks {
    use super::*;
    use crate::model::Model;

    /// A past that was as it is now: what a law sees in `state`, as [`FlowRates`] has it.
    struct Constant(Vec<f64>);

    impl Model for Constant {
        fn dimension(&self) -> usize {
            self.0.len()
        }
        fn before(&self, _t_s: f64, index: usize) -> f64 {
            self.0[index]
        }
        fn slope(&self, _now: &Now<'_>, _past: &mut Past<'_>, _slope: &mut [f64]) {}
    }

    /// The slope of a class, in a network that has been for long as it is in `state`.
    pub fn slope<L: RateLaw>(law: &L, network: &Network, class: usize, state: &[f64]) -> f64 {
        let constant = Constant(state.to_vec());
        let moment = Moment::before(&constant, 0.0);
        let then = Then { moment, classes: network.classes.len(), links: network.links.len() };
        law.slope(class, &network.classes[class].path, state[class], &then)
    }
}
