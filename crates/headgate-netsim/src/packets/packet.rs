//! The packet: a small value that is copied, never allocated or referenced.

use headgate_model::ecn::Ecn;
use headgate_model::units::Time;
use headgate_tcp::Flags;
use headgate_tcp::context::{DataSegment, Syn, SynAck};
use serde::{Deserialize, Serialize};

use super::address::{ConnectionId, HOST_BITS, HOST_MASK};
use super::index::{Address, HostIndex};

/// Stands for no record of options.
const NO_SACK: u32 = u32::MAX >> 1;

/// The bit of an ACK's word `c` for AE (RFC 9768). The other bits are the number of its options.
const ACE_BIT: u32 = 1 << 31;

/// The bit of a SYN-ACK's word `a` for AE.
const ANSWER_AE: u32 = 4;

/// The kind of a packet. It defines the meaning of the words `a`, `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum PacketKind {
    /// `a` size of the flow in segments, `b` address of the sender, `c` host and profile of the sender and
    /// the number of retransmissions.
    Syn,
    /// `a` number of retransmissions of the SYN and AE, `b` address of the receiver.
    SynAck,
    /// `a` sequence number (segments), `b` address of the sender, `c` time stamp.
    Data,
    /// `a` next expected segment, `b` echoed time stamp, `c` record of options and AE.
    Ack,
}

/// A bit of the head beside the flags of TCP: `c` is the number of a header, which stores the former value
/// of `c`.
const WITH_HEADER: u8 = 64;

/// A bit of the head: the flow of the packet is traced.
const FOLLOWED: u8 = 128;

/// The flags of TCP in the head. AE is elsewhere. On a SYN, ECE, CWR and AE together are CWR alone.
const HEAD_FLAGS: u8 = !(3 | WITH_HEADER | FOLLOWED);

fn without_echo(flags: Flags) -> Flags {
    Flags(flags.0 & !Flags::ECHO.0)
}

/// A packet's kind, the flags of TCP, [`WITH_HEADER`] and [`FOLLOWED`] in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head(u8);

impl Head {
    #[inline]
    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    #[inline]
    fn with(self, flag: u8, on: bool) -> Self {
        Self(self.0 | (flag * u8::from(on)))
    }
}

/// The fields that packets of all kinds have.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommonFields {
    /// Arrival at the next node, picoseconds.
    pub time: Time,
    /// The endpoint that the packet is addressed to: a receiver for SYN and data, otherwise a sender.
    pub address: Address,
    /// The addressed host at its router.
    pub host: HostIndex,
    /// Size on the wire, bytes.
    pub size: u16,
    /// Generation of the sender's slot, which with the sender's address identifies the connection.
    pub generation: u8,
}

/// One packet in flight. 32 bytes, so that two fit into a cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Packet {
    /// Arrival at the next node, picoseconds.
    pub time: Time,
    /// The endpoint that the packet is addressed to: a receiver for SYN and data, otherwise a sender.
    pub address: Address,
    /// The addressed host at its router.
    pub host: HostIndex,
    a: u32,
    b: u32,
    c: u32,
    /// Size on the wire, bytes.
    pub size: u16,
    head: Head,
    /// Generation of the sender's slot, which with the sender's address identifies the connection.
    pub generation: u8,
}

const _: () = assert!(size_of::<Packet>() == 32);

/// Fills storage that contains no packet.
pub const EMPTY_PACKET: Packet = Packet {
    time: 0,
    address: Address(0),
    host: HostIndex::INLINE,
    a: 0,
    b: 0,
    c: NO_SACK,
    size: 0,
    head: Head(PacketKind::Ack as u8),
    generation: 0,
};

impl Packet {
    #[inline(always)]
    fn new(kind: PacketKind, flags: Flags, common: CommonFields, [a, b, c]: [u32; 3]) -> Self {
        let CommonFields { time, address, host, size, generation } = common;
        Self { time, address, host, a, b, c, size, head: Head(kind as u8 | flags.0 & HEAD_FLAGS), generation }
    }

