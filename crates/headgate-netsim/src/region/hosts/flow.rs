//! A flow: TCP's sending end, and the record of what it has done.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::{self as tcp, AckSegment};
use headgate_tcp::{Phase, Repairs, Sender};
use serde::{Deserialize, Serialize};

use crate::packets::address::AddressSplit;
use crate::packets::index::{Address, FlowId, HostIndex, SourceIndex};
use crate::packets::packet::Packet;
use crate::record::trace::{SenderState, with_packet_fields};
use crate::record::{Connection, Event, EventKind, FlowStats, NO_NUMBER, Status};
use crate::region::hosts::burst_queue::{BurstQueue, Transfer};
use crate::region::hosts::host::{Endpoint, Host};
use crate::region::hosts::sender_host::{Peer, SenderRole};
use crate::region::shard_state::ShardState;
use crate::time::timers::{Purpose, Timer};
use crate::traffic::process::SourceAction;

/// One flow at its sending host.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Flow<L> {
    /// The sending endpoint.
    pub endpoint: Endpoint,
    /// The receiver.
    pub peer: Peer,
    /// TCP's sending end.
    pub tcp: Sender<L>,
    /// Time from the start until the receiver got the last segment, picoseconds.
    pub received: Option<Span>,
    /// Next expected segment when the counted part began: at the end of warm-up, or of the last burst.
    pub baseline_delivered: u32,
    /// Repairs when the counted part began.
    pub baseline_repairs: Repairs,
    /// Its id in the results.
    pub flow_id: FlowId,
    /// Its congestion control algorithm, in the order of the plan.
    pub controller: u32,
    /// Its source, among all sources at the router.
    pub source: SourceIndex,
    /// Index of the key that it is counted by (see [`crate::record::FlowKeys`]).
    pub key: u32,
    /// The bursts of a persistent connection.
    pub bursts: Option<Box<BurstQueue>>,
}

impl<L: ControllerRegistry> Flow<L> {
    /// Opens a flow, which sends its SYN, or a persistent connection, which begins its first burst.
    pub fn open(action: &SourceAction, address: Address, generation: u8, state: &mut ShardState<L>) -> Self {
        let start = &action.flow;
        let profile = state.setup.spec(start.flow_id).profile;
        let controller = state.controllers[start.controller as usize].clone();
        let is_followed = state.trace.selection.flows.contains(&start.flow_id);
        let new = if action.burst > 0 { Sender::new_for_writes } else { Sender::new };
        let mut flow = Self {
            endpoint: Endpoint { address, host: start.host, generation, profile, is_followed },
            peer: Peer { router: start.destination, host: start.receiver_host, address: Address(0) },
            tcp: new(start.size, controller, &state.profiles[profile as usize]),
            received: None,
            baseline_delivered: 0,
            baseline_repairs: Repairs::default(),
            flow_id: start.flow_id,
            controller: start.controller,
            source: start.source,
            key: state.setup.key_of(start, address),
            bursts: (action.burst > 0).then(Box::default),
        };
        flow.begin(action, 0, state);
        state.counters.connecting += 1;
        if state.trace.is_on() {
            flow.note_opened(state);
        }
        flow.act(state, |_, _| (), |sender, host| sender.open(host));
        flow
    }

    /// Begins another burst on the connection.
    pub fn write(&mut self, action: &SourceAction, state: &mut ShardState<L>) {
        let from = self.tcp.written();
        self.act(state, |_, _| (), |sender, host| sender.write(action.flow.size, host));
        self.begin(action, from, state);
    }

    /// Ends the flow or its last burst after the segments sent so far. Returns true if all of them are
    /// acknowledged.
    pub fn stop(&mut self) -> bool {
        let is_done = self.tcp.stop();
        if let Some(bursts) = &mut self.bursts {
            bursts.stop(self.tcp.size);
        }
        is_done
    }

    /// The application pauses or continues.
    pub fn set_paused(&mut self, is_paused: bool, state: &mut ShardState<L>) {
        match is_paused {
            true => self.act(state, |_, _| (), |sender, _| sender.pause()),
            false => self.act(state, |_, _| (), |sender, host| sender.resume(host)),
        }
    }

    /// Counts the flow, or the burst written from segment `from` on.
    fn begin(&mut self, action: &SourceAction, from: u32, state: &mut ShardState<L>) {
        state.counters.flows_started += 1;
        state.flow_stats.all[self.key as usize].started += 1;
        state.counters.active += 1;
        if let Some(bursts) = &mut self.bursts {
            bursts.begin(action.burst, (from, self.tcp.written()), state.now);
            bursts.expects_more = action.next.is_some();
        }
    }

