//! FAST TCP at flow level.
//!
//! # Overview
//! Each flow moves its window until it keeps `alpha` packets in the queues of its path.
//!
//! # The equations
//! `w' = kappa (1 - q/U')` with `kappa = gamma alpha/(n R)` and `U' = alpha/x`, if the window is updated
//! every `n` round trips: `w' = gamma (alpha - q x)/(n R)`. In equilibrium `x = alpha/q`. The queue of a link
//! is `q_l' = y - C`, bounded by 0 and its buffer, with the arrivals `y`. The queueing delay of a path is `q
//! = sum of q_l/C`, the round trip `R = d + q`, and the rate `x = w/R`. In equilibrium every link is full or
//! its queue is empty, and the rates maximise the sum of `alpha ln x`: weighted proportional fairness.
//!
//! # Differences from the source
//! NOTE(Jin, Wei, Low 2004): the paper's time counts updates, and its `kappa` is `gamma alpha`; here time is
//! in seconds, and an update takes `update_rounds` round trips. The base RTT is exact. There is no doubling
//! at the start. Delays are seen at once; with `feedback = round` the window moves by the `q` and `R` of one
//! round trip ago. A full buffer drops the excess, but no flow halves its window for it.
//!
//! # When to use it
//! For FAST's rates, queues and convergence; `headgate.fluid.fast_map` is the paper's map in discrete time.
//!
//! # References
//! Jin, Wei, Low 2004; Wang, Wei, Low 2005 (feedback delay); Wei, Jin, Low, Hegde 2006.

use headgate_model::params::Card;

use crate::flow_level::{Flow, FlowController, FlowLevel, Price, power};
use crate::model::Demand;

headgate_model::choices! {
    /// The age of the feedback.
    pub enum FeedbackDelay {
        /// None.
        Now = "now",
        /// One round trip.
        Round = "round",
    }
}

headgate_model::params! {
    /// Window at the start.
    initial_window: number(10.0, (1e-3, 1e9), "packets", "free: the equilibrium does not depend on it"),
    /// Packets that a flow keeps in the queue.
    alpha: number(100.0, (1e-3, 100000.0), "packets", "ns-2 FAST agent 1.1.3"),
    /// Share of the way to its target that the window goes at an update.
    gamma: number(0.5, (1e-6, 1.0), "1", "Jin, Wei, Low 2004"),
    /// Round trips per update of the window.
    update_rounds: number(2.0, (1.0, 16.0), "round trips", "ns-2 FAST agent 1.1.3"),
    /// Whether queueing delays are seen at once, or one round trip late.
    feedback: choice(FeedbackDelay, "Jin, Wei, Low 2004; Wang, Wei, Low 2005"),
}

pub const CARD: Card = Card {
    name: "fast",
    title: "FAST TCP at flow level",
    aliases: &[],
    family: "delay",
    rule: "w' = gamma (alpha - q x)/(n R), x = w/R, R = d + q",
    response: "x = alpha/q",
    references: &["Jin, Wei, Low 2004", "Wang, Wei, Low 2005", "Wei, Jin, Low, Hegde 2006"],
    params: Params::TABLE,
};

pub const OF_LINKS: &[&str] = &[];

pub type Fast = FlowLevel<Controller>;

pub struct Controller(Params);

impl FlowController for Controller {
    const PRICE: Price = Price::Delay;

    fn from_values(values: &[f64]) -> Self {
        Self(Params::from_values(values))
    }

    fn initial_window(&self) -> f64 {
        self.0.initial_window
    }

    fn sees_prices_late(&self) -> bool {
        self.0.feedback == FeedbackDelay::Round
    }

    fn gain(&self, flow: Flow) -> f64 {
        self.0.gamma * self.0.alpha / (self.0.update_rounds * flow.rtt_s)
    }

    fn marginal(&self, flow: Flow) -> f64 {
        self.0.alpha / flow.rate()
    }

    fn demand(&self, price: f64, _rtt_s: f64) -> Demand {
        power(self.0.alpha, 1.0, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_level::checks::{by_default, demand_is_what_rests};

    /// 0.5 (100 - 0.02 1000/0.1)/(2 0.1) = -250 packets/s: 200 packets are queued.
    #[test]
    fn its_equation_is_worked_by_hand() {
        let controller: Controller = by_default(Params::TABLE);
        assert!((controller.slope(Flow { window: 1000.0, rtt_s: 0.1 }, 0.02) + 250.0).abs() < 1e-9);
        demand_is_what_rests(&controller, &[2.0, 500.0, 1e5], 0.1);
    }
}
