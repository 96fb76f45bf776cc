//! The number of hosts at each router, and hosts that would send to themselves.

use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::{Node, Pool};

use crate::packets::address::{AddressSplit, HOST_BITS};

/// Most hosts at a router. A SYN carries a host's number in 22 bits, and the two greatest numbers are
/// reserved.
const MOST_HOSTS: u64 = (1 << HOST_BITS) - 3;

/// The number of hosts at each router, over all traffic.
pub struct HostCapacity {
    at: Vec<u64>,
    /// Most hosts at a router: an address divides its 32 bits between the router and the slot there.
    most: u64,
}

impl HostCapacity {
    /// No hosts at this many routers.
    pub fn new(routers: usize) -> Self {
        let slots = AddressSplit::for_routers(routers).slots() as u64;
        Self { at: vec![0; routers], most: slots.min(MOST_HOSTS) }
    }

    /// Adds hosts to a router. Rejects more than fit.
    pub fn add(&mut self, node: u32, hosts: u64, at: &PlanPath) -> Result {
        let (all, most) = (&mut self.at[node as usize], self.most);
        *all += hosts;
        at.holds(*all <= most, || {
            format!("with it router {node} has {all} hosts; in this network a router may have at most {most}")
        })
    }
}

/// Rejects sources whose only receivers are on the same router, if neither has a link. A host sends to a
/// receiver at its own router only if there is no other.
pub fn check_paths(nodes: &[Node], sources: &[Pool], receivers: &[Pool], at: &PlanPath) -> Result {
    let only = receivers[0].node;
    let one_router = receivers.iter().all(|pool| pool.node == only);
    let bare = |pool: &Pool| pool.node == only && pool.edge.is_none();
    let stays = one_router && receivers.iter().any(bare) && sources.iter().any(bare);
    at.holds(!stays, || no_link_message(nodes, only))
}

/// States that no link is between two hosts on the same router.
pub fn no_link_message(nodes: &[Node], node: u32) -> String {
    let name = &nodes[node as usize].name;
    format!("source and receiver are both on router '{name}' and no link is between them")
}
