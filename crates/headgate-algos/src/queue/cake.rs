//! CAKE: flows and hosts share the line equally, each flow's queue is short, and a shaper needs no burst.
//!
//! # Overview
//! CAKE is FQ-CoDel with fewer collisions, hosts that share equally however many flows each has, a control that
//! also ends the queues of senders that do not respond, and a shaper.
//!
//! # The rule
//! A hash of the flow selects a set of eight of the 1024 queues. The flow keeps a queue of the set; two flows share
//! one only if all eight are in use. Queues are served as in FQ-CoDel: new ones first, each `quantum` bytes in its
//! turn. The quantum is 1514 bytes, or `bandwidth / 4096 Hz` from 300 to 1514 bytes, divided by the largest number
//! of persistent queues of either of its hosts. Each queue runs COBALT: CoDel, whose count falls by the signals that
//! were not due while the queue was short, and BLUE, whose probability of a drop rises by 1/256 at an overflow and
//! falls by 1/4096 when the queue is empty, at most once in each `target`. The last packet of a queue is never
//! dropped. Above `memory` bytes, the queue with the most bytes drops at its head. With a `bandwidth`, a packet of
//! `s` bytes leaves at the earliest `s / bandwidth` after the one before it could have left; time without packets
//! is not made up for. `s` includes `overhead`, is at least `mpu`, and is counted in cells or frames (`framing`).
//! At a low bandwidth, the target is 1.5 frames of 1514 bytes.
//!
//! # Differences from the paper
//! NOTE(Piece of CAKE section III-D): packets carry no DSCP, so there is one tin, `besteffort`. In Linux, tins do
//! not affect packets without a DSCP. Packets carry no `wash` or `nat` information either, and are single packets,
//! so that nothing is split.
//!
//! NOTE(sch_cake.c): `ingress` and `autorate-ingress` are absent. The ACK filter sees pure ACKs of TCP without a header of
//! router feedback only. They carry no options but time stamps, which never decrease, and SACK blocks. ACKs of QUIC
//! are encrypted.
//!
//! NOTE(sch_cake.c): the kernel counts the memory of its buffers, which exceeds the packet. Here `memory` counts
//! bytes of packets.
//!
//! NOTE(sch_cake.c): quanta and roots are real numbers. The kernel rounds quanta to bytes at random.
//!
//! NOTE(sch_cake.c): before its first signal, the gap of a queue is 0, so that the second packet above the target
//! is signalled at once. This is the kernel's behaviour; the paper does not mention it.
//!
//! NOTE(sch_cake.c): endpoints directly on a router are one host. Behind host links (`access`), each connection has
//! a separate host at its sender's end, as packets do not name it. ACKs name their destination only.
//!
//! # When to use it
//! At the line of a home or an office, with a bandwidth just below the line's.
//!
//! # References
//! Høiland-Jørgensen, Täht, Morton 2018 (Piece of CAKE); Linux `sch_cake.c`; RFC 8290; RFC 8289.

mod ack_filter;
mod cobalt;
mod options;
mod queues;
mod rotation;
mod shaper;
mod ways;

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{AckFields, Arrival, Backlog, Discipline, HostPair, QueuedPacket, Verdict};
use headgate_model::units::Time;

use crate::parts::ethernet::FRAME_BYTES;
use crate::parts::order::larger;
use cobalt::Limits;
pub use options::{AckFilter, Framing, Isolation};
use queues::QueueSet;
use shaper::Shaper;

headgate_model::params! {
    /// Rate of the shaper; 0 = none.
    bandwidth_bytes_s: number(0.0, (0.0, 1e13), "bytes/s", "Linux sch_cake.c, bandwidth"),
    /// Which packets share a queue, and which hosts or flows share the line equally.
    isolation: choice(Isolation, "Piece of CAKE §III-B; Linux sch_cake.c"),
    /// Wait up to which a queue may persist; at a low bandwidth it is larger.
    target_s: number(0.005, (0.0, 100.0), "s", "Linux sch_cake.c"),
    /// Time for which waits must exceed the target.
    interval_s: number(0.1, (1e-9, 1000.0), "s", "Linux sch_cake.c, rtt"),
    /// Bytes that each packet takes in addition on the line behind the shaper.
    overhead_bytes: number(0.0, (-64.0, 256.0), "bytes", "Linux sch_cake.c, overhead") used_with bandwidth_bytes_s,
    /// Least number of bytes that a packet takes there.
    mpu_bytes: number(0.0, (0.0, 256.0), "bytes", "Linux sch_cake.c, mpu") used_with bandwidth_bytes_s,
    /// The frames of the line behind the shaper.
    framing: choice(Framing, "Linux sch_cake.c, atm and ptm") used_with bandwidth_bytes_s,
    /// Which ACKs are dropped because a later one of their connection replaces them.
    ack_filter: choice(AckFilter, "Piece of CAKE §III-E; Linux sch_cake.c, ack-filter"),
    /// Bytes in all queues; 0 = automatic: four times the bandwidth for an interval, but from 4 MiB to 15.5 MB.
    memory_bytes: number(0.0, (0.0, 1e12), "bytes", "Linux sch_cake.c, memlimit"),
}

