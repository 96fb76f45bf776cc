//! The packet: a small value, never allocated, never pointed to.

use headgate_model::queue::Arrival;
use headgate_model::units::Time;
use headgate_tcp::Flags;
use headgate_tcp::context::{DataSegment, Syn};
use serde::{Deserialize, Serialize};

/// No SACK record attached to an ACK.
const NO_SACK: u32 = u32::MAX;

/// The host sits directly on its router.
pub const INLINE: u32 = u32::MAX;

/// Hosts at one router are numbered below this.
pub const HOST_MASK: u32 = 0x00ff_ffff;

/// What the packet is; decides what its words `a`, `b`, `c` mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Kind {
    /// `a` size of the flow in segments, `b` sender, `c` sender's host and profile.
    Syn,
    /// `b` receiver.
    SynAck,
    /// `a` sequence number (segments), `b` sender, `c` time stamp.
    Data,
    /// `a` next expected segment, `b` echoed time stamp, `c` SACK record.
    Ack,
}

/// Beside the flags of TCP: `c` is the number of a header, which holds what would stand there.
const WITH_HEADER: u8 = 64;

/// On a SYN and its answer, which no port marks, these bits of the head count retransmissions of the SYN.
const TRIES: [u8; 2] = [Flags::MARKED.0, Flags::REDUCED.0];

/// And: somebody follows the flow.
const FOLLOWED: u8 = 128;

/// A packet's kind, TCP's flags, [`WITH_HEADER`] and [`FOLLOWED`], in one byte.
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

    fn with_tries(self, tries: u8) -> Self {
        self.with(TRIES[0], tries & 1 != 0).with(TRIES[1], tries & 2 != 0)
    }
}

/// What packets of all kinds have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Common {
    /// When it arrives at the next node, picoseconds.
    pub time: Time,
    /// The endpoint it is addressed to (see [`Split`]): a receiver for SYN and data, else a sender.
    pub flow: u32,
    /// Index of the addressed host at its router, or [`INLINE`].
    pub host: u32,
    pub size: u16,
    /// Generation of the sender's slot: with the sender it names the connection for good.
    pub generation: u8,
}

/// One packet in flight. 32 bytes: two to a cache line. See [`Common`] for the fields.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Packet {
    pub time: Time,
    pub flow: u32,
    pub host: u32,
    a: u32,
    b: u32,
    c: u32,
    pub size: u16,
    head: Head,
    pub generation: u8,
}

const _: () = assert!(size_of::<Packet>() == 32);

/// Fills a place where no packet is.
pub const NOTHING: Packet = Packet {
    time: 0,
    flow: 0,
    host: INLINE,
    a: 0,
    b: 0,
    c: NO_SACK,
    size: 0,
    head: Head(Kind::Ack as u8),
    generation: 0,
};

impl Packet {
    #[inline(always)]
    fn new(kind: Kind, flags: Flags, common: Common, [a, b, c]: [u32; 3]) -> Self {
        let Common { time, flow, host, size, generation } = common;
        Self { time, flow, host, a, b, c, size, head: Head(kind as u8 | flags.0), generation }
    }

    /// The sender's SYN; it says which host it sits at, and its profile.
    pub fn syn(common: Common, syn: Syn, sender: u32, (host, profile): (u32, u8)) -> Self {
        let origin = host & HOST_MASK | u32::from(profile) << 24;
        let mut packet = Self::new(Kind::Syn, syn.flags, common, [syn.segments, sender, origin]);
        packet.head = packet.head.with_tries(syn.tries);
        packet
    }

    /// The answer to a SYN that was sent again `tries` times, modulo 4.
    pub fn syn_ack(common: Common, receiver: u32, tries: u8) -> Self {
        let mut packet = Self::new(Kind::SynAck, Flags::NONE, common, [0, receiver, NO_SACK]);
        packet.head = packet.head.with_tries(tries);
        packet
    }

    #[inline(always)]
    pub fn data(common: Common, segment: DataSegment, sender: u32) -> Self {
        Self::new(Kind::Data, segment.flags, common, [segment.seq, sender, segment.stamp])
    }

    #[inline(always)]
    pub fn ack(common: Common, flags: Flags, number: u32, echo: u32, sacks: Option<u32>) -> Self {
        Self::new(Kind::Ack, flags, common, [number, echo, sacks.unwrap_or(NO_SACK)])
    }

    /// The packet when it arrives at the next node.
    #[inline(always)]
    #[must_use]
    pub fn arriving(&self, time: Time) -> Self {
        Self { time, ..*self }
    }

