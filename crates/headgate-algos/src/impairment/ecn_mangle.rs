//! ECN mangling: a router replaces codepoints of the ECN field by others.
//!
//! # Overview
//! Changes the ECN field of packets by a table with one entry for each codepoint. Examples are a router that
//! erases marks (`ce = "ect0"`), one that moves traffic to the L4S queue (`ect0 = "ect1"`), and one that marks
//! every packet.
//!
//! # The rule
//! A packet whose entry is not `keep` gets the codepoint of that entry with probability `share`. By default
//! all entries are `keep`.
//!
//! # When to use it
//! To study the fallback of senders, and disciplines that classify packets by the field. `ecn-bleach` clears
//! the whole field.
//!
//! # References
//! RFC 9768 §3.2.2.3; RFC 3168 §18.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

headgate_model::choices! {
    /// The codepoint that replaces another.
    pub enum Becomes {
        /// The field stays.
        Keep = "keep",
        /// Not ECN-capable.
        NotEct = "not-ect",
        /// ECT(1).
        Ect1 = "ect1",
        /// ECT(0).
        Ect0 = "ect0",
        /// Marked.
        Ce = "ce",
    }
}

impl Becomes {
    /// Returns the new codepoint; `None` if the field stays.
    const fn codepoint(self) -> Option<Ecn> {
        match self {
            Self::Keep => None,
            Self::NotEct => Some(Ecn::NotEct),
            Self::Ect1 => Some(Ecn::Ect1),
            Self::Ect0 => Some(Ecn::Ect0),
            Self::Ce => Some(Ecn::Ce),
        }
    }
}

headgate_model::params! {
    /// The new value of Not-ECT.
    not_ect: choice(Becomes, "ours"),
    /// The new value of ECT(1).
    ect1: choice(Becomes, "ours"),
    /// The new value of ECT(0).
    ect0: choice(Becomes, "ours"),
    /// The new value of CE.
    ce: choice(Becomes, "ours"),
    /// Probability that the field of a packet is changed.
    share: number(1.0, (0.0, 1.0), "1", "ours: all"),
}

pub(crate) const CARD: Card = Card {
    name: "ecn-mangle",
    title: "ECN mangling",
    aliases: &[],
    family: "impairment",
    rule: "P(field = table[field]) = share",
    response: "",
    references: &["RFC 9768", "RFC 3168"],
    params: Params::TABLE,
};

/// Independent changes by one table.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct EcnMangle {
    /// The new codepoints, by the numbers of the old ones.
    table: [Option<Ecn>; 4],
    share: f64,
}

impl EcnMangle {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        let Params { not_ect, ect1, ect0, ce, share } = params;
        let table = Ecn::ALL.map(|from| {
            let becomes = [not_ect, ect1, ect0, ce][usize::from(from.bits())];
            becomes.codepoint().filter(|&to| to != from)
        });
        Self { table, share }
    }
}

impl Impairment for EcnMangle {
    const ACTS_AT_ONCE: bool = true;

    fn pass(&mut self, packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        let to = self.table[usize::from(packet.ecn.bits())];
        Some(Passage { ecn: to.filter(|_| chance.chance(self.share)), ..Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEP: Params = Params {
        not_ect: Becomes::Keep,
        ect1: Becomes::Keep,
        ect0: Becomes::Keep,
        ce: Becomes::Keep,
        share: 1.0,
    };

    /// Returns each codepoint after the impairment, by its number on the wire.
    fn after(params: Params) -> [u8; 4] {
        let (mut mangle, mut chance) = (EcnMangle::new(params), Stream::new(1, "test", 0));
        Ecn::ALL.map(|ecn| {
            let packet = PassingPacket { size_bytes: 1500, data: true, ecn };
            mangle.pass(&packet, 0, &mut chance).and_then(|passage| passage.ecn).unwrap_or(ecn).bits()
        })
    }

    #[test]
    fn each_codepoint_has_its_own_entry() {
        assert_eq!(after(KEEP), [0, 1, 2, 3]);
        assert_eq!(after(Params { ce: Becomes::Ect0, ..KEEP }), [0, 1, 2, 2]);
        assert_eq!(after(Params { ect0: Becomes::Ect1, ..KEEP }), [0, 1, 1, 3]);
        let all = Params { not_ect: Becomes::Ce, ect1: Becomes::Ce, ect0: Becomes::Ce, ..KEEP };
        assert_eq!(after(all), [3, 3, 3, 3]);
        let swapped = Params { ect1: Becomes::Ect0, ect0: Becomes::Ect1, ce: Becomes::NotEct, ..KEEP };
        assert_eq!(after(swapped), [0, 2, 1, 0]);
        assert_eq!(after(Params { share: 0.0, ..all }), [0, 1, 2, 3]);
    }

    #[test]
    fn so_many_are_changed_as_was_said() {
        let (share, mut chance) = (0.3, Stream::new(1, "test", 0));
        let mut mangle = EcnMangle::new(Params { ce: Becomes::Ect1, share, ..KEEP });
        let packet = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::Ce };
        let mut changes =
            || mangle.pass(&packet, 0, &mut chance).is_some_and(|passage| passage.ecn.is_some());
        let changed = (0..100_000).filter(|_| changes()).count() as f64;
        assert!((changed - 3e4).abs() < 4.0 * (1e5f64 * 0.3 * 0.7).sqrt(), "{changed}");
    }
}
