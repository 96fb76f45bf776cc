//! Timers of endpoints: few, far ahead and mostly lazy, so a heap per group of sites is enough.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

/// What a timer is for; at equal times of one site they go off in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Purpose {
    /// A sender's retransmission (or probe) timer; `id` is its slot.
    Retransmit,
    /// A paced sender may send again.
    Pace,
    /// A receiver's delayed ACK.
    DelayedAck,
    /// A Web user stops thinking; `id` is the user.
    Think,
    /// The next flow of an arrival process; `id` is the process.
    Arrival,
    /// The next flow of the site's list.
    Listed,
    /// A sender is long gone: its receiver may be forgotten; `id` is the sender's address.
    Release,
}

/// Ordered by time, then site, purpose and owner: the declared order of simultaneous timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Timer {
    pub time: Time,
    pub site: u32,
    pub purpose: Purpose,
    pub id: u32,
    /// Generation of the owner's slot when it was set.
    pub generation: u8,
}
