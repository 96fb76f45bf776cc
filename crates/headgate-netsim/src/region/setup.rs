//! The constants of a run, of which all regions share one copy.

use headgate_model::plan::FlowRows;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::packets::address::AddressSplit;
use crate::packets::address::HostLocation;
use crate::packets::index::{Address, FlowId, NodeIndex, RegionIndex, RouterIndex};
use crate::plan::Plan;
use crate::record::FlowKeys;
use crate::traffic::routes::PortRoutes;
use crate::traffic::{FlowStart, TrafficSpec};

/// The location of a router, host group or port: its region, and its index among those of its kind there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Its region.
    pub region: RegionIndex,
    /// Its index there.
    pub index: u32,
}

/// The constants of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    /// Layout of addresses.
    pub split: AddressSplit,
    /// End of warm-up, picoseconds.
    pub warmup: Time,
    /// Kinds of traffic, by their first flow ids.
    pub specs: Vec<TrafficSpec>,
    /// Keys that flows are counted by.
    pub keys: FlowKeys,
    /// Whether a row of each flow is recorded.
    pub keep_rows: bool,
    /// For each flow that the series follow its position in the series.
    pub series_index: BTreeMap<FlowId, u32>,
    /// For each node its location.
    pub places: Vec<Placement>,
    /// For each link the location of its port.
    pub ports: Vec<Placement>,
    /// From each router towards each other, the port to take.
    pub routes: PortRoutes,
    /// Live hosts, in the order of the plan.
    pub live: Vec<HostLocation>,
}

impl Setup {
    /// The constants that do not depend on regions.
    pub fn new(plan: &Plan, specs: Vec<TrafficSpec>, keys: FlowKeys) -> Self {
        let followed = plan.measure.series.as_ref().map_or(&[][..], |series| &series.flows);
        Self {
            split: AddressSplit::for_routers(plan.nodes.len()),
            warmup: plan.measure.warmup_ps,
            specs,
            keys,
            keep_rows: plan.measure.flows == FlowRows::All,
            series_index: followed.iter().copied().map(FlowId).zip(0..).collect(),
            places: Vec::new(),
            routes: PortRoutes::default(),
            ports: Vec::new(),
            live: Vec::new(),
        }
    }

    /// Returns the number of routers.
    pub fn routers(&self) -> usize {
        self.keys.routers()
    }

    /// Returns whether a node is a router, not the hosts behind one.
    #[inline]
    pub fn is_router(&self, node: NodeIndex) -> bool {
        node.index() < self.routers()
    }

    /// Returns the node of the hosts behind a router.
    #[inline]
    pub fn host_node(&self, router: RouterIndex) -> NodeIndex {
        NodeIndex::from_index(self.routers() + router.index())
    }

    /// Returns the location of the hosts behind a router.
    #[inline]
    pub fn hosts_of(&self, router: RouterIndex) -> Placement {
        self.places[self.host_node(router).index()]
    }

    /// Returns the kind of traffic that a flow belongs to.
    pub fn spec(&self, flow: FlowId) -> &TrafficSpec {
        &self.specs[self.spec_index(flow)]
    }

    /// Returns the index of the kind of traffic that a flow belongs to.
    pub fn spec_index(&self, flow: FlowId) -> usize {
        self.specs.partition_point(|spec| spec.first <= flow) - 1
    }

    /// Returns the position of a flow in the series, if they follow it.
    pub fn series_place(&self, flow: FlowId) -> Option<u32> {
        self.series_index.get(&flow).copied()
    }

    /// Returns the index of the key of a flow with this address.
    pub fn key_of(&self, flow: &FlowStart, address: Address) -> u32 {
        let routers = [self.split.router(address), flow.destination].map(|router| router.0);
        self.keys.index(flow.file, routers, flow.interface, flow.controller)
    }
}
