//! The order in which a port that stores packets sends them.

use headgate_model::chance::Stream;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, TwoQueues, Verdict};
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The order of service: chosen by a discipline, or first come, first served.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ServiceOrder<Q> {
    /// The discipline also decides at departure.
    ByDiscipline(Q),
    /// First come, first served.
    FirstCome(FifoQueue<Q>),
}

/// First come, first served. An optional discipline decides about arrivals.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FifoQueue<Q> {
    admission: Option<Q>,
    waiting: VecDeque<u32>,
}

impl<Q: Discipline> ServiceOrder<Q> {
    /// Uses the discipline for departures if it decides about them.
    pub fn new(queue: Option<Q>) -> Self {
        match queue {
            Some(queue) if queue.has_dequeue() => Self::ByDiscipline(queue),
            admission => Self::FirstCome(FifoQueue { admission, waiting: VecDeque::new() }),
        }
    }

    /// Returns the queue discipline, if there is one.
    pub fn discipline_mut(&mut self) -> Option<&mut Q> {
        match self {
            Self::ByDiscipline(queue) => Some(queue),
            Self::FirstCome(line) => line.admission.as_mut(),
        }
    }

    fn discipline(&self) -> Option<&Q> {
        match self {
            Self::ByDiscipline(queue) => Some(queue),
            Self::FirstCome(line) => line.admission.as_ref(),
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<Q: Discipline> Discipline for ServiceOrder<Q> {
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.discipline_mut().map_or(Verdict::Keep, |queue| queue.admit(arrival, port, chance))
    }

    fn next_tick(&self) -> Time {
        self.discipline().map_or(headgate_model::units::NEVER, Q::next_tick)
    }

    fn on_tick(&mut self, port: &Backlog) {
        if let Some(queue) = self.discipline_mut() {
            queue.on_tick(port);
        }
    }

    fn pass_idle_ticks(&mut self, until: Time, idle: &Backlog) {
        if let Some(queue) = self.discipline_mut() {
            queue.pass_idle_ticks(until, idle);
        }
    }

    fn has_dequeue(&self) -> bool {
        true
    }

    fn enqueue(&mut self, packet: QueuedPacket, port: &Backlog, drops: &mut Vec<u32>) {
        match self {
            Self::ByDiscipline(queue) => queue.enqueue(packet, port, drops),
            Self::FirstCome(line) => line.waiting.push_back(packet.id),
        }
    }

    fn make_room(&mut self, port: &Backlog, drops: &mut Vec<u32>) -> bool {
        match self {
            Self::ByDiscipline(queue) => queue.make_room(port, drops),
            Self::FirstCome(_) => false,
        }
    }

    #[inline]
    fn reads_headers(&self) -> bool {
        match self {
            Self::ByDiscipline(queue) => queue.reads_headers(),
            Self::FirstCome(_) => false,
        }
    }

    fn not_before(&self) -> Time {
        match self {
            Self::ByDiscipline(queue) => queue.not_before(),
            Self::FirstCome(_) => 0,
        }
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, chance: &mut Stream) -> Option<(u32, bool)> {
        match self {
            Self::ByDiscipline(queue) => queue.dequeue(port, drops, chance),
            Self::FirstCome(line) => line.waiting.pop_front().map(|id| (id, false)),
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        self.discipline().and_then(Q::gauge)
    }

    fn two_queues(&self) -> Option<TwoQueues> {
        self.discipline().and_then(Q::two_queues)
    }
}
