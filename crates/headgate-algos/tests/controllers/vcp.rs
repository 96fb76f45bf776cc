//! VCP's router and sender, computed by hand.

use headgate_algos::scheme::vcp::{fold, format, router, sender, word};
use headgate_model::chance::Stream;
use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::{Feedback, PassingPacket};
use headgate_model::queue::Backlog;

use crate::drive::values;

/// 100 ms, 1500 B.
const PATH: Path = Path { srtt_s: 0.1, min_rtt_s: 0.1, segment_bytes: 1500 };

/// 8 Mbit/s: 200 000 bytes in a period, of which the target is 196 000.
const LINE: f64 = 1e6;
const AIM: f64 = 196_000.0;

fn sender(own: &[(&str, f64)]) -> sender::Sender {
    sender::Sender::new(sender::Params::from_values(&values(sender::Params::TABLE, own)))
}

fn router(own: &[(&str, f64)]) -> router::Router {
    let params = router::Params::from_values(&values(router::Params::TABLE, own));
    router::Router::new(params, LINE, Stream::new(1, "router", 0))
}

/// A period with this number of bytes, and that queue at every sample.
fn period(router: &mut router::Router, bytes: f64, waiting: f64) {
    let packets = if waiting > 0.0 { 1.0 } else { 0.0 };
    let port = Backlog { bytes: waiting, packets, rate_bytes_s: LINE, ..Backlog::default() };
    router.on_arrival(&PassingPacket { size_bytes: bytes as u32, data: true, ecn: Ecn::NotEct }, None, &port);
    (0..20).for_each(|_| router.on_tick(&port));
}

fn load(router: &router::Router) -> f64 {
    router.gauge().expect("a load").1
}

/// Returns the load that a packet carries away.
fn written(router: &mut router::Router, format: f64, before: f64) -> f64 {
    let mut words = [format, before, 0.0, 0.0];
    router.on_departure(
        &PassingPacket { size_bytes: 1000, data: true, ecn: Ecn::NotEct },
        Some(&mut words),
        &Backlog::default(),
    );
    words[word::LOAD]
}

#[test]
fn the_load_is_what_came_over_what_is_aimed_at() {
    let mut router = router(&[]);
    period(&mut router, 98_000.0, 0.0);
    assert_eq!(load(&router), 0.5);
    period(&mut router, 0.0, 0.0);
    assert_eq!(load(&router), 0.0);
}

#[test]
fn the_queue_counts_half_and_is_smoothed() {
    let mut router = router(&[]);
    period(&mut router, 0.0, 16_000.0);
    assert!((load(&router) - 0.5 * 4_000.0 / AIM).abs() < 1e-12);
    period(&mut router, 0.0, 16_000.0); // 3/4 of 4000 and 1/4 of 16 000
    assert!((load(&router) - 0.5 * 7_000.0 / AIM).abs() < 1e-12);
}

#[test]
fn a_packet_in_service_is_no_queue() {
    let mut router = router(&[]);
    let port = Backlog { bytes: 500.0, rate_bytes_s: LINE, ..Backlog::default() };
    (0..20).for_each(|_| router.on_tick(&port));
    assert_eq!(load(&router), 0.0);
}

#[test]
fn ticks_come_every_10_ms_and_the_measure_every_200() {
    let mut router = router(&[]);
    let port = Backlog { rate_bytes_s: LINE, ..Backlog::default() };
    router.on_arrival(&PassingPacket { size_bytes: 1000, data: true, ecn: Ecn::NotEct }, None, &port);
    for tick in 1..=20u64 {
        assert_eq!((router.next_tick(), load(&router)), (tick * 10_000_000_000, 0.0));
        router.on_tick(&port);
    }
    assert!(load(&router) > 0.0);
}

/// The code of a router at that load.
fn code_at(load: f64, format: f64, own: &[(&str, f64)]) -> f64 {
    let mut router = router(own);
    period(&mut router, (load * AIM).round(), 0.0);
    written(&mut router, format, 0.0)
}

