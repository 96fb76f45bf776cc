//! The hosts behind one router: their connections and their traffic. How flows begin and end is in [`flows`].

use headgate_model::control::Registry;
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

use crate::packet::{Head, Kind, NO_SACK, Packet};
use crate::papers::{NO_LABEL, Papers};
use crate::prefetch::prefetch;
use crate::record::{FlowRow, Status};
use crate::rows::row;
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::traffic::Sources;
use crate::transport::marks::Marks;
use crate::transport::receiver::{Receiver, Reply};
use crate::transport::sender::Sender;
use crate::transport::state::Phase;

mod flows;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site<L> {
    router: u32,
    pub senders: Vec<Sender<L>>,
    free_senders: Vec<u32>,
    /// Slots whose generations are used up, and when they may begin again.
    resting: VecDeque<(u32, Time)>,
    pub receivers: Vec<Receiver>,
    free_receivers: Vec<u32>,
    /// Receivers by (sender, generation): a SYN that comes twice finds the first one's.
    connections: BTreeMap<(u32, u8), u32>,
    pub sources: Sources,
}

impl<L: Registry> Site<L> {
    pub fn router(&self) -> u32 {
        self.router
    }

    pub fn new(router: u32, sources: Sources) -> Self {
        Self {
            router,
            senders: Vec::new(),
            free_senders: Vec::new(),
            resting: VecDeque::new(),
            receivers: Vec::new(),
            free_receivers: Vec::new(),
            connections: BTreeMap::new(),
            sources,
        }
    }

    /// A packet will soon reach one of the hosts.
    #[inline]
    pub fn expect(&self, packet: &Packet, slot: usize) {
        match packet.head.kind() {
            Kind::Data => prefetch(&self.receivers, slot),
            Kind::Ack | Kind::SynAck => prefetch(&self.senders, slot),
            Kind::Syn => {}
        }
    }

