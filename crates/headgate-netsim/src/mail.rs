//! What the regions of one shard send to those of another, or of their own: all of it for later windows.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use crate::packet::Packet;
use crate::side_table::PacketMeta;
use crate::timers::Timer;

/// A sender's receiver has everything below a segment, since then.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Completed {
    pub address: u32,
    pub generation: u8,
    pub below: u32,
    pub at: Time,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Mail {
    /// Packets and the nodes where they arrive.
    pub packets: Vec<(u32, Packet)>,
    pub with_meta: Vec<(u32, Packet, PacketMeta)>,
    pub timers: Vec<Timer>,
    pub completed: Vec<Completed>,
}

impl Mail {
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
            && self.with_meta.is_empty()
            && self.timers.is_empty()
            && self.completed.is_empty()
    }
}
