//! The transmissions of the outstanding segments, in a ring that is indexed by sequence number.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::send_order::ROOM;

/// One transmission. It fills half a cache line, because there is one for each segment in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(32))]
pub(crate) struct Transmission {
    pub(crate) at: Time,
    /// Segments delivered before the transmission.
    pub(crate) delivered: u32,
    /// Age of the last of those deliveries.
    pub(crate) delivered_age: Age,
    /// Time since the first segment of the sampled interval was sent.
    pub(crate) first_age: Age,
    /// Segments found lost before the transmission, and segments in flight including this one.
    pub(crate) lost: u32,
    pub(crate) in_flight: u32,
    pub(crate) again: bool,
    /// Whether the sender had nothing else to send.
    pub(crate) app_limited: bool,
}

/// A span of up to 17 s in steps of 4 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Age(u32);

impl Age {
    const SHIFT: u32 = 12;

    #[inline]
    pub(crate) fn new(span: Span) -> Self {
        Self(u32::try_from(span >> Self::SHIFT).unwrap_or(u32::MAX))
    }

    #[inline]
    pub(crate) fn span(self) -> Span {
        Span::from(self.0) << Self::SHIFT
    }
}

/// The last transmission of each outstanding segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub(crate) struct Transmissions {
    /// The first outstanding segment, and the one after the last.
    base: u32,
    end: u32,
    /// The transmission of a segment is at its number modulo the length, which is a power of two.
    slots: Box<[Transmission]>,
}

impl Transmissions {
    #[inline]
    fn place(&self, seq: u32) -> usize {
        seq as usize & self.slots.len().wrapping_sub(1)
    }

    /// The first outstanding segment.
    #[inline]
    pub(crate) fn base(&self) -> u32 {
        self.base
    }

    /// The transmission of a segment, if the segment is outstanding.
    #[inline]
    pub(crate) fn get(&self, seq: u32) -> Option<&Transmission> {
        let is_outstanding = seq.wrapping_sub(self.base) < self.end - self.base;
        if is_outstanding { self.slots.get(self.place(seq)) } else { None }
    }

    /// Records a transmission of an outstanding segment, or of the next one.
    #[inline]
    pub(crate) fn put(&mut self, seq: u32, sent: Transmission) {
        let outstanding = (self.end - self.base) as usize;
        let again = seq < self.end;
        if !again {
            if outstanding == self.slots.len() {
                self.resize(2 * outstanding.max(ROOM / 2));
            }
            self.end = seq + 1;
        }
        let place = self.place(seq);
        self.slots[place] = Transmission { again, ..sent };
    }

    /// Removes all segments below `una`, and releases slots that have been unused for long. A ring is
    /// traversed up to its capacity, and would displace other data from the cache.
    #[inline]
    pub(crate) fn advance(&mut self, una: u32) {
        (self.base, self.end) = (una, self.end.max(una));
        let kept = ((self.end - una) as usize).max(ROOM);
        if self.slots.len() > 4 * kept {
            self.resize((2 * kept).next_power_of_two());
        }
    }

    #[cold]
    fn resize(&mut self, len: usize) {
        let mut slots = vec![Transmission::default(); len].into_boxed_slice();
        for (seq, sent) in self.iter() {
            slots[seq as usize & (len - 1)] = *sent;
        }
        self.slots = slots;
    }

    /// Iterates over the outstanding segments with their transmissions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Transmission)> {
        (self.base..self.end).map(|seq| (seq, &self.slots[self.place(seq)]))
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `to` segments in all and acknowledges those below `una`.
    fn move_on(ring: &mut Transmissions, una: u32, to: u32) {
        (ring.end..to).for_each(|seq| ring.put(seq, Transmission { at: seq.into(), ..Default::default() }));
        ring.advance(una);
        assert_eq!(ring.iter().map(|(seq, _)| seq).collect::<Vec<_>>(), (una..to).collect::<Vec<_>>());
        assert!(ring.iter().all(|(seq, sent)| sent.at == Time::from(seq) && !sent.again));
        assert_eq!((ring.get(una.wrapping_sub(1)), ring.get(to)), (None, None));
    }

    #[test]
    fn a_ring_grows_with_the_flight_and_shrinks_after_it() {
        let mut ring = Transmissions::default();
        move_on(&mut ring, 0, 16);
        assert_eq!(ring.slots.len(), 16);
        move_on(&mut ring, 7, 30);
        move_on(&mut ring, 9, 1000);
        assert_eq!(ring.slots.len(), 1024);
        move_on(&mut ring, 900, 1100);
        assert_eq!(ring.slots.len(), 512);
        move_on(&mut ring, 1100, 1100);
        assert_eq!(ring.slots.len(), 32);
        move_on(&mut ring, 1100, 1140);
    }

    #[test]
    fn a_segment_that_is_sent_again_keeps_its_place() {
        let mut ring = Transmissions::default();
        move_on(&mut ring, 3, 10);
        ring.put(5, Transmission { at: 99, ..Default::default() });
        let again: Vec<_> = ring.iter().filter(|(_, sent)| sent.again).collect();
        assert_eq!((again.len(), again[0].0, again[0].1.at), (1, 5, 99));
    }
}
