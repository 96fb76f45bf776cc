//! Who sends to whom among several single flows.

use headgate_model::plan::{Flows, Place};
use std::collections::BTreeMap;

/// Flows take the sources in turn, and of the receivers at other routers one in turn.
pub struct Turns<'a> {
    sources: &'a [Place],
    /// By the router of a source.
    elsewhere: BTreeMap<u32, Vec<Place>>,
}

impl<'a> Turns<'a> {
    pub fn new(flows: &'a Flows) -> Self {
        let used = flows.sources.len().min(flows.count as usize);
        let sources = &flows.sources[..used];
        let elsewhere = |node| flows.receivers.iter().copied().filter(|r| r.node != node).collect();
        Self { sources, elsewhere: sources.iter().map(|s| (s.node, elsewhere(s.node))).collect() }
    }

    /// A router whose flows would have to stay there.
    pub fn stuck(&self) -> Option<u32> {
        self.elsewhere.iter().find(|(_, receivers)| receivers.is_empty()).map(|(&node, _)| node)
    }

    /// Source and receiver of a flow; none is stuck.
    pub fn pair(&self, n: u32) -> (Place, Place) {
        let source = self.sources[n as usize % self.sources.len()];
        let receivers = &self.elsewhere[&source.node];
        (source, receivers[n as usize % receivers.len()])
    }
}
