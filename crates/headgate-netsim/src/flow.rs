//! A flow: TCP's sending end, where it sits, and what its surroundings are.

use headgate_model::control::{Controller, ControllerRegistry};
use headgate_model::feedback::CongestionHeader;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::{self as tcp, AckSegment, Context as _, DataSegment, SenderContext, Syn};
use headgate_tcp::{Phase, Repairs, Sender};
use serde::{Deserialize, Serialize};

use crate::bursts::{BurstQueue, Transfer};
use crate::excess::{Asked, Excess};
use crate::host::{End, Host};
use crate::packet::{Common, INLINE, Packet, Split};
use crate::record::{Connection, Event, EventKind, FlowStats, NO_NUMBER, Status};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::trace::{SenderState, describe_bare, translate};
use crate::traffic::process::Turn;

/// Where the receiver is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Peer {
    /// Its router, and its host there.
    pub router: u32,
    pub host: u32,
    /// Its address, once the SYN was answered.
    pub address: u32,
}

/// One flow at its sending host.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Flow<L> {
    pub end: End,
    pub peer: Peer,
    pub tcp: Sender<L>,
    /// When the receiver had everything, after the start.
    pub received: Option<Span>,
    /// What was delivered and repaired at the end of warm-up.
    pub base: u32,
    pub before: Repairs,
    /// By which the results name it (see [`crate::setup::Setup::spec`]), and its law among the plan's.
    pub number: u32,
    pub law: u32,
    /// The source that has asked for it (see `Opening::owner`).
    pub owner: u32,
    /// What it is counted by (see [`crate::record::FlowKeys`]).
    pub key: u32,
    /// The bursts of a connection that stays open between them.
    pub bursts: Option<Box<BurstQueue>>,
}

impl<L: ControllerRegistry> Flow<L> {
    /// A flow that sends its SYN, or a connection that stays open and begins its first burst.
    pub fn open(turn: &Turn, address: u32, generation: u8, shared: &mut Shared<L>) -> Self {
        let o = &turn.opening;
        let profile = shared.setup.spec(o.number).profile;
        let law = shared.laws[o.law as usize].clone();
        let followed = shared.trace.followed.flows.contains(&o.number);
        let new = if turn.burst > 0 { Sender::new_for_writes } else { Sender::new };
        let mut flow = Self {
            end: End { address, host: o.host, generation, profile, followed },
            peer: Peer { router: o.destination, host: o.receiver_host, address: 0 },
            tcp: new(o.size, law, &shared.profiles[profile as usize]),
            received: None,
            base: 0,
            before: Repairs::default(),
            number: o.number,
            law: o.law,
            owner: o.owner,
            key: shared.setup.key_of(o, address),
            bursts: (turn.burst > 0).then(Box::default),
        };
        flow.begin(turn, 0, shared);
        shared.counters.connecting += 1;
        if shared.trace.is_on() {
            flow.note_opened(shared);
        }
        flow.drive(shared, |_, _| (), |sender, host| sender.open(host));
        flow
    }

    /// The source begins another burst on the connection.
    pub fn write(&mut self, turn: &Turn, shared: &mut Shared<L>) {
        let from = self.tcp.written();
        self.drive(shared, |_, _| (), |sender, host| sender.write(turn.opening.size, host));
        self.begin(turn, from, shared);
    }

    /// Counts the flow, or the burst that has been written from segment `from` on.
    fn begin(&mut self, turn: &Turn, from: u32, shared: &mut Shared<L>) {
        shared.counters.flows_started += 1;
        shared.flow_stats.all[self.key as usize].started += 1;
        shared.counters.active += 1;
        if let Some(bursts) = &mut self.bursts {
            bursts.begin(turn.burst, (from, self.tcp.written()), shared.now);
            bursts.goes_on = turn.next.is_some();
        }
    }

    /// What is known of the connection from its beginning, of one that began at `opened` or before.
    pub fn connection(&self, opened: Time, split: Split) -> Connection {
        let host = |host: u32| if host == INLINE { NO_NUMBER } else { host };
        Connection {
            opened,
            flow: self.number,
            sender: (self.end.address, self.end.generation),
            source: split.group(self.end.address) as u32,
            source_host: host(self.end.host),
            receiver: self.peer.router,
            receiver_host: host(self.peer.host),
            slot: split.slot(self.end.address) as u32,
            size: self.tcp.size,
            profile: u32::from(self.end.profile),
            ecn: u32::from(self.tcp.is_capable_of_ecn()),
        }
    }

    #[cold]
    fn note_opened(&self, shared: &mut Shared<L>) {
        shared.trace.open(self.connection(shared.now, shared.split));
        if self.end.followed {
            self.note(EventKind::Opened, shared);
        }
    }

