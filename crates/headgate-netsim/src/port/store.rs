//! The packets that wait at a port, by number.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::packets::packet::Packet;

/// A packet that waits, and its arrival time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WaitingPacket {
    packet: Packet,
    since: Time,
}

/// Packets in numbered places. Freed places are reused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Store {
    places: Vec<WaitingPacket>,
    free: Vec<u32>,
    bytes: u64,
}

impl Store {
    /// Counts the packets.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Returns the bytes of all packets.
    pub fn waiting_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the memory of the places, bytes.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<WaitingPacket>()
    }

    /// Stores a packet. Returns its number.
    pub fn put(&mut self, packet: Packet, since: Time) -> u32 {
        self.bytes += u64::from(packet.size);
        let waiting = WaitingPacket { packet, since };
        let id = self.free.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(id as usize) {
            Some(place) => *place = waiting,
            None => self.places.push(waiting),
        }
        id
    }

    /// Removes a packet. Returns it with the time that it waited.
    pub fn take(&mut self, now: Time, id: u32) -> (Packet, Span) {
        self.free.push(id);
        let WaitingPacket { packet, since } = self.places[id as usize];
        self.bytes -= u64::from(packet.size);
        (packet, now - since)
    }

    /// Counts the data packets.
    pub fn data(&self) -> usize {
        self.sum(|waiting| u128::from(waiting.packet.is_data())) as usize
    }

    /// Iterates over the packets.
    pub fn packets_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        let mut waits = vec![true; self.places.len()];
        self.free.iter().for_each(|&place| waits[place as usize] = false);
        let held = self.places.iter_mut().zip(waits).filter(|(_, waits)| *waits);
        held.map(|(waiting, _)| &mut waiting.packet)
    }

    /// Sums the times that the packets have waited, picoseconds: of all packets, and of data packets.
    pub fn waits_ps(&self, now: Time) -> (u128, u128) {
        let so_far = |waiting: &WaitingPacket| u128::from(now.saturating_sub(waiting.since));
        let data = |waiting: &WaitingPacket| if waiting.packet.is_data() { so_far(waiting) } else { 0 };
        (self.sum(so_far), self.sum(data))
    }

    /// Sums over the packets. Free places still contain old packets, so their part is subtracted.
    fn sum(&self, of: impl Fn(&WaitingPacket) -> u128) -> u128 {
        let free: u128 = self.free.iter().map(|&place| of(&self.places[place as usize])).sum();
        self.places.iter().map(of).sum::<u128>() - free
    }
}
