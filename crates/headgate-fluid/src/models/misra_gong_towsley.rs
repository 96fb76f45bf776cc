//! TCP over RED in a network: the fluid model of Misra, Gong and Towsley.
//!
//! # Overview
//! Each class of equal flows adds a packet per round trip to its window and reduces it by a fraction at each
//! loss or mark, which it learns of one round trip later. Each link drops or marks by RED, from a moving
//! average of its queue. There may be any number of classes over any number of links.
//!
//! # The equations
//! A flow of class `i` has window `W`, round trip `R = rtt + sum of q/C` over the links of its path,
//! and rate `W/R`. With `s = t - R(t)`: `W' = 1/R - beta W (W(s)/R(s)) p(s)`, with `p = 1 - prod (1 -
//! p_l)` over its links. A link with the flows `n` of each class that passes it has `q' = sum of n W/R - C`,
//! `q` bounded by `[0, buffer]`, `x' = C ln(1 - weight) (x - q)`, and `p_l = RED(x)`: 0 up to `min_packets`,
//! `max_p` at `max_packets`, and from there to 1 at twice `max_packets` (`gentle`), or 1 at once. In
//! equilibrium `W = 1/(beta p)^0.5`, and every link is full or its queue is empty.
//!
//! # Differences from the source
//! NOTE(Misra, Gong, Towsley 2000): drops at one link do not reduce the arrivals at the next, and the
//! distance of a link from the sender does not delay them. A full buffer drops the excess, but senders do not
//! learn of it: RED is meant to keep queues shorter. There are no time-outs and there is no slow start.
//! `increase = ack` counts ACKs instead of round trips, `W' = (1 - p(s)) W(s)/(R(s) W) - ...`, as the model
//! `tcp-red` does; its equilibrium is `W = ((1 - p)/(beta p))^0.5`. Thresholds and a weight of 0 are set as
//! in ns-2.
//!
//! # When to use it
//! For many long flows: how averaging, delay and the number of flows make TCP over RED settle or oscillate.
//! For one flow and for windows of few packets it is coarse.
//!
//! # References
//! Misra, Gong, Towsley 2000; Hollot, Misra, Towsley, Gong 2001 (the network of the defaults); Floyd,
//! Jacobson 1993 (RED); Floyd 2000 (gentle).

use headgate_model::params::Card;

use crate::history::Moment;
use crate::model::{Class, Link, LinkConstants, Model, Now};
use crate::network::{Network, Routes, Wire, own_values};
use crate::past::Past;
use crate::queues::Queues;

headgate_model::choices! {
    /// The unit of time of additive increase.
    pub enum Increase {
        /// Round trips.
        Round = "round",
        /// ACKs.
        Ack = "ack",
    }
}

headgate_model::params! {
    /// Window at the start.
    initial_window: number(1.0, (1e-3, 1e9), "packets", "Misra, Gong, Towsley 2000"),
    /// Fraction by which a loss reduces the window.
    beta: number(0.5, (1e-6, 1.0), "1", "Misra, Gong, Towsley 2000"),
    /// Unit of time of the increase: a round trip, or an ACK.
    increase: choice(Increase, "Misra, Gong, Towsley 2000; RFC 5681"),
    /// Mean queue length at which drops begin; 0 = automatic.
    min_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 5 in Floyd, Jacobson 1993"),
    /// Mean queue length at which the drop probability is `max_p`; 0 = three times `min_packets`.
    max_packets: number(0.0, (0.0, 1e12), "packets", "ns-2.35; 15 in Floyd, Jacobson 1993",
        at_least ["min_packets"]),
    /// Drop probability at the upper threshold.
    max_p: number(0.1, (1e-9, 1.0), "1", "ns-2.35; 0.02 in Floyd, Jacobson 1993"),
    /// Weight of an arrival in the mean; 0 = automatic, an average over one second.
    weight: number(0.0, (0.0, 0.999_999), "1", "ns-2.35; 0.002 in Floyd, Jacobson 1993"),
    /// Whether the probability rises from `max_p` to 1 above the upper threshold, or jumps to 1.
    gentle: switch(["on", "off"], "Floyd 2000; ns-2.35"),
}

