//! Invariants of QUIC's ends under random loss, reordering, duplication and marks.

use headgate_algos::control::reno::Reno;
use headgate_model::ecn::Ecn;
use headgate_model::units::{SECOND, Span, Time};
use headgate_tcp::context::*;
use headgate_tcp::quic::{AckRanges, Quic};
use headgate_tcp::{ByteCounts, Feedback, Phase, Profile, Receiver, Sender};
use std::collections::{BTreeMap, BTreeSet};

const MS: Span = SECOND / 1000;
const SIZE: u32 = 400;

/// A small generator of random numbers (Knuth's MMIX constants).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }
}

/// How the channel treats packets, in percent, and the jitter of its delay.
#[derive(Clone, Copy)]
struct Channel {
    loss: u64,
    copies: u64,
    marks: u64,
    jitter: Span,
}

enum Arrival {
    Data(DataSegment),
    Ack(AckSegment, AckReport),
    SenderTimer(Timer),
    ReceiverTimer,
}

/// Both hosts, and everything that will happen.
struct Host {
    now: Time,
    profile: Profile,
    channel: Channel,
    chance: Chance,
    events: BTreeMap<(Time, u64), Arrival>,
    count: u64,
    of_receiver: bool,
    report: AckReport,
    /// The numbers of all packets sent, and of those that are in flight as far as the sender knows.
    next: u32,
    flight: BTreeSet<u32>,
    /// One more than the largest packet that the current event acknowledged or found lost.
    settled: u32,
}

impl Host {
    fn after(&mut self, wait: Span, what: Arrival) {
        self.count += 1;
        self.events.insert((self.now + wait, self.count), what);
    }

    fn carry(&mut self, make: impl Fn() -> Arrival) {
        let copies = 1 + u64::from(self.chance.percent(self.channel.copies));
        for _ in 0..copies {
            if !self.chance.percent(self.channel.loss) {
                let wait = 20 * MS + self.chance.below(self.channel.jitter + 1);
                self.after(wait, make());
            }
        }
    }
}

impl Context for Host {
    fn now(&self) -> Time {
        self.now
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn set_timer(&mut self, timer: Timer, at: Time) {
        let what = if self.of_receiver { Arrival::ReceiverTimer } else { Arrival::SenderTimer(timer) };
        assert!(at >= self.now, "a timer in the past");
        self.after(at - self.now, what);
    }
}

impl SenderContext for Host {
    fn send_syn(&mut self, _syn: Syn, _header: Option<CongestionHeader>) {}

    fn send_data(&mut self, mut segment: DataSegment, _header: Option<CongestionHeader>) {
        assert_eq!(segment.seq, self.next, "packet numbers ascend by one");
        self.next += 1;
        self.flight.insert(segment.seq);
        if segment.flags.ecn().is_capable() && self.chance.percent(self.channel.marks) {
            segment.flags = segment.flags.with_ecn(Ecn::Ce);
        }
        self.carry(|| Arrival::Data(segment));
    }

    fn byte_counts(&self) -> Option<ByteCounts> {
        self.report.counts
    }

    fn ack_delay(&self) -> Span {
        self.report.delay
    }

    fn observe(&mut self, event: Event) {
        if let Event::Lost { seq } = event {
            assert!(self.flight.remove(&seq), "{seq} was not in flight");
            self.settled = self.settled.max(seq + 1);
        }
    }

