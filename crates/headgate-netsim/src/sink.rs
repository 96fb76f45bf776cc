//! A flow's receiving host: TCP's receiving end, where it sits, and what its surroundings are.

use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::units::Time;
use headgate_tcp::context::{AckSegment, Context, ReceiverContext, Timer};
use headgate_tcp::{Profile, Receiver};
use serde::{Deserialize, Serialize};

use crate::packet::{Common, Packet};
use crate::record::{Event, Happening, NOBODY};
use crate::shared::Shared;
use crate::side_table::{NO_HEADER, SideTable};

/// Where a receiver's packets come from and go to.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Path {
    pub address: u32,
    pub host: u32,
    /// Address of the sender, and its host.
    pub sender: u32,
    pub sender_host: u32,
    /// Of the sender's slot: names the connection together with `sender`.
    pub generation: u8,
    pub profile: u8,
}

impl Path {
    /// What a packet back to the sender has.
    #[inline(always)]
    fn back(&self, time: Time, size: u16) -> Common {
        let Self { sender: flow, sender_host: host, generation, .. } = *self;
        Common { time, flow, host, size, generation }
    }
}

/// One flow at its receiving host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sink {
    pub path: Path,
    pub tcp: Receiver,
    /// Number of the header to return with the next ACK, or `NO_HEADER`.
    pub header: u32,
    /// Its last segment said that somebody follows the flow: so do the ACKs.
    pub followed: bool,
}

impl Sink {
    /// The end that answers this SYN.
    pub fn accept(syn: &Packet, address: u32, profiles: &[Profile]) -> Self {
        let (sender_host, profile) = syn.origin();
        let tcp = Receiver::new(syn.segments(), syn.flags(), &profiles[profile as usize]);
        let path = Path {
            address,
            host: syn.host,
            sender: syn.sender(),
            sender_host,
            generation: syn.generation,
            profile,
        };
        Self { path, tcp, header: NO_HEADER, followed: syn.is_followed() }
    }

    /// What it says to a SYN.
    pub fn answer(&self, now: Time, size: u16) -> Packet {
        let mut answer = Packet::syn_ack(self.path.back(now, size), self.path.address);
        answer.follow(self.followed);
        answer
    }

    /// A data segment arrived.
    #[inline]
    pub fn on_data<L: ControllerRegistry>(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let Path { sender, generation, .. } = self.path;
        if sender != packet.sender() || generation != packet.generation {
            return; // a straggler of a connection that is over
        }
        if packet.is_followed() {
            self.note_arrival(packet, shared);
        }
        let Self { path, tcp, header, followed } = self;
        if tcp.on_data(&packet.segment(), &mut Host { path, header, followed: *followed, shared }) {
            shared.completed.push((sender, generation));
        }
    }

    #[cold]
    fn note_arrival<L: ControllerRegistry>(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        self.followed = true;
        let place = shared.split.group(self.path.address) as u32;
        let event = Event::new(shared.now, Happening::Received, packet.connection(), place);
        shared.trace.note(Event { seq: packet.seq().unwrap_or(NOBODY), ..event });
    }

    /// The timer of the delayed ACK went off.
    pub fn on_timer<L: ControllerRegistry>(&mut self, at: Time, shared: &mut Shared<L>) {
        let Self { path, tcp, header, followed } = self;
        tcp.on_timer(at, &mut Host { path, header, followed: *followed, shared });
    }

    /// The connection is over: stragglers match no sender from now on.
    pub fn forget(&mut self, side_table: &mut SideTable) {
        side_table.discard(self.header);
        self.header = NO_HEADER;
        self.path.sender = u32::MAX;
        self.tcp.close();
    }
}

/// A receiver's surroundings while it handles one event.
struct Host<'a, L> {
    path: &'a Path,
    header: &'a mut u32,
    followed: bool,
    shared: &'a mut Shared<L>,
}

impl<L: ControllerRegistry> Context for Host<'_, L> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.shared.now
    }

    #[inline(always)]
    fn profile(&self) -> &Profile {
        &self.shared.profiles[self.path.profile as usize]
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        let Path { address, generation, .. } = *self.path;
        self.shared.set_timer(timer, at, address, generation);
    }
}

impl<L: ControllerRegistry> ReceiverContext for Host<'_, L> {
    /// A header that waits for its ACK takes in the new one.
    #[inline(always)]
    fn keep_header(&mut self) {
        if let Some(number) = self.shared.take_header() {
            *self.header = fold::<L>(*self.header, number, &mut self.shared.side_table);
        }
    }

    #[inline(always)]
    fn send_ack(&mut self, ack: AckSegment) {
        let (path, shared) = (self.path, &mut *self.shared);
        let common = path.back(shared.now, shared.profiles[path.profile as usize].ack_bytes);
        let sacks = ack.blocks.map(|blocks| shared.side_table.sacks.store(blocks));
        let mut packet = Packet::ack(common, ack.flags, ack.next, ack.stamp, sacks);
        packet.follow(self.followed);
        let header = std::mem::replace(self.header, NO_HEADER);
        if header != NO_HEADER {
            shared.side_table.put_on(&mut packet, header);
        }
        shared.outbox.push((path.host, packet));
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
