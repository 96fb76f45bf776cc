//! The interface of a queue discipline. It decides which arrivals a port keeps, marks or drops, and which
//! waiting packet is sent next.
//!
//! Most disciplines decide only at arrival. Their ports need not store packets, because they know at once
//! when each packet leaves. A discipline that also decides at departure declares it
//! ([`Discipline::has_dequeue`]); its port stores packets.
//!
//! [`Backlog`], [`Packet`] and [`Decision`] use C's layout, because a user-defined discipline may be written
//! in another language. [`crate::layout`] and `headgate.h` list their fields. A new field is appended to its
//! record.

use crate::chance::Stream;
use crate::ecn::Ecn;
use crate::params::Card;
use crate::units::{NEVER, SECOND, Time, picoseconds};

/// The decision on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet joins the queue.
    Keep,
    /// The packet is kept and marked as congested. Only ECN-capable packets are marked.
    Mark,
    /// The packet is dropped.
    Drop,
}

/// A packet that arrives at a port with space for it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Size with headers, bytes.
    pub size_bytes: u32,
    /// Identifies the connection.
    pub flow: u64,
    /// The ECN field. Only a packet that is capable may be marked.
    pub ecn: Ecn,
    /// The hosts at both ends, for disciplines that read headers.
    pub hosts: HostPair,
    /// The fields of a pure ACK of TCP, for disciplines that read headers.
    pub ack: Option<AckFields>,
}

/// The fields of an ACK by which a later one of its connection replaces it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AckFields {
    /// The next segment that the ACK expects.
    pub number: u32,
    /// SACK blocks, from a segment to the one behind the last; those of no segment are empty.
    pub sacks: [(u32, u32); 3],
    /// Whether it echoes a mark (RFC 3168).
    pub echo: bool,
}

/// The hosts at both ends of a packet, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HostPair {
    /// The host that sent the packet.
    pub source: u64,
    /// The host that the packet is addressed to.
    pub destination: u64,
}

/// A waiting packet; `id` identifies it while it waits.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct QueuedPacket {
    /// The port's number of the packet.
    pub id: u32,
    /// Size with headers, bytes.
    pub size_bytes: u32,
    /// Identifies the connection.
    pub flow: u64,
    /// Whether the packet carries data; otherwise it is an ACK or part of the handshake.
    pub data: bool,
    /// The ECN field. Only a packet that is capable may be marked.
    pub ecn: Ecn,
    /// Arrival time, seconds.
    pub since_s: f64,
}

/// The state of a port that a discipline or a router sees.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Backlog {
    /// Current time, seconds since the start of the run.
    pub now_s: f64,
    /// Waiting packets, excluding the one in service.
    pub packets: f64,
    /// Packets at the port, including the one in service.
    pub present: f64,
    /// Bytes still to be sent, including the rest of the packet in service.
    pub bytes: f64,
    /// Bytes that the port stores, excluding the packet in service; 0 at a port that stores no packets.
    pub held_bytes: f64,
    /// Time until all packets at the port have left, seconds.
    pub wait_s: f64,
    /// Time since the line became idle, seconds; 0 while it sends.
    pub idle_s: f64,
    /// Rate of the line, bytes/s.
    pub rate_bytes_s: f64,
}

/// A packet that arrives at a user-defined discipline, or that is the next to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Packet {
    /// Identifies the connection.
    pub flow: u64,
    /// Waiting time, seconds; 0 at arrival.
    pub wait_s: f64,
    /// The rank that the discipline assigned at arrival.
    pub rank: f64,
    /// Size with headers, bytes.
    pub size_bytes: u32,
    /// Whether the packet may be marked: its ECN field is ECT(0), ECT(1) or CE (RFC 3168).
    pub capable: bool,
    /// The ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u32,
}

impl Packet {
    /// Returns a packet with this ECN field and no rank, which has not waited.
    pub fn arriving(flow: u64, size_bytes: u32, ecn: Ecn) -> Self {
        Self { flow, wait_s: 0.0, rank: 0.0, size_bytes, capable: ecn.is_capable(), ecn: ecn.bits().into() }
    }
}

/// Number of random numbers available for one decision.
pub const DRAWS: usize = 4;

/// Random numbers, uniform in (0, 1].
pub type Draws = [f64; DRAWS];

/// A user-defined discipline's decision on a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C)]
pub struct Decision {
    /// [`Verdict`] by its number: 0 = keep, 1 = mark, 2 = drop.
    pub verdict: u32,
    /// Number of random numbers that were used.
    pub drawn: u32,
    /// The rank of an arrival. Lower ranks leave first, equal ranks in order of arrival.
    pub rank: f64,
    /// Random numbers, to be used in order.
    pub draws: Draws,
}