    /// A packet reached one of the hosts.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if packet.head.has(Head::LABELLED) {
            return self.on_labelled(*packet, shared);
        }
        self.on_bare(packet, shared);
    }

    fn on_labelled(&mut self, mut packet: Packet, shared: &mut Shared<L>) {
        shared.label = shared.papers.take_off(&mut packet);
        self.on_bare(&packet, shared);
        let unread = std::mem::replace(&mut shared.label, NO_LABEL);
        shared.papers.discard(unread);
    }

    /// A packet that has lost its label to `shared`, or has none.
    #[inline]
    fn on_bare(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        match packet.head.kind() {
            Kind::Data => self.on_data(packet, shared),
            Kind::Ack => self.on_ack(packet, shared),
            Kind::Syn => self.on_syn(packet, shared),
            Kind::SynAck => {
                if let Some(sender) = self.sender(packet, shared) {
                    sender.on_syn_ack(packet, shared);
                }
            }
        }
    }

    /// A timer of one of the hosts went off.
    pub fn on_timer(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        match timer.purpose {
            Purpose::Retransmit => self.on_retransmit(timer, shared),
            Purpose::Pace => {
                let sender = &mut self.senders[timer.id as usize];
                if sender.generation == timer.generation {
                    sender.on_pace(timer.time, shared);
                }
            }
            Purpose::DelayedAck => self.on_delayed_ack(timer, shared),
            Purpose::Source => self.wake(timer.id, shared),
            Purpose::Stop => self.on_stop(timer, shared),
            Purpose::Release => self.release(timer, shared),
            Purpose::Look => self.on_look(timer, shared),
            Purpose::Depart => unreachable!("a port's, not a host's"),
        }
    }

    /// The addressed sender, if it is still the one the packet means.
    #[inline]
    fn sender(&mut self, packet: &Packet, shared: &Shared<L>) -> Option<&mut Sender<L>> {
        let sender = self.senders.get_mut(shared.split.slot(packet.flow))?;
        (sender.generation == packet.generation).then_some(sender)
    }

    #[inline]
    fn on_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let Some(sender) = self.sender(packet, shared) else {
            shared.papers.forget(packet);
            return;
        };
        if sender.on_ack(packet, shared) {
            self.finish(packet.flow, Status::Finished, shared);
        }
    }

    fn on_syn(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        let known = self.connections.get(&(packet.b, packet.generation)).copied();
        if known.is_none() && packet.a == 0 {
            return; // a question by a flow that is over
        }
        let slot = known.unwrap_or_else(|| self.accept(packet, shared));
        let receiver = &self.receivers[slot as usize];
        let mut answer = Packet {
            time: shared.now,
            flow: receiver.sender,
            host: receiver.sender_host,
            a: 0,
            b: shared.split.join(self.router as usize, slot as usize),
            c: NO_SACK,
            size: shared.profiles[receiver.profile as usize].syn_bytes,
            head: Head::plain(Kind::SynAck),
            generation: receiver.generation,
        };
        if let Some(label) = shared.take_label() {
            shared.papers.put_on(&mut answer, label);
        }
        shared.out.push((receiver.host, answer));
    }

    /// A record for a new connection.
    fn accept(&mut self, packet: &Packet, shared: &Shared<L>) -> u32 {
        let (sender_host, profile) = packet.origin();
        let mut receiver = Receiver::new(packet.a, packet.generation);
        receiver.sender = packet.b;
        receiver.sender_host = sender_host;
        receiver.host = packet.host;
        receiver.profile = profile;
        let profile = &shared.profiles[profile as usize];
        receiver.marks = Marks::asked(packet.head, profile.ecn_acks);
        receiver.quick = profile.quick_acks;
        let slot = self.free_receivers.pop().unwrap_or(self.receivers.len() as u32);
        match self.receivers.get_mut(slot as usize) {
            Some(place) => *place = receiver,
            None => self.receivers.push(receiver),
        }
        self.connections.insert((packet.b, packet.generation), slot);
        slot
    }

    #[inline]
    fn on_data(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        shared.counters.segments_out += 1;
        let slot = shared.split.slot(packet.flow);
        let receiver = &mut self.receivers[slot];
        if receiver.sender != packet.b || receiver.generation != packet.generation {
            return; // a straggler of a connection that is over
        }
        if receiver.marks.take(packet.head) && receiver.unacked > 0 {
            self.acknowledge(slot, shared);
        }
        let receiver = &mut self.receivers[slot];
        receiver.marks.settle(packet.head);
        if let Some(label) = shared.take_label() {
            receiver.note_label::<L>(label, &mut shared.papers);
        }
        let profile = &shared.profiles[receiver.profile as usize];
        let at_once = match receiver.take(packet.a, packet.c) {
            Reply::Now => true,
            Reply::Complete => {
                shared.completed.push((receiver.sender, receiver.generation));
                true
            }
            Reply::MayWait => profile.delayed_ack.is_none() || receiver.acknowledges_now(),
        };
        if at_once {
            self.acknowledge(slot, shared);
        } else {
            let wait = profile.delayed_ack.unwrap_or(0);
            self.delay_ack(slot, shared.now + wait, shared);
        }
    }

    #[inline]
    fn acknowledge(&mut self, slot: usize, shared: &mut Shared<L>) {
        let receiver = &mut self.receivers[slot];
        receiver.unacked = 0;
        let blocks = receiver.blocks();
        let label = std::mem::replace(&mut receiver.label, NO_LABEL);
        let mut ack = Packet {
            time: shared.now,
            flow: receiver.sender,
            host: receiver.sender_host,
            a: receiver.next,
            b: receiver.echo,
            c: blocks.map_or(NO_SACK, |b| shared.papers.sacks.store(b)),
            size: shared.profiles[receiver.profile as usize].ack_bytes,
            head: receiver.marks.ack(),
            generation: receiver.generation,
        };
        let host = receiver.host;
        if label != NO_LABEL {
            shared.papers.put_on(&mut ack, label);
        }
        shared.out.push((host, ack));
    }

    /// Sets the delayed-ACK timer, lazily: one that runs is left to run.
    fn delay_ack(&mut self, slot: usize, by: u64, shared: &mut Shared<L>) {
        let receiver = &mut self.receivers[slot];
        let runs = receiver.ack_timer != NEVER;
        receiver.ack_by = by;
        if !runs {
            self.arm_ack(slot, shared);
        }
    }

    fn arm_ack(&mut self, slot: usize, shared: &mut Shared<L>) {
        let receiver = &mut self.receivers[slot];
        let time = receiver.ack_by;
        receiver.ack_timer = time;
        let (site, generation) = (self.router, receiver.generation);
        let purpose = Purpose::DelayedAck;
        shared.timers.push(Timer { time, site, purpose, id: slot as u32, generation });
    }

    fn on_delayed_ack(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let slot = timer.id as usize;
        let receiver = &mut self.receivers[slot];
        if receiver.generation != timer.generation || receiver.ack_timer != timer.time {
            return; // set for a connection that is over
        }
        receiver.ack_timer = NEVER;
        if receiver.unacked == 0 {
            return;
        }
        if receiver.ack_by > timer.time {
            self.arm_ack(slot, shared);
        } else {
            self.acknowledge(slot, shared);
        }
    }

    fn on_retransmit(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        let sender = &mut self.senders[timer.id as usize];
        if sender.generation == timer.generation && !sender.on_timer(timer.time, shared) {
            let address = sender.address;
            self.finish(address, Status::Failed, shared);
        }
    }

    fn release(&mut self, timer: &Timer, shared: &mut Shared<L>) {
        if let Some(slot) = self.connections.remove(&(timer.id, timer.generation)) {
            self.receivers[slot as usize].forget(&mut shared.papers);
            self.free_receivers.push(slot);
        }
    }

    /// The labels that receivers keep go from some papers to others.
    pub fn move_labels(&mut self, from: &mut Papers, to: &mut Papers) {
        for receiver in &mut self.receivers {
            receiver.label = from.move_label(receiver.label, to);
        }
    }

    /// Flows that are under way.
    pub fn active(&self) -> impl Iterator<Item = &Sender<L>> {
        self.senders.iter().filter(|s| s.phase != Phase::Idle)
    }

    /// The sender in a slot, while it carries the flow that a series follows as `trace`.
    pub fn sender_of(&self, slot: usize, trace: u32, shared: &Shared<L>) -> Option<&Sender<L>> {
        let of = |s: &&Sender<L>| s.phase != Phase::Idle && shared.setup.trace_of(s.number) == Some(trace);
        self.senders.get(slot).filter(of)
    }

    /// Rows of the flows that are under way.
    pub fn open_rows<'a>(&'a self, shared: &'a Shared<L>) -> impl Iterator<Item = FlowRow> + 'a {
        self.active().map(|s| row(s, s.status(), self.router, shared))
    }

    pub fn laws_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.senders.iter_mut().map(|sender| &mut sender.law)
    }

    /// Warm-up is over: what was delivered so far does not count.
    pub fn forget_delivered(&mut self) {
        for sender in &mut self.senders {
            sender.tally.forget(sender.una);
        }
    }

    pub fn bytes(&self) -> usize {
        let senders: usize = self.senders.iter().map(Sender::extra_bytes).sum();
        let receivers: usize = self.receivers.iter().map(Receiver::extra_bytes).sum();
        senders
            + receivers
            + self.senders.capacity() * size_of::<Sender<L>>()
            + self.receivers.capacity() * size_of::<Receiver>()
            + self.connections.len() * 16
            + self.sources.bytes()
    }
}
