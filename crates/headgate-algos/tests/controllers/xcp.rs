//! XCP's router and sender, computed by hand.

use headgate_algos::scheme::xcp::{fold, router, sender, word};
use headgate_model::chance::Stream;
use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::{Feedback, PassingPacket, Words};
use headgate_model::queue::Backlog;

use crate::drive::{near, values};

const DATA: PassingPacket = PassingPacket { size_bytes: 1000, data: true, ecn: Ecn::NotEct };
/// 8 Mbit/s.
const LINE: f64 = 1e6;
/// The first estimate covers this time by its counts, whenever its timer expires.
const SPAN_S: f64 = 0.05;

fn header(cwnd: f64, rtt_s: f64, change: f64) -> Words {
    let mut words = Words::default();
    (words[word::SPACING], words[word::RTT], words[word::CHANGE]) = (rtt_s / cwnd, rtt_s, change);
    words
}

fn request(cwnd: f64, rtt_s: f64) -> Words {
    header(cwnd, rtt_s, f64::INFINITY)
}

fn port(held_bytes: f64) -> Backlog {
    let present = held_bytes / 1000.0;
    Backlog {
        packets: present,
        present,
        bytes: held_bytes,
        held_bytes,
        rate_bytes_s: LINE,
        ..Backlog::default()
    }
}

fn router(changes: &[(&str, f64)]) -> router::Router {
    let params = router::Params::from_values(&values(router::Params::TABLE, changes));
    router::Router::new(params, LINE, Stream::new(1, "test", 0))
}

/// The router's sum of changes, bytes/s.
fn wanted(router: &router::Router) -> f64 {
    router.gauge().expect("it shows it").1 / 8.0
}

/// A router after its first estimate, from `packets` arrivals with this header and an empty queue.
fn estimated(changes: &[(&str, f64)], packets: u32, words: Words) -> router::Router {
    let mut router = router(changes);
    (0..packets).for_each(|_| router.on_arrival(&DATA, Some(&words), &port(0.0)));
    for _ in 0..20 {
        if wanted(&router) == 0.0 {
            router.on_tick(&port(0.0));
        }
    }
    router
}

/// The change that a packet receives.
fn told(router: &mut router::Router, words: Words) -> f64 {
    let mut words = words;
    router.on_departure(&DATA, Some(&mut words), &port(0.0));
    words[word::CHANGE]
}

#[test]
fn spare_capacity_is_shared_by_spacing_and_traffic_is_moved_by_size() {
    // 45 packets: 0.9 of the line. F = 0.4 (1e6 - 9e5) = 4e4, h = 0.1 9e5 - 4e4 = 5e4.
    let mut router = estimated(&[], 45, request(5.0, 0.05));
    near(wanted(&router), 4e4);
    // X = 0.01 each: gain 9e4/45, cut 5e4/45
    near(told(&mut router, request(5.0, 0.05)), 4e4 / 45.0);
    // a flow with half the window and the same RTT has X = 0.02: twice the increase per packet
    near(told(&mut router, request(2.5, 0.05)), (2.0 * 9e4 - 5e4) / 45.0);
}

#[test]
fn too_much_traffic_is_cut_by_size() {
    // 75 packets: 1.5 of the line. F = -2e5; h = 0, since 0.1 1.5e6 < 2e5.
    let mut router = estimated(&[], 75, request(5.0, 0.05));
    near(wanted(&router), -2e5);
    for cwnd in [1.0, 5.0, 50.0] {
        near(told(&mut router, request(cwnd, 0.05)), -2e5 / 75.0);
    }
}

#[test]
fn acks_count_as_traffic_and_tell_of_no_rtt() {
    let mut router = router(&[]);
    router.on_arrival(&DATA, Some(&request(5.0, 0.2)), &port(0.0));
    let ack = PassingPacket { size_bytes: 40, data: false, ecn: Ecn::NotEct };
    (0..100).for_each(|_| router.on_arrival(&ack, None, &port(0.0)));
    while wanted(&router) == 0.0 {
        router.on_tick(&port(0.0));
    }
    near(wanted(&router), 0.4 * (LINE - 5000.0 / SPAN_S));
}

#[test]
fn the_persistent_queue_is_drained_over_a_mean_rtt() {
    let mut router = router(&[]);
    for _ in 0..20 {
        // 40 packets of RTT 0.1 and 0.3 in an interval; X is equal, so that d = 0.2 and F covers 0.2 s
        for rtt_s in [0.1, 0.3] {
            let words = request(rtt_s / 0.01, rtt_s);
            (0..20).for_each(|_| router.on_arrival(&DATA, Some(&words), &port(7000.0)));
            let mut words = words;
            router.on_departure(&DATA, Some(&mut words), &port(5000.0));
        }
        router.on_tick(&port(6000.0));
    }
    // the queue is sampled at least twice per interval, each time after a departure that left 5000 and took
    // 1000
    let arrivals = (0.4 * LINE - 0.226 * 6000.0 / 0.2 - wanted(&router)) / 0.4 * 0.2;
    let batches = arrivals / 40_000.0;
    assert!((batches - batches.round()).abs() < 1e-6, "{batches}");
}

