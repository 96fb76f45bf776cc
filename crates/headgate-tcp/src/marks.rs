//! A receiver's record of congestion marks (RFC 3168, RFC 8257, RFC 9768).

use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

use crate::accecn::{ByteCounts, MarkCounter};
use crate::context::Syn;
use crate::feedback::Feedback;
use crate::flags::Flags;
use crate::profile::Profile;

/// Bytes of TCP options, and of the time-stamp option with its padding.
const OPTION_SPACE: u8 = 40;
const TIMESTAMP_BYTES: u8 = 12;

/// A receiver's record of congestion marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    ///
    /// NOTE(RFC 9768 section 3.2.2.5.1): senders send no ACKs of marked ACKs.
    acks: Ecn,
    /// Accurate feedback: a SYN has arrived that does not ask for ECN.
    has_fallen_back: bool,
    /// The counters of accurate feedback.
    counter: Option<Box<MarkCounter>>,
}

impl Marks {
    /// Returns the state for the feedback that a SYN asks for, as far as a receiver of the profile supports
    /// it.
    pub fn asked(syn: Flags, profile: &Profile) -> Self {
        let feedback = Feedback::requested(syn).min(profile.ecn_support);
        let capable = profile.ecn_acks && feedback != Feedback::None;
        Self {
            feedback,
            set: false,
            acks: if capable { codepoint(profile) } else { Ecn::NotEct },
            has_fallen_back: false,
            counter: (feedback == Feedback::Accurate).then(Box::default),
        }
    }

    /// Returns the flags of the answer to a SYN. A SYN that no longer asks for ECN is granted none, except by
    /// a receiver with accurate feedback, which keeps its mode (RFC 9768 section 3.1.5). Such an answer
    /// reports the ECN field of the SYN (table 2), and nothing that the receiver sends from then on is
    /// ECN-capable.
    ///
    /// NOTE(RFC 3168 section 6.1.1): the answer is ECN-capable only by choice; RFC 5562 and RFC 8311 section
    /// 4.3 permit it.
    pub fn answer(&mut self, syn: &Syn, profile: &Profile) -> Flags {
        let asked = Feedback::requested(syn.flags);
        let granted = match self.feedback {
            Feedback::Accurate => Feedback::Accurate,
            other => other.min(asked),
        };
        if asked == Feedback::None && granted == Feedback::Accurate {
            (self.has_fallen_back, self.acks) = (true, Ecn::NotEct);
        }
        let capable = profile.ecn_control && granted != Feedback::None && !self.has_fallen_back;
        granted.grant(syn.flags.ecn()).with_ecn(if capable { codepoint(profile) } else { Ecn::NotEct })
    }

    /// Records a segment's marks. Returns true if the segments before it must be acknowledged first, so that
    /// no ACK covers marked and unmarked segments at once (RFC 8257 section 3.2).
    #[inline]
    pub fn take(&mut self, data: Flags) -> bool {
        match self.feedback {
            Feedback::None | Feedback::Accurate => false,
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

    /// Counts an acceptable segment, with accurate feedback.
    #[inline]
    pub fn count(&mut self, data: Flags, profile: &Profile) {
        if let Some(counter) = &mut self.counter {
            counter.count(data.ecn(), profile.payload_bytes.into());
        }
    }

    /// Whether an ACK must leave at once, with accurate feedback.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.counter.as_ref().is_some_and(|counter| counter.is_due())
    }

    /// Returns the ECN field of ACKs, without feedback.
    pub fn field(&self) -> Flags {
        Flags::from(self.acks)
    }

    /// Returns the flags of an ACK that leaves now.
    #[inline]
    pub fn ack(&mut self) -> Flags {
        let flags = Flags::from(self.acks).with(Flags::ECHO, self.set);
        match &mut self.counter {
            None => flags,
            Some(counter) => Flags(flags.0 | counter.report().0),
        }
    }

    /// Returns the counts of the AccECN option of an ACK that leaves now with `blocks` SACK blocks, and how
    /// many of these fit beside it; `None` if the ACK carries no option. Two blocks take precedence over the
    /// option (RFC 9768 section 3.2.3.3).
    ///
    /// NOTE(RFC 9768 section 3.2.3.2): options are never lost apart from their segments, so that no end tests
    /// for that. They do not enlarge ACKs, as SACK blocks do not.
    #[cold]
    pub fn option(&self, blocks: u8, profile: &Profile) -> Option<(ByteCounts, u8)> {
        let counts = self.counter.as_ref().filter(|_| profile.accecn_option)?.report_bytes()?;
        let padded = counts.option_bytes().next_multiple_of(4);
        let stamps = if profile.timestamps { TIMESTAMP_BYTES } else { 0 };
        let fitting = (OPTION_SPACE - stamps - padded).saturating_sub(4) / 8;
        (blocks.min(2) <= fitting).then_some((counts, fitting))
    }

    /// Whether the connection uses accurate feedback.
    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.counter.is_some()
    }