pub const CARD: Card = Card {
    name: "misra-gong-towsley",
    title: "TCP over RED, many classes and links",
    aliases: &["mgt"],
    family: "loss",
    rule: "W' = 1/R - beta W (W(s)/R(s)) p(s), s = t - R; q' = sum n W/R - C; x' = C ln(1 - weight) (x - q)",
    response: "W = 1/(beta p)^0.5",
    references: &["Misra, Gong, Towsley 2000", "Hollot, Misra, Towsley, Gong 2001"],
    params: Params::TABLE,
};

/// Parameters of links; the others are those of classes.
pub const OF_LINKS: &[&str] = &["min_packets", "max_packets", "max_p", "weight", "gentle"];

/// ns-2's automatic RED: the queueing delay that its thresholds target, the least lower threshold, and the
/// time that its mean covers (ten times a round trip of 0.1 s).
const TARGET_S: f64 = 0.005;
const LEAST_MIN: f64 = 5.0;
const COVERS_S: f64 = 1.0;

pub struct MisraGongTowsley {
    network: Network,
    routes: Routes,
    classes: Vec<Params>,
    reds: Vec<Red>,
    /// Transmission time of a packet on each link.
    packet_s: Vec<f64>,
    queues: Queues,
}

/// RED at a link.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Red {
    min: f64,
    max: f64,
    max_p: f64,
    gentle: bool,
    /// The decay rate of the mean, 1/s.
    forgets: f64,
}

impl Red {
    fn new(params: &Params, rate: f64) -> Self {
        let automatic = LEAST_MIN.max(TARGET_S * rate / 2.0);
        let min = if params.min_packets == 0.0 { automatic } else { params.min_packets };
        let max = if params.max_packets == 0.0 { 3.0 * min } else { params.max_packets };
        let forgets = if params.weight == 0.0 { 1.0 / COVERS_S } else { -libm::log1p(-params.weight) * rate };
        Self { min, max, max_p: params.max_p, gentle: params.gentle, forgets }
    }

    fn probability(&self, mean: f64) -> f64 {
        if mean <= self.min {
            return 0.0;
        }
        if mean <= self.max {
            return self.max_p * (mean - self.min) / (self.max - self.min);
        }
        let above = if self.gentle { (mean - self.max) / self.max } else { 1.0 };
        (self.max_p + (1.0 - self.max_p) * above).min(1.0)
    }
}

impl MisraGongTowsley {
    pub fn new(values: &[f64], network: &Network) -> Self {
        let own = |set: &[(usize, f64)]| Params::from_values(&own_values(values, set));
        let red = |wire: &Wire| Red::new(&own(&wire.set), wire.rate_packets_s);
        Self {
            classes: network.classes.iter().map(|class| own(&class.set)).collect(),
            reds: network.links.iter().map(red).collect(),
            packet_s: network.links.iter().map(|wire| 1.0 / wire.rate_packets_s).collect(),
            routes: Routes::of(network),
            queues: Queues::of(network),
            network: network.clone(),
        }
    }

    /// The index of a link's queue in the state, and of its mean.
    fn queue(&self, link: usize) -> usize {
        self.classes.len() + link
    }

    fn mean(&self, link: usize) -> usize {
        self.classes.len() + self.reds.len() + link
    }

    fn rtt_s(&self, class: usize, state: &[f64]) -> f64 {
        let wait_s = |link: &usize| state[self.queue(*link)] * self.packet_s[*link];
        self.network.classes[class].rtt_s + self.routes.path(class).iter().map(wait_s).sum::<f64>()
    }

    /// The round trip and the loss probability of the path at a time in the past.
    fn path_then(&self, class: usize, then: &Moment<'_>) -> (f64, f64) {
        let (mut rtt_s, mut passes) = (self.network.classes[class].rtt_s, 1.0);
        for link in self.routes.path(class) {
            rtt_s += then.value(self.queue(*link)) * self.packet_s[*link];
            passes *= 1.0 - self.reds[*link].probability(then.value(self.mean(*link)));
        }
        (rtt_s, 1.0 - passes)
    }

