//! The feedback of congestion marks, and its negotiation by the handshake (RFC 3168 section 6.1.1, RFC 9768
//! section 3.1).

use headgate_model::control::Echo;
use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

use crate::flags::Flags;

/// How a receiver reports congestion marks, from the least to the most advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feedback {
    /// Not at all: data are not ECN-capable.
    #[default]
    None,
    /// Every ACK echoes from the first mark until the sender has reacted (RFC 3168 section 6.1.3).
    Classic,
    /// ACKs report exactly which segments were marked (RFC 8257 section 3.2). This is an idealisation: a
    /// connection negotiates it, and lost or thinned ACKs report as much as others.
    Exact,
    /// ACKs carry counters of marked packets and bytes (RFC 9768).
    Accurate,
}

/// AE, CWR and ECE of a SYN and of its answer, as one number.
mod handshake {
    /// No ECN.
    pub const NONE: u8 = 0b000;
    /// A SYN that asks for classic feedback.
    pub const CLASSIC: u8 = 0b011;
    /// A SYN-ACK that grants classic feedback.
    pub const CLASSIC_GRANTED: u8 = 0b001;
    /// A SYN that asks for exact feedback.
    pub const EXACT: u8 = 0b001;
    /// A SYN-ACK that grants exact feedback. RFC 9768 reserves the combination.
    pub const EXACT_GRANTED: u8 = 0b101;
    /// A SYN that asks for accurate feedback.
    pub const ACCURATE: u8 = 0b111;
    /// A SYN-ACK that grants accurate feedback, by the ECN field of the SYN (RFC 9768 table 2).
    pub const ACCURATE_GRANTED: [u8; 4] = [0b010, 0b011, 0b100, 0b110];
}

impl Feedback {
    /// Returns the feedback that a sender asks for: the one that its controller needs, or at least the
    /// classic one if every controller uses ECN. A `choice` replaces it if it is not `None`.
    pub(crate) fn wanted(needed: Echo, all_use_ecn: bool, choice: Option<Self>) -> Self {
        let least = if all_use_ecn { Self::Classic } else { Self::None };
        match Self::from(needed).max(least) {
            Self::None => Self::None,
            default => choice.unwrap_or(default),
        }
    }

    /// Returns the flags of a SYN that asks for this feedback.
    ///
    /// NOTE(RFC 8257 section 3): DCTCP negotiates like classic ECN. A SYN without CWR asks for the exact
    /// echo here, so that the receiver knows which one to send.
    #[must_use]
    pub fn request(self) -> Flags {
        Flags::ace(match self {
            Self::None => handshake::NONE,
            Self::Classic => handshake::CLASSIC,
            Self::Exact => handshake::EXACT,
            Self::Accurate => handshake::ACCURATE,
        })
    }

    /// Returns the feedback that a SYN with these flags asks for.
    #[must_use]
    pub fn requested(syn: Flags) -> Self {
        match syn.to_ace() {
            handshake::NONE => Self::None,
            handshake::CLASSIC => Self::Classic,
            handshake::EXACT => Self::Exact,
            _ => Self::Accurate, // for forward compatibility (RFC 9768 §3.1.3)
        }
    }

    /// Returns the flags of a SYN-ACK that grants this feedback to a SYN with the ECN field `syn`.
    #[must_use]
    pub fn grant(self, syn: Ecn) -> Flags {
        Flags::ace(match self {
            Self::None => handshake::NONE,
            Self::Classic => handshake::CLASSIC_GRANTED,
            Self::Exact => handshake::EXACT_GRANTED,
            Self::Accurate => handshake::ACCURATE_GRANTED[usize::from(syn.bits())],
        })
    }

    /// Returns the feedback that a sender which asked for this one uses after a SYN-ACK with these flags (RFC
    /// 9768 table 2). A server that reflects the flags of the SYN supports none.
    #[must_use]
    pub fn after(self, syn_ack: Flags) -> Self {
        match (self, syn_ack.to_ace()) {
            (Self::None, _) | (_, handshake::NONE) => Self::None,
            (_, handshake::CLASSIC_GRANTED) => Self::Classic,
            (Self::Exact, handshake::EXACT_GRANTED) => Self::Exact,
            (Self::Accurate, flags) if flags != handshake::ACCURATE => Self::Accurate,
            _ => Self::None,
        }
    }
}

/// Returns the ECN field with which a SYN arrived, by an answer that grants accurate feedback.
pub(crate) fn field_of_syn(syn_ack: Flags) -> Option<Ecn> {
    let place = handshake::ACCURATE_GRANTED.iter().position(|&flags| flags == syn_ack.to_ace())?;
    Some(Ecn::ALL[place])
}

