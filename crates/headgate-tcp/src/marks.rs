//! A receiver's record of congestion marks (RFC 3168, RFC 8257).

use headgate_model::control::Echo;
use serde::{Deserialize, Serialize};

use crate::flags::Flags;

/// A receiver's record of congestion marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    echo: Echo,
    /// Latched echo: a mark awaits the sender's response. Accurate echo: the previous segment was marked.
    set: bool,
    /// Whether ACKs are ECN-capable, so that ports can mark instead of drop them. Senders ignore these marks.
    ///
    /// NOTE(RFC 3168 section 6.1.4): the RFC forbids ECN-capable pure ACKs. They are off by default; RFC 8311
    /// section 4.3 permits them in experiments.
    acks: bool,
}

impl Marks {
    /// Returns the state for the echo that a SYN asks for.
    pub fn asked(syn: Flags, acks: bool) -> Self {
        let echo = match (syn.has(Flags::CAPABLE), syn.has(Flags::ECHO)) {
            (false, _) => Echo::None,
            (true, false) => Echo::Latched,
            (true, true) => Echo::Accurate,
        };
        Self { echo, set: false, acks: acks && echo != Echo::None }
    }

    /// Records a segment's marks. Returns true if the segments before it must be acknowledged first, so that
    /// no ACK covers marked and unmarked segments at once (RFC 8257 section 3.2).
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

    /// Completes the record after [`Self::take`] and the ACK that it may have required.
    #[inline]
    pub fn settle(&mut self, data: Flags) {
        if self.echo == Echo::Accurate {
            self.set = data.has(Flags::MARKED);
        }
    }

    /// Returns the flags of an ACK that leaves now.
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
