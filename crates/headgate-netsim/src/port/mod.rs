//! Output ports: the queue in front of a line.
//!
//! There are three forms of port:
//!
//! * [`analytic::AnalyticPort`] decides everything when a packet arrives, and stores no packet.
//! * [`feedback::FeedbackPort`] adds router feedback. It stores each packet until its transmission begins.
//! * [`queued::QueuedPort`] serves disciplines that also decide at departure. It stores its packets.

pub mod analytic;
pub mod context;
pub mod feedback;
pub mod line;
pub mod loss;
pub mod opportunities;
pub mod outages;
pub mod queued;
pub mod rates;
pub mod served;
mod store;
pub mod ticks;
pub mod wire;

use headgate_model::chance::Stream;
use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::impairment::Impairments;
use headgate_model::plan::{Buffer, Link};
use headgate_model::queue::{Discipline, Queues};
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};

use crate::devices::{Arrays, PortDevices, ResolvedDevice};
use crate::packets::index::Address;
use crate::packets::packet::Packet;
use crate::record::PortRow;
use analytic::AnalyticPort;
use feedback::FeedbackPort;
use line::Line;
use loss::Loss;
use opportunities::{Opportunities, OpportunityTrace};
use outages::Outages;
use queued::{BuiltDevices, QueuedPort};
use rates::Rates;
use wire::{ImpairmentChain, Wire};

/// The fate of a packet at an analytic port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the other end at this time.
    Arrives(Time),
    /// The buffer was full, or the discipline dropped it.
    Dropped,
    /// The line sent it and lost it.
    Lost,
}

/// How many packets and bytes may be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferLimit {
    /// Packets, with the packet in service.
    pub packets: usize,
    /// Bytes.
    pub bytes: u64,
}

impl From<Buffer> for BufferLimit {
    fn from(buffer: Buffer) -> Self {
        let (packets, bytes) = match buffer {
            Buffer::Packets(n) => (usize::try_from(n).unwrap_or(usize::MAX - 1) + 1, u64::MAX),
            Buffer::Bytes(n) => (usize::MAX, n),
            Buffer::Infinite => (usize::MAX, u64::MAX),
        };
        Self { packets, bytes }
    }
}

/// Packets that the ports of a shard store, and their limit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PortOccupancy {
    /// Packets stored.
    pub packets: usize,
    /// Most packets that may be stored. The limit belongs to the machine, so snapshots omit it.
    #[serde(skip, default = "no_limit")]
    pub limit: usize,
    /// A packet found no room. It counts as dropped, and the results are invalid.
    pub is_exceeded: bool,
}

fn no_limit() -> usize {
    usize::MAX
}

impl Default for PortOccupancy {
    fn default() -> Self {
        Self { packets: 0, limit: no_limit(), is_exceeded: false }
    }
}

impl PortOccupancy {
    /// Reserves room for one more packet. Returns whether there was room.
    #[inline]
    fn reserve(&mut self) -> bool {
        let room = self.packets < self.limit;
        self.packets += usize::from(room);
        self.is_exceeded |= !room;
        room
    }
}