    #[inline]
    pub fn kind(&self) -> Kind {
        match self.head.0 & 3 {
            0 => Kind::Syn,
            1 => Kind::SynAck,
            2 => Kind::Data,
            _ => Kind::Ack,
        }
    }

    #[inline]
    pub fn is_data(&self) -> bool {
        self.kind() == Kind::Data
    }

    /// It goes from the sender to the receiver.
    #[inline]
    pub fn is_forward(&self) -> bool {
        matches!(self.kind(), Kind::Data | Kind::Syn)
    }

    /// What TCP says and hears by it.
    #[inline]
    pub fn flags(&self) -> Flags {
        let tries = if self.is_handshake() { TRIES[0] | TRIES[1] } else { 0 };
        Flags(self.head.0 & !(WITH_HEADER | FOLLOWED | tries | 3))
    }

    /// Whether it is a SYN or the answer to one.
    #[inline]
    fn is_handshake(&self) -> bool {
        matches!(self.kind(), Kind::Syn | Kind::SynAck)
    }

    /// Retransmissions of the SYN, or of the SYN that was answered, modulo 4.
    pub fn tries(&self) -> u8 {
        debug_assert!(self.is_handshake());
        u8::from(self.head.has(TRIES[0])) | u8::from(self.head.has(TRIES[1])) << 1
    }

    /// A port marks it as having met congestion (CE).
    #[inline]
    pub fn mark(&mut self, on: bool) {
        self.head = self.head.with(Flags::MARKED.0, on);
    }

    pub fn is_marked(&self) -> bool {
        self.head.has(Flags::MARKED.0)
    }

    /// Says so to ports and to the other end, if somebody follows the flow.
    #[inline]
    pub fn follow(&mut self, on: bool) {
        self.head = self.head.with(FOLLOWED, on);
    }

    #[inline]
    pub fn is_followed(&self) -> bool {
        self.head.has(FOLLOWED)
    }

    /// Whether a port may mark it. On a SYN the flag asks, and marks nothing (RFC 3168 §6.1.1).
    pub fn is_capable(&self) -> bool {
        self.head.has(Flags::CAPABLE.0) && self.kind() != Kind::Syn
    }

    /// Address of the sender, as a SYN and data name it.
    #[inline]
    pub fn sender(&self) -> u32 {
        debug_assert!(self.is_forward());
        self.b
    }

    /// The sender's address and its slot's generation, which name the connection in either direction.
    pub fn connection(&self) -> (u32, u8) {
        (if self.is_forward() { self.b } else { self.flow }, self.generation)
    }

    /// The sequence number of a segment, or the next one that an ACK expects.
    pub fn seq(&self) -> Option<u32> {
        matches!(self.kind(), Kind::Data | Kind::Ack).then_some(self.a)
    }

    /// Sender's host and profile, as a SYN names them.
    pub fn origin(&self) -> (u32, u8) {
        debug_assert!(self.kind() == Kind::Syn);
        let host = self.c & HOST_MASK;
        (if host == HOST_MASK { INLINE } else { host }, (self.c >> 24) as u8)
    }

    /// Size of the flow in segments, as a SYN says it; 0 for a question by an established one.
    pub fn segments(&self) -> u32 {
        debug_assert!(self.kind() == Kind::Syn);
        self.a
    }

    /// Address of the receiver, as a SYN-ACK names it.
    pub fn receiver(&self) -> u32 {
        debug_assert!(self.kind() == Kind::SynAck);
        self.b
    }

    /// The segment of a data packet that has no header any more.
    #[inline]
    pub fn segment(&self) -> DataSegment {
        debug_assert!(self.is_data() && self.header().is_none());
        DataSegment { seq: self.a, stamp: self.c, flags: self.flags() }
    }

    /// The next segment that an ACK expects.
    #[inline]
    pub fn ack_number(&self) -> u32 {
        debug_assert!(self.kind() == Kind::Ack);
        self.a
    }

    /// The time stamp that an ACK returns.
    #[inline]
    pub fn echoed_timestamp(&self) -> u32 {
        debug_assert!(self.kind() == Kind::Ack);
        self.b
    }

    /// The number of its SACK blocks, if it is an ACK that has any and no header.
    #[inline]
    pub fn sack_record(&self) -> Option<u32> {
        (self.kind() == Kind::Ack && self.c != NO_SACK).then_some(self.c)
    }

    /// Its SACK blocks have another number, or are gone.
    #[inline]
    pub fn set_sack_record(&mut self, number: Option<u32>) {
        debug_assert!(self.kind() == Kind::Ack && self.header().is_none());
        self.c = number.unwrap_or(NO_SACK);
    }

