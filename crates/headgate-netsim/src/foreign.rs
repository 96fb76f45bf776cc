//! Foreign packets: packets whose payload the engine does not know. Who injects one gives it a number, and hears by it
//! where the packet has gone.
//!
//! A foreign packet is a data packet with a header of a scheme of its own, so it costs others nothing: headers move with
//! packets between shards, are copied where a packet is, and are given back where it is lost.

use headgate_model::feedback::CongestionHeader;
use headgate_model::units::Time;
use headgate_tcp::Flags;
use headgate_tcp::context::DataSegment;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::packet::{Common, Packet, Split};
use crate::traffic::Home;

/// The scheme of its header: no router reads it.
const SCHEME: u8 = u8::MAX;

/// Numbers of packets are below this: a header's words are floating-point numbers.
pub const MOST_IDS: u64 = 1 << 53;

/// Slots at a router that the flows of its live hosts share, the last ones there. A flow has its slot for itself until
/// 4096 others have begun; the next one there has another generation.
pub const SLOTS: u32 = 4096;

/// A packet that enters the network at a live host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignPacket {
    /// By this number the engine speaks of it; several may have the same. Below [`MOST_IDS`].
    pub id: u64,
    /// Hosts, in the order of the plan.
    pub from: u32,
    pub to: u32,
    /// What queues tell flows apart by: counts up with each new flow of the whole run.
    pub flow: u32,
    /// With its headers.
    pub size_bytes: u16,
    /// Ports may mark it (ECT).
    pub capable: bool,
    /// It was marked before (CE).
    pub marked: bool,
}

impl ForeignPacket {
    /// The packet as it leaves its host.
    pub fn packet(&self, time: Time, [from, to]: [Home; 2], split: Split) -> Packet {
        let slot = split.slots() - 1 - (self.flow % SLOTS) as usize;
        let generation = (self.flow / SLOTS) as u8;
        let [sender, flow] = [from, to].map(|home| split.join(home.router as usize, slot));
        let common = Common { time, flow, host: to.host, size: self.size_bytes, generation };
        let flags = Flags::NONE.with(Flags::CAPABLE, self.capable).with(Flags::MARKED, self.marked);
        Packet::data(common, DataSegment { seq: self.id as u32, stamp: 0, flags }, sender)
    }

    /// The header by which it is known.
    pub fn header(&self) -> CongestionHeader {
        CongestionHeader { scheme: SCHEME, words: [self.id as f64, 0.0, 0.0, 0.0] }
    }
}

/// The number of the packet that carries this header, if it is a foreign one.
pub fn id_of(header: &CongestionHeader) -> Option<u64> {
    (header.scheme == SCHEME).then_some(header.words[0] as u64)
}

/// A foreign packet has reached its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Delivery {
    pub time: Time,
    pub id: u64,
    /// It bears a mark (CE), from a port or from before.
    pub marked: bool,
}

/// A foreign packet was dropped, or lost on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loss {
    /// When it reached the port.
    pub time: Time,
    pub id: u64,
}

/// What became of foreign packets. A packet that a link duplicates has an entry for each copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    pub delivered: Vec<Delivery>,
    pub lost: Vec<Loss>,
}

impl Outcomes {
    pub fn merge(&mut self, mut other: Self) {
        self.delivered.append(&mut other.delivered);
        self.lost.append(&mut other.lost);
    }

    /// In order of time, then of number.
    pub fn sort(&mut self) {
        self.delivered.sort_unstable();
        self.lost.sort_unstable();
    }

    pub fn is_empty(&self) -> bool {
        self.delivered.is_empty() && self.lost.is_empty()
    }
}

/// Why a packet cannot be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// All before this instant has happened.
    Past(Time),
    /// The run stopped within a window: it has to be advanced to the window's end first.
    Within,
    /// The plan has no live host of this number.
    NoHost(u32),
    /// Its hosts sit at the same router, with no link between them.
    NoLink,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Past(now) => {
                write!(f, "the simulation is already at {now} ps; a packet must not be earlier")
            }
            Self::Within => {
                write!(f, "the run stopped within a window; advance it to the end of the window first")
            }
            Self::NoHost(host) => write!(f, "there is no live host {host}"),
            Self::NoLink => write!(f, "both hosts are on one router, with no link between them"),
        }
    }
}

impl std::error::Error for Refused {}
