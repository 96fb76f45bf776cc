//! One region: its timers, its packets of the current window, and their order.
//!
//! The declared order of simultaneous events: packets before timers; packets by addressed endpoint,
//! kind and row, timers by site, purpose and owner.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::calendar::Calendar;
use crate::packet::{Kind, Packet};
use crate::timers::Timer;

/// Bits of a sort key that hold the packet's index.
const INDEX_BITS: u32 = 24;

/// The packets of a region and window, in order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    packets: Vec<Packet>,
    rows: Vec<u32>,
    /// Time within the window and index, sorted.
    keys: Vec<u64>,
    start: Time,
    /// Keys that were used up.
    at: usize,
}

impl Batch {
    /// Takes the packets of `rows` out of the calendar and sorts them.
    pub fn load(&mut self, rows: &[u32], calendar: &mut Calendar) {
        self.start = calendar.start(calendar.current);
        self.at = 0;
        self.rows.clear();
        self.packets.clear();
        for &row in rows {
            if !calendar.is_empty(row as usize) {
                calendar.drain(row as usize, &mut self.packets);
                self.rows.resize(self.packets.len(), row);
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        assert!(self.packets.len() < 1 << INDEX_BITS, "more than 16 million packets in one window");
        let start = self.start;
        let key = |(i, p): (usize, &Packet)| (p.time - start) << INDEX_BITS | i as u64;
        self.keys.clear();
        self.keys.extend(self.packets.iter().enumerate().map(key));
        self.keys.sort_unstable();
        self.settle_ties();
    }

    /// Orders packets of the same picosecond by rank.
    fn settle_ties(&mut self) {
        let mut from = 0;
        for to in 1..=self.keys.len() {
            let tied = to < self.keys.len() && self.keys[to] >> INDEX_BITS == self.keys[from] >> INDEX_BITS;
            if !tied {
                if to - from > 1 {
                    let (packets, rows) = (&self.packets, &self.rows);
                    let rank = |&k: &u64| rank(&packets[index(k)], rows[index(k)]);
                    self.keys[from..to].sort_by_key(rank);
                }
                from = to;
            }
        }
    }

    #[inline]
    fn next(&self) -> Option<(u32, &Packet)> {
        let index = index(*self.keys.get(self.at)?);
        Some((self.rows[index], &self.packets[index]))
    }

    #[inline]
    fn next_time(&self) -> Time {
        self.keys.get(self.at).map_or(NEVER, |k| self.start + (k >> INDEX_BITS))
    }
}

#[inline]
fn index(key: u64) -> usize {
    (key & ((1 << INDEX_BITS) - 1)) as usize
}

fn rank(packet: &Packet, row: u32) -> ((u32, Kind, u32), u32) {
    (packet.rank(), row)
}

/// A packet that arrives in the window in which it was sent, over a link within the region.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hurried {
    row: u32,
    packet: Packet,
}

impl Hurried {
    fn key(&self) -> (Time, ((u32, Kind, u32), u32)) {
        (self.packet.time, rank(&self.packet, self.row))
    }
}

impl PartialEq for Hurried {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Hurried {}

impl PartialOrd for Hurried {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Hurried {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Region {
    pub rows: Vec<u32>,
    timers: BinaryHeap<Reverse<Timer>>,
    /// Empty in a region of one row: nothing reaches it within a window.
    hurried: BinaryHeap<Reverse<Hurried>>,
}

impl Region {
    pub fn new(rows: Vec<u32>) -> Self {
        Self { rows, timers: BinaryHeap::new(), hurried: BinaryHeap::new() }
    }

    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timers.peek().map_or(NEVER, |t| t.0.time)
    }

    #[inline]
    pub fn next_packet(&self, batch: &Batch) -> Time {
        let hurried = self.hurried.peek().map_or(NEVER, |h| h.0.packet.time);
        batch.next_time().min(hurried)
    }

    /// The next packet of the batch or among the hurried ones; there is one.
    #[inline]
    pub fn take_packet(&mut self, batch: &mut Batch) -> (usize, Packet) {
        if let Some(Reverse(first)) = self.hurried.peek() {
            let key = |(row, p): (u32, &Packet)| (p.time, rank(p, row));
            if batch.next().is_none_or(|next| first.key() < key(next)) {
                let Reverse(first) = self.hurried.pop().expect("peeked at");
                return (first.row as usize, first.packet);
            }
        }
        let (row, packet) = batch.next().expect("there is a packet");
        let taken = (row as usize, *packet);
        batch.at += 1;
        taken
    }

    pub fn hurry(&mut self, row: usize, packet: Packet) {
        debug_assert!(self.rows.contains(&(row as u32)), "a link faster than the lookahead");
        self.hurried.push(Reverse(Hurried { row: row as u32, packet }));
    }

    pub fn take_timer(&mut self) -> Timer {
        self.timers.pop().expect("peeked at").0
    }

    pub fn set_timer(&mut self, timer: Timer) {
        self.timers.push(Reverse(timer));
    }

    /// What is left of the window waits for its rest.
    pub fn put_back(&mut self, batch: &mut Batch, calendar: &mut Calendar) {
        for &key in &batch.keys[batch.at..] {
            calendar.put_back(batch.rows[index(key)] as usize, &batch.packets[index(key)]);
        }
        for Reverse(Hurried { row, packet }) in self.hurried.drain() {
            calendar.put_back(row as usize, &packet);
        }
    }

    pub fn bytes(&self) -> usize {
        self.timers.capacity() * size_of::<Timer>() + self.hurried.capacity() * size_of::<Hurried>()
    }
}