pub(crate) const CARD: Card = Card {
    name: "cake",
    title: "CAKE",
    aliases: &[],
    family: "delay",
    rule: "DRR over flows, quantum / flows of the host, CoDel and BLUE in each; leave >= last + size/bandwidth",
    response: "hosts and flows share equally",
    references: &["Høiland-Jørgensen, Täht, Morton 2018", "Linux sch_cake.c"],
    params: Params::TABLE,
};

/// Packets of the largest size that fit into the largest automatic memory (Linux `sch_cake.c`).
const LIMIT_PACKETS: f64 = 10_240.0;

/// The least automatic memory with a shaper, bytes, and its factor of the bandwidth (Linux `sch_cake.c`).
const LEAST_MEMORY_BYTES: f64 = 4_194_304.0;
const INTERVALS: f64 = 4.0;

/// The quantum is the bandwidth in bytes/s divided by this, within bounds in bytes (Linux `sch_cake.c`).
const QUANTA_PER_S: f64 = 4096.0;
const LEAST_QUANTUM_BYTES: f64 = 300.0;

/// A port's CAKE. Its queues are boxed, because every port takes the size of the largest discipline.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Cake {
    shaper: Shaper,
    memory_bytes: f64,
    /// The hosts of the arrival that is being decided on, and its fields if it is an ACK.
    arriving: (HostPair, Option<AckFields>),
    queues: Box<QueueSet>,
}

impl Cake {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        let shaper = Shaper::new(&params);
        let limits = compute_limits(&params, &shaper);
        let modes = (params.isolation, params.ack_filter);
        let queues = QueueSet::new(modes, limits, compute_quantum_bytes(params.bandwidth_bytes_s));
        Self {
            shaper,
            memory_bytes: compute_memory_bytes(&params),
            arriving: Default::default(),
            queues: Box::new(queues),
        }
    }
}

/// Returns the times of COBALT. They allow for the time that a frame takes at the bandwidth.
fn compute_limits(params: &Params, shaper: &Shaper) -> Limits {
    let Params { target_s, interval_s, .. } = *params;
    let frame_s = shaper.time_s(FRAME_BYTES);
    let raised_s = larger(1.5 * frame_s, target_s);
    let interval_s = larger(interval_s + raised_s - target_s, 2.0 * raised_s);
    Limits { target_s: raised_s, interval_s, least_s: 4.0 * frame_s }
}

fn compute_quantum_bytes(bandwidth_bytes_s: f64) -> f64 {
    if bandwidth_bytes_s == 0.0 {
        return FRAME_BYTES;
    }
    libm::floor(bandwidth_bytes_s / QUANTA_PER_S).clamp(LEAST_QUANTUM_BYTES, FRAME_BYTES)
}

fn compute_memory_bytes(params: &Params) -> f64 {
    let Params { bandwidth_bytes_s, interval_s, memory_bytes, .. } = *params;
    let most = LIMIT_PACKETS * FRAME_BYTES;
    match (memory_bytes, bandwidth_bytes_s) {
        (0.0, 0.0) => most,
        (0.0, rate) => (INTERVALS * rate * interval_s).clamp(LEAST_MEMORY_BYTES, most),
        (given, _) => given,
    }
}

impl Discipline for Cake {
    fn admit(&mut self, arrival: &Arrival, _port: &Backlog, _chance: &mut Stream) -> Verdict {
        self.arriving = (arrival.hosts, arrival.ack);
        Verdict::Keep
    }

    fn reads_headers(&self) -> bool {
        true
    }

    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, port: &Backlog, drops: &mut Vec<u32>) {
        if self.queues.packets() == 0 {
            self.shaper.begin(port.now_s);
        }
        self.queues.push(packet, self.arriving, drops);
        while self.queues.bytes() as f64 > self.memory_bytes && self.queues.shorten(port.now_s, drops) {}
    }

    fn make_room(&mut self, port: &Backlog, drops: &mut Vec<u32>) -> bool {
        self.queues.shorten(port.now_s, drops)
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, chance: &mut Stream) -> Option<(u32, bool)> {
        let mut decays = true;
        while self.queues.packets() > 0 {
            let at = self.queues.next_turn(&mut decays)?;
            let Some((packet, marked)) = self.queues.take(at, port.now_s, drops, chance) else {
                self.queues.rest(at, port.now_s);
                continue;
            };
            let bytes = self.shaper.size(packet.size_bytes);
            self.shaper.charge(bytes);
            self.queues.charge(at, bytes);
            return Some((packet.id, marked));
        }
        None
    }

    fn not_before(&self) -> Time {
        self.shaper.next
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("busy queues", self.queues.busy() as f64))
    }
}

#[cfg(test)]
mod tests;
