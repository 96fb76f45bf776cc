//! Packets under way, sorted into windows: the structure that stands in for an event queue.
//!
//! A row is a place where packets arrive (a router, or the hosts behind it). Time is cut into windows
//! no longer than the lookahead; a packet goes into the bucket of its row and window. Nothing is
//! compared until the window comes, and then a row is sorted as one batch.
//!
//! Buckets are chains of small chunks from one pool, the one given back last taken first: however
//! uneven the rows, the memory in use is that of the packets under way, and stays in the cache.

use crate::packet::{NOTHING, Packet};
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Windows kept as buckets; packets further ahead wait in a sorted map.
const HORIZON: u64 = 1024;

/// Packets in a chunk: two kilobytes.
const CHUNK: usize = 64;

/// Packets under way at once, in all: what the keys of the longest window can tell apart.
const MOST: usize = 1 << 25;

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
    /// The window being processed, and its first instant.
    pub current: u64,
    pub window_start: Time,
    /// Packets in the buckets of all windows.
    held: u64,
    rows: usize,
    buckets: Vec<Bucket>,
    far: BTreeMap<u64, Vec<(u32, Packet)>>,
    pool: Pool,
    /// Bits of a [`Key`] that hold the packet's place.
    place_bits: u32,
}

/// Time within the window (high bits) and the packet's place in the pool (low bits): sorting keys
/// sorts packets.
pub type Key = u64;

impl Calendar {
    /// `window` is rounded down, so that no window is longer than it: a packet that crosses to another
    /// region arrives in a later one.
    pub fn new(rows: usize, window: Span) -> Self {
        let per_ps = (1u128 << 64).div_ceil(u128::from(window));
        let per_ps = u64::try_from(per_ps).expect("window > 1 ps");
        let buckets = vec![EMPTY; rows * HORIZON as usize];
        let place_bits = window.leading_zeros();
        let (far, pool) = (BTreeMap::new(), Pool { most: MOST, ..Pool::default() });
        Self { per_ps, current: 0, window_start: 0, held: 0, rows, buckets, far, pool, place_bits }
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

    /// Files a packet that arrives at `row` at this time, unless that is within the current window.
    /// The time comes beside the packet: to change it first and copy at once would stall the processor.
    #[inline]
    #[must_use]
    pub fn file(&mut self, row: usize, time: Time, packet: &Packet) -> bool {
        let ahead = self.window(time).wrapping_sub(self.current);
        if ahead == 0 {
            return false;
        }
        if ahead < HORIZON {
            self.put(row, self.current + ahead, time, packet);
        } else {
            debug_assert!(ahead < 1 << 60, "a packet into the past");
            let packet = Packet { time, ..*packet };
            self.far.entry(self.current + ahead).or_default().push((row as u32, packet));
        }
        true
    }

    #[inline]
    fn put(&mut self, row: usize, window: u64, time: Time, packet: &Packet) {
        self.held += 1;
        let at = self.bucket(row, window);
        self.pool.push(&mut self.buckets[at], time, packet);
    }

    /// Puts a packet of the current window (back) into its bucket.
    pub fn put_back(&mut self, row: usize, packet: &Packet) {
        self.put(row, self.current, packet.time, packet);
    }

    /// Moves to the next window.
    pub fn turn(&mut self) {
        self.enter(self.current + 1);
        if let Some(entry) = self.far.first_entry()
            && *entry.key() == self.current
        {
            for (row, packet) in entry.remove() {
                self.put(row as usize, self.current, packet.time, &packet);
            }
        }
    }

    fn enter(&mut self, window: u64) {
        self.current = window;
        self.window_start = self.start(window);
    }

    /// No packet is under way.
    pub fn is_silent(&self) -> bool {
        self.held == 0 && self.far.is_empty()
    }

    /// Moves on to the window of `time`; there must be silence until then.
    pub fn skip_to(&mut self, time: Time) {
        self.enter(self.window(time).max(self.current));
    }

    #[inline]
    pub fn is_empty(&self, row: usize) -> bool {
        self.buckets[self.bucket(row, self.current)].len == 0
    }

    /// Takes the current window's packets of a row: their keys, in the order of filing, and the
    /// chunks that hold them until [`Self::give_back`].
    pub fn take(&mut self, row: usize, keys: &mut Vec<Key>, chunks: &mut Vec<u32>) {
        let at = self.bucket(row, self.current);
        let bucket = std::mem::replace(&mut self.buckets[at], EMPTY);
        self.held -= u64::from(bucket.len);
        let from = chunks.len();
        self.pool.unchain(bucket, row as u32, chunks);
        let mut left = bucket.len as usize;
        for &chunk in &chunks[from..] {
            let begin = chunk as usize * CHUNK;
            let places = begin..begin + left.min(CHUNK);
            keys.extend(places.map(|place| self.key(place)));
            left = left.saturating_sub(CHUNK);
        }
    }

    #[inline]
    fn key(&self, place: usize) -> Key {
        (self.pool.slab[place].time - self.window_start) << self.place_bits | place as u64
    }

    #[inline]
    fn place(&self, key: Key) -> usize {
        (key & ((1 << self.place_bits) - 1)) as usize
    }

    #[inline]
    pub fn time(&self, key: Key) -> Time {
        self.window_start + (key >> self.place_bits)
    }

    /// A taken packet and its row.
    #[inline]
    pub fn packet(&self, key: Key) -> (u32, &Packet) {
        let place = self.place(key);
        (self.pool.link[place / CHUNK], &self.pool.slab[place])
    }

    /// No more packets than this may be under way.
    pub fn limit(&mut self, packets: usize) {
        self.pool.most = packets.min(MOST);
    }

    /// How many packets there are room for, if there was none for some: then the run means nothing.
    pub fn full(&self) -> Option<usize> {
        self.pool.full.then_some(self.pool.slab.len())
    }

    /// Packets under way of which `is` holds. Slow: it looks at all of them.
    pub fn count(&self, is: impl Fn(&Packet) -> bool) -> usize {
        let near = self.buckets.iter().flat_map(|bucket| self.pool.packets(*bucket));
        let far = self.far.values().flatten().map(|(_, packet)| packet);
        near.chain(far).filter(|packet| is(packet)).count()
    }

    /// The packets of these chunks are used up.
    pub fn give_back(&mut self, chunks: &mut Vec<u32>) {
        self.pool.free.append(chunks);
    }

    pub fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>() + self.pool.bytes()
    }
}

