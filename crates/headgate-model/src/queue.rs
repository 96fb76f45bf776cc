//! The interface of a queue discipline: which arrivals a port keeps, marks or drops, and which of those
//! that wait it sends next.
//!
//! Most decide at arrival only; then a port need not hold packets, since it knows at once when each one
//! leaves. One that decides at departure as well says so ([`Discipline::has_dequeue`]) and holds packets.
//!
//! [`Backlog`], [`Packet`] and [`Decision`] are laid out as C does, since a user's own discipline may be written in
//! another language: [`crate::layout`] and `headgate.h` tell their fields. A new field goes to the end of its record.

use crate::chance::Stream;
use crate::params::Card;
use crate::units::{NEVER, Time};

/// What becomes of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Keep,
    /// Kept, and marked as congested. Only packets capable of ECN are marked.
    Mark,
    /// It is dropped.
    Drop,
}

/// A packet that arrives where there is room for it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// With its headers, bytes.
    pub size_bytes: u32,
    /// Names its connection.
    pub flow: u64,
    /// It may be marked (ECT, RFC 3168).
    pub capable: bool,
}

/// A packet that waits: `id` names it for as long.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct QueuedPacket {
    /// The port's number for it.
    pub id: u32,
    /// With its headers, bytes.
    pub size_bytes: u32,
    /// Names its connection.
    pub flow: u64,
    /// It carries data; else it is an ACK or belongs to the handshake.
    pub data: bool,
    /// It may be marked (ECT, RFC 3168).
    pub capable: bool,
    /// When it came, seconds.
    pub since_s: f64,
}

/// A port as a discipline or a router sees it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Backlog {
    /// Now, seconds since the run began.
    pub now_s: f64,
    /// Packets that wait, the one in service not counted.
    pub packets: f64,
    /// Packets here, the one in service included.
    pub present: f64,
    /// Bytes still to be sent, the rest of the one in service included.
    pub bytes: f64,
    /// Bytes that the port holds, the packet in service not counted; 0 at a port that holds no packets.
    pub held_bytes: f64,
    /// Time until all that is here has left, seconds.
    pub wait_s: f64,
    /// How long the line has been idle, seconds; 0 while it sends.
    pub idle_s: f64,
    /// Rate of the line, bytes/s.
    pub rate_bytes_s: f64,
}

/// A packet as a user's own discipline sees it: it arrives, or is the next to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Packet {
    /// Names its connection.
    pub flow: u64,
    /// How long it has waited, seconds; 0 when it arrives.
    pub wait_s: f64,
    /// The rank that it was given when it arrived.
    pub rank: f64,
    /// With its headers, bytes.
    pub size_bytes: u32,
    /// It may be marked (ECT, RFC 3168).
    pub capable: bool,
}

/// Random numbers that lie ready for one decision.
pub const DRAWS: usize = 4;

/// Random numbers, uniform in (0, 1].
pub type Draws = [f64; DRAWS];

/// What a user's own discipline says of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C)]
pub struct Decision {
    /// [`Verdict`] by its number: 0 keeps, 1 marks, 2 drops.
    pub verdict: u32,
    /// How many of the random numbers were taken.
    pub drawn: u32,
    /// The place of an arrival in the queue: less goes first, equal ranks in the order of arrival.
    pub rank: f64,
    /// Random numbers, to be taken in their order.
    pub draws: Draws,
}

impl Decision {
    /// What was decided; `None` if it is no verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        [Verdict::Keep, Verdict::Mark, Verdict::Drop].get(self.verdict as usize).copied()
    }

    /// A random number, uniform in (0, 1]; past the last that lies ready it is 1, and counted all the same.
    pub fn draw(&mut self) -> f64 {
        let found = self.draws.get(self.drawn as usize).copied().unwrap_or(1.0);
        self.drawn = self.drawn.saturating_add(1);
        found
    }
}

/// A queue discipline. One file each, one registry line each.
pub trait Discipline: Clone + Send {
    /// Decides on an arrival; the backlog is without it.
    fn admit(&mut self, _offer: &Arrival, _port: &Backlog, _chance: &mut Stream) -> Verdict {
        Verdict::Keep
    }

    /// When the discipline next does something by itself, picoseconds.
    fn next_tick(&self) -> Time {
        NEVER
    }

    /// It is that time.
    fn on_tick(&mut self, _port: &Backlog) {}

    /// The port stays idle, as it is, up to this time: ticks until then may be passed over if none changes
    /// anything.
    fn pass_idle_ticks(&mut self, _until: Time, _idle: &Backlog) {}

    /// Whether it decides at departure too; then it gets every packet that was admitted.
    fn has_dequeue(&self) -> bool {
        false
    }

    /// Takes a packet. Those whose numbers it puts among `drops` it has dropped.
    fn enqueue(&mut self, _packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {}

    /// Drops something that waits, since there is no room for an arrival; false to drop the arrival.
    fn make_room(&mut self, _drops: &mut Vec<u32>) -> bool {
        false
    }

    /// The packet to send now, and whether it is marked; `None` if none is left.
    fn dequeue(&mut self, _port: &Backlog, _drops: &mut Vec<u32>) -> Option<(u32, bool)> {
        None
    }

    /// Something to show over time, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of disciplines.
pub trait Queues:
    Discipline + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all disciplines, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// A discipline by its index in [`Self::cards`], at a link of this rate, bytes/s. Indices beyond the cards are
    /// those of users' own, whose values say how a port must treat them.
    fn build(index: usize, values: &[f64], rate_bytes_s: f64) -> Self;
}
