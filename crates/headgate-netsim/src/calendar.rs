//! Packets under way, sorted into windows: the structure that stands in for an event queue.
//!
//! A node is a place where packets arrive (a router, or the hosts behind it); a calendar keeps some of them. Time is cut into windows
//! no longer than the lookahead; a packet goes into the bucket of its node and window. Nothing is
//! compared until the window comes, and then a node is sorted as one batch.
//!
//! Buckets are chains of small chunks from one pool, the one given back last taken first: however
//! uneven the nodes, the memory in use is that of the packets under way, and stays in the cache.

use crate::packet::{NOTHING, Packet};
use crate::prefetch::prefetch_all;
use crate::windows::Windows;
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Windows kept as buckets; packets further ahead wait in a sorted map.
const HORIZON: u64 = 1024;

/// Packets in a chunk: half a kilobyte. Most nodes have few packets in a window, and the unused rest of larger chunks
/// would take room in the second-level cache.
const CHUNK: usize = 16;

/// Packets under way at once, in all: what the keys of the longest window can tell apart.
const MOST: usize = 1 << 25;

const NO_CHUNK: u32 = u32::MAX;

/// What became of a packet that was to be filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    Done,
    /// It is not here: it arrives within the window in hand.
    ThisWindow,
    /// It is not here: another calendar has its node.
    Elsewhere,
}

/// A node whose packets another calendar keeps.
const ELSEWHERE: u32 = u32::MAX;

/// A chain of chunks, the last one first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bucket {
    last: u32,
    len: u32,
}

