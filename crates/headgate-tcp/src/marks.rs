//! A receiver's record of congestion marks (RFC 3168, RFC 8257).

use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

use crate::feedback::Feedback;
use crate::flags::Flags;
use crate::profile::Profile;

/// A receiver's record of congestion marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    feedback: Feedback,
    /// Classic feedback: a mark awaits the sender's response. Exact feedback: the previous segment was
    /// marked.
    set: bool,
    /// The ECN field of ACKs. Ports can mark capable ACKs instead of dropping them. Senders ignore these
    /// marks.
    ///
    /// NOTE(RFC 3168 section 6.1.4): the RFC forbids ECN-capable pure ACKs. They are off by default; RFC 8311
    /// section 4.3 permits them in experiments.
    acks: Ecn,
}

impl Marks {
    /// Returns the state for the feedback that a SYN asks for, as far as a receiver of the profile supports
    /// it.
    pub fn asked(syn: Flags, profile: &Profile) -> Self {
        let feedback = Feedback::requested(syn).min(profile.ecn_support);
        let capable = profile.ecn_acks && feedback != Feedback::None;
        Self { feedback, set: false, acks: if capable { codepoint(profile) } else { Ecn::NotEct } }
    }

    /// Returns the flags of the answer to a SYN. A SYN that no longer asks for ECN is granted none.
    ///
    /// NOTE(RFC 3168 section 6.1.1): the answer is ECN-capable only by choice; RFC 5562 and RFC 8311 section
    /// 4.3 permit it.
    pub fn answer(&self, syn: Flags, profile: &Profile) -> Flags {
        let granted = self.feedback.min(Feedback::requested(syn));
        let capable = profile.ecn_control && granted != Feedback::None;
        granted.grant().with_ecn(if capable { codepoint(profile) } else { Ecn::NotEct })
    }

    /// Records a segment's marks. Returns true if the segments before it must be acknowledged first, so that
    /// no ACK covers marked and unmarked segments at once (RFC 8257 section 3.2).
    #[inline]
    pub fn take(&mut self, data: Flags) -> bool {
        match self.feedback {
            Feedback::None => false,
            Feedback::Classic => {
                self.set = data.is_marked() || (self.set && !data.has(Flags::REDUCED));
                false
            }
            Feedback::Exact => self.set != data.is_marked(),
        }
    }

    /// Completes the record after [`Self::take`] and the ACK that it may have required.
    #[inline]
    pub fn settle(&mut self, data: Flags) {
        if self.feedback == Feedback::Exact {
            self.set = data.is_marked();
        }
    }

    /// Returns the flags of an ACK that leaves now.
    #[inline]
    pub fn ack(&self) -> Flags {
        Flags::from(self.acks).with(Flags::ECHO, self.set)
    }
}

/// Returns the codepoint of a receiver's packets. It does not know the controller.
fn codepoint(profile: &Profile) -> Ecn {
    profile.ecn_codepoint.unwrap_or(Ecn::Ect0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(marked: bool, reduced: bool) -> Flags {
        Flags::from(if marked { Ecn::Ce } else { Ecn::Ect0 }).with(Flags::REDUCED, reduced)
    }

    fn echoes(marks: &mut Marks, segment: Flags) -> bool {
        marks.take(segment);
        marks.settle(segment);
        marks.ack().has(Flags::ECHO)
    }

    #[test]
    fn a_latched_echo_stays_until_the_sender_has_reduced() {
        let mut marks = Marks::asked(Feedback::Classic.request(), &Profile::default());
        let segments = [(false, false), (true, false), (false, false), (false, true), (true, true)];
        let seen = segments.map(|(marked, reduced)| echoes(&mut marks, data(marked, reduced)));
        assert_eq!(seen, [false, true, true, false, true]);
    }

    #[test]
    fn an_exact_echo_follows_every_mark_and_splits_delayed_acks() {
        let mut marks = Marks::asked(Feedback::Exact.request(), &Profile::default());
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
        let mut marks = Marks::asked(Flags::NONE, &Profile::default());
        assert!(!echoes(&mut marks, data(true, false)));
    }

    #[test]
    fn acks_are_capable_by_choice_and_only_with_ecn() {
        let field = |feedback: Feedback, ecn_acks, ecn_codepoint| {
            let profile = Profile { ecn_acks, ecn_codepoint, ..Profile::default() };
            Marks::asked(feedback.request(), &profile).ack().ecn()
        };
        assert_eq!(field(Feedback::Classic, true, None), Ecn::Ect0);
        assert_eq!(field(Feedback::Classic, true, Some(Ecn::Ect1)), Ecn::Ect1);
        assert_eq!(field(Feedback::Classic, false, Some(Ecn::Ect1)), Ecn::NotEct);
        assert_eq!(field(Feedback::None, true, None), Ecn::NotEct);
    }

    #[test]
    fn a_receiver_grants_what_it_supports_and_the_syn_asks_for() {
        use Feedback::{Classic, Exact, None};
        let granted = |ecn_support, first: Feedback, syn: Feedback| {
            let profile = Profile { ecn_support, ..Profile::default() };
            Feedback::granted(Marks::asked(first.request(), &profile).answer(syn.request(), &profile))
        };
        for support in [None, Classic, Exact] {
            for asked in [None, Classic, Exact] {
                assert_eq!(granted(support, asked, asked), asked.min(support));
                assert_eq!(granted(support, asked, None), None); // the second SYN has fallen back
            }
        }
    }

    #[test]
    fn answers_are_capable_by_choice() {
        let field = |feedback: Feedback, ecn_control| {
            let profile = Profile { ecn_control, ..Profile::default() };
            let syn = feedback.request();
            Marks::asked(syn, &profile).answer(syn, &profile).ecn()
        };
        assert_eq!(field(Feedback::Classic, true), Ecn::Ect0);
        assert_eq!(field(Feedback::Classic, false), Ecn::NotEct);
        assert_eq!(field(Feedback::None, true), Ecn::NotEct);
    }
}