#[test]
fn a_line_that_was_idle_has_no_persistent_queue() {
    let mut router = router(&[]);
    for _ in 0..20 {
        router.on_arrival(&DATA, Some(&request(5.0, 0.05)), &port(0.0)); // found it idle
        (0..5).for_each(|_| {
            told(&mut router, request(5.0, 0.05));
        });
        router.on_tick(&port(9000.0));
    }
    let packets = (0.4 * LINE - wanted(&router)) / 0.4 * 0.05 / 1000.0;
    assert!((packets - packets.round()).abs() < 1e-6, "{packets}");
}

#[test]
fn a_first_packet_gets_no_feedback_but_an_answer() {
    let mut router = estimated(&[], 45, request(5.0, 0.05));
    near(told(&mut router, request(2.0, 0.0)), 0.0);
}

#[test]
fn long_rtts_count_as_a_second() {
    let words = request(500.0, 5.0);
    let mut router = estimated(&[], 45, words);
    near(wanted(&router), 4e4); // and the next interval lasts 1 s
    (0..45).for_each(|_| router.on_arrival(&DATA, Some(&words), &port(0.0)));
    while (wanted(&router) - 4e4).abs() < 1e-6 {
        router.on_tick(&port(0.0));
    }
    near(wanted(&router), 0.4 * (LINE - 45_000.0));
}

#[test]
fn what_is_not_taken_is_given_back() {
    // F = 4e4, gain 9e4, cut 5e4 in all: 2000 and 1111.1 for a packet, 888.9 net
    let (gain, cut) = (9e4 / 45.0, 5e4 / 45.0);
    let mut router = estimated(&[], 45, request(5.0, 0.05));
    // another router allows only 200: here 688.9 more are charged as a reduction, and the whole increase
    near(told(&mut router, header(5.0, 0.05, 200.0)), 200.0);
    let (mut gains, mut cuts) = (9e4 - gain, 5e4 - (gain - 200.0));
    // then packets receive the same change until the reduction is used up
    while cuts >= cut {
        near(told(&mut router, request(5.0, 0.05)), gain - cut);
        (gains, cuts) = (gains - gain, cuts - cut);
    }
    near(told(&mut router, request(5.0, 0.05)), gain - cuts);
    gains -= gain;
    while gains >= gain + 1e-6 {
        near(told(&mut router, request(5.0, 0.05)), gain); // nothing is cut any more
        gains -= gain;
    }
    near(told(&mut router, request(5.0, 0.05)), gains.max(0.0));
    near(told(&mut router, request(5.0, 0.05)), 0.0);
}

#[test]
fn a_foreign_cut_is_charged_as_the_text_says() {
    let (gain, cut) = (9e4 / 45.0, 5e4 / 45.0);
    for (form, charged) in [(0.0, gain + 300.0), (1.0, gain - cut + 300.0)] {
        let mut router = estimated(&[("form", form)], 45, request(5.0, 0.05));
        near(told(&mut router, header(5.0, 0.05, -300.0)), -300.0);
        let rest: f64 = 5e4 - charged;
        let whole = (rest / cut).floor();
        (0..whole as u32).for_each(|_| near(told(&mut router, request(5.0, 0.05)), gain - cut));
        near(told(&mut router, request(5.0, 0.05)), gain - (rest - whole * cut));
    }
}

/// Numbers without order (Knuth's constants).
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as f64 / (1u64 << 31) as f64
}

#[test]
fn no_more_is_handed_out_than_the_budget_has() {
    let mut state = 1;
    for run in 0..300 {
        let packets = 1 + (next(&mut state) * 100.0) as u32;
        let mut router = estimated(&[], packets, request(5.0, 0.05));
        let arrivals = f64::from(packets) * 1000.0 / SPAN_S;
        let budget = wanted(&router).max(0.0) + (0.1 * arrivals - wanted(&router).abs()).max(0.0);
        let (mut positive, mut net) = (0.0, 0.0);
        for _ in 0..5 * packets {
            let (cwnd, rtt_s) = (1.0 + 30.0 * next(&mut state), 0.01 + next(&mut state));
            // in every second run another router precedes this one
            let upstream = if run % 2 == 0 { f64::INFINITY } else { 8000.0 * (next(&mut state) - 0.5) };
            let change = told(&mut router, header(cwnd, rtt_s, upstream));
            assert!(change <= upstream);
            net += change;
            positive += if upstream.is_finite() { 0.0 } else { change.max(0.0) };
        }
        assert!(positive <= budget * (1.0 + 1e-12) && net <= budget * (1.0 + 1e-12) + 1e-6);
    }
}

