//! XCP: links compute by how much each flow changes its rate.
//!
//! # Overview
//! Each link computes the sum of all changes, so that it fills and its queue empties, and divides it:
//! increases in equal parts, decreases in proportion to rates. In addition it moves a fraction of the traffic
//! between flows. A flow follows the link of its path that offers least.
//!
//! # The equations
//! A link has `F = alpha (C - y)/d - beta (q - q0)/d^2` and moves `h = max(0, gamma y/d - |F|)`, with the
//! arrivals `y`, the sum of `n x`, the mean round trip `d` of its flows, and `q' = y - C`, bounded by 0 and
//! the buffer. It offers a flow of rate `x` the change `price (max(F, 0) + h)/N - x (max(-F, 0) + h)/y`,
//! in which `N` is the sum of the prices of its flows. `x'` is the least offer on the path one round trip `T`
//! ago, for the rate of that time; `x` is at least `least` packets per round trip. `q0` is `target_packets`.
//! In equilibrium on one link `y = C`, `q = q0`, and rates are proportional to prices. With time in units of
//! `d` its loop is `G(s) = (alpha s + beta) e^-s/s^2`, stable at every delay if `alpha < pi/(4 2^0.5)` and
//! `beta = alpha^2 2^0.5`. In networks a link whose flows are limited elsewhere settles below its rate, at
//! `alpha/(alpha + gamma)` of it at least: rates are max-min fair for what links carry, not for their
//! capacity.
//!
//! # Differences from the source
//! NOTE(Katabi, Handley, Rohrs 2002): the paper's analysis uses an `h` of 0.1 y whatever F is, its router the
//! larger of 0 and the difference; the latter is used here. Its analysis covers one link and one round trip;
//! here each class has its own. Round trips exclude queueing, changes are continuous, and the queue is the
//! present one, not the least of a round trip. Prices are those of the packet-level algorithm.
//! `target_packets` is Headgate's: linear theory holds only if the queue never empties. Losses change
//! nothing.
//!
//! # When to use it
//! For efficiency, fairness and stability of long flows. If a flow's share is a few packets per round trip,
//! it is coarse.
//!
//! # References
//! Katabi, Handley, Rohrs 2002 (with its appendix); Low, Andrew, Wydrowski 2005 (rates in networks).

use headgate_model::params::Card;

use crate::flow_rates::{FlowRates, LinkView, RateController};
use crate::network::{Flows, Network, Wire, own_values};