/// Whether only a faulty router can have changed the ECN field in this way (RFC 3168 section 18, RFC 9768
/// section 3.2.2.3).
pub(crate) fn is_invalid_change(sent: Ecn, arrived: Ecn) -> bool {
    sent.is_capable() != arrived.is_capable()
}

/// The part of the segments of an ACK that were marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkedShare {
    /// All segments, as the echo of an ACK reports.
    All,
    /// As many of the delivered segments, as counters report.
    Part { marked: u32, delivered: u32 },
}

impl MarkedShare {
    /// Whether no segment is unmarked.
    pub(crate) fn is_all(self) -> bool {
        match self {
            Self::All => true,
            Self::Part { marked, delivered } => marked >= delivered,
        }
    }

    /// Returns the marked segments among `counted` ones. If these include segments that an earlier ACK has
    /// reported, the marks stay as many as they are.
    #[inline]
    pub(crate) fn among(self, counted: f64) -> f64 {
        match self {
            Self::All => counted,
            Self::Part { marked, delivered } => f64::from(marked) * (counted / f64::from(delivered)).min(1.0),
        }
    }
}

/// Exact and accurate feedback both report how many segments were marked.
impl From<Feedback> for Echo {
    fn from(feedback: Feedback) -> Self {
        match feedback {
            Feedback::None => Self::None,
            Feedback::Classic => Self::Latched,
            Feedback::Exact | Feedback::Accurate => Self::Accurate,
        }
    }
}

impl From<Echo> for Feedback {
    fn from(echo: Echo) -> Self {
        match echo {
            Echo::None => Self::None,
            Echo::Latched => Self::Classic,
            Echo::Accurate => Self::Exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Feedback; 4] = [Feedback::None, Feedback::Classic, Feedback::Exact, Feedback::Accurate];

    #[test]
    fn flags_of_the_handshake_are_read_back() {
        for feedback in ALL {
            assert_eq!(Feedback::requested(feedback.request()), feedback);
            for ecn in Ecn::ALL {
                assert_eq!(feedback.after(feedback.grant(ecn)), feedback);
                let reported = (feedback == Feedback::Accurate).then_some(ecn);
                assert_eq!(field_of_syn(feedback.grant(ecn)), reported);
            }
        }
    }

    #[test]
    fn table_2_of_rfc_9768_holds_for_a_client() {
        // AE, CWR, ECE of the SYN-ACK, and the mode of a client that asked for accurate feedback
        use Feedback::{Accurate, Classic, None};
        let table = [None, Classic, Accurate, Accurate, Accurate, Accurate, Accurate, None];
        for (flags, mode) in (0..).zip(table) {
            assert_eq!(Accurate.after(Flags::ace(flags)), mode, "{flags:03b}");
        }
        assert_eq!(Classic.after(Flags::ace(0b001)), Classic);
        assert_eq!(Classic.after(Flags::ace(0b011)), None); // the flags of the SYN, reflected
    }

    #[test]
    fn a_server_grants_what_both_support() {
        for asked in ALL {
            for supported in [Feedback::None, Feedback::Classic, Feedback::Accurate] {
                let granted = Feedback::requested(asked.request()).min(supported);
                assert_eq!(asked.after(granted.grant(Ecn::NotEct)), asked.min(supported));
            }
        }
    }

    #[test]
    fn marks_are_those_of_the_counted_segments() {
        assert_eq!((MarkedShare::All.among(3.0), MarkedShare::All.is_all()), (3.0, true));
        let part = MarkedShare::Part { marked: 2, delivered: 4 };
        assert_eq!((part.among(4.0), part.among(1.0), part.is_all()), (2.0, 0.5, false));
        assert_eq!(part.among(10.0), 2.0); // six were reported before
    }

    #[test]
    fn invalid_changes_are_those_of_rfc_3168_section_18() {
        use Ecn::{Ce, Ect0, Ect1, NotEct};
        for (sent, arrived) in [(NotEct, Ect0), (NotEct, Ect1), (NotEct, Ce), (Ect0, NotEct), (Ect1, NotEct)]
        {
            assert!(is_invalid_change(sent, arrived));
        }
        for (sent, arrived) in [(NotEct, NotEct), (Ect0, Ect0), (Ect0, Ce), (Ect1, Ce), (Ect1, Ect1)] {
            assert!(!is_invalid_change(sent, arrived));
        }
    }
}
