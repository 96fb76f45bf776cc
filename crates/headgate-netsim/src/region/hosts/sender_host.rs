//! The host of a sender: the surroundings that TCP's sending end needs.

use headgate_model::control::Controller;
use headgate_model::feedback::CongestionHeader;
use headgate_model::units::Span;
use headgate_tcp::ByteCounts;
use headgate_tcp::context::{self as tcp, Context as _, DataSegment, SenderContext, Syn};
use serde::{Deserialize, Serialize};

use crate::packets::index::{Address, FlowId, HostIndex, RouterIndex};
use crate::packets::packet::{CommonFields, Packet};
use crate::record::Event;
use crate::record::trace::traced_event;
use crate::region::hosts::host::{Endpoint, Host};
use crate::region::limits::{Limit, LimitExceeded};

/// The location of a receiver.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Peer {
    /// Its router.
    pub router: RouterIndex,
    /// Its host there.
    pub host: HostIndex,
    /// Its address, once the SYN was answered.
    pub address: Address,
}

/// The part of a host that only a sender needs.
pub(super) struct SenderRole<'a> {
    pub(super) peer: &'a Peer,
    /// Flow and algorithm are references, because only an exceeded limit reads them.
    pub(super) flow_id: &'a FlowId,
    pub(super) controller: &'a u32,
}

impl<L: Controller> SenderContext for Host<'_, L, SenderRole<'_>> {
    fn send_syn(&mut self, syn: Syn, header: Option<CongestionHeader>) {
        let Endpoint { address, host, profile, .. } = *self.endpoint;
        let listener = self.state.split.join(self.role.peer.router, 0);
        let common = self.to_peer(listener, self.profile().syn_bytes);
        self.send_with(Packet::syn(common, syn, address, (host, profile)), header);
    }

    #[inline(always)]
    fn send_data(&mut self, segment: DataSegment, header: Option<CongestionHeader>) {
        self.state.counters.segments_in += 1;
        let common = self.to_peer(self.role.peer.address, self.profile().data_bytes);
        self.send_with(Packet::data(common, segment, self.endpoint.address), header);
    }

    fn byte_counts(&self) -> Option<ByteCounts> {
        self.state.byte_counts
    }

    fn ack_delay(&self) -> Span {
        self.state.ack_delay
    }

    #[inline(always)]
    fn observe(&mut self, event: tcp::Event) {
        if self.endpoint.is_followed {
            self.note(event);
        }
        let counters = &mut self.state.counters;
        match event {
            tcp::Event::Established => counters.connecting -= 1,
            tcp::Event::Sent { again, .. } => counters.retransmissions += u64::from(again),
            tcp::Event::Acknowledged { before, cwnd, .. } => {
                counters.cwnd_increases += u64::from(cwnd > before)
            }
            tcp::Event::RttSample { rtt_s } => {
                counters.rtt_sum_s += rtt_s;
                counters.rtt_count += 1;
            }
            tcp::Event::DuplicateAck => counters.duplicate_acks += 1,
            tcp::Event::Timeout => counters.timeouts += 1,
            tcp::Event::Undone { timeout } => {
                counters.undone += 1;
                counters.spurious_timeouts += u64::from(timeout);
            }
            tcp::Event::Lost { .. } | tcp::Event::Marked => {}
        }
    }

    /// Only the first exceeded limit is kept.
    fn limit_exceeded(&mut self, excess: tcp::LimitExceeded) {
        let sender = Some((self.role.flow_id.0, *self.role.controller));
        let excess = LimitExceeded { sender, at: self.state.now, limit: Limit::Tcp(excess) };
        self.state.limit_exceeded.get_or_insert(excess);
    }
}

impl<L> Host<'_, L, SenderRole<'_>> {
    /// Returns the common fields of a packet to an endpoint at the receiver's host.
    #[inline(always)]
    fn to_peer(&self, address: Address, size: u16) -> CommonFields {
        let (host, generation) = (self.role.peer.host, self.endpoint.generation);
        CommonFields { time: self.state.now, address, host, size, generation }
    }

    #[cold]
    fn note(&mut self, event: tcp::Event) {
        if let Some((kind, seq, rtt_s)) = traced_event(event) {
            let connection = self.endpoint.sender_connection();
            let event = self.endpoint.event(kind, connection, self.state);
            self.state.trace.record(Event { seq, rtt_s, ..event });
        }
    }

    #[inline(always)]
    fn send_with(&mut self, mut packet: Packet, header: Option<CongestionHeader>) {
        if let Some(header) = header {
            self.state.side_table.attach_new(&mut packet, header);
        }
        self.send(packet);
    }
}
