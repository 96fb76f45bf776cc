//! Scalable TCP at flow level.
//!
//! # Overview
//! The mean window of Scalable TCP: it grows by a fraction of itself per round trip and is reduced by a
//! fraction at each loss.
//!
//! # The equations
//! `w' = kappa (1 - p/U')` with `kappa = a w/T` and `U' = (a (2 - b)/(2 b))/w`, that is `0.075/w` for `a =
//! 0.01` and `b = 0.125`. In equilibrium `w = 0.075/p`. A link changes its loss `p_l` by `p_l' = p_l (y -
//! C)/C` (1/s), at most 1, with the arrivals `y`; a path has `p = loss + sum of p_l`, and `T` is its round
//! trip without queues. In equilibrium every link is full or without loss, and the rates maximise the sum of
//! utilities.
//!
//! # Differences from the source
//! NOTE(Jin, Wei, Low 2004): the paper does not define how a link sets its price. Here a link does not queue,
//! and adjusts its loss until its arrivals equal its rate. Prices are seen at once, not one round trip later.
//!
//! NOTE(Kelly 2003): the low window, below which the algorithm is Reno, is omitted.
//!
//! # When to use it
//! For shares and prices in equilibrium, compared with those of other algorithms.
//!
//! # References
//! Jin, Wei, Low 2004 (the common form); Kelly 2003; Low, Lapsley 1999 (prices).

use headgate_model::params::Card;

use crate::flow_level::{Flow, FlowController, FlowLevel, Price, power};
use crate::model::Demand;

headgate_model::params! {
    /// Window at the start.
    initial_window: number(10.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Increase `a` per acknowledged packet.
    increase: number(0.01, (1e-6, 1.0), "packets", "Kelly 2003"),
    /// Fraction `b` by which a loss reduces the window.
    decrease: number(0.125, (0.01, 0.9), "1", "Kelly 2003"),
    /// Loss probability of the path in addition to its links'.
    loss: number(0.0, (0.0, 1.0), "1", "free"),
}

pub const CARD: Card = Card {
    name: "scalable",
    title: "Scalable TCP at flow level",
    aliases: &[],
    family: "loss",
    rule: "w' = a w (1 - p w 2 b/(a (2 - b)))/T",
    response: "w = 0.075/p",
    references: &["Jin, Wei, Low 2004", "Kelly 2003"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &[];

pub type Scalable = FlowLevel<Controller>;

pub struct Controller {
    params: Params,
    /// `w p` in equilibrium, as for every algorithm that adds `a w` per round trip and subtracts `b w` at
    /// equally spaced losses: `w^2 p = a w (2 - b)/(2 b)`.
    at_rest: f64,
}

impl FlowController for Controller {
    const PRICE: Price = Price::Loss;

    fn from_values(values: &[f64]) -> Self {
        let params = Params::from_values(values);
        let (a, b) = (params.increase, params.decrease);
        Self { params, at_rest: a * (2.0 - b) / (2.0 * b) }
    }

    fn initial_window(&self) -> f64 {
        self.params.initial_window
    }

    fn loss(&self) -> f64 {
        self.params.loss
    }

    fn gain(&self, flow: Flow) -> f64 {
        self.params.increase * flow.window / flow.rtt_s
    }

    fn marginal(&self, flow: Flow) -> f64 {
        self.at_rest / flow.window
    }

    fn demand(&self, price: f64, rtt_s: f64) -> Demand {
        power(self.at_rest / rtt_s, 1.0, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_level::checks::{by_default, demand_is_what_rests};

    /// 0.01 1.875/0.25 = 0.075; 0.01 500/0.1 (1 - 0.0001 500/0.075) = 16.6667 packets/s.
    #[test]
    fn its_equation_is_worked_by_hand() {
        let controller: Controller = by_default(Params::TABLE);
        assert!((controller.at_rest - 0.075).abs() < 1e-15);
        assert!((controller.slope(Flow { window: 500.0, rtt_s: 0.1 }, 1e-4) - 50.0 / 3.0).abs() < 1e-9);
        demand_is_what_rests(&controller, &[2.0, 500.0, 1e5], 0.1);
    }
}