#[test]
fn codes_change_at_80_and_100_per_cent() {
    for (load, code) in [(0.0, 1.0), (0.7999, 1.0), (0.8, 2.0), (0.9999, 2.0), (1.0, 3.0), (1.7, 3.0)] {
        assert_eq!(code_at(load, format::TWO_BITS, &[]), code, "{load}");
    }
}

#[test]
fn the_authors_code_rounds_up_to_the_next_per_cent() {
    for (load, code) in [(0.7899, 1.0), (0.7901, 2.0), (0.9899, 2.0), (0.9901, 3.0)] {
        assert_eq!(code_at(load, format::TWO_BITS, &[("rounding", 1.0)]), code, "{load}");
    }
}

#[test]
fn a_sixteenth_of_the_last_periods_queue_counts_in_the_released_code() {
    let mut router = router(&[("average", 1.0)]);
    for waiting in [16_000.0, 32_000.0] {
        period(&mut router, 0.0, waiting);
        assert!((load(&router) - 0.5 * waiting / 16.0 / AIM).abs() < 1e-12);
    }
}

/// 8 Mbit/s belongs to the class of 10 Mbit/s, whose target is 96 %: gamma after these numbers of periods at
/// each utilisation.
fn gammas<const N: usize>(gamma: f64, periods: [(u32, f64); N]) -> [f64; N] {
    let mut router = router(&[("gamma", gamma), ("target", 1.0)]);
    let mut next_is = |used: f64| {
        period(&mut router, (used * 200_000.0).round(), 0.0);
        used / load(&router)
    };
    periods.map(|(count, used)| (0..count).map(|_| next_is(used)).last().expect("a period"))
}

#[test]
fn the_moving_target_steps_after_ten_periods_until_the_use_is_96_per_cent() {
    // the tenth period is still measured with the old gamma
    let seen = gammas(0.95, [(10, 0.9), (1, 0.97), (10, 0.97), (10, 0.96), (10, 0.96)]);
    for (ours, due) in seen.iter().zip([0.95, 0.954, 0.950, 0.946, 0.946]) {
        assert!((ours - due).abs() < 1e-9, "{seen:?}");
    }
}

#[test]
fn the_target_stays_between_a_tenth_and_0_999() {
    let [high] = gammas(0.99, [(101, 0.5)]);
    let [low] = gammas(0.11, [(101, 2.0)]);
    assert!((high - 0.999).abs() < 1e-9 && (low - 0.1).abs() < 1e-9, "{high} {low}");
}

#[test]
fn faster_lines_aim_higher_in_smaller_steps() {
    // bit/s, and the smallest of these utilisations at which gamma falls
    let classes = [
        (660e3, 0.95, 0.005),
        (6.5e6, 0.95, 0.005),
        (6.7e6, 0.97, 0.004),
        (65e6, 0.97, 0.004),
        (150e6, 0.98, 0.003),
        (1e9, 0.99, 0.002),
        (5e9, 0.99, 0.002),
    ];
    for (rate_bps, falls, step) in classes {
        let after = |used: f64| {
            let mut router = router(&[("gamma", 0.9), ("target", 1.0)]);
            let port = Backlog { rate_bytes_s: rate_bps / 8.0, ..Backlog::default() };
            for _ in 0..11 {
                let (mut left, most) = (used * rate_bps / 40.0, f64::from(u32::MAX));
                while left > 0.0 {
                    let size_bytes = left.min(most).round() as u32;
                    router.on_arrival(
                        &PassingPacket { size_bytes, data: true, ecn: Ecn::NotEct },
                        None,
                        &port,
                    );
                    left -= most;
                }
                (0..20).for_each(|_| router.on_tick(&port));
            }
            used / load(&router)
        };
        for (used, gamma) in [(falls - 0.02, 0.9 + step), (falls, 0.9 - step)] {
            let ours = after(used);
            assert!((ours / gamma - 1.0).abs() < 1e-3, "{rate_bps} at {used}: {ours} for {gamma}");
        }
    }
}

