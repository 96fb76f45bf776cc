//! A sink: TCP's receiving end of a flow, and its host.

use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::units::Time;
use headgate_tcp::context::{AckReport, AckSegment, Context as _, ReceiverContext};
use headgate_tcp::{ByteCounts, Profile, Receiver};
use serde::{Deserialize, Serialize};

use crate::packets::address::ConnectionId;
use crate::packets::index::{Address, HostIndex};
use crate::packets::packet::{CommonFields, Packet};
use crate::packets::sacks::AckOptions;
use crate::packets::side_table::{NO_HEADER, SideTable};
use crate::record::EventKind;
use crate::region::hosts::host::{Endpoint, Host};
use crate::region::shard_state::ShardState;

/// The location of a sender.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Peer {
    /// Its address.
    pub address: Address,
    /// Its host.
    pub host: HostIndex,
}

/// One flow at its receiving host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sink {
    /// The receiving endpoint.
    pub endpoint: Endpoint,
    /// The sender.
    pub peer: Peer,
    /// TCP's receiving end.
    pub tcp: Receiver,
    /// Number of the header to return with the next ACK, or `NO_HEADER`.
    pub header: u32,
}

impl Sink {
    /// Creates the receiver that answers this SYN.
    pub fn accept(syn: &Packet, address: Address, profiles: &[Profile]) -> Self {
        let (sender_host, profile) = syn.origin();
        let tcp = Receiver::new(syn.segments(), syn.flags(), &profiles[profile as usize]);
        let (generation, is_followed) = (syn.generation, syn.is_followed());
        Self {
            endpoint: Endpoint { address, host: syn.host, generation, profile, is_followed },
            peer: Peer { address: syn.sender(), host: sender_host },
            tcp,
            header: NO_HEADER,
        }
    }

    /// Returns the connection.
    #[inline(always)]
    fn connection(&self) -> ConnectionId {
        ConnectionId::new(self.peer.address, self.endpoint.generation)
    }

    /// Creates the answer to a SYN.
    pub fn answer(&mut self, syn: &Packet, now: Time, profiles: &[Profile]) -> Packet {
        let profile = &profiles[self.endpoint.profile as usize];
        let common = reply_fields(&self.endpoint, &self.peer, now, profile.syn_bytes);
        Packet::syn_ack(common, self.endpoint.address, self.tcp.answer(&syn.request(), profile))
    }

    /// A data segment arrived.
    #[inline]
    pub fn on_data<L: ControllerRegistry>(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        if packet.is_followed() {
            self.note_arrival(packet, state);
        }
        let connection = self.connection();
        if connection != packet.connection() {
            return; // a late packet of a closed connection
        }
        let Self { endpoint, peer, tcp, header } = self;
        if tcp.on_data(&packet.segment(), &mut Host { endpoint, role: ReceiverRole { peer, header }, state })
        {
            state.completed.push((connection, tcp.next));
        }
    }

    #[cold]
    fn note_arrival<L: ControllerRegistry>(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        self.endpoint.note_packet(EventKind::Received, packet, state);
        self.endpoint.is_followed |= self.connection() == packet.connection(); // its ACKs carry the bit, too
    }

    /// The timer of the delayed ACK expired.
    pub fn on_timer<L: ControllerRegistry>(&mut self, at: Time, state: &mut ShardState<L>) {
        let Self { endpoint, peer, tcp, header } = self;
        tcp.on_timer(at, &mut Host { endpoint, role: ReceiverRole { peer, header }, state });
    }

    /// Closes the connection. Late packets match no sender from now on.
    pub fn release(&mut self, side_table: &mut SideTable) {
        side_table.discard(self.header);
        self.header = NO_HEADER;
        self.peer.address = Address::NONE;
        self.tcp.close();
    }
}

/// Returns the common fields of a packet to the sender.
#[inline(always)]
fn reply_fields(endpoint: &Endpoint, peer: &Peer, time: Time, size: u16) -> CommonFields {
    CommonFields { time, address: peer.address, host: peer.host, size, generation: endpoint.generation }
}

/// The part of a host that only a receiver needs.
struct ReceiverRole<'a> {
    peer: &'a Peer,
    header: &'a mut u32,
}

impl<L: ControllerRegistry> ReceiverContext for Host<'_, L, ReceiverRole<'_>> {
    /// Merges the new header into a header that waits for its ACK.
    #[inline(always)]
    fn keep_header(&mut self) {
        if let Some(number) = self.state.take_header() {
            *self.role.header = merge_headers::<L>(*self.role.header, number, &mut self.state.side_table);
        }
    }

    #[inline(always)]
    fn send_ack(&mut self, ack: AckSegment) {
        let options = ack.blocks.map(|blocks| AckOptions { blocks: Some(blocks), ..AckOptions::default() });
        self.send_with_options(ack, options);
    }

    fn send_ack_with_counts(&mut self, ack: AckSegment, counts: ByteCounts) {
        let options = AckOptions { blocks: ack.blocks, counts: Some(counts), delay: None };
        self.send_with_options(ack, Some(options));
    }

    fn send_report(&mut self, ack: AckSegment, AckReport { delay, counts }: AckReport) {
        let options = AckOptions { blocks: ack.blocks, counts, delay: Some(delay) };
        self.send_with_options(ack, Some(options));
    }
}

impl<L: ControllerRegistry> Host<'_, L, ReceiverRole<'_>> {
    #[inline(always)]
    fn send_with_options(&mut self, ack: AckSegment, options: Option<AckOptions>) {
        let common = reply_fields(self.endpoint, self.role.peer, self.state.now, self.profile().ack_bytes);
        let sacks = options.map(|options| self.state.side_table.sacks.store(options));
        let mut packet = Packet::ack(common, ack.flags, ack.next, ack.stamp, sacks);
        let header = std::mem::replace(self.role.header, NO_HEADER);
        if header != NO_HEADER {
            self.state.side_table.attach(&mut packet, header);
        }
        self.send(packet);
    }
}

/// Merges a newer header into an older one, if there is one. Returns the number of the result.
fn merge_headers<L: ControllerRegistry>(older: u32, newer: u32, side_table: &mut SideTable) -> u32 {
    if older == NO_HEADER {
        return newer;
    }
    let (old, new) = (side_table.read(older), side_table.read(newer));
    let words = L::Router::fold(old.scheme, &old.words, &new.words);
    side_table.discard(newer);
    if let Some(kept) = side_table.header_words(older) {
        *kept = words;
    }
    older
}