headgate_model::params! {
    /// Window at the start.
    initial_window: number(1.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Gain of the spare capacity.
    alpha: number(0.4, (0.0, 10.0), "1", "Katabi et al. 2002"),
    /// Gain of the queue.
    beta: number(0.226, (0.0, 10.0), "1", "Katabi et al. 2002"),
    /// Fraction of the traffic that is moved between flows.
    gamma: number(0.1, (0.0, 1.0), "1", "Katabi et al. 2002"),
    /// Price that a flow pays. Flows share a bottleneck in proportion to their prices.
    price: number(1.0, (1e-3, 1e3), "1", "Katabi et al. 2002 (prices); that gains go with it is derived"),
    /// Least window.
    least: number(1.0, (1e-9, 100.0), "packets/RTT", "Katabi et al. 2002: one packet"),
    /// Target queue length.
    target_packets: number(0.0, (0.0, 1e12), "packets", "Katabi et al. 2002: none; others are ours"),
}

pub const CARD: Card = Card {
    name: "xcp",
    title: "XCP, many classes and links",
    aliases: &[],
    family: "explicit",
    rule: "x' = least of path of (max(F, 0) + h)/N - x (max(-F, 0) + h)/y; F = alpha (C - y)/d - beta (q - q0)/d^2",
    response: "y = C, q = q0, x = C/N on one link",
    references: &["Katabi, Handley, Rohrs 2002", "Low, Andrew, Wydrowski 2005"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &["alpha", "beta", "gamma", "target_packets"];

pub type Xcp = FlowRates<Controller>;

pub struct Controller {
    classes: Vec<Sender>,
    routers: Vec<Router>,
}

struct Sender {
    start: f64,
    least: f64,
    price: f64,
}

/// The constants of a link's controllers.
#[derive(Clone, Copy, Debug)]
struct Router {
    params: Params,
    rate: f64,
    /// Sum of the prices of its flows.
    prices: f64,
    /// Mean round trip of its flows, weighted by prices.
    rtt_s: f64,
}

impl Router {
    /// The change offered to a flow that pays `price`, relative to its rate, per second.
    fn offer(&self, price: f64, seen: LinkView) -> f64 {
        let wanted = self.wanted(seen.arrivals, seen.queue);
        let moved = self.moved(seen.arrivals, wanted).max(0.0);
        let (gain, cut) = (wanted.max(0.0) + moved, (-wanted).max(0.0) + moved);
        price * gain / (self.prices * seen.rate) - cut / seen.arrivals
    }

    /// The traffic that is moved between flows, if that is above 0.
    fn moved(&self, arrivals: f64, wanted: f64) -> f64 {
        self.params.gamma * arrivals / self.rtt_s - wanted.abs()
    }

    /// The arrivals in equilibrium with a queue, if flows of price 1 are limited to `level`. Their offer is 0
    /// and F above it, so F + h = gamma y/d and `(gamma y/d)/prices = level (gamma y/d - F)/y`. With
    /// `F d = a - alpha y` it is the lower root of `gamma y^2 - s (gamma + alpha) y + s a = 0`,
    /// `s = level prices`; more than the capacity if there is no root.
    fn rests(&self, level: f64, queue: f64) -> f64 {
        let Params { alpha, gamma, .. } = self.params;
        let filling = self.wanted(0.0, queue) * self.rtt_s;
        let (sum, both) = (level * self.prices, gamma + alpha);
        let square = sum * both * both - 4.0 * gamma * filling;
        if square < 0.0 { f64::INFINITY } else { 2.0 * filling / (both + (square / sum).sqrt()) }
    }

    /// The desired change of the sum of all flows, packets/s per second.
    fn wanted(&self, arrivals: f64, queue: f64) -> f64 {
        let Params { alpha, beta, target_packets, .. } = self.params;
        (alpha * (self.rate - arrivals) - beta * (queue - target_packets) / self.rtt_s) / self.rtt_s
    }
}

impl RateController for Controller {
    fn new(values: &[f64], network: &Network) -> Self {
        let own = |set: &[(usize, f64)]| Params::from_values(&own_values(values, set));
        let sender = |class: &Flows| {
            let Params { initial_window, least, price, .. } = own(&class.set);
            Sender { start: initial_window / class.rtt_s, least: least / class.rtt_s, price }
        };
        let classes: Vec<Sender> = network.classes.iter().map(sender).collect();
        let traffic = network.traffic(|class| classes[class].price);
        let router = |(wire, (prices, rtt_s)): (&Wire, (f64, Option<f64>))| Router {
            params: own(&wire.set),
            rate: wire.rate_packets_s,
            prices,
            // A link without flows is asked for no offer.
            rtt_s: rtt_s.unwrap_or(f64::NAN),
        };
        Self { routers: network.links.iter().zip(traffic).map(router).collect(), classes }
    }

    fn start(&self, class: usize) -> f64 {
        self.classes[class].start
    }

    fn least(&self, class: usize) -> f64 {
        self.classes[class].least
    }

    fn feedback(&self, class: usize, link: usize, seen: LinkView) -> f64 {
        self.routers[link].offer(self.classes[class].price, seen)
    }

    fn slope(&self, _class: usize, rate_then: f64, least: f64) -> f64 {
        rate_then * least
    }

    /// Rates in equilibrium are equal only if the link is full and traffic is moved.
    fn weight(&self, class: usize) -> Option<f64> {
        let fills = |router: &Router| router.params.alpha > 0.0 && router.params.gamma > 0.0;
        self.routers.iter().all(fills).then_some(self.classes[class].price)
    }

    fn takes(&self, link: usize, level: f64, buffer: f64) -> f64 {
        let router = &self.routers[link];
        let filled = router.rests(level, 0.0).min(router.rate);
        if buffer.is_finite() { filled.max(router.rests(level, buffer)) } else { filled }
    }

    /// The desired change is 0; the moved traffic becomes 0.
    fn bends(&self) -> usize {
        2
    }

    fn bend(&self, link: usize, index: usize, arrivals: f64, queue: f64) -> f64 {
        let router = &self.routers[link];
        let wanted = router.wanted(arrivals, queue);
        let gap = if index == 0 { wanted } else { router.moved(arrivals, wanted) };
        gap * router.rtt_s / router.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two links of 1000 packets/s, a class of 3 flows and 0.1 s over both, one of 1 flow and 0.2 s over the
    /// second: there d = (3 0.1 + 0.2)/4 = 0.125 s.
    fn network() -> Network {
        let flows = |flows, rtt_s, path: &[usize]| Flows { flows, rtt_s, path: path.to_vec(), set: vec![] };
        let wire = Wire { rate_packets_s: 1000.0, buffer_packets: None, delay_s: 0.0, set: vec![] };
        let classes = vec![flows(3.0, 0.1, &[0, 1]), flows(1.0, 0.2, &[1])];
        Network { classes, links: vec![wire.clone(), wire], packet_bytes: 1500.0 }
    }

    fn controller(changes: &[(&str, f64)]) -> Controller {
        let changed = |name: &str| changes.iter().find(|(known, _)| *known == name);
        let value =
            |param: &headgate_model::params::Param| changed(param.name).map_or(param.default, |it| it.1);
        Controller::new(&Params::TABLE.iter().map(value).collect::<Vec<f64>>(), &network())
    }

    fn seen(rate: f64, arrivals: f64, queue: f64) -> LinkView {
        LinkView { rate, arrivals, queue }
    }

    /// 600 of 1000 packets/s, no queue: F = 0.4 400/0.1 = 1600, h = 0 because 0.1 600/0.1 is less: each of 3
    /// flows is offered 1600/3. At the second link 900, and 50 packets: F = 320 - 723.2 = -403.2 by 0.4
    /// 100/0.125 and 0.226 50/0.015625, h = 0.1 900/0.125 - 403.2 = 316.8: each of 4 flows is offered 316.8/4
    /// less 720/900 of its rate, one of 200 packets/s 79.2 - 160, one of 300 packets/s 79.2 - 240.
    #[test]
    fn its_equations_are_worked_by_hand() {
        let controller = controller(&[]);
        let slope = |class, link, seen: LinkView| {
            controller.slope(class, seen.rate, controller.feedback(class, link, seen))
        };
        assert!((slope(0, 0, seen(200.0, 600.0, 0.0)) - 1600.0 / 3.0).abs() < 1e-9);
        assert!((slope(0, 1, seen(200.0, 900.0, 50.0)) - (79.2 - 160.0)).abs() < 1e-9);
        assert!((slope(1, 1, seen(300.0, 900.0, 50.0)) - (79.2 - 240.0)).abs() < 1e-9);
    }

    /// With a target of 50 the second link wants 320, and moves 400 in addition: (320 + 400)/4 - 200 400/900.
    #[test]
    fn a_queue_at_its_target_wants_no_change() {
        let controller = controller(&[("target_packets", 50.0)]);
        let offer = 200.0 * controller.feedback(0, 1, seen(200.0, 900.0, 50.0));
        assert!((offer - (180.0 - 800.0 / 9.0)).abs() < 1e-9);
    }

    /// One class pays 2 and another 1: of 3 2 + 1 = 7 parts its flows gain two each; d = (6 0.1 + 0.2)/7. If
    /// all pay 2, they gain as if all paid 1.
    #[test]
    fn gains_go_with_prices() {
        let both = controller(&[("price", 2.0)]);
        assert_eq!((both.routers[0].prices, both.routers[1].prices), (6.0, 8.0));
        let at = seen(200.0, 900.0, 50.0);
        assert!((both.feedback(0, 1, at) - controller(&[]).feedback(0, 1, at)).abs() < 1e-12);
        let mut network = network();
        network.classes[0].set = vec![(4, 2.0)];
        let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
        let one = Controller::new(&values, &network);
        assert!((one.routers[1].prices, one.classes[0].price, one.classes[1].price) == (7.0, 2.0, 1.0));
        assert!((one.routers[1].rtt_s - 0.8 / 7.0).abs() < 1e-15);
    }

    /// At C/N the link is full: 4 flows of 250. At 300 each: 0.1 y^2 - 1200 0.5 y + 1200 400 = 0, the lower
    /// root 950.6. At any level it carries more than 0.4/0.5 of its rate. With a target the queue reaches it,
    /// and no capacity is unused.
    #[test]
    fn a_link_whose_flows_are_slowed_elsewhere_takes_less_than_its_rate() {
        let free = f64::INFINITY;
        let takes = |level| controller(&[]).takes(1, level, free);
        assert!((takes(250.0) - 1000.0).abs() < 1e-9 && takes(200.0) == 1000.0);
        let root = (600.0 - (360_000.0_f64 - 0.4 * 480_000.0).sqrt()) / 0.2;
        assert!((takes(300.0) - root).abs() < 1e-9 && (root - 950.6).abs() < 0.1, "{root}");
        assert!((takes(1e12) - 800.0).abs() < 1e-6);
        assert_eq!(controller(&[("target_packets", 1000.0)]).takes(1, 300.0, free), 1000.0);
        assert_eq!(controller(&[("gamma", 0.0)]).weight(0), None);
    }

    /// The desired change becomes 0 at 1000 packets/s without a queue, and equals the moved traffic at 800:
    /// 0.4 200 = 0.1 800.
    #[test]
    fn it_bends_where_what_is_wanted_is_nothing_or_as_much_as_is_moved() {
        let controller = controller(&[]);
        assert_eq!(controller.bend(0, 0, 1000.0, 0.0), 0.0);
        assert!(controller.bend(0, 1, 800.0, 0.0).abs() < 1e-15);
    }
}
