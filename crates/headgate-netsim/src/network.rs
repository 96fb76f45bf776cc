//! The whole state of what a run simulates: regions, shared out over shards.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

use crate::batch::Batch;
use crate::calendar::Calendar;
use crate::fabric::Fabric;
use crate::host_group::HostGroup;
use crate::packet::Packet;
use crate::plan::Plan;
use crate::populate::Population;
use crate::port::Held;
use crate::port::Port;
use crate::post::Post;
use crate::region::Region;
use crate::regions::Regions;
use crate::routes::Routes;
use crate::setup::{Place, Setup};
use crate::shard::Shard;
use crate::shared::Shared;
use crate::sharing;
use crate::side_table::SideTable;
use crate::workspace::Workspace;

#[derive(Clone, Debug)]
pub struct Network<L: ControllerRegistry> {
    pub setup: Arc<Setup>,
    pub shards: Vec<Shard<L>>,
    pub lookahead: Span,
    /// Of each region those to which its packets go.
    neighbours: Vec<Vec<u32>>,
}

impl<L: ControllerRegistry> Network<L> {
    /// A population, on the links of its plan, in one shard.
    pub fn new(plan: &Plan, people: Population<L>, regions: &Regions) -> Self {
        let Population { shared, groups, hosts, inline, ports, timers, .. } = people;
        let mut setup = Arc::unwrap_or_clone(shared.setup);
        setup.places = places(plan.nodes.len(), regions);
        setup.ports = port_places(plan, &setup.places);
        setup.routes = routes(plan, &setup.ports, &hosts, &inline);
        let setup = Arc::new(setup);
        let shared = Shared { setup: Arc::clone(&setup), ..shared };
        let mut all: Vec<_> = (0..regions.nodes.len() as u32)
            .map(|number| Region::new(number, Fabric::new(&plan.edges)))
            .collect();
        settle(&mut all, regions, groups, &hosts);
        connect(&mut all, plan, ports, &setup, regions.lookahead);
        for timer in timers {
            all[setup.hosts_of(timer.group).region as usize].set_timer(timer);
        }
        let neighbours = neighbours(plan, &setup);
        let mut network = Self { setup, shards: Vec::new(), lookahead: regions.lookahead, neighbours };
        network.make_shards(all, &vec![0; regions.nodes.len()], &shared);
        network
    }

    /// Makes shards: each region goes to the one that is named for it.
    fn make_shards(&mut self, regions: Vec<Region<L>>, shard_of: &[u32], shared: &Shared<L>) {
        let count = shard_of.iter().max().map_or(1, |most| most + 1);
        let mut shares: Vec<Vec<Region<L>>> = (0..count).map(|_| Vec::new()).collect();
        for (region, &shard) in regions.into_iter().zip(shard_of) {
            shares[shard as usize].push(region);
        }
        let shard = |regions: Vec<Region<L>>| {
            let numbers: Vec<u32> = regions.iter().map(Region::number).collect();
            let nodes: Vec<u32> = regions.iter().flat_map(|region| region.nodes()).copied().collect();
            let space = Workspace {
                shared: shared.new_empty(),
                calendar: Calendar::new(&nodes, self.setup.places.len(), self.lookahead),
                batch: Batch::default(),
                post: Post::new(shard_of),
            };
            Shard::new(regions, &numbers, shard_of.len(), space)
        };
        self.shards = shares.into_iter().map(shard).collect();
    }

    /// Shares the regions out over so many threads, by the packets that each has handled since it was done
    /// last. The next window is `window`, and all mail has arrived.
    pub fn share_out(&mut self, threads: usize, window: u64) {
        let (mut regions, mut packets) = (Vec::new(), Vec::new());
        let mut counted: Option<Shared<L>> = None;
        let mut side_table = SideTable::default();
        for mut shard in std::mem::take(&mut self.shards) {
            let Workspace { mut shared, mut calendar, .. } = shard.space;
            side_table.outcomes.merge(std::mem::take(&mut shared.side_table.outcomes));
            packets.extend(calendar.drain().into_iter().map(|(node, mut packet)| {
                shared.side_table.move_meta(&mut packet, &mut side_table);
                (node, packet)
            }));
            shard
                .regions
                .iter_mut()
                .for_each(|region| region.move_side_entries(&mut shared.side_table, &mut side_table));
            regions.append(&mut shard.regions);
            match &mut counted {
                None => counted = Some(shared),
                Some(counted) => counted.merge(shared),
            }
        }
        let counted = counted.expect("a shard");
        regions.sort_by_key(Region::number);
        let loads = take_loads(&mut regions);
        self.make_shards(regions, &sharing::share_out(&loads, &self.neighbours, threads), &counted);
        self.settle(counted, packets, side_table, window);
    }

