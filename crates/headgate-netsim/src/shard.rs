//! Regions that one thread runs, and the packets on their way to them.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::host_group::HostGroup;
use crate::mail::Mail;
use crate::port::Held;
use crate::prefetch::prefetch_all;
use crate::region::Region;
use crate::workspace::Workspace;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Shard<L: ControllerRegistry> {
    /// In the order of their numbers.
    pub regions: Vec<Region<L>>,
    /// Of each region of the network its place here, or `ELSEWHERE`.
    places: Vec<u32>,
    pub space: Workspace<L>,
    /// The region whose turn it is in this window.
    turn: usize,
    /// Packets handled in the last stretch.
    events: u64,
}

const ELSEWHERE: u32 = u32::MAX;

/// One window of so many is timed, if regions are to be shared out by their work.
const TIMED: u64 = 8;

impl<L: ControllerRegistry> Shard<L> {
    /// `numbers` are those of the regions, of so many in all.
    pub fn new(regions: Vec<Region<L>>, numbers: &[u32], of: usize, space: Workspace<L>) -> Self {
        let mut places = vec![ELSEWHERE; of];
        (0..).zip(numbers).for_each(|(place, &number)| places[number as usize] = place);
        Self { regions, places, space, turn: 0, events: 0 }
    }

    /// Whether a region is here.
    pub fn has(&self, region: u32) -> bool {
        self.places[region as usize] != ELSEWHERE
    }

    /// Runs all regions up to `until`, an instant of this window, or a part of that: then it says no.
    pub fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        self.space.calendar.turn_to(window);
        self.events = 0;
        let timed = self.space.post.out.len() > 1 && window % TIMED == 0;
        while self.turn < self.regions.len() {
            self.expect_next();
            let region = &mut self.regions[self.turn];
            let (events, start) = (region.events, timed.then(Instant::now));
            let whole = region.run(until, &mut self.space, go_on);
            self.events += region.events - events;
            region.work += start.map_or(Duration::ZERO, |start| start.elapsed());
            if !whole {
                return false;
            }
            self.turn += 1;
        }
        self.turn = 0;
        self.full().is_none()
    }

    /// Warms the cache for the regions that come next.
    fn expect_next(&self) {
        prefetch_all(self.regions.get(self.turn + 2).as_slice());
        if let Some(next) = self.regions.get(self.turn + 1) {
            next.expect(&self.space.calendar);
        }
    }

    /// How many packets there is room for, if there was none for some.
    pub fn full(&self) -> Option<usize> {
        let Held { packets, full, .. } = self.space.shared.held;
        self.space.calendar.full().or(full.then_some(packets))
    }

    /// No more packets than this may be under way here. Ports hold them in rings, which take three times as
    /// much while they grow.
    pub fn limit(&mut self, packets: usize) {
        self.space.calendar.limit(packets / 2);
        self.space.shared.held.most = packets / 6;
    }

    /// Takes in what other regions have sent.
    pub fn receive(&mut self, mail: &mut Mail) {
        for (node, packet) in mail.packets.drain(..) {
            self.space.calendar.admit(node as usize, &packet);
        }
        for (node, mut packet, records) in mail.with_meta.drain(..) {
            self.space.shared.side_table.put_meta(&mut packet, records);
            self.space.calendar.admit(node as usize, &packet);
        }
        for timer in mail.timers.drain(..) {
            self.region_of(timer.group).set_timer(timer);
        }
        if mail.completed.is_empty() {
            return; // counting references costs other threads their copy of what is shared
        }
        let setup = Arc::clone(&self.space.shared.setup);
        for note in mail.completed.drain(..) {
            let group = setup.split.group(note.address) as u32;
            self.region_of(group).note_completed(note, &setup);
        }
    }

    /// Takes in what its own regions have sent each other.
    pub fn receive_own(&mut self, shard: usize) {
        let mut mail = std::mem::take(&mut self.space.post.out[shard]);
        self.receive(&mut mail);
        self.space.post.out[shard] = mail;
    }

    /// The region of a group of hosts.
    fn region_of(&mut self, group: u32) -> &mut Region<L> {
        let region = self.space.shared.setup.hosts_of(group).region;
        self.region_mut(region)
    }

    /// A region that is here.
    pub fn region_mut(&mut self, region: u32) -> &mut Region<L> {
        &mut self.regions[self.places[region as usize] as usize]
    }

    /// When a timer goes off next, if nothing else is to come.
    pub fn silent_until(&self) -> Option<Time> {
        let silent = self.space.calendar.is_silent() && self.space.post.is_empty();
        if !silent || self.regions.iter().any(|region| region.next_departure() != NEVER) {
            return None;
        }
        Some(self.regions.iter().map(Region::next_timer).min().unwrap_or(NEVER))
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    /// Every law: the fresh ones and those at work.
    pub fn controllers_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let groups = self.regions.iter_mut().flat_map(|region| &mut region.groups);
        self.space.shared.laws.iter_mut().chain(groups.flat_map(HostGroup::controllers_mut))
    }

    /// The discipline of every port that has one.
    pub fn disciplines_mut(&mut self) -> impl Iterator<Item = &mut L::Queue> {
        self.regions.iter_mut().flat_map(Region::disciplines_mut)
    }

    pub fn bytes(&self) -> usize {
        self.space.calendar.bytes() + self.regions.iter().map(Region::bytes).sum::<usize>()
    }
}
