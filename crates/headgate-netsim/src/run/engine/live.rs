//! Foreign packets, which enter and leave between two calls of [`Engine::advance_to`].

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};

use super::Engine;
use crate::packets::address::HostLocation;
use crate::packets::foreign::{ForeignPacket, InjectError, Loss, MOST_IDS, Outcomes};
use crate::packets::index::HostIndex;

impl<L: ControllerRegistry> Engine<L> {
    /// Runs all windows that end by `until`, picoseconds, so that packets may be injected from
    /// [`Self::now`] on. Returns true if the run has ended. In contrast, [`Self::advance`] runs to the end
    /// without waiting for packets to be injected.
    pub fn advance_to(&mut self, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        self.clock.until = until;
        let has_ended = self.advance(go_on);
        self.clock.until = NEVER;
        has_ended
    }

    /// Returns the end of the next window, picoseconds. Packets injected before it belong to that window.
    pub fn window_end(&self) -> Time {
        self.clock.windows.start(self.clock.window + 1)
    }

    /// Ends the run at `time`, picoseconds, which must be after [`Self::now`] and before the planned end.
    pub fn end_at(&mut self, time: Time) {
        self.clock.recorder.end_at(time.max(self.now()));
    }

    /// Injects a foreign packet that leaves its host at `time`, picoseconds. Calls must come in time order.
    /// Packets of one host leave at least a picosecond apart, so packets with equal times leave slightly
    /// later.
    pub fn inject(&mut self, time: Time, foreign: &ForeignPacket) -> Result<(), InjectError> {
        debug_assert!(foreign.id < MOST_IDS);
        let locations = self.locations(time, foreign)?;
        let latest = &mut self.last_injected[foreign.from as usize];
        let time = latest.map_or(time, |latest| time.max(latest + 1));
        *latest = Some(time);
        self.enter(time, foreign, locations);
        Ok(())
    }

    /// Takes the deliveries and losses of foreign packets before [`Self::now`], in order of time.
    pub fn take_outcomes(&mut self) -> Outcomes {
        let mut all = Outcomes::default();
        let tables = self.network.shards.iter_mut().map(|shard| &mut shard.workspace.state.side_table);
        tables.for_each(|table| all.merge(std::mem::take(&mut table.outcomes)));
        all.sort();
        all
    }

    /// Returns the locations of the live hosts, by their numbers in [`ForeignPacket`].
    pub fn live_hosts(&self) -> &[HostLocation] {
        &self.network.setup.live
    }

    /// Returns whether packets can go from one live host to another.
    pub fn can_send(&self, from: u32, to: u32) -> bool {
        let location = |host: u32| self.live_hosts().get(host as usize).copied();
        location(from).zip(location(to)).is_some_and(|(from, to)| are_linked([from, to]))
    }

    /// Returns the locations of the packet's hosts, if it may be injected.
    fn locations(&self, time: Time, foreign: &ForeignPacket) -> Result<[HostLocation; 2], InjectError> {
        if self.stopped_mid_window {
            return Err(InjectError::MidWindow);
        }
        if time < self.now() {
            return Err(InjectError::Past(self.now()));
        }
        let location =
            |host: u32| self.live_hosts().get(host as usize).copied().ok_or(InjectError::NoHost(host));
        let locations = [location(foreign.from)?, location(foreign.to)?];
        if are_linked(locations) { Ok(locations) } else { Err(InjectError::NoLink) }
    }

    /// Sends a packet over its host's link, if the link has room, and files it.
    fn enter(&mut self, time: Time, foreign: &ForeignPacket, locations: [HostLocation; 2]) {
        let setup = &self.network.setup;
        let packet = foreign.packet(time, locations, setup.split);
        let [HostLocation { router, host, .. }, _] = locations;
        let place = setup.hosts_of(router);
        let there = setup.places[router.node().index()].region;
        let shard =
            self.network.shards.iter_mut().find(|shard| shard.contains(place.region)).expect("a shard");
        let arrives =
            shard.region_mut(place.region).fabric.inject_from_host(place.index as usize, host, &packet);
        let counters = &mut shard.workspace.state.counters;
        counters.segments_in += 1;
        let Some(arrives) = arrives else {
            counters.segments_dropped += 1;
            shard.workspace.state.side_table.outcomes.lost.push(Loss { time, id: foreign.id });
            return;
        };
        counters.packet_hops += u64::from(host != HostIndex::INLINE);
        let shard = self.network.shards.iter_mut().find(|shard| shard.contains(there)).expect("a shard");
        let mut packet = packet.arriving(arrives);
        shard.workspace.state.side_table.attach_new(&mut packet, foreign.header());
        shard.workspace.calendar.insert(router.node(), &packet);
    }
}

/// Returns whether a link is between two hosts. Two hosts on one router without links have none.
fn are_linked([from, to]: [HostLocation; 2]) -> bool {
    from.router != to.router || from.host != HostIndex::INLINE || to.host != HostIndex::INLINE
}
