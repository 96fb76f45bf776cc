//! Shortest paths by delay, computed once.

use headgate_model::plan::Link;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packets::index::{LinkIndex, PortIndex, RouterIndex};

/// There is no link to take.
const NO_LINK: u32 = u32::MAX;

/// For every router the link to take towards each destination. Among equal paths, the first link listed
/// wins.
#[derive(Clone, Debug)]
pub struct Routes {
    nodes: usize,
    table: Vec<u32>,
}

impl Routes {
    /// Computes the routes towards these routers.
    pub fn new(nodes: usize, links: &[Link], destinations: impl Iterator<Item = usize>) -> Self {
        let mut trees = ShortestPaths::new(nodes, links.iter().map(RouteLink::from));
        let mut table = vec![NO_LINK; nodes * nodes];
        for to in destinations {
            let tree = trees.find_towards(to);
            tree.iter().enumerate().for_each(|(from, step)| table[from * nodes + to] = step.link);
        }
        Self { nodes, table }
    }

    /// Returns the link that leads from one router towards another, or `None` if they are the same or not
    /// connected.
    pub fn next(&self, from: RouterIndex, to: RouterIndex) -> Option<LinkIndex> {
        let link = self.table[from.index() * self.nodes + to.index()];
        (link != NO_LINK).then_some(LinkIndex(link))
    }

    /// Replaces each link by its port, `ports[link]`.
    pub fn to_ports(&self, ports: &[PortIndex]) -> PortRoutes {
        let port = |&link: &u32| if link == NO_LINK { PortIndex(NO_LINK) } else { ports[link as usize] };
        PortRoutes { nodes: self.nodes, table: self.table.iter().map(port).collect() }
    }
}

/// For every router the port to take towards each destination.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PortRoutes {
    nodes: usize,
    table: Vec<PortIndex>,
}

impl PortRoutes {
    /// Returns the port towards another router. There must be a route.
    #[inline]
    pub fn port(&self, from: RouterIndex, to: RouterIndex) -> PortIndex {
        self.table[from.index() * self.nodes + to.index()]
    }
}

/// The properties of a link that routes depend on.
#[derive(Clone, Copy, Debug)]
pub struct RouteLink {
    /// Router at its beginning.
    pub from: u32,
    /// Router at its end.
    pub to: u32,
    /// Delay, picoseconds.
    pub delay_ps: Time,
}

impl From<&Link> for RouteLink {
    fn from(link: &Link) -> Self {
        Self { from: link.from, to: link.to, delay_ps: link.delay_ps }
    }
}

/// A link, as listed at the router at which it ends.
#[derive(Clone, Copy, Debug)]
struct IncomingLink {
    from: u32,
    link: u32,
    delay_ps: Time,
}

/// The route of a router to the destination.
#[derive(Clone, Copy, Debug)]
pub struct RouteStep {
    /// Delay and number of links of the route.
    cost: (Time, u32),
    link: u32,
}

impl RouteStep {
    const NONE: Self = Self { cost: (Time::MAX, u32::MAX), link: NO_LINK };

    /// Returns the delay of the route, picoseconds, if there is one.
    pub fn delay_ps(&self) -> Option<Time> {
        (self.cost.0 != Time::MAX).then_some(self.cost.0)
    }
}

/// Computes trees of shortest paths, for one destination at a time.
#[derive(Clone, Debug)]
pub struct ShortestPaths {
    links: Vec<RouteLink>,
    /// Links by the router at which they end. Those of router `n` begin at `first[n]`.
    arriving: Vec<IncomingLink>,
    first: Vec<u32>,
    steps: Vec<RouteStep>,
    /// Routers in the order in which their routes were found, the destination first.
    found: Vec<u32>,
}

impl ShortestPaths {
    /// The shortest paths over these links.
    pub fn new(nodes: usize, links: impl Iterator<Item = RouteLink>) -> Self {
        let links: Vec<RouteLink> = links.collect();
        let mut order: Vec<u32> = (0..links.len() as u32).collect();
        order.sort_by_key(|&link| links[link as usize].to);
        let incoming = |&link: &u32| {
            let RouteLink { from, delay_ps, .. } = links[link as usize];
            IncomingLink { from, link, delay_ps }
        };
        let before = |node: u32| order.partition_point(|&link| links[link as usize].to < node) as u32;
        let first = (0..=nodes as u32).map(before).collect();
        let arriving = order.iter().map(incoming).collect();
        Self { arriving, first, steps: vec![RouteStep::NONE; nodes], found: Vec::new(), links }
    }

