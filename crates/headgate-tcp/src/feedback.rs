//! The feedback of congestion marks, and its negotiation by the handshake (RFC 3168 section 6.1.1).

use headgate_model::control::Echo;
use serde::{Deserialize, Serialize};

use crate::flags::Flags;

/// How a receiver reports congestion marks, from the least to the most exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feedback {
    /// Not at all: data are not ECN-capable.
    #[default]
    None,
    /// Every ACK echoes from the first mark until the sender has reacted (RFC 3168 section 6.1.3).
    Classic,
    /// ACKs report exactly which segments were marked (RFC 8257 section 3.2). This is an idealisation: a
    /// connection negotiates it, and both ends support it.
    Exact,
}

impl Feedback {
    /// Returns the feedback that a sender asks for: the one that its controller needs, or at least the
    /// classic one if every controller uses ECN.
    pub(crate) fn wanted(needed: Echo, all_use_ecn: bool) -> Self {
        let least = if all_use_ecn { Self::Classic } else { Self::None };
        Self::from(needed).max(least)
    }

    /// Returns the flags of a SYN that asks for this feedback.
    ///
    /// NOTE(RFC 8257 section 3): DCTCP negotiates like classic ECN. A SYN without CWR asks for the exact
    /// echo here, so that the receiver knows which one to send.
    #[must_use]
    pub fn request(self) -> Flags {
        match self {
            Self::None => Flags::NONE,
            Self::Classic => Flags::ECHO.with(Flags::REDUCED, true),
            Self::Exact => Flags::ECHO,
        }
    }

    /// Returns the feedback that a SYN with these flags asks for.
    #[must_use]
    pub fn requested(syn: Flags) -> Self {
        match (syn.has(Flags::ECHO), syn.has(Flags::REDUCED)) {
            (true, true) => Self::Classic,
            (true, false) => Self::Exact,
            (false, _) => Self::None,
        }
    }

    /// Returns the flags of a SYN-ACK that grants this feedback.
    #[must_use]
    pub fn grant(self) -> Flags {
        match self {
            Self::None => Flags::NONE,
            Self::Classic => Flags::ECHO,
            Self::Exact => Flags::ECHO.with(Flags::REDUCED, true),
        }
    }

    /// Returns the feedback that a SYN-ACK with these flags grants.
    #[must_use]
    pub fn granted(syn_ack: Flags) -> Self {
        match (syn_ack.has(Flags::ECHO), syn_ack.has(Flags::REDUCED)) {
            (true, false) => Self::Classic,
            (true, true) => Self::Exact,
            (false, _) => Self::None,
        }
    }
}

impl From<Feedback> for Echo {
    fn from(feedback: Feedback) -> Self {
        match feedback {
            Feedback::None => Self::None,
            Feedback::Classic => Self::Latched,
            Feedback::Exact => Self::Accurate,
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

    #[test]
    fn flags_of_the_handshake_are_read_back() {
        for feedback in [Feedback::None, Feedback::Classic, Feedback::Exact] {
            assert_eq!(Feedback::requested(feedback.request()), feedback);
            assert_eq!(Feedback::granted(feedback.grant()), feedback);
        }
    }

    #[test]
    fn a_server_without_ecn_grants_nothing() {
        assert_eq!(Feedback::granted(Flags::NONE), Feedback::None);
    }
}
