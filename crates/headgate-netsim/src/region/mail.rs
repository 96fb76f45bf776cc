//! Messages from the regions of a shard to those of the same or another shard. All of them concern later
//! windows.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use crate::packets::address::ConnectionId;
use crate::packets::index::{NodeIndex, RegionIndex, ShardIndex};
use crate::packets::packet::Packet;
use crate::packets::side_table::{PacketMeta, SideTable};
use crate::time::timers::Timer;

/// A notice that a receiver got all segments below `below`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CompletionNotice {
    /// The connection.
    pub connection: ConnectionId,
    /// The next segment that the receiver expects.
    pub below: u32,
    /// When the receiver got the last of them, picoseconds.
    pub at: Time,
}

/// Messages to one shard.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Inbound {
    /// Packets without headers or SACK blocks, and the nodes at which they arrive.
    pub packets: Vec<(NodeIndex, Packet)>,
    /// Packets with headers or SACK blocks.
    pub with_meta: Vec<(NodeIndex, Packet, PacketMeta)>,
    /// Timers.
    pub timers: Vec<Timer>,
    /// Notices of completion.
    pub completed: Vec<CompletionNotice>,
}

impl Inbound {
    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
            && self.with_meta.is_empty()
            && self.timers.is_empty()
            && self.completed.is_empty()
    }
}

/// Messages from one shard.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outbound {
    /// For each region its shard.
    shards: Vec<ShardIndex>,
    /// Messages to each shard, with this one: its regions do not see each other within a window.
    pub out: Vec<Inbound>,
}

impl Outbound {
    /// No messages, in a network whose regions are in these shards.
    pub fn new(shards: &[ShardIndex]) -> Self {
        let count = shards.iter().max().map_or(1, |most| most.0 + 1);
        let out = (0..count).map(|_| Inbound::default()).collect();
        Self { shards: shards.to_vec(), out }
    }

    fn to(&mut self, region: RegionIndex) -> &mut Inbound {
        &mut self.out[self.shards[region.index()].index()]
    }

    /// Sends a packet, with what it carries, to a node in another region.
    pub fn send(
        &mut self,
        (node, region): (NodeIndex, RegionIndex),
        time: Time,
        packet: &Packet,
        side_table: &mut SideTable,
    ) {
        let mut packet = packet.arriving(time);
        let inbound = self.to(region);
        if packet.has_meta() {
            let load = side_table.take_meta(&mut packet);
            inbound.with_meta.push((node, packet, load));
        } else {
            inbound.packets.push((node, packet));
        }
    }

    /// Sets a timer in another region.
    pub fn set_timer(&mut self, region: RegionIndex, timer: Timer) {
        self.to(region).timers.push(timer);
    }

    /// Sends a notice of completion to another region.
    pub fn report_completed(&mut self, region: RegionIndex, note: CompletionNotice) {
        self.to(region).completed.push(note);
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.out.iter().all(Inbound::is_empty)
    }
}
