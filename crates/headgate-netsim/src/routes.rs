//! Shortest paths by delay, found once.

use headgate_model::plan::Link;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NO_LINK: u32 = u32::MAX;

/// For every pair of routers the link to take; among equal paths the first link listed wins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Routes {
    nodes: usize,
    table: Vec<u32>,
}

impl Routes {
    pub fn new(nodes: usize, links: &[Link]) -> Self {
        let mut arriving = vec![Vec::new(); nodes];
        for (index, link) in links.iter().enumerate() {
            arriving[link.to as usize].push(index as u32);
        }
        let mut table = vec![NO_LINK; nodes * nodes];
        for to in 0..nodes {
            let tree = tree_towards(to, links, &arriving);
            for (from, link) in tree.into_iter().enumerate() {
                table[from * nodes + to] = link;
            }
        }
        Self { nodes, table }
    }

    /// The link that leads from one router towards another; none if they are the same or apart.
    pub fn next(&self, from: usize, to: usize) -> Option<u32> {
        let link = self.link(from, to);
        (link != NO_LINK).then_some(link)
    }

    /// The same without a check: routes of a running simulation exist.
    #[inline]
    pub(crate) fn link(&self, from: usize, to: usize) -> u32 {
        self.table[from * self.nodes + to]
    }
}

/// Dijkstra backwards from `to`: the outgoing link of every router on its way there. Paths are
/// compared by delay, then number of links.
fn tree_towards(to: usize, links: &[Link], arriving: &[Vec<u32>]) -> Vec<u32> {
    let mut best = vec![(Time::MAX, u32::MAX); arriving.len()];
    let mut via = vec![NO_LINK; arriving.len()];
    let mut open = BinaryHeap::from([Reverse(((0, 0), to))]);
    best[to] = (0, 0);
    while let Some(Reverse((cost, node))) = open.pop() {
        if cost > best[node] {
            continue;
        }
        for &index in &arriving[node] {
            let link = &links[index as usize];
            let (from, through) = (link.from as usize, (cost.0 + link.delay_ps, cost.1 + 1));
            if through < best[from] || (through == best[from] && index < via[from]) {
                best[from] = through;
                via[from] = index;
                open.push(Reverse((through, from)));
            }
        }
    }
    via[to] = NO_LINK;
    via
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: u32, to: u32, delay_ps: u64) -> Link {
        Link { from, to, ..crate::setup::sample_link(1, delay_ps) }
    }

    #[test]
    fn the_least_delay_wins_then_fewer_links_then_the_first() {
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 11), link(0, 3, 10), link(0, 3, 10)];
        let routes = Routes::new(5, &links);
        assert_eq!(routes.next(0, 2), Some(0));
        assert_eq!(routes.next(0, 3), Some(3));
        assert_eq!(routes.next(2, 0), None);
        assert_eq!(routes.next(0, 0), None);
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 10)];
        assert_eq!(Routes::new(3, &links).next(0, 2), Some(2));
    }

    #[test]
    fn zero_delays_do_not_loop() {
        let links = [link(0, 1, 0), link(1, 0, 0), link(1, 2, 0), link(2, 1, 0)];
        let routes = Routes::new(3, &links);
        assert_eq!((routes.next(0, 2), routes.next(1, 2)), (Some(0), Some(2)));
    }
}
