//! The keys that flows are counted by: kind of file, classes of the two routers, class of the hosts' links,
//! and congestion control algorithm. Classes are labels that the plan defines.

use headgate_model::plan::{Edge, Node};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Kind of file: a flow of given size.
pub const FILE: u8 = 0;
/// Kind of file: a flow without end.
pub const LONG_LIVED: u8 = 1;
/// Kind of file: an ordinary file of a Web user.
pub const WEB_OBJECT: u8 = 2;
/// The first of the kinds of file that the plan names.
pub const NAMED: u8 = 3;

/// The properties that flows counted together share, each as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowKey {
    /// Kind of file.
    pub file: u32,
    /// Unordered pair of the routers' classes.
    pub pair: u32,
    /// Class of the slower of the two hosts' links.
    pub interface: u32,
    /// Congestion control algorithm, in the order of the plan.
    pub controller: u32,
}

/// All keys that flows of a plan may have, numbered. The last number of a property means that the label is
/// missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowKeys {
    files: u32,
    controllers: u32,
    classes: u32,
    /// Class of each router.
    class_of: Vec<u32>,
    /// Class of each kind of host link.
    interface_of: Vec<u8>,
    /// Names of the pairs of classes.
    pub pairs: Vec<String>,
    /// Names of the classes of host links, the slowest first.
    pub interfaces: Vec<String>,
}

impl FlowKeys {
    /// The keys of flows between these routers over these kinds of host link. The plan names `files` kinds
    /// of file and `laws` congestion control algorithms.
    pub fn new(routers: &[Node], links: &[Edge], files: usize, controllers: usize) -> Self {
        let classes: BTreeSet<&str> = routers.iter().map(|node| node.class.as_str()).collect();
        let classes: Vec<&str> = classes.into_iter().filter(|class| !class.is_empty()).collect();
        let interfaces = interfaces(links);
        let number = |of: &[&str], label: &str| of.iter().position(|it| *it == label).unwrap_or(of.len());
        let class_of = routers.iter().map(|node| number(&classes, &node.class) as u32);
        let interface_of = links.iter().map(|edge| number(&interfaces, &edge.class) as u8);
        let name = |(first, second): (&str, &str)| pair_name(first, second);
        Self {
            files: u32::from(NAMED) + files as u32,
            controllers: controllers.max(1) as u32,
            classes: classes.len() as u32,
            class_of: class_of.collect(),
            interface_of: interface_of.collect(),
            pairs: pairs_of(&classes).map(name).chain([String::new()]).collect(),
            interfaces: interfaces.iter().copied().chain([""]).map(str::to_owned).collect(),
        }
    }

    /// Returns the number of keys.
    pub fn count(&self) -> usize {
        self.files as usize * self.pairs.len() * self.interfaces.len() * self.controllers as usize
    }

    /// Returns the number of routers.
    pub fn routers(&self) -> usize {
        self.class_of.len()
    }

    /// Returns the class of a kind of host link. The last class is for hosts directly on their router.
    pub fn interface(&self, edge: Option<u32>) -> u8 {
        edge.map_or(self.interfaces.len() as u8 - 1, |edge| self.interface_of[edge as usize])
    }

    /// Returns the index of a key. `interface` is the class of the slower host link.
    pub fn index(&self, file: u8, routers: [u32; 2], interface: u8, controller: u32) -> u32 {
        let [pairs, interfaces] = [&self.pairs, &self.interfaces].map(|of| of.len() as u32);
        let of_file = u32::from(file) * pairs + self.pair(routers);
        (of_file * interfaces + u32::from(interface)) * self.controllers + controller
    }

    /// The inverse of [`Self::index`].
    pub fn key(&self, index: u32) -> FlowKey {
        let [pairs, interfaces] = [&self.pairs, &self.interfaces].map(|of| of.len() as u32);
        let (rest, controller) = (index / self.controllers, index % self.controllers);
        let (rest, interface) = (rest / interfaces, rest % interfaces);
        FlowKey { file: rest / pairs, pair: rest % pairs, interface, controller }
    }

