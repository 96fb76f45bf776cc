//! The sources behind one router: processes of all kinds of traffic, their sources counted through.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use super::kinds::AnyProcess;
use super::opening::Opening;
use super::process::{Moment, Turn};
use super::spec::Spec;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    parts: Vec<Part>,
    count: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    /// The number of its first source.
    first: u32,
    /// Index of its kind of traffic.
    spec: u32,
    process: AnyProcess,
}

impl Sources {
    /// Adds a process of the kind of traffic of that index.
    pub fn add(&mut self, spec: u32, process: AnyProcess) {
        let first = self.count;
        self.count += process.get().sources();
        self.parts.push(Part { first, spec, process });
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first turns of all sources.
    pub fn start(&mut self, specs: &[Spec]) -> Vec<(u32, Time)> {
        let start = |part: &mut Part| {
            let (first, turns) = (part.first, part.process.get_mut().start(&specs[part.spec as usize]));
            turns.into_iter().map(move |(source, time)| (first + source, time))
        };
        self.parts.iter_mut().flat_map(start).collect()
    }

    /// It is a source's turn.
    pub fn wake(&mut self, source: u32, now: Time, specs: &[Spec], router: u32) -> Turn {
        let part = self.part(source);
        let moment = Moment { now, router, spec: &specs[part.spec as usize] };
        let turn = part.process.get_mut().wake(source - part.first, &moment);
        Turn { opening: Opening { owner: part.first + turn.opening.owner, ..turn.opening }, ..turn }
    }

    /// A flow of a source begins; whether it is its only one.
    pub fn begin(&mut self, source: u32) -> bool {
        let part = self.part(source);
        part.process.get_mut().begin(source - part.first)
    }

    /// A flow of a source is over; whether it was its only one.
    pub fn end(&mut self, source: u32) -> bool {
        let part = self.part(source);
        part.process.get_mut().end(source - part.first)
    }

    /// When the turn comes of a source that waited for its flow to end.
    pub fn after(&mut self, source: u32, now: Time) -> Option<Time> {
        let part = self.part(source);
        part.process.get_mut().after(source - part.first, now)
    }

    fn part(&mut self, source: u32) -> &mut Part {
        let at = self.parts.partition_point(|part| part.first <= source) - 1;
        &mut self.parts[at]
    }

    pub fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.process.get().bytes()).sum();
        parts + self.parts.capacity() * size_of::<Part>()
    }
}
