//! Duplication: some packets arrive twice.
//!
//! # What it does
//! Lets a packet arrive once more, at once behind itself, as a link layer does that sends again what had arrived.
//!
//! # The law
//! With probability `share` a packet has a copy.
//!
//! # When to use it
//! To see what DSACK (RFC 2883) and counters of duplicate ACKs make of it.
//!
//! # References
//! Linux `sch_netem.c`, `duplicate`.

use headgate_model::chance::Stream;
use headgate_model::feedback::Passing;
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
    law: "P(copy) = share",
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
    /// One that has seen no packet.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Impairment for Duplicate {
    fn pass(&mut self, _packet: &Passing, _now: Time, chance: &mut Stream) -> Option<Passage> {
        Some(Passage { copies: u32::from(chance.chance(self.params.share)), ..Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Passing = Passing { size_bytes: 1500, data: true };

    #[test]
    fn so_many_have_a_copy_as_was_said() {
        let (mut duplicate, mut chance) = (Duplicate::new(Params { share: 0.2 }), Stream::new(1, "test", 0));
        let copies: u32 = (0..100_000).map(|_| duplicate.pass(&DATA, 0, &mut chance).map_or(0, |p| p.copies)).sum();
        assert!((f64::from(copies) - 2e4).abs() < 4.0 * (1e5f64 * 0.2 * 0.8).sqrt(), "{copies}");
    }
}