    /// Runs Dijkstra's algorithm backwards from a destination. Returns the route of every router. Routes
    /// are compared by delay, then by number of links.
    pub fn find_towards(&mut self, destination: usize) -> &[RouteStep] {
        self.steps.fill(RouteStep::NONE);
        self.found.clear();
        self.steps[destination].cost = (0, 0);
        let mut open = BinaryHeap::from([Reverse(((0, 0), destination as u32))]);
        while let Some(Reverse((cost, node))) = open.pop() {
            if cost > self.steps[node as usize].cost {
                continue;
            }
            self.found.push(node);
            let [begin, end] = [node, node + 1].map(|at| self.first[at as usize] as usize);
            for &IncomingLink { from, link, delay_ps } in &self.arriving[begin..end] {
                let (step, through) = (&mut self.steps[from as usize], (cost.0 + delay_ps, cost.1 + 1));
                if through < step.cost {
                    open.push(Reverse((through, from)));
                    *step = RouteStep { cost: through, link };
                } else if through == step.cost && link < step.link {
                    step.link = link;
                }
            }
        }
        self.steps[destination].link = NO_LINK;
        &self.steps
    }

    /// Returns a route from a source to a receiver that uses no serving link, if there is one.
    pub fn find_unserved_route(
        &mut self,
        sources: &[u32],
        receivers: &[u32],
        serving: &[bool],
    ) -> Option<Vec<u32>> {
        receivers.iter().find_map(|&destination| {
            self.find_towards(destination as usize);
            let routes =
                sources.iter().filter(|&&node| node != destination).map(|&node| self.route_links(node));
            routes
                .into_iter()
                .find(|route| !route.is_empty() && route.iter().all(|&link| !serving[link as usize]))
        })
    }

    /// Returns the links from a router to the last destination, or none if they are not connected.
    fn route_links(&self, mut node: u32) -> Vec<u32> {
        let mut route = Vec::new();
        while self.steps[node as usize].link != NO_LINK {
            let link = self.steps[node as usize].link;
            route.push(link);
            node = self.links[link as usize].to;
        }
        route
    }

    /// Returns the load of each link and the mean delay of the routes, if every source sends to every
    /// receiver elsewhere with the product of their weights. Returns `None` if no route connects any of
    /// them.
    pub fn link_loads(&mut self, sources: &[f64], receivers: &[f64]) -> Option<(Vec<f64>, f64)> {
        let mut share = vec![0.0; self.links.len()];
        let (mut total, mut delay_sum) = (0.0, 0.0);
        for (destination, &receiver) in receivers.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            self.find_towards(destination);
            let asks = |node: usize| if node == destination { 0.0 } else { sources[node] * receiver };
            for &node in &self.found {
                total += asks(node as usize);
                delay_sum += asks(node as usize) * self.steps[node as usize].cost.0 as f64;
            }
            let mut carried: Vec<f64> = (0..sources.len()).map(asks).collect();
            for &node in self.found[1..].iter().rev() {
                let (link, all) = (self.steps[node as usize].link as usize, carried[node as usize]);
                share[link] += all;
                carried[self.links[link].to as usize] += all;
            }
        }
        share.iter_mut().for_each(|part| *part /= total);
        (total > 0.0).then(|| (share, delay_sum / total))
    }
}

/// Numbers routers by groups. Within a group, every router reaches every other.
pub fn mutual_groups(nodes: usize, links: &[RouteLink]) -> Vec<u32> {
    let (there, back) =
        (neighbours(nodes, links, |l| (l.from, l.to)), neighbours(nodes, links, |l| (l.to, l.from)));
    let mut last_first = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    (0..nodes as u32).for_each(|node| depth_first(node, &there, &mut seen, &mut last_first));
    let mut group = vec![0; nodes];
    let mut seen = vec![false; nodes];
    for (number, &node) in last_first.iter().rev().enumerate() {
        let mut members = Vec::new();
        depth_first(node, &back, &mut seen, &mut members);
        members.iter().for_each(|&member| group[member as usize] = number as u32);
    }
    group
}

