//! QUIC of headgate-tcp beside quinn-proto: transfers over the same path, under NewReno and CUBIC.
//!
//! `cargo test --release --test same_path -- --ignored --nocapture` prints completion times and rates.

#[expect(dead_code, reason = "other tests use the rest")]
mod pair;

use headgate_algos::control::{cubic, reno};
use headgate_model::control;
use headgate_model::units::{SECOND, Span, Time, seconds};
use headgate_tcp::context::*;
use headgate_tcp::quic::Quic;
use headgate_tcp::{AfterIdle, Flags, Profile, Receiver, Sender};
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pair::{Datagram, Path, configure_path, transfer_of};

/// Size of a full packet, bytes: quinn's without MTU discovery.
const PACKET: u64 = 1200;

/// Stream bytes of a full packet of quinn's: less a header of 1 + 8 + 2 bytes, a tag of 16, and a frame's header of 7.
const PAYLOAD: usize = 1166;

const ONE_WAY: Span = SECOND / 50;

/// The packets that quinn sends of its initial window of ten: it keeps the flight below the window, and RFC 9002 section
/// 7 permits it to reach it. Slow start doubles both, so that our window of nine packets is always quinn's.
const USABLE_WINDOW: f64 = 9.0;

/// The path of both: a rate, a delay, and a random loss of data.
#[derive(Clone, Copy)]
struct Line {
    rate_bps: u64,
    loss: f64,
    seed: u64,
}

/// The state of a line to the receiver.
struct Forward {
    line: Line,
    free: Time,
    chance: u64,
}

impl Forward {
    fn new(line: Line) -> Self {
        Self { line, free: 0, chance: line.seed }
    }

    /// Returns when a packet arrives that leaves now, unless it is lost.
    fn carry(&mut self, now: Time, bytes: u64) -> Option<Time> {
        self.free = self.free.max(now) + bytes * 8 * SECOND / self.line.rate_bps;
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let is_lost = bytes > 1000 && ((self.chance >> 11) as f64 / (1u64 << 53) as f64) < self.line.loss;
        (!is_lost).then_some(self.free + ONE_WAY)
    }
}

/// The line as quinn's endpoints use it.
struct QuinnLine {
    begun: Instant,
    forward: Forward,
    under_way: BTreeMap<(Instant, usize), Datagram>,
    sent: usize,
}

impl QuinnLine {
    fn new(begun: Instant, line: Line) -> Self {
        Self { begun, forward: Forward::new(line), under_way: BTreeMap::new(), sent: 0 }
    }
}

impl Path for QuinnLine {
    fn carry(&mut self, now: Instant, datagram: Datagram) {
        let at = now.duration_since(self.begun).as_nanos() as Time * 1000;
        let arrival = match datagram.to {
            1 => self.forward.carry(at, datagram.bytes.len() as u64),
            _ => Some(at + ONE_WAY),
        };
        self.sent += 1;
        if let Some(at) = arrival {
            self.under_way.insert((self.begun + Duration::from_nanos(at / 1000), self.sent), datagram);
        }
    }

    fn wait(&mut self, due: Option<Instant>) -> (Instant, Vec<Datagram>) {
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let now = arrival.into_iter().chain(due).min().expect("something happens");
        let first = self.under_way.first_entry().filter(|entry| entry.key().0 <= now);
        (now, first.map(|entry| entry.remove()).into_iter().collect())
    }
}

enum Arrival {
    Data(DataSegment),
    Ack(AckSegment, AckReport),
    SenderTimer(Timer),
    ReceiverTimer,
}

/// The hosts of our ends, and the line between them.
struct Host {
    now: Time,
    profile: Profile,
    forward: Forward,
    events: BTreeMap<(Time, u64), Arrival>,
    count: u64,
    of_receiver: bool,
    report: AckReport,
}

impl Host {
    fn at(&mut self, at: Time, what: Arrival) {
        self.count += 1;
        self.events.insert((at, self.count), what);
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
        self.at(at, if self.of_receiver { Arrival::ReceiverTimer } else { Arrival::SenderTimer(timer) });
    }
}

impl SenderContext for Host {
    fn send_syn(&mut self, _syn: Syn, _header: Option<CongestionHeader>) {}

    fn send_data(&mut self, segment: DataSegment, _header: Option<CongestionHeader>) {
        if let Some(at) = self.forward.carry(self.now, PACKET) {
            self.at(at, Arrival::Data(segment));
        }
    }

    fn ack_delay(&self) -> Span {
        self.report.delay
    }

    fn limit_exceeded(&mut self, excess: LimitExceeded) {
        panic!("{excess}");
    }
}

