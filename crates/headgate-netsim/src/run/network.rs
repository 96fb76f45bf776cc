//! The state of the simulated network: regions, distributed over shards.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

use crate::packets::index::{LinkIndex, NodeIndex, PortIndex, RegionIndex, ShardIndex};
use crate::packets::packet::Packet;
use crate::packets::side_table::SideTable;
use crate::plan::Plan;
use crate::port::Port;
use crate::port::PortOccupancy;
use crate::region::fabric::Fabric;
use crate::region::hosts::host_group::HostGroup;
use crate::region::mail::Outbound;
use crate::region::partition::Partition;
use crate::region::region::Region;
use crate::region::setup::{Placement, Setup};
use crate::region::shard_state::ShardState;
use crate::region::shard_state::Workspace;
use crate::run::balance;
use crate::run::populate::Population;
use crate::run::shard::Shard;
use crate::time::batch::Batch;
use crate::time::calendar::Calendar;
use crate::traffic::routes::{PortRoutes, Routes};

/// The state of the simulated network.
#[derive(Clone, Debug)]
pub struct Network<L: ControllerRegistry> {
    /// The constants of the run.
    pub setup: Arc<Setup>,
    /// The shards.
    pub shards: Vec<Shard<L>>,
    /// Least delay of a packet between regions, picoseconds.
    pub lookahead: Span,
    /// For each region those that its packets go to.
    neighbours: Vec<Vec<RegionIndex>>,
}

impl<L: ControllerRegistry> Network<L> {
    /// Places a population on the links of its plan, in one shard.
    pub fn new(plan: &Plan, population: Population<L>, partition: &Partition) -> Self {
        let Population { state, groups, hosts, inline, ports, timers, .. } = population;
        let mut setup = Arc::unwrap_or_clone(state.setup);
        setup.places = places(plan.nodes.len(), partition);
        setup.ports = port_places(plan, &setup.places);
        setup.routes = routes(plan, &setup.ports, &hosts, &inline);
        let setup = Arc::new(setup);
        let state = ShardState { setup: Arc::clone(&setup), ..state };
        let mut all: Vec<_> = (0..partition.regions.len())
            .map(RegionIndex::from_index)
            .map(|number| Region::new(number, Fabric::new(&plan.edges)))
            .collect();
        place_nodes(&mut all, partition, groups, &hosts);
        place_links(&mut all, plan, ports, &setup, partition.lookahead);
        for timer in timers {
            all[setup.hosts_of(timer.group).region.index()].set_timer(timer);
        }
        let neighbours = neighbours(plan, &setup);
        let mut network = Self { setup, shards: Vec::new(), lookahead: partition.lookahead, neighbours };
        network.make_shards(all, &vec![ShardIndex(0); partition.regions.len()], &state);
        network
    }

    /// Creates the shards. `shard_of` contains the shard of each region.
    fn make_shards(&mut self, regions: Vec<Region<L>>, shard_of: &[ShardIndex], state: &ShardState<L>) {
        let count = shard_of.iter().max().map_or(1, |most| most.0 + 1);
        let mut shares: Vec<Vec<Region<L>>> = (0..count).map(|_| Vec::new()).collect();
        for (region, &shard) in regions.into_iter().zip(shard_of) {
            shares[shard.index()].push(region);
        }
        let shard = |regions: Vec<Region<L>>| {
            let numbers: Vec<RegionIndex> = regions.iter().map(Region::number).collect();
            let nodes: Vec<NodeIndex> = regions.iter().flat_map(|region| region.nodes()).copied().collect();
            let workspace = Workspace {
                state: state.new_empty(),
                calendar: Calendar::new(&nodes, self.setup.places.len(), self.lookahead),
                batch: Batch::default(),
                outbound: Outbound::new(shard_of),
            };
            Shard::new(regions, &numbers, shard_of.len(), workspace)
        };
        self.shards = shares.into_iter().map(shard).collect();
    }

    /// Distributes the regions over this many threads, by their load since the last time. The next window
    /// is `window`, and all messages must have been received.
    pub fn rebalance(&mut self, threads: usize, window: u64) {
        let (mut regions, mut packets) = (Vec::new(), Vec::new());
        let mut counted: Option<ShardState<L>> = None;
        let mut side_table = SideTable::default();
        for mut shard in std::mem::take(&mut self.shards) {
            let Workspace { mut state, mut calendar, .. } = shard.workspace;
            side_table.outcomes.merge(std::mem::take(&mut state.side_table.outcomes));
            packets.extend(calendar.drain().into_iter().map(|(node, mut packet)| {
                state.side_table.move_meta(&mut packet, &mut side_table);
                (node, packet)
            }));
            shard
                .regions
                .iter_mut()
                .for_each(|region| region.move_side_entries(&mut state.side_table, &mut side_table));
            regions.append(&mut shard.regions);
            match &mut counted {
                None => counted = Some(state),
                Some(counted) => counted.merge(state),
            }
        }
        let counted = counted.expect("a shard");
        regions.sort_by_key(Region::number);
        let loads = take_loads(&mut regions);
        self.make_shards(regions, &balance::assign_regions(&loads, &self.neighbours, threads), &counted);
        self.distribute(counted, packets, side_table, window);
    }

