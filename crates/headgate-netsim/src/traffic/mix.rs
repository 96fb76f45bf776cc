//! Traffic with several congestion control algorithms, each for a share of its users or flows.
//!
//! All draws come from separate streams, which depend on the name of the traffic only. Another mix
//! therefore changes no arrival, no size and no receiver. If the share of the first algorithm grows, every
//! user that had it keeps it.

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use super::plan_context::PlanContext;

/// Tolerance for a sum of shares written with six decimals.
const ROUNDING: f64 = 1e-6;

/// A share of the users or flows and their algorithm. The shares of a class add up to 1. Those of the class
/// "" apply to all other routers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerShare {
    /// Congestion control algorithm, in the order of the plan.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Share of the users or flows.
    pub share: f64,
    /// Class of the senders' routers.
    #[serde(default)]
    pub class: String,
}

/// Rejects shares that do not add up to 1.
pub fn check_shares(shares: &[ControllerShare], context: &PlanContext, at: &PlanPath) -> Result {
    for (i, part) in shares.iter().enumerate() {
        let at = PlanPath::new(at.key(&format!("laws[{i}]")));
        at.index("law", part.controller, context.controllers, "algorithm")?;
        at.number("share", part.share, (0.0, 1.0), "")?;
    }
    let classes: BTreeSet<&str> = shares.iter().map(|part| part.class.as_str()).collect();
    for class in classes {
        let total: f64 = shares.iter().filter(|part| part.class == class).map(|part| part.share).sum();
        at.ensure((total - 1.0).abs() <= ROUNDING, "laws", || {
            let of = if class.is_empty() { String::new() } else { format!(" of class {class}") };
            format!("the shares{of} add up to {total}; they must add up to 1")
        })?;
    }
    Ok(())
}

/// The algorithms of one item of traffic.
pub struct Mix<'a> {
    context: &'a PlanContext<'a>,
    name: &'a str,
    shares: &'a [ControllerShare],
    /// The algorithm of all, if there are no shares.
    only: u32,
}

impl<'a> Mix<'a> {
    /// The algorithms of the traffic with this name.
    pub fn new(
        context: &'a PlanContext<'a>,
        name: &'a str,
        shares: &'a [ControllerShare],
        only: u32,
    ) -> Self {
        Self { context, name, shares, only }
    }

    fn stream(&self, number: u64) -> Stream {
        Stream::new(self.context.seed, &format!("law {}", self.name), number)
    }

    /// Returns the class whose shares apply to a router.
    fn class(&self, node: u32) -> &str {
        let own = self.context.nodes[node as usize].class.as_str();
        if self.shares.iter().any(|part| part.class == own) { own } else { "" }
    }

    /// Returns the algorithms of a class with the sum of the shares up to and including each.
    fn choices(&self, class: &str) -> Vec<(f64, u32)> {
        let mut upto = 0.0;
        let parts = self.shares.iter().filter(|part| part.class == class);
        let choice = |part: &ControllerShare| {
            upto += part.share;
            (upto, part.controller)
        };
        parts.map(choice).collect()
    }

    /// Draws the algorithm of a user at a router.
    pub fn draw(&self, number: u64, node: u32) -> u32 {
        if self.shares.is_empty() {
            return self.only;
        }
        choose(&self.choices(self.class(node)), self.stream(number).open01(), self.only)
    }

    /// Returns the draws for the flows of a process at a router; none if all flows use the same algorithm.
    pub fn draws(&self, number: u64, node: u32) -> Option<ControllerDraws> {
        let choices = self.choices(self.class(node));
        (!self.shares.is_empty()).then(|| ControllerDraws {
            stream: self.stream(number),
            choices,
            only: self.only,
        })
    }

    /// Returns the algorithms of senders at these routers. Of the senders of a class, each algorithm gets its
    /// share to the nearest whole number; their order is random.
    pub fn assign(&self, nodes: &[u32]) -> Vec<u32> {
        let mut controllers = vec![self.only; nodes.len()];
        if self.shares.is_empty() {
            return controllers;
        }
        let mut classes: BTreeMap<&str, Vec<(f64, usize)>> = BTreeMap::new();
        for (n, &node) in nodes.iter().enumerate() {
            classes.entry(self.class(node)).or_default().push((self.stream(n as u64).open01(), n));
        }
        for (class, mut senders) in classes {
            senders.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            let parts: Vec<_> = self.shares.iter().filter(|part| part.class == class).collect();
            let counts = apportion(senders.len(), &parts.iter().map(|part| part.share).collect::<Vec<_>>());
            let each = parts.iter().zip(counts).flat_map(|(part, n)| std::iter::repeat_n(part.controller, n));
            senders.iter().zip(each).for_each(|(&(_, n), controller)| controllers[n] = controller);
        }
        controllers
    }
}

