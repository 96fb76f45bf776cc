//! The packets of a region and window, in the declared order.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};

use crate::packets::index::{Address, NodeIndex};
use crate::packets::packet::{Packet, PacketKind};
use crate::time::calendar::{Calendar, Key};
use crate::time::key_sort::KeySort;

/// Events between loading memory into the cache and using it.
const AHEAD: usize = 8;

/// The packets of the current region and window. It is closed between two windows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    open: bool,
    /// Keys of the packets, in order.
    keys: Vec<Key>,
    /// Chunks that store the packets.
    chunks: Vec<u32>,
    /// Number of keys that were used.
    at: usize,
    #[serde(skip)]
    sort: KeySort,
}

impl Batch {
    /// Takes the packets of `nodes` out of the calendar and sorts them.
    pub fn load(&mut self, nodes: &[NodeIndex], calendar: &mut Calendar) {
        self.open = true;
        for &node in nodes {
            if !calendar.is_empty(node) {
                calendar.take(node, &mut self.keys, &mut self.chunks);
            }
        }
        self.sort.sort(&mut self.keys);
        if self.has_ties(calendar) {
            self.order_ties(calendar);
        }
    }

    /// Returns whether the batch was loaded and not yet closed.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns unused packets to the calendar.
    pub fn close(&mut self, calendar: &mut Calendar) {
        for &key in &self.keys[self.at..] {
            let (node, packet) = calendar.packet(key);
            let packet = *packet;
            calendar.put_back(node, &packet);
        }
        calendar.release_chunks(&mut self.chunks);
        self.open = false;
        self.at = 0;
        self.keys.clear();
    }

    /// Returns whether any two packets arrive at the same picosecond, without a branch for each packet.
    fn has_ties(&self, calendar: &Calendar) -> bool {
        let next = self.keys.iter().skip(1);
        self.keys.iter().zip(next).fold(false, |found, (&one, &next)| found | calendar.are_tied(one, next))
    }

    /// Orders packets of the same picosecond by rank.
    fn order_ties(&mut self, calendar: &Calendar) {
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

    /// Returns the packet some events ahead, to load memory for it into the cache.
    #[inline]
    pub fn peek_ahead<'a>(&self, calendar: &'a Calendar) -> Option<(NodeIndex, &'a Packet)> {
        Some(calendar.packet(*self.keys.get(self.at + AHEAD)?))
    }

    /// Returns the next packet and its node.
    #[inline]
    pub fn peek<'a>(&self, calendar: &'a Calendar) -> Option<(NodeIndex, &'a Packet)> {
        Some(calendar.packet(*self.keys.get(self.at)?))
    }

    /// Returns the time of the next packet, or `NEVER`.
    #[inline]
    pub fn next_time(&self, calendar: &Calendar) -> Time {
        self.keys.get(self.at).map_or(NEVER, |&key| calendar.time(key))
    }

    /// Skips the packet that was used.
    #[inline]
    pub fn advance(&mut self) {
        self.at += 1;
    }
}

/// The order of packets that arrive at the same instant.
pub type Rank = ((Address, PacketKind, u32), NodeIndex);

/// Returns the declared order of a packet among those that arrive at the same instant.
pub fn rank((node, packet): (NodeIndex, &Packet)) -> Rank {
    (packet.rank(), node)
}
