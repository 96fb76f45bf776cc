//! The ECN field of the IP header.

use serde::{Deserialize, Serialize};

/// A codepoint of the two-bit ECN field (RFC 3168 section 5). Its number is the field's value on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Ecn {
    /// The sender does not understand marks.
    #[default]
    NotEct = 0,
    /// ECN-capable: low-latency traffic of L4S (RFC 9331 section 4.1).
    Ect1 = 1,
    /// ECN-capable: other traffic (RFC 8311 section 2).
    Ect0 = 2,
    /// A router met congestion.
    Ce = 3,
}

impl Ecn {
    /// All codepoints, by their numbers.
    pub const ALL: [Self; 4] = [Self::NotEct, Self::Ect1, Self::Ect0, Self::Ce];

    /// Returns the codepoint of the two low bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// Returns the field's value on the wire.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Whether a router may mark the packet instead of dropping it: ECT(0), ECT(1) or CE.
    #[inline]
    #[must_use]
    pub const fn is_capable(self) -> bool {
        self.bits() != 0
    }

    /// Whether the packet is marked (CE).
    #[inline]
    #[must_use]
    pub const fn is_marked(self) -> bool {
        self.bits() == 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_rfc_3168() {
        assert_eq!(Ecn::ALL.map(Ecn::bits), [0b00, 0b01, 0b10, 0b11]);
        assert_eq!(Ecn::ALL.map(Ecn::is_capable), [false, true, true, true]);
        assert_eq!(Ecn::ALL.map(Ecn::is_marked), [false, false, false, true]);
        for bits in 0..=u8::MAX {
            assert_eq!(Ecn::from_bits(bits).bits(), bits & 3);
        }
    }
}
