//! A shard: the regions that one thread runs, and the packets in flight to them.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::packets::index::{RegionIndex, RouterIndex};
use crate::packets::prefetch::prefetch_all;
use crate::port::PortOccupancy;
use crate::region::hosts::host_group::HostGroup;
use crate::region::mail::Inbound;
use crate::region::region::Region;
use crate::region::shard_state::Workspace;

/// The regions that one thread runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Shard<L: ControllerRegistry> {
    /// Its regions, in order.
    pub regions: Vec<Region<L>>,
    /// For each region of the network its position here, or `ELSEWHERE`.
    places: Vec<u32>,
    /// The memory that its regions use in turn.
    pub workspace: Workspace<L>,
    /// Position of the region that runs next in this window.
    next_region: usize,
    /// Packets processed in the last stretch.
    events: u64,
}

/// Marks a region of another shard.
const ELSEWHERE: u32 = u32::MAX;

/// One in this many windows is timed, if there are several shards.
const TIMED: u64 = 8;

impl<L: ControllerRegistry> Shard<L> {
    /// A shard of these regions. `numbers` are their indices, out of `of` regions in all.
    pub fn new(regions: Vec<Region<L>>, numbers: &[RegionIndex], of: usize, workspace: Workspace<L>) -> Self {
        let mut places = vec![ELSEWHERE; of];
        (0..).zip(numbers).for_each(|(place, &number)| places[number.index()] = place);
        Self { regions, places, workspace, next_region: 0, events: 0 }
    }

    /// Returns whether a region is here.
    pub fn contains(&self, region: RegionIndex) -> bool {
        self.places[region.index()] != ELSEWHERE
    }

    /// Runs all regions up to `until`, an instant of this window. Returns false if it was stopped earlier.
    pub fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        self.workspace.calendar.advance_to(window);
        self.events = 0;
        let timed = self.workspace.outbound.out.len() > 1 && window % TIMED == 0;
        while self.next_region < self.regions.len() {
            self.prefetch_next();
            let region = &mut self.regions[self.next_region];
            let (events, start) = (region.events, timed.then(Instant::now));
            let whole = region.run(until, &mut self.workspace, go_on);
            self.events += region.events - events;
            region.work += start.map_or(Duration::ZERO, |start| start.elapsed());
            if !whole {
                return false;
            }
            self.next_region += 1;
        }
        self.next_region = 0;
        self.overflow().is_none()
    }

    /// Loads the next regions into the cache.
    fn prefetch_next(&self) {
        prefetch_all(self.regions.get(self.next_region + 2).as_slice());
        if let Some(next) = self.regions.get(self.next_region + 1) {
            next.prefetch(&self.workspace.calendar);
        }
    }

    /// Returns the number of packets that there is room for, if some found none.
    pub fn overflow(&self) -> Option<usize> {
        let PortOccupancy { packets, is_exceeded, .. } = self.workspace.state.occupancy;
        self.workspace.calendar.overflow().or(is_exceeded.then_some(packets))
    }

    /// Sets the most packets in flight. Ports store packets in rings, which take three times as much memory
    /// while they grow.
    pub fn set_packet_limit(&mut self, packets: usize) {
        self.workspace.calendar.set_limit(packets / 2);
        self.workspace.state.occupancy.limit = packets / 6;
    }

    /// Receives messages from other regions.
    pub fn receive(&mut self, inbound: &mut Inbound) {
        for (node, packet) in inbound.packets.drain(..) {
            self.workspace.calendar.insert(node, &packet);
        }
        for (node, mut packet, records) in inbound.with_meta.drain(..) {
            self.workspace.state.side_table.put_meta(&mut packet, records);
            self.workspace.calendar.insert(node, &packet);
        }
        for timer in inbound.timers.drain(..) {
            self.region_of(timer.group).set_timer(timer);
        }
        if inbound.completed.is_empty() {
            // Cloning the reference would cost other threads their cached copy of the counter.
            return;
        }
        let setup = Arc::clone(&self.workspace.state.setup);
        for note in inbound.completed.drain(..) {
            let group = setup.split.router(note.connection.sender);
            self.region_of(group).note_completed(note, &setup);
        }
    }

    /// Receives the messages that its regions sent each other.
    pub fn receive_own(&mut self, shard: usize) {
        let mut inbound = std::mem::take(&mut self.workspace.outbound.out[shard]);
        self.receive(&mut inbound);
        self.workspace.outbound.out[shard] = inbound;
    }

    /// Returns the region of a host group.
    fn region_of(&mut self, group: RouterIndex) -> &mut Region<L> {
        let region = self.workspace.state.setup.hosts_of(group).region;
        self.region_mut(region)
    }

    /// Returns a region that is here.
    pub fn region_mut(&mut self, region: RegionIndex) -> &mut Region<L> {
        &mut self.regions[self.places[region.index()] as usize]
    }

    /// Returns when the next timer expires, if nothing else is pending.
    pub fn quiet_until(&self) -> Option<Time> {
        let silent = self.workspace.calendar.is_silent() && self.workspace.outbound.is_empty();
        if !silent || self.regions.iter().any(|region| region.next_departure() != NEVER) {
            return None;
        }
        Some(self.regions.iter().map(Region::next_timer).min().unwrap_or(NEVER))
    }

    /// Returns the number of packets processed in the last stretch.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Iterates over all congestion control algorithms: the new ones, and those of flows.
    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let groups = self.regions.iter_mut().flat_map(|region| &mut region.groups);
        self.workspace.state.controllers.iter_mut().chain(groups.flat_map(HostGroup::controllers_mut))
    }

    /// Iterates over the queue disciplines of ports.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.regions.iter_mut().flat_map(Region::disciplines_mut)
    }

    /// Returns the memory of the shard, bytes.
    pub fn bytes(&self) -> usize {
        self.workspace.calendar.bytes() + self.regions.iter().map(Region::bytes).sum::<usize>()
    }
}