/// All chunks, as one slab.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pool {
    slab: Vec<Packet>,
    /// Packets that there may be: a limit of the machine, so it is not kept with the state.
    #[serde(skip, default = "most")]
    most: usize,
    /// No more packets fit: those that came since are not there.
    full: bool,
    /// Of each chunk the one before it in its chain; once taken, its row.
    link: Vec<u32>,
    free: Vec<u32>,
}

fn most() -> usize {
    MOST
}

impl Pool {
    #[inline]
    fn push(&mut self, bucket: &mut Bucket, time: Time, packet: &Packet) {
        let offset = bucket.len as usize % CHUNK;
        if offset == 0 {
            let Some(chunk) = self.free.pop().or_else(|| self.grow()) else { return };
            self.link[chunk as usize] = bucket.last;
            bucket.last = chunk;
        }
        self.slab[bucket.last as usize * CHUNK + offset] = Packet { time, ..*packet };
        bucket.len += 1;
    }

    /// One chunk more, unless there is no room for it.
    #[cold]
    fn grow(&mut self) -> Option<u32> {
        self.full |= self.slab.len() >= self.most || self.slab.try_reserve(CHUNK).is_err();
        if self.full {
            return None;
        }
        self.slab.resize(self.slab.len() + CHUNK, NOTHING);
        self.link.push(NO_CHUNK);
        Some((self.link.len() - 1) as u32)
    }

    /// Lists the chunks of a bucket, the first one first, and writes its row on them.
    fn unchain(&mut self, bucket: Bucket, row: u32, chunks: &mut Vec<u32>) {
        let from = chunks.len();
        let mut chunk = bucket.last;
        for _ in 0..(bucket.len as usize).div_ceil(CHUNK) {
            chunks.push(chunk);
            chunk = std::mem::replace(&mut self.link[chunk as usize], row);
        }
        chunks[from..].reverse();
    }