impl Decision {
    /// The verdict; `None` if the number is not one.
    pub fn verdict(&self) -> Option<Verdict> {
        [Verdict::Keep, Verdict::Mark, Verdict::Drop].get(self.verdict as usize).copied()
    }

    /// Draws a random number, uniform in (0, 1]. After the last available number it returns 1, which counts
    /// too.
    pub fn draw(&mut self) -> f64 {
        let found = self.draws.get(self.drawn as usize).copied().unwrap_or(1.0);
        self.drawn = self.drawn.saturating_add(1);
        found
    }
}

/// A queue discipline. Each is one file and one line of the registry. Its type provides `new(params: Params,
/// rate_bytes_s: f64)`; `rate_bytes_s` is the rate of the link in bytes/s.
pub trait Discipline: Clone + Send {
    /// Decides on an arrival. The backlog excludes it.
    fn admit(&mut self, _arrival: &Arrival, _port: &Backlog, _chance: &mut Stream) -> Verdict {
        Verdict::Keep
    }

    /// Time of the discipline's next tick, picoseconds.
    fn next_tick(&self) -> Time {
        NEVER
    }

    /// A tick is due.
    fn on_tick(&mut self, _port: &Backlog) {}

    /// The port stays idle until this time: ticks before it may be skipped if they change nothing.
    fn pass_idle_ticks(&mut self, _until: Time, _idle: &Backlog) {}

    /// Whether [`Self::admit`] reads [`Arrival::hosts`] and [`Arrival::ack`]. Ports provide them only then.
    fn reads_headers(&self) -> bool {
        false
    }

    /// Whether the discipline also decides at departure. It then receives every admitted packet.
    fn has_dequeue(&self) -> bool {
        false
    }

    /// Takes a packet. The numbers of packets that it drops are added to `drops`.
    fn enqueue(&mut self, _packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {}

    /// Drops a waiting packet to make room for an arrival. Returns false to drop the arrival instead.
    fn make_room(&mut self, _port: &Backlog, _drops: &mut Vec<u32>) -> bool {
        false
    }

    /// Returns the packet to send now and whether it is marked; `None` if none is left.
    fn dequeue(
        &mut self,
        _port: &Backlog,
        _drops: &mut Vec<u32>,
        _chance: &mut Stream,
    ) -> Option<(u32, bool)> {
        None
    }

    /// Time before which the next packet may not leave, picoseconds; 0 = the line alone decides. It may change
    /// at each [`Self::enqueue`] that ends an idle time, never to a later one than the arrival, and at each
    /// [`Self::dequeue`].
    fn not_before(&self) -> Time {
        0
    }

    /// A quantity for time series, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }

    /// The counts since the start of a discipline with a low-latency and a classic queue.
    fn two_queues(&self) -> Option<TwoQueues> {
        None
    }
}

/// Counts of the packets of one queue of a discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueCounts {
    /// Packets sent.
    pub sent: u64,
    /// Time that the packets sent have waited, picoseconds.
    pub wait_ps: u128,
    /// Packets marked.
    pub marks: u64,
    /// Packets dropped by the discipline.
    pub drops: u64,
}

impl QueueCounts {
    /// Counts a packet that leaves after this wait.
    pub fn send(&mut self, wait_s: f64, marked: bool) {
        self.sent += 1;
        self.wait_ps += u128::from(picoseconds(wait_s));
        self.marks += u64::from(marked);
    }

    /// Returns the mean wait of the packets sent, seconds; NaN without any.
    #[must_use]
    pub fn mean_wait_s(&self) -> f64 {
        if self.sent == 0 { f64::NAN } else { self.wait_ps as f64 / self.sent as f64 / SECOND as f64 }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            wait_ps: self.wait_ps - before.wait_ps,
            marks: self.marks - before.marks,
            drops: self.drops - before.drops,
        }
    }
}

/// The counts of a discipline with two queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TwoQueues {
    /// The low-latency queue.
    pub low: QueueCounts,
    /// The classic queue.
    pub classic: QueueCounts,
}

impl TwoQueues {
    /// Returns the counts of the low-latency queue, or of the classic one.
    pub fn of(&mut self, low: bool) -> &mut QueueCounts {
        if low { &mut self.low } else { &mut self.classic }
    }

    /// Returns the counts since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self { low: self.low.since(&before.low), classic: self.classic.since(&before.classic) }
    }
}

/// A registry of disciplines.
pub trait Queues:
    Discipline + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all disciplines, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// Creates a discipline by its index in [`Self::cards`], at a link of this rate, bytes/s. Indices beyond
    /// the cards are those of user-defined disciplines; their values describe how a port must treat them.
    fn build(index: usize, values: &[f64], rate_bytes_s: f64) -> Self;
}
