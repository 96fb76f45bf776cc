//! Timers of endpoints, sources and ports, and their order at equal times.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

use crate::packets::index::RouterIndex;

/// The purpose of a timer. Timers of one host group that expire together are handled in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Purpose {
    /// The next departure at a port of a link shorter than a window; `id` is the port. Ports of longer
    /// links need no timer.
    Depart,
    /// A sender's retransmission or probe timer; `id` is its slot.
    Retransmit,
    /// A paced sender may send again; `id` is its slot.
    Pace,
    /// A receiver's delayed ACK; `id` is its slot.
    DelayedAck,
    /// A source begins a flow; `id` is its index.
    Source,
    /// A flow sends nothing new from now on; `id` is the sender's slot.
    Stop,
    /// The application of a flow pauses or continues; `id` is the sender's slot.
    Pause,
    /// A connection closed some time ago, so its receiver can be released; `id` is the sender's address.
    Release,
    /// An impatient user checks the progress of a file; `id` is the sender's slot.
    CheckPatience,
    /// A source of media captures a frame; `id` is its index among those of its router.
    Capture,
    /// A paced sender of media may send again; `id` is its index among those of its router.
    SendMedia,
    /// A receiver of media reports; `id` is its index among those of its router.
    Report,
}

/// A timer that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// When it expires, picoseconds.
    pub time: Time,
    /// The router whose hosts own it.
    pub group: RouterIndex,
    /// Its purpose.
    pub purpose: Purpose,
    /// The owner, as [`Purpose`] defines.
    pub id: u32,
    /// Generation of the owner's slot when the timer was set.
    pub generation: u8,
}

impl Timer {
    /// The declared order of simultaneous timers: by host group, purpose and owner.
    #[inline]
    fn rank(&self) -> (RouterIndex, Purpose, u32, u8) {
        (self.group, self.purpose, self.id, self.generation)
    }
}

impl PartialOrd for Timer {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // Heaps call only this function, and nearly always need only one comparison.
    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.rank() < other.rank())
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.rank() <= other.rank())
    }
}

impl Ord for Timer {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.cmp(&other.time).then_with(|| self.rank().cmp(&other.rank()))
    }
}
