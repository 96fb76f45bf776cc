//! Sources and receivers of traffic whose flows or connections have names.

use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::Place;
use std::collections::BTreeMap;

use super::check::{Check, no_link};

/// Flows take the sources in turn, and of the receivers at other routers one in turn.
pub struct Pairs<'a> {
    sources: &'a [Place],
    /// By the router of a source.
    elsewhere: BTreeMap<u32, Vec<Place>>,
}

impl<'a> Pairs<'a> {
    /// Pairs of `count` flows.
    pub fn new(count: u32, sources: &'a [Place], receivers: &[Place]) -> Self {
        let sources = &sources[..sources.len().min(count as usize)];
        let elsewhere = |node| receivers.iter().copied().filter(|r| r.node != node).collect();
        Self { sources, elsewhere: sources.iter().map(|s| (s.node, elsewhere(s.node))).collect() }
    }

    /// A router whose flows would have to stay there.
    fn stuck(&self) -> Option<u32> {
        self.elsewhere.iter().find(|(_, receivers)| receivers.is_empty()).map(|(&node, _)| node)
    }

    /// Source and receiver of a flow; none is stuck.
    pub fn get(&self, n: u32) -> (Place, Place) {
        let source = self.sources[n as usize % self.sources.len()];
        let receivers = &self.elsewhere[&source.node];
        (source, receivers[n as usize % receivers.len()])
    }
}

/// Refuses places that do not exist, that cannot talk, or at which the hosts of `count` flows do not fit.
pub fn check_pairs(
    count: u32,
    (sources, receivers): (&[Place], &[Place]),
    check: &mut Check,
    at: &PlanPath,
) -> Result {
    check.places(sources, "sources", at)?;
    check.places(receivers, "receivers", at)?;
    let nodes = |places: &[Place]| places.iter().map(|place| place.node).collect::<Vec<_>>();
    check.reach(nodes(sources).into_iter(), nodes(receivers).into_iter(), at)?;
    let pairs = Pairs::new(count, sources, receivers);
    let stuck = pairs.stuck();
    at.holds(stuck.is_none(), || no_link(check.context.nodes, stuck.unwrap_or_default()))?;
    (0..count).try_for_each(|n| {
        let (source, receiver) = pairs.get(n);
        check.room.add(source.node, 1, at)?;
        check.room.add(receiver.node, 1, at)
    })
}
