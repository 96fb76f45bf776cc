//! The segments of a flow: those above the first missing one that have arrived, and those to send again.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::ranges::Ranges;

/// The segments above `una` that are known to have arrived, and the lost ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Segments {
    arrived: Ranges,
    lost: VecDeque<u32>,
}

impl Segments {
    /// Notes that a segment has arrived, and moves `una` to the first segment that has not.
    pub(crate) fn deliver(&mut self, segment: u32, una: &mut u32) {
        if segment > *una {
            self.arrived.insert(segment);
        } else if segment == *una {
            *una += 1;
            if let Some(range) = self.arrived.first().filter(|range| range.0 == *una) {
                *una = range.1;
                self.arrived.pop_first();
            }
        }
    }

    /// Whether a segment is known to have arrived.
    pub(crate) fn has_arrived(&self, segment: u32, una: u32) -> bool {
        segment < una || self.arrived.contains(segment)
    }

    /// Notes that a segment must be sent again.
    pub(crate) fn lose(&mut self, segment: u32, una: u32) {
        if !self.has_arrived(segment, una) {
            self.lost.push_back(segment);
        }
    }

    /// Returns the first lost segment that has not arrived since, without removing it.
    pub(crate) fn next_lost(&mut self, una: u32) -> Option<u32> {
        while let Some(&segment) = self.lost.front() {
            if !self.has_arrived(segment, una) {
                return Some(segment);
            }
            self.lost.pop_front();
        }
        None
    }

    /// Removes the segment of [`Self::next_lost`], which is sent again.
    pub(crate) fn resend(&mut self) {
        self.lost.pop_front();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.arrived.bytes() + self.lost.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_segment_that_arrives_late_is_not_sent_again() {
        let (mut segments, mut una) = (Segments::default(), 0);
        for segment in [0, 3, 4] {
            segments.deliver(segment, &mut una);
        }
        assert_eq!(una, 1);
        segments.lose(1, una);
        segments.lose(2, una);
        segments.lose(3, una); // it has arrived
        segments.deliver(1, &mut una);
        assert_eq!((una, segments.next_lost(una)), (2, Some(2)));
        segments.resend();
        assert_eq!(segments.next_lost(una), None);
        segments.deliver(2, &mut una);
        assert_eq!(una, 5);
    }
}
