//! Which routers can communicate: packets need a route there, and ACKs a route back.

use headgate_model::plan::Node;

use crate::traffic::plan_context::PlanContext;
use crate::traffic::routes::{RouteLink, mutual_groups};

/// Routers in groups. Within a group, every router reaches every other.
pub struct Groups(Vec<u32>);

impl Groups {
    /// The groups of a plan's routers.
    pub fn new(context: &PlanContext) -> Self {
        let links: Vec<RouteLink> = context.links.iter().map(RouteLink::from).collect();
        Self(mutual_groups(context.nodes.len(), &links))
    }

    /// Returns whether two routers are in the same group.
    pub fn are_connected(&self, a: u32, b: u32) -> bool {
        self.0[a as usize] == self.0[b as usize]
    }

    /// Returns a source and a receiver that cannot communicate, if there are any. Because reachability is
    /// transitive, comparing all with the first of each side finds one.
    pub fn find_unconnected(
        &self,
        sources: impl Iterator<Item = u32> + Clone,
        receivers: impl Iterator<Item = u32> + Clone,
    ) -> Option<(u32, u32)> {
        let (source, receiver) = (sources.clone().next()?, receivers.clone().next()?);
        let lost = receivers.map(|node| (source, node)).chain(sources.map(|node| (node, receiver)));
        lost.into_iter().find(|&(a, b)| !self.are_connected(a, b))
    }
}

/// States that no route connects two routers.
pub fn no_route_message(nodes: &[Node], (from, to): (u32, u32)) -> String {
    let name = |node: u32| &nodes[node as usize].name;
    format!("no route leads from router '{}' to '{}' and back", name(from), name(to))
}
