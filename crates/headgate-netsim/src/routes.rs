//! Shortest paths by delay, found once.

use headgate_model::plan::Link;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NO_LINK: u32 = u32::MAX;

/// For every router the link to take towards each goal; among equal paths the first link listed wins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Routes {
    nodes: usize,
    table: Vec<u32>,
}

impl Routes {
    /// Routes towards these routers.
    pub fn new(nodes: usize, links: &[Link], goals: impl Iterator<Item = usize>) -> Self {
        let mut trees = Trees::new(nodes, links.iter().map(Way::from));
        let mut table = vec![NO_LINK; nodes * nodes];
        for to in goals {
            let tree = trees.towards(to);
            tree.iter().enumerate().for_each(|(from, step)| table[from * nodes + to] = step.link);
        }
        Self { nodes, table }
    }

    /// Names the links otherwise: `numbers` has a number for each.
    pub fn renumber(&mut self, numbers: &[u32]) {
        for link in self.table.iter_mut().filter(|link| **link != NO_LINK) {
            *link = numbers[*link as usize];
        }
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

/// A link as far as routes are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub from: u32,
    pub to: u32,
    pub delay_ps: Time,
}

impl From<&Link> for Way {
    fn from(link: &Link) -> Self {
        Self { from: link.from, to: link.to, delay_ps: link.delay_ps }
    }
}

/// A link as its end sees it.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    from: u32,
    link: u32,
    delay_ps: Time,
}

/// What a router knows of its way to a goal.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Delay of the whole way, and how many links it has.
    cost: (Time, u32),
    link: u32,
}

impl Step {
    const NONE: Self = Self { cost: (Time::MAX, u32::MAX), link: NO_LINK };

    /// Delay of the whole way, if there is one.
    pub fn delay_ps(&self) -> Option<Time> {
        (self.cost.0 != Time::MAX).then_some(self.cost.0)
    }
}

/// Finds the trees of shortest paths, one goal after the other.
#[derive(Clone, Debug)]
pub struct Trees {
    links: Vec<Way>,
    /// Links by the router where they end: those of router `n` begin at `first[n]`.
    arriving: Vec<Incoming>,
    first: Vec<u32>,
    steps: Vec<Step>,
    /// Routers in the order in which their ways were found, the goal first.
    found: Vec<u32>,
}

impl Trees {
    pub fn new(nodes: usize, links: impl Iterator<Item = Way>) -> Self {
        let links: Vec<Way> = links.collect();
        let mut order: Vec<u32> = (0..links.len() as u32).collect();
        order.sort_by_key(|&link| links[link as usize].to);
        let incoming = |&link: &u32| {
            let Way { from, delay_ps, .. } = links[link as usize];
            Incoming { from, link, delay_ps }
        };
        let before = |node: u32| order.partition_point(|&link| links[link as usize].to < node) as u32;
        let first = (0..=nodes as u32).map(before).collect();
        let arriving = order.iter().map(incoming).collect();
        Self { arriving, first, steps: vec![Step::NONE; nodes], found: Vec::new(), links }
    }

    /// Dijkstra backwards from a goal: every router's step on its way there. Paths are compared by
    /// delay, then number of links.
    pub fn towards(&mut self, goal: usize) -> &[Step] {
        self.steps.fill(Step::NONE);
        self.found.clear();
        self.steps[goal].cost = (0, 0);
        let mut open = BinaryHeap::from([Reverse(((0, 0), goal as u32))]);
        while let Some(Reverse((cost, node))) = open.pop() {
            if cost > self.steps[node as usize].cost {
                continue;
            }
            self.found.push(node);
            let [begin, end] = [node, node + 1].map(|at| self.first[at as usize] as usize);
            for &Incoming { from, link, delay_ps } in &self.arriving[begin..end] {
                let (step, through) = (&mut self.steps[from as usize], (cost.0 + delay_ps, cost.1 + 1));
                if through < step.cost {
                    open.push(Reverse((through, from)));
                    *step = Step { cost: through, link };
                } else if through == step.cost && link < step.link {
                    step.link = link;
                }
            }
        }
        self.steps[goal].link = NO_LINK;
        &self.steps
    }

    /// A way from a source to a receiver that leads over none of the serving links, if there is one.
    pub fn unserved(&mut self, sources: &[u32], receivers: &[u32], serving: &[bool]) -> Option<Vec<u32>> {
        receivers.iter().find_map(|&goal| {
            self.towards(goal as usize);
            let ways = sources.iter().filter(|&&node| node != goal).map(|&node| self.way(node));
            ways.into_iter().find(|way| !way.is_empty() && way.iter().all(|&link| !serving[link as usize]))
        })
    }

    /// The links from a router to the goal looked at last; none if they are apart.
    fn way(&self, mut node: u32) -> Vec<u32> {
        let mut way = Vec::new();
        while self.steps[node as usize].link != NO_LINK {
            let link = self.steps[node as usize].link;
            way.push(link);
            node = self.links[link as usize].to;
        }
        way
    }

