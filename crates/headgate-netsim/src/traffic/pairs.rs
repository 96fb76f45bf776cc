//! Sources and receivers of traffic whose flows or connections are named individually.

use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::Place;
use std::collections::BTreeMap;

use super::check::{Check, no_link_message};

/// Assigns a source and a receiver to each flow. Flows use the sources in turn, and the receivers at other
/// routers in turn.
pub struct Pairs<'a> {
    sources: &'a [Place],
    /// For each router of a source the receivers at other routers.
    elsewhere: BTreeMap<u32, Vec<Place>>,
}

impl<'a> Pairs<'a> {
    /// Pairs of `count` flows.
    pub fn new(count: u32, sources: &'a [Place], receivers: &[Place]) -> Self {
        let sources = &sources[..sources.len().min(count as usize)];
        let elsewhere = |node| receivers.iter().copied().filter(|r| r.node != node).collect();
        Self { sources, elsewhere: sources.iter().map(|s| (s.node, elsewhere(s.node))).collect() }
    }

    /// Returns a router whose sources find no receiver at another router.
    fn router_without_receiver(&self) -> Option<u32> {
        self.elsewhere.iter().find(|(_, receivers)| receivers.is_empty()).map(|(&node, _)| node)
    }

    /// Returns the source and the receiver of a flow.
    pub fn get(&self, n: u32) -> (Place, Place) {
        let source = self.sources[n as usize % self.sources.len()];
        let receivers = &self.elsewhere[&source.node];
        (source, receivers[n as usize % receivers.len()])
    }
}

/// Rejects places that do not exist, pairs without a route, and more hosts than fit at a router. The
/// traffic consists of `count` flows.
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
    let router_without_receiver = pairs.router_without_receiver();
    at.holds(router_without_receiver.is_none(), || {
        no_link_message(check.context.nodes, router_without_receiver.unwrap_or_default())
    })?;
    (0..count).try_for_each(|n| {
        let (source, receiver) = pairs.get(n);
        check.capacity.add(source.node, 1, at)?;
        check.capacity.add(receiver.node, 1, at)
    })
}