    fn window_slope(&self, now: &Now<'_>, past: &mut Past<'_>, class: usize) -> f64 {
        let window = now.state[class];
        let rtt_s = self.rtt_s(class, now.state);
        let then = past.at(class, now.t_s - rtt_s);
        let (rtt_then_s, p) = self.path_then(class, &then);
        let acks = then.value(class) / rtt_then_s;
        let Params { beta, increase, .. } = self.classes[class];
        let growth = match increase {
            Increase::Round => 1.0 / rtt_s,
            Increase::Ack => (1.0 - p) * acks / window,
        };
        growth - beta * window * acks * p
    }

    fn arrivals(&self, state: &[f64], arrivals: &mut [f64]) {
        let rate = |class: usize| state[class] / self.rtt_s(class, state);
        self.routes.arrivals(rate, arrivals);
    }
}

impl Model for MisraGongTowsley {
    fn dimension(&self) -> usize {
        self.classes.len() + 2 * self.reds.len()
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        self.classes.get(index).map_or(0.0, |class| class.initial_window)
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        for (class, slope) in slope[..self.classes.len()].iter_mut().enumerate() {
            *slope = self.window_slope(now, past, class);
        }
        let (queues, means) = slope[self.classes.len()..].split_at_mut(self.reds.len());
        self.arrivals(now.state, queues);
        self.queues.slope(now.sides, queues);
        for (link, mean) in means.iter_mut().enumerate() {
            *mean = self.reds[link].forgets * (now.state[self.queue(link)] - now.state[self.mean(link)]);
        }
    }

    fn lags(&self) -> usize {
        self.classes.len()
    }

    fn switches(&self) -> usize {
        self.queues.switches()
    }

    fn gaps(&self, now: &Now<'_>, _past: &mut Past<'_>, gaps: &mut [f64]) {
        self.arrivals(now.state, self.queues.arrivals(gaps));
        self.queues.gaps(now.sides, &now.state[self.queue(0)..self.mean(0)], gaps);
    }

    fn confine(&self, state: &mut [f64]) {
        let (windows, rest) = state.split_at_mut(self.classes.len());
        self.queues.confine(&mut rest[..self.reds.len()]);
        windows.iter_mut().for_each(|window| *window = window.max(0.0));
    }

    fn edge(&self, state: &mut [f64], switch: usize, side: bool) {
        self.queues.edge(&mut state[self.queue(0)..self.mean(0)], switch, side);
    }

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn flows(&self, index: usize) -> f64 {
        self.network.classes[index].flows
    }

    fn links(&self) -> usize {
        self.reds.len()
    }

    fn class(&self, state: &[f64], index: usize) -> Class {
        let (window_packets, rtt_s) = (state[index], self.rtt_s(index, state));
        Class { window_packets, rtt_s, rate_packets_s: window_packets / rtt_s }
    }

    fn link(&self, state: &[f64], index: usize) -> Link {
        let mut arrivals = vec![0.0; self.reds.len()];
        self.arrivals(state, &mut arrivals);
        let mean_queue_packets = state[self.mean(index)];
        Link {
            queue_packets: state[self.queue(index)],
            mean_queue_packets,
            drop_probability: self.reds[index].probability(mean_queue_packets),
            arrival_packets_s: arrivals[index],
        }
    }

    fn link_constants(&self, index: usize) -> LinkConstants {
        self.network.link_constants(index)
    }

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 2000 packets/s: 5 and 15 packets, because half of 5 ms is 5 packets; a mean over one second.
    #[test]
    fn thresholds_of_zero_are_set_as_ns_2_sets_them() {
        let red = Red::new(&Params::default(), 2000.0);
        assert_eq!(red, Red { min: 5.0, max: 15.0, max_p: 0.1, gentle: true, forgets: 1.0 });
        assert_eq!(Red::new(&Params::default(), 4000.0).min, 10.0);
    }

    #[test]
    fn red_rises_to_its_highest_then_to_one_at_twice_the_threshold() {
        let red = Red { min: 5.0, max: 15.0, max_p: 0.1, gentle: true, forgets: 1.0 };
        for (mean, p) in [(5.0, 0.0), (10.0, 0.05), (15.0, 0.1), (22.5, 0.55), (30.0, 1.0), (40.0, 1.0)] {
            assert!((red.probability(mean) - p).abs() < 1e-15, "{mean}");
        }
        assert_eq!(Red { gentle: false, ..red }.probability(15.1), 1.0);
    }
}
