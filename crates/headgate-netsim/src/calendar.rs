//! Packets under way, sorted into windows: the structure that stands in for an event queue.
//!
//! A row is a place where packets arrive (a router, or the hosts behind it). Time is cut into windows
//! no longer than the lookahead; a packet goes into the bucket of its row and window. Nothing is
//! compared until the window comes, and then a row is sorted as one batch.
//!
//! Buckets are chains of small chunks from one pool, the one given back last taken first: however
//! uneven the rows, the memory in use is that of the packets under way, and stays in the cache.

use crate::packet::{INLINE, Kind, NO_SACK, Packet};
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Windows kept as buckets; packets further ahead wait in a sorted map.
const HORIZON: u64 = 1024;

/// Packets in a chunk: two kilobytes.
const CHUNK: usize = 64;

const NO_CHUNK: u32 = u32::MAX;

/// A chain of chunks, the last one first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bucket {
    last: u32,
    len: u32,
}

const EMPTY: Bucket = Bucket { last: NO_CHUNK, len: 0 };

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calendar {
    /// Windows per picosecond, as a 0.64 fixed-point number.
    per_ps: u64,
    /// The window being processed.
    pub current: u64,
    /// Packets in the buckets of all windows.
    held: u64,
    rows: usize,
    buckets: Vec<Bucket>,
    far: BTreeMap<u64, Vec<(u32, Packet)>>,
    pool: Pool,
}

impl Calendar {
    /// `window` is rounded so that no window is longer than it.
    pub fn new(rows: usize, window: Span) -> Self {
        let per_ps = u64::try_from((1u128 << 64) / u128::from(window.max(3) - 1)).expect("window > 1 ps");
        let buckets = vec![EMPTY; rows * HORIZON as usize];
        Self { per_ps, current: 0, held: 0, rows, buckets, far: BTreeMap::new(), pool: Pool::default() }
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

    /// Files a packet that arrives at `row`, unless that is within the current window.
    #[inline]
    #[must_use]
    pub fn file(&mut self, row: usize, packet: &Packet) -> bool {
        let ahead = self.window(packet.time).wrapping_sub(self.current);
        if ahead == 0 {
            return false;
        }
        if ahead < HORIZON {
            self.put(row, self.current + ahead, packet);
        } else {
            debug_assert!(ahead < 1 << 60, "a packet into the past");
            self.far.entry(self.current + ahead).or_default().push((row as u32, *packet));
        }
        true
    }

    #[inline]
    fn put(&mut self, row: usize, window: u64, packet: &Packet) {
        self.held += 1;
        let at = self.bucket(row, window);
        self.pool.push(&mut self.buckets[at], packet);
    }

    /// Puts a packet of the current window (back) into its bucket.
    pub fn put_back(&mut self, row: usize, packet: &Packet) {
        self.put(row, self.current, packet);
    }

    /// Moves to the next window.
    pub fn turn(&mut self) {
        self.current += 1;
        if let Some(entry) = self.far.first_entry()
            && *entry.key() == self.current
        {
            for (row, packet) in entry.remove() {
                self.put(row as usize, self.current, &packet);
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

    #[inline]
    pub fn is_empty(&self, row: usize) -> bool {
        self.buckets[self.bucket(row, self.current)].len == 0
    }

    /// Moves the current window's packets of a row to the end of `packets`, in the order of filing.
    pub fn drain(&mut self, row: usize, packets: &mut Vec<Packet>) {
        let at = self.bucket(row, self.current);
        let bucket = std::mem::replace(&mut self.buckets[at], EMPTY);
        self.held -= u64::from(bucket.len);
        self.pool.drain(bucket, packets);
    }

    pub fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>() + self.pool.bytes()
    }
}

/// All chunks, as one slab.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pool {
    slab: Vec<Packet>,
    /// Of each chunk the one before it in its chain.
    before: Vec<u32>,
    free: Vec<u32>,
}

impl Pool {
    #[inline]
    fn push(&mut self, bucket: &mut Bucket, packet: &Packet) {
        let offset = bucket.len as usize % CHUNK;
        if offset == 0 {
            let chunk = self.free.pop().unwrap_or_else(|| self.grow());
            self.before[chunk as usize] = bucket.last;
            bucket.last = chunk;
        }
        self.slab[bucket.last as usize * CHUNK + offset] = *packet;
        bucket.len += 1;
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        self.slab.resize(self.slab.len() + CHUNK, NOTHING);
        self.before.push(NO_CHUNK);
        (self.before.len() - 1) as u32
    }

    /// Chunks come last first, so the packets are written from the end.
    fn drain(&mut self, bucket: Bucket, packets: &mut Vec<Packet>) {
        let begin = packets.len();
        packets.resize(begin + bucket.len as usize, NOTHING);
        let (mut chunk, mut end) = (bucket.last, bucket.len as usize);
        while end > 0 {
            let start = (end - 1) / CHUNK * CHUNK;
            let slab = chunk as usize * CHUNK;
            packets[begin + start..begin + end].copy_from_slice(&self.slab[slab..slab + end - start]);
            self.free.push(chunk);
            (chunk, end) = (self.before[chunk as usize], start);
        }
    }

    fn bytes(&self) -> usize {
        self.slab.capacity() * size_of::<Packet>() + (self.before.capacity() + self.free.capacity()) * 4
    }
}

/// Fills a place where no packet is.
const NOTHING: Packet = Packet {
    time: 0,
    flow: 0,
    host: INLINE,
    a: 0,
    b: 0,
    c: NO_SACK,
    size: 0,
    kind: Kind::Ack,
    generation: 0,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(time: Time) -> Packet {
        Packet { time, ..NOTHING }
    }

    fn drained(calendar: &mut Calendar, row: usize) -> Vec<Time> {
        let mut packets = Vec::new();
        calendar.drain(row, &mut packets);
        packets.iter().map(|p| p.time).collect()
    }

    #[test]
    fn every_packet_comes_out_in_its_own_window() {
        let mut calendar = Calendar::new(2, 500_000);
        let times: Vec<Time> = (0..3000).map(|i| 500_000 + i * 777_777).collect();
        for &t in &times {
            assert!(calendar.file(1, &packet(t)));
        }
        let mut seen = Vec::new();
        while seen.len() < times.len() {
            calendar.turn();
            let (from, to) = (calendar.start(calendar.current), calendar.start(calendar.current + 1));
            assert!(to - from <= 500_000);
            assert!(calendar.is_empty(0));
            let bucket = drained(&mut calendar, 1);
            assert!(bucket.iter().all(|t| (from..to).contains(t)));
            seen.extend(bucket);
        }
        assert_eq!(seen, times);
        assert!(calendar.is_silent());
    }

    #[test]
    fn a_bucket_of_many_chunks_keeps_its_order_and_gives_them_back() {
        let mut calendar = Calendar::new(1, 500_000);
        for _ in 0..3 {
            let from = calendar.start(calendar.current + 1);
            let times: Vec<Time> = (from..from + 5 * CHUNK as u64 + 7).collect();
            times.iter().for_each(|&t| assert!(calendar.file(0, &packet(t))));
            calendar.turn();
            assert_eq!(drained(&mut calendar, 0), times);
        }
        assert_eq!(calendar.pool.before.len(), 6);
    }

    #[test]
    fn a_packet_of_this_window_is_given_back() {
        let mut calendar = Calendar::new(1, 500_000);
        assert!(!calendar.file(0, &packet(10)));
        calendar.put_back(0, &packet(10));
        assert_eq!(drained(&mut calendar, 0), [10]);
    }
}