    /// What each link carries if every source asks every receiver elsewhere with the weight of both, and
    /// the mean delay of their routes; nothing if no route leads from one to another.
    pub fn loads(&mut self, sources: &[f64], receivers: &[f64]) -> Option<(Vec<f64>, f64)> {
        let mut share = vec![0.0; self.links.len()];
        let (mut total, mut delay_sum) = (0.0, 0.0);
        for (goal, &receiver) in receivers.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            self.towards(goal);
            let asks = |node: usize| if node == goal { 0.0 } else { sources[node] * receiver };
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

/// Numbers routers by groups: within a group every router reaches every other and is reached by it.
pub fn groups(nodes: usize, links: &[Way]) -> Vec<u32> {
    let (there, back) =
        (neighbours(nodes, links, |l| (l.from, l.to)), neighbours(nodes, links, |l| (l.to, l.from)));
    let mut last_first = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    (0..nodes as u32).for_each(|node| walk(node, &there, &mut seen, &mut last_first));
    let mut group = vec![0; nodes];
    let mut seen = vec![false; nodes];
    for (number, &node) in last_first.iter().rev().enumerate() {
        let mut members = Vec::new();
        walk(node, &back, &mut seen, &mut members);
        members.iter().for_each(|&member| group[member as usize] = number as u32);
    }
    group
}

fn neighbours(nodes: usize, links: &[Way], ends: impl Fn(&Way) -> (u32, u32)) -> Vec<Vec<u32>> {
    let mut of = vec![Vec::new(); nodes];
    links.iter().map(ends).for_each(|(one, other)| of[one as usize].push(other));
    of
}

/// Adds the routers in reach that were not seen before, each when all beyond it have been added.
fn walk(from: u32, next: &[Vec<u32>], seen: &mut [bool], added: &mut Vec<u32>) {
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

    #[test]
    fn the_least_delay_wins_then_fewer_links_then_the_first() {
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 11), link(0, 3, 10), link(0, 3, 10)];
        let routes = Routes::new(5, &links, 0..5);
        assert_eq!(routes.next(0, 2), Some(0));
        assert_eq!(routes.next(0, 3), Some(3));
        assert_eq!(routes.next(2, 0), None);
        assert_eq!(routes.next(0, 0), None);
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 10)];
        assert_eq!(Routes::new(3, &links, 0..3).next(0, 2), Some(2));
    }

    #[test]
    fn zero_delays_do_not_loop() {
        let links = [link(0, 1, 0), link(1, 0, 0), link(1, 2, 0), link(2, 1, 0)];
        let routes = Routes::new(3, &links, 0..3);
        assert_eq!((routes.next(0, 2), routes.next(1, 2)), (Some(0), Some(2)));
    }

    #[test]
    fn every_source_asks_every_receiver_over_its_route() {
        // 0 - 1 - 2, and 0 - 2 the long way; weights of sources 1, 0, 3, of receivers 0, 1, 1
        let links = [link(0, 1, 5), link(1, 2, 5), link(0, 2, 50), link(2, 1, 7)];
        let mut trees = Trees::new(3, links.iter().map(Way::from));
        let (share, delay) = trees.loads(&[1.0, 0.0, 3.0], &[0.0, 1.0, 1.0]).unwrap();
        // 0 to 1 (1), 0 to 2 by 1 (1), 2 to 1 (3): five requests in all
        assert_eq!(share, [2.0 / 5.0, 1.0 / 5.0, 0.0, 3.0 / 5.0]);
        assert_eq!(delay, (5.0 + 10.0 + 3.0 * 7.0) / 5.0);
        assert!(trees.loads(&[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]).is_none(), "nothing leads back to 0");
    }

    #[test]
    fn a_way_without_a_serving_link_is_found() {
        let links = [link(0, 1, 5), link(1, 2, 5), link(3, 1, 5)];
        let mut trees = Trees::new(4, links.iter().map(Way::from));
        let mut unserved = |serving: [bool; 3]| trees.unserved(&[0, 3, 2], &[1, 2], &serving);
        assert_eq!(unserved([true, true, true]), None);
        assert_eq!(unserved([true, true, false]), Some(vec![2]));
        assert_eq!(unserved([true, false, true]), None);
        assert_eq!(unserved([false, true, true]), Some(vec![0]));
    }

    #[test]
    fn groups_are_those_who_can_talk() {
        let links = [(0, 1), (1, 2), (2, 0), (2, 3), (4, 3), (3, 4)].map(|(from, to)| link(from, to, 1));
        let links = links.each_ref().map(Way::from);
        let group = groups(6, &links);
        assert!(group[0] == group[1] && group[1] == group[2] && group[3] == group[4]);
        assert_eq!(std::collections::BTreeSet::from_iter(&group).len(), 3);
    }
}