    fn limit_exceeded(&mut self, excess: LimitExceeded) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Host {
    fn send_ack(&mut self, _ack: AckSegment) {
        unreachable!("ACKs of QUIC carry a report");
    }

    fn send_report(&mut self, ack: AckSegment, report: AckReport) {
        self.carry(|| Arrival::Ack(ack, report));
    }
}

/// Transfers a flow and checks the invariants after each event. Returns the sender.
fn transfer(seed: u64, channel: Channel, quic: Quic, ecn: bool) -> Sender<Reno> {
    let pacing = (seed % 2 == 0).then_some((1.25, 1.25));
    let profile = Profile { quic: Some(quic), ecn, pacing, whole_windows: false, ..Profile::default() };
    let mut host = Host {
        now: 0,
        profile: profile.clone(),
        channel,
        chance: Chance(seed),
        events: BTreeMap::new(),
        count: 0,
        of_receiver: false,
        report: AckReport::default(),
        next: 0,
        flight: BTreeSet::new(),
        settled: 0,
    };
    let mut sender = Sender::new(SIZE, Reno, &profile);
    let asked = if ecn { Feedback::Accurate } else { Feedback::None };
    let mut receiver = Receiver::new(SIZE, asked.request(), &profile);
    sender.open(&mut host);
    host.now = 40 * MS;
    sender.on_syn_ack(SynAck { tries: 0, flags: asked.grant(Ecn::NotEct) }, None, &mut host);
    let (mut complete, mut period) = (false, 0);
    while let Some(((at, _), what)) = host.events.pop_first() {
        assert!(at < 100_000 * SECOND, "the flow does not end");
        host.now = at;
        let (before, next) = (sender.stats, host.next);
        host.of_receiver = matches!(what, Arrival::Data(_) | Arrival::ReceiverTimer);
        match what {
            Arrival::Data(segment) => complete |= receiver.on_data(&segment, &mut host),
            Arrival::ReceiverTimer => receiver.on_timer(at, &mut host),
            Arrival::SenderTimer(timer) => assert!(sender.on_timer(timer, at, &mut host)),
            Arrival::Ack(ack, report) => {
                host.report = report;
                for (from, to) in AckRanges::of(&ack).iter() {
                    assert!(to <= host.next, "an ACK of a packet that was never sent");
                    host.flight.retain(|number| !(from..to).contains(number));
                    host.settled = host.settled.max(to);
                }
                if sender.on_ack(&ack, None, &mut host) {
                    break;
                }
            }
        }
        assert_eq!(sender.flight() as usize, host.flight.len());
        assert!(sender.window.cwnd >= 2.0, "{}", sender.window.cwnd);
        assert!(sender.una <= receiver.arrived());
        let reductions = sender.stats.recoveries + sender.stats.reductions;
        if reductions > before.recoveries + before.reductions {
            assert_eq!(reductions, before.recoveries + before.reductions + 1);
            // a recovery period lasts until a packet is settled that was sent since it began
            assert!(host.settled > period, "a period began before the last one could end");
            period = next;
        }
        if sender.phase == Phase::Timeout {
            period = 0; // persistent congestion ends it
        }
        host.settled = 0;
    }
    assert!(complete && sender.una == SIZE && receiver.arrived() == SIZE);
    sender
}

fn quic(chance: &mut Chance) -> Quic {
    Quic {
        packet_threshold: [1, 3, 10][chance.below(3) as usize],
        ack_every: [1, 2, 10][chance.below(3) as usize],
        ack_reordering: chance.below(4) as u32,
        max_ack_delay: chance.below(3) * 20 * MS,
        ..Quic::default()
    }
}

#[test]
fn every_segment_arrives_whatever_the_channel_does() {
    for seed in 0..400 {
        let mut chance = Chance(seed + 1000);
        let channel = Channel {
            loss: [0, 1, 10, 40][chance.below(4) as usize],
            copies: [0, 5][chance.below(2) as usize],
            marks: [0, 3, 100][chance.below(3) as usize],
            jitter: [0, 2, 50][chance.below(3) as usize] * MS,
        };
        let settings = quic(&mut chance);
        transfer(seed, channel, settings, chance.percent(50));
    }
}

#[test]
fn without_loss_nothing_is_sent_twice() {
    for seed in 0..20 {
        let channel = Channel { loss: 0, copies: 10, marks: 0, jitter: 0 };
        let sender = transfer(seed, channel, Quic::default(), false);
        assert_eq!(sender.stats.repairs(), headgate_tcp::Repairs::default());
    }
}

#[test]
fn marks_alone_repeat_nothing() {
    for seed in 0..20 {
        let channel = Channel { loss: 0, copies: 0, marks: 10, jitter: 0 };
        let sender = transfer(seed, channel, Quic::default(), true);
        assert_eq!((sender.stats.retransmissions, sender.stats.recoveries), (0, 0));
        assert!(sender.stats.reductions > 0 && sender.stats.marked > 10.0);
    }
}
