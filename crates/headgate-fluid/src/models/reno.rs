//! TCP Reno at flow level.
//!
//! # Overview
//! The mean window of Reno in congestion avoidance: it grows by a packet per round trip and is reduced at
//! losses, until losses follow Mathis' formula.
//!
//! # The equations
//! `w' = kappa (1 - p/U')` with `kappa = 1/T` and `U' = 1.5/w^2`: `w' = (1 - (2/3) w^2 p)/T`. In equilibrium
//! `w = 1.2247/p^0.5`. A link changes its loss `p_l` by `p_l' = p_l (y - C)/C` (1/s), at most 1, with the
//! arrivals `y`; a path has `p = loss + sum of p_l`, and `T` is its round trip without queues. In equilibrium
//! every link is full or without loss, and the rates maximise the sum of utilities.
//!
//! # Differences from the source
//! NOTE(Jin, Wei, Low 2004): the paper does not define how a link sets its price. Here a link does not queue,
//! and adjusts its loss until its arrivals equal its rate. Prices are seen at once, not one round trip later.
//! The factor 1.5 is that of equally spaced losses; independent losses give about 1.7 (a window of
//! 1.31/p^0.5).
//!
//! # When to use it
//! For shares and prices in equilibrium, compared with those of other algorithms. For oscillations with RED
//! use `misra-gong-towsley`.
//!
//! # References
//! Jin, Wei, Low 2004 (the common form); Mathis, Semke, Mahdavi, Ott 1997; Low, Lapsley 1999 (prices).

use headgate_model::params::Card;

use crate::flow_level::{Flow, FlowController, FlowLevel, Price, power};
use crate::model::Demand;

headgate_model::params! {
    /// Window at the start.
    initial_window: number(10.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Loss probability of the path in addition to its links'.
    loss: number(0.0, (0.0, 1.0), "1", "free"),
}

pub const CARD: Card = Card {
    name: "reno",
    title: "TCP Reno at flow level",
    aliases: &[],
    family: "loss",
    rule: "w' = (1 - (2/3) w^2 p)/T",
    response: "w = 1.2247/p^0.5",
    references: &["Jin, Wei, Low 2004", "Mathis, Semke, Mahdavi, Ott 1997"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &[];

pub type Reno = FlowLevel<Controller>;

/// `w^2 p` in equilibrium (Mathis et al. 1997).
const AT_REST: f64 = 1.5;

pub struct Controller(Params);

impl FlowController for Controller {
    const PRICE: Price = Price::Loss;

    fn from_values(values: &[f64]) -> Self {
        Self(Params::from_values(values))
    }

    fn initial_window(&self) -> f64 {
        self.0.initial_window
    }

    fn loss(&self) -> f64 {
        self.0.loss
    }

    fn gain(&self, flow: Flow) -> f64 {
        1.0 / flow.rtt_s
    }

    fn marginal(&self, flow: Flow) -> f64 {
        AT_REST / (flow.window * flow.window)
    }

    fn demand(&self, price: f64, rtt_s: f64) -> Demand {
        power(AT_REST.sqrt() / rtt_s, 0.5, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_level::checks::{by_default, demand_is_what_rests};

    /// (1 - (2/3) 30^2 0.001)/0.1 = 4 packets/s.
    #[test]
    fn its_equation_is_the_one_of_the_source() {
        let controller: Controller = by_default(Params::TABLE);
        assert!((controller.slope(Flow { window: 30.0, rtt_s: 0.1 }, 0.001) - 4.0).abs() < 1e-12);
        demand_is_what_rests(&controller, &[2.0, 30.0, 1e4], 0.1);
    }
}
