//! The sender's record of the window during loss recovery (RFC 6675): the segments that were SACKed, lost, or
//! sent again. It exists only during loss recovery.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::context::Blocks;

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RESENT: u8 = 4;
/// The segment was sent again at some time.
const EVER_RESENT: u8 = 8;

/// Number of SACKed segments above a hole after which it counts as lost.
pub const DUP_THRESH: usize = 3;

/// Flags of every outstanding segment, and their counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Scoreboard {
    /// Sequence number of the first flag.
    base: u32,
    flags: VecDeque<u8>,
    pub sacked: u32,
    pub lost: u32,
    /// Segments that were sent again and are still missing, and how many of them are not marked lost.
    pub resent: u32,
    resent_early: u32,
    /// The highest SACKed segments, highest first.
    top: [u32; DUP_THRESH],
    /// Segments below this one that are not SACKed are lost.
    judged: u32,
    /// No lost segment below this one waits to be sent again.
    resend_from: u32,
    /// The blocks of the previous ACK, so that only changes are processed.
    recent: Blocks,
}

impl Scoreboard {
    pub fn new(una: u32) -> Self {
        Self { base: una, judged: una, resend_from: una, ..Self::default() }
    }

    #[inline]
    fn flag(&mut self, seq: u32) -> &mut u8 {
        &mut self.flags[(seq - self.base) as usize]
    }

    /// Extends the record to all segments sent so far.
    pub fn extend(&mut self, next: u32) {
        let covered = (next - self.base) as usize;
        if covered == self.flags.len() + 1 {
            self.flags.push_back(0); // nearly always
        } else {
            self.flags.resize(covered, 0);
        }
    }

    /// Removes all segments below `una`, which were acknowledged. Returns the number of those that had not
    /// been SACKed, and calls `on_segment` for each with its sequence number and whether it was ever sent
    /// again.
    pub fn advance(&mut self, una: u32, mut on_segment: impl FnMut(u32, bool)) -> u32 {
        let mut fresh = 0;
        while self.base < una {
            let flags = self.flags.pop_front().unwrap_or(0);
            if flags & SACKED == 0 {
                fresh += 1;
                on_segment(self.base, flags & EVER_RESENT != 0);
            }
            self.uncount(flags);
            self.base += 1;
        }
        self.judged = self.judged.max(una);
        self.resend_from = self.resend_from.max(una);
        fresh
    }

    fn uncount(&mut self, flags: u8) {
        self.sacked -= u32::from(flags & SACKED != 0);
        self.lost -= u32::from(flags & LOST != 0);
        self.resent -= u32::from(flags & RESENT != 0);
        self.resent_early -= u32::from(flags & (RESENT | LOST) == RESENT);
    }

    /// Takes the blocks of one ACK. Returns the number of newly SACKed segments, and calls `on_segment` for
    /// each as [`Self::advance`] does.
    pub fn sack(&mut self, blocks: Blocks, mut on_segment: impl FnMut(u32, bool)) -> u32 {
        let before = self.sacked;
        for block in blocks {
            if !self.recent.contains(&block) {
                self.take_block(block, &mut on_segment);
            }
        }
        self.recent = blocks;
        self.sacked - before
    }

    /// Takes a block that has changed. Only the parts on either side of the known block are new.
    fn take_block(&mut self, (from, to): (u32, u32), on_segment: &mut impl FnMut(u32, bool)) {
        let known = self.recent.iter().copied().find(|&(a, b)| a < to && from < b);
        let (a, b) = known.unwrap_or((to, to));
        self.mark_sacked(from, to.min(a), on_segment);
        self.mark_sacked(from.max(b), to, on_segment);
    }

    fn mark_sacked(&mut self, from: u32, to: u32, on_segment: &mut impl FnMut(u32, bool)) {
        let end = self.base + self.flags.len() as u32;
        for seq in from.max(self.base)..to.min(end) {
            let flag = self.flag(seq);
            let flags = std::mem::replace(flag, SACKED | *flag & EVER_RESENT);
            if flags & SACKED == 0 {
                self.uncount(flags);
                self.sacked += 1;
                self.rank(seq);
                on_segment(seq, flags & EVER_RESENT != 0);
            }
        }
    }

    fn rank(&mut self, mut seq: u32) {
        for top in &mut self.top {
            (*top, seq) = (seq.max(*top), seq.min(*top));
        }
    }

    /// Marks segments that now count as lost, and calls `on_segment` for each. Returns true if there are new
    /// losses.
    pub fn detect_losses(&mut self, mut on_segment: impl FnMut(u32)) -> bool {
        if (self.sacked as usize) < DUP_THRESH {
            return false;
        }
        let before = self.lost;
        let end = self.base + self.flags.len() as u32;
        for seq in self.judged..self.top[DUP_THRESH - 1].min(end) {
            self.lose(seq, &mut on_segment);
        }
        self.judged = self.judged.max(self.top[DUP_THRESH - 1]);
        self.lost > before
    }

