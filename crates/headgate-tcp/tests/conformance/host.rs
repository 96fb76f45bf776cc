//! A host that records the output of its ends: a sender, or a receiver, whose peer is a test.

use headgate_algos::control::reno::Reno;
use headgate_model::units::{NEVER, SECOND, Span, Time};
use headgate_tcp::context::*;
use headgate_tcp::{
    AfterIdle, ByteCounts, ENDLESS, Feedback, Flags, Profile, Receiver, RtoRule, Sender, SynRetry,
};

pub const MS: Span = SECOND / 1000;

/// Duration of every handshake, and the delay of the ACKs at [`Peer::FIRST_ACK`].
pub const RTT: Span = 100 * MS;

/// TCP by the RFCs for loss and windows, without time-based detection. The smallest time-out is 1 s (RFC 6298
/// section 2.4).
pub fn rfc() -> Profile {
    Profile {
        rto_rule: RtoRule::Rfc6298,
        min_rto: SECOND,
        rto_margin: 0,
        max_rto: 60 * SECOND,
        limited_transmit: false,
        prr: false,
        rack_tlp: false,
        dsack: false,
        undo: false,
        frto: false,
        syn_retry: SynRetry::Rfc5681,
        whole_windows: false,
        window_validation: false,
        after_idle: AfterIdle::Rfc5681,
        quick_acks: 0,
        ..Profile::default()
    }
}

/// The same profile without SACK: RFC 6582.
pub fn newreno() -> Profile {
    Profile { sack: false, ..rfc() }
}

#[derive(Default)]
pub struct Host {
    pub now: Time,
    pub profile: Profile,
    pub syns: Vec<Syn>,
    pub data: Vec<DataSegment>,
    pub acks: Vec<AckSegment>,
    /// The AccECN option of each of these ACKs that carries one, and that of the ACK that a sender handles.
    pub options: Vec<ByteCounts>,
    pub option: Option<ByteCounts>,
    /// The delay that the ACK of QUIC reports which a sender handles, and those of a receiver's ACKs.
    pub delay: Span,
    pub delays: Vec<Span>,
    timers: Vec<(Time, Timer)>,
    pub timeouts: u32,
}

impl Context for Host {
    fn now(&self) -> Time {
        self.now
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        assert!(at >= self.now, "a timer in the past");
        self.timers.push((at, timer));
    }
}

impl SenderContext for Host {
    fn send_syn(&mut self, syn: Syn, _label: Option<CongestionHeader>) {
        self.syns.push(syn);
    }

    fn send_data(&mut self, segment: DataSegment, _label: Option<CongestionHeader>) {
        self.data.push(segment);
    }

    fn byte_counts(&self) -> Option<ByteCounts> {
        self.option
    }

    fn ack_delay(&self) -> Span {
        self.delay
    }

    fn observe(&mut self, event: Event) {
        self.timeouts += u32::from(event == Event::Timeout);
    }

    fn limit_exceeded(&mut self, excess: LimitExceeded) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Host {
    fn send_ack(&mut self, ack: AckSegment) {
        self.acks.push(ack);
    }

    fn send_ack_with_counts(&mut self, ack: AckSegment, counts: ByteCounts) {
        self.acks.push(ack);
        self.options.push(counts);
    }

    fn send_report(&mut self, ack: AckSegment, report: AckReport) {
        self.acks.push(ack);
        self.options.extend(report.counts);
        self.delays.push(report.delay);
    }
}

impl Host {
    fn new(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }

    /// Returns the next timer up to a time.
    fn due(&mut self, until: Time) -> Option<(Time, Timer)> {
        self.timers.sort_by_key(|timer| timer.0);
        let due = self.timers.first().is_some_and(|timer| timer.0 <= until);
        due.then(|| self.timers.remove(0))
    }
}

/// A sender whose peer is a test.
pub struct Peer {
    pub host: Host,
    pub tcp: Sender<Reno>,
    seen: usize,
}

impl Peer {
    /// The handshake ends at 100 ms; segments sent then are acknowledged from 200 ms on.
    pub const FIRST_ACK: Time = 2 * RTT;

    /// A sender of `segments` segments whose SYN has left.
    pub fn closed(segments: u32, profile: Profile) -> Self {
        Self::connecting(Sender::new(segments, Reno, &profile), profile)
    }

    fn connecting(mut tcp: Sender<Reno>, profile: Profile) -> Self {
        let mut host = Host::new(profile);
        tcp.open(&mut host);
        Self { host, tcp, seen: 0 }
    }

    /// A sender whose application has written `segments` segments and may write more; its SYN has left.
    pub fn connecting_to_write(segments: u32, profile: Profile) -> Self {
        Self::connecting(Sender::new_for_writes(segments, Reno, &profile), profile)
    }

    /// The same sender, established; its first window has just left.
    pub fn writing(segments: u32, profile: Profile) -> Self {
        let mut peer = Self::connecting_to_write(segments, profile);
        peer.establish(RTT);
        peer
    }

    /// Writes `segments` segments.
    pub fn write(&mut self, segments: u32) {
        self.tcp.write(segments, &mut self.host);
    }

    /// The application continues after a pause.
    pub fn resume(&mut self) {
        self.tcp.resume(&mut self.host);
    }

    /// Acknowledges everything a round trip after it was sent. Returns true if the last ACK ended a write.
    pub fn ack_all(&mut self) -> bool {
        let mut ended = false;
        while self.tcp.una < self.tcp.written() {
            self.host.now += RTT;
            ended = self.ack(self.tcp.next);
        }
        ended
    }

