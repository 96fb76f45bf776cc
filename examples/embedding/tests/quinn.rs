//! Headgate's controllers in quinn: a transfer between two of its endpoints, in memory and in virtual time.
//!
//! The path carries 20 Mbit/s, a round trip takes 40 ms, and the buffer is one BDP. A window that falls by half or less
//! keeps such a link busy. Under any controller 10 MB therefore take 4 s, plus some round trips at the start.

mod pair;

use headgate_algos::control::{bbr3, constant, cubic, reno};
use headgate_embedding::quinn::Factory;
use headgate_model::control;
use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pair::{BYTES, Datagram, Path, Transfer, configure, transfer};

const RATE_BPS: f64 = 20e6;
const RTT: Duration = Duration::from_millis(40);

/// The longest wait in the queue: one BDP.
const BUFFER: Duration = RTT;

/// A link of [`RATE_BPS`] to the receiver with a queue, and a pure delay in the other direction.
struct Link {
    /// Datagrams in flight, by time of arrival and order of departure.
    under_way: BTreeMap<(Instant, usize), Datagram>,
    sent: usize,
    /// Time at which the link becomes free.
    free: Instant,
}

impl Link {
    fn new(begun: Instant) -> Self {
        Self { under_way: BTreeMap::new(), sent: 0, free: begun }
    }
}

impl Path for Link {
    fn carry(&mut self, now: Instant, datagram: Datagram) {
        let mut left = now;
        if datagram.to == 1 {
            let waits = self.free.saturating_duration_since(now);
            if waits > BUFFER {
                return;
            }
            left += waits + Duration::from_secs_f64(datagram.bytes.len() as f64 * 8.0 / RATE_BPS);
            self.free = left;
        }
        self.sent += 1;
        self.under_way.insert((left + RTT / 2, self.sent), datagram);
    }

    fn wait(&mut self, due: Option<Instant>) -> (Instant, Vec<Datagram>) {
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let now = arrival.into_iter().chain(due).min().expect("something happens");
        let mut arrived = Vec::new();
        while let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            arrived.push(entry.remove());
        }
        (now, arrived)
    }
}

/// CUBIC of the RFC.
fn our_cubic() -> cubic::Cubic {
    cubic::Cubic::new(cubic::Params {
        slow_start: cubic::SlowStartExit::Classic,
        variant: cubic::Variant::Rfc,
        ..cubic::Params::default()
    })
}

fn factory<C: control::Controller + Sync + std::fmt::Debug + 'static>(controller: C) -> Arc<Factory<C>> {
    Arc::new(Factory::new(controller).expect("quinn provides all that it needs"))
}

/// Whether a transfer took the time of its bytes plus that of the handshake and slow start. A window of ten packets is
/// 12 kB, the BDP is 100 kB, and the last loss of slow start is repaired in a round trip of twice the base RTT.
fn is_quick(transfer: &Transfer) -> bool {
    let least = BYTES as f64 * 8.0 / RATE_BPS;
    (least..1.05 * least + 10.0 * RTT.as_secs_f64()).contains(&transfer.seconds)
}

#[test]
fn ours_transfer_as_quickly_as_quinns_own() {
    let pairs: [[Arc<dyn ControllerFactory + Send + Sync>; 2]; 2] = [
        [factory(our_cubic()), Arc::new(CubicConfig::default())],
        [factory(reno::Reno), Arc::new(NewRenoConfig::default())],
    ];
    for pair in pairs {
        let over_link = |factory| {
            let begun = Instant::now();
            transfer(begun, &configure(factory), &mut Link::new(begun))
        };
        let [ours, theirs] = pair.map(over_link);
        assert!(is_quick(&ours) && is_quick(&theirs), "{ours:?} {theirs:?}");
        assert!((ours.seconds / theirs.seconds - 1.0).abs() < 0.05, "{ours:?} {theirs:?}");
        assert!(ours.congestion_events > 0, "the buffer never overflowed");
    }
}

fn fresh<C: control::Controller + Sync + std::fmt::Debug + 'static>(controller: C) -> Box<dyn Controller> {
    factory(controller).build(Instant::now(), 1200)
}

#[test]
fn a_window_is_ten_datagrams_at_first_and_stays_in_bytes_when_the_mtu_grows() {
    let mut controller = fresh(reno::Reno);
    assert_eq!((controller.window(), controller.initial_window()), (12_000, 12_000));
    controller.on_mtu_update(1500);
    assert_eq!(controller.window(), 12_000);
}

#[test]
fn losses_and_marks_of_one_window_reduce_it_once() {
    let mut controller = fresh(reno::Reno);
    let sent = Instant::now();
    controller.on_sent(sent, 12_000, 9);
    controller.on_congestion_event(sent + RTT, sent, false, 1200);
    assert_eq!((controller.window(), controller.metrics().ssthresh), (6000, Some(6000)));
    controller.on_congestion_event(sent + RTT, sent, false, 0);
    assert_eq!(controller.window(), 6000);
    controller.on_congestion_event(sent + 3 * RTT, sent + 2 * RTT, true, 1200);
    assert_eq!(controller.window(), 2400); // persistent congestion: two datagrams
}

#[test]
fn a_pace_is_told_in_bits_per_second() {
    let controller = fresh(constant::Constant::new(constant::Params { rate_mbps: 9.6 }));
    assert_eq!(controller.metrics().pacing_rate, Some(9_600_000));
}

/// A fixed window that counts its ACKs, and the ACKs that report a sender without pacing.
#[derive(Clone, Debug, Default)]
struct Count {
    acks: Arc<AtomicU32>,
    unpaced: Arc<AtomicU32>,
}

impl control::Controller for Count {
    fn on_ack(&mut self, ack: &control::Ack, _path: &control::Path, _window: &mut control::Window) {
        self.acks.fetch_add(1, Relaxed);
        self.unpaced.fetch_add(u32::from(!ack.paced), Relaxed);
    }

    fn on_congestion(&mut self, _: &control::Congestion, _: &control::Path, _: &mut control::Window) {}
}

/// quinn sends a window over a round trip and not in one burst. HyStart would otherwise take the length of that
/// burst for a longer path.
#[test]
fn a_controller_hears_that_quinn_paces() {
    let (count, begun) = (Count::default(), Instant::now());
    transfer(begun, &configure(factory(count.clone())), &mut Link::new(begun));
    assert!(count.acks.load(Relaxed) > 100);
    assert_eq!(count.unpaced.load(Relaxed), 0);
}

#[test]
fn what_needs_delivery_rates_is_refused() {
    assert!(Factory::new(bbr3::Bbr3::new(bbr3::Params::default())).is_err());
}