    /// Lets the sender act; `note_cause` notes why, if somebody follows the flow.
    #[inline(always)]
    fn drive<T>(
        &mut self,
        shared: &mut Shared<L>,
        note_cause: impl FnOnce(&Self, &mut Shared<L>),
        act: impl FnOnce(&mut Sender<L>, &mut Host<'_, L, Sending<'_>>) -> T,
    ) -> T {
        let before = self.end.followed.then(|| {
            let first = shared.trace.count();
            note_cause(self, shared);
            (first, SenderState::of(&self.tcp))
        });
        let Self { end, peer, tcp, number, law, .. } = self;
        let done = act(tcp, &mut Host { end, role: Sending { peer, number, law }, shared });
        if let Some((first, before)) = before {
            self.note_changes(first, before, shared);
        }
        done
    }

    #[cold]
    fn note_changes(&self, first: usize, before: SenderState, shared: &mut Shared<L>) {
        before.changes(&self.tcp).for_each(|kind| shared.trace.note(self.event(kind, shared)));
        shared.trace.add_state(first, &self.tcp);
    }

    fn event(&self, kind: EventKind, shared: &Shared<L>) -> Event {
        self.end.event(kind, (self.end.address, self.end.generation), shared)
    }

    /// Something happened to the flow, for who follows it.
    #[cold]
    fn note(&self, kind: EventKind, shared: &mut Shared<L>) {
        let first = shared.trace.count();
        shared.trace.note(self.event(kind, shared));
        shared.trace.add_state(first, &self.tcp);
    }

    /// The SYN was answered, or a question.
    pub fn on_syn_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) {
        if self.tcp.phase == Phase::SynSent {
            self.peer.address = packet.receiver();
        }
        let header = shared.header_in_hand();
        let note = |flow: &Self, shared: &mut Shared<L>| {
            flow.end.note_packet(EventKind::SynAckReceived, packet, shared);
        };
        self.drive(shared, note, |sender, host| sender.on_syn_ack(packet.tries(), header.as_ref(), host));
    }

    /// An ACK arrived; true when it was the last one, or of a burst.
    #[inline]
    pub fn on_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) -> bool {
        let blocks = packet.sack_record().map(|number| shared.side_table.sacks.take(number));
        let (next, stamp) = (packet.ack_number(), packet.echoed_timestamp());
        let ack = AckSegment { next, stamp, blocks, flags: packet.flags() };
        let header = shared.header_in_hand();
        let note = |flow: &Self, shared: &mut Shared<L>| flow.note_ack(packet, &ack, shared);
        self.drive(shared, note, |sender, host| sender.on_ack(&ack, header.as_ref(), host))
    }

    #[cold]
    fn note_ack(&self, packet: &Packet, ack: &AckSegment, shared: &mut Shared<L>) {
        let event = self.event(EventKind::Acknowledged, shared);
        let event = describe_bare(event, packet, Some(ack.stamp), ack.blocks.unwrap_or_default());
        shared.trace.note(event);
        if ack.echoes_mark() {
            shared.trace.note(Event { kind: EventKind::Echoed, ..event });
        }
    }

    /// A timer of the sender went off; false when the connection failed.
    pub fn on_timer(&mut self, timer: tcp::Timer, at: Time, shared: &mut Shared<L>) -> bool {
        self.drive(shared, |_, _| (), |sender, host| sender.on_timer(timer, at, host))
    }

    /// Excludes deliveries and repairs up to now from the results: the warm-up, or a burst, has ended.
    pub fn forget(&mut self) {
        self.base = self.tcp.una;
        self.before = self.tcp.stats.repairs();
    }

    /// Closes the connection, and lets the receiver go.
    pub fn close(&mut self, shared: &mut Shared<L>) {
        if self.tcp.phase == Phase::SynSent {
            shared.counters.connecting -= 1;
        }
        self.tcp.close();
        if shared.trace.is_on() {
            self.note_closed(shared);
        }
        shared.timers.push(Timer {
            time: shared.now + LINGER,
            group: self.peer.router,
            purpose: Purpose::Release,
            id: self.end.address,
            generation: self.end.generation,
        });
    }

    #[cold]
    fn note_closed(&self, shared: &mut Shared<L>) {
        shared.trace.close(shared.now, self.number, (self.end.address, self.end.generation));
        if self.end.followed {
            self.note(EventKind::Closed, shared);
        }
    }

    /// The receiver has all segments below this one.
    pub fn note_received(&mut self, below: u32, at: Time) {
        match &mut self.bursts {
            Some(bursts) => bursts.note_received(below, at),
            None => self.received = Some(at - self.tcp.stats.started),
        }
    }

    /// Whether the slot carries a connection now.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.tcp.phase != Phase::Closed
    }

    /// Whether the slot carries a flow or a burst now.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.is_open() && self.bursts.as_ref().is_none_or(|bursts| !bursts.is_idle())
    }

    /// The flow, or the bursts under way, as results count them; the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        let Sender { size, ref stats, .. } = self.tcp;
        let flow = Transfer { burst: 0, from: 0, size, received: self.received, stats: *stats };
        let bursts = self.bursts.iter().flat_map(|bursts| bursts.transfers(stats));
        self.bursts.is_none().then_some(flow).into_iter().chain(bursts)
    }

    /// Adds what the flow, or its bursts under way, have done until now.
    pub fn add_to(&self, counted: &mut FlowStats, now: Time) {
        for transfer in self.transfers() {
            counted.add(now, transfer.delivered(0, self.tcp.una), &transfer.stats);
        }
    }

    /// Whether a burst is under way that is acknowledged, or any at all if the connection has `failed`.
    pub fn has_burst(&self, failed: bool) -> bool {
        self.bursts
            .as_ref()
            .is_some_and(|bursts| bursts.oldest_ends_by(if failed { u32::MAX } else { self.tcp.una }))
    }

    /// Its source will begin another burst, now that one has ended.
    pub fn await_burst(&mut self, comes: bool) {
        if let Some(bursts) = &mut self.bursts {
            bursts.goes_on |= comes;
        }
    }

    /// Whether the connection has no burst under way, and none will come.
    pub fn is_used_up(&self) -> bool {
        self.bursts.as_ref().is_some_and(|bursts| bursts.is_idle() && !bursts.goes_on)
    }

    /// Ends the oldest burst: later deliveries belong to the next one.
    pub fn end_burst(&mut self) {
        if let Some(bursts) = &mut self.bursts {
            bursts.end(&self.tcp.stats);
            self.forget();
        }
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

/// What a sender's host knows besides.
struct Sending<'a> {
    peer: &'a Peer,
    /// Number of the flow, and its law: behind references, as no event but an excess reads them.
    number: &'a u32,
    law: &'a u32,
}

