//! Independent loss: each packet is lost with the same probability.
//!
//! # Overview
//! Loses packets of any size with the same probability, like a link with independent errors.
//!
//! # The rule
//! A packet is lost with probability `loss`. Runs of losses are geometric with mean `1/(1 - loss)`.
//!
//! # When to use it
//! For loss that is unrelated to load, if bursts do not matter; otherwise `gilbert_elliott`.
//!
//! # References
//! Linux `sch_netem.c`, `loss random`.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

headgate_model::params! {
    /// Probability that a packet is lost.
    loss: number(0.01, (0.0, 1.0), "1", "ours"),
}

pub(crate) const CARD: Card = Card {
    name: "bernoulli",
    title: "Independent loss",
    aliases: &[],
    family: "impairment",
    rule: "P(lost) = loss",
    response: "",
    references: &["Linux sch_netem.c"],
    params: Params::TABLE,
};

/// Independent losses.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Bernoulli {
    params: Params,
}

impl Bernoulli {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Impairment for Bernoulli {
    const ACTS_AT_ONCE: bool = true;

    fn pass(&mut self, _packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        (!chance.chance(self.params.loss)).then_some(Passage::CLEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    #[test]
    fn so_many_are_lost_as_was_said() {
        let (mut bernoulli, mut chance) = (Bernoulli::new(Params { loss: 0.1 }), Stream::new(1, "test", 0));
        let lost = (0..100_000).filter(|_| bernoulli.pass(&DATA, 0, &mut chance).is_none()).count() as f64;
        // four standard deviations of a binomial count
        assert!((lost - 1e4).abs() < 4.0 * (1e5f64 * 0.1 * 0.9).sqrt(), "{lost}");
    }

    #[test]
    fn all_or_nothing() {
        let mut chance = Stream::new(1, "test", 0);
        let mut lost = |loss| {
            (0..100).filter(|_| Bernoulli::new(Params { loss }).pass(&DATA, 0, &mut chance).is_none()).count()
        };
        assert_eq!((lost(0.0), lost(1.0)), (0, 100));
    }
}