    /// The same sender, established; its first window has left, and the first ACK is due.
    pub fn open(segments: u32, profile: Profile) -> Self {
        let mut peer = Self::closed(segments, profile);
        peer.establish(RTT);
        peer.host.now = Self::FIRST_ACK;
        peer
    }

    pub fn establish(&mut self, at: Time) {
        self.answer(self.host.syns.len() - 1, at);
    }

    /// Delivers the answer to a SYN, counted from 0.
    pub fn answer(&mut self, syn: usize, at: Time) {
        self.host.now = at;
        let Syn { tries, flags, .. } = self.host.syns[syn];
        let granted = Feedback::requested(flags).grant(flags.ecn());
        self.tcp.on_syn_ack(SynAck { tries, flags: granted }, None, &mut self.host);
    }

    /// Returns the sequence numbers sent since the last call.
    pub fn sent(&mut self) -> Vec<u32> {
        let sent = self.host.data[self.seen..].iter().map(|segment| segment.seq).collect();
        self.seen = self.host.data.len();
        sent
    }

    /// Acknowledges all segments below `next`, with the time stamp of the last one. Returns true if it was
    /// the last ACK, of the flow or of a write.
    pub fn ack(&mut self, next: u32) -> bool {
        self.ack_with(next, None, Flags::NONE)
    }

    /// Delivers an ACK that also reports segments [from, to).
    pub fn sack(&mut self, next: u32, blocks: &[(u32, u32)]) {
        let mut all = Blocks::default();
        all[..blocks.len()].copy_from_slice(blocks);
        self.ack_with(next, Some(all), Flags::NONE);
    }

    pub fn ack_with(&mut self, next: u32, blocks: Option<Blocks>, flags: Flags) -> bool {
        let echoed = self.host.data.iter().rev().find(|segment| segment.seq + 1 == next);
        let stamp = echoed.map_or(0, |segment| segment.stamp);
        self.tcp.on_ack(&AckSegment { next, stamp, blocks, flags }, None, &mut self.host)
    }

    /// Delivers the timers that are due by `until`.
    pub fn wait_until(&mut self, until: Time) {
        while let Some((at, timer)) = self.host.due(until) {
            self.host.now = at;
            self.tcp.on_timer(timer, at, &mut self.host);
        }
        self.host.now = until;
    }

    /// Delivers timers, but no ACK, until the sender sends. Returns the time; `None` if no timer makes it
    /// send.
    pub fn wait_until_it_sends(&mut self) -> Option<Time> {
        let before = (self.host.data.len(), self.host.syns.len());
        while let Some((at, timer)) = self.host.due(NEVER) {
            self.host.now = at;
            self.tcp.on_timer(timer, at, &mut self.host);
            if (self.host.data.len(), self.host.syns.len()) != before {
                return Some(at);
            }
        }
        None
    }
}

/// A receiver whose peer is a test.
pub struct End {
    pub host: Host,
    pub tcp: Receiver,
}

impl End {
    /// Segments of the flow. Segment `n` was sent `SEGMENTS - n` units of the time stamp before time 0.
    pub const SEGMENTS: u32 = 1000;

    pub fn new(profile: Profile, syn: Flags) -> Self {
        let host = Host::new(profile);
        Self { tcp: Receiver::new(Self::SEGMENTS, syn, &host.profile), host }
    }

    /// A receiver of a connection on which an application writes in turn.
    pub fn of_writes(profile: Profile) -> Self {
        let host = Host::new(profile);
        Self { tcp: Receiver::new(ENDLESS, Flags::NONE, &host.profile), host }
    }

    /// Delivers segments, each sent at the time of its number. Returns the ACKs sent since the last call.
    pub fn take(&mut self, segments: &[u32]) -> Vec<AckSegment> {
        for &seq in segments {
            self.receive(seq, Flags::NONE);
        }
        std::mem::take(&mut self.host.acks)
    }

    /// Delivers a segment. Returns true if it was the last one missing, of the flow or of a write.
    pub fn receive(&mut self, seq: u32, flags: Flags) -> bool {
        self.receive_sent_at(seq, seq, flags)
    }

    /// Delivers a segment that was sent at the same time as segment `sent`.
    pub fn receive_sent_at(&mut self, seq: u32, sent: u32, flags: Flags) -> bool {
        let stamp = sent.wrapping_sub(Self::SEGMENTS);
        self.tcp.on_data(&DataSegment { seq, stamp, flags }, &mut self.host)
    }

    /// Delivers a packet of QUIC that carries a segment.
    pub fn receive_packet(&mut self, number: u32, segment: u32, flags: Flags) -> bool {
        self.tcp.on_data(&DataSegment { seq: number, stamp: segment, flags }, &mut self.host)
    }

    /// Returns the numbers of the segments whose time stamps these ACKs echo.
    pub fn echoed(acks: &[AckSegment]) -> Vec<u32> {
        acks.iter().map(|ack| ack.stamp.wrapping_add(Self::SEGMENTS)).collect()
    }

    /// Returns the time of the delayed ACK, if nothing else arrives.
    pub fn wait_until_it_answers(&mut self) -> Option<Time> {
        while let Some((at, _)) = self.host.due(NEVER) {
            self.host.now = at;
            self.tcp.on_timer(at, &mut self.host);
            if !self.host.acks.is_empty() {
                return Some(at);
            }
        }
        None
    }
}
