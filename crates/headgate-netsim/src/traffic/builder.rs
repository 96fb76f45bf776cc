//! Hosts as kinds of traffic add them, router by router.

use headgate_model::plan::{Place, Pool};

use super::context::Context;
use super::hosts::{Home, Hosts};
use crate::packet::INLINE;
use crate::record::FlowKeys;

pub struct Builder<'a> {
    pub context: Context<'a>,
    keys: &'a FlowKeys,
    /// Kind of link of every host of every router.
    pub hosts: Vec<Vec<u32>>,
    /// Routers that have hosts directly on them.
    pub inline: Vec<bool>,
    /// Hosts from outside.
    pub live: Vec<Home>,
}

impl<'a> Builder<'a> {
    pub fn new(context: Context<'a>, keys: &'a FlowKeys) -> Self {
        let n = context.nodes.len();
        Self { context, keys, hosts: vec![Vec::new(); n], inline: vec![false; n], live: Vec::new() }
    }

    pub fn add_hosts(&mut self, pool: &Pool) -> Hosts {
        let hosts = &mut self.hosts[pool.node as usize];
        let mut first = INLINE;
        if let Some(edge) = pool.edge {
            first = hosts.len() as u32;
            hosts.extend(std::iter::repeat_n(edge, pool.hosts as usize));
        } else {
            self.inline[pool.node as usize] = true;
        }
        Hosts { node: pool.node, first, count: pool.hosts, interface: self.keys.interface(pool.edge) }
    }

    pub fn add_pools(&mut self, pools: &[Pool]) -> Vec<Hosts> {
        pools.iter().map(|pool| self.add_hosts(pool)).collect()
    }

    pub fn add_host(&mut self, place: Place) -> Hosts {
        self.add_hosts(&Pool { node: place.node, edge: place.edge, hosts: 1 })
    }
}
