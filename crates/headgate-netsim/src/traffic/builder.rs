//! Hosts, as kinds of traffic add them to routers.

use headgate_model::plan::{Place, Pool};

use super::hosts::HostPool;
use super::media_stream::MediaFlow;
use super::plan_context::PlanContext;
use crate::packets::address::HostLocation;
use crate::packets::index::{HostIndex, RouterIndex};
use crate::record::FlowKeys;

/// Collects the hosts of all traffic.
pub struct Builder<'a> {
    /// The rest of the plan.
    pub context: PlanContext<'a>,
    keys: &'a FlowKeys,
    /// For each router the kind of link of each of its hosts.
    pub hosts: Vec<Vec<u32>>,
    /// For each router whether hosts are directly on it.
    pub inline: Vec<bool>,
    /// Live hosts, in the order of the plan.
    pub live: Vec<HostLocation>,
    /// Streams of media, in the order of the plan.
    pub media: Vec<MediaFlow>,
}

impl<'a> Builder<'a> {
    /// A builder without hosts.
    pub fn new(context: PlanContext<'a>, keys: &'a FlowKeys) -> Self {
        let n = context.nodes.len();
        Self {
            context,
            keys,
            hosts: vec![Vec::new(); n],
            inline: vec![false; n],
            live: Vec::new(),
            media: Vec::new(),
        }
    }

    /// Adds a pool of hosts.
    pub fn add_hosts(&mut self, pool: &Pool) -> HostPool {
        let hosts = &mut self.hosts[pool.node as usize];
        let mut first = HostIndex::INLINE;
        if let Some(edge) = pool.edge {
            first = HostIndex::from_index(hosts.len());
            hosts.extend(std::iter::repeat_n(edge, pool.hosts as usize));
        } else {
            self.inline[pool.node as usize] = true;
        }
        HostPool {
            router: RouterIndex(pool.node),
            first,
            count: pool.hosts,
            interface: self.keys.interface(pool.edge),
        }
    }

    /// Adds several pools of hosts.
    pub fn add_pools(&mut self, pools: &[Pool]) -> Vec<HostPool> {
        pools.iter().map(|pool| self.add_hosts(pool)).collect()
    }

    /// Adds one host.
    pub fn add_host(&mut self, place: Place) -> HostPool {
        self.add_hosts(&Pool { node: place.node, edge: place.edge, hosts: 1 })
    }
}
