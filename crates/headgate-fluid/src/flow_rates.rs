//! The equations that models share if links send feedback to flows and flows change their rates by it: XCP,
//! VCP.
//!
//! A link sends feedback to each class that passes it. The least feedback of the path, a round trip late,
//! changes the rate. Arrivals at a link are the sum of the rates over it. They are part of the state, so that
//! one number describes the past of a link, however many classes pass it.

use crate::model::{Class, Link, LinkConstants, Model, Now, Share};
use crate::network::{Network, Routes, band};
use crate::past::Past;
use crate::queues::Queues;

/// The inputs from which a link computes the feedback for a class.
#[derive(Clone, Copy, Debug)]
pub struct LinkView {
    /// The rate of a flow of the class.
    pub rate: f64,
    pub arrivals: f64,
    pub queue: f64,
}

/// A congestion control algorithm in terms of rates.
pub trait RateController: Send + Sync + Sized {
    fn new(values: &[f64], network: &Network) -> Self;

    /// The initial rate of a flow of a class, and its least rate, packets/s.
    fn start(&self, class: usize) -> f64;
    fn least(&self, class: usize) -> f64;

    /// The feedback of a link to a class, of the order of one; the least of the path counts.
    fn feedback(&self, class: usize, link: usize, seen: LinkView) -> f64;

    /// The slope of a rate, packets/s per second, from the least feedback and the rate of one round trip ago.
    fn slope(&self, class: usize, rate_then: f64, least: f64) -> f64;

    /// The weight of a flow of a class in the shares of links in equilibrium, if links share by levels.
    fn weight(&self, class: usize) -> Option<f64>;

    /// The arrivals of a link with room for `buffer` packets in equilibrium; see [`Model::takes`].
    fn takes(&self, link: usize, level: f64, buffer: f64) -> f64;

    /// The number of places at which the feedback bends, and a gap function of the order of one for each.
    fn bends(&self) -> usize {
        0
    }
    fn bend(&self, _link: usize, _index: usize, _arrivals: f64, _queue: f64) -> f64 {
        0.0
    }
}

/// A network of flows of one algorithm. The state consists of a rate for each class, then arrivals, then
/// queues for each link.
pub struct FlowRates<L> {
    controller: L,
    network: Network,
    routes: Routes,
    queues: Queues,
}

impl<L: RateController> FlowRates<L> {
    pub fn new(values: &[f64], network: &Network) -> Self {
        Self {
            controller: L::new(values, network),
            routes: Routes::of(network),
            queues: Queues::of(network),
            network: network.clone(),
        }
    }

    fn start(&self, class: usize) -> f64 {
        self.controller.start(class).max(self.controller.least(class))
    }

    /// The slope of each rate without its lower bound.
    fn look(&self, now: &Now<'_>, past: &mut Past<'_>, slopes: &mut [f64]) {
        let (classes, links) = (self.network.classes.len(), self.network.links.len());
        for (class, slope) in slopes.iter_mut().enumerate() {
            let then = past.at(class, now.t_s - self.network.classes[class].rtt_s);
            let rate = then.value(class);
            let least = self.routes.least(class, |link| {
                let (arrivals, queue) = (then.value(classes + link), then.value(classes + links + link));
                self.controller.feedback(class, link, LinkView { rate, arrivals, queue })
            });
            *slope = self.controller.slope(class, rate, least);
        }
    }

    /// The present feedback of a link to a class.
    fn feedback(&self, class: usize, link: usize, state: &[f64]) -> f64 {
        let (arrivals, queue) = (self.arrivals(state)[link], self.queues(state)[link]);
        self.controller.feedback(class, link, LinkView { rate: state[class], arrivals, queue })
    }

    /// The switch of a class, after those of queues: its rate is held at its least value.
    fn held(&self, class: usize) -> usize {
        self.queues.switches() + class
    }

    /// The present gap functions of bends, so that a lag that reaches them later finds them: first joints of
    /// paths, then links.
    fn bend_gaps(&self, now: &Now<'_>, gaps: &mut [f64]) {
        let sides = &now.sides[self.held(self.network.classes.len())..];
        let (joints, links) = gaps.split_at_mut(self.routes.joints());
        self.routes.joint_gaps(|class, link| self.feedback(class, link, now.state), sides, joints);
        let (arrivals, queues) = (self.arrivals(now.state), self.queues(now.state));
        for (index, gap) in links.iter_mut().enumerate() {
            let (link, index) = (index / self.controller.bends(), index % self.controller.bends());
            *gap = self.controller.bend(link, index, arrivals[link], queues[link]);
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

impl<L: RateController> Model for FlowRates<L> {
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
        let bends = self.routes.joints() + self.controller.bends() * self.network.links.len();
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
            let (least, held) = (self.controller.least(class), now.sides[self.held(class)]);
            *gap = if held { -*gap } else { least - now.state[class] } / least + band(held);
        }
    }

    fn confine(&self, state: &mut [f64]) {
        let (rates, links) = state.split_at_mut(self.network.classes.len());
        let (arrivals, queues) = links.split_at_mut(self.network.links.len());
        for (class, rate) in rates.iter_mut().enumerate() {
            *rate = rate.max(self.controller.least(class));
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

    fn link_constants(&self, index: usize) -> LinkConstants {
        self.network.link_constants(index)
    }

    fn share(&self, class: usize) -> Option<Share> {
        let weight = self.controller.weight(class)?;
        Some(Share { weight, least_packets_s: self.controller.least(class) })
    }

    fn takes(&self, link: usize, level: f64) -> f64 {
        self.controller.takes(link, level, self.link_constants(link).buffer_packets)
    }

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }
}