impl<L: Controller> SenderContext for Host<'_, L, Sending<'_>> {
    fn send_syn(&mut self, syn: Syn, header: Option<CongestionHeader>) {
        let End { address, host, profile, .. } = *self.end;
        let listener = self.shared.split.join(self.role.peer.router as usize, 0);
        let common = self.to_peer(listener, self.profile().syn_bytes);
        self.send_with(Packet::syn(common, syn, address, (host, profile)), header);
    }

    #[inline(always)]
    fn send_data(&mut self, segment: DataSegment, header: Option<CongestionHeader>) {
        self.shared.counters.segments_in += 1;
        let common = self.to_peer(self.role.peer.address, self.profile().data_bytes);
        self.send_with(Packet::data(common, segment, self.end.address), header);
    }

    #[inline(always)]
    fn observe(&mut self, event: tcp::Event) {
        if self.end.followed {
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
            tcp::Event::Undone { timeout } => {
                counters.undone += 1;
                counters.spurious_timeouts += u64::from(timeout);
            }
            tcp::Event::Lost { .. } => {}
        }
    }

    /// The first excess is the one to tell.
    fn limit_exceeded(&mut self, excess: tcp::LimitExceeded) {
        let sender = Some((*self.role.number, *self.role.law));
        let excess = Excess { sender, at: self.shared.now, asked: Asked::Tcp(excess) };
        self.shared.excess.get_or_insert(excess);
    }
}

impl<L> Host<'_, L, Sending<'_>> {
    /// What a packet to an endpoint at the receiver's host has.
    #[inline(always)]
    fn to_peer(&self, flow: u32, size: u16) -> Common {
        let (host, generation) = (self.role.peer.host, self.end.generation);
        Common { time: self.shared.now, flow, host, size, generation }
    }

    #[cold]
    fn note(&mut self, event: tcp::Event) {
        if let Some((kind, seq, rtt_s)) = translate(event) {
            let connection = (self.end.address, self.end.generation);
            let event = self.end.event(kind, connection, self.shared);
            self.shared.trace.note(Event { seq, rtt_s, ..event });
        }
    }

    #[inline(always)]
    fn send_with(&mut self, mut packet: Packet, header: Option<CongestionHeader>) {
        if let Some(header) = header {
            self.shared.side_table.attach(&mut packet, header);
        }
        self.send(packet);
    }
}