#[test]
fn codes_are_raised_only() {
    let mut router = router(&[]);
    period(&mut router, 0.9 * AIM, 0.0);
    let after = [0.0, 1.0, 2.0, 3.0].map(|before| written(&mut router, format::TWO_BITS, before));
    assert_eq!(after, [2.0, 2.0, 2.0, 3.0]);
}

#[test]
fn eight_bits_have_steps_of_a_256th_above_80_per_cent() {
    let at = |load| code_at(load, format::EIGHT_BITS, &[]);
    assert_eq!([0.0, 0.8, 0.8 + 1.0 / 300.0, 0.9, 5.0].map(at), [1.0, 1.0, 2.0, 27.0, 255.0]);
}

#[test]
fn a_router_without_load_has_still_answered() {
    for format in [0.0, 1.0, 2.0] {
        assert!(written(&mut router(&[]), format, 0.0) > 0.0);
    }
}

#[test]
fn an_ack_for_two_packets_tells_of_the_worse() {
    assert_eq!(fold(&[0.0, 3.0, 0.0, 0.0], &[0.0, 1.0, 0.0, 0.0])[word::LOAD], 3.0);
}

fn avoiding(cwnd: f64) -> Window {
    Window { cwnd, ssthresh: 2.0, pace: f64::INFINITY }
}

fn starting(cwnd: f64) -> Window {
    Window { ssthresh: f64::INFINITY, ..avoiding(cwnd) }
}

/// An ACK of one segment, of a flow that its window limits.
fn ack(now_s: f64, rtt_s: f64) -> Ack {
    Ack { now_s, acked: 1.0, rtt_s, cwnd_limited: true, ..Ack::default() }
}

fn at_rtt(rtt_s: f64) -> Path {
    Path { srtt_s: rtt_s, min_rtt_s: rtt_s, ..PATH }
}

/// Delivers one ACK after a header.
fn hear(controller: &mut sender::Sender, said: f64, now_s: f64, path: &Path, window: &mut Window) {
    controller.on_header(&[0.0, said, 0.0, 0.0], now_s, path, window);
    controller.on_ack(&ack(now_s, path.srtt_s), path, window);
}

fn change(own: &[(&str, f64)], said: f64, rtt_s: f64) -> f64 {
    let mut window = avoiding(100.0);
    hear(&mut sender(own), said, 1.0, &at_rtt(rtt_s), &mut window);
    window.cwnd - 100.0
}

fn close(ours: f64, expected: f64) {
    assert!((ours - expected).abs() < 1e-9, "{ours} for {expected}");
}

#[test]
fn low_load_multiplies_by_one_and_a_sixteenth_in_a_period() {
    close(change(&[], 1.0, 0.2), 0.0625);
    close(change(&[], 1.0, 0.1), 1.0625f64.sqrt() - 1.0);
    close(change(&[], 1.0, 0.4), 1.0625 * 1.0625 - 1.0);
    close(change(&[("scaling", 1.0)], 1.0, 0.4), 0.0625);
    close(change(&[("xi", 1.0)], 1.0, 0.2), 1.0);
}

#[test]
fn the_increase_of_long_rtts_is_bounded() {
    close(change(&[], 1.0, 10.0), 1.0);
    close(change(&[("variant", 1.0)], 1.0, 10.0), 1.0625f64.powf(2.5) - 1.0);
}

#[test]
fn high_load_adds_with_the_square_of_the_rtt() {
    close(change(&[], 2.0, 0.2), 0.01);
    close(change(&[], 2.0, 0.1), 0.01 / 4.0);
    close(change(&[("scaling", 1.0)], 2.0, 0.1), 0.01);
}

