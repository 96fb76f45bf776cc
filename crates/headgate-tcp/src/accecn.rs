//! Accurate ECN feedback (RFC 9768): the counters of a receiver, their encoding in ACKs, and how a sender
//! decodes them.
//!
//! Three bits of each ACK, the ACE field, are the low bits of the number of CE-marked packets. They wrap after
//! eight marks. If ACKs are lost or thinned, a sender cannot know how often, and assumes the safest case. The
//! AccECN option adds the number of bytes of each codepoint in 24 bits, which resolves most doubts.

use headgate_model::ecn::Ecn;
use serde::{Deserialize, Serialize};

use crate::flags::Flags;

/// Initial number of CE-marked packets (RFC 9768 section 3.2.1). It differs from the 0 of a field that was
/// erased.
const FIRST_CE_PACKETS: u32 = 5;

/// Values of the ACE field.
const ACE_RANGE: u32 = 8;

/// Values of a field of the option.
const OPTION_RANGE: u32 = 1 << 24;

/// CE-marked segments after which an ACK leaves at once (RFC 9768 section 3.2.2.5.1, `n`).
const MARKS_PER_ACK: u8 = 2;

/// Received payload by codepoint: the fields of the AccECN option, bytes modulo 2^24.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteCounts {
    /// ECT(0): EE0B.
    pub ect0: u32,
    /// CE: ECEB.
    pub ce: u32,
    /// ECT(1): EE1B.
    pub ect1: u32,
}

impl ByteCounts {
    /// The counts of a new connection (RFC 9768 section 3.2.1).
    pub const FIRST: Self = Self { ect0: 1, ce: 0, ect1: 1 };

    fn add(&mut self, ecn: Ecn, bytes: u32) {
        let count = match ecn {
            Ecn::NotEct => return,
            Ecn::Ect0 => &mut self.ect0,
            Ecn::Ect1 => &mut self.ect1,
            Ecn::Ce => &mut self.ce,
        };
        *count = (*count + bytes) % OPTION_RANGE;
    }

    /// Returns the size of the option with the fields that have changed since the connection began, bytes
    /// (RFC 9768 section 3.2.3, table 5). One of the two orders leaves out an unchanged last field.
    #[must_use]
    pub fn option_bytes(&self) -> u8 {
        let has_ect = [self.ect0 != Self::FIRST.ect0, self.ect1 != Self::FIRST.ect1];
        match (has_ect, self.ce != Self::FIRST.ce) {
            ([true, true], _) => 11,
            (_, true) => 8,
            ([false, false], false) => 2,
            _ => 5,
        }
    }
}

/// The marks that a receiver has counted, and whether an ACK must report them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkCounter {
    /// CE-marked packets (`r.cep`).
    packets: u32,
    bytes: ByteCounts,
    /// CE-marked packets since the last ACK.
    unreported: u8,
    /// Whether the previous packet was marked.
    was_marked: bool,
    /// Whether a marked packet has followed an unmarked one since the last ACK.
    has_changed: bool,
}

impl Default for MarkCounter {
    fn default() -> Self {
        Self {
            packets: FIRST_CE_PACKETS,
            bytes: ByteCounts::FIRST,
            unreported: 0,
            was_marked: false,
            has_changed: false,
        }
    }
}

impl MarkCounter {
    /// Counts an acceptable segment with `bytes` of payload (RFC 9768 section 3.2).
    pub fn count(&mut self, ecn: Ecn, bytes: u32) {
        let is_marked = ecn.is_marked();
        self.packets = self.packets.wrapping_add(u32::from(is_marked));
        self.unreported += u8::from(is_marked);
        self.has_changed |= is_marked && !self.was_marked;
        self.was_marked = is_marked;
        self.bytes.add(ecn, bytes);
    }

    /// Whether an ACK must leave at once: a marked segment has followed an unmarked one, or two marked ones
    /// have arrived since the last ACK (RFC 9768 section 3.2.2.5.1).
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.has_changed || self.unreported >= MARKS_PER_ACK
    }

    /// Returns the ACE field of an ACK that leaves now.
    pub fn report(&mut self) -> Flags {
        (self.unreported, self.has_changed) = (0, false);
        Flags::ace((self.packets % ACE_RANGE) as u8)
    }

    /// Returns the counts for the option of an ACK that leaves now; `None` if none has changed since the
    /// connection began. All later ACKs repeat the option, so that no lost ACK hides a count. RFC 9768 section
    /// 3.2.3.3 asks for the ACKs that a change triggers and for three per round trip, and permits all.
    #[must_use]
    pub fn report_bytes(&self) -> Option<ByteCounts> {
        (self.bytes != ByteCounts::FIRST).then_some(self.bytes)
    }
}

/// A sender's copy of the receiver's counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkDecoder {
    /// CE-marked packets (`s.cep`), modulo 8. Only the ACE field is compared with them.
    packets: u32,
    /// CE-marked bytes (`s.ceb`), modulo 2^24.
    ce_bytes: u32,
    /// CE-marked packets that ACKs without an option have reported since the last option. Its bytes contain
    /// theirs too.
    ahead: u32,
}

impl Default for MarkDecoder {
    fn default() -> Self {
        Self { packets: FIRST_CE_PACKETS, ce_bytes: ByteCounts::FIRST.ce, ahead: 0 }
    }
}

impl MarkDecoder {
    /// Returns the number of newly marked segments that an ACK reports. It acknowledges `newly` segments of
    /// `segment_bytes` bytes of payload, cumulatively or by SACK; 0 means that another ACK has superseded it.
    ///
    /// NOTE(RFC 9768 appendix A.1): an ACK of no new segment is taken as superseded, even if its time stamp
    /// is newer, because the ACKs of the engine carry no time stamp of the receiver.
    ///
    /// NOTE(RFC 9768 appendix A.2.2): with an option, the marked bytes give the marked segments, because all
    /// segments are equally large. The appendix compares both counts instead.
    pub fn decode(&mut self, ack: Flags, option: Option<ByteCounts>, newly: u32, segment_bytes: u32) -> u32 {
        if newly == 0 {
            return 0;
        }
        let least = (u32::from(ack.to_ace()) + ACE_RANGE - self.packets % ACE_RANGE) % ACE_RANGE;
        self.packets = self.packets.wrapping_add(least);
        if let Some(counts) = option {
            return self.take_bytes(counts, segment_bytes) / segment_bytes;
        }
        let marked = assume_safest(least, newly);
        self.ahead += marked;
        marked
    }

    /// Returns the newly CE-marked bytes of an option (RFC 9768 appendix A.1), without those of packets that
    /// ACKs without an option have reported.
    fn take_bytes(&mut self, counts: ByteCounts, segment_bytes: u32) -> u32 {
        let bytes = (counts.ce + OPTION_RANGE - self.ce_bytes) % OPTION_RANGE;
        self.ce_bytes = counts.ce;
        bytes.saturating_sub(std::mem::take(&mut self.ahead).saturating_mul(segment_bytes))
    }
}

/// Returns the largest number of marks that fits the ACE field and the segments that an ACK acknowledges (RFC
/// 9768 appendix A.2.1). An ACE field that implies more marks than segments is taken as right (section
/// 3.2.2.5.2).
fn assume_safest(least: u32, newly: u32) -> u32 {
    if least > newly { least } else { newly - (newly - least) % ACE_RANGE }
}

#[cfg(test)]
mod tests;
