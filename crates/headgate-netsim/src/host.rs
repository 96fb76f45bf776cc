//! The host at one end of a connection: what TCP asks of its surroundings, whichever end it is.

use headgate_model::units::Time;
use headgate_tcp::Profile;
use headgate_tcp::context::{Context, Timer};
use serde::{Deserialize, Serialize};

use crate::packet::Packet;
use crate::record::{Event, EventKind};
use crate::shared::Shared;
use crate::trace::{describe, leaving};

/// One end of a connection, and where it sits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct End {
    pub address: u32,
    /// Its host's number at the router.
    pub host: u32,
    /// Of the sender's slot: names the connection together with the sender's address.
    pub generation: u8,
    pub profile: u8,
    /// Somebody follows the flow.
    pub followed: bool,
}

/// What an end has around it while it handles one event; `R` is what only a sender or a receiver needs.
pub struct Host<'a, L, R> {
    pub end: &'a End,
    pub role: R,
    pub shared: &'a mut Shared<L>,
}

impl<L, R> Context for Host<'_, L, R> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.shared.now
    }

    #[inline(always)]
    fn profile(&self) -> &Profile {
        &self.shared.profiles[self.end.profile as usize]
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        self.shared.set_timer(timer, at, self.end.address, self.end.generation);
    }
}

impl<L, R> Host<'_, L, R> {
    /// A packet leaves.
    #[inline(always)]
    pub fn send(&mut self, packet: Packet) {
        self.end.send(packet, self.shared);
    }
}

impl End {
    /// A packet leaves, which says so if somebody follows the flow.
    #[inline(always)]
    pub fn send<L>(&self, mut packet: Packet, shared: &mut Shared<L>) {
        packet.follow(self.followed);
        shared.outbox.push((self.host, packet));
        if self.followed {
            self.note_leaving(shared);
        }
    }

    /// Something of a connection, which its sender's address and generation name, happens at this end.
    pub fn event<L>(&self, kind: EventKind, connection: (u32, u8), shared: &Shared<L>) -> Event {
        Event::new(shared.now, kind, connection, shared.split.group(self.address) as u32)
    }

    /// The packet that was put into the outbox last leaves. A reference to it would keep it out of registers until then.
    #[cold]
    fn note_leaving<L>(&self, shared: &mut Shared<L>) {
        let Some((_, packet)) = shared.outbox.last().copied() else { return };
        match leaving(&packet) {
            Some(kind) => self.note_packet(kind, &packet, shared),
            None => shared.trace.describe_last(&packet, &shared.side_table),
        }
    }

    /// Something happens to a packet at this end, for who follows it.
    #[cold]
    pub fn note_packet<L>(&self, kind: EventKind, packet: &Packet, shared: &mut Shared<L>) {
        if !shared.trace.is_on() {
            return;
        }
        let event = self.event(kind, packet.connection(), shared);
        shared.trace.note(describe(event, packet, &shared.side_table));
    }
}
