//! The calendar: packets in flight, sorted into windows. It takes the place of an event queue.
//!
//! A node is a place at which packets arrive: a router, or the hosts behind one. Each shard keeps a calendar
//! for its nodes. A packet goes into the bucket of its node and window. Nothing is compared until the window
//! begins; then the packets of a region are sorted as one batch.
//!
//! Buckets are chains of small chunks from one pool that reuses the chunk freed last. The memory in use is
//! therefore that of the packets in flight, however uneven the nodes, and it stays in the cache.

use crate::packets::index::NodeIndex;
use crate::packets::packet::{EMPTY_PACKET, Packet};
use crate::packets::prefetch::prefetch_all;
use crate::time::windows::Windows;
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Windows kept as buckets. Packets further ahead wait in a sorted map.
const HORIZON: u64 = 1024;

/// Packets in a chunk (512 bytes). Most nodes receive few packets in a window, and the unused rest of
/// larger chunks would fill the second-level cache.
const CHUNK: usize = 16;

/// Most packets in flight that the keys of the longest window can distinguish.
const MOST: usize = 1 << 25;

/// End of a chain.
const NO_CHUNK: u32 = u32::MAX;

/// The result of filing a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilingResult {
    /// The packet is in the calendar.
    Filed,
    /// Not filed: the packet arrives within the current window.
    ThisWindow,
    /// Not filed: the node belongs to another calendar.
    Elsewhere,
}

/// Marks a node of another calendar.
const ELSEWHERE: u32 = u32::MAX;

/// A chain of chunks, the last one first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bucket {
    last: u32,
    len: u32,
}

const EMPTY: Bucket = Bucket { last: NO_CHUNK, len: 0 };

/// The packets in flight to the nodes of a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calendar {
    windows: Windows,
    /// The window being processed.
    pub current: u64,
    /// First instant of that window, picoseconds.
    pub window_start: Time,
    /// Packets in the buckets of all windows.
    held: u64,
    /// For each node of the network its position among the nodes here, or `ELSEWHERE`.
    places: Vec<u32>,
    nodes: usize,
    buckets: Vec<Bucket>,
    far: BTreeMap<u64, Vec<(NodeIndex, Packet)>>,
    pool: ChunkPool,
    /// Number of bits of a [`Key`] for the packet's place.
    place_bits: u32,
}

/// Time within the window (high bits) and the packet's place in the pool (low bits). Sorting keys sorts
/// packets.
pub type Key = u64;

impl Calendar {
    /// A calendar for these nodes of a network of `of` nodes. No window is longer than `window`,
    /// picoseconds.
    pub fn new(nodes: &[NodeIndex], of: usize, window: Span) -> Self {
        let mut places = vec![ELSEWHERE; of];
        (0..).zip(nodes).for_each(|(place, &node)| places[node.index()] = place);
        Self {
            windows: Windows::new(window),
            current: 0,
            window_start: 0,
            held: 0,
            places,
            nodes: nodes.len(),
            buckets: vec![EMPTY; nodes.len() * HORIZON as usize],
            far: BTreeMap::new(),
            pool: ChunkPool { limit: MOST, ..ChunkPool::default() },
            place_bits: window.leading_zeros(),
        }
    }

    /// Returns the bucket of a node and window. The buckets of one window are adjacent.
    #[inline]
    fn bucket(&self, place: u32, window: u64) -> usize {
        (window % HORIZON) as usize * self.nodes + place as usize
    }

    /// Files a packet that arrives at `node` at `time`, unless that is within the current window or the
    /// node is not here. The time is a separate argument because changing the packet and copying it at once
    /// would stall the processor.
    #[inline]
    #[must_use]
    pub fn file(&mut self, node: NodeIndex, time: Time, packet: &Packet) -> FilingResult {
        let place = self.places[node.index()];
        let ahead = self.windows.of(time).wrapping_sub(self.current);
        if place == ELSEWHERE {
            return FilingResult::Elsewhere;
        }
        if ahead == 0 {
            return FilingResult::ThisWindow;
        }
        if ahead < HORIZON {
            self.put(place, self.current + ahead, time, packet);
        } else {
            debug_assert!(ahead < 1 << 60, "a packet into the past");
            let packet = packet.arriving(time);
            self.far.entry(self.current + ahead).or_default().push((node, packet));
        }
        FilingResult::Filed
    }

    #[inline]
    fn put(&mut self, place: u32, window: u64, time: Time, packet: &Packet) {
        self.held += 1;
        let at = self.bucket(place, window);
        self.pool.push(&mut self.buckets[at], time, packet);
    }

    /// Returns a packet of the current window to its bucket.
    pub fn put_back(&mut self, node: NodeIndex, packet: &Packet) {
        self.put(self.places[node.index()], self.current, packet.time, packet);
    }

    /// Files a packet of this window or a later one.
    pub fn insert(&mut self, node: NodeIndex, packet: &Packet) {
        if self.file(node, packet.time, packet) == FilingResult::ThisWindow {
            self.put_back(node, packet);
        }
    }

    /// Removes all packets, in no order, with their nodes. Slow.
    pub fn drain(&mut self) -> Vec<(NodeIndex, Packet)> {
        let mut nodes = vec![NodeIndex(0); self.nodes];
        let here = (0..).zip(&self.places).filter(|(_, place)| **place != ELSEWHERE);
        here.for_each(|(node, &place): (u32, _)| nodes[place as usize] = NodeIndex(node));
        let mut all: Vec<_> = std::mem::take(&mut self.far).into_values().flatten().collect();
        for (at, bucket) in self.buckets.iter().enumerate().filter(|(_, bucket)| bucket.len > 0) {
            all.extend(self.pool.packets(*bucket).map(|packet| (nodes[at % self.nodes], *packet)));
        }
        self.buckets.fill(EMPTY);
        self.pool = ChunkPool { limit: self.pool.limit, is_full: self.pool.is_full, ..ChunkPool::default() };
        self.held = 0;
        all
    }