    fn lose(&mut self, seq: u32, on_segment: &mut impl FnMut(u32)) {
        let flags = self.flag(seq);
        if *flags & (SACKED | LOST) == 0 {
            let early = *flags & RESENT != 0;
            *flags |= LOST;
            self.lost += 1;
            self.resent_early -= u32::from(early);
            self.resend_from = self.resend_from.min(seq);
            on_segment(seq);
        }
    }

    /// Marks the first outstanding segment lost, regardless of SACKs, because duplicate ACKs have counted it.
    pub fn lose_first(&mut self, mut on_segment: impl FnMut(u32)) {
        if !self.flags.is_empty() {
            self.lose(self.base, &mut on_segment);
        }
    }

    /// Marks everything lost that is not SACKed, after a time-out (RFC 6675 section 5.1), except segments
    /// after the first that are `recent`.
    pub fn lose_all(&mut self, recent: impl Fn(u32) -> bool, mut on_segment: impl FnMut(u32)) {
        (self.lost, self.resent, self.resent_early) = (0, 0, 0);
        for (flags, seq) in self.flags.iter_mut().zip(self.base..) {
            if *flags & SACKED != 0 {
                continue;
            }
            if seq > self.base && recent(seq) {
                let resent = u32::from(*flags & RESENT != 0);
                self.lost += u32::from(*flags & LOST != 0);
                self.resent += resent;
                self.resent_early += resent * u32::from(*flags & LOST == 0);
                continue;
            }
            if *flags & !EVER_RESENT != LOST {
                on_segment(seq); // newly found lost
            }
            *flags = LOST | *flags & EVER_RESENT;
            self.lost += 1;
        }
        self.resend_from = self.base;
        self.judged = self.base + self.flags.len() as u32;
    }

    /// Marks a segment lost, possibly again (RACK, RFC 8985), so that it may be sent once more.
    pub fn lose_again(&mut self, seq: u32) {
        let flags = self.flag(seq);
        if *flags & SACKED != 0 {
            return;
        }
        let (new, again) = (*flags & LOST == 0, *flags & RESENT != 0);
        *flags = LOST | *flags & EVER_RESENT;
        self.lost += u32::from(new);
        self.resent -= u32::from(again);
        self.resent_early -= u32::from(again && new);
        self.resend_from = self.resend_from.min(seq);
    }

    /// Whether no segment is SACKed, lost, or in flight a second time.
    pub fn is_clean(&self) -> bool {
        self.sacked + self.lost + self.resent == 0
    }

    /// The number of segments in the network ("pipe", RFC 6675 section 4).
    pub fn pipe(&self) -> u32 {
        self.flags.len() as u32 + self.resent - self.sacked - self.lost
    }

    /// Returns the next lost segment to send again, and marks it as sent.
    pub fn resend(&mut self) -> Option<u32> {
        if self.lost == self.resent - self.resent_early {
            return None;
        }
        let end = self.base + self.flags.len() as u32;
        let seq = (self.resend_from..end).find(|&s| *self.flag(s) & (LOST | RESENT) == LOST)?;
        *self.flag(seq) |= RESENT | EVER_RESENT;
        self.resent += 1;
        self.resend_from = seq + 1;
        Some(seq)
    }

    /// Returns a hole below the highest SACKed segment that is neither lost nor sent again, and marks it as
    /// sent (RFC 6675 section 4, NextSeg rule 3). It counts twice in the pipe, because both copies may be in
    /// the network.
    pub fn resend_early(&mut self) -> Option<u32> {
        let top = self.top[0].min(self.base + self.flags.len() as u32);
        let seq = (self.judged.max(self.base)..top).find(|&s| *self.flag(s) == 0)?;
        *self.flag(seq) = RESENT | EVER_RESENT;
        self.resent += 1;
        self.resent_early += 1;
        Some(seq)
    }

    /// Records that a probe repeated the segment.
    pub fn note_resent(&mut self, seq: u32) {
        *self.flag(seq) |= EVER_RESENT;
    }

    /// Whether an outstanding segment was ever sent again.
    pub fn was_resent(&self, seq: u32) -> bool {
        let flags = seq.checked_sub(self.base).and_then(|at| self.flags.get(at as usize));
        flags.is_some_and(|flags| flags & EVER_RESENT != 0)
    }

    /// Clears all losses. Segments that were sent again then count twice in the network.
    pub fn unmark_losses(&mut self) {
        self.flags.iter_mut().for_each(|flags| *flags &= !LOST);
        (self.lost, self.resent_early) = (0, self.resent);
        (self.judged, self.resend_from) = (self.base, self.base);
    }