    /// Creates a SYN of the sender at this address. The SYN carries the sender's host and profile, and the
    /// number of its retransmissions, modulo 4.
    pub fn syn(common: CommonFields, syn: Syn, sender: Address, (host, profile): (HostIndex, u8)) -> Self {
        let origin = host.0 & HOST_MASK | u32::from(syn.tries & 3) << HOST_BITS | u32::from(profile) << 24;
        let flags = if syn.flags.has(Flags::ACCURATE) { without_echo(syn.flags) } else { syn.flags };
        Self::new(PacketKind::Syn, flags, common, [syn.segments, sender.0, origin])
    }

    /// Creates the answer to a SYN.
    pub fn syn_ack(common: CommonFields, receiver: Address, answer: SynAck) -> Self {
        let ae = ANSWER_AE * u32::from(answer.flags.has(Flags::ACCURATE));
        let words = [u32::from(answer.tries & 3) | ae, receiver.0, NO_SACK];
        Self::new(PacketKind::SynAck, answer.flags, common, words)
    }

    /// Creates a data packet of the sender at this address.
    #[inline(always)]
    pub fn data(common: CommonFields, segment: DataSegment, sender: Address) -> Self {
        Self::new(PacketKind::Data, segment.flags, common, [segment.seq, sender.0, segment.stamp])
    }

    /// Creates an ACK for all segments below `number`, which echoes the time stamp `echo`.
    #[inline(always)]
    pub fn ack(common: CommonFields, flags: Flags, number: u32, echo: u32, sacks: Option<u32>) -> Self {
        let ae = ACE_BIT * u32::from(flags.has(Flags::ACCURATE));
        Self::new(PacketKind::Ack, flags, common, [number, echo, sacks.unwrap_or(NO_SACK) | ae])
    }

    /// Returns the packet with a new arrival time.
    #[inline(always)]
    #[must_use]
    pub fn arriving(&self, time: Time) -> Self {
        Self { time, ..*self }
    }

    /// Returns the kind of the packet.
    #[inline]
    pub fn kind(&self) -> PacketKind {
        match self.head.0 & 3 {
            0 => PacketKind::Syn,
            1 => PacketKind::SynAck,
            2 => PacketKind::Data,
            _ => PacketKind::Ack,
        }
    }

    /// Returns whether this is a data packet.
    #[inline]
    pub fn is_data(&self) -> bool {
        self.kind() == PacketKind::Data
    }

    /// Returns whether the packet travels from the sender to the receiver.
    #[inline]
    pub fn is_forward(&self) -> bool {
        matches!(self.kind(), PacketKind::Data | PacketKind::Syn)
    }

    /// Returns the flags of TCP, of a packet whose header has been detached.
    #[inline]
    pub fn flags(&self) -> Flags {
        let flags = self.head_flags();
        match self.kind() {
            PacketKind::Data => flags,
            PacketKind::Ack => self.ack_flags(),
            PacketKind::Syn => {
                let is_accurate = flags.has(Flags::REDUCED) && !flags.has(Flags::ECHO);
                flags.with(Flags::ECHO, is_accurate).with(Flags::ACCURATE, is_accurate)
            }
            PacketKind::SynAck => flags.with(Flags::ACCURATE, self.a & ANSWER_AE != 0),
        }
    }

    /// Returns the flags of an ACK.
    #[inline]
    pub fn ack_flags(&self) -> Flags {
        self.head_flags().with(Flags::ACCURATE, self.c & ACE_BIT != 0)
    }

    #[inline]
    fn head_flags(&self) -> Flags {
        Flags(self.head.0 & HEAD_FLAGS)
    }

    /// Returns the SYN without its sender.
    pub fn request(&self) -> Syn {
        debug_assert!(self.kind() == PacketKind::Syn);
        Syn { segments: self.a, flags: self.flags(), tries: (self.c >> HOST_BITS) as u8 & 3 }
    }

    /// Returns the answer to a SYN.
    pub fn answer(&self) -> SynAck {
        debug_assert!(self.kind() == PacketKind::SynAck);
        SynAck { tries: self.a as u8 & 3, flags: self.flags() }
    }

