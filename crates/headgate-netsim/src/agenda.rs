//! The timers of a region, earliest first.
//!
//! Pacing sets a timer for each packet, milliseconds ahead. Such near ones go into slots by their time, and
//! only the slot in hand is sorted: that costs less than a heap, whose every step is a guess for the
//! processor. Others (time-outs, thinking users) are set far less often, and wait in a heap.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::timers::{Purpose, Timer};

/// A slot lasts 2^24 ps (17 us).
const SHIFT: u32 = 24;
/// Slots; they reach 69 ms ahead.
const SLOTS: u64 = 64 * 64;

/// End of a chain.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Agenda {
    /// The earliest time of all.
    pub next: Time,
    /// Slot of the timer taken last: none will be set before it.
    base: u64,
    far: BinaryHeap<Reverse<Timer>>,
    /// Absent until there is a near timer.
    near: Option<Box<Wheel>>,
}

impl Default for Agenda {
    fn default() -> Self {
        Self { next: NEVER, base: 0, far: BinaryHeap::new(), near: None }
    }
}

impl Agenda {
    /// Sets a timer; not before one that was taken.
    #[inline]
    pub fn set(&mut self, timer: Timer) {
        self.next = self.next.min(timer.time);
        if timer.purpose == Purpose::Pace && (timer.time >> SHIFT) - self.base < SLOTS {
            self.near.get_or_insert_with(Box::default).set(timer);
        } else {
            self.far.push(Reverse(timer));
        }
    }

    /// The earliest timer; there is one.
    #[inline]
    pub fn take(&mut self) -> Timer {
        let timer = match self.first_near() {
            Some(near) if self.far.peek().is_none_or(|far| near < far.0) => self.take_near(near),
            _ => self.far.pop().expect("a timer").0,
        };
        self.base = timer.time >> SHIFT;
        let far = self.far.peek().map_or(NEVER, |far| far.0.time);
        self.next = self.first_near().map_or(far, |near| near.time.min(far));
        timer
    }

    #[inline]
    fn first_near(&self) -> Option<Timer> {
        self.near.as_ref().and_then(|wheel| wheel.first())
    }

    fn take_near(&mut self, first: Timer) -> Timer {
        self.near.iter_mut().for_each(|wheel| wheel.drop_first());
        first
    }

    pub fn bytes(&self) -> usize {
        self.far.capacity() * size_of::<Timer>() + self.near.as_ref().map_or(0, |wheel| wheel.bytes())
    }
}

/// A timer and the next one of its chain.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Link {
    timer: Timer,
    next: u32,
}

/// Timers no further apart than there are slots.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Wheel {
    /// The earliest slot that is not empty, and its timers, the earliest last.
    slot: u64,
    hand: Vec<Timer>,
    /// First link of each other slot's chain.
    heads: Vec<u32>,
    /// A bit for each slot with a chain, and one for each word with a bit.
    words: Vec<u64>,
    summary: u64,
    links: Vec<Link>,
    /// First unused link.
    free: u32,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            slot: 0,
            hand: Vec::new(),
            heads: vec![NONE; SLOTS as usize],
            words: vec![0; 64],
            summary: 0,
            links: Vec::new(),
            free: NONE,
        }
    }
}

impl Wheel {
    #[inline]
    fn first(&self) -> Option<Timer> {
        self.hand.last().copied()
    }

    fn set(&mut self, timer: Timer) {
        let slot = timer.time >> SHIFT;
        if self.hand.is_empty() {
            self.slot = slot;
        }
        if slot > self.slot {
            return self.file(timer);
        }
        if slot < self.slot {
            self.lay_down();
            self.slot = slot;
        }
        let at = self.hand.iter().rposition(|other| timer < *other).map_or(0, |at| at + 1);
        self.hand.insert(at, timer);
    }

    fn drop_first(&mut self) {
        self.hand.pop();
        if self.hand.is_empty() {
            self.pick_up();
        }
    }

