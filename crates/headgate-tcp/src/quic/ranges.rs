//! Ranges of numbers: the packets that a receiver has seen, the segments that a sender knows to have arrived,
//! and the ranges of an ACK (RFC 9000 section 19.3.1).

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::context::{AckSegment, Blocks};

/// The most ranges of an ACK. RFC 9000 section 13.2.3 lets a receiver limit them.
pub const MOST_RANGES: usize = 4;

/// Disjoint ranges [from, to) that do not touch, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ranges(VecDeque<(u32, u32)>);

impl Ranges {
    /// Inserts a number. Returns false if it is known.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        if let Some(last) = self.0.back_mut()
            && last.1 == number
        {
            last.1 += 1; // the common case
            return true;
        }
        let at = self.position(number);
        if at > 0 && self.0[at - 1].1 > number {
            return false;
        }
        let joins_left = at > 0 && self.0[at - 1].1 == number;
        let joins_right = self.0.get(at).is_some_and(|range| range.0 == number + 1);
        match (joins_left, joins_right) {
            (true, true) => {
                self.0[at - 1].1 = self.0[at].1;
                self.0.remove(at);
            }
            (true, false) => self.0[at - 1].1 += 1,
            (false, true) => self.0[at].0 = number,
            (false, false) => self.0.insert(at, (number, number + 1)),
        }
        true
    }

    /// Index of the first range that begins above a number.
    fn position(&self, number: u32) -> usize {
        self.0.partition_point(|range| range.0 <= number)
    }

    /// Whether a number is in one of the ranges.
    pub(crate) fn contains(&self, number: u32) -> bool {
        let at = self.position(number);
        at > 0 && self.0[at - 1].1 > number
    }

    /// Returns the smallest number from `from` on that is in no range.
    pub(crate) fn first_missing(&self, from: u32) -> u32 {
        let at = self.position(from);
        if at > 0 { self.0[at - 1].1.max(from) } else { from }
    }

    /// The first range.
    pub(crate) fn first(&self) -> Option<(u32, u32)> {
        self.0.front().copied()
    }

    /// The last range.
    pub(crate) fn last(&self) -> Option<(u32, u32)> {
        self.0.back().copied()
    }

    /// Removes the first range.
    pub(crate) fn pop_first(&mut self) -> Option<(u32, u32)> {
        self.0.pop_front()
    }

    /// Number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The ranges, the last one first.
    pub(crate) fn descending(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().rev().copied()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u32, u32)>()
    }
}

/// The packet numbers that an ACK acknowledges: up to [`MOST_RANGES`] ranges [from, to), the largest first.
/// The first range is in `stamp` and `next` of an [`AckSegment`], and the others are in its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRanges([(u32, u32); MOST_RANGES]);

impl AckRanges {
    /// Takes the first ranges; the first one must exist.
    pub(crate) fn collect(ranges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut all = [(0, 0); MOST_RANGES];
        all.iter_mut().zip(ranges).for_each(|(place, range)| *place = range);
        Self(all)
    }

    /// Returns the ranges of an ACK.
    #[must_use]
    pub fn of(ack: &AckSegment) -> Self {
        let [second, third, fourth] = ack.blocks.unwrap_or_default();
        Self([(ack.stamp, ack.next), second, third, fourth])
    }

    /// Returns `next`, `stamp` and the blocks of an ACK with these ranges.
    #[must_use]
    pub fn words(&self) -> (u32, u32, Option<Blocks>) {
        let [(from, to), second, third, fourth] = self.0;
        (to, from, (second.1 > 0).then_some([second, third, fourth]))
    }

    /// Iterates over the ranges, the largest first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.into_iter().filter(|range| range.1 > range.0)
    }

    /// The largest packet number.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.0[0].1.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    #[test]
    fn every_order_of_insertion_gives_the_same_ranges() {
        for seed in 0..200u64 {
            let mut ranges = Ranges::default();
            let mut known = std::collections::BTreeSet::new();
            let mut state = seed;
            for _ in 0..60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let number = (state >> 58) as u32;
                assert_eq!(ranges.insert(number), known.insert(number));
                let missing =
                    (number..).find(|other| !known.contains(other)).expect("some number is missing");
                assert_eq!(ranges.first_missing(number), missing);
            }
            let listed: Vec<u32> = ranges.0.iter().flat_map(|range| range.0..range.1).collect();
            assert_eq!(listed, known.iter().copied().collect::<Vec<_>>());
            assert!((0..64).all(|number| ranges.contains(number) == known.contains(&number)));
            assert!(ranges.0.iter().zip(ranges.0.iter().skip(1)).all(|(left, right)| left.1 < right.0));
        }
    }

    #[test]
    fn an_ack_carries_four_ranges_without_growing() {
        let all = [(90, 100), (70, 80), (50, 60), (30, 40), (10, 20)];
        for count in 1..=5 {
            let ranges = AckRanges::collect(all[..count].iter().copied());
            let (next, stamp, blocks) = ranges.words();
            let ack = AckSegment { next, stamp, blocks, flags: Flags::NONE };
            assert_eq!(AckRanges::of(&ack), ranges);
            assert_eq!(ranges.iter().collect::<Vec<_>>(), all[..count.min(MOST_RANGES)]);
            assert_eq!((ranges.largest(), blocks.is_some()), (99, count > 1));
        }
    }
}
