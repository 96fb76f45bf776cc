//! The interface of router feedback: what a router measures, and what it writes into the headers that
//! senders of its scheme attach to their packets.

use crate::chance::Stream;
use crate::params::Card;
use crate::queue::Backlog;
use crate::units::{NEVER, Time};

/// What a header says; only its scheme knows what the words mean.
pub type Words = [f64; 4];

/// What a packet carries for the routers of a scheme, and brings back with its ACK.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CongestionHeader {
    /// Index of the scheme in its registry.
    pub scheme: u8,
    /// What it says.
    pub words: Words,
}

/// A packet that passes a router.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// With its headers, bytes.
    pub size_bytes: u32,
    /// It carries data; else it is an ACK or belongs to the handshake.
    pub data: bool,
}

/// A router's part of a scheme, at one port. Labels are those of its own scheme, on their way to the
/// receiver; other packets come without.
pub trait Feedback: Clone + Send {
    /// A packet arrives; it may still be dropped.
    fn on_arrival(&mut self, packet: &Passing, header: Option<&Words>, port: &Backlog);

    /// A packet's transmission begins; the backlog is without it.
    fn on_departure(&mut self, packet: &Passing, header: Option<&mut Words>, port: &Backlog);

    /// When a timer next goes off, picoseconds.
    fn next_tick(&self) -> Time {
        NEVER
    }

    /// It is that time.
    fn on_tick(&mut self, _port: &Backlog) {}

    /// Something to show over time, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of schemes' routers.
pub trait Routers:
    Feedback + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all routers, sorted by name; a router's scheme is its index here.
    fn cards() -> &'static [&'static Card];

    /// A router by its index, at a link of this rate, bytes/s.
    fn build(index: usize, values: &[f64], rate_bytes_s: f64, chance: Stream) -> Self;

    /// The scheme whose headers it reads.
    fn scheme(&self) -> u8;

    /// One header for an ACK that answers for two segments.
    fn fold(scheme: u8, older: &Words, newer: &Words) -> Words;
}