#[test]
fn timers_may_begin_at_random() {
    let first = |entity| {
        let params = router::Params::from_values(&values(router::Params::TABLE, &[("first_interval", 1.0)]));
        router::Router::new(params, LINE, Stream::new(1, "test", entity)).next_tick() as f64 / 1e12
    };
    let all: Vec<f64> = (0..200).map(first).collect();
    // the earlier of two times, each 50 ms with a deviation of 10 ms: mean 50 - 10/sqrt(pi)
    let mean = all.iter().sum::<f64>() / 200.0;
    assert!((mean - 0.0444).abs() < 0.002, "{mean}");
    assert!(all.iter().all(|&s| s >= 0.004));
}

#[test]
fn timers_of_all_ports_begin_alike() {
    for entity in 0..3 {
        let params = router::Params::from_values(&values(router::Params::TABLE, &[]));
        let router = router::Router::new(params, LINE, Stream::new(1, "test", entity));
        assert_eq!(router.next_tick(), 50_000_000_000);
    }
}

#[test]
fn a_queue_is_looked_for_twice_in_the_rtt_less_its_own_time() {
    // held for 20 of 50 ms: every 15 ms; the paper's form samples once in 30 ms. Estimates follow every 50 ms
    for (form, held_bytes, look_s) in [(0.0, 0.0, 0.025), (0.0, 20_000.0, 0.015), (1.0, 20_000.0, 0.03)] {
        let mut router = router(&[("form", form)]);
        let mut ticks = 0.0;
        while router.next_tick() < 3_000_000_000_000 {
            router.on_tick(&port(held_bytes));
            ticks += 1.0;
        }
        let expected = 3.0 / look_s + 3.0 / 0.05;
        assert!((ticks - expected + 3.0_f64).abs() < 3.5, "{ticks} {expected}"); // the first come later
    }
}

const PATH: Path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1000 };

fn sender() -> (sender::Sender, Window) {
    priced(1.0)
}

fn priced(price: f64) -> (sender::Sender, Window) {
    let window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pace: f64::INFINITY };
    (sender::Sender::new(sender::Params::from_values(&[price])), window)
}

fn ack() -> Ack {
    Ack { acked: 1.0, rtt_s: 0.1, cwnd_limited: true, ..Ack::default() }
}

#[test]
fn the_window_moves_by_the_change_over_a_round_trip() {
    let (mut controller, mut window) = sender();
    assert_eq!(controller.header(&PATH, &window)[..3], [0.01, 0.1, f64::INFINITY]);
    controller.on_header(&header(10.0, 0.1, 5000.0), 1.0, &PATH, &mut window);
    controller.on_ack(&ack(), &PATH, &mut window); // no slow start
    near(window.cwnd, 10.5);
    controller.on_header(&header(10.0, 0.1, -1e6), 1.0, &PATH, &mut window);
    near(window.cwnd, 1.0);
}

#[test]
fn a_flow_that_pays_more_tells_of_a_wider_spacing() {
    let (mut controller, window) = priced(3.0);
    near(controller.header(&PATH, &window)[word::SPACING], 0.03);
}

#[test]
fn without_a_router_that_answers_it_is_tcp() {
    let (mut controller, mut window) = sender();
    controller.on_header(&request(10.0, 0.1), 1.0, &PATH, &mut window);
    controller.on_ack(&ack(), &PATH, &mut window);
    near(window.cwnd, 11.0);
}

#[test]
fn a_loss_halves_while_feedback_goes_on() {
    let (mut controller, mut window) = sender();
    controller.on_header(&header(10.0, 0.1, 0.0), 1.0, &PATH, &mut window);
    controller.on_congestion(
        &Congestion { cause: Cause::Loss, now_s: 1.0, in_flight: 10 },
        &PATH,
        &mut window,
    );
    near(window.ssthresh, 5.0);
    controller.on_header(&header(10.0, 0.1, 5000.0), 1.0, &PATH, &mut window);
    near(window.ssthresh, 5.5); // the window at the end of the repair
    controller.on_recovered(1.1, &PATH, &mut window);
    controller.on_header(&header(10.0, 0.1, 5000.0), 1.0, &PATH, &mut window);
    near(window.ssthresh, 5.5);
}

#[test]
fn a_delayed_ack_brings_both_changes() {
    let both = fold(&header(5.0, 0.1, 300.0), &header(4.0, 0.2, -100.0));
    assert_eq!(both[..3], [0.05, 0.2, 200.0]);
}
