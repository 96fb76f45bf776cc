//! VCP: links report their load, and flows scale their windows by it and add to them.
//!
//! # Overview
//! A flow scales its window by the spare capacity, or the excess load, of the most loaded link of its path,
//! and adds a packet. The sum is in equilibrium if both cancel, at the same rate for every flow.
//!
//! # The equations
//! `w' = (w xi(rho) + alpha)/T` with `xi = k (1 - rho)/rho`, at most `xi` if that is not 0. `rho` is the
//! largest load of the path; that of a link is `(y + kappa q/t)/(gamma C)`, `t = period_s`, with the arrivals
//! `y` and `q' = y - C`, bounded by 0 and the buffer. The rate is `x = w/T`. With `scaling = rtt` windows are
//! scaled so that every flow moves as if its round trip were `t`: `x' = (x xi(rho) + alpha/t)/t`. On the
//! right `w`, `x` and `rho` are those of one round trip `T` ago, because ACKs bring the increase. `x` is at
//! least `least` packets per round trip. In equilibrium, on one link without a queue, `x = gamma C/N +
//! alpha/(k T)` (`t` if scaled), or `C/N` with a queue. In networks each flow has `alpha rho/(k T (rho - 1))`
//! by the largest `rho` of its path, that is the least that a link gives: max-min fair for what links carry.
//! The theorem of the source: with one round trip the equilibrium is unique, fair, and stable if `k <= 0.5`.
//! The sum of such flows follows `y' = (k/T)(gamma C - y(t - T)) + N alpha/T^2`, which is stable if `k <
//! pi/2`.
//!
//! # Differences from the source
//! NOTE(Xia et al. 2005): round trips exclude queueing. Senders receive the exact load, not two bits, as in
//! the source's theorem; `scaling = none` is the theorem's form, for flows of one round trip, in which the
//! queue does not count (`kappa = 0`). That windows are delayed too is Headgate's choice. The load is the
//! present one, not the mean of a period. Losses change nothing. The queue settles at 0, or at the value that
//! the load requires: there is no target, and linear theory needs none. With more than `k t C/alpha` flows
//! the queue grows without bound.
//!
//! # When to use it
//! For the behaviour of VCP with exact knowledge of the load: its equilibrium, fairness and stability. With
//! two bits its fairness is that of TCP, which needs packets.
//!
//! # References
//! Xia, Subramanian, Stoica, Kalyanaraman 2005 (SIGCOMM, and its slides).

use headgate_model::params::Card;

use crate::flow_rates::{FlowRates, LinkView, RateController};
use crate::network::{Flows, Network, Wire, own_values};

headgate_model::choices! {
    /// Whether increases are scaled to the RTT.
    pub enum Scaling {
        /// Scaled to the RTT.
        Rtt = "rtt",
        /// The same in every RTT.
        None = "none",
    }
}

