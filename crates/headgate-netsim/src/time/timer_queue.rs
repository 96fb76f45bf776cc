//! The timers of a region, earliest first.
//!
//! Pacing sets a timer for each packet, milliseconds ahead. Such near timers go into slots by their time,
//! and only the current slot is sorted. This costs less than a heap, whose comparisons the processor
//! mispredicts. Other timers (time-outs, thinking users) are set far less often and wait in a heap.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::timers::{Purpose, Timer};

/// A slot lasts 2^22 ps (4 us), so that most slots contain one timer or none even on links of 1 Gbit/s.
const SHIFT: u32 = 22;
/// Number of slots; they reach 34 ms ahead.
const SLOTS: u64 = 64 * WORDS as u64;
/// Words of 64 bits that flag the slots.
const WORDS: usize = 128;

/// End of a chain.
const NONE: u32 = u32::MAX;

/// The timers of a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimerQueue {
    /// Earliest time of all timers, or `NEVER`.
    pub next: Time,
    /// Slot of the timer taken last. No timer is set before it.
    base: u64,
    far: BinaryHeap<Reverse<Timer>>,
    /// Allocated when the first near timer is set.
    near: Option<Box<Wheel>>,
}

impl Default for TimerQueue {
    fn default() -> Self {
        Self { next: NEVER, base: 0, far: BinaryHeap::new(), near: None }
    }
}

impl TimerQueue {
    /// Sets a timer. It must not be earlier than a timer that was taken.
    #[inline]
    pub fn set(&mut self, timer: Timer) {
        self.next = self.next.min(timer.time);
        if timer.purpose == Purpose::Pace && (timer.time >> SHIFT) - self.base < SLOTS {
            self.near.get_or_insert_with(Box::default).set(timer);
        } else {
            self.far.push(Reverse(timer));
        }
    }

    /// Removes the earliest timer.
    ///
    /// # Panics
    /// If there is no timer.
    #[inline]
    pub fn take(&mut self) -> Timer {
        let far = self.far.peek();
        let timer = match &mut self.near {
            Some(wheel) if wheel.first().is_some_and(|near| far.is_none_or(|far| *near < far.0)) => {
                wheel.take_first()
            }
            _ => self.far.pop().expect("a timer").0,
        };
        self.base = timer.time >> SHIFT;
        let far = self.far.peek().map_or(NEVER, |far| far.0.time);
        let near = self.near.as_ref().and_then(|wheel| wheel.first());
        self.next = near.map_or(far, |near| near.time.min(far));
        timer
    }

    /// Returns the memory of the queue, bytes.
    pub fn bytes(&self) -> usize {
        self.far.capacity() * size_of::<Timer>() + self.near.as_ref().map_or(0, |wheel| wheel.bytes())
    }
}

/// A timer and the next entry of its chain.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ChainEntry {
    timer: Timer,
    next: u32,
}

/// Timers that lie no further apart than there are slots.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Wheel {
    /// The earliest non-empty slot.
    slot: u64,
    /// The timers of that slot, the earliest last.
    current: Vec<Timer>,
    /// First entry of each other slot's chain.
    heads: Vec<u32>,
    /// One bit for each slot with a chain.
    bitmap: Vec<u64>,
    /// One bit for each word of the bitmap that is not 0.
    summary: u128,
    /// All entries, used and unused.
    entries: Vec<ChainEntry>,
    /// First unused entry.
    free: u32,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            slot: 0,
            current: Vec::new(),
            heads: vec![NONE; SLOTS as usize],
            bitmap: vec![0; WORDS],
            summary: 0,
            entries: Vec::new(),
            free: NONE,
        }
    }
}

impl Wheel {
    #[inline]
    fn first(&self) -> Option<&Timer> {
        self.current.last()
    }

    fn set(&mut self, timer: Timer) {
        let slot = timer.time >> SHIFT;
        if self.current.is_empty() {
            self.slot = slot;
        }
        if slot > self.slot {
            return self.file(timer);
        }
        if slot < self.slot {
            self.unload_current();
            self.slot = slot;
        }
        let at = self.current.iter().rposition(|other| timer < *other).map_or(0, |at| at + 1);
        self.current.insert(at, timer);
    }

