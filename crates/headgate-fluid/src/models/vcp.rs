//! VCP: links tell how loaded they are, and flows multiply their windows by it and add to them.
//!
//! # What it does
//! A flow multiplies its window by what the most loaded link of its path has left over, or takes of it what
//! is too much there, and adds a packet; the sum is in equilibrium where both cancel, the same for every flow.
//!
//! # The equations
//! `w' = (w xi(rho) + alpha)/T` with `xi = k (1 - rho)/rho`, at most `xi` where that is not 0; `rho` is the
//! largest of the path, a link's being `(y + kappa q/t)/(gamma C)`, `t = period_s`, where `y` arrives and
//! `q' = y - C`, kept between 0 and the buffer. The rate is `x = w/T`. With `scaling = rtt` windows are scaled
//! so that every flow moves as if its round trip were `t`: `x' = (x xi(rho) + alpha/t)/t`. On the right `w`, `x`
//! and `rho` are those of a round trip `T` ago: ACKs bring the increase. `x` stays at `least` packets a round
//! trip or more. In equilibrium `x = gamma C/N + alpha/(k T)` (`t` where scaled) on one link that has no queue then,
//! or `C/N`. In networks each flow has `alpha rho/(k T (rho - 1))` by the largest `rho` of its path, so the
//! least that a link gives: max-min fair for what links take. The theorem of the source: with one round trip
//! the rest is unique, fair and stable where `k <= 0.5`. The sum of such flows follows `y' = (k/T)(gamma C - y(t
//! - T)) + N alpha/T^2`, which is stable where `k < pi/2`.
//!
//! # Where it differs from the source
//! Round trips are those without queues. The exact load is heard, not two bits, as in the source's theorem;
//! `scaling = none` is its form, for flows of one round trip, whose queue does not count (`kappa = 0`). That
//! windows count with the delay too is ours. The load is that of now, not the mean of a period. Losses
//! change nothing. The queue settles at nothing, or where the load counts it: there is no target to choose,
//! and linear theory wants none. More than `k t C/alpha` flows are too many for the law: the queue grows.
//!
//! # When to use it
//! For what VCP would do if it knew the load exactly: its equilibrium, fairness and stability. With two bits it is fair
//! as TCP is; that needs packets.
//!
//! # References
//! Xia, Subramanian, Stoica, Kalyanaraman 2005 (SIGCOMM, and its slides).

use headgate_model::params::Card;

use crate::flow_rates::{FlowRates, RateLaw, Seen};
use crate::network::{Flows, Network, Wire, own_values};

