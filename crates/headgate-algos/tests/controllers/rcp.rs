//! RCP's router and sender, computed by hand.

use headgate_algos::scheme::rcp::{fold, router, sender, word};
use headgate_model::chance::Stream;
use headgate_model::control::{Ack, Controller, Path, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::{Feedback, PassingPacket, Words};
use headgate_model::queue::Backlog;

use crate::drive::{near, values};

const DATA: PassingPacket = PassingPacket { size_bytes: 1000, data: true, ecn: Ecn::NotEct };
/// 8 Mbit/s.
const LINE: f64 = 1e6;
/// Time between updates, and the initial RTT, seconds.
const SPAN_S: f64 = 0.01;
const START_RTT_S: f64 = 0.2;

fn words(rate: f64, rtt_s: f64) -> Words {
    let mut words = Words::default();
    (words[word::RATE], words[word::RTT]) = (rate, rtt_s);
    words
}

fn port(now_s: f64, held_bytes: f64) -> Backlog {
    Backlog { now_s, bytes: held_bytes + 600.0, held_bytes, rate_bytes_s: LINE, ..Backlog::default() }
}

fn router(changes: &[(&str, f64)], entity: u64) -> router::Router {
    let params = router::Params::from_values(&values(router::Params::TABLE, changes));
    router::Router::new(params, LINE, Stream::new(1, "test", entity))
}

/// The router's rate, bytes/s, from a packet with a request.
fn rate(router: &mut router::Router) -> f64 {
    let mut asks = words(f64::INFINITY, 0.0);
    router.on_departure(&DATA, Some(&mut asks), &port(0.0, 0.0));
    asks[word::RATE]
}

/// An interval with `packets` arrivals of an RTT (0: none reported), early enough to belong to it.
fn interval(router: &mut router::Router, packets: u32, rtt_s: f64, held_bytes: f64) {
    let ends_s = router.next_tick() as f64 / 1e12;
    for _ in 0..packets {
        router.on_arrival(&DATA, Some(&words(f64::INFINITY, rtt_s)), &port(ends_s - 0.005, held_bytes));
    }
    router.on_tick(&port(ends_s, held_bytes));
}

#[test]
fn the_rate_follows_spare_capacity_and_queue() {
    // 4 packets: y = 4e5. alpha (C - y) = 2.4e5, beta q/d = 0.4 3000/0.2 = 6000, T/d = 0.05
    for (queue, held) in [(0.0, 3000.0), (1.0, 2400.0)] {
        let mut router = router(&[("queue", queue)], 0);
        near(rate(&mut router), 5e4); // a twentieth of the link's rate
        interval(&mut router, 4, 0.0, held);
        near(rate(&mut router), 5e4 * (1.0 + 0.05 * (2.4e5 - 6000.0) / 1e6));
    }
}

#[test]
fn the_rate_is_never_above_the_target_nor_below_its_floor() {
    let mut up = router(&[("gamma", 0.95), ("alpha", 10.0)], 0);
    (0..200).for_each(|_| interval(&mut up, 0, 0.0, 0.0));
    near(rate(&mut up), 0.95 * LINE);
    let mut down = router(&[("beta", 10.0)], 0);
    (0..200).for_each(|_| interval(&mut down, 10, 0.0, 1e6));
    near(rate(&mut down), 0.01 * 1000.0 / START_RTT_S);
    let mut high = router(&[("least", 100.0), ("beta", 10.0), ("start_rtt_s", 0.05)], 0);
    (0..200).for_each(|_| interval(&mut high, 10, 0.0, 1e6));
    near(rate(&mut high), LINE); // a floor above the link's rate: the target counts
}

#[test]
fn every_rate_is_within_the_bounds_whatever_comes() {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut router = router(&[("alpha", 1.0), ("beta", 1.0)], 0);
    for _ in 0..20_000 {
        let (packets, rtt_s) = ((next() * 30.0) as u32, if next() < 0.2 { 0.0 } else { next() });
        interval(&mut router, packets, rtt_s, if next() < 0.5 { 0.0 } else { next() * 1e6 });
        let rate = rate(&mut router);
        assert!(rate > 0.0 && rate <= LINE, "{rate}"); // RTTs are below 1 s
        assert!(rate >= 0.01 * 1000.0, "{rate}");
    }
}

#[test]
fn the_mean_rtt_rises_fast_and_falls_slowly() {
    // up: d = 0.2 + (0.01/0.2) (0.4 - 0.2) = 0.21; the next update shows it in T/d: y = 0, q = 0
    let mut up = router(&[], 0);
    interval(&mut up, 1, 0.4, 0.0);
    let after = 5e4 * (1.0 + SPAN_S / 0.21 * 0.4 * 0.9);
    near(rate(&mut up), after);
    // down: the gain is (R/C) (sample/d) T/d = 0.05 0.5 0.05
    let mut down = router(&[], 0);
    interval(&mut down, 1, 0.1, 0.0);
    let rtt_s = 0.2 - 0.05 * 0.5 * 0.05 * 0.1;
    near(rate(&mut down), 5e4 * (1.0 + SPAN_S / rtt_s * 0.4 * 0.9));
}

#[test]
fn rtts_are_weighed_by_bytes() {
    let mut router = router(&[], 0);
    let ends_s = router.next_tick() as f64 / 1e12;
    let small = PassingPacket { size_bytes: 500, data: true, ecn: Ecn::NotEct };
    router.on_arrival(&DATA, Some(&words(1.0, 0.3)), &port(ends_s - 0.005, 0.0));
    router.on_arrival(&small, Some(&words(1.0, 0.6)), &port(ends_s - 0.005, 0.0));
    router.on_arrival(&DATA, None, &port(ends_s - 0.005, 0.0)); // of another scheme, or without an RTT: counted as traffic only
    router.on_tick(&port(ends_s, 0.0));
    let rtt_s = 0.2 + 0.05 * (0.4 - 0.2);
    near(rate(&mut router), 5e4 * (1.0 + SPAN_S / rtt_s * 0.4 * (1.0 - 0.25)));
}

#[test]
fn a_packet_that_straddles_the_end_is_split() {
    let mut router = router(&[], 0);
    let ends_s = router.next_tick() as f64 / 1e12;
    // 250 us are left: 250 bytes at the line's rate
    router.on_arrival(&DATA, None, &port(ends_s - 0.000_25, 0.0));
    router.on_tick(&port(ends_s, 0.0));
    let first = 5e4 * (1.0 + 0.05 * 0.4 * (1e6 - 25_000.0) / 1e6);
    assert!((rate(&mut router) / first - 1.0).abs() < 1e-9);
    interval(&mut router, 0, 0.0, 0.0);
    let second = first * (1.0 + 0.05 * 0.4 * (1e6 - 75_000.0) / 1e6);
    assert!((rate(&mut router) / second - 1.0).abs() < 1e-9);
}

#[test]
fn updates_come_every_ten_milliseconds_or_every_short_rtt() {
    let mut far = router(&[], 0);
    let first = far.next_tick();
    interval(&mut far, 0, 0.0, 0.0);
    assert_eq!(far.next_tick() - first, 10_000_000_000);
    let mut near_by = router(&[("start_rtt_s", 0.004)], 0);
    let first = near_by.next_tick();
    interval(&mut near_by, 0, 0.0, 0.0);
    assert_eq!(near_by.next_tick() - first, 4_000_000_000);
}

#[test]
fn the_first_update_may_be_normal_around_the_interval() {
    let all: Vec<f64> =
        (0..400).map(|entity| router(&[("first_interval", 1.0)], entity).next_tick() as f64 / 1e12).collect();
    let mean = all.iter().sum::<f64>() / 400.0;
    let spread = (all.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
    // four standard errors
    assert!((mean - SPAN_S).abs() < 4.0 * 0.002 / 20.0, "{mean}");
    assert!((spread - 0.002).abs() < 4.0 * 0.002 / 28.0, "{spread}");
}

#[test]
fn the_first_update_is_the_same_at_all_ports() {
    (0..3).for_each(|entity| assert_eq!(router(&[], entity).next_tick(), 10_000_000_000));
}

#[test]
fn a_packet_keeps_the_least_rate_of_its_path() {
    let mut router = router(&[], 0);
    for (asked, told) in [(f64::INFINITY, 5e4), (6e4, 5e4), (4e4, 4e4)] {
        let mut header = words(asked, 0.1);
        router.on_departure(&DATA, Some(&mut header), &port(0.0, 0.0));
        near(header[word::RATE], told);
    }
    assert_eq!(fold(&words(4e4, 0.1), &words(5e4, 0.1))[word::RATE], 5e4);
}

#[test]
fn a_sender_paces_at_what_it_is_told_and_is_tcp_where_nobody_speaks() {
    let path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1000 };
    let mut window = Window { cwnd: 2.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
    let mut controller = sender::Sender::new(sender::Params::from_values(&[]));
    assert_eq!(controller.header(&path, &window)[..2], [f64::INFINITY, 0.1]);
    controller.on_header(&words(f64::INFINITY, 0.1), 1.0, &path, &mut window);
    let ack = Ack { acked: 1.0, rtt_s: 0.1, cwnd_limited: true, ..Ack::default() };
    controller.on_ack(&ack, &path, &mut window);
    assert_eq!(
        (window.cwnd, window.pace, controller.controls_cwnd_in_recovery()),
        (3.0, f64::INFINITY, false)
    );
    controller.on_header(&words(5e4, 0.1), 1.0, &path, &mut window);
    controller.on_ack(&ack, &path, &mut window);
    assert_eq!((window.pace, controller.controls_cwnd_in_recovery()), (50.0, true));
    assert!(window.cwnd > 1e8); // negligible
}