impl ReceiverContext for Host {
    fn send_ack(&mut self, _ack: AckSegment) {}

    fn send_report(&mut self, ack: AckSegment, report: AckReport) {
        self.at(self.now + ONE_WAY, Arrival::Ack(ack, report));
    }
}

/// Transfers packets by headgate-tcp. Returns the time until the last one has arrived, seconds.
fn ours(packets: u32, line: Line, controller: impl control::Controller) -> f64 {
    let profile = Profile {
        initial_window: USABLE_WINDOW,
        quic: Some(Quic::default()),
        pacing: Some((1.25, 1.25)),
        data_bytes: PACKET as u16,
        whole_windows: false,
        after_idle: AfterIdle::Keep,
        ..Profile::default()
    };
    let mut sender = Sender::new(packets, controller, &profile);
    let mut receiver = Receiver::new(packets, Flags::NONE, &profile);
    let mut host = Host {
        now: 0,
        profile,
        forward: Forward::new(line),
        events: BTreeMap::new(),
        count: 0,
        of_receiver: false,
        report: AckReport::default(),
    };
    sender.open(&mut host);
    host.now = 2 * ONE_WAY;
    sender.on_syn_ack(SynAck::default(), None, &mut host);
    while let Some(((at, _), what)) = host.events.pop_first() {
        host.now = at;
        host.of_receiver = matches!(what, Arrival::Data(_) | Arrival::ReceiverTimer);
        match what {
            Arrival::Data(segment) => {
                if receiver.on_data(&segment, &mut host) {
                    return seconds(at);
                }
            }
            Arrival::ReceiverTimer => receiver.on_timer(at, &mut host),
            Arrival::SenderTimer(timer) => _ = sender.on_timer(timer, at, &mut host),
            Arrival::Ack(ack, report) => {
                host.report = report;
                sender.on_ack(&ack, None, &mut host);
            }
        }
    }
    panic!("the transfer does not end")
}

/// Transfers the stream bytes of as many packets by quinn.
fn theirs(packets: u32, line: Line, factory: Arc<dyn ControllerFactory + Send + Sync>) -> f64 {
    let begun = Instant::now();
    transfer_of(
        packets as usize * PAYLOAD,
        begun,
        &configure_path(factory, true),
        &mut QuinnLine::new(begun, line),
    )
    .seconds
}

/// CUBIC of the RFC.
fn our_cubic() -> cubic::Cubic {
    cubic::Cubic::new(cubic::Params {
        slow_start: cubic::SlowStartExit::Classic,
        variant: cubic::Variant::Rfc,
        ..cubic::Params::default()
    })
}

fn both(packets: u32, line: Line, is_cubic: bool) -> (f64, f64) {
    if is_cubic {
        (ours(packets, line, our_cubic()), theirs(packets, line, Arc::new(CubicConfig::default())))
    } else {
        (ours(packets, line, reno::Reno), theirs(packets, line, Arc::new(NewRenoConfig::default())))
    }
}

/// quinn's pacer lets ten packets leave at a time, and ours one. Up to 50 packets this is up to 4 % of the time.
#[test]
fn transfers_without_loss_take_as_long_as_quinns() {
    let line = Line { rate_bps: 1_000_000_000, loss: 0.0, seed: 1 };
    for is_cubic in [false, true] {
        for packets in [10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000] {
            let (ours, theirs) = both(packets, line, is_cubic);
            let difference = ours / theirs - 1.0;
            println!(
                "cubic {is_cubic}: {packets} packets, {ours:.4} s, {theirs:.4} s, {:+.2} %",
                difference * 100.0
            );
            assert!(difference.abs() < if packets < 100 { 0.04 } else { 0.02 }, "{packets} packets");
        }
    }
}

/// Prints the rates. Four transfers lose about 4000 packets at 1 %, and 800 at 0.1 %.
#[test]
#[ignore = "takes a minute"]
fn rates_under_loss_are_those_of_quinn() {
    for is_cubic in [false, true] {
        for (loss, packets) in [(0.01, 100_000), (0.001, 200_000)] {
            let (mut ours, mut theirs) = (0.0, 0.0);
            for seed in 1..=4 {
                let times = both(packets, Line { rate_bps: 1_000_000_000, loss, seed }, is_cubic);
                (ours, theirs) = (ours + times.0, theirs + times.1);
            }
            let difference = theirs / ours - 1.0;
            println!(
                "cubic {is_cubic}: loss {loss}, {ours:.2} s, {theirs:.2} s, rate {:+.2} %",
                difference * 100.0
            );
            assert!(is_cubic || difference.abs() < 0.04);
        }
    }
}