/// Returns the first algorithm whose sum of shares reaches `at`, or the last one, since rounded shares may
/// add up to slightly less than 1.
fn choose(choices: &[(f64, u32)], at: f64, only: u32) -> u32 {
    let found = choices.iter().find(|(upto, _)| at <= *upto).or(choices.last());
    found.map_or(only, |&(_, controller)| controller)
}

/// Splits `total` in proportion to the shares by largest remainders. The first wins a tie.
fn apportion(total: usize, shares: &[f64]) -> Vec<usize> {
    let whole: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| total as f64 * share / whole).collect();
    let mut counts: Vec<usize> = exact.iter().map(|count| (count + 1e-9).floor() as usize).collect();
    let remainder = |n: usize, counts: &[usize]| exact[n] - counts[n] as f64;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&one, &other| remainder(other, &counts).total_cmp(&remainder(one, &counts)));
    let rest = total.saturating_sub(counts.iter().sum());
    order.into_iter().take(rest).for_each(|n| counts[n] += 1);
    counts
}

/// The algorithms of flows that arrive one after the other: each flow draws one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ControllerDraws {
    stream: Stream,
    choices: Vec<(f64, u32)>,
    only: u32,
}

impl ControllerDraws {
    /// Draws the algorithm of the next flow.
    pub fn draw(&mut self) -> u32 {
        let at = self.stream.open01();
        choose(&self.choices, at, self.only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::Arrays;
    use headgate_model::plan::Node;

    fn shares(parts: &[(u32, f64, &str)]) -> Vec<ControllerShare> {
        let part = |&(controller, share, class): &(u32, f64, &str)| ControllerShare {
            controller,
            share,
            class: class.into(),
        };
        parts.iter().map(part).collect()
    }

    fn with_mix<T>(parts: &[(u32, f64, &str)], run: impl FnOnce(&Mix) -> T) -> T {
        let node = |class: &str| Node { name: "r".into(), class: class.into() };
        let (nodes, arrays) = ([node(""), node("core")], Arrays::default());
        let context = PlanContext {
            seed: 1,
            nodes: &nodes,
            links: &[],
            edges: &[],
            controllers: 3,
            transports: 1,
            files: &[],
            arrays: &arrays,
        };
        run(&Mix::new(&context, "x", &shares(parts), 2))
    }

    fn count(controllers: &[u32], which: u32) -> usize {
        controllers.iter().filter(|&&controller| controller == which).count()
    }

    #[test]
    fn counts_follow_the_shares_by_largest_remainders() {
        assert_eq!(apportion(10, &[0.5, 0.5]), [5, 5]);
        assert_eq!(apportion(3, &[0.5, 0.5]), [2, 1]); // a tie: the first
        assert_eq!(apportion(10, &[0.25, 0.33, 0.42]), [3, 3, 4]); // 2.5, 3.3, 4.2
        assert_eq!(apportion(7, &[0.0, 1.0]), [0, 7]);
        assert_eq!(
            apportion(10_000_000, &[0.333_333, 0.333_333, 0.333_333]).iter().sum::<usize>(),
            10_000_000
        );
    }

    #[test]
    fn every_class_has_its_shares() {
        let parts = [(0, 0.25, ""), (1, 0.75, ""), (2, 1.0, "core")];
        let nodes: Vec<u32> = (0..60).map(|n| u32::from(n % 3 == 0)).collect(); // 20 in the core, 40 outside
        let controllers = with_mix(&parts, |mix| mix.assign(&nodes));
        assert_eq!([0, 1, 2].map(|which| count(&controllers, which)), [10, 30, 20]);
        assert!(controllers.iter().zip(&nodes).all(|(&controller, &node)| (controller == 2) == (node == 1)));
    }

    #[test]
    fn whoever_has_the_first_algorithm_keeps_it_when_its_share_grows() {
        let assign = |share| with_mix(&[(1, share, ""), (0, 1.0 - share, "")], |mix| mix.assign(&[0; 40]));
        let (some, more) = (assign(0.25), assign(0.5));
        assert_eq!([count(&some, 1), count(&more, 1)], [10, 20]);
        assert!(some.iter().zip(&more).all(|(&before, &after)| before != 1 || after == 1));
        let first_ten: usize = count(&some[..10], 1);
        assert!(first_ten < 10, "the order is random");
    }

    #[test]
    fn flows_draw_their_algorithms_by_the_shares() {
        let mut draws = with_mix(&[(0, 0.3, ""), (1, 0.7, "")], |mix| mix.draws(0, 1)).unwrap();
        let found: Vec<u32> = (0..10_000).map(|_| draws.draw()).collect();
        assert!((2_800..3_200).contains(&count(&found, 0))); // standard deviation 46
        assert!(with_mix(&[], |mix| mix.draws(0, 0)).is_none());
        assert_eq!(with_mix(&[], |mix| (mix.draw(0, 0), mix.assign(&[0]))), (2, vec![2]));
    }
}