headgate_model::params! {
    /// Window at the start.
    initial_window: number(1.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Gain of the load.
    k: number(0.25, (1e-6, 10.0), "1", "Xia et al. 2005, slide 15"),
    /// Additive increase in one round trip, or period where scaled.
    alpha: number(1.0, (1e-9, 1000.0), "packets", "Xia et al. 2005, slide 15"),
    /// Most multiplicative increase in one round trip, or period where scaled; 0 = no bound.
    xi: number(0.0, (0.0, 1.0), "1", "Xia et al. 2005: the theorem has no bound; 0.0625 in the protocol"),
    /// Whether increases are scaled to the RTT, or are those of every RTT.
    scaling: choice(["rtt", "none"], "Xia et al. 2005, slides 16 and 25; the theorem has none"),
    /// Least window.
    least: number(1.0, (1e-9, 100.0), "packets/RTT", "Xia et al. 2005: one packet"),
    /// Share of the line that is aimed at.
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
    law: "w' = (w xi + alpha)/T; xi = k (1 - rho)/rho; rho = largest of path of (y + kappa q/t)/(gamma C)",
    response: "x = gamma C/N + alpha/(k T) on one link",
    references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &["gamma", "kappa"];

pub type Vcp = FlowRates<Law>;

const UNSCALED: f64 = 1.0;

pub struct Law {
    classes: Vec<Sender>,
    routers: Vec<Router>,
}

/// What a class knows of itself.
#[derive(Clone, Copy, Debug)]
struct Sender {
    params: Params,
    rtt_s: f64,
    /// The round trip that it moves by.
    pace_s: f64,
}

impl Sender {
    fn new(params: Params, rtt_s: f64) -> Self {
        Self { params, rtt_s, pace_s: if params.scaling == UNSCALED { rtt_s } else { params.period_s } }
    }

    /// How fast a rate changes where the load is known.
    fn slope(&self, rate: f64, load: f64) -> f64 {
        let Params { k, alpha, xi, .. } = self.params;
        let free = k * (1.0 - load) / load;
        let multiplied = if xi > 0.0 { free.min(xi) } else { free };
        (rate * multiplied + alpha / self.pace_s) / self.pace_s
    }
}

/// What a link takes for its load.
#[derive(Clone, Copy, Debug)]
struct Router {
    rate: f64,
    /// What is aimed at, packets/s.
    aim: f64,
    /// By how much a packet that waits counts, 1/s.
    weight: f64,
}

impl Router {
    fn load(&self, arrivals: f64, queue: f64) -> f64 {
        (arrivals + self.weight * queue) / self.aim
    }
}

impl RateLaw for Law {
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

    /// The load, below zero: the largest counts.
    fn says(&self, _class: usize, link: usize, seen: Seen) -> f64 {
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
        // A queue makes the load, as long as there is room for it.
        let full = if router.weight > 0.0 { asked - router.weight * buffer } else { asked };
        full.max(router.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(changes: &[(&str, f64)]) -> Sender {
        let changed = |name: &str| changes.iter().find(|(known, _)| *known == name);
        let value = |param: &headgate_model::params::Param| changed(param.name).map_or(param.default, |it| it.1);
        Sender::new(Params::from_values(&Params::TABLE.iter().map(value).collect::<Vec<f64>>()), 0.1)
    }

    /// At a load of 0.8: xi = 0.25 0.2/0.8 = 0.0625. Scaled to 0.2 s: (100 0.0625 + 1/0.2)/0.2 = 56.25. As it
    /// is, by the RTT of 0.1 s: (100 0.0625 + 1/0.1)/0.1 = 162.5.
    #[test]
    fn its_equation_is_worked_by_hand() {
        assert!((sender(&[]).slope(100.0, 0.8) - 56.25).abs() < 1e-9);
        assert!((sender(&[("scaling", 1.0)]).slope(100.0, 0.8) - 162.5).abs() < 1e-9);
    }

    /// At a load of a half xi is 0.25, with a bound 0.0625; overload has none.
    #[test]
    fn the_increase_has_a_bound_if_one_is_asked_for() {
        assert!((sender(&[]).slope(100.0, 0.5) - 5.0 * (25.0 + 5.0)).abs() < 1e-9);
        let bounded = sender(&[("xi", 0.0625)]);
        assert!((bounded.slope(100.0, 0.5) - 56.25).abs() < 1e-9);
        assert!((bounded.slope(100.0, 1.25) - 5.0 * (-5.0 + 5.0)).abs() < 1e-9);
    }

    /// 60 packets wait: (2000 + 0.5 60/0.2)/(0.98 2150), more than the 2000/(0.98 2150) of arrivals.
    #[test]
    fn a_queue_is_load() {
        let Network { classes, links, packet_bytes } = Network::default();
        let links = vec![Wire { rate_packets_s: 2150.0, ..links[0].clone() }];
        let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
        let law = Law::new(&values, &Network { classes, links, packet_bytes });
        let said = law.says(0, 0, Seen { rate: 100.0, arrivals: 2000.0, queue: 60.0 });
        assert!((said + 1.0 / 0.98).abs() < 1e-12);
        assert_eq!(law.slope(0, 100.0, said), law.classes[0].slope(100.0, -said));
    }

    /// A level of 101 is a load of 1.01, of which 0.98 C 1.01 arrive; one of 11 a load of 1.1, which a queue of
    /// (0.98 1.1 - 1) C 0.2/0.5 makes, with C arriving; in half of that room all the rest arrives.
    #[test]
    fn a_link_takes_what_makes_its_load() {
        let Network { classes, links, packet_bytes } = Network::default();
        let links = vec![Wire { rate_packets_s: 1000.0, ..links[0].clone() }];
        let values: Vec<f64> = Params::TABLE.iter().map(|param| param.default).collect();
        let law = Law::new(&values, &Network { classes, links, packet_bytes });
        assert!((law.takes(0, 101.0, f64::INFINITY) - 989.8).abs() < 1e-9);
        assert_eq!(law.takes(0, 11.0, f64::INFINITY), 1000.0);
        assert!((law.takes(0, 11.0, 0.5 * 78.0 * 0.4) - 1039.0).abs() < 1e-9);
        assert_eq!(law.weight(0), Some(1.0 / (0.25 * 0.2)));
    }
}
