//! Packets under way, sorted into windows: the structure that stands in for an event queue.
//!
//! A row is a place where packets arrive (a router, or the hosts behind it). Time is cut into windows
//! no longer than the lookahead; a packet goes into the bucket of its row and window. Nothing is
//! compared until the window comes, and then a row is sorted as one batch.

use crate::packet::Packet;
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Windows kept as buckets; packets further ahead wait in a sorted map.
const HORIZON: u64 = 1024;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calendar {
    /// Windows per picosecond, as a 0.64 fixed-point number.
    per_ps: u64,
    /// The window being processed.
    pub current: u64,
    /// Packets in the buckets of all windows.
    held: u64,
    rows: usize,
    buckets: Vec<Vec<Packet>>,
    far: BTreeMap<u64, Vec<(u32, Packet)>>,
    /// Empty vectors, kept for their memory.
    #[serde(skip)]
    spare: Vec<Vec<Packet>>,
}

impl Calendar {
    /// `window` is rounded so that no window is longer than it.
    pub fn new(rows: usize, window: Span) -> Self {
        let per_ps = u64::try_from((1u128 << 64) / u128::from(window.max(3) - 1)).expect("window > 1 ps");
        let buckets = vec![Vec::new(); rows * HORIZON as usize];
        Self { per_ps, current: 0, held: 0, rows, buckets, far: BTreeMap::new(), spare: Vec::new() }
    }

    #[inline]
    fn window(&self, time: Time) -> u64 {
        ((u128::from(time) * u128::from(self.per_ps)) >> 64) as u64
    }

    /// First instant of a window.
    pub fn start(&self, window: u64) -> Time {
        (u128::from(window) << 64).div_ceil(u128::from(self.per_ps)) as Time
    }

    /// The buckets of one window are neighbours.
    #[inline]
    fn bucket(&self, row: usize, window: u64) -> usize {
        (window % HORIZON) as usize * self.rows + row
    }

    /// Files a packet that arrives at `row`; gives it back if that is within the current window.
    #[inline]
    #[must_use]
    pub fn file(&mut self, row: usize, packet: Packet) -> Option<Packet> {
        let ahead = self.window(packet.time).wrapping_sub(self.current);
        if ahead == 0 {
            return Some(packet);
        }
        if ahead < HORIZON {
            self.put(row, self.current + ahead, packet);
        } else {
            debug_assert!(ahead < 1 << 60, "a packet into the past");
            self.far.entry(self.current + ahead).or_default().push((row as u32, packet));
        }
        None
    }

    #[inline]
    fn put(&mut self, row: usize, window: u64, packet: Packet) {
        self.held += 1;
        let at = self.bucket(row, window);
        let bucket = &mut self.buckets[at];
        if bucket.capacity() == 0
            && let Some(spare) = self.spare.pop()
        {
            *bucket = spare;
        }
        bucket.push(packet);
    }

    /// Puts a packet of the current window (back) into its bucket.
    pub fn put_back(&mut self, row: usize, packet: Packet) {
        self.put(row, self.current, packet);
    }

    /// Moves to the next window.
    pub fn turn(&mut self) {
        self.current += 1;
        if let Some(entry) = self.far.first_entry()
            && *entry.key() == self.current
        {
            for (row, packet) in entry.remove() {
                self.put(row as usize, self.current, packet);
            }
        }
    }

    /// No packet is under way.
    pub fn is_silent(&self) -> bool {
        self.held == 0 && self.far.is_empty()
    }

    /// Moves on to the window of `time`; there must be silence until then.
    pub fn skip_to(&mut self, time: Time) {
        self.current = self.window(time).max(self.current);
    }

    pub fn is_empty(&self, row: usize) -> bool {
        self.buckets[self.bucket(row, self.current)].is_empty()
    }

    /// Moves the current window's packets of a row to the end of `packets`.
    pub fn drain(&mut self, row: usize, packets: &mut Vec<Packet>) {
        let at = self.bucket(row, self.current);
        let mut bucket = std::mem::take(&mut self.buckets[at]);
        self.held -= bucket.len() as u64;
        packets.append(&mut bucket);
        self.spare.push(bucket);
    }

    pub fn bytes(&self) -> usize {
        let held = |b: &Vec<Packet>| b.capacity() * size_of::<Packet>();
        self.buckets.capacity() * size_of::<Vec<Packet>>()
            + self.buckets.iter().chain(&self.spare).map(held).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{INLINE, Kind};

    fn packet(time: Time) -> Packet {
        Packet { time, flow: 0, host: INLINE, a: 0, b: 0, c: 0, size: 40, kind: Kind::Ack, generation: 0 }
    }

    #[test]
    fn every_packet_comes_out_in_its_own_window() {
        let mut calendar = Calendar::new(2, 500_000);
        let times: Vec<Time> = (0..3000).map(|i| 500_000 + i * 777_777).collect();
        for &t in &times {
            assert!(calendar.file(1, packet(t)).is_none());
        }
        let mut seen = Vec::new();
        while seen.len() < times.len() {
            calendar.turn();
            let (from, to) = (calendar.start(calendar.current), calendar.start(calendar.current + 1));
            assert!(to - from <= 500_000);
            assert!(calendar.is_empty(0));
            let mut bucket = Vec::new();
            calendar.drain(1, &mut bucket);
            assert!(bucket.iter().all(|p| (from..to).contains(&p.time)));
            seen.extend(bucket.iter().map(|p| p.time));
        }
        assert_eq!(seen, times);
    }

    #[test]
    fn a_packet_of_this_window_is_given_back() {
        let mut calendar = Calendar::new(1, 500_000);
        assert!(calendar.file(0, packet(10)).is_some());
        calendar.put_back(0, packet(10));
        let mut bucket = Vec::new();
        calendar.drain(0, &mut bucket);
        assert_eq!(bucket.len(), 1);
    }
}
