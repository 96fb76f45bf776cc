//! Foreign packets in and out, between two calls of [`Engine::advance_to`].

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{NEVER, Time};

use super::Engine;
use crate::foreign::{ForeignPacket, Loss, MOST_IDS, Outcomes, Refused};
use crate::packet::INLINE;
use crate::traffic::Home;

impl<L: ControllerRegistry> Engine<L> {
    /// Runs all windows that end by `until`, and no further: packets may be injected from [`Self::now`] on. True when
    /// the run is over. Calls of [`Self::advance`] instead end it without waiting for what is to be injected.
    pub fn advance_to(&mut self, until: Time, go_on: &mut dyn FnMut() -> bool) -> bool {
        self.clock.until = until;
        let over = self.advance(go_on);
        self.clock.until = NEVER;
        over
    }

    /// The end of the window that runs next: what is injected before it is part of that.
    pub fn window_end(&self) -> Time {
        self.clock.windows.start(self.clock.window + 1)
    }

    /// The run ends at `time`, which lies ahead of [`Self::now`] and before its end.
    pub fn end_at(&mut self, time: Time) {
        self.clock.meter.end_at(time.max(self.now()));
    }

    /// A foreign packet leaves its host at `time`; calls come in the order of time. Packets of one host leave at least
    /// a picosecond apart, so what is given with equal times is a little later.
    pub fn inject(&mut self, time: Time, foreign: &ForeignPacket) -> Result<(), Refused> {
        debug_assert!(foreign.id < MOST_IDS);
        let homes = self.homes(time, foreign)?;
        let latest = &mut self.entered[foreign.from as usize];
        let time = latest.map_or(time, |latest| time.max(latest + 1));
        *latest = Some(time);
        self.enter(time, foreign, homes);
        Ok(())
    }

    /// What became of foreign packets before [`Self::now`] and was not handed out yet, in order of time.
    pub fn take_outcomes(&mut self) -> Outcomes {
        let mut all = Outcomes::default();
        let tables = self.network.shards.iter_mut().map(|shard| &mut shard.space.shared.side_table);
        tables.for_each(|table| all.merge(std::mem::take(&mut table.outcomes)));
        all.sort();
        all
    }

    /// Hosts from outside, by their numbers in [`ForeignPacket`]: where they sit.
    pub fn live_hosts(&self) -> &[Home] {
        &self.network.setup.live
    }

    /// Whether packets can go from one live host to another.
    pub fn can_send(&self, from: u32, to: u32) -> bool {
        let home = |host: u32| self.live_hosts().get(host as usize).copied();
        home(from).zip(home(to)).is_some_and(|(from, to)| have_link([from, to]))
    }

    /// Where a packet goes from and to, if it may be injected.
    fn homes(&self, time: Time, foreign: &ForeignPacket) -> Result<[Home; 2], Refused> {
        if self.stopped {
            return Err(Refused::Within);
        }
        if time < self.now() {
            return Err(Refused::Past(self.now()));
        }
        let home = |host: u32| self.live_hosts().get(host as usize).copied().ok_or(Refused::NoHost(host));
        let homes = [home(foreign.from)?, home(foreign.to)?];
        if have_link(homes) { Ok(homes) } else { Err(Refused::NoLink) }
    }

    /// Takes a packet over its host's link, if there is room in that, and files it.
    fn enter(&mut self, time: Time, foreign: &ForeignPacket, homes: [Home; 2]) {
        let setup = &self.network.setup;
        let packet = foreign.packet(time, homes, setup.split);
        let [Home { router, host, .. }, _] = homes;
        let place = setup.hosts_of(router);
        let there = setup.places[router as usize].region;
        let shard = self.network.shards.iter_mut().find(|shard| shard.has(place.region)).expect("a shard");
        let arrives = shard.region_mut(place.region).fabric.enter(place.index as usize, host, &packet);
        let counters = &mut shard.space.shared.counters;
        counters.segments_in += 1;
        let Some(arrives) = arrives else {
            counters.segments_dropped += 1;
            shard.space.shared.side_table.outcomes.lost.push(Loss { time, id: foreign.id });
            return;
        };
        counters.packet_hops += u64::from(host != INLINE);
        let shard = self.network.shards.iter_mut().find(|shard| shard.has(there)).expect("a shard");
        let mut packet = packet.arriving(arrives);
        shard.space.shared.side_table.attach(&mut packet, foreign.header());
        shard.space.calendar.admit(router as usize, &packet);
    }
}

/// Whether there is a link between two hosts: not if they sit on one router without links of their own.
fn have_link([from, to]: [Home; 2]) -> bool {
    from.router != to.router || from.host != INLINE || to.host != INLINE
}
