//! Threshold marking: an arrival is marked if it finds more than a number of packets.
//!
//! # Overview
//! Threshold marking signals congestion as soon as a queue builds, by one comparison with the current queue.
//!
//! # The rule
//! An ECN-capable arrival is marked if more than `mark_packets` packets are at the port, including the one in
//! service. Packets are dropped only for lack of space.
//!
//! # Differences from the paper
//! None: RFC 8257 §3.1 leaves open whether bytes or packets are counted, and whether the one in
//! service is.
//!
//! # When to use it
//! With `dctcp`.
//!
//! # References
//! RFC 8257; Alizadeh et al. 2010, which uses 65 packets at 10 Gbit/s and 20 at 1 Gbit/s.

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, Verdict};

headgate_model::params! {
    /// Number of packets at the port above which an arrival is marked.
    mark_packets: number(65.0, (0.0, 1e12), "packets", "Alizadeh et al. 2010, 10 Gbit/s") marks IfOn,
}

pub(crate) const CARD: Card = Card {
    name: "threshold",
    title: "Threshold marking",
    aliases: &[],
    family: "mark",
    rule: "mark if q > K",
    response: "",
    references: &["RFC 8257", "Alizadeh et al. 2010"],
    params: Params::TABLE,
};

/// A port's threshold marking.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Threshold {
    params: Params,
}

impl Threshold {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        Self { params }
    }
}

impl Discipline for Threshold {
    #[inline]
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, _chance: &mut Stream) -> Verdict {
        if arrival.ecn.is_capable() && port.present > self.params.mark_packets {
            Verdict::Mark
        } else {
            Verdict::Keep
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::arrival;

    #[test]
    fn more_than_the_threshold_marks_what_can_be_marked() {
        let mut queue = Threshold::new(Params { mark_packets: 2.0 }, 0.0);
        let mut chance = Stream::new(1, "queue", 0);
        let mut verdict = |present, capable| {
            let port = Backlog { present, ..Backlog::default() };
            queue.admit(&arrival(capable), &port, &mut chance)
        };
        assert_eq!(verdict(2.0, true), Verdict::Keep);
        assert_eq!(verdict(3.0, true), Verdict::Mark);
        assert_eq!(verdict(3.0, false), Verdict::Keep);
    }
}
