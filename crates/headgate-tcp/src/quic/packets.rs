//! The packets of a sender that are neither acknowledged nor lost, by packet number (RFC 9002 appendix A.1).

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One packet in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentPacket {
    pub(crate) at: Time,
    /// The segment that it carries.
    pub(crate) segment: u32,
    /// Whether routers could mark it.
    pub(crate) is_capable: bool,
    /// Whether a probe has carried the segment since, so that a loss of this packet need not repeat it.
    pub(crate) is_probed: bool,
    is_outstanding: bool,
}

impl SentPacket {
    pub(crate) fn new(at: Time, segment: u32, is_capable: bool) -> Self {
        Self { at, segment, is_capable, is_probed: false, is_outstanding: true }
    }
}

/// All packets from the first outstanding one on. Settled ones between them keep their place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutstandingPackets {
    first: u32,
    packets: VecDeque<SentPacket>,
    in_flight: u32,
}

impl OutstandingPackets {
    /// Adds a packet. Returns its number.
    pub(crate) fn push(&mut self, packet: SentPacket) -> u32 {
        self.packets.push_back(packet);
        self.in_flight += 1;
        self.next() - 1
    }

    /// The number of the next packet.
    pub(crate) fn next(&self) -> u32 {
        self.first + self.packets.len() as u32
    }

    /// The first outstanding packet, or the next one if none is.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// Number of outstanding packets.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Removes an outstanding packet, which was acknowledged or lost. [`Self::trim`] must follow.
    pub(crate) fn settle(&mut self, number: u32) -> Option<SentPacket> {
        let place = number.checked_sub(self.first)?;
        let packet = self.packets.get_mut(place as usize).filter(|packet| packet.is_outstanding)?;
        packet.is_outstanding = false;
        self.in_flight -= 1;
        Some(*packet)
    }

    /// Forgets the settled packets before the first outstanding one.
    pub(crate) fn trim(&mut self) {
        while self.packets.front().is_some_and(|packet| !packet.is_outstanding) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// Returns the numbers of outstanding packets, the oldest first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (u32, &SentPacket)> {
        (self.first..).zip(&self.packets).filter(|(_, packet)| packet.is_outstanding)
    }

    /// Notes that a probe repeats the segment of an outstanding packet. Returns the segment.
    pub(crate) fn probe(&mut self, number: u32) -> Option<u32> {
        let place = number.checked_sub(self.first)?;
        let packet = self.packets.get_mut(place as usize)?;
        packet.is_probed = true;
        Some(packet.segment)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<SentPacket>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_packet_keeps_its_place_until_those_before_it_are_settled() {
        let mut packets = OutstandingPackets::default();
        for segment in 10..14 {
            packets.push(SentPacket::new(5, segment, false));
        }
        assert_eq!(packets.settle(1).map(|packet| packet.segment), Some(11));
        assert_eq!(packets.settle(1), None);
        packets.trim();
        assert_eq!((packets.first(), packets.next(), packets.in_flight()), (0, 4, 3));
        packets.settle(0);
        packets.trim();
        assert_eq!((packets.first(), packets.in_flight()), (2, 2));
        assert_eq!(packets.numbers().map(|(number, _)| number).collect::<Vec<_>>(), [2, 3]);
        assert_eq!((packets.settle(0), packets.settle(4)), (None, None));
        packets.settle(2);
        packets.settle(3);
        packets.trim();
        assert_eq!(packets.push(SentPacket::new(6, 14, false)), 4); // no number is used twice
    }
}