#[test]
fn the_authors_code_scales_to_100_ms_between_20_and_500() {
    for (rtt_s, added) in [(0.01, 0.02), (0.02, 0.04), (0.1, 1.0), (0.2, 4.0), (0.5, 25.0), (1.0, 30.0)] {
        close(change(&[("variant", 1.0)], 2.0, rtt_s), added / 100.0);
    }
}

/// The increase of that window by an ACK.
fn added_to(cwnd: f64, own: &[(&str, f64)], said: f64, rtt_s: f64) -> f64 {
    let mut window = avoiding(cwnd);
    hear(&mut sender(own), said, 1.0, &at_rtt(rtt_s), &mut window);
    window.cwnd - cwnd
}

#[test]
fn the_released_code_caps_what_an_ack_adds_by_the_window() {
    let released = [("variant", 2.0)];
    // (0.5 s/0.1 s)^2 = 25 packets per RTT, more than the caps except at 10^4 (0.0025)
    for (cwnd, most) in [(1.0, 0.1), (10.0, 0.06), (100.0, 0.04), (1e3, 0.02), (1e4, 25e-4)] {
        close(added_to(cwnd, &released, 2.0, 0.5), most);
    }
    close(added_to(1e6, &[released[0], ("alpha", 1000.0)], 2.0, 0.5), 0.004);
    close(added_to(10f64.powf(1.5), &released, 2.0, 0.5), (0.06f64 * 0.04).sqrt());
    close(added_to(1.0, &released, 2.0, 0.02), 0.04); // below the cap
    close(added_to(1.0, &[("variant", 1.0)], 2.0, 0.5), 25.0);
}

#[test]
fn the_released_code_caps_xi_by_the_window() {
    let wild = [("variant", 2.0), ("xi", 1.0)];
    for (cwnd, most) in [(1.0, 1.0), (10.0, 0.5), (100.0, 0.2), (1e3, 0.1), (1e4, 0.064), (1e7, 0.024)] {
        close(added_to(cwnd, &wild, 1.0, 0.2), most);
    }
    close(added_to(10f64.powf(1.5), &wild, 1.0, 0.2), 0.35); // half way from 0.5 to 0.2
    close(added_to(1e3, &[("variant", 2.0)], 1.0, 0.2), 0.0625);
    close(added_to(1e5, &[("variant", 2.0)], 1.0, 0.2), 0.044);
}

#[test]
fn whatever_routers_say_the_released_code_adds_no_more_than_its_tables_allow() {
    let (mut chance, mut now_s) = (Stream::new(5, "loads", 0), 0.0);
    let (mut controller, mut window) = (sender(&[("variant", 2.0), ("xi", 1.0)]), avoiding(2.0));
    for _ in 0..20_000 {
        let (said, rtt_s, before) = (1.0 + chance.below(3) as f64, chance.exponential(0.3), window.cwnd);
        now_s += chance.exponential(0.05);
        hear(&mut controller, said, now_s, &at_rtt(rtt_s), &mut window);
        let grown = window.cwnd - before;
        // low load: xi of the window for at most 2.5 periods, and never faster than slow start
        let most = if said == 1.0 { 1.0 } else { 0.1 };
        assert!(window.cwnd >= 1.0 && grown <= most + 1e-9, "{said}: {before} by {grown}");
        window.cwnd = window.cwnd.min(1e6);
    }
}

#[test]
fn overload_takes_an_eighth_and_leaves_one() {
    close(change(&[], 3.0, 0.1), -12.5);
    let mut window = avoiding(1.0);
    hear(&mut sender(&[]), 3.0, 1.0, &PATH, &mut window);
    assert_eq!(window.cwnd, 1.0);
}

