//! Flags in a segment's header: congestion marks (RFC 3168), and the end of a write.

use serde::{Deserialize, Serialize};

/// The flags of a segment, in one byte whose other bits are free for who carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(pub u8);

impl Flags {
    /// None is set.
    pub const NONE: Self = Self(0);
    /// The sender understands marks (ECT); on a SYN: so will its receiver have to.
    pub const CAPABLE: Self = Self(4);
    /// A router marked the packet (CE).
    pub const MARKED: Self = Self(8);
    /// The receiver has seen a mark (ECE); on a SYN: every mark is to be echoed exactly.
    pub const ECHO: Self = Self(16);
    /// The sender has reduced its window (CWR).
    pub const REDUCED: Self = Self(32);

    /// On data, which echo no mark: the segment is the last one of a write (PSH, RFC 9293 §3.9.1).
    pub const PUSH: Self = Self::ECHO;

    /// Whether a flag is set.
    #[inline]
    #[must_use]
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// These and another, if it is `on`.
    #[inline]
    #[must_use]
    pub fn with(self, flag: Self, on: bool) -> Self {
        Self(self.0 | (flag.0 * u8::from(on)))
    }
}
