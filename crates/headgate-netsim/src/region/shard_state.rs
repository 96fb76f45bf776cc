//! The state that all endpoints of a shard share, such as the clock, counters and the outbox of packets to
//! send.

use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Words;
use headgate_model::units::{Span, Time};
use headgate_tcp::context as tcp;
use headgate_tcp::{ByteCounts, Profile};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::packets::address::{AddressSplit, ConnectionId};
use crate::packets::index::{Address, HostIndex, LinkIndex};
use crate::packets::packet::Packet;
use crate::packets::side_table::{NO_HEADER, SideTable};
use crate::port::PortOccupancy;
use crate::port::context::PortContext;
use crate::record::flow_stats::StatsByKey;
use crate::record::trace::{PortTrace, Trace};
use crate::record::{Counters, FlowRow};
use crate::region::limits::LimitExceeded;
use crate::region::mail::Outbound;
use crate::region::setup::Setup;
use crate::time::batch::Batch;
use crate::time::calendar::Calendar;
use crate::time::timers::{Purpose, Timer};

/// The state of a shard outside its regions. Endpoints and ports read and write it while they handle an
/// event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShardState<L> {
    /// Current time, picoseconds.
    pub now: Time,
    /// The constants of the run.
    #[serde(skip)]
    pub setup: Arc<Setup>,
    /// Layout of addresses. A copy of `setup.split`, because every packet needs it.
    pub split: AddressSplit,
    /// Transport profiles.
    pub profiles: Vec<Profile>,
    /// A new congestion control algorithm for each choice of the plan. Connections clone them.
    pub controllers: Vec<L>,
    /// Counters of the whole network.
    pub counters: Counters,
    /// Statistics of ended flows, by key.
    pub flow_stats: StatsByKey,
    /// Headers and SACK blocks of packets.
    pub side_table: SideTable,
    /// Number of the header of the packet that a host group handles, or `NO_HEADER`.
    pub header: u32,
    /// The byte counts of the AccECN option of the ACK that a sender handles.
    #[serde(skip)]
    pub byte_counts: Option<ByteCounts>,
    /// The delay of the ACK of QUIC that a sender handles, picoseconds.
    #[serde(skip)]
    pub ack_delay: Span,
    /// Packets that leave a port that stores packets, and the times of their arrival.
    pub outgoing: Vec<(Time, Packet)>,
    /// Packets stored by the shard's ports.
    pub occupancy: PortOccupancy,
    /// Rows of ended flows.
    pub flow_rows: Vec<FlowRow>,
    /// For each flow of the series, its start and its address, once it has begun.
    pub series_addresses: Vec<Option<(Time, Address)>>,
    /// Packets that leave hosts of the group that handles the event.
    pub outbox: Vec<(HostIndex, Packet)>,
    /// Senders whose host has enough to send, and until when.
    pub backpressured: Vec<(Address, Time)>,
    /// Timers that the event sets.
    pub timers: Vec<Timer>,
    /// Connections whose receiver got all segments of a flow or burst, and the next segment that it
    /// expects. A measurement: no packet carries it.
    pub completed: Vec<(ConnectionId, u32)>,
    /// The limit that ends the run, if one was exceeded.
    pub limit_exceeded: Option<LimitExceeded>,
    /// Traced events.
    pub trace: Trace,
}

impl<L> ShardState<L> {
    /// The state at the beginning of a run.
    pub fn new(setup: Arc<Setup>, profiles: Vec<Profile>, controllers: Vec<L>) -> Self {
        Self {
            now: 0,
            split: setup.split,
            profiles,
            controllers,
            counters: Counters::default(),
            flow_stats: StatsByKey::new(setup.keys.count()),
            side_table: SideTable::default(),
            header: NO_HEADER,
            byte_counts: None,
            ack_delay: 0,
            outgoing: Vec::new(),
            occupancy: PortOccupancy::default(),
            flow_rows: Vec::new(),
            series_addresses: vec![None; setup.series_index.len()],
            outbox: Vec::new(),
            backpressured: Vec::new(),
            timers: Vec::new(),
            completed: Vec::new(),
            limit_exceeded: None,
            trace: Trace::default(),
            setup,
        }
    }

    /// The state of another shard, without counts.
    #[must_use]
    pub fn new_empty(&self) -> Self
    where
        L: Clone,
    {
        let (setup, profiles, controllers) =
            (Arc::clone(&self.setup), self.profiles.clone(), self.controllers.clone());
        Self { trace: self.trace.new_empty(), ..Self::new(setup, profiles, controllers) }
    }

    /// Adds the counts of another shard. Its side table is not merged.
    pub fn merge(&mut self, other: Self) {
        self.now = self.now.max(other.now);
        self.counters.merge(&other.counters);
        self.flow_stats.merge(&other.flow_stats);
        self.flow_rows.extend(other.flow_rows);
        let traced = self.series_addresses.iter_mut().zip(other.series_addresses);
        traced.for_each(|(here, there)| *here = (*here).max(there));
        self.limit_exceeded = self.limit_exceeded.or(other.limit_exceeded);
        self.trace.merge(other.trace);
    }

    /// Returns the surroundings of the port of a link.
    pub fn port_context(&mut self, link: LinkIndex) -> PortContext<'_> {
        let places = self.setup.routers() as u32;
        let trace = self.trace.is_on().then_some(PortTrace { trace: &mut self.trace, link, places });
        PortContext {
            counters: &mut self.counters,
            side_table: &mut self.side_table,
            outgoing: &mut self.outgoing,
            occupancy: &mut self.occupancy,
            split: self.split,
            trace,
        }
    }

    /// Sets a timer of an endpoint.
    pub fn set_timer(&mut self, timer: tcp::Timer, time: Time, address: Address, generation: u8) {
        let purpose = match timer {
            tcp::Timer::Retransmit => Purpose::Retransmit,
            tcp::Timer::Pace => Purpose::Pace,
            tcp::Timer::DelayedAck => Purpose::DelayedAck,
        };
        let (group, id) = (self.split.router(address), self.split.slot(address) as u32);
        self.timers.push(Timer { time, group, purpose, id, generation });
    }

    /// Returns the words of the current packet's header, or `None` if it carries none.
    #[inline]
    pub fn current_header(&self) -> Option<Words> {
        (self.header != NO_HEADER).then(|| self.side_table.read(self.header).words)
    }

    /// Takes the current packet's header. Returns its number, or `None` if it carries none.
    #[inline]
    pub fn take_header(&mut self) -> Option<u32> {
        let number = std::mem::replace(&mut self.header, NO_HEADER);
        (number != NO_HEADER).then_some(number)
    }
}

/// The memory that the regions of a shard use one after the other, so that it stays in the cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Workspace<L: ControllerRegistry> {
    /// State of the shard outside its regions.
    pub state: ShardState<L>,
    /// Packets in flight to the shard's nodes.
    pub calendar: Calendar,
    /// Packets of the region that runs.
    pub batch: Batch,
    /// Messages to shards.
    pub outbound: Outbound,
}
