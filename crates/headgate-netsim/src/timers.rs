//! Timers of endpoints: what goes off when, for whom, and in which order at the same time.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What a timer is for; at equal times of one host group they go off in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Purpose {
    /// The next departure at a port that acts then; `id` is the link, `group` its router. Only for links
    /// shorter than a window: at others it may happen late.
    Depart,
    /// A sender's retransmission (or probe) timer; `id` is its slot.
    Retransmit,
    /// A paced sender may send again.
    Pace,
    /// A receiver's delayed ACK.
    DelayedAck,
    /// It is a source's turn; `id` is its number.
    Source,
    /// A flow has nothing more to send; `id` is its slot.
    Stop,
    /// A sender is long gone: its receiver may be forgotten; `id` is the sender's address.
    Release,
    /// An impatient user looks how far the file is; `id` is the sender's slot.
    Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    pub time: Time,
    pub group: u32,
    pub purpose: Purpose,
    pub id: u32,
    /// Generation of the owner's slot when it was set.
    pub generation: u8,
}

impl Timer {
    /// The declared order of simultaneous timers: by host group, purpose and owner.
    #[inline]
    fn rank(&self) -> (u32, Purpose, u32, u8) {
        (self.group, self.purpose, self.id, self.generation)
    }
}

impl PartialOrd for Timer {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // Written out, as heaps ask only this: one comparison, nearly always.
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
