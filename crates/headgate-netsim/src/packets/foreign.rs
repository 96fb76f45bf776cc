//! Foreign packets: packets with a payload that the engine does not know. The caller that injects one
//! numbers it, and learns by that number whether the packet was delivered or lost.
//!
//! A foreign packet is a data packet with a header of a separate scheme, so it costs other packets nothing.
//! Headers move with packets between shards, are copied with a packet, and are released when the packet is
//! lost.

use headgate_model::ecn::Ecn;
use headgate_model::feedback::CongestionHeader;
use headgate_model::units::Time;
use headgate_tcp::context::DataSegment;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::packets::address::AddressSplit;
use crate::packets::address::HostLocation;
use crate::packets::packet::{CommonFields, Packet};

/// The scheme of the header of foreign packets. No router reads it.
const SCHEME: u8 = u8::MAX;

/// Packet numbers are below this, because the words of a header are floating-point numbers.
pub const MOST_IDS: u64 = 1 << 53;

/// The last slots at a router, which the flows of its live hosts share. A flow keeps its slot until 4096
/// others have begun; the next flow there has another generation.
pub const SLOTS: u32 = 4096;

/// A packet that enters the network at a live host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignPacket {
    /// Number of the packet in results, below [`MOST_IDS`]. Several packets may share one.
    pub id: u64,
    /// Number of the sending live host, in the order of the plan.
    pub from: u32,
    /// Number of the receiving live host, in the order of the plan.
    pub to: u32,
    /// Flow number by which queues distinguish flows. It increases with each new flow of the run.
    pub flow: u32,
    /// Size with headers, bytes.
    pub size_bytes: u16,
    /// The ECN field with which the packet is injected.
    pub ecn: Ecn,
}

impl ForeignPacket {
    /// Returns the packet as it leaves its host at `time`.
    pub fn packet(&self, time: Time, [from, to]: [HostLocation; 2], split: AddressSplit) -> Packet {
        let slot = split.slots() - 1 - (self.flow % SLOTS) as usize;
        let generation = (self.flow / SLOTS) as u8;
        let [sender, address] = [from, to].map(|home| split.join(home.router, slot));
        let common = CommonFields { time, address, host: to.host, size: self.size_bytes, generation };
        let segment = DataSegment { seq: self.id as u32, stamp: 0, flags: self.ecn.into() };
        Packet::data(common, segment, sender)
    }

    /// Returns the header that carries the packet's number.
    pub fn header(&self) -> CongestionHeader {
        CongestionHeader { scheme: SCHEME, words: [self.id as f64, 0.0, 0.0, 0.0] }
    }
}

/// Returns the packet number in this header, if the packet is foreign.
pub fn id_of(header: &CongestionHeader) -> Option<u64> {
    (header.scheme == SCHEME).then_some(header.words[0] as u64)
}

/// The delivery of a foreign packet to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Delivery {
    /// When the packet reached its host, picoseconds.
    pub time: Time,
    /// Number of the packet.
    pub id: u64,
    /// The ECN field with which the packet arrived. Ports and links may have changed it.
    pub ecn: Ecn,
}

/// The drop of a foreign packet, or its loss on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loss {
    /// When the packet reached the port, picoseconds.
    pub time: Time,
    /// Number of the packet.
    pub id: u64,
}

/// Deliveries and losses of foreign packets. Each copy of a duplicated packet is a separate entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Deliveries.
    pub delivered: Vec<Delivery>,
    /// Losses.
    pub lost: Vec<Loss>,
}

impl Outcomes {
    /// Appends the outcomes of another shard.
    pub fn merge(&mut self, mut other: Self) {
        self.delivered.append(&mut other.delivered);
        self.lost.append(&mut other.lost);
    }

    /// Sorts by time, then by number.
    pub fn sort(&mut self) {
        self.delivered.sort_unstable();
        self.lost.sort_unstable();
    }

    /// Returns whether there are no outcomes.
    pub fn is_empty(&self) -> bool {
        self.delivered.is_empty() && self.lost.is_empty()
    }
}

/// The reason that a packet cannot be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectError {
    /// All events before this instant have happened.
    Past(Time),
    /// The run stopped within a window. It must first advance to the end of the window.
    MidWindow,
    /// The number of the host is not that of a live host.
    NoHost(u32),
    /// Both hosts are on the same router, and no link is between them.
    NoLink,
}

impl fmt::Display for InjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Past(now) => {
                write!(f, "the simulation is already at {now} ps; a packet must not be earlier")
            }
            Self::MidWindow => {
                write!(f, "the run stopped within a window; advance it to the end of the window first")
            }
            Self::NoHost(host) => write!(f, "there is no live host {host}"),
            Self::NoLink => write!(f, "both hosts are on one router, with no link between them"),
        }
    }
}

impl std::error::Error for InjectError {}