/// Windows after an overload at 1 s and then one code at each of these times; the RTT is 100 ms.
fn after_overload(own: &[(&str, f64)], said: f64, times_s: [f64; 4]) -> [f64; 4] {
    let (mut controller, mut window) = (sender(own), avoiding(100.0));
    hear(&mut controller, 3.0, 1.0, &PATH, &mut window);
    times_s.map(|now_s| {
        let before = window.cwnd;
        hear(&mut controller, said, now_s, &PATH, &mut window);
        (window.cwnd - before) / before
    })
}

#[test]
fn after_a_decrease_it_rests_for_a_period_then_adds_for_an_rtt() {
    let [at_once, late, adds, free] = after_overload(&[], 3.0, [1.01, 1.19, 1.21, 1.31]);
    assert_eq!((at_once, late), (0.0, 0.0));
    close(adds, 0.25 / 87.5 / 87.5);
    close(free, -0.125);
}

#[test]
fn by_the_code_other_codes_count_at_once() {
    let [first, ..] = after_overload(&[("variant", 1.0)], 1.0, [1.01, 1.19, 1.21, 1.31]);
    assert!(first > 0.0);
    let [first, _, adds, _] = after_overload(&[], 1.0, [1.01, 1.19, 1.21, 1.31]);
    assert_eq!(first, 0.0);
    close(adds, 0.25 / 87.5 / 87.5);
}

#[test]
fn finer_feedback_adds_and_multiplies_at_any_load() {
    let exact = [("feedback", 2.0)];
    close(change(&exact, 0.5, 0.2), 0.0625 + 0.01);
    close(change(&exact, 1.0, 0.2), 0.01);
    close(change(&exact, 1.25, 0.2), -0.05 + 0.01);
    close(change(&exact, 1.25, 0.4), 0.95 * 0.95 - 1.0 + 0.04);
    close(change(&[("feedback", 1.0)], 1.0, 0.2), 0.0625 + 0.01);
    close(change(&[("feedback", 1.0)], 65.0, 0.2), 0.25 * (1.0 / 1.05 - 1.0) + 0.01);
}

#[test]
fn a_window_that_does_not_limit_falls_but_does_not_grow() {
    let (mut controller, mut window) = (sender(&[]), avoiding(100.0));
    for (said, cwnd) in [(1.0, 100.0), (2.0, 100.0), (3.0, 87.5)] {
        controller.on_header(&[0.0, said, 0.0, 0.0], 1.0, &PATH, &mut window);
        controller.on_ack(&Ack { cwnd_limited: false, ..ack(1.0, 0.1) }, &PATH, &mut window);
        assert_eq!(window.cwnd, cwnd);
    }
}

#[test]
fn small_windows_of_long_rtts_are_paced() {
    let pace = |cwnd, rtt_s| {
        let (mut controller, mut window) = (sender(&[]), starting(cwnd));
        controller.on_header(&[0.0, 1.0, 0.0, 0.0], 1.0, &at_rtt(rtt_s), &mut window);
        window.pace
    };
    assert_eq!((pace(5.0, 1.0), pace(2.0, 1.0)), (8.0, 2.0));
    assert!(pace(1.0, 1.0).is_infinite() && pace(9.0, 1.0).is_infinite());
    assert!(pace(2.0, 0.2).is_infinite() && pace(65.0, 100.0).is_infinite());
}

#[test]
fn a_loss_halves() {
    let mut window = avoiding(100.0);
    let loss = Congestion { cause: Cause::Loss, now_s: 1.0, in_flight: 100 };
    sender(&[]).on_congestion(&loss, &PATH, &mut window);
    assert_eq!(window.ssthresh, 50.0);
}

#[test]
fn where_no_router_answers_it_is_tcp() {
    let (mut controller, mut window) = (sender(&[]), starting(10.0));
    hear(&mut controller, 0.0, 1.0, &PATH, &mut window);
    assert_eq!(window.cwnd, 11.0);
    window.ssthresh = 11.0;
    hear(&mut controller, 0.0, 1.0, &PATH, &mut window);
    close(window.cwnd, 11.0 + 1.0 / 11.0);
}