headgate_model::params! {
    /// Window at the start.
    initial_window: number(1.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Gain of the load.
    k: number(0.25, (1e-6, 10.0), "1", "Xia et al. 2005, slide 15"),
    /// Additive increase in one round trip, or in one period if scaled.
    alpha: number(1.0, (1e-9, 1000.0), "packets", "Xia et al. 2005, slide 15"),
    /// Largest multiplicative increase in one round trip, or in one period if scaled; 0 = no bound.
    xi: number(0.0, (0.0, 1.0), "1", "Xia et al. 2005: the theorem has no bound; 0.0625 in the protocol"),
    /// Whether increases are scaled to the RTT, or apply per RTT.
    scaling: choice(Scaling, "Xia et al. 2005, slides 16 and 25; the theorem has none"),
    /// Least window.
    least: number(1.0, (1e-9, 100.0), "packets/RTT", "Xia et al. 2005: one packet"),
    /// Target utilisation of the link.
    gamma: number(0.98, (0.01, 1.0), "1", "Xia et al. 2005, recalled, not verified; 0.95 in Xia's code"),
    /// Weight of the queue.
    kappa: number(0.5, (0.0, 10.0), "1", "Xia et al. 2005; queue_weight in Xia's code"),
    /// Time over which the load is measured.
    period_s: number(0.2, (1e-3, 100.0), "s", "Xia et al. 2005, slide 13"),
}

pub const CARD: Card = Card {
    name: "vcp",
    title: "VCP, many classes and links",
    aliases: &[],
    family: "explicit",
    rule: "w' = (w xi + alpha)/T; xi = k (1 - rho)/rho; rho = largest of path of (y + kappa q/t)/(gamma C)",
    response: "x = gamma C/N + alpha/(k T) on one link",
    references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &["gamma", "kappa"];

pub type Vcp = FlowRates<Controller>;

pub struct Controller {
    classes: Vec<Sender>,
    routers: Vec<Router>,
}

/// The constants of a class.
#[derive(Clone, Copy, Debug)]
struct Sender {
    params: Params,
    rtt_s: f64,
    /// The round trip to which its changes are scaled.
    pace_s: f64,
}

impl Sender {
    fn new(params: Params, rtt_s: f64) -> Self {
        Self { params, rtt_s, pace_s: if params.scaling == Scaling::None { rtt_s } else { params.period_s } }
    }

    /// The slope of a rate at a known load.
    fn slope(&self, rate: f64, load: f64) -> f64 {
        let Params { k, alpha, xi, .. } = self.params;
        let free = k * (1.0 - load) / load;
        let multiplied = if xi > 0.0 { free.min(xi) } else { free };
        (rate * multiplied + alpha / self.pace_s) / self.pace_s
    }
}

/// The constants of a link's load.
#[derive(Clone, Copy, Debug)]
struct Router {
    rate: f64,
    /// The target rate, packets/s.
    aim: f64,
    /// The weight of a queued packet, 1/s.
    weight: f64,
}

impl Router {
    fn load(&self, arrivals: f64, queue: f64) -> f64 {
        (arrivals + self.weight * queue) / self.aim
    }
}

impl RateController for Controller {
    fn new(values: &[f64], network: &Network) -> Self {
        let own = |set: &[(usize, f64)]| Params::from_values(&own_values(values, set));
        let sender = |class: &Flows| Sender::new(own(&class.set), class.rtt_s);
        let router = |wire: &Wire| {
            let Params { gamma, kappa, period_s, .. } = own(&wire.set);
            let rate = wire.rate_packets_s;
            Router { rate, aim: gamma * rate, weight: kappa / period_s }
        };
        Self {
            classes: network.classes.iter().map(sender).collect(),
            routers: network.links.iter().map(router).collect(),
        }
    }

    fn start(&self, class: usize) -> f64 {
        self.classes[class].params.initial_window / self.classes[class].rtt_s
    }

    fn least(&self, class: usize) -> f64 {
        self.classes[class].params.least / self.classes[class].rtt_s
    }

    /// The negative of the load, because the least feedback counts.
    fn feedback(&self, _class: usize, link: usize, seen: LinkView) -> f64 {
        -self.routers[link].load(seen.arrivals, seen.queue)
    }

    fn slope(&self, class: usize, rate_then: f64, least: f64) -> f64 {
        self.classes[class].slope(rate_then, -least)
    }

    /// The level is `rho/(rho - 1)`.
    fn weight(&self, class: usize) -> Option<f64> {
        let Sender { params: Params { k, alpha, .. }, pace_s, .. } = self.classes[class];
        Some(alpha / (k * pace_s))
    }

    fn takes(&self, link: usize, level: f64, buffer: f64) -> f64 {
        let router = &self.routers[link];
        let asked = router.aim * level / (level - 1.0);
        if level <= 1.0 || asked <= router.rate {
            return if level <= 1.0 { f64::INFINITY } else { asked };
        }
        // A queue makes up the load, as long as the buffer has room for it.
        let full = if router.weight > 0.0 { asked - router.weight * buffer } else { asked };
        full.max(router.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(changes: &[(&str, f64)]) -> Sender {
        let changed = |name: &str| changes.iter().find(|(known, _)| *known == name);
        let value =
            |param: &headgate_model::params::Param| changed(param.name).map_or(param.default, |it| it.1);
        Sender::new(Params::from_values(&Params::TABLE.iter().map(value).collect::<Vec<f64>>()), 0.1)
    }

    /// At a load of 0.8: xi = 0.25 0.2/0.8 = 0.0625. Scaled to 0.2 s: (100 0.0625 + 1/0.2)/0.2 = 56.25.
    /// Unscaled, with the RTT of 0.1 s: (100 0.0625 + 1/0.1)/0.1 = 162.5.
    #[test]
    fn its_equation_is_worked_by_hand() {
        assert!((sender(&[]).slope(100.0, 0.8) - 56.25).abs() < 1e-9);
        assert!((sender(&[("scaling", 1.0)]).slope(100.0, 0.8) - 162.5).abs() < 1e-9);
    }

    /// At a load of a half xi is 0.25, with a bound 0.0625; overload is not bounded.
    #[test]
    fn the_increase_has_a_bound_if_one_is_asked_for() {
        assert!((sender(&[]).slope(100.0, 0.5) - 5.0 * (25.0 + 5.0)).abs() < 1e-9);
        let bounded = sender(&[("xi", 0.0625)]);
        assert!((bounded.slope(100.0, 0.5) - 56.25).abs() < 1e-9);
        assert!((bounded.slope(100.0, 1.25) - 5.0 * (-5.0 + 5.0)).abs() < 1e-9);
    }

    /// 60 packets are queued: (2000 + 0.5 60/0.2)/(0.98 2150), more than the 2000/(0.98 2150) of arrivals.
    #[test]
    fn a_queue_is_load() {
        let Network { classes, links, packet_bytes } = Network::default();
        let links = vec![Wire { rate_packets_s: 2150.0, ..links[0].clone() }];
        let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
        let controller = Controller::new(&values, &Network { classes, links, packet_bytes });
        let said = controller.feedback(0, 0, LinkView { rate: 100.0, arrivals: 2000.0, queue: 60.0 });
        assert!((said + 1.0 / 0.98).abs() < 1e-12);
        assert_eq!(controller.slope(0, 100.0, said), controller.classes[0].slope(100.0, -said));
    }

    /// A level of 101 is a load of 1.01, at which 0.98 C 1.01 arrive. A level of 11 is a load of 1.1, which
    /// needs a queue of (0.98 1.1 - 1) C 0.2/0.5 with C arriving; in a buffer of half of that, arrivals make
    /// up the rest.
    #[test]
    fn a_link_takes_what_makes_its_load() {
        let Network { classes, links, packet_bytes } = Network::default();
        let links = vec![Wire { rate_packets_s: 1000.0, ..links[0].clone() }];
        let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
        let controller = Controller::new(&values, &Network { classes, links, packet_bytes });
        assert!((controller.takes(0, 101.0, f64::INFINITY) - 989.8).abs() < 1e-9);
        assert_eq!(controller.takes(0, 11.0, f64::INFINITY), 1000.0);
        assert!((controller.takes(0, 11.0, 0.5 * 78.0 * 0.4) - 1039.0).abs() < 1e-9);
        assert_eq!(controller.weight(0), Some(1.0 / (0.25 * 0.2)));
    }
}
