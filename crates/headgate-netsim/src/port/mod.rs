//! An output port: the queue that feeds a line.
//!
//! Where packets are kept or not as they arrive, in order, a port is [`analytic::AnalyticPort`], which stores none of
//! them; where a router gives feedback besides, [`feedback::FeedbackPort`], which stores its headers' numbers. Where the
//! queue decides at departure too it is [`queued::QueuedPort`].

pub mod analytic;
pub mod context;
pub mod feedback;
pub mod line;
pub mod loss;
pub mod opportunities;
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

use crate::choices::{Choice, Fitted, Lists};
use crate::packet::Packet;
use crate::record::PortRow;
use analytic::AnalyticPort;
use feedback::FeedbackPort;
use line::Line;
use loss::Loss;
use opportunities::{Opportunities, Trace};
use queued::{Beside, QueuedPort};
use rates::Rates;
use wire::{Stage, Wire};

/// What became of a packet offered to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the other end at this time.
    Arrives(Time),
    /// The buffer was full.
    Dropped,
    /// It was sent and lost on the line.
    Lost,
}

/// How much may be here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Packets, the one in service included.
    pub packets: usize,
    pub bytes: u64,
}

impl From<Buffer> for Room {
    fn from(buffer: Buffer) -> Self {
        let (packets, bytes) = match buffer {
            Buffer::Packets(n) => (usize::try_from(n).unwrap_or(usize::MAX - 1) + 1, u64::MAX),
            Buffer::Bytes(n) => (usize::MAX, n),
            Buffer::Infinite => (usize::MAX, u64::MAX),
        };
        Self { packets, bytes }
    }
}

/// Packets in the hands of ports.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Held {
    pub packets: usize,
    /// Packets that there may be: a limit of the machine, so it is not kept with the state.
    #[serde(skip, default = "no_limit")]
    pub most: usize,
    /// There was no room for some: they count as dropped, and the run means nothing.
    pub full: bool,
}

fn no_limit() -> usize {
    usize::MAX
}

impl Default for Held {
    fn default() -> Self {
        Self { packets: 0, most: no_limit(), full: false }
    }
}

impl Held {
    /// Whether there is room for one more, which is then taken.
    #[inline]
    fn take(&mut self) -> bool {
        let room = self.packets < self.most;
        self.packets += usize::from(room);
        self.full |= !room;
        room
    }
}