/// Extends the digest of a port by one departure. Equal runs have equal digests.
#[inline]
fn extend_digest(before: u64, leaves: Time, address: Address) -> u64 {
    (before ^ leaves ^ u64::from(address.0) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A port of any form. Analytic ports are many and stored side by side; the others are few.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub enum Port<L: ControllerRegistry> {
    /// Decides everything at arrival.
    Analytic(AnalyticPort<L::Queue>),
    /// Adds router feedback.
    Feedback(Box<FeedbackPort<L::Queue, L::Router>>),
    /// Stores its packets.
    Queued(Box<QueuedPort<L>>),
}

impl<L: ControllerRegistry> Port<L> {
    /// Creates the port of a link. `arrays` contains the traces of links.
    pub fn new(link: &Link, devices: &PortDevices, arrays: &Arrays, seed: u64) -> Self {
        let stream = |purpose: &str| Stream::new(seed, &format!("{purpose} {}", link.name), 0);
        let bytes_s = link.rate_bps as f64 / 8.0;
        let queue =
            devices.queue.as_ref().map(|choice| L::Queue::build(choice.index, &choice.values, bytes_s));
        let router = devices
            .feedback
            .as_ref()
            .map(|choice| L::Router::build(choice.index, &choice.values, bytes_s, stream("feedback")));
        let chance = stream("queue");
        if is_plain(link, devices) && !queue.as_ref().is_some_and(Discipline::has_dequeue) {
            let loss = Loss::new(link, stream("loss"));
            let analytic = AnalyticPort::new(link, loss).with_aqm(queue, chance);
            return match router {
                Some(router) => Self::Feedback(Box::new(FeedbackPort::new(analytic, router))),
                None => Self::Analytic(analytic),
            };
        }
        let beside = BuiltDevices {
            wire: wire::<L>(link, devices, seed),
            ingress: impairment_chain::<L>(&devices.ingress, "ingress", link, seed),
            router,
        };
        Self::Queued(Box::new(QueuedPort::new(link.buffer, line(link, arrays), queue, beside, chance)))
    }

    /// Returns the number of packets that wait at `now`, without the packet in service.
    pub fn queue(&mut self, now: Time) -> usize {
        match self {
            Self::Analytic(analytic) => analytic.queue(now),
            Self::Feedback(feedback) => feedback.analytic.queue(now),
            Self::Queued(queued) => queued.queue(),
        }
    }

    /// Counts the data packets that the port stores.
    pub fn held_data(&self) -> usize {
        match self {
            Self::Analytic(_) => 0,
            Self::Feedback(feedback) => feedback.held_data(),
            Self::Queued(queued) => queued.held_data(),
        }
    }

    /// Iterates over the packets that the port stores.
    pub fn held_mut(&mut self) -> Box<dyn Iterator<Item = &mut Packet> + '_> {
        match self {
            Self::Analytic(_) => Box::new(std::iter::empty()),
            Self::Feedback(feedback) => Box::new(feedback.held_mut()),
            Self::Queued(queued) => Box::new(queued.held_mut()),
        }
    }

    /// Returns the queue discipline, if there is one.
    pub fn discipline_mut(&mut self) -> Option<&mut L::Queue> {
        match self {
            Self::Analytic(analytic) => analytic.discipline_mut(),
            Self::Feedback(feedback) => feedback.analytic.discipline_mut(),
            Self::Queued(queued) => queued.discipline_mut(),
        }
    }

    /// Restarts the tally at `now`, the end of warm-up.
    pub fn reset(&mut self, now: Time) {
        match self {
            Self::Analytic(analytic) => analytic.reset(now),
            Self::Feedback(feedback) => feedback.analytic.reset(now),
            Self::Queued(queued) => queued.reset(now),
        }
    }

    /// Returns the bytes sent and the packets dropped since the tally began.
    pub fn sent_and_dropped(&mut self, now: Time) -> (u64, u64) {
        match self {
            Self::Analytic(analytic) => analytic.sent_and_dropped(now),
            Self::Feedback(feedback) => feedback.analytic.sent_and_dropped(now),
            Self::Queued(queued) => queued.sent_and_dropped(now),
        }
    }

    /// Returns the counts since the tally began.
    pub fn row(&mut self, now: Time) -> PortRow {
        match self {
            Self::Analytic(analytic) => analytic.row(now),
            Self::Feedback(feedback) => feedback.analytic.row(now),
            Self::Queued(queued) => queued.row(now),
        }
    }

    /// Returns the internal quantity of the router, or else of the discipline. NaN means that there is
    /// none.
    pub fn gauge(&self) -> f64 {
        match self {
            Self::Analytic(analytic) => analytic.gauge(),
            Self::Feedback(feedback) => feedback.gauge(),
            Self::Queued(queued) => queued.gauge(),
        }
    }

    /// Returns the digest of all departures.
    pub fn digest(&self) -> u64 {
        match self {
            Self::Analytic(analytic) => analytic.digest(),
            Self::Feedback(feedback) => feedback.analytic.digest(),
            Self::Queued(queued) => queued.digest(),
        }
    }

    /// Returns the memory that the port takes, bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Analytic(analytic) => analytic.bytes(),
            Self::Feedback(feedback) => feedback.bytes(),
            Self::Queued(queued) => queued.bytes(),
        }
    }
}

/// Returns whether a link needs only a rate, a delay and independent losses.
fn is_plain(link: &Link, devices: &PortDevices) -> bool {
    link.trace.is_none()
        && link.outages.is_empty()
        && link.delays.is_empty()
        && devices.ingress.is_empty()
        && devices.impairments.is_empty()
}

fn line(link: &Link, arrays: &Arrays) -> Line {
    let outages = Outages::new(&link.outages);
    let Some(trace) = &link.trace else {
        return Line::at_rates(Rates::new(link.rate_bps, &link.changes), outages);
    };
    let times = arrays[&trace.list].as_slice().into();
    let trace = OpportunityTrace::new(times, trace.period_ps.unwrap_or(NEVER));
    Line::from_trace(Opportunities::new(trace), link.rate_bps, outages)
}

fn wire<L: ControllerRegistry>(link: &Link, devices: &PortDevices, seed: u64) -> Wire<L::Impairment> {
    let chance = Stream::new(seed, &format!("loss {}", link.name), 0);
    let chain = impairment_chain::<L>(&devices.impairments, "impairment", link, seed);
    let always = !chain.is_empty() || Outages::new(&link.outages).has_cuts();
    let loss = if always { Some(Loss::always(link, chance)) } else { Loss::new(link, chance) };
    let delays: Vec<_> = link.delays.iter().map(|change| (change.at_ps, change.delay_ps)).collect();
    Wire::new(link.delay_ps, &delays, chain, loss)
}

fn impairment_chain<L: ControllerRegistry>(
    choices: &[ResolvedDevice],
    purpose: &str,
    link: &Link,
    seed: u64,
) -> ImpairmentChain<L::Impairment> {
    let stage = |(number, choice): (u64, &ResolvedDevice)| {
        let chance = Stream::new(seed, &format!("{purpose} {}", link.name), number);
        (L::Impairment::build(choice.index, &choice.values), chance)
    };
    (0..).zip(choices).map(stage).collect()
}

/// Creates a link for tests: no buffer limit, no loss.
#[cfg(test)]
pub fn sample_link(rate_bps: u64, delay_ps: u64) -> Link {
    Link { name: "link".into(), to: 1, rate_bps, delay_ps, ..Link::default() }
}
