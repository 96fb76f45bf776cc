//! HighSpeed TCP at flow level.
//!
//! # Overview
//! The mean window of HighSpeed TCP: above 38 packets a larger window grows faster, and is reduced less at a
//! loss.
//!
//! # The equations
//! `w' = kappa (1 - p/U')` with `U' = p(w)`, a line in logarithms from 1e-3 at 38 packets to 1e-7 at 83000,
//! and `kappa = p(w) w^2 2 b(w)/((2 - b(w)) T)`; `b` falls with `ln w` from 0.5 to 0.1: the increase of
//! the RFC per round trip. In equilibrium `w = 0.119/p^0.835`. Below 38 packets `U' = 1e-3 (38/w)^2` and
//! `kappa = U' w^2 2/(3 T)`, as Reno's. A link changes its loss `p_l` by `p_l' = p_l (y - C)/C` (1/s), at
//! most 1, with the arrivals `y`; a path has `p = loss + sum of p_l`, and `T` is its round trip without
//! queues. In equilibrium every link is full or without loss, and the rates maximise the sum of utilities.
//!
//! # Differences from the source
//! NOTE(Jin, Wei, Low 2004): the paper does not define how a link sets its price. Here a link does not queue,
//! and adjusts its loss until its arrivals equal its rate. Prices are seen at once, not one round trip later.
//! The paper rounds: `U' = 0.08/w^1.2` and `w = 0.120/p^0.84`; here the constants are the points of RFC 3649.
//!
//! # When to use it
//! For shares and prices in equilibrium, compared with those of other algorithms.
//!
//! # References
//! Jin, Wei, Low 2004 (the common form); RFC 3649; Low, Lapsley 1999 (prices).

use headgate_model::params::Card;

use crate::flow_level::{Flow, FlowController, FlowLevel, Price, power};
use crate::model::Demand;

headgate_model::params! {
    /// Window at the start.
    initial_window: number(10.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Window up to which the algorithm is Reno.
    low_window: number(38.0, (2.0, 1000.0), "packets", "RFC 3649 §5"),
    /// Window at `high_p`.
    high_window: number(83000.0, (2000.0, 1e7), "packets", "RFC 3649 §5"),
    /// Loss at which the mean window is `high_window`.
    high_p: number(1e-7, (1e-12, 1e-5), "1", "RFC 3649 §5"),
    /// Fraction by which a loss reduces the window at `high_window`.
    high_decrease: number(0.1, (0.01, 0.5), "1", "RFC 3649 §5"),
    /// Loss probability of the path in addition to its links'.
    loss: number(0.0, (0.0, 1.0), "1", "free"),
}

pub const CARD: Card = Card {
    name: "hstcp",
    title: "HighSpeed TCP at flow level",
    aliases: &[],
    family: "loss",
    rule: "w' = (2 b/(2 - b)) p(w) w^2 (1 - p/p(w))/T",
    response: "w = 0.119/p^0.835",
    references: &["Jin, Wei, Low 2004", "RFC 3649"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &[];

pub type Hstcp = FlowLevel<Controller>;

/// The point at which the response function of RFC 3649 §5 begins.
const LOW_P: f64 = 1e-3;
const LOW_WINDOW: f64 = 38.0;

/// Fraction by which a loss reduces the window while the algorithm is Reno.
const LOW_DECREASE: f64 = 0.5;

pub struct Controller {
    params: Params,
    low_p: f64,
    /// `p(w) = low_p (w/low_window)^slope`.
    slope: f64,
}

impl Controller {
    fn b(&self, window: f64) -> f64 {
        let Params { low_window, high_window, high_decrease, .. } = self.params;
        let part = libm::log(window / low_window) / libm::log(high_window / low_window);
        (LOW_DECREASE + (high_decrease - LOW_DECREASE) * part).clamp(high_decrease, LOW_DECREASE)
    }
}

impl FlowController for Controller {
    const PRICE: Price = Price::Loss;

    fn from_values(values: &[f64]) -> Self {
        let params = Params::from_values(values);
        let Params { low_window, high_window, high_p, .. } = params;
        let low_p = LOW_P * (LOW_WINDOW / low_window) * (LOW_WINDOW / low_window);
        Self { params, low_p, slope: libm::log(high_p / low_p) / libm::log(high_window / low_window) }
    }

    fn initial_window(&self) -> f64 {
        self.params.initial_window
    }

    fn loss(&self) -> f64 {
        self.params.loss
    }

    fn gain(&self, flow: Flow) -> f64 {
        let b = self.b(flow.window);
        self.marginal(flow) * flow.window * flow.window * 2.0 * b / ((2.0 - b) * flow.rtt_s)
    }

    fn marginal(&self, flow: Flow) -> f64 {
        let part = flow.window / self.params.low_window;
        self.low_p * libm::pow(part, if part > 1.0 { self.slope } else { -2.0 })
    }

    fn demand(&self, price: f64, rtt_s: f64) -> Demand {
        let low_rate = self.params.low_window / rtt_s;
        let reno = |price: f64| power(low_rate * self.low_p.sqrt(), 0.5, price);
        if price >= self.low_p {
            return reno(price);
        }
        let exponent = -1.0 / self.slope;
        let line = |price: f64| power(low_rate * libm::pow(self.low_p, exponent), exponent, price);
        let joined = reno(self.low_p).integral - line(self.low_p).integral;
        Demand { integral: line(price).integral + joined, ..line(price) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_level::checks::{by_default, demand_is_what_rests};

    /// RFC 3649 §5: a(83000) = 83000^2 1e-7 0.2/1.9 = 72.516 per round trip. At 38 as Reno: 38^2 1e-3 (2/3).
    #[test]
    fn without_loss_it_rises_as_the_rfc_has_it() {
        let controller: Controller = by_default(Params::TABLE);
        let rises = |window| controller.slope(Flow { window, rtt_s: 1.0 }, 0.0);
        assert!((rises(83_000.0) - 72.516).abs() < 1e-3);
        assert!((rises(38.0) - 0.9627).abs() < 1e-4 && (rises(10.0) - 0.9627).abs() < 1e-4);
        demand_is_what_rests(&controller, &[2.0, 30.0, 50.0, 83_000.0, 1e6], 0.1);
    }

    #[test]
    fn the_integral_has_no_jump_where_the_two_parts_meet() {
        let controller: Controller = by_default(Params::TABLE);
        let [below, above] =
            [1.0 - 1e-9, 1.0 + 1e-9].map(|part| controller.demand(1e-3 * part, 0.1).integral);
        assert!((above / below - 1.0).abs() < 1e-8);
    }
}
