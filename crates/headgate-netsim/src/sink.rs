//! A flow's receiving host: TCP's receiving end, where it sits, and what its surroundings are.

use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::units::Time;
use headgate_tcp::context::{AckSegment, Context as _, ReceiverContext};
use headgate_tcp::{Profile, Receiver};
use serde::{Deserialize, Serialize};

use crate::host::{End, Host};
use crate::packet::{Common, Packet};
use crate::record::EventKind;
use crate::shared::Shared;
use crate::side_table::{NO_HEADER, SideTable};

/// Where the sender is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Peer {
    pub address: u32,
    pub host: u32,
}

/// One flow at its receiving host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sink {
    pub end: End,
    pub peer: Peer,
    pub tcp: Receiver,
    /// Number of the header to return with the next ACK, or `NO_HEADER`.
    pub header: u32,
}

impl Sink {
    /// The end that answers this SYN.
    pub fn accept(syn: &Packet, address: u32, profiles: &[Profile]) -> Self {
        let (sender_host, profile) = syn.origin();
        let tcp = Receiver::new(syn.segments(), syn.flags(), &profiles[profile as usize]);
        let (generation, followed) = (syn.generation, syn.is_followed());
        Self {
            end: End { address, host: syn.host, generation, profile, followed },
            peer: Peer { address: syn.sender(), host: sender_host },
            tcp,
            header: NO_HEADER,
        }
    }

    /// The answer to a SYN.
    pub fn answer(&self, syn: &Packet, now: Time, size: u16) -> Packet {
        Packet::syn_ack(back(&self.end, &self.peer, now, size), self.end.address, syn.tries())
    }

    /// A data segment arrived.
    #[inline]
    pub fn on_data<L: ControllerRegistry>(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if packet.is_followed() {
            self.note_arrival(packet, shared);
        }
        let (sender, generation) = (self.peer.address, self.end.generation);
        if (sender, generation) != packet.connection() {
            return; // a straggler of a connection that is over
        }
        let Self { end, peer, tcp, header } = self;
        if tcp.on_data(&packet.segment(), &mut Host { end, role: Receiving { peer, header }, shared }) {
            shared.completed.push((sender, generation, tcp.next));
        }
    }

    #[cold]
    fn note_arrival<L: ControllerRegistry>(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        self.end.note_packet(EventKind::Received, packet, shared);
        self.end.followed |= (self.peer.address, self.end.generation) == packet.connection(); // so its ACKs say so, too
    }

    /// The timer of the delayed ACK went off.
    pub fn on_timer<L: ControllerRegistry>(&mut self, at: Time, shared: &mut Shared<L>) {
        let Self { end, peer, tcp, header } = self;
        tcp.on_timer(at, &mut Host { end, role: Receiving { peer, header }, shared });
    }

    /// The connection is over: stragglers match no sender from now on.
    pub fn forget(&mut self, side_table: &mut SideTable) {
        side_table.discard(self.header);
        self.header = NO_HEADER;
        self.peer.address = u32::MAX;
        self.tcp.close();
    }
}

/// What a packet back to the sender has.
#[inline(always)]
fn back(end: &End, peer: &Peer, time: Time, size: u16) -> Common {
    Common { time, flow: peer.address, host: peer.host, size, generation: end.generation }
}

/// What a receiver's host knows besides.
struct Receiving<'a> {
    peer: &'a Peer,
    header: &'a mut u32,
}

impl<L: ControllerRegistry> ReceiverContext for Host<'_, L, Receiving<'_>> {
    /// A header that waits for its ACK takes in the new one.
    #[inline(always)]
    fn keep_header(&mut self) {
        if let Some(number) = self.shared.take_header() {
            *self.role.header = fold::<L>(*self.role.header, number, &mut self.shared.side_table);
        }
    }

    #[inline(always)]
    fn send_ack(&mut self, ack: AckSegment) {
        let common = back(self.end, self.role.peer, self.shared.now, self.profile().ack_bytes);
        let sacks = ack.blocks.map(|blocks| self.shared.side_table.sacks.store(blocks));
        let mut packet = Packet::ack(common, ack.flags, ack.next, ack.stamp, sacks);
        let header = std::mem::replace(self.role.header, NO_HEADER);
        if header != NO_HEADER {
            self.shared.side_table.put_on(&mut packet, header);
        }
        self.send(packet);
    }
}

/// What an older header, if there is one, and a newer one say together: the number of that header.
fn fold<L: ControllerRegistry>(older: u32, newer: u32, side_table: &mut SideTable) -> u32 {
    if older == NO_HEADER {
        return newer;
    }
    let (old, new) = (side_table.read(older), side_table.read(newer));
    let words = L::Router::fold(old.scheme, &old.words, &new.words);
    side_table.discard(newer);
    if let Some(kept) = side_table.words(older) {
        *kept = words;
    }
    older
}