    /// Gives the counts to the first shard, and packets with what they carry to their shards.
    fn distribute(
        &mut self,
        counted: ShardState<L>,
        packets: Vec<(NodeIndex, Packet)>,
        mut side_table: SideTable,
        window: u64,
    ) {
        let is_exceeded = counted.occupancy.is_exceeded;
        let outcomes = std::mem::take(&mut side_table.outcomes);
        self.shards[0].workspace.state = ShardState { side_table: SideTable::with(outcomes), ..counted };
        for shard in &mut self.shards {
            let held = shard.regions.iter_mut().map(Region::held_packets).sum();
            shard.workspace.state.occupancy =
                PortOccupancy { packets: held, is_exceeded, ..PortOccupancy::default() };
            shard.workspace.calendar.advance_to(window);
            let there = &mut shard.workspace.state.side_table;
            shard.regions.iter_mut().for_each(|region| region.move_side_entries(&mut side_table, there));
        }
        for (node, mut packet) in packets {
            let region = self.setup.places[node.index()].region;
            let shard = self.shards.iter_mut().find(|shard| shard.contains(region)).expect("a shard");
            side_table.move_meta(&mut packet, &mut shard.workspace.state.side_table);
            shard.workspace.calendar.insert(node, &packet);
        }
    }

    /// Iterates over all regions.
    pub fn regions(&self) -> impl Iterator<Item = &Region<L>> {
        self.shards.iter().flat_map(|shard| &shard.regions)
    }
}

/// Returns the load of each region since the last call: its time if that was measured, otherwise its
/// packets.
fn take_loads<L: ControllerRegistry>(regions: &mut [Region<L>]) -> Vec<u64> {
    let timed = regions.iter().any(|region| !region.work.is_zero());
    let load = |region: &mut Region<L>| {
        let (work, events) = (std::mem::take(&mut region.work), std::mem::take(&mut region.events));
        1 + if timed { work.as_nanos() as u64 } else { events }
    };
    regions.iter_mut().map(load).collect()
}

/// Lists for each region those that its links lead to, and those with the hosts of its routers.
fn neighbours(plan: &Plan, setup: &Setup) -> Vec<Vec<RegionIndex>> {
    let routers = setup.routers() as u32;
    let count = setup.places.iter().map(|place| place.region.0 + 1).max().unwrap_or(0);
    let mut all = vec![Vec::new(); count as usize];
    let hosts = (0..routers).flat_map(|router| [(router, routers + router), (routers + router, router)]);
    for (from, to) in hosts.chain(plan.links.iter().map(|link| (link.from, link.to))) {
        let (from, to) = (setup.places[from as usize].region, setup.places[to as usize].region);
        if from != to && !all[from.index()].contains(&to) {
            all[from.index()].push(to);
        }
    }
    all
}

/// Returns the location of each router and host group.
fn places(routers: usize, partition: &Partition) -> Vec<Placement> {
    let mut places = vec![Placement::default(); 2 * routers];
    for (region, nodes) in (0..).map(RegionIndex).zip(&partition.regions) {
        let (near, far): (Vec<NodeIndex>, Vec<NodeIndex>) =
            nodes.iter().partition(|node| node.index() < routers);
        for kind in [near, far] {
            (0..).zip(kind).for_each(|(index, node)| places[node.index()] = Placement { region, index });
        }
    }
    places
}

/// Returns the location of the port of each link: the region of the router at its beginning.
fn port_places(plan: &Plan, places: &[Placement]) -> Vec<Placement> {
    let mut next = vec![0; places.len()];
    let place = |from: u32| {
        let region = places[from as usize].region;
        next[region.index()] += 1;
        Placement { region, index: next[region.index()] - 1 }
    };
    plan.links.iter().map(|link| link.from).map(place).collect()
}

fn routes(plan: &Plan, ports: &[Placement], hosts: &[Vec<u32>], inline: &[bool]) -> PortRoutes {
    let goals = (0..hosts.len()).filter(|&router| inline[router] || !hosts[router].is_empty());
    let ports: Vec<_> = ports.iter().map(|place| PortIndex(place.index)).collect();
    Routes::new(plan.nodes.len(), &plan.links, goals).to_ports(&ports)
}

/// Adds routers and host groups to their regions.
fn place_nodes<L: ControllerRegistry>(
    all: &mut [Region<L>],
    partition: &Partition,
    groups: Vec<HostGroup<L>>,
    hosts: &[Vec<u32>],
) {
    let mut groups: Vec<_> = groups.into_iter().map(Some).collect();
    for (region, nodes) in all.iter_mut().zip(&partition.regions) {
        for &node in nodes {
            match node.index().checked_sub(hosts.len()) {
                None => region.add_router(node, &hosts[node.index()]),
                Some(router) => {
                    let group = groups[router].take().expect("each group of hosts is in one region");
                    region.add_group(node, group, &hosts[router]);
                }
            }
        }
    }
}

/// Adds links to the regions of the routers at their beginning.
fn place_links<L: ControllerRegistry>(
    all: &mut [Region<L>],
    plan: &Plan,
    ports: Vec<Port<L>>,
    setup: &Setup,
    lookahead: Span,
) {
    for (((number, link), port), place) in (0..).map(LinkIndex).zip(&plan.links).zip(ports).zip(&setup.ports)
    {
        all[place.region.index()].add_port(
            number,
            NodeIndex(link.to),
            port,
            link.least_delay_ps(),
            lookahead,
        );
    }
}

impl<L: ControllerRegistry> Serialize for Network<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&*self.setup, &self.shards, self.lookahead, &self.neighbours).serialize(serializer)
    }
}

impl<'de, L: ControllerRegistry> Deserialize<'de> for Network<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (setup, mut shards, lookahead, neighbours): (Setup, Vec<Shard<L>>, Span, Vec<Vec<RegionIndex>>) =
            Deserialize::deserialize(deserializer)?;
        let setup = Arc::new(setup);
        for shard in &mut shards {
            shard.workspace.state.setup = Arc::clone(&setup);
        }
        Ok(Self { setup, shards, lookahead, neighbours })
    }
}