    /// The first shard keeps what was counted until now; packets and what they carry go where they belong.
    fn settle(
        &mut self,
        counted: Shared<L>,
        packets: Vec<(u32, Packet)>,
        mut side_table: SideTable,
        window: u64,
    ) {
        let full = counted.held.full;
        let outcomes = std::mem::take(&mut side_table.outcomes);
        self.shards[0].space.shared = Shared { side_table: SideTable::with(outcomes), ..counted };
        for shard in &mut self.shards {
            let held = shard.regions.iter_mut().map(Region::held).sum();
            shard.space.shared.held = Held { packets: held, full, ..Held::default() };
            shard.space.calendar.turn_to(window);
            let there = &mut shard.space.shared.side_table;
            shard.regions.iter_mut().for_each(|region| region.move_side_entries(&mut side_table, there));
        }
        for (node, mut packet) in packets {
            let region = self.setup.places[node as usize].region;
            let shard = self.shards.iter_mut().find(|shard| shard.has(region)).expect("a shard");
            side_table.move_meta(&mut packet, &mut shard.space.shared.side_table);
            shard.space.calendar.admit(node as usize, &packet);
        }
    }

    pub fn regions(&self) -> impl Iterator<Item = &Region<L>> {
        self.shards.iter().flat_map(|shard| &shard.regions)
    }
}

/// The work of each region since this was asked last: its time where that was measured, else its packets.
fn take_loads<L: ControllerRegistry>(regions: &mut [Region<L>]) -> Vec<u64> {
    let timed = regions.iter().any(|region| !region.work.is_zero());
    let load = |region: &mut Region<L>| {
        let (work, events) = (std::mem::take(&mut region.work), std::mem::take(&mut region.events));
        1 + if timed { work.as_nanos() as u64 } else { events }
    };
    regions.iter_mut().map(load).collect()
}

/// Of each region those to which links lead, and the hosts of its routers.
fn neighbours(plan: &Plan, setup: &Setup) -> Vec<Vec<u32>> {
    let routers = setup.routers() as u32;
    let count = setup.places.iter().map(|place| place.region + 1).max().unwrap_or(0);
    let mut all = vec![Vec::new(); count as usize];
    let hosts = (0..routers).flat_map(|router| [(router, routers + router), (routers + router, router)]);
    for (from, to) in hosts.chain(plan.links.iter().map(|link| (link.from, link.to))) {
        let (from, to) = (setup.places[from as usize].region, setup.places[to as usize].region);
        if from != to && !all[from as usize].contains(&to) {
            all[from as usize].push(to);
        }
    }
    all
}

/// Where each node is kept: routers, groups of hosts.
fn places(routers: usize, regions: &Regions) -> Vec<Place> {
    let mut places = vec![Place::default(); 2 * routers];
    for (region, nodes) in (0..).zip(&regions.nodes) {
        let (near, far): (Vec<u32>, Vec<u32>) = nodes.iter().partition(|&&node| (node as usize) < routers);
        for kind in [near, far] {
            (0..).zip(kind).for_each(|(index, node)| places[node as usize] = Place { region, index });
        }
    }
    places
}

/// Where the port of each link is kept: with the router that it leads from.
fn port_places(plan: &Plan, places: &[Place]) -> Vec<Place> {
    let mut next = vec![0; places.len()];
    let place = |from: u32| {
        let region = places[from as usize].region;
        next[region as usize] += 1;
        Place { region, index: next[region as usize] - 1 }
    };
    plan.links.iter().map(|link| link.from).map(place).collect()
}

fn routes(plan: &Plan, ports: &[Place], hosts: &[Vec<u32>], inline: &[bool]) -> Routes {
    let goals = (0..hosts.len()).filter(|&router| inline[router] || !hosts[router].is_empty());
    let mut routes = Routes::new(plan.nodes.len(), &plan.links, goals);
    routes.renumber(&ports.iter().map(|place| place.index).collect::<Vec<_>>());
    routes
}

/// Routers and groups of hosts go to their regions.
fn settle<L: ControllerRegistry>(
    all: &mut [Region<L>],
    regions: &Regions,
    groups: Vec<HostGroup<L>>,
    hosts: &[Vec<u32>],
) {
    let mut groups: Vec<_> = groups.into_iter().map(Some).collect();
    for (region, nodes) in all.iter_mut().zip(&regions.nodes) {
        for &node in nodes {
            match (node as usize).checked_sub(hosts.len()) {
                None => region.add_router(node, &hosts[node as usize]),
                Some(router) => {
                    let group = groups[router].take().expect("each group of hosts is in one region");
                    region.add_group(node, group, &hosts[router]);
                }
            }
        }
    }
}

/// Links go to the regions that they lead from.
fn connect<L: ControllerRegistry>(
    all: &mut [Region<L>],
    plan: &Plan,
    ports: Vec<Port<L>>,
    setup: &Setup,
    lookahead: Span,
) {
    for (((number, link), port), place) in (0..).zip(&plan.links).zip(ports).zip(&setup.ports) {
        all[place.region as usize].add_port(number, link.to, port, link.least_delay_ps(), lookahead);
    }
}

impl<L: ControllerRegistry> Serialize for Network<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&*self.setup, &self.shards, self.lookahead, &self.neighbours).serialize(serializer)
    }
}

impl<'de, L: ControllerRegistry> Deserialize<'de> for Network<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (setup, mut shards, lookahead, neighbours): (Setup, Vec<Shard<L>>, Span, Vec<Vec<u32>>) =
            Deserialize::deserialize(deserializer)?;
        let setup = Arc::new(setup);
        for shard in &mut shards {
            shard.space.shared.setup = Arc::clone(&setup);
        }
        Ok(Self { setup, shards, lookahead, neighbours })
    }
}
