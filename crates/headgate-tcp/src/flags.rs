//! Flags in a segment's header: the ECN field, its feedback (RFC 3168), and the end of a write.

use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

/// The flags of a segment, in one byte. The two low bits are free for the carrier of the segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(pub u8);

/// The position of the ECN field, and of ACE.
const ECN_SHIFT: u32 = 2;
const ACE_SHIFT: u32 = 4;

impl Flags {
    /// No flag is set, and the segment is not ECN-capable.
    pub const NONE: Self = Self(0);
    /// The ECN field is ECT(1).
    pub const ECT1: Self = Self(Ecn::Ect1.bits() << ECN_SHIFT);
    /// The ECN field is ECT(0).
    pub const ECT0: Self = Self(Ecn::Ect0.bits() << ECN_SHIFT);
    /// The ECN field is CE: a router marked the packet.
    pub const CE: Self = Self(Ecn::Ce.bits() << ECN_SHIFT);
    /// The receiver has seen a mark (ECE). In a handshake it negotiates the feedback of marks. With accurate
    /// feedback, it is the low bit of the ACE field.
    pub const ECHO: Self = Self(16);
    /// The sender has reduced its window (CWR). In a handshake it negotiates the feedback of marks. On an ACK
    /// it is the middle bit of the ACE field.
    pub const REDUCED: Self = Self(32);
    /// AE (RFC 9768). In a handshake it negotiates the feedback of marks. On an ACK it is the high bit of the
    /// ACE field.
    pub const ACCURATE: Self = Self(64);

    /// The segment is the last one of a write (PSH, RFC 9293 section 3.9.1). It shares the bit of
    /// [`Self::ECHO`], because data segments echo no mark.
    pub const PUSH: Self = Self::ECHO;

    /// Whether one of the flags is set.
    #[inline]
    #[must_use]
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// Returns these flags with another one, if `on`.
    #[inline]
    #[must_use]
    pub fn with(self, flag: Self, on: bool) -> Self {
        Self(self.0 | (flag.0 * u8::from(on)))
    }

    /// Returns the ECN field.
    #[inline]
    #[must_use]
    pub fn ecn(self) -> Ecn {
        Ecn::from_bits(self.0 >> ECN_SHIFT)
    }

    /// Returns these flags with another ECN field.
    #[inline]
    #[must_use]
    pub fn with_ecn(self, ecn: Ecn) -> Self {
        Self(self.0 & !Self::CE.0 | ecn.bits() << ECN_SHIFT)
    }

    /// Returns flags with this ACE field: AE, CWR and ECE as one number (RFC 9768 section 3.2.2).
    #[must_use]
    pub const fn ace(field: u8) -> Self {
        Self((field & 7) << ACE_SHIFT)
    }

    /// Returns AE, CWR and ECE as one number, the ACE field of an ACK.
    #[inline]
    #[must_use]
    pub const fn to_ace(self) -> u8 {
        self.0 >> ACE_SHIFT & 7
    }

    /// Whether the segment is marked (CE).
    #[inline]
    #[must_use]
    pub fn is_marked(self) -> bool {
        self.0 & Self::CE.0 == Self::CE.0
    }
}

impl From<Ecn> for Flags {
    fn from(ecn: Ecn) -> Self {
        Self::NONE.with_ecn(ecn)
    }
}