    /// Describes the connection for a trace. `opened` is its start, or the start of tracing if that is
    /// later.
    pub fn connection(&self, opened: Time, split: AddressSplit) -> Connection {
        let host = |host: HostIndex| if host == HostIndex::INLINE { NO_NUMBER } else { host.0 };
        Connection {
            opened,
            flow: self.flow_id.0,
            connection: self.endpoint.sender_connection(),
            source: split.router(self.endpoint.address).0,
            source_host: host(self.endpoint.host),
            receiver: self.peer.router.0,
            receiver_host: host(self.peer.host),
            slot: split.slot(self.endpoint.address) as u32,
            size: self.tcp.total(),
            profile: u32::from(self.endpoint.profile),
            ecn: u32::from(self.tcp.is_capable_of_ecn()),
        }
    }

    #[cold]
    fn note_opened(&self, state: &mut ShardState<L>) {
        state.trace.open(self.connection(state.now, state.split));
        if self.endpoint.is_followed {
            self.note(EventKind::Opened, state);
        }
    }

    /// Lets the sender act. `note_cause` records the cause if the flow is traced.
    #[inline(always)]
    fn act<T>(
        &mut self,
        state: &mut ShardState<L>,
        note_cause: impl FnOnce(&Self, &mut ShardState<L>),
        action: impl FnOnce(&mut Sender<L>, &mut Host<'_, L, SenderRole<'_>>) -> T,
    ) -> T {
        let before = self.endpoint.is_followed.then(|| {
            let first = state.trace.count();
            note_cause(self, state);
            (first, SenderState::of(&self.tcp))
        });
        let Self { endpoint, peer, tcp, flow_id, controller, .. } = self;
        let done = action(tcp, &mut Host { endpoint, role: SenderRole { peer, flow_id, controller }, state });
        if let Some((first, before)) = before {
            self.note_changes(first, before, state);
        }
        done
    }

    #[cold]
    fn note_changes(&self, first: usize, before: SenderState, state: &mut ShardState<L>) {
        before.changes(&self.tcp).for_each(|kind| state.trace.record(self.event(kind, state)));
        state.trace.add_state(first, &self.tcp);
    }

    fn event(&self, kind: EventKind, state: &ShardState<L>) -> Event {
        self.endpoint.event(kind, self.endpoint.sender_connection(), state)
    }

    /// Records an event of a traced flow.
    #[cold]
    fn note(&self, kind: EventKind, state: &mut ShardState<L>) {
        let first = state.trace.count();
        state.trace.record(self.event(kind, state));
        state.trace.add_state(first, &self.tcp);
    }

    /// A SYN, or the question of an established sender, was answered.
    pub fn on_syn_ack(&mut self, packet: &Packet, state: &mut ShardState<L>) {
        if self.tcp.phase == Phase::SynSent {
            self.peer.address = packet.receiver();
        }
        let header = state.current_header();
        let note = |flow: &Self, state: &mut ShardState<L>| {
            flow.endpoint.note_packet(EventKind::SynAckReceived, packet, state);
        };
        self.act(state, note, |sender, host| sender.on_syn_ack(packet.answer(), header.as_ref(), host));
    }

    /// An ACK arrived. Returns true if it completes the flow or a burst.
    #[inline]
    pub fn on_ack(&mut self, packet: &Packet, state: &mut ShardState<L>) -> bool {
        let options = packet.sack_record().map(|number| state.side_table.sacks.take(number));
        let blocks = options.and_then(|options| options.blocks);
        state.byte_counts = options.and_then(|options| options.counts);
        state.ack_delay = options.and_then(|options| options.delay).unwrap_or(0);
        let (next, stamp) = (packet.ack_number(), packet.echoed_timestamp());
        let ack = AckSegment { next, stamp, blocks, flags: packet.ack_flags() };
        let header = state.current_header();
        let note = |flow: &Self, state: &mut ShardState<L>| flow.note_ack(packet, &ack, state);
        self.act(state, note, |sender, host| sender.on_ack(&ack, header.as_ref(), host))
    }

