//! RCP: every link offers one rate to all flows.
//!
//! # Overview
//! Each link changes its rate `R` by its spare capacity and its queue, and every flow sends at the least rate
//! of its path, one round trip later. In equilibrium the rates are max-min fair for any round trips.
//!
//! # The equations
//! `R' = R (alpha (gamma C - y) - beta (q - q0)/d)/(gamma C d)`, with `R` bounded by `least` packets per
//! round trip and `gamma C`. A class of `n` flows with the round trip `T` sends `n x`; `x` is the least
//! `R(t - T)` of its path; `y` is the sum of these over the classes of a link, `d` the mean of their round
//! trips weighted by their rates, and `q' = y - C`, bounded by 0 and the buffer. `q0` is `target_packets`. In
//! equilibrium a link is full (`y = gamma C`) and its `R` is the rate of every flow that no other link limits
//! more, or it is not full and `R = gamma C`. With time in units of `d` the loop of one link is `G(s) =
//! (alpha s + beta) e^-s/s^2`.
//!
//! # Differences from the source
//! NOTE(Balakrishnan, Dukkipati, McKeown, Tomlin 2007): round trips exclude queueing, as in the analysis of
//! the papers; routers measure them with queues and average them. `R` changes continuously, not every 10 ms.
//! `target_packets` is Headgate's: linear theory holds only if the queue never empties, and requires `gamma =
//! 1`. Flows are permanent: before time 0 they sent at the initial rates. The rate that a class or a link
//! reports is the one that links assign now; it arrives one round trip later.
//!
//! # When to use it
//! For long flows: rates, queues and stability. Short flows, for which RCP was designed, need packets.
//!
//! # References
//! Dukkipati, Kobayashi, Zhang-Shen, McKeown 2005; Dukkipati, McKeown 2006; Balakrishnan, Dukkipati, McKeown,
//! Tomlin 2007 (stability).

use headgate_model::params::Card;

use crate::model::{Class, Link, LinkConstants, Model, Now, Share};
use crate::network::{Network, Routes, Wire, band, own_values};
use crate::past::Past;
use crate::queues::Queues;

headgate_model::params! {
    /// Gain of the spare capacity.
    alpha: number(0.4, (0.0, 10.0), "1", "Dukkipati's ns-2 code; the run of figure 6 has 0.1"),
    /// Gain of the queue.
    beta: number(0.4, (0.0, 10.0), "1", "Dukkipati's ns-2 code; the run of figure 6 has 1"),
    /// Target utilisation of the link.
    gamma: number(1.0, (0.01, 1.0), "1", "Dukkipati's ns-2 code"),
    /// Initial rate, as a fraction of the link's.
    start: number(0.05, (1e-9, 1.0), "1", "Dukkipati's ns-2 code"),
    /// Least rate.
    least: number(0.01, (0.0, 100.0), "packets/RTT", "Dukkipati's ns-2 code; 0.1 in the NetFPGA's"),
    /// Target queue length.
    target_packets: number(0.0, (0.0, 1e12), "packets", "Dukkipati, McKeown 2006: none; others are ours"),
}

