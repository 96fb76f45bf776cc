//! The packet: a small value, never allocated, never pointed to.

use headgate_model::queue::Offer;
use headgate_tcp::Flags;
use serde::{Deserialize, Serialize};

/// No SACK record attached to an ACK.
pub const NO_SACK: u32 = u32::MAX;

/// The host sits directly on its router.
pub const INLINE: u32 = u32::MAX;

/// Hosts at one router are numbered below this.
pub const HOST_MASK: u32 = 0x00ff_ffff;

/// What the packet is; decides how `a`, `b`, `c` are read.
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

/// A packet's kind and its congestion marks (RFC 3168), in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head(u8);

impl Head {
    /// The sender understands marks (ECT); on a SYN: so will its receiver have to.
    pub const CAPABLE: u8 = Flags::CAPABLE.0;
    /// A port marked the packet (CE).
    pub const MARKED: u8 = Flags::MARKED.0;
    /// `c` is the number of a label, which holds what would stand there.
    pub const LABELLED: u8 = 64;

    pub const fn plain(kind: Kind) -> Self {
        Self(kind as u8)
    }

    #[inline]
    pub fn new(kind: Kind, flags: Flags) -> Self {
        Self(kind as u8 | flags.0)
    }

    /// What TCP says and hears by it.
    #[inline]
    pub fn flags(self) -> Flags {
        Flags(self.0 & !3)
    }

    #[inline]
    pub fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Syn,
            1 => Kind::SynAck,
            2 => Kind::Data,
            _ => Kind::Ack,
        }
    }

    #[inline]
    pub fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    #[inline]
    #[must_use]
    pub fn with(self, flag: u8, on: bool) -> Self {
        Self(self.0 | (flag * u8::from(on)))
    }

    #[must_use]
    pub fn without(self, flag: u8) -> Self {
        Self(self.0 & !flag)
    }
}

/// One packet in flight. 32 bytes: two to a cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Packet {
    /// When it arrives at the next node, picoseconds.
    pub time: u64,
    /// The endpoint it is addressed to (see [`Split`]): a receiver for SYN and data, else a sender.
    pub flow: u32,
    /// Index of the addressed host at its router, or [`INLINE`].
    pub host: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub size: u16,
    pub head: Head,
    /// Generation of the sender's slot: with `flow` or `b` it names the connection for good.
    pub generation: u8,
}

const _: () = assert!(size_of::<Packet>() == 32);

impl Packet {
    /// The order of packets that meet at the same picosecond at the same node: by endpoint, then kind.
    /// Two packets of one endpoint and kind share every link, so they never meet.
    pub fn rank(&self) -> (u32, Kind, u32) {
        (self.flow, self.head.kind(), self.b)
    }

    /// The packet as a queue discipline sees it. A connection is named by its sender, in either direction.
    pub fn offer(&self) -> Offer {
        let sender = if matches!(self.head.kind(), Kind::Data | Kind::Syn) { self.b } else { self.flow };
        let data = u64::from(self.is_data());
        Offer {
            size_bytes: u32::from(self.size),
            flow: u64::from(sender) << 9 | u64::from(self.generation) << 1 | data,
            // on a SYN the flag asks, and marks nothing (RFC 3168 §6.1.1)
            capable: self.head.has(Head::CAPABLE) && self.head.kind() != Kind::Syn,
        }
    }

    #[inline]
    pub fn is_data(&self) -> bool {
        self.head.kind() == Kind::Data
    }

    /// Sender's host (24 bits) and profile, as a SYN carries them.
    pub fn pack_origin(host: u32, profile: u8) -> u32 {
        host & HOST_MASK | u32::from(profile) << 24
    }

    /// The reverse of [`Self::pack_origin`].
    pub fn origin(&self) -> (u32, u8) {
        let host = self.c & HOST_MASK;
        (if host == HOST_MASK { INLINE } else { host }, (self.c >> 24) as u8)
    }
}

/// Fills a place where no packet is.
pub const NOTHING: Packet = Packet {
    time: 0,
    flow: 0,
    host: INLINE,
    a: 0,
    b: 0,
    c: NO_SACK,
    size: 0,
    head: Head::plain(Kind::Ack),
    generation: 0,
};

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
    pub fn site(self, address: u32) -> usize {
        (address >> self.shift) as usize
    }

    #[inline]
    pub fn slot(self, address: u32) -> usize {
        (address & ((1 << self.shift) - 1)) as usize
    }

    #[inline]
    pub fn join(self, site: usize, slot: usize) -> u32 {
        assert!(slot < 1 << self.shift, "more endpoints at a router than an address holds");
        (site as u32) << self.shift | slot as u32
    }

    /// Slots one router can hold.
    pub fn slots(self) -> usize {
        1 << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_divide_and_join() {
        for routers in [1, 2, 3, 172, 65_536] {
            let split = Split::for_routers(routers);
            for site in [0, routers - 1] {
                let address = split.join(site, 77);
                assert_eq!((split.site(address), split.slot(address)), (site, 77));
            }
        }
    }
}
