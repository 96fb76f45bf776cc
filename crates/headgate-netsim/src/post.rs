//! What a shard has for others.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use crate::mail::{Completed, Mail};
use crate::packet::Packet;
use crate::side_table::SideTable;
use crate::timers::Timer;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Post {
    /// The shard of each region.
    shards: Vec<u32>,
    /// To each shard: to this one too, since its regions do not see each other within a window.
    pub out: Vec<Mail>,
}

impl Post {
    /// For a network whose regions are in these shards.
    pub fn new(shards: &[u32]) -> Self {
        let count = shards.iter().max().map_or(1, |most| most + 1);
        let out = (0..count).map(|_| Mail::default()).collect();
        Self { shards: shards.to_vec(), out }
    }

    fn to(&mut self, region: u32) -> &mut Mail {
        &mut self.out[self.shards[region as usize] as usize]
    }

    /// A packet arrives at a node in another shard, with what it carries.
    pub fn send(
        &mut self,
        (node, region): (usize, u32),
        time: Time,
        packet: &Packet,
        side_table: &mut SideTable,
    ) {
        let mut packet = packet.arriving(time);
        let mail = self.to(region);
        if packet.has_meta() {
            let load = side_table.take_meta(&mut packet);
            mail.with_meta.push((node as u32, packet, load));
        } else {
            mail.packets.push((node as u32, packet));
        }
    }

    pub fn set_timer(&mut self, region: u32, timer: Timer) {
        self.to(region).timers.push(timer);
    }

    pub fn tell_completed(&mut self, region: u32, note: Completed) {
        self.to(region).completed.push(note);
    }

    pub fn is_empty(&self) -> bool {
        self.out.iter().all(Mail::is_empty)
    }
}
