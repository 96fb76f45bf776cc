//! Reordering: some packets are delayed, and overtaken.
//!
//! # Overview
//! Delays some packets, as a second path or a link layer's retransmission does, while the packets behind them
//! overtake.
//!
//! # The rule
//! With probability `share` a packet arrives `late_s` later; no other packet waits for it, and it waits for
//! none. At n packets per second about `n late_s` packets overtake it.
//!
//! # When to use it
//! To study what a sender takes for loss: three duplicate ACKs, or RACK's window (RFC 8985).
//!
//! # References
//! Linux `sch_netem.c`, `reorder` (which delays the other packets); RFC 4737 for measures of it.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::{Time, picoseconds};

headgate_model::params! {
    /// Probability that a packet is delayed.
    share: number(0.01, (0.0, 1.0), "1", "ours"),
    /// Duration of the delay.
    late_s: number(0.005, (0.0, 10.0), "s", "ours"),
}

pub(crate) const CARD: Card = Card {
    name: "reorder",
    title: "Reordering",
    aliases: &[],
    family: "impairment",
    rule: "P(late) = share",
    response: "",
    references: &["Linux sch_netem.c", "RFC 4737"],
    params: Params::TABLE,
};

/// Random delays of single packets.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Reorder {
    params: Params,
}

impl Reorder {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Impairment for Reorder {
    fn pass(&mut self, _packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        let Params { share, late_s } = self.params;
        let held = Passage { late: picoseconds(late_s), in_order: false, ..Passage::CLEAR };
        Some(if chance.chance(share) { held } else { Passage::CLEAR })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    #[test]
    fn so_many_are_held_back_as_was_said() {
        let params = Params { share: 0.05, late_s: 0.002 };
        let (mut reorder, mut chance) = (Reorder::new(params), Stream::new(1, "test", 0));
        let passages: Vec<_> = (0..100_000).filter_map(|_| reorder.pass(&DATA, 0, &mut chance)).collect();
        let held = passages.iter().filter(|passage| !passage.in_order).count() as f64;
        assert_eq!(passages.len(), 100_000);
        assert!((held - 5e3).abs() < 4.0 * (1e5f64 * 0.05 * 0.95).sqrt(), "{held}");
        assert!(
            passages.iter().all(|passage| passage.late == if passage.in_order { 0 } else { 2_000_000_000 })
        );
    }
}
