//! In which order those leave that a port holds.

use headgate_model::chance::Stream;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, Verdict};
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// As a discipline says that decides at departure, or first come, first served.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Served<Q> {
    ByDiscipline(Q),
    FirstCome(FirstCome<Q>),
}

/// First come, first served; what decides at arrivals may be absent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstCome<Q> {
    admission: Option<Q>,
    waiting: VecDeque<u32>,
}

impl<Q: Discipline> Served<Q> {
    pub fn new(queue: Option<Q>) -> Self {
        match queue {
            Some(queue) if queue.has_dequeue() => Self::ByDiscipline(queue),
            admission => Self::FirstCome(FirstCome { admission, waiting: VecDeque::new() }),
        }
    }

    /// What decides, if anything does.
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
impl<Q: Discipline> Discipline for Served<Q> {
    fn admit(&mut self, offer: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        self.discipline_mut().map_or(Verdict::Keep, |queue| queue.admit(offer, port, chance))
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

    fn make_room(&mut self, drops: &mut Vec<u32>) -> bool {
        match self {
            Self::ByDiscipline(queue) => queue.make_room(drops),
            Self::FirstCome(_) => false,
        }
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>) -> Option<(u32, bool)> {
        match self {
            Self::ByDiscipline(queue) => queue.dequeue(port, drops),
            Self::FirstCome(line) => line.waiting.pop_front().map(|id| (id, false)),
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        self.discipline().and_then(Q::gauge)
    }
}
