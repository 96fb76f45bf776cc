//! The surroundings of a port that stores packets.

use headgate_model::queue::Arrival;
use headgate_model::units::{Span, Time};

use super::PortOccupancy;
use crate::packets::address::AddressSplit;
use crate::packets::packet::Packet;
use crate::packets::side_table::SideTable;
use crate::record::trace::PortTrace;
use crate::record::{Counters, EventKind};

/// The state that a port reads and writes while it handles packets.
pub struct PortContext<'a> {
    /// Counters of the shard.
    pub counters: &'a mut Counters,
    /// Headers and SACK blocks of the shard's packets.
    pub side_table: &'a mut SideTable,
    /// Packets that have left the port, with the times of their arrival at the next node.
    pub outgoing: &'a mut Vec<(Time, Packet)>,
    /// Packets stored by all ports of the shard.
    pub occupancy: &'a mut PortOccupancy,
    /// The layout of addresses.
    pub split: AddressSplit,
    /// Records events at this port, if anything is traced.
    pub trace: Option<PortTrace<'a>>,
}

impl PortContext<'_> {
    /// Returns an arrival with what a discipline can read in the packet's headers.
    pub fn read_headers(&self, packet: &Packet) -> Arrival {
        let (hosts, ack) = (packet.hosts(self.split), packet.ack_fields(&self.side_table.sacks));
        Arrival { hosts, ack, ..packet.arrival() }
    }

    /// Records an event of a packet if it is traced. `queue` packets wait; the packet itself has waited for
    /// `waited`.
    #[inline]
    pub fn note(&mut self, event: (Time, EventKind), packet: &Packet, queue: usize, waited: Option<Span>) {
        if let Some(trace) = &mut self.trace {
            trace.record(event, packet, self.side_table, queue, waited);
        }
    }
}