    #[cold]
    fn note_ack(&self, packet: &Packet, ack: &AckSegment, state: &mut ShardState<L>) {
        let event = self.event(EventKind::Acknowledged, state);
        let event = with_packet_fields(event, packet, Some(ack.stamp), ack.blocks.unwrap_or_default());
        state.trace.record(event);
        if ack.echoes_mark() && !self.tcp.has_accurate_feedback() {
            state.trace.record(Event { kind: EventKind::Echoed, ..event });
        }
    }

    /// A timer of the sender expired. Returns false if the connection failed.
    pub fn on_timer(&mut self, timer: tcp::Timer, at: Time, state: &mut ShardState<L>) -> bool {
        self.act(state, |_, _| (), |sender, host| sender.on_timer(timer, at, host))
    }

    /// Excludes deliveries and repairs up to now from the results, because the warm-up or a burst has
    /// ended.
    pub fn reset_baseline(&mut self) {
        self.baseline_delivered = self.tcp.una;
        self.baseline_repairs = self.tcp.stats.repairs();
    }

    /// Closes the connection, and later releases the receiver.
    pub fn close(&mut self, state: &mut ShardState<L>) {
        if self.tcp.phase == Phase::SynSent {
            state.counters.connecting -= 1;
        }
        self.tcp.close();
        if state.trace.is_on() {
            self.note_closed(state);
        }
        state.timers.push(Timer {
            time: state.now + LINGER,
            group: self.peer.router,
            purpose: Purpose::Release,
            id: self.endpoint.address.0,
            generation: self.endpoint.generation,
        });
    }

    #[cold]
    fn note_closed(&self, state: &mut ShardState<L>) {
        state.trace.close(state.now, self.flow_id, self.endpoint.sender_connection());
        if self.endpoint.is_followed {
            self.note(EventKind::Closed, state);
        }
    }

    /// Notes that the receiver got all segments below `below`.
    pub fn note_received(&mut self, below: u32, at: Time) {
        match &mut self.bursts {
            Some(bursts) => bursts.note_received(below, at),
            None => self.received = Some(at - self.tcp.stats.started),
        }
    }

    /// Returns whether the slot contains an open connection.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.tcp.phase != Phase::Closed
    }

    /// Returns whether the slot contains an unfinished flow or burst.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.is_open() && self.bursts.as_ref().is_none_or(|bursts| !bursts.is_idle())
    }

    /// Returns the flow, or the active bursts, as results count them, the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        let (size, stats) = (self.tcp.total(), &self.tcp.stats);
        let flow = Transfer { burst: 0, from: 0, size, received: self.received, stats: *stats };
        let bursts = self.bursts.iter().flat_map(|bursts| bursts.transfers(stats));
        self.bursts.is_none().then_some(flow).into_iter().chain(bursts)
    }

    /// Adds what the flow or its active bursts have done until now.
    pub fn add_to(&self, counted: &mut FlowStats, now: Time) {
        for transfer in self.transfers() {
            counted.add(now, transfer.delivered(0, self.tcp.una), &transfer.stats);
        }
    }

    /// Returns whether an active burst is acknowledged. If the connection has `failed`, any active burst
    /// counts.
    pub fn has_ended_burst(&self, failed: bool) -> bool {
        self.bursts
            .as_ref()
            .is_some_and(|bursts| bursts.oldest_ends_by(if failed { u32::MAX } else { self.tcp.una }))
    }

    /// Notes whether the source will begin another burst.
    pub fn expect_burst(&mut self, is_expected: bool) {
        if let Some(bursts) = &mut self.bursts {
            bursts.expects_more |= is_expected;
        }
    }

    /// Returns whether no burst is active and none is expected.
    pub fn is_exhausted(&self) -> bool {
        self.bursts.as_ref().is_some_and(|bursts| bursts.is_idle() && !bursts.expects_more)
    }

    /// Ends the oldest burst. Later deliveries belong to the next one.
    pub fn end_burst(&mut self) {
        if let Some(bursts) = &mut self.bursts {
            bursts.end(&self.tcp.stats);
            self.reset_baseline();
        }
    }

    /// Returns the status of the flow.
    pub fn status(&self) -> Status {
        match self.tcp.phase {
            Phase::SynSent => Status::Connecting,
            _ if self.tcp.una >= self.tcp.total() => Status::Finished,
            _ => Status::Running,
        }
    }
}

/// A receiver outlives its sender by this time (TIME-WAIT), picoseconds. It is longer than any window of
/// the engine.
pub const LINGER: Span = SECOND;
