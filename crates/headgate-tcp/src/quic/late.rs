//! Packets that were declared lost, as long as their ACKs may still arrive (RFC 9000 section 13.3).

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A packet that was declared lost.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Late {
    number: u32,
    segment: u32,
    lost_at: Time,
}

/// The packets that were declared lost most recently, in the order of their numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LatePackets(VecDeque<Late>);

impl LatePackets {
    /// Remembers a lost packet. Numbers must ascend.
    pub(crate) fn push(&mut self, number: u32, segment: u32, now: Time) {
        self.0.push_back(Late { number, segment, lost_at: now });
    }

    /// Forgets packets that were lost longer ago than `age`.
    pub(crate) fn expire(&mut self, now: Time, age: Span) {
        while self.0.front().is_some_and(|late| late.lost_at + age < now) {
            self.0.pop_front();
        }
    }

    /// Returns the segments of the packets in a range of numbers.
    pub(crate) fn segments(&self, (from, to): (u32, u32)) -> impl Iterator<Item = u32> {
        let start = self.0.partition_point(|late| late.number < from);
        self.0.range(start..).take_while(move |late| late.number < to).map(|late| late.segment)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Late>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_packet_is_known_for_a_time() {
        let mut late = LatePackets::default();
        (0..5).for_each(|number| late.push(2 * number, 100 + number, u64::from(number)));
        assert_eq!(late.segments((2, 7)).collect::<Vec<_>>(), [101, 102, 103]);
        late.expire(12, 10);
        assert_eq!(late.segments((0, 7)).collect::<Vec<_>>(), [102, 103]);
    }
}
