//! Packets that arrive in the window in which they were sent, over links within a region.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::batch::rank;
use crate::packet::{Kind, Packet};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrival {
    pub node: u32,
    pub packet: Packet,
}

/// They go by time and rank.
pub type Key = (Time, ((u32, Kind, u32), u32));

impl Arrival {
    pub fn key(&self) -> Key {
        (self.packet.time, rank((self.node, &self.packet)))
    }
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Arrival {}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Empty in a region of one node: nothing reaches it within a window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IntraWindow(BinaryHeap<Reverse<Arrival>>);

impl IntraWindow {
    pub fn push(&mut self, node: u32, packet: Packet) {
        self.0.push(Reverse(Arrival { node, packet }));
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn next_time(&self) -> Time {
        self.0.peek().map_or(NEVER, |first| first.0.packet.time)
    }

    /// The first one, if it comes before what has that key.
    #[inline]
    pub fn pop_before(&mut self, other: Option<Key>) -> Option<Arrival> {
        let first = self.0.peek()?;
        if other.is_some_and(|key| first.0.key() >= key) {
            return None;
        }
        self.0.pop().map(|first| first.0)
    }

    pub fn drain(&mut self) -> impl Iterator<Item = Arrival> {
        self.0.drain().map(|first| first.0)
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Arrival>()
    }
}
