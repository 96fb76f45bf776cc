//! What all endpoints of a shard share: a clock, counters, and the outbox for what they send.

use headgate_model::feedback::Words;
use headgate_model::units::Time;
use headgate_tcp::Profile;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::excess::Excess;
use crate::flow_stats::StatsByKey;
use crate::packet::{Packet, Split};
use crate::port::Held;
use crate::port::context::PortContext;
use crate::record::{Counters, FlowRow};
use crate::setup::Setup;
use crate::side_table::{NO_HEADER, SideTable};
use crate::timers::{Purpose, Timer};
use crate::trace::{PortTrace, Trace};

/// The world as an endpoint sees it while it handles one event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shared<L> {
    pub now: Time,
    #[serde(skip)]
    pub setup: Arc<Setup>,
    /// What every packet asks for is at hand: how addresses divide, and profiles.
    pub split: Split,
    pub profiles: Vec<Profile>,
    /// Fresh laws, one for each of the plan's choices; a connection clones its own.
    pub laws: Vec<L>,
    pub counters: Counters,
    /// What the flows that are over counted, by what they have in common.
    pub flow_stats: StatsByKey,
    /// What packets carry besides their own fields.
    pub side_table: SideTable,
    /// The number of the header of the packet that a host group handles, or `NO_HEADER`.
    pub header: u32,
    /// Packets leaving a port that holds packets, and when they arrive.
    pub leaving: Vec<(Time, Packet)>,
    /// Packets in the hands of the shard's ports.
    pub held: Held,
    pub rows: Vec<FlowRow>,
    /// Addresses of the flows that the series follow, once they have begun, and when they did.
    pub traced: Vec<Option<(Time, u32)>>,
    /// Packets leaving hosts of the group that handles the event: (host, packet).
    pub outbox: Vec<(u32, Packet)>,
    /// Senders whose host has enough to send, by their address, and until when.
    pub told_to_wait: Vec<(u32, Time)>,
    /// Timers set by the event.
    pub timers: Vec<Timer>,
    /// Senders whose receiver got the last segment, of all or of a burst; their generation, and the next segment that
    /// it expects. Measurement only: no packet says it.
    pub completed: Vec<(u32, u8, u32)>,
    /// Why the run cannot go on.
    pub excess: Option<Excess>,
    /// Events that somebody follows.
    pub trace: Trace,
}

impl<L> Shared<L> {
    pub fn new(setup: Arc<Setup>, profiles: Vec<Profile>, laws: Vec<L>) -> Self {
        Self {
            now: 0,
            split: setup.split,
            profiles,
            laws,
            counters: Counters::default(),
            flow_stats: StatsByKey::new(setup.keys.count()),
            side_table: SideTable::default(),
            header: NO_HEADER,
            leaving: Vec::new(),
            held: Held::default(),
            rows: Vec::new(),
            traced: vec![None; setup.follows.len()],
            outbox: Vec::new(),
            told_to_wait: Vec::new(),
            timers: Vec::new(),
            completed: Vec::new(),
            excess: None,
            trace: Trace::default(),
            setup,
        }
    }

    /// The same for another shard, with nothing in it yet.
    #[must_use]
    pub fn new_empty(&self) -> Self
    where
        L: Clone,
    {
        let (setup, profiles, laws) = (Arc::clone(&self.setup), self.profiles.clone(), self.laws.clone());
        Self { trace: self.trace.new_empty(), ..Self::new(setup, profiles, laws) }
    }

    /// Adds what was counted in another shard. What its packets carry stays with them.
    pub fn merge(&mut self, other: Self) {
        self.now = self.now.max(other.now);
        self.counters.merge(&other.counters);
        self.flow_stats.merge(&other.flow_stats);
        self.rows.extend(other.rows);
        let traced = self.traced.iter_mut().zip(other.traced);
        traced.for_each(|(here, there)| *here = (*here).max(there));
        self.excess = self.excess.or(other.excess);
        self.trace.merge(other.trace);
    }

    /// What the port of a link needs if it holds packets.
    pub fn port_context(&mut self, link: u32) -> PortContext<'_> {
        let places = self.setup.routers() as u32;
        let trace = self.trace.is_on().then_some(PortTrace { trace: &mut self.trace, link, places });
        PortContext {
            counters: &mut self.counters,
            side_table: &mut self.side_table,
            leaving: &mut self.leaving,
            held: &mut self.held,
            trace,
        }
    }

    /// A timer of one end of a connection, by its address.
    pub fn set_timer(&mut self, timer: tcp::Timer, time: Time, address: u32, generation: u8) {
        let purpose = match timer {
            tcp::Timer::Retransmit => Purpose::Retransmit,
            tcp::Timer::Pace => Purpose::Pace,
            tcp::Timer::DelayedAck => Purpose::DelayedAck,
        };
        let (group, id) = (self.split.group(address) as u32, self.split.slot(address) as u32);
        self.timers.push(Timer { time, group, purpose, id, generation });
    }

    /// What the header in hand says, if there is one.
    #[inline]
    pub fn header_in_hand(&self) -> Option<Words> {
        (self.header != NO_HEADER).then(|| self.side_table.read(self.header).words)
    }

    /// Takes the header in hand, if there is one.
    #[inline]
    pub fn take_header(&mut self) -> Option<u32> {
        let number = std::mem::replace(&mut self.header, NO_HEADER);
        (number != NO_HEADER).then_some(number)
    }
}
