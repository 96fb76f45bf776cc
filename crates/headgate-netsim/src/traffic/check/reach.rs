//! Who can talk to whom: routes there for packets and back for ACKs.

use headgate_model::plan::Node;

use crate::routes::{Way, groups};
use crate::traffic::context::Context;

/// Routers in groups: within a group every router reaches every other and is reached by it.
pub struct Groups(Vec<u32>);

impl Groups {
    pub fn new(context: &Context) -> Self {
        let links: Vec<Way> = context.links.iter().map(Way::from).collect();
        Self(groups(context.nodes.len(), &links))
    }

    pub fn together(&self, a: u32, b: u32) -> bool {
        self.0[a as usize] == self.0[b as usize]
    }

    /// A source and a receiver that cannot talk, if there are any. Reaching each other carries over,
    /// so comparing all with the first of each side finds one.
    pub fn apart(
        &self,
        sources: impl Iterator<Item = u32> + Clone,
        receivers: impl Iterator<Item = u32> + Clone,
    ) -> Option<(u32, u32)> {
        let (source, receiver) = (sources.clone().next()?, receivers.clone().next()?);
        let lost = receivers.map(|node| (source, node)).chain(sources.map(|node| (node, receiver)));
        lost.into_iter().find(|&(a, b)| !self.together(a, b))
    }
}

pub fn no_way(nodes: &[Node], (from, to): (u32, u32)) -> String {
    let name = |node: u32| &nodes[node as usize].name;
    format!("no route leads from router '{}' to '{}' and back", name(from), name(to))
}