    /// Returns the ECN field.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        Flags(self.head.0).ecn()
    }

    /// Changes the ECN field.
    #[inline]
    pub fn set_ecn(&mut self, ecn: Ecn) {
        self.head = Head(Flags(self.head.0).with_ecn(ecn).0);
    }

    /// Marks the packet as having met congestion (CE), if `on`.
    #[inline]
    pub fn mark(&mut self, on: bool) {
        self.head = self.head.with(Flags::CE.0, on);
    }

    /// Sets or clears the bit that makes ports and the receiver trace the packet.
    #[inline]
    pub fn follow(&mut self, on: bool) {
        self.head = self.head.with(FOLLOWED, on);
    }

    /// Returns whether ports and the receiver trace the packet.
    #[inline]
    pub fn is_followed(&self) -> bool {
        self.head.has(FOLLOWED)
    }

    /// Returns the sender's address of a SYN or data packet.
    #[inline]
    pub fn sender(&self) -> Address {
        debug_assert!(self.is_forward());
        Address(self.b)
    }

    /// Returns the connection of the packet, in either direction.
    pub fn connection(&self) -> ConnectionId {
        let sender = if self.is_forward() { Address(self.b) } else { self.address };
        ConnectionId::new(sender, self.generation)
    }

    /// Returns the sequence number of a data packet, or the next segment that an ACK expects.
    pub fn seq(&self) -> Option<u32> {
        matches!(self.kind(), PacketKind::Data | PacketKind::Ack).then_some(self.a)
    }

    /// Returns the sender's host and profile of a SYN.
    pub fn origin(&self) -> (HostIndex, u8) {
        debug_assert!(self.kind() == PacketKind::Syn);
        let host = self.c & HOST_MASK;
        (if host == HOST_MASK { HostIndex::INLINE } else { HostIndex(host) }, (self.c >> 24) as u8)
    }

    /// Returns the size of the flow, segments, that a SYN carries. It is 0 if an established sender only
    /// asks for a header.
    pub fn segments(&self) -> u32 {
        debug_assert!(self.kind() == PacketKind::Syn);
        self.a
    }

    /// Returns the receiver's address of a SYN-ACK.
    pub fn receiver(&self) -> Address {
        debug_assert!(self.kind() == PacketKind::SynAck);
        Address(self.b)
    }

    /// Returns the segment of a data packet whose header has been detached.
    #[inline]
    pub fn segment(&self) -> DataSegment {
        debug_assert!(self.is_data() && self.header().is_none());
        DataSegment { seq: self.a, stamp: self.c, flags: self.head_flags() }
    }

    /// Returns the next segment that an ACK expects.
    #[inline]
    pub fn ack_number(&self) -> u32 {
        debug_assert!(self.kind() == PacketKind::Ack);
        self.a
    }

    /// Returns the time stamp that an ACK echoes.
    #[inline]
    pub fn echoed_timestamp(&self) -> u32 {
        debug_assert!(self.kind() == PacketKind::Ack);
        self.b
    }

    /// Returns the number of an ACK's options, if it carries any and no header.
    #[inline]
    pub fn sack_record(&self) -> Option<u32> {
        let number = self.c & !ACE_BIT;
        (self.kind() == PacketKind::Ack && number != NO_SACK).then_some(number)
    }

    /// Changes or removes the number of the options of an ACK.
    #[inline]
    pub fn set_sack_record(&mut self, number: Option<u32>) {
        debug_assert!(self.kind() == PacketKind::Ack && self.header().is_none());
        self.c = self.c & ACE_BIT | number.unwrap_or(NO_SACK);
    }

    /// Returns the number of the header, if the packet carries one.
    #[inline]
    pub fn header(&self) -> Option<u32> {
        self.head.has(WITH_HEADER).then_some(self.c)
    }

    /// Attaches a header. Returns the word that the number replaces, for [`Self::take_header`].
    #[inline]
    pub fn put_header(&mut self, number: u32) -> u32 {
        self.head = self.head.with(WITH_HEADER, true);
        std::mem::replace(&mut self.c, number)
    }

    /// Detaches the header and restores the word that its number replaced.
    #[inline]
    pub fn take_header(&mut self, word: u32) {
        self.head = Head(self.head.0 & !WITH_HEADER);
        self.c = word;
    }

    /// Returns the order of packets that arrive at the same picosecond at the same node: by endpoint, then
    /// kind. Two packets of one endpoint and kind share every link, so they never arrive together.
    pub fn rank(&self) -> (Address, PacketKind, u32) {
        (self.address, self.kind(), self.b)
    }
}

#[cfg(test)]
mod tests;
