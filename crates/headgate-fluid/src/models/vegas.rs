//! TCP Vegas at flow level.
//!
//! # Overview
//! Each flow changes its window by a packet per round trip until it keeps between `alpha` and `beta` packets
//! in the queues of its path.
//!
//! # The equations
//! With `x q` packets queued, the window grows by `alpha - x q` per round trip if that is positive, and
//! shrinks by `x q - beta` if that is positive, by one packet at most: within a packet of `alpha = beta` that
//! is `w' = kappa (1 - q/U')` with `kappa = alpha/R` and `U' = alpha/x`. In equilibrium `x = alpha/q`, or up
//! to `beta/q`. The queue of a link is `q_l' = y - C`, bounded by 0 and its buffer, with the arrivals `y`.
//! The queueing delay of a path is `q = sum of q_l/C`, the round trip `R = d + q`, and the rate `x = w/R`. In
//! equilibrium every link is full or its queue is empty, and the rates maximise the sum of `alpha ln x`:
//! weighted proportional fairness.
//!
//! # Differences from the source
//! NOTE(Brakmo, Peterson 1995): the paper changes the window by a whole packet in either direction, however
//! small the difference. Here the sign becomes a slope over one packet, the mean effect of one packet in
//! either direction. With `alpha < beta` any point between is an equilibrium; utilities are those of `alpha`,
//! which windows reach from below. Delays are seen at once, and the base RTT is exact.
//!
//! # When to use it
//! For Vegas' rates and queues, compared with FAST's.
//!
//! # References
//! Brakmo, Peterson 1995; Low, Peterson, Wang 2002; Jin, Wei, Low 2004 (the common form).

use headgate_model::params::Card;

use crate::flow_level::{Flow, FlowController, FlowLevel, Price, power};
use crate::model::Demand;

headgate_model::params! {
    /// Window at the start.
    initial_window: number(10.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Queued packets below which the window grows.
    alpha: number(2.0, (1e-3, 10000.0), "packets", "Linux tcp_vegas.c; 1 in ns-2"),
    /// Queued packets above which the window shrinks, at least `alpha`.
    beta: number(4.0, (1e-3, 10000.0), "packets", "Linux tcp_vegas.c; 3 in ns-2", at_least ["alpha"]),
}

pub const CARD: Card = Card {
    name: "vegas",
    title: "TCP Vegas at flow level",
    aliases: &[],
    family: "delay",
    rule: "w' = (min(alpha - x q, 1) above 0, or -min(x q - beta, 1) below)/R",
    response: "x = alpha/q",
    references: &["Brakmo, Peterson 1995", "Low, Peterson, Wang 2002", "Jin, Wei, Low 2004"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &[];

pub type Vegas = FlowLevel<Controller>;

pub struct Controller(Params);

impl FlowController for Controller {
    const PRICE: Price = Price::Delay;

    fn from_values(values: &[f64]) -> Self {
        Self(Params::from_values(values))
    }

    fn initial_window(&self) -> f64 {
        self.0.initial_window
    }

    fn gain(&self, flow: Flow) -> f64 {
        self.0.alpha / flow.rtt_s
    }

    fn marginal(&self, flow: Flow) -> f64 {
        self.0.alpha / flow.rate()
    }

    fn slope(&self, flow: Flow, price: f64) -> f64 {
        let queued = flow.rate() * price;
        let most = self.0.beta.max(self.0.alpha);
        ((self.0.alpha - queued).clamp(0.0, 1.0) - (queued - most).clamp(0.0, 1.0)) / flow.rtt_s
    }

    fn demand(&self, price: f64, _rtt_s: f64) -> Demand {
        power(self.0.alpha, 1.0, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_level::checks::{by_default, demand_is_what_rests};

    /// 100 packets/s: 1.4, 3 and 4.7 packets queued give (2 - 1.4)/0.2, 0 and -0.7/0.2; 0 and 10 queued give
    /// a packet.
    #[test]
    fn its_equation_is_worked_by_hand() {
        let controller: Controller = by_default(Params::TABLE);
        let slope = |price| controller.slope(Flow { window: 20.0, rtt_s: 0.2 }, price);
        for (price, expected) in [(0.014, 3.0), (0.03, 0.0), (0.047, -3.5), (0.0, 5.0), (0.1, -5.0)] {
            assert!((slope(price) - expected).abs() < 1e-9, "{price}");
        }
    }

    #[test]
    fn with_one_target_it_is_the_common_form_within_a_packet_of_it() {
        let one = Controller(Params { alpha: 3.0, beta: 3.0, ..by_default::<Controller>(Params::TABLE).0 });
        demand_is_what_rests(&one, &[2.0, 500.0], 0.1);
        let flow = Flow { window: 20.0, rtt_s: 0.2 };
        let common = one.gain(flow) * (1.0 - 0.025 / one.marginal(flow));
        assert!((one.slope(flow, 0.025) - common).abs() < 1e-12);
    }
}
