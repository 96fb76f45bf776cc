//! Packets that arrive in the window in which they were sent, over links within a region.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::packets::index::NodeIndex;
use crate::packets::packet::Packet;
use crate::time::batch::{Rank, rank};

/// A packet and the node at which it arrives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrival {
    /// The node.
    pub node: NodeIndex,
    /// The packet; its time is that of its arrival.
    pub packet: Packet,
}

/// Arrivals are ordered by time and rank.
pub type Key = (Time, Rank);

impl Arrival {
    /// Returns the order of the arrival.
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

/// Arrivals within the current window, earliest first. A region of one node has none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IntraWindow(BinaryHeap<Reverse<Arrival>>);

impl IntraWindow {
    /// Adds an arrival.
    pub fn push(&mut self, node: NodeIndex, packet: Packet) {
        self.0.push(Reverse(Arrival { node, packet }));
    }

    /// Returns whether there are no arrivals.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the time of the next arrival, or `NEVER`.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.0.peek().map_or(NEVER, |first| first.0.packet.time)
    }

    /// Removes the first arrival if it comes before `other`.
    #[inline]
    pub fn pop_before(&mut self, other: Option<Key>) -> Option<Arrival> {
        let first = self.0.peek()?;
        if other.is_some_and(|key| first.0.key() >= key) {
            return None;
        }
        self.0.pop().map(|first| first.0)
    }

    /// Removes all arrivals, in no order.
    pub fn drain(&mut self) -> impl Iterator<Item = Arrival> {
        self.0.drain().map(|first| first.0)
    }

    /// Returns the memory of the arrivals, bytes.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Arrival>()
    }
}
