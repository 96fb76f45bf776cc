//! Views of a packet: those of queue disciplines and of router feedback.

use headgate_model::feedback::PassingPacket;
use headgate_model::queue::{AckFields, Arrival, HostPair, QueuedPacket};
use headgate_tcp::Flags;

use super::address::{AddressSplit, ConnectionId};
use super::index::HostIndex;
use super::packet::{Packet, PacketKind};
use super::sacks::SackPool;

impl Packet {
    /// Returns the packet as a queue discipline sees it. The sender names the connection, in either
    /// direction.
    pub fn arrival(&self) -> Arrival {
        let ConnectionId { sender, generation } = self.connection();
        let data = u64::from(self.is_data());
        Arrival {
            size_bytes: u32::from(self.size),
            flow: u64::from(sender.0) << 9 | u64::from(generation) << 1 | data,
            ecn: self.ecn(),
            hosts: HostPair::default(),
            ack: None,
        }
    }

    /// Returns the fields of a pure ACK; `None` if it is encrypted (QUIC), or carries a header, an AccECN
    /// option, or more of the ACE field than the echo of RFC 3168. No other ACK replaces such an ACK.
    pub fn ack_fields(&self, sacks: &SackPool) -> Option<AckFields> {
        if self.kind() != PacketKind::Ack || self.header().is_some() {
            return None;
        }
        let flags = self.ack_flags();
        if flags.has(Flags::ACCURATE) || flags.has(Flags::REDUCED) {
            return None;
        }
        let options = self.sack_record().map(|record| sacks.read(record)).unwrap_or_default();
        if options.counts.is_some() || options.delay.is_some() {
            return None;
        }
        let echo = flags.has(Flags::ECHO);
        Some(AckFields { number: self.ack_number(), sacks: options.blocks.unwrap_or_default(), echo })
    }

    /// Returns the hosts that a queue discipline distinguishes: the router, if endpoints are directly on it,
    /// and otherwise the addressed host. Behind a host link, a packet names its sender's connection only, and
    /// each connection counts as a host. So does the source of an ACK, which names no source at all.
    pub fn hosts(&self, split: AddressSplit) -> HostPair {
        let is_inline = self.host == HostIndex::INLINE;
        let router = |address| u64::from(split.router(address).0) << 32 | u64::from(HostIndex::INLINE.0);
        let destination = u64::from(split.router(self.address).0) << 32 | u64::from(self.host.0);
        let source = match self.kind() {
            PacketKind::Data | PacketKind::Syn if is_inline => router(self.sender()),
            _ => self.connection().number() | 1 << 63,
        };
        HostPair { source, destination }
    }

    /// Returns the packet as router feedback sees it.
    pub fn passing(&self) -> PassingPacket {
        PassingPacket { size_bytes: u32::from(self.size), data: self.is_data(), ecn: self.ecn() }
    }

    /// Returns the packet as a discipline keeps it, under this number and since this time, seconds.
    pub fn queued(&self, id: u32, since_s: f64) -> QueuedPacket {
        let Arrival { size_bytes, flow, ecn, .. } = self.arrival();
        QueuedPacket { id, size_bytes, flow, data: self.is_data(), ecn, since_s }
    }

    /// Returns the packet, marked or as it is.
    #[must_use]
    pub fn marked(mut self, marked: bool) -> Self {
        self.mark(marked);
        self
    }
}

#[cfg(test)]
mod tests {
    use headgate_tcp::ByteCounts;

    use super::*;
    use crate::packets::index::Address;
    use crate::packets::packet::CommonFields;
    use crate::packets::sacks::AckOptions;

    /// Returns the number of an ACK that a filter may read.
    fn filtered(flags: Flags, options: Option<AckOptions>) -> Option<u32> {
        let mut sacks = SackPool::default();
        let common =
            CommonFields { time: 1, address: Address(2), host: HostIndex::INLINE, size: 40, generation: 0 };
        let record = options.map(|options| sacks.store(options));
        Packet::ack(common, flags, 9, 0, record).ack_fields(&sacks).map(|fields| fields.number)
    }

    #[test]
    fn a_filter_reads_plain_acks_of_tcp_only() {
        let with = |options| filtered(Flags::NONE, Some(options));
        assert_eq!(filtered(Flags::NONE, None), Some(9));
        assert_eq!(
            with(AckOptions { blocks: Some([(11, 12), (0, 0), (0, 0)]), ..AckOptions::default() }),
            Some(9)
        );
        assert_eq!(with(AckOptions { delay: Some(0), ..AckOptions::default() }), None); // QUIC
        let counts = ByteCounts { ect0: 1, ce: 0, ect1: 1 };
        assert_eq!(with(AckOptions { counts: Some(counts), ..AckOptions::default() }), None);
        assert_eq!([1, 2, 4].map(|bits| filtered(Flags::ace(bits), None)), [Some(9), None, None]);
    }
}
