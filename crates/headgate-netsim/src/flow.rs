//! A flow: TCP's sending end, where it sits, and what its surroundings are.

use headgate_model::control::{Controller, ControllerRegistry};
use headgate_model::feedback::CongestionHeader;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::{self as tcp, AckSegment, Context, DataSegment, SenderContext, Syn};
use headgate_tcp::{Phase, Profile, Repairs, Sender};
use serde::{Deserialize, Serialize};

use crate::excess::{Asked, Excess};
use crate::packet::{Common, Packet};
use crate::record::{Event, Happening, NOBODY, Status};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::trace::{Before, happening, of_sender};
use crate::traffic::Opening;

/// Where a flow's packets come from and go to.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Path {
    pub address: u32,
    pub host: u32,
    /// The router of the receiver, and its host there.
    pub destination: u32,
    pub receiver_host: u32,
    /// Address of the receiver, once the SYN was answered.
    pub receiver: u32,
    pub generation: u8,
    pub profile: u8,
}

impl Path {
    /// Something at the sending host.
    fn event<L>(&self, happening: Happening, shared: &Shared<L>) -> Event {
        let place = shared.split.group(self.address) as u32;
        Event::new(shared.now, happening, (self.address, self.generation), place)
    }
}

/// One flow at its sending host.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Flow<L> {
    pub path: Path,
    pub tcp: Sender<L>,
    /// Somebody follows it.
    #[serde(skip)]
    pub followed: bool,
    /// When the receiver had everything, after the start.
    pub received: Option<Span>,
    /// What was delivered and repaired at the end of warm-up.
    pub base: u32,
    pub before: Repairs,
    /// By which the results name it (see [`crate::setup::Setup::spec`]), and its law among the plan's.
    pub number: u32,
    pub law: u32,
    /// The source that has asked for it (see [`Opening::owner`]).
    pub owner: u32,
    /// What it is counted by (see [`crate::record::FlowKeys`]).
    pub key: u32,
}

impl<L: ControllerRegistry> Flow<L> {
    /// A flow that sends its SYN.
    pub fn open(o: &Opening, address: u32, generation: u8, shared: &mut Shared<L>) -> Self {
        let profile = shared.setup.spec(o.number).profile;
        let law = shared.laws[o.law as usize].clone();
        let path = Path {
            address,
            host: o.host,
            destination: o.destination,
            receiver_host: o.receiver_host,
            receiver: 0,
            generation,
            profile,
        };
        let mut flow = Self {
            path,
            tcp: Sender::new(o.size, law, &shared.profiles[profile as usize]),
            followed: shared.trace.followed.flows.contains(&o.number),
            received: None,
            base: 0,
            before: Repairs::default(),
            number: o.number,
            law: o.law,
            owner: o.owner,
            key: shared.setup.key_of(o, address),
        };
        shared.counters.flows_started += 1;
        shared.flow_stats.all[flow.key as usize].started += 1;
        shared.counters.connecting += 1;
        shared.counters.active += 1;
        if flow.followed {
            flow.note(Happening::Opened, NOBODY, shared);
        }
        flow.drive(shared, |sender, host| sender.open(host));
        flow
    }

    /// Lets the sender act.
    #[inline(always)]
    fn drive<T>(
        &mut self,
        shared: &mut Shared<L>,
        act: impl FnOnce(&mut Sender<L>, &mut Host<'_, L>) -> T,
    ) -> T {
        let before = self.followed.then(|| Before::of(&self.tcp));
        let Self { path, tcp, number, law, followed, .. } = self;
        let host = &mut Host { path, flow: (*number, *law), followed: *followed, shared };
        let done = act(tcp, host);
        if let Some(before) = before {
            self.note_changes(before, shared);
        }
        done
    }

    #[cold]
    fn note_changes(&self, before: Before, shared: &mut Shared<L>) {
        before.changes(&self.tcp).for_each(|happening| self.note(happening, NOBODY, shared));
    }

    /// Something happened to the flow, for who follows it.
    #[cold]
    pub fn note(&self, happening: Happening, seq: u32, shared: &mut Shared<L>) {
        let event = Event { flow: self.number, seq, ..self.path.event(happening, shared) };
        shared.trace.note(of_sender(event, &self.tcp));
    }

    /// The SYN was answered, or a question.
    pub fn on_syn_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if self.tcp.phase == Phase::SynSent {
            self.path.receiver = packet.receiver();
        }
        let header = shared.header_in_hand();
        self.drive(shared, |sender, host| sender.on_syn_ack(header.as_ref(), host));
    }