/// The digest of a port after one more departure: equal runs have equal sums.
#[inline]
fn digested(before: u64, leaves: Time, flow: u32) -> u64 {
    (before ^ leaves ^ u64::from(flow) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Any kind. Lines are many and lie side by side; the others are few.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub enum Port<L: ControllerRegistry> {
    Analytic(AnalyticPort<L::Queue>),
    Feedback(Box<FeedbackPort<L::Queue, L::Router>>),
    Queued(Box<QueuedPort<L>>),
}

impl<L: ControllerRegistry> Port<L> {
    /// `lists` are columns beside the plan, of which a link's trace is one.
    pub fn new(link: &Link, fitted: &Fitted, lists: &Lists, seed: u64) -> Self {
        let stream = |purpose: &str| Stream::new(seed, &format!("{purpose} {}", link.name), 0);
        let bytes_s = link.rate_bps as f64 / 8.0;
        let queue =
            fitted.queue.as_ref().map(|choice| L::Queue::build(choice.index, &choice.values, bytes_s));
        let router = fitted
            .feedback
            .as_ref()
            .map(|choice| L::Router::build(choice.index, &choice.values, bytes_s, stream("feedback")));
        let chance = stream("queue");
        if is_plain(link, fitted) && !queue.as_ref().is_some_and(Discipline::has_dequeue) {
            let loss = Loss::new(link, stream("loss"));
            let analytic = AnalyticPort::new(link, loss).with_aqm(queue, chance);
            return match router {
                Some(router) => Self::Feedback(Box::new(FeedbackPort::new(analytic, router))),
                None => Self::Analytic(analytic),
            };
        }
        let beside = Beside {
            wire: wire::<L>(link, fitted, seed),
            ingress: row::<L>(&fitted.ingress, "ingress", link, seed),
            router,
        };
        Self::Queued(Box::new(QueuedPort::new(link.buffer, line(link, lists), queue, beside, chance)))
    }

    /// Packets waiting at `now`, the one in service not counted.
    pub fn queue(&mut self, now: Time) -> usize {
        match self {
            Self::Analytic(analytic) => analytic.queue(now),
            Self::Feedback(feedback) => feedback.analytic.queue(now),
            Self::Queued(queued) => queued.queue(),
        }
    }

    /// Data packets that the port holds.
    pub fn held_data(&self) -> usize {
        match self {
            Self::Analytic(_) => 0,
            Self::Feedback(feedback) => feedback.held_data(),
            Self::Queued(queued) => queued.held_data(),
        }
    }

    /// The packets that the port holds.
    pub fn held_mut(&mut self) -> Box<dyn Iterator<Item = &mut Packet> + '_> {
        match self {
            Self::Analytic(_) => Box::new(std::iter::empty()),
            Self::Feedback(feedback) => Box::new(feedback.held_mut()),
            Self::Queued(queued) => Box::new(queued.held_mut()),
        }
    }

    /// What decides here, if anything does.
    pub fn discipline_mut(&mut self) -> Option<&mut L::Queue> {
        match self {
            Self::Analytic(analytic) => analytic.discipline_mut(),
            Self::Feedback(feedback) => feedback.analytic.discipline_mut(),
            Self::Queued(queued) => queued.discipline_mut(),
        }
    }

    /// Starts counting afresh at `now` (the end of warm-up).
    pub fn reset(&mut self, now: Time) {
        match self {
            Self::Analytic(analytic) => analytic.reset(now),
            Self::Feedback(feedback) => feedback.analytic.reset(now),
            Self::Queued(queued) => queued.reset(now),
        }
    }

    /// Bytes sent and packets dropped since the tally began.
    pub fn passed(&mut self, now: Time) -> (u64, u64) {
        match self {
            Self::Analytic(analytic) => analytic.passed(now),
            Self::Feedback(feedback) => feedback.analytic.passed(now),
            Self::Queued(queued) => queued.passed(now),
        }
    }

    /// What happened since the tally began.
    pub fn row(&mut self, now: Time) -> PortRow {
        match self {
            Self::Analytic(analytic) => analytic.row(now),
            Self::Feedback(feedback) => feedback.analytic.row(now),
            Self::Queued(queued) => queued.row(now),
        }
    }

    /// What the router or the queue shows of itself; NaN if nothing.
    pub fn gauge(&self) -> f64 {
        match self {
            Self::Analytic(analytic) => analytic.gauge(),
            Self::Feedback(feedback) => feedback.gauge(),
            Self::Queued(queued) => queued.gauge(),
        }
    }

    pub fn digest(&self) -> u64 {
        match self {
            Self::Analytic(analytic) => analytic.digest(),
            Self::Feedback(feedback) => feedback.analytic.digest(),
            Self::Queued(queued) => queued.digest(),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Analytic(analytic) => analytic.bytes(),
            Self::Feedback(feedback) => feedback.bytes(),
            Self::Queued(queued) => queued.bytes(),
        }
    }
}

/// Whether a link only has a rate, a delay and independent losses.
fn is_plain(link: &Link, fitted: &Fitted) -> bool {
    link.trace.is_none()
        && link.delays.is_empty()
        && fitted.ingress.is_empty()
        && fitted.impairments.is_empty()
}

fn line(link: &Link, lists: &Lists) -> Line {
    let Some(trace) = &link.trace else {
        return Line::paced(Rates::new(link.rate_bps, &link.changes));
    };
    let times = lists[&trace.list].as_slice().into();
    Line::traced(Opportunities::new(Trace::new(times, trace.period_ps.unwrap_or(NEVER))), link.rate_bps)
}

fn wire<L: ControllerRegistry>(link: &Link, fitted: &Fitted, seed: u64) -> Wire<L::Impairment> {
    let chance = Stream::new(seed, &format!("loss {}", link.name), 0);
    let row = row::<L>(&fitted.impairments, "impairment", link, seed);
    let loss = match row.as_slice() {
        [] => Loss::new(link, chance),
        _ => Some(Loss::kept(link, chance)),
    };
    let delays: Vec<_> = link.delays.iter().map(|change| (change.at_ps, change.delay_ps)).collect();
    Wire::new(link.delay_ps, &delays, row, loss)
}

fn row<L: ControllerRegistry>(
    choices: &[Choice],
    purpose: &str,
    link: &Link,
    seed: u64,
) -> Vec<Stage<L::Impairment>> {
    let stage = |(number, choice): (u64, &Choice)| {
        let chance = Stream::new(seed, &format!("{purpose} {}", link.name), number);
        (L::Impairment::build(choice.index, &choice.values), chance)
    };
    (0..).zip(choices).map(stage).collect()
}

/// A link for tests: no buffer limit, nothing special.
#[cfg(test)]
pub fn sample_link(rate_bps: u64, delay_ps: u64) -> Link {
    Link { name: "link".into(), to: 1, rate_bps, delay_ps, ..Link::default() }
}