    /// Puts a timer into its slot's chain.
    #[inline]
    fn file(&mut self, timer: Timer) {
        let at = ((timer.time >> SHIFT) % SLOTS) as usize;
        let link = Link { timer, next: self.heads[at] };
        let place = self.free;
        match self.links.get_mut(place as usize) {
            Some(unused) => self.free = std::mem::replace(unused, link).next,
            None => self.links.push(link),
        }
        self.heads[at] = if place == NONE { (self.links.len() - 1) as u32 } else { place };
        self.words[at / 64] |= 1 << (at % 64);
        self.summary |= 1 << (at / 64);
    }

    /// A timer came in before the slot in hand, which becomes a chain again.
    fn lay_down(&mut self) {
        while let Some(timer) = self.hand.pop() {
            self.file(timer);
        }
    }

    /// Takes the next chain into the hand.
    fn pick_up(&mut self) {
        let Some(at) = self.next_chain() else { return };
        let mut place = std::mem::replace(&mut self.heads[at], NONE);
        self.words[at / 64] &= !(1 << (at % 64));
        self.summary &= !(u64::from(self.words[at / 64] == 0) << (at / 64));
        while let Some(link) = self.links.get_mut(place as usize) {
            self.hand.push(link.timer);
            let next = std::mem::replace(&mut link.next, self.free);
            self.free = std::mem::replace(&mut place, next);
        }
        self.hand.sort_unstable_by(|a, b| b.cmp(a));
        self.slot = self.hand[0].time >> SHIFT;
    }

    /// Place of the next chain after the slot in hand, around the ring.
    #[inline]
    fn next_chain(&self) -> Option<usize> {
        let at = (self.slot % SLOTS) as usize;
        let (word, bit) = (at / 64, at % 64);
        let here = self.words[word] & (u64::MAX << bit);
        if here != 0 {
            return Some(word * 64 + here.trailing_zeros() as usize);
        }
        // this word's earlier bits come last of all
        let turned = self.summary.rotate_right((word as u32 + 1) % 64);
        let word = (word + 1 + turned.trailing_zeros() as usize) % 64;
        (turned != 0).then(|| word * 64 + self.words[word].trailing_zeros() as usize)
    }

    fn bytes(&self) -> usize {
        (self.heads.len() + 2 * self.words.len()) * 4 + self.links.capacity() * size_of::<Link>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(time: Time, id: u32) -> Timer {
        let purpose = if id % 5 == 0 { Purpose::Retransmit } else { Purpose::Pace };
        Timer { time, group: 0, purpose, id, generation: 0 }
    }

    /// Sets timers as pacing does, each some time after the one taken last, and compares with a heap.
    fn agrees_with_a_heap(seed: u64, flows: u32, longest: u64) {
        let mut x = seed;
        let mut random = move |n: u64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 24) % n
        };
        let (mut agenda, mut heap) = (Agenda::default(), BinaryHeap::new());
        let mut now = 0;
        for step in 0..20_000 {
            if step % 1000 < 2 * u64::from(flows) || random(8) == 0 {
                let most = 1 << random(longest);
                let gap = if random(4) == 0 { 0 } else { random(most) };
                let set = timer(now + gap, random(u64::from(flows)) as u32);
                agenda.set(set);
                heap.push(Reverse(set));
            }
            assert_eq!(agenda.next, heap.peek().map_or(NEVER, |first| first.0.time));
            if let Some(Reverse(first)) = heap.pop() {
                assert_eq!(agenda.take(), first);
                now = first.time;
                let set = timer(now + random(1 << longest), first.id);
                agenda.set(set);
                heap.push(Reverse(set));
            }
        }
    }

    #[test]
    fn timers_go_off_as_from_one_heap() {
        agrees_with_a_heap(1, 1, 22); // within a slot
        agrees_with_a_heap(2, 30, 27); // a few slots ahead
        agrees_with_a_heap(3, 300, 37); // beyond the last slot
        agrees_with_a_heap(4, 3, 36); // around the ring
    }
}
