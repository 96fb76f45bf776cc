//! All sources behind one router, of all kinds of traffic.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use super::flow_start::FlowStart;
use crate::packets::index::{RouterIndex, SourceIndex};

use super::kinds::AnyProcess;
use super::process::{SourceAction, TimerContext};
use super::spec::TrafficSpec;

/// The sources behind one router, numbered from 0 over all processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    blocks: Vec<SourceBlock>,
    count: u32,
}

/// A process and the index of its first source.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SourceBlock {
    /// Index of its first source.
    first: u32,
    /// Index of its kind of traffic.
    spec: u32,
    process: AnyProcess,
}

impl Sources {
    /// Adds a process of a kind of traffic.
    pub fn add(&mut self, spec: u32, process: AnyProcess) {
        let first = self.count;
        self.count += process.get().sources();
        self.blocks.push(SourceBlock { first, spec, process });
    }

    /// Returns the number of sources.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the first timers of all sources.
    pub fn start(&mut self, specs: &[TrafficSpec]) -> Vec<(SourceIndex, Time)> {
        let start = |block: &mut SourceBlock| {
            let (first, timers) = (block.first, block.process.get_mut().start(&specs[block.spec as usize]));
            timers.into_iter().map(move |(source, time)| (SourceIndex(first + source.0), time))
        };
        self.blocks.iter_mut().flat_map(start).collect()
    }

    /// The timer of a source expired. Returns the flow that it begins.
    pub fn wake(
        &mut self,
        source: SourceIndex,
        now: Time,
        specs: &[TrafficSpec],
        router: RouterIndex,
    ) -> SourceAction {
        let block = self.block(source);
        let context = TimerContext { now, router, spec: &specs[block.spec as usize] };
        let action = block.process.get_mut().wake(SourceIndex(source.0 - block.first), &context);
        SourceAction {
            flow: FlowStart { source: SourceIndex(block.first + action.flow.source.0), ..action.flow },
            ..action
        }
    }

    /// A flow of a source begins. Returns whether it is the source's only one.
    pub fn begin(&mut self, source: SourceIndex) -> bool {
        let block = self.block(source);
        block.process.get_mut().begin(SourceIndex(source.0 - block.first))
    }

    /// A flow of a source ended. Returns whether it was the source's only one.
    pub fn end(&mut self, source: SourceIndex) -> bool {
        let block = self.block(source);
        block.process.get_mut().end(SourceIndex(source.0 - block.first))
    }

    /// A flow of a source ended. Returns when the source's timer expires next, if it waited for the flow.
    pub fn next_after_flow(&mut self, source: SourceIndex, now: Time) -> Option<Time> {
        let block = self.block(source);
        block.process.get_mut().next_after_flow(SourceIndex(source.0 - block.first), now)
    }

    fn block(&mut self, source: SourceIndex) -> &mut SourceBlock {
        let at = self.blocks.partition_point(|block| block.first <= source.0) - 1;
        &mut self.blocks[at]
    }

    /// Returns the memory of all processes, bytes.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| block.process.get().bytes()).sum();
        blocks + self.blocks.capacity() * size_of::<SourceBlock>()
    }
}
