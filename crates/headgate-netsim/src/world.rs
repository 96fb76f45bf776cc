//! All regions between two windows, as one network.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use std::sync::Arc;

use crate::flow_stats::StatsByKey;
use crate::host_group::HostGroup;
use crate::port::Port;
use crate::record::{Counters, FlowRow, PortRow};
use crate::region::Region;
use crate::setup::{Place, Setup};
use crate::shard::Shard;
use crate::shared::Shared;

pub struct World<'a, L: ControllerRegistry> {
    pub setup: Arc<Setup>,
    /// In the order of their numbers, each with the place of what its shard shares.
    regions: Vec<(&'a mut Region<L>, usize)>,
    shared: Vec<&'a mut Shared<L>>,
}

impl<'a, L: ControllerRegistry> World<'a, L> {
    pub fn new(setup: &Arc<Setup>, shards: impl Iterator<Item = &'a mut Shard<L>>) -> Self {
        let (mut regions, mut shared) = (Vec::new(), Vec::new());
        for (place, shard) in shards.enumerate() {
            regions.extend(shard.regions.iter_mut().map(|region| (region, place)));
            shared.push(&mut shard.space.shared);
        }
        regions.sort_by_key(|(region, _)| region.number());
        Self { setup: Arc::clone(setup), regions, shared }
    }

    pub fn set_now(&mut self, now: Time) {
        self.shared.iter_mut().for_each(|shared| shared.now = now);
    }

    pub fn laws(&self) -> usize {
        self.shared[0].laws.len()
    }

    pub fn links(&self) -> usize {
        self.setup.ports.len()
    }

    /// In the order of their routers, with what those of their shard share.
    pub fn groups(&self) -> impl Iterator<Item = (&HostGroup<L>, &Shared<L>)> {
        (0..self.setup.routers() as u32).map(|router| self.group(router))
    }

    /// The hosts behind a router.
    pub fn group(&self, router: u32) -> (&HostGroup<L>, &Shared<L>) {
        let Place { region, index } = self.setup.hosts_of(router);
        let (region, shard) = &self.regions[region as usize];
        (&region.groups[index as usize], &*self.shared[*shard])
    }

    /// Where the flow was last seen that the series follow as `trace`: its address.
    pub fn traced(&self, trace: usize) -> Option<u32> {
        let seen = self.shared.iter().filter_map(|shared| shared.traced[trace]);
        seen.max().map(|(_, address)| address)
    }

    pub fn counters(&self) -> Counters {
        let mut all = Counters::default();
        self.shared.iter().for_each(|shared| all.merge(&shared.counters));
        all
    }

    /// What flows counted that are over, by what they have in common.
    pub fn flow_stats(&self) -> StatsByKey {
        let mut all = self.shared[0].flow_stats.new_empty();
        self.shared.iter().for_each(|shared| all.merge(&shared.flow_stats));
        all
    }

    /// Rows of the flows that are over; they are kept no longer.
    pub fn take_rows(&mut self) -> Vec<FlowRow> {
        self.shared.iter_mut().flat_map(|shared| std::mem::take(&mut shared.rows)).collect()
    }

    /// The port of a link, which has made up for what was before `now`.
    pub fn port(&mut self, link: u32, now: Time) -> &mut Port<L> {
        let Place { region, index } = self.setup.ports[link as usize];
        let (region, shard) = &mut self.regions[region as usize];
        region.fabric.catch_up(index, now, self.shared[*shard]);
        &mut region.fabric.ports[index as usize]
    }

    /// What happened at all ports since their tallies began.
    pub fn port_rows(&mut self, now: Time) -> Vec<PortRow> {
        (0..self.links() as u32).map(|link| self.port(link, now).row(now)).collect()
    }

    /// Warm-up is over: ports and flows count afresh.
    pub fn forget(&mut self, now: Time) {
        (0..self.links() as u32).for_each(|link| self.port(link, now).reset(now));
        let groups = self.regions.iter_mut().flat_map(|(region, _)| region.groups.iter_mut());
        groups.for_each(HostGroup::forget_delivered);
    }

    /// Data packets in the hands of ports.
    pub fn held_data(&self) -> usize {
        self.regions.iter().flat_map(|(region, _)| &region.fabric.ports).map(Port::held_data).sum()
    }
}
