//! Hosts at routers: how many fit, and that none would talk to itself.

use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::{Node, Pool};

use crate::packet::Split;

/// A host's number travels in 24 bits of each SYN; the last two have a meaning of their own.
const MOST_HOSTS: u64 = (1 << 24) - 3;

/// Hosts counted at each router, over all traffic.
pub struct Room {
    at: Vec<u64>,
    /// An address divides its 32 bits between routers and what is at them.
    most: u64,
}

impl Room {
    pub fn new(routers: usize) -> Self {
        let slots = Split::for_routers(routers).slots() as u64;
        Self { at: vec![0; routers], most: slots.min(MOST_HOSTS) }
    }

    pub fn add(&mut self, node: u32, hosts: u64, at: &PlanPath) -> Result {
        let (all, most) = (&mut self.at[node as usize], self.most);
        *all += hosts;
        at.holds(*all <= most, || {
            format!("with it router {node} has {all} hosts; in this network a router may have at most {most}")
        })
    }
}

/// Refuses sources whose only receivers are on the same router, both without a link of their own.
/// A host is never paired with a receiver at its router while there are others.
pub fn check_paths(nodes: &[Node], sources: &[Pool], receivers: &[Pool], at: &PlanPath) -> Result {
    let only = receivers[0].node;
    let one_router = receivers.iter().all(|pool| pool.node == only);
    let bare = |pool: &Pool| pool.node == only && pool.edge.is_none();
    let stays = one_router && receivers.iter().any(bare) && sources.iter().any(bare);
    at.holds(!stays, || no_link(nodes, only))
}

pub fn no_link(nodes: &[Node], node: u32) -> String {
    let name = &nodes[node as usize].name;
    format!("source and receiver are both on router '{name}' and no link is between them")
}
