//! One direction of a connection: the bytes that it carried, by its sequence numbers.

use crate::kind::Count;
use crate::segment::{FIN, RST, SYN, Segment};

/// The largest window (RFC 7323 section 2.3). Sequence numbers beyond it belong to something else.
const LARGEST_WINDOW: i64 = 1 << 30;

/// One direction of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Half {
    /// Sequence number of the first byte, and the range of the observed bytes relative to it; these do not
    /// wrap.
    origin: Option<u32>,
    first: i64,
    end: i64,
    /// The end of the bytes by its FIN.
    closed_at: Option<i64>,
    has_syn: bool,
    /// Time of its first segment with payload.
    pub data_ns: Option<i64>,
    /// All of its packets.
    pub count: Count,
}

impl Half {
    /// Takes a segment. Returns false if it cannot belong to this connection.
    pub fn take(&mut self, segment: &Segment, time_ns: i64) -> bool {
        if segment.flags & RST != 0 {
            return true; // its sequence number is arbitrary, and it carries no payload
        }
        let is_syn = segment.flags & SYN != 0;
        let seq = segment.seq.wrapping_add(u32::from(is_syn));
        let Some(at) = self.locate(seq) else { return false };
        if is_syn {
            self.open(seq, at);
        }
        if segment.bytes > 0 {
            self.carry(at, segment.bytes, time_ns);
        }
        if segment.flags & FIN != 0 {
            self.end = self.end.max(at + i64::from(segment.bytes));
            self.closed_at.get_or_insert(at + i64::from(segment.bytes));
        }
        true
    }

    /// Number of bytes that it carried, each counted once: up to its FIN, even if some were not captured.
    pub fn bytes(&self) -> u64 {
        (self.closed_at.unwrap_or(self.end) - self.first).max(0) as u64
    }

    /// Whether a FIN ended it.
    pub fn is_closed(&self) -> bool {
        self.closed_at.is_some()
    }

    /// Whether a SYN with this number can belong to this direction: the direction is new, or starts at this
    /// number.
    pub fn may_begin_at(&self, seq: u32) -> bool {
        self.origin.is_none() || self.place(seq) == Some(self.first)
    }

    /// Position of a sequence number, if it is within a window; the first one is position 0.
    fn locate(&mut self, seq: u32) -> Option<i64> {
        self.origin.get_or_insert(seq);
        self.place(seq)
    }

    fn place(&self, seq: u32) -> Option<i64> {
        let end = self.origin?.wrapping_add(self.end as u32);
        let distance = i64::from(seq.wrapping_sub(end) as i32);
        (distance.abs() <= LARGEST_WINDOW).then_some(self.end + distance)
    }

    /// Sets the start of the bytes by a SYN. A further SYN before any byte resets it.
    fn open(&mut self, seq: u32, at: i64) {
        if self.first == self.end {
            (self.origin, self.first, self.end) = (Some(seq), 0, 0);
        } else if !self.has_syn {
            self.first = at.min(self.first);
        }
        self.has_syn = true;
    }

    fn carry(&mut self, at: i64, bytes: u32, time_ns: i64) {
        if !self.has_syn {
            self.first = self.first.min(at);
        }
        self.end = self.end.max(at + i64::from(bytes));
        let known = self.data_ns.unwrap_or(time_ns);
        self.data_ns = Some(known.min(time_ns));
    }
}
