//! What a receiver knows of congestion marks (RFC 3168, RFC 8257).

use headgate_model::control::Echo;
use serde::{Deserialize, Serialize};

use crate::flags::Flags;

/// What a receiver knows of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    echo: Echo,
    /// Latched: a mark awaits the sender's answer. Accurate: the segment before was marked.
    set: bool,
    /// ACKs may be marked: ports then need not drop them (RFC 3168 §6.1.4 forbids it; RFC 8311 §4.3 lets
    /// experiments do it). A mark on one is not answered.
    acks: bool,
}

impl Marks {
    /// The echo that a SYN asks for.
    pub fn asked(syn: Flags, acks: bool) -> Self {
        let echo = match (syn.has(Flags::CAPABLE), syn.has(Flags::ECHO)) {
            (false, _) => Echo::None,
            (true, false) => Echo::Latched,
            (true, true) => Echo::Accurate,
        };
        Self { echo, set: false, acks: acks && echo != Echo::None }
    }

    /// Takes a segment's marks; true if what came before it must be acknowledged first, so that no ACK
    /// stands for marked and unmarked segments at once (RFC 8257 §3.2).
    #[inline]
    pub fn take(&mut self, data: Flags) -> bool {
        match self.echo {
            Echo::None => false,
            Echo::Latched => {
                self.set = data.has(Flags::MARKED) || (self.set && !data.has(Flags::REDUCED));
                false
            }
            Echo::Accurate => self.set != data.has(Flags::MARKED),
        }
    }

    /// After [`Self::take`], and the ACK that it may have asked for.
    #[inline]
    pub fn settle(&mut self, data: Flags) {
        if self.echo == Echo::Accurate {
            self.set = data.has(Flags::MARKED);
        }
    }

    /// The flags of an ACK that leaves now.
    #[inline]
    pub fn ack(&self) -> Flags {
        Flags::NONE.with(Flags::ECHO, self.set).with(Flags::CAPABLE, self.acks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(marked: bool, reduced: bool) -> Flags {
        Flags::NONE.with(Flags::MARKED, marked).with(Flags::REDUCED, reduced)
    }

    fn echoes(marks: &mut Marks, segment: Flags) -> bool {
        marks.take(segment);
        marks.settle(segment);
        marks.ack().has(Flags::ECHO)
    }

    #[test]
    fn a_latched_echo_stays_until_the_sender_has_reduced() {
        let mut marks = Marks::asked(Flags::NONE.with(Flags::CAPABLE, true), false);
        let segments = [(false, false), (true, false), (false, false), (false, true), (true, true)];
        let seen = segments.map(|(marked, reduced)| echoes(&mut marks, data(marked, reduced)));
        assert_eq!(seen, [false, true, true, false, true]);
    }

    #[test]
    fn an_accurate_echo_follows_every_mark_and_splits_delayed_acks() {
        let syn = Flags::NONE.with(Flags::CAPABLE, true).with(Flags::ECHO, true);
        let mut marks = Marks::asked(syn, false);
        let mut splits = Vec::new();
        for marked in [false, true, true, false] {
            splits.push(marks.take(data(marked, false)));
            marks.settle(data(marked, false));
            assert_eq!(marks.ack().has(Flags::ECHO), marked);
        }
        assert_eq!(splits, [false, true, false, true]);
    }

    #[test]
    fn without_ecn_nothing_is_echoed() {
        let mut marks = Marks::asked(Flags::NONE, false);
        assert!(!echoes(&mut marks, data(true, false)));
    }

    #[test]
    fn acks_are_capable_by_choice_and_only_with_ecn() {
        let capable = |ecn, acks| {
            let syn = Flags::NONE.with(Flags::CAPABLE, ecn);
            Marks::asked(syn, acks).ack().has(Flags::CAPABLE)
        };
        assert_eq!(
            [(true, true), (true, false), (false, true)].map(|(e, a)| capable(e, a)),
            [true, false, false]
        );
    }
}
