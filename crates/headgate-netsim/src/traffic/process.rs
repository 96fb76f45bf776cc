//! The interface of what begins flows during a run.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};

use super::opening::Opening;
use super::spec::Spec;

/// Sources of one kind of traffic behind one router, numbered from 0. Their state is part of a run's.
pub trait Process {
    fn sources(&self) -> u32;

    /// Whose turn comes when, at first.
    fn start(&mut self, spec: &Spec) -> Vec<(u32, Time)>;

    /// It is a source's turn: it begins a flow.
    fn wake(&mut self, source: u32, at: &Moment) -> Turn;

    /// A flow of a source begins; whether it is its only one.
    fn begin(&mut self, _source: u32) -> bool {
        true
    }

    /// A flow of a source is over; whether it was its only one.
    fn end(&mut self, _source: u32) -> bool {
        true
    }

    /// When the turn comes of a source that waited for its flow to end.
    fn after(&mut self, _source: u32, _now: Time) -> Option<Time> {
        None
    }

    /// Memory besides the process itself.
    fn bytes(&self) -> usize;
}

/// When and where it is, and what is common to the kind of traffic.
pub struct Moment<'a> {
    pub now: Time,
    pub router: u32,
    pub spec: &'a Spec,
}

/// What a source does in its turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The flow that it begins.
    pub opening: Opening,
    /// From here on that flow sends nothing new.
    pub ends: Time,
    /// Its next turn, if it does not wait for the flow to end.
    pub next: Option<Time>,
    /// The flow is a burst on the source's connection, which stays open for more: its number, from 1; 0 = the flow
    /// has a connection of its own.
    pub burst: u32,
}

impl Turn {
    /// Begins a flow that no time ends.
    pub fn open(opening: Opening, next: Option<Time>) -> Self {
        Self { opening, ends: NEVER, next, burst: 0 }
    }
}

/// How many flows each source has under way, where one may have several.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnderWay(Vec<u32>);

impl UnderWay {
    pub fn new(sources: u32) -> Self {
        Self(vec![0; sources as usize])
    }

    /// One more source; its number.
    pub fn add(&mut self) -> u32 {
        self.0.push(0);
        self.sources() - 1
    }

    pub fn sources(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn begin(&mut self, source: u32) -> bool {
        let flows = &mut self.0[source as usize];
        *flows += 1;
        *flows == 1
    }

    pub fn end(&mut self, source: u32) -> bool {
        let flows = &mut self.0[source as usize];
        *flows -= 1;
        *flows == 0
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}