    /// The packets of a bucket, the last chunk first.
    fn packets(&self, bucket: Bucket) -> impl Iterator<Item = &Packet> {
        let (mut chunk, mut left) = (bucket.last as usize, bucket.len as usize);
        let chunks = (0..left.div_ceil(CHUNK)).map(move |_| {
            let (begin, len) = (chunk * CHUNK, (left - 1) % CHUNK + 1);
            (chunk, left) = (self.link[chunk] as usize, left - len);
            &self.slab[begin..begin + len]
        });
        chunks.flatten()
    }

    fn bytes(&self) -> usize {
        self.slab.capacity() * size_of::<Packet>() + (self.link.capacity() + self.free.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(time: Time) -> Packet {
        Packet { time, ..NOTHING }
    }

    fn drained(calendar: &mut Calendar, row: u32) -> Vec<Time> {
        let (mut keys, mut chunks) = (Vec::new(), Vec::new());
        calendar.take(row as usize, &mut keys, &mut chunks);
        assert!(keys.iter().all(|&k| calendar.packet(k).0 == row));
        assert!(keys.iter().all(|&k| calendar.packet(k).1.time == calendar.time(k)));
        calendar.give_back(&mut chunks);
        keys.iter().map(|&k| calendar.time(k)).collect()
    }

    #[test]
    fn every_packet_comes_out_in_its_own_window() {
        let mut calendar = Calendar::new(2, 500_000);
        let times: Vec<Time> = (0..3000).map(|i| 500_000 + i * 777_777).collect();
        for &t in &times {
            assert!(calendar.file(1, t, &packet(t)));
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
    fn no_window_is_longer_than_was_asked_for() {
        for window in [2, 3, 7, 20_000_000, 200_000_000_000, 333_333_333_333, 500_000_000_000] {
            let calendar = Calendar::new(1, window);
            for n in [0, 1, 2, 1000, 1_000_003, (1 << 40) / window] {
                let (from, to) = (calendar.start(n), calendar.start(n + 1));
                assert!(from < to && to - from <= window, "{window} {n}: {from} to {to}");
                assert_eq!([from, to - 1, to].map(|at| calendar.window(at)), [n, n, n + 1]);
            }
        }
    }

    #[test]
    fn a_bucket_of_many_chunks_keeps_its_order_and_gives_them_back() {
        let mut calendar = Calendar::new(1, 500_000);
        for _ in 0..3 {
            let from = calendar.start(calendar.current + 1);
            let times: Vec<Time> = (from..from + 5 * CHUNK as u64 + 7).collect();
            times.iter().for_each(|&t| assert!(calendar.file(0, t, &packet(t))));
            let odd = times.iter().filter(|&t| t % 2 == 1).count();
            assert_eq!(calendar.count(|packet| packet.time % 2 == 1), odd);
            calendar.turn();
            assert_eq!(drained(&mut calendar, 0), times);
        }
        assert_eq!((calendar.pool.link.len(), calendar.count(|_| true)), (6, 0));
    }

    #[test]
    fn packets_without_room_make_it_full() {
        let mut calendar = Calendar::new(1, 500_000);
        calendar.limit(CHUNK);
        for time in 500_000..500_000 + CHUNK as u64 {
            assert!(calendar.full().is_none() && calendar.file(0, time, &packet(time)));
        }
        assert!(calendar.file(0, 600_000, &packet(600_000)));
        assert_eq!(calendar.full(), Some(CHUNK));
        calendar.turn();
        assert_eq!(drained(&mut calendar, 0).len(), CHUNK);
    }

    #[test]
    fn a_packet_of_this_window_is_given_back() {
        let mut calendar = Calendar::new(1, 500_000);
        assert!(!calendar.file(0, 10, &packet(10)));
        calendar.put_back(0, &packet(10));
        assert_eq!(drained(&mut calendar, 0), [10]);
    }
}
