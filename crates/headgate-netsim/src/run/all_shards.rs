//! All shards between two windows, as one network.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use std::sync::Arc;

use crate::packets::index::{Address, LinkIndex, PortIndex, RouterIndex};
use crate::packets::media::media_index;
use crate::port::Port;
use crate::record::flow_stats::StatsByKey;
use crate::record::{Counters, FlowRow, PortRow};
use crate::region::hosts::host_group::HostGroup;
use crate::region::hosts::media::{MediaReceiver, MediaSender};
use crate::region::region::Region;
use crate::region::setup::{Placement, Setup};
use crate::region::shard_state::ShardState;
use crate::run::shard::Shard;

/// All regions of a network between two windows.
pub struct AllShards<'a, L: ControllerRegistry> {
    /// The constants of the run.
    pub setup: Arc<Setup>,
    /// Regions, in order, each with the position of its shard's state.
    regions: Vec<(&'a mut Region<L>, usize)>,
    /// States of the shards.
    states: Vec<&'a mut ShardState<L>>,
}

impl<'a, L: ControllerRegistry> AllShards<'a, L> {
    /// The regions of these shards.
    pub fn new(setup: &Arc<Setup>, shards: impl Iterator<Item = &'a mut Shard<L>>) -> Self {
        let (mut regions, mut states) = (Vec::new(), Vec::new());
        for (place, shard) in shards.enumerate() {
            regions.extend(shard.regions.iter_mut().map(|region| (region, place)));
            states.push(&mut shard.workspace.state);
        }
        regions.sort_by_key(|(region, _)| region.number());
        Self { setup: Arc::clone(setup), regions, states }
    }

    /// Sets the clock of all shards, picoseconds.
    pub fn set_now(&mut self, now: Time) {
        self.states.iter_mut().for_each(|state| state.now = now);
    }

    /// Returns the number of congestion control algorithms in the plan.
    pub fn controllers(&self) -> usize {
        self.states[0].controllers.len()
    }

    /// Returns the number of links.
    pub fn links(&self) -> usize {
        self.setup.ports.len()
    }

    /// Iterates over the host groups in the order of their routers, each with the state of its shard.
    pub fn groups(&self) -> impl Iterator<Item = (&HostGroup<L>, &ShardState<L>)> {
        (0..self.setup.routers()).map(RouterIndex::from_index).map(|router| self.group(router))
    }

    /// Returns the hosts behind a router, and the state of their shard.
    pub fn group(&self, router: RouterIndex) -> (&HostGroup<L>, &ShardState<L>) {
        let Placement { region, index } = self.setup.hosts_of(router);
        let (region, shard) = &self.regions[region.index()];
        (&region.groups[index as usize], &*self.states[*shard])
    }

    /// Returns the current address of a flow, by its position in the series.
    pub fn series_address(&self, position: usize) -> Option<Address> {
        let seen = self.states.iter().filter_map(|state| state.series_addresses[position]);
        seen.max().map(|(_, address)| address)
    }

    /// Returns the counters of all shards.
    pub fn counters(&self) -> Counters {
        let mut all = Counters::default();
        self.states.iter().for_each(|state| all.merge(&state.counters));
        all
    }

    /// Returns the statistics of ended flows, by key.
    pub fn flow_stats(&self) -> StatsByKey {
        let mut all = self.states[0].flow_stats.new_empty();
        self.states.iter().for_each(|state| all.merge(&state.flow_stats));
        all
    }

    /// Takes the rows of ended flows.
    pub fn take_flow_rows(&mut self) -> Vec<FlowRow> {
        self.states.iter_mut().flat_map(|state| std::mem::take(&mut state.flow_rows)).collect()
    }

    /// Iterates over the senders of streams of media, each with its receiver.
    pub fn streams(&self) -> impl Iterator<Item = (&MediaSender<L::Media>, &MediaReceiver)> {
        let senders = self.groups().filter_map(|(group, _)| group.media.as_ref());
        senders.flat_map(|media| &media.senders).filter_map(|sender| {
            let at = &sender.endpoint;
            let (there, state) = self.group(at.peer_home.router);
            let receiver = media_index(state.split, at.peer);
            Some((sender, &there.media.as_ref()?.receivers[receiver]))
        })
    }

    /// Returns the port of a link. Its events before `now` have been processed.
    pub fn port(&mut self, link: LinkIndex, now: Time) -> &mut Port<L> {
        let Placement { region, index } = self.setup.ports[link.index()];
        let (region, shard) = &mut self.regions[region.index()];
        region.fabric.catch_up(PortIndex(index), now, self.states[*shard]);
        &mut region.fabric.ports[index as usize]
    }

    /// Returns the rows of all ports since their tallies began.
    pub fn port_rows(&mut self, now: Time) -> Vec<PortRow> {
        (0..self.links()).map(LinkIndex::from_index).map(|link| self.port(link, now).row(now)).collect()
    }

    /// Restarts the counts of ports and flows, because the warm-up has ended.
    pub fn end_warmup(&mut self, now: Time) {
        (0..self.links()).map(LinkIndex::from_index).for_each(|link| self.port(link, now).reset(now));
        let groups = self.regions.iter_mut().flat_map(|(region, _)| region.groups.iter_mut());
        groups.for_each(HostGroup::reset_baselines);
    }

    /// Counts the data packets that ports store.
    pub fn held_data(&self) -> usize {
        self.regions.iter().flat_map(|(region, _)| &region.fabric.ports).map(Port::held_data).sum()
    }
}
