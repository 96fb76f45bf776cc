//! ECN bleaching: a router clears the ECN field.
//!
//! # Overview
//! Clears the ECN field of packets, like a router that rewrites the former type-of-service byte. Marks of
//! earlier routers are lost, and later routers drop packets instead of marking them.
//!
//! # The rule
//! The field of a packet becomes Not-ECT with probability `share`.
//!
//! # When to use it
//! To study what a flow does whose marks do not arrive. `ecn-mangle` makes any other change of the field.
//!
//! # References
//! RFC 3168 §18.1; Mandalari et al. 2018.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

headgate_model::params! {
    /// Probability that the field of a packet is cleared.
    share: number(1.0, (0.0, 1.0), "1", "ours: all"),
}

pub(crate) const CARD: Card = Card {
    name: "ecn-bleach",
    title: "ECN bleaching",
    aliases: &[],
    family: "impairment",
    rule: "P(field = Not-ECT) = share",
    response: "",
    references: &["RFC 3168", "Mandalari et al. 2018"],
    params: Params::TABLE,
};

/// Independent clearings.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct EcnBleach {
    params: Params,
}

impl EcnBleach {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Impairment for EcnBleach {
    const ACTS_AT_ONCE: bool = true;

    fn pass(&mut self, packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        let clears = packet.ecn.is_capable() && chance.chance(self.params.share);
        Some(Passage { ecn: clears.then_some(Ecn::NotEct), ..Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(share: f64, ecn: Ecn, chance: &mut Stream) -> Option<Ecn> {
        let packet = PassingPacket { size_bytes: 1500, data: true, ecn };
        EcnBleach::new(Params { share }).pass(&packet, 0, chance).and_then(|passage| passage.ecn)
    }

    #[test]
    fn every_codepoint_is_cleared() {
        let mut chance = Stream::new(1, "test", 0);
        let cleared = Ecn::ALL.map(|ecn| after(1.0, ecn, &mut chance));
        assert_eq!(cleared, [None, Some(Ecn::NotEct), Some(Ecn::NotEct), Some(Ecn::NotEct)]);
        assert_eq!(Ecn::ALL.map(|ecn| after(0.0, ecn, &mut chance)), [None; 4]);
    }

    #[test]
    fn so_many_are_cleared_as_was_said() {
        let mut chance = Stream::new(1, "test", 0);
        let cleared = (0..100_000).filter(|_| after(0.2, Ecn::Ce, &mut chance).is_some()).count() as f64;
        assert!((cleared - 2e4).abs() < 4.0 * (1e5f64 * 0.2 * 0.8).sqrt(), "{cleared}");
    }
}