    /// Whether the state of a segment is known: it arrived, or is lost and not yet sent again.
    pub fn is_settled(&self, seq: u32) -> bool {
        let flags = seq.checked_sub(self.base).and_then(|at| self.flags.get(at as usize));
        flags.is_none_or(|&f| f & SACKED != 0 || f & (LOST | RESENT) == LOST)
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.flags.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore(_: u32, _: bool) {}

    fn board(sent: u32) -> Scoreboard {
        let mut b = Scoreboard::new(100);
        b.extend(100 + sent);
        b
    }

    #[test]
    fn three_sacked_segments_above_make_a_hole_lost() {
        let mut b = board(10);
        b.sack([(101, 103), (0, 0), (0, 0)], ignore);
        assert!(!b.detect_losses(drop));
        b.sack([(101, 104), (0, 0), (0, 0)], ignore);
        assert!(b.detect_losses(drop));
        assert_eq!((b.sacked, b.lost, b.pipe()), (3, 1, 6));
        assert_eq!(b.resend(), Some(100));
        assert_eq!((b.resend(), b.pipe()), (None, 7));
    }

    #[test]
    fn acknowledged_segments_leave_all_counts() {
        let mut b = board(10);
        b.sack([(105, 108), (102, 103), (0, 0)], ignore);
        b.detect_losses(drop);
        assert_eq!(b.lost, 4); // 100, 101, 103, 104: three SACKed above each of them
        b.resend();
        assert_eq!(b.advance(108, ignore), 4);
        assert_eq!((b.sacked, b.lost, b.resent, b.pipe()), (0, 0, 0, 2));
    }

    #[test]
    fn a_timeout_loses_what_was_not_sacked() {
        let mut b = board(6);
        b.sack([(102, 104), (0, 0), (0, 0)], ignore);
        b.lose_all(|_| false, drop);
        assert_eq!((b.lost, b.pipe()), (4, 0));
        let resent: Vec<_> = std::iter::from_fn(|| b.resend()).collect();
        assert_eq!(resent, [100, 101, 104, 105]);
    }

    #[test]
    fn what_left_recently_is_not_lost_at_a_timeout_unless_it_is_the_first() {
        let mut b = board(4);
        b.lose_all(|seq| seq != 102, drop);
        assert_eq!(
            (b.lost, b.pipe(), b.resend(), b.resend(), b.resend()),
            (2, 2, Some(100), Some(102), None)
        );
    }

    #[test]
    fn unmarked_losses_are_in_the_network_again() {
        let mut b = board(6);
        b.sack([(103, 106), (0, 0), (0, 0)], ignore);
        b.detect_losses(drop);
        b.resend();
        b.unmark_losses();
        assert_eq!((b.lost, b.resent, b.pipe()), (0, 1, 4)); // 100 twice, 101, 102
        assert!(b.was_resent(100) && !b.was_resent(101));
        assert!(b.detect_losses(drop)); // and are lost again if the blocks still say so
    }

    #[test]
    fn counts_agree_with_flags_under_random_operations() {
        let mut x = 88_172_645_463_325_252u64;
        let mut random = move |n: u64| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x % n
        };
        for _ in 0..200 {
            let mut b = board(0);
            let mut next = 100;
            for _ in 0..300 {
                let span = u64::from(next - b.base);
                match random(6) {
                    0 | 1 => {
                        next += random(8) as u32;
                        b.extend(next);
                    }
                    2 if span > 0 => {
                        let from = b.base + random(span) as u32;
                        b.sack([(from, from + random(6) as u32), (0, 0), (0, 0)], ignore);
                        b.detect_losses(drop);
                    }
                    3 if random(4) == 0 => drop(b.resend_early()),
                    3 => drop(b.resend()),
                    4 if span > 0 => drop(b.advance(b.base + random(span + 1) as u32, ignore)),
                    5 if random(20) == 0 => b.lose_all(|seq| seq % 3 == 0, drop),
                    5 if random(20) == 0 => b.unmark_losses(),
                    _ => {}
                }
                let count = |bit| b.flags.iter().filter(|&&f| f & bit != 0).count() as u32;
                assert_eq!((b.sacked, b.lost, b.resent), (count(SACKED), count(LOST), count(RESENT)));
                assert!(b.flags.iter().all(|&f| f & SACKED == 0 || f & !EVER_RESENT == SACKED));
                assert!(b.flags.iter().all(|&f| f & RESENT == 0 || f & EVER_RESENT != 0));
                let early = b.flags.iter().filter(|&&f| f & !EVER_RESENT == RESENT).count() as u32;
                assert_eq!(b.resent_early, early);
                assert!(b.resent - early <= b.lost);
            }
        }
    }
}
