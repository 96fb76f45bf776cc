//! ECN counts of ACKs, and their validation (RFC 9000 section 13.4).

use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

use crate::accecn::ByteCounts;

/// No packets.
pub(crate) const NO_COUNTS: ByteCounts = ByteCounts { ect0: 0, ce: 0, ect1: 0 };

/// Counts a received packet.
pub(crate) fn count_packet(counts: &mut ByteCounts, ecn: Ecn) {
    match ecn {
        Ecn::NotEct => {}
        Ecn::Ect0 => counts.ect0 += 1,
        Ecn::Ect1 => counts.ect1 += 1,
        Ecn::Ce => counts.ce += 1,
    }
}

/// A sender's copy of the receiver's counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EcnState {
    seen: ByteCounts,
}

impl Default for EcnState {
    fn default() -> Self {
        Self { seen: NO_COUNTS }
    }
}

impl EcnState {
    /// Takes the counts of an ACK that raises the largest acknowledged number. It newly acknowledges
    /// `capable` packets that were sent with this codepoint. Returns the newly marked packets, or `None` if
    /// the counts contradict what was sent (RFC 9000 section 13.4.2.1).
    pub(crate) fn take(&mut self, counts: Option<ByteCounts>, capable: u32, codepoint: Ecn) -> Option<u32> {
        let Some(counts) = counts else { return (capable == 0).then_some(0) };
        let seen = std::mem::replace(&mut self.seen, counts);
        let marked = counts.ce.checked_sub(seen.ce)?;
        let (own, own_seen, other) = match codepoint {
            Ecn::Ect1 => (counts.ect1, seen.ect1, counts.ect0),
            _ => (counts.ect0, seen.ect0, counts.ect1),
        };
        let unmarked = own.checked_sub(own_seen)?;
        (marked + unmarked >= capable && other == 0).then_some(marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ect0: u32, ce: u32, ect1: u32) -> Option<ByteCounts> {
        Some(ByteCounts { ect0, ce, ect1 })
    }

    #[test]
    fn counts_are_validated_by_section_13_4_2_1() {
        let mut state = EcnState::default();
        assert_eq!(state.take(counts(2, 1, 0), 3, Ecn::Ect0), Some(1));
        assert_eq!(state.take(counts(4, 2, 0), 2, Ecn::Ect0), Some(1)); // one was reported by a lost ACK
        for (next, capable) in [
            (counts(5, 2, 0), 2), // one of two was bleached
            (None, 2),            // the counts are missing
            (counts(6, 2, 1), 2), // another codepoint was never sent
            (counts(3, 2, 0), 0), // a count that shrinks
        ] {
            assert_eq!(EcnState::clone(&state).take(next, capable, Ecn::Ect0), None, "{next:?}");
        }
        assert_eq!(state.take(None, 0, Ecn::Ect0), Some(0));
    }
}
