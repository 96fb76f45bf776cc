//! Which places must be simulated in step, and how far the others may run ahead.
//!
//! A place ("node") is a router, or the hosts behind it. Places joined by links shorter than
//! `SHORTEST` form one region; between regions nothing travels faster than the lookahead.

use headgate_model::units::{SECOND, Span};

use crate::plan::Plan;

/// Links shorter than this are no boundary: shorter windows cost more than they give.
const SHORTEST: Span = 20_000_000;

/// Windows of a network that is one region; they only batch packets.
const FREE_WINDOW: Span = 100_000_000;

/// The longest window: receivers linger longer than this.
const LONGEST: Span = SECOND / 2;

/// The longest window where packets come in from outside: until its end nobody hears what became of one.
const LIVE_WINDOW: Span = 250_000_000;

/// Regions as lists of nodes, and the lookahead between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    pub nodes: Vec<Vec<u32>>,
    pub lookahead: Span,
}

impl Regions {
    /// `hosts` gives the kind of link of every host of every router; `inline` says which routers
    /// also have hosts directly on them.
    pub fn of(plan: &Plan, hosts: &[Vec<u32>], inline: &[bool]) -> Self {
        let borders = borders(plan, hosts, inline);
        let mut parent: Vec<u32> = (0..2 * plan.nodes.len() as u32).collect();
        for &(a, b, _) in borders.iter().filter(|b| b.2 < SHORTEST) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b);
        }
        let cut = borders.iter().filter(|&&(a, b, _)| root(&mut parent, a) != root(&mut parent, b));
        let lookahead = cut.map(|b| b.2).min().unwrap_or(FREE_WINDOW).min(LONGEST);
        Self { nodes: collect(&mut parent), lookahead }
    }

    /// The same with windows that live hosts can wait for.
    pub fn with_live_windows(self) -> Self {
        Self { lookahead: self.lookahead.min(LIVE_WINDOW), ..self }
    }
}

/// Every way a packet can go, as (node, node, least delay).
fn borders(plan: &Plan, hosts: &[Vec<u32>], inline: &[bool]) -> Vec<(u32, u32, Span)> {
    let n = plan.nodes.len() as u32;
    let mut borders: Vec<_> = plan.links.iter().map(|l| (l.from, l.to, l.least_delay_ps())).collect();
    for router in 0..n {
        let edges = hosts[router as usize].iter();
        let direct = inline[router as usize].then_some(0);
        let delays = edges.map(|&e| plan.edges[e as usize].delay_ps).chain(direct);
        // where there are no hosts their node goes with its router
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

/// Regions in the order of their first node.
fn collect(parent: &mut [u32]) -> Vec<Vec<u32>> {
    let mut nodes = vec![Vec::new(); parent.len()];
    for node in 0..parent.len() as u32 {
        nodes[root(parent, node) as usize].push(node);
    }
    nodes.retain(|r| !r.is_empty());
    nodes
}
