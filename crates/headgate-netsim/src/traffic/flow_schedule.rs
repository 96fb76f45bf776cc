//! A process whose flows start at known times.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use crate::packets::index::SourceIndex;

use super::flow_start::FlowStart;
use super::process::{ActiveFlows, Process, SourceAction, TimerContext};
use super::spec::TrafficSpec;

/// Flows of several sources at one router, with known start times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowSchedule {
    flows: Vec<ScheduledFlow>,
    /// Number of flows that have begun.
    begun: usize,
    /// From this time on, no flow sends anything new.
    ends: Time,
    /// Active flows of each source.
    active_flows: ActiveFlows,
}

/// A flow and its start time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ScheduledFlow {
    start: Time,
    opening: FlowStart,
}

impl FlowSchedule {
    /// An empty schedule. From `ends` on, picoseconds, no flow sends anything new.
    pub fn new(ends: Time) -> Self {
        Self { flows: Vec::new(), begun: 0, ends, active_flows: ActiveFlows::default() }
    }

    /// Adds a source. Returns its index.
    pub fn add_source(&mut self) -> SourceIndex {
        self.active_flows.add()
    }

    /// Adds a flow that starts at `start`, picoseconds.
    pub fn add(&mut self, start: Time, opening: FlowStart) {
        self.flows.push(ScheduledFlow { start, opening });
    }

    fn next(&self) -> Option<Time> {
        self.flows.get(self.begun).map(|listed| listed.start)
    }
}

/// All flows share one timer, that of the first source.
impl Process for FlowSchedule {
    fn sources(&self) -> u32 {
        self.active_flows.sources()
    }

    fn start(&mut self, _spec: &TrafficSpec) -> Vec<(SourceIndex, Time)> {
        self.flows.sort_by_key(|listed| listed.start);
        self.next().map(|start| (SourceIndex(0), start)).into_iter().collect()
    }

    fn wake(&mut self, _source: SourceIndex, _at: &TimerContext) -> SourceAction {
        let ScheduledFlow { opening, .. } = self.flows[self.begun];
        self.begun += 1;
        SourceAction { ends: self.ends, ..SourceAction::open(opening, self.next()) }
    }

    fn begin(&mut self, source: SourceIndex) -> bool {
        self.active_flows.begin(source)
    }

    fn end(&mut self, source: SourceIndex) -> bool {
        self.active_flows.end(source)
    }

    fn bytes(&self) -> usize {
        self.flows.capacity() * size_of::<ScheduledFlow>() + self.active_flows.bytes()
    }
}
