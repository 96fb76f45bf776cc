//! The interface of processes, which begin flows during a run.

use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};

use crate::packets::index::{RouterIndex, SourceIndex};

use super::flow_start::FlowStart;
use super::spec::TrafficSpec;

/// Sources of one kind of traffic behind one router. Their state is part of the state of the run.
pub trait Process {
    /// Returns the number of sources.
    fn sources(&self) -> u32;

    /// Returns the first timers: sources and times.
    fn start(&mut self, spec: &TrafficSpec) -> Vec<(SourceIndex, Time)>;

    /// The timer of a source expired. Returns the flow that it begins.
    fn wake(&mut self, source: SourceIndex, at: &TimerContext) -> SourceAction;

    /// A flow of a source begins. Returns whether it is the source's only one.
    fn begin(&mut self, _source: SourceIndex) -> bool {
        true
    }

    /// A flow of a source ended. Returns whether it was the source's only one.
    fn end(&mut self, _source: SourceIndex) -> bool {
        true
    }

    /// A flow of a source ended. Returns when the source's timer expires next, if it waited for the flow.
    fn next_after_flow(&mut self, _source: SourceIndex, _now: Time) -> Option<Time> {
        None
    }

    /// Returns the memory of the process without the struct itself, bytes.
    fn bytes(&self) -> usize;
}

/// The surroundings of a source whose timer expired.
pub struct TimerContext<'a> {
    /// The time, picoseconds.
    pub now: Time,
    /// The router of the source.
    pub router: RouterIndex,
    /// The shared properties of the kind of traffic.
    pub spec: &'a TrafficSpec,
}

/// The action of a source when its timer expires.
#[derive(Clone, Copy, Debug)]
pub struct SourceAction {
    /// The flow that it begins.
    pub flow: FlowStart,
    /// From this time on, the flow sends nothing new; `NEVER` if there is no such time.
    pub ends: Time,
    /// The source's next timer, unless it waits for the flow to end.
    pub next: Option<Time>,
    /// If the flow is a burst on the source's persistent connection, its number from 1; otherwise 0.
    pub burst: u32,
}

impl SourceAction {
    /// Begins a flow that no time ends.
    pub fn open(flow: FlowStart, next: Option<Time>) -> Self {
        Self { flow, ends: NEVER, next, burst: 0 }
    }
}

/// The number of active flows of each source, for sources with up to several at a time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ActiveFlows(Vec<u32>);

impl ActiveFlows {
    /// This many sources without flows.
    pub fn new(sources: u32) -> Self {
        Self(vec![0; sources as usize])
    }

    /// Adds a source. Returns its index.
    pub fn add(&mut self) -> SourceIndex {
        self.0.push(0);
        SourceIndex(self.sources() - 1)
    }

    /// Returns the number of sources.
    pub fn sources(&self) -> u32 {
        self.0.len() as u32
    }

    /// Counts a flow that begins. Returns whether it is the source's only one.
    pub fn begin(&mut self, source: SourceIndex) -> bool {
        let flows = &mut self.0[source.index()];
        *flows += 1;
        *flows == 1
    }

    /// Counts a flow that ended. Returns whether it was the source's only one.
    pub fn end(&mut self, source: SourceIndex) -> bool {
        let flows = &mut self.0[source.index()];
        *flows -= 1;
        *flows == 0
    }

    /// Returns the memory of the counts, bytes.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}
