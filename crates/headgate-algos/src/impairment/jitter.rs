//! Jitter: packets are delayed at random.
//!
//! # Overview
//! Adds a random time to the delay of each packet, as retransmissions of a radio link and scheduling do.
//!
//! # The rule
//! The added time has the mean `mean_s` and this distribution: exponential, uniform from 0 to twice the mean,
//! or constant. With `order = kept`, a packet does not arrive before the one ahead of it, so that the mean
//! delay is larger; with `order = free`, packets overtake each other.
//!
//! # When to use it
//! With `order = \"kept\"` for links that deliver in order, such as LTE and Wi-Fi; with `free` for parallel
//! paths.
//!
//! # References
//! Linux `sch_netem.c`, `delay TIME JITTER`, which reorders.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::{Time, picoseconds};

headgate_model::choices! {
    /// The distribution of the time added.
    pub enum Distribution {
        /// Exponential.
        Exponential = "exponential",
        /// Uniform from 0 to twice the mean.
        Uniform = "uniform",
        /// Always the mean.
        Constant = "constant",
    }
}

headgate_model::choices! {
    /// Whether packets can overtake each other.
    pub enum Order {
        /// Packets arrive in the order in which they were sent.
        Kept = "kept",
        /// Packets overtake each other.
        Free = "free",
    }
}

headgate_model::params! {
    /// Mean of the time added.
    mean_s: number(0.005, (0.0, 10.0), "s", "ours"),
    /// Its distribution.
    distribution: choice(Distribution, "ours"),
    /// Whether packets stay in order.
    order: choice(Order, "ours"),
}

pub(crate) const CARD: Card = Card {
    name: "jitter",
    title: "Jitter",
    aliases: &[],
    family: "impairment",
    rule: "delay += X, E X = mean",
    response: "",
    references: &["Linux sch_netem.c"],
    params: Params::TABLE,
};

/// Independent delays.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Jitter {
    params: Params,
}

impl Jitter {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }

    fn draw_s(&self, chance: &mut Stream) -> f64 {
        let Params { mean_s, distribution, .. } = self.params;
        match distribution {
            Distribution::Exponential => chance.exponential(mean_s),
            Distribution::Uniform => 2.0 * mean_s * chance.open01(),
            Distribution::Constant => mean_s,
        }
    }
}

impl Impairment for Jitter {
    fn pass(&mut self, _packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        let late = picoseconds(self.draw_s(chance));
        Some(Passage { late, in_order: self.params.order == Order::Kept, ..Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    /// Mean and variance of the added time, seconds.
    fn moments(distribution: Distribution) -> (f64, f64) {
        let (mut jitter, mut chance) = (
            Jitter::new(Params { mean_s: 0.01, distribution, order: Order::Kept }),
            Stream::new(1, "test", 0),
        );
        let many = 100_000;
        let late: Vec<f64> =
            (0..many).map(|_| jitter.pass(&DATA, 0, &mut chance).unwrap().late as f64 / 1e12).collect();
        let mean = late.iter().sum::<f64>() / f64::from(many);
        (mean, late.iter().map(|late| (late - mean).powi(2)).sum::<f64>() / f64::from(many))
    }

    #[test]
    fn moments_are_those_of_the_distribution() {
        for (distribution, variance) in [
            (Distribution::Exponential, 1e-4),
            (Distribution::Uniform, 1e-4 / 3.0),
            (Distribution::Constant, 0.0),
        ] {
            let found = moments(distribution);
            assert!(
                (found.0 - 0.01).abs() < 4.0 * (variance / 1e5f64).sqrt() + 1e-12,
                "{distribution:?}: {found:?}"
            );
            assert!((found.1 - variance).abs() <= 0.03 * variance + 1e-18, "{distribution:?}: {found:?}");
        }
    }
}
