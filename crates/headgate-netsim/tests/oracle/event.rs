//! Events of the slow engine, in their order.

use headgate_model::units::Time;
use headgate_netsim::packets::index::Address;
use headgate_netsim::packets::packet::{Packet, PacketKind};
use headgate_netsim::time::timers::Timer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Router(usize),
    HostGroup(usize),
}

/// The order of simultaneous events: departures, ticks of disciplines, packets by endpoint, kind, sender and
/// place, and then timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    Departure(usize),
    Tick(usize),
    Packet(Address, PacketKind, u32, usize),
    Timer(Timer),
}

pub struct Event {
    pub time: Time,
    pub order: Order,
    pub what: Option<(Place, Packet)>,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}
impl Eq for Event {}
impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}