    /// The number of its header, if it has one.
    #[inline]
    pub fn header(&self) -> Option<u32> {
        self.head.has(WITH_HEADER).then_some(self.c)
    }

    /// Gives it a header; what stood in its place is to be kept for [`Self::take_header`].
    #[inline]
    pub fn put_header(&mut self, number: u32) -> u32 {
        self.head = self.head.with(WITH_HEADER, true);
        std::mem::replace(&mut self.c, number)
    }

    /// Takes its header off, and puts back what stood in its place.
    #[inline]
    pub fn take_header(&mut self, word: u32) {
        self.head = Head(self.head.0 & !WITH_HEADER);
        self.c = word;
    }

    /// The order of packets that meet at the same picosecond at the same node: by endpoint, then kind.
    /// Two packets of one endpoint and kind share every link, so they never meet.
    pub fn rank(&self) -> (u32, Kind, u32) {
        (self.flow, self.kind(), self.b)
    }

    /// The packet as a queue discipline sees it. A connection is named by its sender, in either direction.
    pub fn arrival(&self) -> Arrival {
        let (sender, generation) = self.connection();
        let data = u64::from(self.is_data());
        Arrival {
            size_bytes: u32::from(self.size),
            flow: u64::from(sender) << 9 | u64::from(generation) << 1 | data,
            capable: self.is_capable(),
        }
    }
}

/// How an endpoint's address divides into router (high bits) and slot at that router (low bits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    shift: u32,
}

impl Split {
    pub fn for_routers(routers: usize) -> Self {
        let bits = usize::BITS - routers.saturating_sub(1).leading_zeros();
        Self { shift: 32 - bits.clamp(1, 16) }
    }

    #[inline]
    pub fn group(self, address: u32) -> usize {
        (address >> self.shift) as usize
    }

    #[inline]
    pub fn slot(self, address: u32) -> usize {
        (address & ((1 << self.shift) - 1)) as usize
    }

    #[inline]
    pub fn join(self, group: usize, slot: usize) -> u32 {
        assert!(slot < 1 << self.shift, "more endpoints at a router than an address holds");
        (group as u32) << self.shift | slot as u32
    }

    /// Slots one router can hold.
    pub fn slots(self) -> usize {
        1 << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMON: Common = Common { time: 5, flow: 6, host: 7, size: 40, generation: 8 };

    #[test]
    fn what_is_written_into_a_packet_is_read_from_it() {
        let flags = Flags::CAPABLE;
        let syn = Packet::syn(COMMON, Syn { segments: 9, flags, tries: 5 }, 10, (INLINE, 3));
        assert_eq!((syn.kind(), syn.segments(), syn.sender(), syn.origin()), (Kind::Syn, 9, 10, (INLINE, 3)));
        assert!(!syn.is_capable() && syn.flags() == flags && syn.tries() == 1);
        for tries in 0..4 {
            let answer = Packet::syn_ack(COMMON, 11, tries);
            assert_eq!((answer.receiver(), answer.tries(), answer.flags()), (11, tries, Flags::NONE));
        }
        let segment = DataSegment { seq: 12, stamp: 13, flags };
        let data = Packet::data(COMMON, segment, 14);
        assert_eq!((data.segment(), data.sender(), data.is_capable()), (segment, 14, true));
        let ack = Packet::ack(COMMON, Flags::NONE, 15, 16, Some(17));
        assert_eq!((ack.ack_number(), ack.echoed_timestamp(), ack.sack_record()), (15, 16, Some(17)));
        assert_eq!(Packet::ack(COMMON, Flags::NONE, 15, 16, None).sack_record(), None);
    }

    #[test]
    fn a_label_stands_in_for_a_word_until_it_is_taken_off() {
        let segment = DataSegment { seq: 1, stamp: 2, flags: Flags::NONE };
        let mut packet = Packet::data(COMMON, segment, 3);
        let word = packet.put_header(4);
        packet.mark(true);
        assert_eq!((packet.header(), packet.flags()), (Some(4), Flags::MARKED));
        packet.take_header(word);
        assert_eq!(packet.header(), None);
        assert_eq!(packet.segment(), DataSegment { flags: Flags::MARKED, ..segment });
    }

    #[test]
    fn addresses_divide_and_join() {
        for routers in [1, 2, 3, 172, 65_536] {
            let split = Split::for_routers(routers);
            for group in [0, routers - 1] {
                let address = split.join(group, 77);
                assert_eq!((split.group(address), split.slot(address)), (group, 77));
            }
        }
    }
}
