//! The partition of a network into regions, and the lookahead between them.
//!
//! A node is a router, or the hosts behind one. Nodes joined by links shorter than `SHORTEST` form one
//! region. No packet travels from one region to another faster than the lookahead.

use headgate_model::units::{SECOND, Span};

use crate::packets::index::NodeIndex;
use crate::plan::Plan;

/// Shortest link between regions, picoseconds. Shorter windows cost more than they gain.
const SHORTEST: Span = 20_000_000;

/// Window of a network of one region, picoseconds. It only batches packets.
const FREE_WINDOW: Span = 100_000_000;

/// Longest window, picoseconds. Receivers outlive their senders by more than this.
const LONGEST: Span = SECOND / 2;

/// Longest window with live hosts, picoseconds. The fate of a packet is known only at the end of a window.
const LIVE_WINDOW: Span = 250_000_000;

/// The nodes of each region, and the lookahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// For each region its nodes.
    pub regions: Vec<Vec<NodeIndex>>,
    /// Least delay of a packet between regions, picoseconds.
    pub lookahead: Span,
}

impl Partition {
    /// Partitions the network of a plan. `hosts` contains the kind of link of every host of every router.
    /// `inline` says which routers also have hosts directly on them.
    pub fn of(plan: &Plan, hosts: &[Vec<u32>], inline: &[bool]) -> Self {
        let borders = borders(plan, hosts, inline);
        let mut parent: Vec<u32> = (0..2 * plan.nodes.len() as u32).collect();
        for &(a, b, _) in borders.iter().filter(|b| b.2 < SHORTEST) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b);
        }
        let cut = borders.iter().filter(|&&(a, b, _)| root(&mut parent, a) != root(&mut parent, b));
        let lookahead = cut.map(|b| b.2).min().unwrap_or(FREE_WINDOW).min(LONGEST);
        Self { regions: collect(&mut parent), lookahead }
    }

    /// Limits the windows to a length that live hosts can wait for.
    pub fn with_live_windows(self) -> Self {
        Self { lookahead: self.lookahead.min(LIVE_WINDOW), ..self }
    }
}

/// Lists all hops of packets as (node, node, least delay).
fn borders(plan: &Plan, hosts: &[Vec<u32>], inline: &[bool]) -> Vec<(u32, u32, Span)> {
    let n = plan.nodes.len() as u32;
    let mut borders: Vec<_> = plan.links.iter().map(|l| (l.from, l.to, l.least_delay_ps())).collect();
    for router in 0..n {
        let edges = hosts[router as usize].iter();
        let direct = inline[router as usize].then_some(0);
        let delays = edges.map(|&e| plan.edges[e as usize].delay_ps).chain(direct);
        // A node without hosts joins its router.
        borders.push((router, n + router, delays.min().unwrap_or(0)));
    }
    borders
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

/// Returns the regions in the order of their first node.
fn collect(parent: &mut [u32]) -> Vec<Vec<NodeIndex>> {
    let mut nodes = vec![Vec::new(); parent.len()];
    for node in 0..parent.len() as u32 {
        nodes[root(parent, node) as usize].push(NodeIndex(node));
    }
    nodes.retain(|r| !r.is_empty());
    nodes
}
