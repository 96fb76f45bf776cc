//! The packets of a region and window, in the declared order.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Key};
use crate::key_sort::KeySort;
use crate::packet::{Kind, Packet};

/// Events between asking the cache for something and using it.
const AHEAD: usize = 8;

/// Closed between two windows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    open: bool,
    keys: Vec<Key>,
    /// Where the packets are.
    chunks: Vec<u32>,
    /// Keys that were used up.
    at: usize,
    #[serde(skip)]
    sort: KeySort,
}

impl Batch {
    /// Takes the packets of `nodes` out of the calendar and sorts them.
    pub fn load(&mut self, nodes: &[u32], calendar: &mut Calendar) {
        self.open = true;
        for &node in nodes {
            if !calendar.is_empty(node as usize) {
                calendar.take(node as usize, &mut self.keys, &mut self.chunks);
            }
        }
        self.sort.sort(&mut self.keys);
        if self.has_ties(calendar) {
            self.settle_ties(calendar);
        }
    }

    /// It was loaded, and is not used up.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Gives back what was not used up.
    pub fn close(&mut self, calendar: &mut Calendar) {
        for &key in &self.keys[self.at..] {
            let (node, packet) = calendar.packet(key);
            let packet = *packet;
            calendar.put_back(node as usize, &packet);
        }
        calendar.give_back(&mut self.chunks);
        self.open = false;
        self.at = 0;
        self.keys.clear();
    }

    /// Whether any two packets arrive at the same picosecond; without a branch for each.
    fn has_ties(&self, calendar: &Calendar) -> bool {
        let next = self.keys.iter().skip(1);
        self.keys.iter().zip(next).fold(false, |found, (&one, &next)| found | calendar.are_tied(one, next))
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

    /// The next packet and its node.
    #[inline]
    pub fn next<'a>(&self, calendar: &'a Calendar) -> Option<(u32, &'a Packet)> {
        Some(calendar.packet(*self.keys.get(self.at)?))
    }

    #[inline]
    pub fn next_time(&self, calendar: &Calendar) -> Time {
        self.keys.get(self.at).map_or(NEVER, |&key| calendar.time(key))
    }

    /// The next packet is used up.
    #[inline]
    pub fn pass(&mut self) {
        self.at += 1;
    }
}

/// The declared order of packets that arrive at the same instant.
pub fn rank((node, packet): (u32, &Packet)) -> ((u32, Kind, u32), u32) {
    (packet.rank(), node)
}
