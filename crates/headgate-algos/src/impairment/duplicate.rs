//! Duplication: some packets arrive twice.
//!
//! # Overview
//! Delivers a second copy of a packet directly behind it, like a link layer that retransmits a frame which
//! had arrived.
//!
//! # The rule
//! A packet is duplicated with probability `share`.
//!
//! # When to use it
//! To study the effect on DSACK (RFC 2883) and on counters of duplicate ACKs.
//!
//! # References
//! Linux `sch_netem.c`, `duplicate`.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

headgate_model::params! {
    /// Probability that a packet arrives twice.
    share: number(0.01, (0.0, 1.0), "1", "ours"),
}

pub(crate) const CARD: Card = Card {
    name: "duplicate",
    title: "Duplication",
    aliases: &[],
    family: "impairment",
    rule: "P(copy) = share",
    response: "",
    references: &["Linux sch_netem.c"],
    params: Params::TABLE,
};

/// Independent duplications.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Duplicate {
    params: Params,
}

impl Duplicate {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Impairment for Duplicate {
    fn pass(&mut self, _packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        Some(Passage { copies: u32::from(chance.chance(self.params.share)), ..Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    #[test]
    fn so_many_have_a_copy_as_was_said() {
        let (mut duplicate, mut chance) = (Duplicate::new(Params { share: 0.2 }), Stream::new(1, "test", 0));
        let copies: u32 =
            (0..100_000).map(|_| duplicate.pass(&DATA, 0, &mut chance).map_or(0, |p| p.copies)).sum();
        assert!((f64::from(copies) - 2e4).abs() < 4.0 * (1e5f64 * 0.2 * 0.8).sqrt(), "{copies}");
    }
}