    fn take_first(&mut self) -> Timer {
        let first = self.current.pop().expect("a timer");
        if self.current.is_empty() {
            self.load_next();
        }
        first
    }

    /// Adds a timer to the chain of its slot.
    #[inline]
    fn file(&mut self, timer: Timer) {
        let at = ((timer.time >> SHIFT) % SLOTS) as usize;
        let entry = ChainEntry { timer, next: self.heads[at] };
        let place = self.free;
        match self.entries.get_mut(place as usize) {
            Some(unused) => self.free = std::mem::replace(unused, entry).next,
            None => self.entries.push(entry),
        }
        self.heads[at] = if place == NONE { (self.entries.len() - 1) as u32 } else { place };
        self.bitmap[at / 64] |= 1 << (at % 64);
        self.summary |= 1 << (at / 64);
    }

    /// Moves the current slot back into a chain, because an earlier timer was set.
    fn unload_current(&mut self) {
        while let Some(timer) = self.current.pop() {
            self.file(timer);
        }
    }

    /// Makes the next chain the current slot.
    fn load_next(&mut self) {
        let Some(at) = self.next_chain() else { return };
        let mut place = std::mem::replace(&mut self.heads[at], NONE);
        self.bitmap[at / 64] &= !(1 << (at % 64));
        self.summary &= !(u128::from(self.bitmap[at / 64] == 0) << (at / 64));
        while let Some(entry) = self.entries.get_mut(place as usize) {
            self.current.push(entry.timer);
            let next = std::mem::replace(&mut entry.next, self.free);
            self.free = std::mem::replace(&mut place, next);
        }
        self.current.sort_unstable_by(|a, b| b.cmp(a));
        self.slot = self.current[0].time >> SHIFT;
    }

    /// Returns the slot of the next chain, around the ring.
    #[inline]
    fn next_chain(&self) -> Option<usize> {
        let at = (self.slot % SLOTS) as usize;
        let (word, bit) = (at / 64, at % 64);
        let here = self.bitmap[word] & (u64::MAX << bit);
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        // Around the ring, the earlier bits of this word come last.
        let turned = self.summary.rotate_right(word as u32 + 1);
        let word = (word + 1 + turned.trailing_zeros() as usize) % WORDS;
        (turned != 0).then(|| word * 64 + self.bitmap[word].trailing_zeros() as usize)
    }

    fn bytes(&self) -> usize {
        (self.heads.len() + 2 * self.bitmap.len()) * 4 + self.entries.capacity() * size_of::<ChainEntry>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::index::RouterIndex;

    fn timer(time: Time, id: u32) -> Timer {
        let purpose = if id % 5 == 0 { Purpose::Retransmit } else { Purpose::Pace };
        Timer { time, group: RouterIndex(0), purpose, id, generation: 0 }
    }

    /// Sets timers as pacing does, each some time after the timer taken last, and compares with a heap.
    fn agrees_with_a_heap(seed: u64, flows: u32, longest: u64) {
        let mut x = seed;
        let mut random = move |n: u64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 24) % n
        };
        let (mut queue, mut heap) = (TimerQueue::default(), BinaryHeap::new());
        let mut now = 0;
        for step in 0..20_000 {
            if step % 1000 < 2 * u64::from(flows) || random(8) == 0 {
                let most = 1 << random(longest);
                let gap = if random(4) == 0 { 0 } else { random(most) };
                let set = timer(now + gap, random(u64::from(flows)) as u32);
                queue.set(set);
                heap.push(Reverse(set));
            }
            assert_eq!(queue.next, heap.peek().map_or(NEVER, |first| first.0.time));
            if let Some(Reverse(first)) = heap.pop() {
                assert_eq!(queue.take(), first);
                now = first.time;
                let set = timer(now + random(1 << longest), first.id);
                queue.set(set);
                heap.push(Reverse(set));
            }
        }
    }

    #[test]
    fn timers_expire_as_from_one_heap() {
        agrees_with_a_heap(1, 1, 22); // within a slot
        agrees_with_a_heap(2, 30, 27); // a few slots ahead
        agrees_with_a_heap(3, 300, 37); // beyond the last slot
        agrees_with_a_heap(4, 3, 36); // around the ring
    }
}
