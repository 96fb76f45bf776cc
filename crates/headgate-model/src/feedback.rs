//! The interface of router feedback: a router measures traffic and writes into the headers that senders of
//! its scheme attach to their packets.

use crate::chance::Stream;
use crate::ecn::Ecn;
use crate::params::Card;
use crate::queue::Backlog;
use crate::units::{NEVER, Time};

/// The content of a congestion header. Its meaning depends on the scheme.
pub type Words = [f64; 4];

/// The congestion header that a packet carries to the routers of a scheme, and that returns with its ACK.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CongestionHeader {
    /// Index of the scheme in its registry.
    pub scheme: u8,
    /// The content.
    pub words: Words,
}

/// A packet that passes a router.
#[derive(Clone, Copy, Debug)]
pub struct PassingPacket {
    /// Size with headers, bytes.
    pub size_bytes: u32,
    /// Whether the packet carries data; otherwise it is an ACK or part of the handshake.
    pub data: bool,
    /// The ECN field.
    pub ecn: Ecn,
}

/// The router of a scheme at one port. It receives the headers of its scheme on their way to the
/// receiver; other packets arrive without a header.
pub trait Feedback: Clone + Send {
    /// A packet arrives. It may still be dropped.
    fn on_arrival(&mut self, packet: &PassingPacket, header: Option<&Words>, port: &Backlog);

    /// The transmission of a packet begins. The backlog excludes it.
    fn on_departure(&mut self, packet: &PassingPacket, header: Option<&mut Words>, port: &Backlog);

    /// The time of the next tick, picoseconds.
    fn next_tick(&self) -> Time {
        NEVER
    }

    /// A tick is due.
    fn on_tick(&mut self, _port: &Backlog) {}

    /// A quantity for time series, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of the schemes' routers.
pub trait Routers:
    Feedback + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all routers, sorted by name. A router's index is the number of its scheme.
    fn cards() -> &'static [&'static Card];

    /// Creates a router by its index, at a link of this rate, bytes/s.
    fn build(index: usize, values: &[f64], rate_bytes_s: f64, chance: Stream) -> Self;

    /// The scheme whose headers the router reads.
    fn scheme(&self) -> u8;

    /// Merges two headers for an ACK that covers two segments.
    fn fold(scheme: u8, older: &Words, newer: &Words) -> Words;
}