const EMPTY: Bucket = Bucket { last: NO_CHUNK, len: 0 };

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calendar {
    windows: Windows,
    /// The window being processed, and its first instant.
    pub current: u64,
    pub window_start: Time,
    /// Packets in the buckets of all windows.
    held: u64,
    /// Of each node of the network its number here, or `ELSEWHERE`.
    places: Vec<u32>,
    nodes: usize,
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
    /// For these nodes of a network of so many. No window is longer than `window`.
    pub fn new(nodes: &[u32], of: usize, window: Span) -> Self {
        let mut places = vec![ELSEWHERE; of];
        (0..).zip(nodes).for_each(|(place, &node)| places[node as usize] = place);
        Self {
            windows: Windows::new(window),
            current: 0,
            window_start: 0,
            held: 0,
            places,
            nodes: nodes.len(),
            buckets: vec![EMPTY; nodes.len() * HORIZON as usize],
            far: BTreeMap::new(),
            pool: Pool { most: MOST, ..Pool::default() },
            place_bits: window.leading_zeros(),
        }
    }

    /// The buckets of one window are neighbours.
    #[inline]
    fn bucket(&self, place: u32, window: u64) -> usize {
        (window % HORIZON) as usize * self.nodes + place as usize
    }

    /// Files a packet that arrives at `node` at this time, unless that is within the current window or the node
    /// is not here. The time comes beside the packet: to change it first and copy at once would stall the
    /// processor.
    #[inline]
    #[must_use]
    pub fn file(&mut self, node: usize, time: Time, packet: &Packet) -> Filed {
        let place = self.places[node];
        let ahead = self.windows.of(time).wrapping_sub(self.current);
        if place == ELSEWHERE {
            return Filed::Elsewhere;
        }
        if ahead == 0 {
            return Filed::ThisWindow;
        }
        if ahead < HORIZON {
            self.put(place, self.current + ahead, time, packet);
        } else {
            debug_assert!(ahead < 1 << 60, "a packet into the past");
            let packet = packet.arriving(time);
            self.far.entry(self.current + ahead).or_default().push((node as u32, packet));
        }
        Filed::Done
    }

    #[inline]
    fn put(&mut self, place: u32, window: u64, time: Time, packet: &Packet) {
        self.held += 1;
        let at = self.bucket(place, window);
        self.pool.push(&mut self.buckets[at], time, packet);
    }

    /// Puts a packet of the current window (back) into its bucket.
    pub fn put_back(&mut self, node: usize, packet: &Packet) {
        self.put(self.places[node], self.current, packet.time, packet);
    }

    /// Files a packet of this window or a later one.
    pub fn admit(&mut self, node: usize, packet: &Packet) {
        if self.file(node, packet.time, packet) == Filed::ThisWindow {
            self.put_back(node, packet);
        }
    }

    /// Takes out all packets, with their nodes, in no order. Slow.
    pub fn drain(&mut self) -> Vec<(u32, Packet)> {
        let mut nodes = vec![0; self.nodes];
        let here = (0..).zip(&self.places).filter(|(_, place)| **place != ELSEWHERE);
        here.for_each(|(node, &place): (u32, _)| nodes[place as usize] = node);
        let mut all: Vec<_> = std::mem::take(&mut self.far).into_values().flatten().collect();
        for (at, bucket) in self.buckets.iter().enumerate().filter(|(_, bucket)| bucket.len > 0) {
            all.extend(self.pool.packets(*bucket).map(|packet| (nodes[at % self.nodes], *packet)));
        }
        self.buckets.fill(EMPTY);
        self.pool = Pool { most: self.pool.most, full: self.pool.full, ..Pool::default() };
        self.held = 0;
        all
    }

    /// Moves on to a window; until then there must be silence, unless it is the next one.
    pub fn turn_to(&mut self, window: u64) {
        if window == self.current {
            return;
        }
        self.enter(window);
        if let Some(entry) = self.far.first_entry()
            && *entry.key() == self.current
        {
            for (node, packet) in entry.remove() {
                self.put(self.places[node as usize], self.current, packet.time, &packet);
            }
        }
    }

    fn enter(&mut self, window: u64) {
        self.current = window;
        self.window_start = self.windows.start(window);
    }

    /// No packet is under way.
    pub fn is_silent(&self) -> bool {
        self.held == 0 && self.far.is_empty()
    }

    #[inline]
    pub fn is_empty(&self, node: usize) -> bool {
        self.buckets[self.bucket(self.places[node], self.current)].len == 0
    }

    /// The current window's packets of a node will soon be taken: warms the cache for those filed last.
    #[inline]
    pub fn expect(&self, node: usize) {
        let bucket = self.buckets[self.bucket(self.places[node], self.current)];
        if bucket.len > 0 {
            let (begin, len) = (bucket.last as usize * CHUNK, (bucket.len as usize - 1) % CHUNK + 1);
            prefetch_all(&self.pool.slab[begin..begin + len]);
        }
    }

    /// Takes the current window's packets of a node: their keys, in the order of filing, and the
    /// chunks that hold them until [`Self::give_back`].
    pub fn take(&mut self, node: usize, keys: &mut Vec<Key>, chunks: &mut Vec<u32>) {
        let at = self.bucket(self.places[node], self.current);
        let bucket = std::mem::replace(&mut self.buckets[at], EMPTY);
        self.held -= u64::from(bucket.len);
        let from = chunks.len();
        self.pool.unchain(bucket, node as u32, chunks);
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

    /// Whether two packets arrive at the same picosecond.
    #[inline]
    pub fn are_tied(&self, one: Key, other: Key) -> bool {
        (one ^ other) >> self.place_bits == 0
    }

    /// A taken packet and its node.
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
    /// Of each chunk the one before it in its chain; once taken, its node.
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
        self.slab[bucket.last as usize * CHUNK + offset] = packet.arriving(time);
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

    /// Lists the chunks of a bucket, the first one first, and writes its node on them.
    fn unchain(&mut self, bucket: Bucket, node: u32, chunks: &mut Vec<u32>) {
        let from = chunks.len();
        let mut chunk = bucket.last;
        for _ in 0..(bucket.len as usize).div_ceil(CHUNK) {
            chunks.push(chunk);
            chunk = std::mem::replace(&mut self.link[chunk as usize], node);
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
mod tests;
