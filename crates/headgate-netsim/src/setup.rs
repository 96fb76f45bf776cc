//! What a run never changes: all of its regions look at one copy.

use headgate_model::plan::FlowRows;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::packet::Split;
use crate::plan::Plan;
use crate::record::FlowKeys;
use crate::routes::Routes;
use crate::traffic::{Home, Opening, Spec};

/// Where something is kept: its region, and its number among the routers, groups of hosts or ports there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub region: u32,
    pub index: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    pub split: Split,
    pub warmup: Time,
    /// In the order of their first numbers.
    pub specs: Vec<Spec>,
    /// What flows are counted by.
    pub keys: FlowKeys,
    pub keep_rows: bool,
    /// By the numbers of the flows that the series follow, their places there.
    pub follows: BTreeMap<u32, u32>,
    /// Of each node: first the routers, then the hosts behind each.
    pub places: Vec<Place>,
    /// Of each link its port: the region, and the number there.
    pub ports: Vec<Place>,
    /// From each router towards each other the link, by its number among those of the router's region.
    pub routes: Routes,
    /// Hosts from outside, in the order of the plan.
    pub live: Vec<Home>,
}

impl Setup {
    pub fn new(plan: &Plan, specs: Vec<Spec>, keys: FlowKeys) -> Self {
        let followed = plan.measure.series.as_ref().map_or(&[][..], |series| &series.flows);
        Self {
            split: Split::for_routers(plan.nodes.len()),
            warmup: plan.measure.warmup_ps,
            specs,
            keys,
            keep_rows: plan.measure.flows == FlowRows::All,
            follows: followed.iter().copied().zip(0..).collect(),
            places: Vec::new(),
            routes: Routes::default(),
            ports: Vec::new(),
            live: Vec::new(),
        }
    }

    pub fn routers(&self) -> usize {
        self.keys.routers()
    }

    /// Where the hosts behind a router are kept.
    #[inline]
    pub fn hosts_of(&self, router: u32) -> Place {
        self.places[self.routers() + router as usize]
    }

    /// What is known of the kind of traffic that a flow belongs to.
    pub fn spec(&self, number: u32) -> &Spec {
        &self.specs[self.specs.partition_point(|spec| spec.first <= number) - 1]
    }

    /// The place of a flow among those that the series follow.
    pub fn trace_of(&self, number: u32) -> Option<u32> {
        self.follows.get(&number).copied()
    }

    /// What a flow of this address is counted by, as a number.
    pub fn key_of(&self, opening: &Opening, address: u32) -> u32 {
        let routers = [self.split.group(address) as u32, opening.destination];
        self.keys.index(opening.file, routers, opening.interface, opening.law)
    }
}