pub const CARD: Card = Card {
    name: "rcp",
    title: "RCP, many classes and links",
    aliases: &[],
    family: "explicit",
    rule: "R' = R (alpha (gamma C - y) - beta (q - q0)/d)/(gamma C d); q' = y - C; y = sum of n min R(t - T)",
    response: "y = gamma C, q = q0, max-min fair rates",
    references: &["Dukkipati, McKeown 2006", "Balakrishnan, Dukkipati, McKeown, Tomlin 2007"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &["alpha", "beta", "gamma", "start", "least", "target_packets"];

pub struct Rcp {
    network: Network,
    routes: Routes,
    queues: Queues,
    routers: Vec<Router>,
}

/// The constants of a link's controller.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Router {
    params: Params,
    /// The target rate and largest rate of a flow, packets/s.
    aim: f64,
    /// The least rate of a flow, packets/s.
    least: f64,
}

impl Router {
    /// `rtt_s` is the mean round trip of the link's flows, or `None` if it carries none.
    fn new(params: Params, rate: f64, rtt_s: Option<f64>) -> Self {
        let aim = params.gamma * rate;
        let least = rtt_s.map_or(0.0, |rtt_s| params.least / rtt_s).min(aim);
        Self { params, aim, least }
    }

    fn start(&self) -> f64 {
        (self.params.start * self.aim / self.params.gamma).clamp(self.least, self.aim)
    }

    /// Whether the arrivals in equilibrium are the target rate.
    fn fills(&self, buffer: f64) -> bool {
        let Params { alpha, gamma, target_packets, .. } = self.params;
        alpha > 0.0 && (target_packets == 0.0 || (gamma == 1.0 && target_packets <= buffer))
    }

    /// The relative slope of the rate with `arrivals` of the mean round trip `rtt_s`.
    fn growth(&self, arrivals: f64, queue: f64, rtt_s: f64) -> f64 {
        let Params { alpha, beta, target_packets, .. } = self.params;
        (alpha * (self.aim - arrivals) - beta * (queue - target_packets) / rtt_s) / (self.aim * rtt_s)
    }
}

impl Rcp {
    pub fn new(values: &[f64], network: &Network) -> Self {
        let router = |(wire, (_, rtt_s)): (&Wire, (f64, Option<f64>))| {
            Router::new(Params::from_values(&own_values(values, &wire.set)), wire.rate_packets_s, rtt_s)
        };
        Self {
            routers: network.links.iter().zip(network.traffic(|_| 1.0)).map(router).collect(),
            queues: Queues::of(network),
            routes: Routes::of(network),
            network: network.clone(),
        }
    }

    /// Computes the arrivals at each link, and the relative slope of its rate.
    fn look(&self, now: &Now<'_>, past: &mut Past<'_>, growth: &mut [f64], arrivals: &mut [f64]) {
        arrivals.fill(0.0);
        growth.fill(0.0);
        for (class, part) in self.network.classes.iter().enumerate() {
            let then = past.at(class, now.t_s - part.rtt_s);
            let sent = part.flows * self.routes.least(class, |link| then.value(link));
            for link in self.routes.path(class) {
                arrivals[*link] += sent;
                growth[*link] += sent * part.rtt_s;
            }
        }
        let queues = &now.state[self.routers.len()..];
        for (link, growth) in growth.iter_mut().enumerate() {
            // Nothing is known about a link that carries no flow; its rate is constant.
            let rtt_s = *growth / arrivals[link];
            let known = arrivals[link] > 0.0;
            *growth =
                if known { self.routers[link].growth(arrivals[link], queues[link], rtt_s) } else { 0.0 };
        }
    }

    /// The rate of a link relative to that of the first link of the path.
    fn part(&self, class: usize, link: usize, rates: &[f64]) -> f64 {
        rates[link] / self.routers[self.routes.path(class)[0]].aim
    }

    /// The switches of a link after those of its queue: its rate is held at its least, or at its greatest
    /// value. After them come the joints of paths, which inform lags of bends.
    fn switch(&self, link: usize) -> (usize, usize) {
        let first = self.queues.switches() + 2 * link;
        (first, first + 1)
    }
}

impl Model for Rcp {
    fn dimension(&self) -> usize {
        2 * self.routers.len()
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        self.routers.get(index).map_or(0.0, Router::start)
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        let (rates, queues) = slope.split_at_mut(self.routers.len());
        self.look(now, past, rates, queues);
        for (link, rate) in rates.iter_mut().enumerate() {
            let (low, high) = self.switch(link);
            *rate = if now.sides[low] || now.sides[high] { 0.0 } else { *rate * now.state[link] };
        }
        self.queues.slope(now.sides, queues);
    }

    fn lags(&self) -> usize {
        self.network.classes.len()
    }

    fn switches(&self) -> usize {
        self.queues.switches() + 2 * self.routers.len() + self.routes.joints()
    }

    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        let links = self.routers.len();
        let (queues, rest) = gaps.split_at_mut(self.queues.switches());
        let (bounds, joints) = rest.split_at_mut(2 * links);
        let sides = &now.sides[self.queues.switches() + 2 * links..];
        self.routes.joint_gaps(|class, link| self.part(class, link, now.state), sides, joints);
        self.look(now, past, &mut bounds[links..], self.queues.arrivals(queues));
        self.queues.gaps(now.sides, &now.state[links..], queues);
        // As for queues: each link writes 2l and 2l + 1, and reads links + l.
        for (link, router) in self.routers.iter().enumerate() {
            let (growth, rate) = (bounds[links + link], now.state[link]);
            let (low, high) = self.switch(link);
            let (low, high) = (now.sides[low], now.sides[high]);
            let [below, above] = [router.least - rate, rate - router.aim].map(|beyond| beyond / router.aim);
            bounds[2 * link] = if low { -growth } else { below } + band(low);
            bounds[2 * link + 1] = if high { growth } else { above } + band(high);
        }
    }

    fn confine(&self, state: &mut [f64]) {
        let (rates, queues) = state.split_at_mut(self.routers.len());
        for (rate, router) in rates.iter_mut().zip(&self.routers) {
            *rate = rate.clamp(router.least, router.aim);
        }
        self.queues.confine(queues);
    }

    fn edge(&self, state: &mut [f64], switch: usize, side: bool) {
        self.queues.edge(&mut state[self.routers.len()..], switch, side);
    }

    fn classes(&self) -> usize {
        self.network.classes.len()
    }

    fn flows(&self, index: usize) -> f64 {
        self.network.classes[index].flows
    }

    fn links(&self) -> usize {
        self.routers.len()
    }

    fn class(&self, state: &[f64], index: usize) -> Class {
        let queues = &state[self.routers.len()..];
        let rtt_s = self.network.rtt_s(index, queues);
        let rate_packets_s = self.routes.least(index, |link| state[link]);
        Class { window_packets: rate_packets_s * rtt_s, rtt_s, rate_packets_s }
    }

    fn link(&self, state: &[f64], index: usize) -> Link {
        let mut arrivals = vec![0.0; self.routers.len()];
        self.routes.arrivals(|class| self.routes.least(class, |link| state[link]), &mut arrivals);
        let queue_packets = state[self.routers.len() + index];
        Link {
            queue_packets,
            mean_queue_packets: queue_packets,
            drop_probability: 0.0,
            arrival_packets_s: arrivals[index],
        }
    }

    fn link_constants(&self, index: usize) -> LinkConstants {
        self.network.link_constants(index)
    }

    fn share(&self, _class: usize) -> Option<Share> {
        let fills = |(link, router): (usize, &Router)| router.fills(self.link_constants(link).buffer_packets);
        let all = self.routers.iter().enumerate().all(fills);
        all.then_some(Share { weight: 1.0, least_packets_s: 0.0 })
    }

    fn takes(&self, link: usize, level: f64) -> f64 {
        let Router { aim, least, .. } = self.routers[link];
        match level {
            low if low < least => f64::INFINITY,
            high if high > aim => 0.0,
            _ => aim,
        }
    }

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(changes: impl Fn(&mut Params)) -> Router {
        let mut params = Params::default();
        changes(&mut params);
        Router::new(params, 1000.0, Some(0.1))
    }

    /// (0.4 (1000 - 900) - 0.4 20/0.1)/(1000 0.1) = -0.4/s.
    #[test]
    fn its_equation_is_worked_by_hand() {
        assert!((router(|_| ()).growth(900.0, 20.0, 0.1) + 0.4).abs() < 1e-12);
        // 0.5 of the link's rate: (0.4 (500 - 400) - 0.4 (20 - 30)/0.2)/(500 0.2) = 0.6/s.
        let half = router(|params| (params.gamma, params.target_packets) = (0.5, 30.0));
        assert!((half.growth(400.0, 20.0, 0.2) - 0.6).abs() < 1e-12);
    }

    /// A hundredth of a packet in 0.1 s; a twentieth of the link's rate at the start.
    #[test]
    fn rates_have_the_bounds_and_the_start_of_the_controller() {
        let Router { least, aim, .. } = router(|_| ());
        assert!((least - 0.1).abs() < 1e-12 && aim == 1000.0);
        assert_eq!(router(|_| ()).start(), 50.0);
        assert_eq!(router(|params| params.gamma = 0.9).aim, 900.0);
        assert_eq!(router(|params| (params.gamma, params.start) = (0.9, 1.0)).start(), 900.0);
        assert_eq!(router(|params| params.least = 100.0).start(), 1000.0);
    }
}
