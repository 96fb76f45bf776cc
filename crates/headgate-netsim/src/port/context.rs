//! What a port needs that holds packets.

use headgate_model::units::{Span, Time};

use super::Held;
use crate::packet::Packet;
use crate::record::{Counters, EventKind};
use crate::side_table::SideTable;
use crate::trace::PortTrace;

/// What a port needs of the world, and where departing packets go: with the time of their arrival.
pub struct PortContext<'a> {
    pub counters: &'a mut Counters,
    pub side_table: &'a mut SideTable,
    pub leaving: &'a mut Vec<(Time, Packet)>,
    pub held: &'a mut Held,
    /// Who follows packets here.
    pub trace: Option<PortTrace<'a>>,
}

impl PortContext<'_> {
    /// Something happened to a packet while so many waited, after it had waited itself.
    #[inline]
    pub fn note(&mut self, event: (Time, EventKind), packet: &Packet, queue: usize, waited: Option<Span>) {
        if let Some(trace) = &mut self.trace {
            trace.note(event, packet, self.side_table, queue, waited);
        }
    }
}
