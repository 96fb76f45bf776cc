//! The packets that wait at a port, by number.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::packet::Packet;

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    packet: Packet,
    since: Time,
}

/// Packets in numbered places; a place that is free is taken again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Store {
    places: Vec<Waiting>,
    free: Vec<u32>,
    bytes: u64,
}

impl Store {
    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Bytes that wait.
    pub fn waiting_bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of memory that the places take.
    pub fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Waiting>()
    }

    /// Keeps a packet, and returns its number.
    pub fn put(&mut self, packet: Packet, since: Time) -> u32 {
        self.bytes += u64::from(packet.size);
        let waiting = Waiting { packet, since };
        let id = self.free.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(id as usize) {
            Some(place) => *place = waiting,
            None => self.places.push(waiting),
        }
        id
    }

    /// Takes a packet out, and says how long it waited.
    pub fn take(&mut self, now: Time, id: u32) -> (Packet, Span) {
        self.free.push(id);
        let Waiting { packet, since } = self.places[id as usize];
        self.bytes -= u64::from(packet.size);
        (packet, now - since)
    }

    /// Data packets among those that wait.
    pub fn data(&self) -> usize {
        self.sum(|waiting| u128::from(waiting.packet.is_data())) as usize
    }

    pub fn packets_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        let mut waits = vec![true; self.places.len()];
        self.free.iter().for_each(|&place| waits[place as usize] = false);
        let held = self.places.iter_mut().zip(waits).filter(|(_, waits)| *waits);
        held.map(|(waiting, _)| &mut waiting.packet)
    }

    /// How long those that wait have waited, in ps: all, and the data among them.
    pub fn waits_ps(&self, now: Time) -> (u128, u128) {
        let so_far = |waiting: &Waiting| u128::from(now.saturating_sub(waiting.since));
        let data = |waiting: &Waiting| if waiting.packet.is_data() { so_far(waiting) } else { 0 };
        (self.sum(so_far), self.sum(data))
    }

    /// A sum over those that wait: places that are free still hold what they held.
    fn sum(&self, of: impl Fn(&Waiting) -> u128) -> u128 {
        let free: u128 = self.free.iter().map(|&place| of(&self.places[place as usize])).sum();
        self.places.iter().map(of).sum::<u128>() - free
    }
}
