//! The host of an endpoint: the surroundings that TCP needs at either end.

use headgate_model::units::Time;
use headgate_tcp::Profile;
use headgate_tcp::context::{Context, Timer};
use serde::{Deserialize, Serialize};

use crate::packets::address::ConnectionId;
use crate::packets::index::{Address, HostIndex};
use crate::packets::packet::Packet;
use crate::record::trace::{departure_event, with_packet};
use crate::record::{Event, EventKind};
use crate::region::shard_state::ShardState;

/// One end of a connection.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Endpoint {
    /// Its address.
    pub address: Address,
    /// Its host.
    pub host: HostIndex,
    /// Generation of the sender's slot, which with the sender's address identifies the connection.
    pub generation: u8,
    /// Transport profile, in the order of the plan.
    pub profile: u8,
    /// The flow is traced.
    pub is_followed: bool,
}

/// The surroundings of an endpoint while it handles one event. `R` contains the part that only a sender or
/// a receiver needs.
pub struct Host<'a, L, R> {
    /// The endpoint.
    pub endpoint: &'a Endpoint,
    /// The part that only a sender or a receiver needs.
    pub role: R,
    /// The state of the shard.
    pub state: &'a mut ShardState<L>,
}

impl<L, R> Context for Host<'_, L, R> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.state.now
    }

    #[inline(always)]
    fn profile(&self) -> &Profile {
        &self.state.profiles[self.endpoint.profile as usize]
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        self.state.set_timer(timer, at, self.endpoint.address, self.endpoint.generation);
    }
}

impl<L, R> Host<'_, L, R> {
    /// Sends a packet.
    #[inline(always)]
    pub fn send(&mut self, packet: Packet) {
        self.endpoint.send(packet, self.state);
    }
}

impl Endpoint {
    /// Returns the connection, if this endpoint is its sender.
    #[inline(always)]
    pub fn sender_connection(&self) -> ConnectionId {
        ConnectionId::new(self.address, self.generation)
    }

    /// Sends a packet, with the trace bit if the flow is traced.
    #[inline(always)]
    pub fn send<L>(&self, mut packet: Packet, state: &mut ShardState<L>) {
        packet.follow(self.is_followed);
        state.outbox.push((self.host, packet));
        if self.is_followed {
            self.note_leaving(state);
        }
    }

    /// Creates an event of a connection at this endpoint.
    pub fn event<L>(&self, kind: EventKind, connection: ConnectionId, state: &ShardState<L>) -> Event {
        Event::new(state.now, kind, connection, state.split.router(self.address).0)
    }

    /// Records the departure of the last packet in the outbox. PassingPacket a reference to it would keep the
    /// packet out of registers.
    #[cold]
    fn note_leaving<L>(&self, state: &mut ShardState<L>) {
        let Some((_, packet)) = state.outbox.last().copied() else { return };
        match departure_event(&packet) {
            Some(kind) => self.note_packet(kind, &packet, state),
            None => state.trace.describe_last(&packet, &state.side_table),
        }
    }

    /// Records an event of a packet at this endpoint.
    #[cold]
    pub fn note_packet<L>(&self, kind: EventKind, packet: &Packet, state: &mut ShardState<L>) {
        if !state.trace.is_on() {
            return;
        }
        let event = self.event(kind, packet.connection(), state);
        state.trace.record(with_packet(event, packet, &state.side_table));
    }
}