    /// An ACK arrived; true when it was the last one.
    #[inline]
    pub fn on_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) -> bool {
        let blocks = packet.sack_record().map(|number| shared.side_table.sacks.take(number));
        let (next, stamp) = (packet.ack_number(), packet.echoed_timestamp());
        let ack = AckSegment { next, stamp, blocks, flags: packet.flags() };
        if self.followed {
            self.note_ack(&ack, shared);
        }
        let header = shared.header_in_hand();
        self.drive(shared, |sender, host| sender.on_ack(&ack, header.as_ref(), host))
    }

    #[cold]
    fn note_ack(&self, ack: &AckSegment, shared: &mut Shared<L>) {
        self.note(Happening::Acknowledged, ack.next, shared);
        if ack.echoes_mark() {
            self.note(Happening::Echoed, ack.next, shared);
        }
    }

    /// A timer of the sender went off; false when the connection failed.
    pub fn on_timer(&mut self, timer: tcp::Timer, at: Time, shared: &mut Shared<L>) -> bool {
        self.drive(shared, |sender, host| sender.on_timer(timer, at, host))
    }

    /// Warm-up is over: what was delivered and repaired so far does not count.
    pub fn forget(&mut self) {
        self.base = self.tcp.una;
        self.before = self.tcp.stats.repairs();
    }

    /// The flow is over: counts it out and lets the receiver go.
    pub fn close(&mut self, shared: &mut Shared<L>) {
        shared.counters.active -= 1;
        if self.tcp.phase == Phase::SynSent {
            shared.counters.connecting -= 1;
        }
        self.tcp.close();
        if self.followed {
            self.note(Happening::Closed, NOBODY, shared);
        }
        shared.timers.push(Timer {
            time: shared.now + LINGER,
            group: self.path.destination,
            purpose: Purpose::Release,
            id: self.path.address,
            generation: self.path.generation,
        });
    }

    /// Whether the slot carries a flow now.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.tcp.phase != Phase::Closed
    }

    pub fn status(&self) -> Status {
        match self.tcp.phase {
            Phase::SynSent => Status::Connecting,
            _ if self.tcp.una >= self.tcp.size => Status::Finished,
            _ => Status::Running,
        }
    }
}

/// A receiver outlives its sender by this (TIME-WAIT), longer than any window of the engine.
pub const LINGER: Span = SECOND;

/// A sender's surroundings while it handles one event.
struct Host<'a, L> {
    path: &'a Path,
    /// Number of the flow, and its law.
    flow: (u32, u32),
    followed: bool,
    shared: &'a mut Shared<L>,
}

impl<L: Controller> Context for Host<'_, L> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.shared.now
    }

    #[inline(always)]
    fn profile(&self) -> &Profile {
        &self.shared.profiles[self.path.profile as usize]
    }

    fn set_timer(&mut self, timer: tcp::Timer, at: Time) {
        let Path { address, generation, .. } = *self.path;
        self.shared.set_timer(timer, at, address, generation);
    }
}

impl<L: Controller> SenderContext for Host<'_, L> {
    fn send_syn(&mut self, syn: Syn, header: Option<CongestionHeader>) {
        let path = self.path;
        let listener = self.shared.split.join(path.destination as usize, 0);
        let common = self.to(listener, self.profile().syn_bytes);
        self.send(Packet::syn(common, syn, path.address, (path.host, path.profile)), header);
    }

    #[inline(always)]
    fn send_data(&mut self, segment: DataSegment, header: Option<CongestionHeader>) {
        self.shared.counters.segments_in += 1;
        let common = self.to(self.path.receiver, self.profile().data_bytes);
        self.send(Packet::data(common, segment, self.path.address), header);
    }

    #[inline(always)]
    fn observe(&mut self, event: tcp::Event) {
        if self.followed {
            self.note(event);
        }
        let counters = &mut self.shared.counters;
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
            tcp::Event::Lost { .. } => {}
        }
    }

    /// The first excess is the one to tell.
    fn exceed(&mut self, excess: tcp::Excess) {
        let excess = Excess { sender: Some(self.flow), at: self.shared.now, asked: Asked::Tcp(excess) };
        self.shared.excess.get_or_insert(excess);
    }
}

impl<L> Host<'_, L> {
    /// What a packet to an endpoint at the receiver's host has.
    #[inline(always)]
    fn to(&self, flow: u32, size: u16) -> Common {
        let Path { receiver_host: host, generation, .. } = *self.path;
        Common { time: self.shared.now, flow, host, size, generation }
    }

    #[cold]
    fn note(&mut self, event: tcp::Event) {
        if let Some((happening, seq)) = happening(event) {
            let event = self.path.event(happening, self.shared);
            self.shared.trace.note(Event { flow: self.flow.0, seq, ..event });
        }
    }

    #[inline(always)]
    fn send(&mut self, mut packet: Packet, header: Option<CongestionHeader>) {
        packet.follow(self.followed);
        if let Some(header) = header {
            self.shared.side_table.attach(&mut packet, header);
        }
        self.shared.outbox.push((self.path.host, packet));
    }
}
