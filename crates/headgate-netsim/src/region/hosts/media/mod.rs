//! The hosts of real-time media: senders with an encoder and a queue, and receivers that report.

mod encoder;
mod loss;
mod receiver;
mod sender;

use headgate_model::media::RateController;
use serde::{Deserialize, Serialize};

use crate::packets::address::HostLocation;
use crate::packets::index::{Address, FlowId};
use crate::packets::media::media_index;
use crate::packets::packet::Packet;
use crate::region::shard_state::ShardState;
use crate::time::timers::{Purpose, Timer};

pub use encoder::Encoder;
pub use receiver::MediaReceiver;
pub use sender::MediaSender;

/// One end of a stream, and the address of the other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MediaEndpoint {
    /// Id of the stream in the results.
    pub flow_id: FlowId,
    /// Index among the senders, or among the receivers, of its router.
    pub index: u32,
    /// Its address.
    pub address: Address,
    /// Its host.
    pub home: HostLocation,
    /// Address of the other end.
    pub peer: Address,
    /// Host of the other end.
    pub peer_home: HostLocation,
}

impl MediaEndpoint {
    /// Sets a timer of this end.
    fn set_timer<L>(&self, purpose: Purpose, time: u64, state: &mut ShardState<L>) {
        state.timers.push(Timer { time, group: self.home.router, purpose, id: self.index, generation: 0 });
    }
}

/// The senders and receivers of media behind one router.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MediaHosts<M> {
    /// Senders, by index.
    pub senders: Vec<MediaSender<M>>,
    /// Receivers, by index.
    pub receivers: Vec<MediaReceiver>,
}

impl<M> Default for MediaHosts<M> {
    fn default() -> Self {
        Self { senders: Vec::new(), receivers: Vec::new() }
    }
}

impl<M: RateController> MediaHosts<M> {
    /// Handles a packet whose header was detached, if it is one of media. Returns whether it is.
    pub fn on_packet<L>(&mut self, packet: &Packet, header: u32, state: &mut ShardState<L>) -> bool {
        if let Some(fields) = state.side_table.take_media(header) {
            let receiver = media_index(state.split, packet.address);
            self.receivers[receiver].on_packet(packet, &fields, state);
            return true;
        }
        let Some(report) = state.side_table.take_report(header) else { return false };
        let sender = media_index(state.split, packet.address);
        self.senders[sender].on_report(&report, state);
        true
    }

    /// Handles a timer of media.
    pub fn on_timer<L>(&mut self, timer: &Timer, state: &mut ShardState<L>) {
        let at = timer.id as usize;
        match timer.purpose {
            Purpose::Capture => self.senders[at].on_capture(state),
            Purpose::SendMedia => self.senders[at].on_pace(timer.time, state),
            Purpose::Report => self.receivers[at].on_report_timer(timer.time, state),
            _ => unreachable!("a timer of another host"),
        }
    }

    /// Tells a sender that its host has enough to send until a time.
    pub fn apply_backpressure<L>(&mut self, address: Address, until: u64, state: &ShardState<L>) {
        if let Some(sender) = self.senders.get_mut(media_index(state.split, address)) {
            sender.apply_backpressure(until);
        }
    }

    /// Returns the memory of the hosts, bytes.
    pub fn bytes(&self) -> usize {
        let senders: usize = self.senders.iter().map(MediaSender::bytes).sum();
        senders + self.receivers.iter().map(MediaReceiver::bytes).sum::<usize>()
    }
}