    /// Heap memory of the record, bytes.
    pub fn extra_bytes(&self) -> usize {
        self.counter.as_ref().map_or(0, |_| size_of::<MarkCounter>())
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

    fn syn(flags: Flags) -> Syn {
        Syn { segments: 1, flags, tries: 0 }
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
        use Feedback::{Accurate, Classic, Exact, None};
        let granted = |ecn_support, first: Feedback, again: Feedback| {
            let profile = Profile { ecn_support, ..Profile::default() };
            let answer = Marks::asked(first.request(), &profile).answer(&syn(again.request()), &profile);
            first.after(answer)
        };
        for support in [None, Classic, Accurate] {
            for asked in [None, Classic, Exact, Accurate] {
                assert_eq!(granted(support, asked, asked), asked.min(support));
                // the second SYN has fallen back
                let kept = if asked.min(support) == Accurate { Accurate } else { None };
                assert_eq!(granted(support, asked, None), kept);
            }
        }
    }

    #[test]
    fn answers_are_capable_by_choice() {
        let field = |feedback: Feedback, ecn_control| {
            let profile = Profile { ecn_control, ..Profile::default() };
            let asked = feedback.request();
            Marks::asked(asked, &profile).answer(&syn(asked), &profile).ecn()
        };
        assert_eq!(field(Feedback::Classic, true), Ecn::Ect0);
        assert_eq!(field(Feedback::Classic, false), Ecn::NotEct);
        assert_eq!(field(Feedback::None, true), Ecn::NotEct);
    }

    #[test]
    fn the_answer_to_an_accurate_syn_reports_its_field() {
        let profile = Profile::default();
        let asked = Feedback::Accurate.request();
        let mut marks = Marks::asked(asked, &profile);
        let fields = Ecn::ALL.map(|ecn| marks.answer(&syn(asked.with_ecn(ecn)), &profile).to_ace());
        assert_eq!(fields, [0b010, 0b011, 0b100, 0b110]); // RFC 9768 table 2
    }

    #[test]
    fn after_a_syn_without_a_request_no_packet_of_an_accurate_receiver_is_capable() {
        // RFC 9768 section 3.1.5
        let profile = Profile { ecn_acks: true, ecn_control: true, ..Profile::default() };
        let asked = Feedback::Accurate.request();
        let mut marks = Marks::asked(asked, &profile);
        let fields = [asked, Flags::NONE, asked].map(|flags| {
            let answer = marks.answer(&syn(flags), &profile);
            assert_eq!(answer.to_ace(), 0b010, "the mode stays");
            (answer.ecn(), marks.ack().ecn())
        });
        let (capable, not) = ((Ecn::Ect0, Ecn::Ect0), (Ecn::NotEct, Ecn::NotEct));
        assert_eq!(fields, [capable, not, not]);
    }

    #[test]
    fn two_sack_blocks_take_precedence_over_the_option() {
        let fits = |timestamps, fields: &[Ecn], blocks| {
            let profile = Profile { timestamps, ..Profile::default() };
            let mut marks = Marks::asked(Feedback::Accurate.request(), &profile);
            fields.iter().for_each(|&ecn| marks.count(ecn.into(), &profile));
            marks.option(blocks, &profile).map(|(_, fitting)| fitting)
        };
        let (two, three) = ([Ecn::Ect0, Ecn::Ce], [Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
        // 40 B less 12 B of time stamps and 8 or 12 B of the option; n blocks take 4 + 8 n B
        assert_eq!((fits(true, &two, 3), fits(true, &three, 1)), (Some(2), Some(1)));
        assert_eq!(fits(true, &three, 2), None);
        assert_eq!((fits(false, &two, 3), fits(false, &three, 3)), (Some(3), Some(3)));
        assert_eq!(fits(true, &[Ecn::NotEct], 0), None);
    }
}
