//! Flags in a segment's header: congestion marks (RFC 3168) and the end of a write.

use serde::{Deserialize, Serialize};

/// The flags of a segment, in one byte. The other bits are free for the carrier of the segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(pub u8);

impl Flags {
    /// No flag is set.
    pub const NONE: Self = Self(0);
    /// The sender understands marks (ECT). On a SYN it asks the receiver to echo them.
    pub const CAPABLE: Self = Self(4);
    /// A router marked the packet (CE).
    pub const MARKED: Self = Self(8);
    /// The receiver has seen a mark (ECE). On a SYN it asks for an exact echo of every mark.
    pub const ECHO: Self = Self(16);
    /// The sender has reduced its window (CWR).
    pub const REDUCED: Self = Self(32);

    /// The segment is the last one of a write (PSH, RFC 9293 section 3.9.1). It shares the bit of
    /// [`Self::ECHO`], because data segments echo no mark.
    pub const PUSH: Self = Self::ECHO;

    /// Whether a flag is set.
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
}