    /// Returns the number of a pair. Pairs are numbered row by row of a triangle.
    fn pair(&self, routers: [u32; 2]) -> u32 {
        let [one, other] = routers.map(|router| self.class_of[router as usize]);
        let (low, high) = (one.min(other), one.max(other));
        if high == self.classes {
            return self.pairs.len() as u32 - 1;
        }
        low * (2 * self.classes - low + 1) / 2 + high - low
    }
}

/// Lists the classes of host links by the least rate of each. The slower of two links gets the lower
/// number.
fn interfaces(links: &[Edge]) -> Vec<&str> {
    let mut least: BTreeMap<&str, u64> = BTreeMap::new();
    for edge in links.iter().filter(|edge| !edge.class.is_empty()) {
        let rate = least.entry(&edge.class).or_insert(edge.rate_bps);
        *rate = edge.rate_bps.min(*rate);
    }
    let mut labels: Vec<&str> = least.keys().copied().collect();
    labels.sort_by_key(|label| least[label]);
    labels
}

fn pairs_of<'a>(classes: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    classes.iter().enumerate().flat_map(|(at, first)| classes[at..].iter().map(|second| (*first, *second)))
}

/// Joins two labels: DF for single letters, core/edge for longer ones.
fn pair_name(first: &str, second: &str) -> String {
    let are_letters = [first, second].iter().all(|label| label.chars().count() == 1);
    if are_letters { format!("{first}{second}") } else { format!("{first}/{second}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of routers with these classes, host links with these classes and rates, one kind of file and
    /// two algorithms.
    fn keys(classes: &[&str], links: &[(&str, u64)]) -> FlowKeys {
        let node = |class: &&str| Node { name: "r".to_owned(), class: (*class).to_owned() };
        let edge = |&(class, rate_bps): &(&str, u64)| Edge {
            name: "e".to_owned(),
            class: class.to_owned(),
            rate_bps,
            delay_ps: 0,
            buffer_bytes: None,
        };
        let (nodes, edges): (Vec<_>, Vec<_>) =
            (classes.iter().map(node).collect(), links.iter().map(edge).collect());
        FlowKeys::new(&nodes, &edges, 1, 2)
    }

    #[test]
    fn pairs_are_unordered_and_named_by_their_classes() {
        let keys = keys(&["N", "D", "F", ""], &[]);
        assert_eq!(keys.pairs, ["DD", "DF", "DN", "FF", "FN", "NN", ""]);
        let pairs = [[1, 1], [2, 1], [1, 0], [2, 2], [0, 2], [0, 0], [1, 3]].map(|ends| keys.pair(ends));
        assert_eq!(pairs, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn any_label_is_a_class() {
        let keys = keys(&["edge", "core"], &[]);
        assert_eq!(keys.pairs, ["core/core", "core/edge", "edge/edge", ""]);
        assert_eq!([[0, 0], [0, 1], [1, 1]].map(|ends| keys.pair(ends)), [2, 1, 0]);
    }

    #[test]
    fn the_slower_link_has_the_lower_number() {
        let keys = keys(&["core"], &[("fast", 960), ("slow", 96), ("", 1), ("fast", 970)]);
        assert_eq!(keys.interfaces, ["slow", "fast", ""]);
        assert_eq!([0, 1, 2, 3].map(|edge| keys.interface(Some(edge))), [1, 0, 2, 1]);
        assert_eq!(keys.interface(None), 2);
    }

    #[test]
    fn every_key_has_a_different_number() {
        let keys = keys(&["a", "b", "", "c"], &[("x", 1), ("y", 2)]);
        assert_eq!(keys.count(), 4 * 7 * 3 * 2);
        let routers = [[0, 0], [0, 1], [0, 3], [1, 1], [1, 3], [3, 3], [2, 2]];
        for index in 0..keys.count() as u32 {
            let FlowKey { file, pair, interface, controller } = keys.key(index);
            assert!(file < 4 && controller < 2);
            assert_eq!(keys.index(file as u8, routers[pair as usize], interface as u8, controller), index);
        }
    }
}
