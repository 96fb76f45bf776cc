//! One region: its timers, its packets of the current window, and their order.
//!
//! The declared order of simultaneous events: packets before timers; packets by addressed endpoint,
//! kind and row, timers by site, purpose and owner.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::agenda::Agenda;
use crate::calendar::{Calendar, Key};
use crate::packet::{Kind, Packet};
use crate::timers::Timer;

/// Events between asking the cache for something and using it.
const AHEAD: usize = 8;

/// The packets of a region and window, in order; closed between two regions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    open: bool,
    keys: Vec<Key>,
    /// Where the packets are.
    chunks: Vec<u32>,
    /// Keys that were used up.
    at: usize,
}

impl Batch {
    /// Takes the packets of `rows` out of the calendar and sorts them.
    pub fn load(&mut self, rows: &[u32], calendar: &mut Calendar) {
        self.open = true;
        for &row in rows {
            if !calendar.is_empty(row as usize) {
                calendar.take(row as usize, &mut self.keys, &mut self.chunks);
            }
        }
        self.keys.sort();
        self.settle_ties(calendar);
    }

    /// It was loaded, and is not used up.
    pub fn is_open(&self) -> bool {
        self.open
    }

    fn close(&mut self) {
        self.open = false;
        self.at = 0;
        self.keys.clear();
    }

    /// Orders packets of the same picosecond by rank.
    fn settle_ties(&mut self, calendar: &Calendar) {
        let mut from = 0;
        for to in 1..=self.keys.len() {
            let tied = to < self.keys.len() && calendar.time(self.keys[to]) == calendar.time(self.keys[from]);
            if !tied {
                if to - from > 1 {
                    self.keys[from..to].sort_by_key(|&key| rank(calendar.packet(key)));
                }
                from = to;
            }
        }
    }

    /// The packet some events ahead, for the cache.
    #[inline]
    pub fn ahead<'a>(&self, calendar: &'a Calendar) -> Option<(u32, &'a Packet)> {
        Some(calendar.packet(*self.keys.get(self.at + AHEAD)?))
    }

    #[inline]
    fn next<'a>(&self, calendar: &'a Calendar) -> Option<(u32, &'a Packet)> {
        Some(calendar.packet(*self.keys.get(self.at)?))
    }

    #[inline]
    fn next_time(&self, calendar: &Calendar) -> Time {
        self.keys.get(self.at).map_or(NEVER, |&key| calendar.time(key))
    }
}

fn rank((row, packet): (u32, &Packet)) -> ((u32, Kind, u32), u32) {
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
        (self.packet.time, rank((self.row, &self.packet)))
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
    /// Links from here whose ports act at departures.
    pub ports: Vec<u32>,
    timers: Agenda,
    /// Empty in a region of one row: nothing reaches it within a window.
    hurried: BinaryHeap<Reverse<Hurried>>,
}

impl Region {
    pub fn new(rows: Vec<u32>, ports: Vec<u32>) -> Self {
        Self { rows, ports, timers: Agenda::default(), hurried: BinaryHeap::new() }
    }

    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timers.next
    }

    #[inline]
    pub fn next_packet(&self, batch: &Batch, calendar: &Calendar) -> Time {
        let hurried = self.hurried.peek().map_or(NEVER, |h| h.0.packet.time);
        batch.next_time(calendar).min(hurried)
    }

    /// The next packet of the batch or among the hurried ones; there is one.
    #[inline]
    pub fn take_packet(&mut self, batch: &mut Batch, calendar: &Calendar) -> (u32, Packet) {
        if let Some(Reverse(first)) = self.hurried.peek() {
            let key = |next: (u32, &Packet)| (next.1.time, rank(next));
            if batch.next(calendar).is_none_or(|next| first.key() < key(next)) {
                let Reverse(first) = self.hurried.pop().expect("peeked at");
                return (first.row, first.packet);
            }
        }
        let (row, packet) = batch.next(calendar).expect("there is a packet");
        batch.at += 1;
        (row, *packet)
    }

    pub fn hurry(&mut self, row: usize, packet: Packet) {
        debug_assert!(self.rows.contains(&(row as u32)), "a link faster than the lookahead");
        self.hurried.push(Reverse(Hurried { row: row as u32, packet }));
    }

    pub fn take_timer(&mut self) -> Timer {
        self.timers.take()
    }

    pub fn set_timer(&mut self, timer: Timer) {
        self.timers.set(timer);
    }

    /// What is left of the window waits for its rest.
    pub fn put_back(&mut self, batch: &mut Batch, calendar: &mut Calendar) {
        for &key in &batch.keys[batch.at..] {
            let (row, packet) = calendar.packet(key);
            let packet = *packet;
            calendar.put_back(row as usize, &packet);
        }
        calendar.give_back(&mut batch.chunks);
        batch.close();
        for Reverse(Hurried { row, packet }) in self.hurried.drain() {
            calendar.put_back(row as usize, &packet);
        }
    }

    pub fn bytes(&self) -> usize {
        self.timers.bytes() + self.hurried.capacity() * size_of::<Hurried>()
    }
}