    /// Moves to a window. All windows in between must be empty.
    pub fn advance_to(&mut self, window: u64) {
        if window == self.current {
            return;
        }
        self.set_window(window);
        if let Some(entry) = self.far.first_entry()
            && *entry.key() == self.current
        {
            for (node, packet) in entry.remove() {
                self.put(self.places[node.index()], self.current, packet.time, &packet);
            }
        }
    }

    fn set_window(&mut self, window: u64) {
        self.current = window;
        self.window_start = self.windows.start(window);
    }

    /// Returns whether no packet is in flight.
    pub fn is_silent(&self) -> bool {
        self.held == 0 && self.far.is_empty()
    }

    /// Returns whether no packet arrives at a node in the current window.
    #[inline]
    pub fn is_empty(&self, node: NodeIndex) -> bool {
        self.buckets[self.bucket(self.places[node.index()], self.current)].len == 0
    }

    /// Loads the last chunk of a node's current bucket into the cache.
    #[inline]
    pub fn prefetch(&self, node: NodeIndex) {
        let bucket = self.buckets[self.bucket(self.places[node.index()], self.current)];
        if bucket.len > 0 {
            let (begin, len) = (bucket.last as usize * CHUNK, (bucket.len as usize - 1) % CHUNK + 1);
            prefetch_all(&self.pool.slab[begin..begin + len]);
        }
    }

    /// Removes the current window's packets of a node. Appends their keys, in filing order, and the chunks
    /// that store them until [`Self::release_chunks`].
    pub fn take(&mut self, node: NodeIndex, keys: &mut Vec<Key>, chunks: &mut Vec<u32>) {
        let at = self.bucket(self.places[node.index()], self.current);
        let bucket = std::mem::replace(&mut self.buckets[at], EMPTY);
        self.held -= u64::from(bucket.len);
        let from = chunks.len();
        self.pool.unchain(bucket, node, chunks);
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

    /// Returns the arrival time of a taken packet, picoseconds.
    #[inline]
    pub fn time(&self, key: Key) -> Time {
        self.window_start + (key >> self.place_bits)
    }

    /// Returns whether two packets arrive at the same picosecond.
    #[inline]
    pub fn are_tied(&self, one: Key, other: Key) -> bool {
        (one ^ other) >> self.place_bits == 0
    }

    /// Returns a taken packet and its node.
    #[inline]
    pub fn packet(&self, key: Key) -> (NodeIndex, &Packet) {
        let place = self.place(key);
        (NodeIndex(self.pool.link[place / CHUNK]), &self.pool.slab[place])
    }

    /// Sets the most packets that may be in flight.
    pub fn set_limit(&mut self, packets: usize) {
        self.pool.limit = packets.min(MOST);
    }

    /// Returns the number of packets that there is room for, if some found none. The results are then
    /// invalid.
    pub fn overflow(&self) -> Option<usize> {
        self.pool.is_full.then_some(self.pool.slab.len())
    }

    /// Counts the packets in flight for which `is` holds. Slow, because it reads all of them.
    pub fn count(&self, is: impl Fn(&Packet) -> bool) -> usize {
        let near = self.buckets.iter().flat_map(|bucket| self.pool.packets(*bucket));
        let far = self.far.values().flatten().map(|(_, packet)| packet);
        near.chain(far).filter(|packet| is(packet)).count()
    }

    /// Releases the chunks of packets that were used.
    pub fn release_chunks(&mut self, chunks: &mut Vec<u32>) {
        self.pool.free.append(chunks);
    }

    /// Returns the memory of the calendar, bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>() + self.pool.bytes()
    }
}

/// All chunks, in one slab.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ChunkPool {
    slab: Vec<Packet>,
    /// Most packets. The limit belongs to the machine, so snapshots omit it.
    #[serde(skip, default = "no_limit")]
    limit: usize,
    /// A packet found no room and was not stored.
    is_full: bool,
    /// For each chunk the previous one in its chain; once taken, its node.
    link: Vec<u32>,
    free: Vec<u32>,
}

fn no_limit() -> usize {
    MOST
}

impl ChunkPool {
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

    /// Adds a chunk, unless there is no room for it.
    #[cold]
    fn grow(&mut self) -> Option<u32> {
        self.is_full |= self.slab.len() >= self.limit || self.slab.try_reserve(CHUNK).is_err();
        if self.is_full {
            return None;
        }
        self.slab.resize(self.slab.len() + CHUNK, EMPTY_PACKET);
        self.link.push(NO_CHUNK);
        Some((self.link.len() - 1) as u32)
    }

    /// Lists the chunks of a bucket, the first one first, and writes the node into them.
    fn unchain(&mut self, bucket: Bucket, node: NodeIndex, chunks: &mut Vec<u32>) {
        let from = chunks.len();
        let mut chunk = bucket.last;
        for _ in 0..(bucket.len as usize).div_ceil(CHUNK) {
            chunks.push(chunk);
            chunk = std::mem::replace(&mut self.link[chunk as usize], node.0);
        }
        chunks[from..].reverse();
    }

    /// Returns the packets of a bucket, the last chunk first.
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