fn neighbours(nodes: usize, links: &[RouteLink], ends: impl Fn(&RouteLink) -> (u32, u32)) -> Vec<Vec<u32>> {
    let mut of = vec![Vec::new(); nodes];
    links.iter().map(ends).for_each(|(one, other)| of[one as usize].push(other));
    of
}

/// Adds the routers that are reachable and not yet seen, each after all routers beyond it.
fn depth_first(from: u32, next: &[Vec<u32>], seen: &mut [bool], added: &mut Vec<u32>) {
    if std::mem::replace(&mut seen[from as usize], true) {
        return;
    }
    let mut path = vec![(from, 0)];
    while let Some((node, at)) = path.last_mut() {
        let Some(&other) = next[*node as usize].get(*at) else {
            added.push(*node);
            path.pop();
            continue;
        };
        *at += 1;
        if !std::mem::replace(&mut seen[other as usize], true) {
            path.push((other, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: u32, to: u32, delay_ps: u64) -> Link {
        Link { from, to, ..crate::port::sample_link(1, delay_ps) }
    }

    fn next(routes: &Routes, from: u32, to: u32) -> Option<u32> {
        routes.next(RouterIndex(from), RouterIndex(to)).map(|link| link.0)
    }

    #[test]
    fn the_least_delay_wins_then_fewer_links_then_the_first() {
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 11), link(0, 3, 10), link(0, 3, 10)];
        let routes = Routes::new(5, &links, 0..5);
        assert_eq!(next(&routes, 0, 2), Some(0));
        assert_eq!(next(&routes, 0, 3), Some(3));
        assert_eq!(next(&routes, 2, 0), None);
        assert_eq!(next(&routes, 0, 0), None);
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 10)];
        assert_eq!(next(&Routes::new(3, &links, 0..3), 0, 2), Some(2));
    }

    #[test]
    fn zero_delays_do_not_loop() {
        let links = [link(0, 1, 0), link(1, 0, 0), link(1, 2, 0), link(2, 1, 0)];
        let routes = Routes::new(3, &links, 0..3);
        assert_eq!((next(&routes, 0, 2), next(&routes, 1, 2)), (Some(0), Some(2)));
    }

    #[test]
    fn every_source_loads_the_route_to_every_receiver() {
        // 0 - 1 - 2, and 0 - 2 the long route; weights of sources 1, 0, 3, of receivers 0, 1, 1
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 50), link(2, 1, 7)];
        let mut trees = ShortestPaths::new(3, links.iter().map(RouteLink::from));
        let (share, delay) = trees.link_loads(&[1.0, 0.0, 3.0], &[0.0, 1.0, 1.0]).unwrap();
        // 0 to 1 (1), 0 to 2 by 1 (1), 2 to 1 (3): five requests in all
        assert_eq!(share, [2.0 / 5.0, 1.0 / 5.0, 0.0, 3.0 / 5.0]);
        assert_eq!(delay, (5.0 + 10.0 + 3.0 * 7.0) / 5.0);
        assert!(trees.link_loads(&[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]).is_none(), "nothing leads back to 0");
    }

    #[test]
    fn a_route_without_a_serving_link_is_found() {
        let links = [link(0, 1, 5), link(1, 2, 5), link(3, 1, 5)];
        let mut trees = ShortestPaths::new(4, links.iter().map(RouteLink::from));
        let mut unserved = |serving: [bool; 3]| trees.find_unserved_route(&[0, 3, 2], &[1, 2], &serving);
        assert_eq!(unserved([true, true, true]), None);
        assert_eq!(unserved([true, true, false]), Some(vec![2]));
        assert_eq!(unserved([true, false, true]), None);
        assert_eq!(unserved([false, true, true]), Some(vec![0]));
    }

    #[test]
    fn routers_of_a_group_reach_each_other() {
        let links = [(0, 1), (1, 2), (2, 0), (2, 3), (4, 3), (3, 4)].map(|(from, to)| link(from, to, 1));
        let links = links.each_ref().map(RouteLink::from);
        let group = mutual_groups(6, &links);
        assert!(group[0] == group[1] && group[1] == group[2] && group[3] == group[4]);
        assert_eq!(std::collections::BTreeSet::from_iter(&group).len(), 3);
    }
}
