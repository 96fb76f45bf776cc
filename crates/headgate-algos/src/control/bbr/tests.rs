use super::*;
use crate::trial::{PATH, RESTART, ack, loss, starting, timeout};

fn params() -> Params {
    Params::default()
}

/// A new flow with a window of ten at an RTT of 100 ms.
fn started() -> (Bbr, Window) {
    let (mut controller, mut window) = (Bbr::new(params()), starting(10.0));
    controller.on_start(0.0, &PATH, &mut window);
    (controller, window)
}

/// The ACK of one segment at `now_s`, on a path of 1000 segments/s with 100 in flight.
fn sample(now_s: f64, delivered: f64) -> Ack {
    let rate = Rate {
        per_s: 1000.0,
        interval_s: 0.1,
        delivered,
        newly: 1.0,
        prior: (delivered - 100.0).max(0.0),
        in_flight: 99.0,
        rtt_s: 0.1,
        ..Rate::default()
    };
    Ack { now_s, rate, ..ack(0.1) }
}

/// A flow in PROBE_BW on that path, at `now_s`.
fn cruising(now_s: f64) -> (Bbr, Window, f64) {
    let (mut controller, mut window) = started();
    let mut delivered = 0.0;
    while delivered < 1000.0 * now_s {
        delivered += 1.0;
        controller.on_ack(&sample(delivered / 1000.0, delivered), &PATH, &mut window);
    }
    (controller, window, delivered)
}

#[test]
fn the_first_pace_doubles_the_window_in_a_round_trip() {
    let (_, window) = started();
    assert!((window.pace - 285.615).abs() < 1e-9); // 2.885 * 0.99 * 10 / 0.1
}

#[test]
fn three_rounds_of_no_more_bandwidth_end_start_up() {
    let (controller, window, _) = cruising(0.95);
    assert_eq!(controller.0.mode, Mode::ProbeBw);
    // one bandwidth-delay product and room for three pairs: 100 + 3 * 2
    assert_eq!(window.ssthresh, 106.0);
}

#[test]
fn the_window_is_two_products_and_room_for_the_ends() {
    let (controller, window, _) = cruising(2.0);
    let probes = if controller.0.phase == 0 { 2.0 } else { 0.0 };
    // 2 * 1000 * 0.1 + 1 of aggregation + 3 * 2, made even
    assert_eq!(window.cwnd, 208.0 + probes);
    assert!((window.pace - 990.0 * CYCLE[controller.0.phase]).abs() < 1e-9);
}

#[test]
fn the_cycle_begins_in_every_phase_but_the_one_that_drains() {
    let (mut controller, _) = started();
    let mut seen = [0; 8];
    for seed in 0..700 {
        controller.0.delivered = f64::from(seed);
        controller.0.enter_probe_bw(0.0);
        seen[controller.0.phase] += 1;
    }
    assert_eq!(seen[1], 0);
    // a seventh of 700 each; five standard deviations of sqrt(700/7 * 6/7) = 9.3
    assert!([0, 2, 3, 4, 5, 6, 7].iter().all(|&phase: &usize| (54..=146).contains(&seen[phase])));
}

#[test]
fn ten_seconds_without_a_smaller_rtt_empty_the_path() {
    let (mut controller, mut window, mut delivered) = cruising(0.95);
    let full = window.cwnd;
    let longer = |now_s, delivered, in_flight| {
        let mut ack = sample(now_s, delivered);
        (ack.rate.rtt_s, ack.rate.in_flight) = (0.12, in_flight);
        ack
    };
    let mut next = |now_s: f64, in_flight| {
        delivered += 1.0;
        controller.on_ack(&longer(now_s, delivered, in_flight), &PATH, &mut window);
        window.cwnd
    };
    assert!(next(10.0, 99.0) > FLOOR);
    assert_eq!(next(10.01, 99.0), FLOOR);
    assert_eq!(next(11.0, 4.0), FLOOR); // the path is empty: 0.2 s from here, and a round trip
    assert_eq!(next(11.1, 4.0), FLOOR);
    (0..110).for_each(|_| assert_eq!(next(11.19, 4.0), FLOOR));
    assert!(next(11.21, 4.0) >= full);
    assert_eq!(controller.0.min_rtt_s, 0.12);
}

#[test]
fn only_a_smaller_rtt_puts_probe_rtt_off() {
    let (mut controller, mut window, mut delivered) = cruising(0.95); // its RTT was 0.1 s from the start
    let mut next = |now_s, rtt_s| {
        delivered += 1.0;
        let mut ack = sample(now_s, delivered);
        ack.rate.rtt_s = rtt_s;
        controller.on_ack(&ack, &PATH, &mut window);
        controller.0.mode == Mode::ProbeRtt
    };
    assert_eq!([5.0, 9.9, 10.1].map(|now_s| next(now_s, 0.1)), [false, false, true]);
    let (mut controller, mut window, delivered) = cruising(0.95);
    for (now_s, rtt_s) in [(5.0, 0.099), (10.1, 0.1), (14.9, 0.1)] {
        let mut ack = sample(now_s, delivered + now_s);
        ack.rate.rtt_s = rtt_s;
        controller.on_ack(&ack, &PATH, &mut window);
        assert_ne!(controller.0.mode, Mode::ProbeRtt);
    }
}

#[test]
fn a_timeout_leaves_the_model_and_brings_the_window_back() {
    let (mut controller, mut window, delivered) = cruising(2.0);
    let (cwnd, bw) = (window.cwnd, controller.0.bw.get());
    window.cwnd = 1.0;
    controller.on_congestion(&timeout(100), &PATH, &mut window);
    let repaired = |after_timeout| Ack { after_timeout, ..sample(2.3, delivered + 1.0) };
    controller.on_ack(&repaired(true), &PATH, &mut window);
    assert_eq!((window.cwnd, controller.0.bw.get()), (FLOOR, bw));
    controller.on_ack(&repaired(false), &PATH, &mut window);
    assert!(window.cwnd >= cwnd - 2.0); // two more while probing
}

#[test]
fn only_a_timeout_counts_the_rounds_of_a_full_pipe_anew() {
    // a round trip is 0.1 s; the next three do not exceed the bandwidth of the first
    for (event, mode) in [(loss(100), Mode::ProbeBw), (timeout(100), Mode::Startup)] {
        let (mut controller, mut window, mut delivered) = cruising(0.25);
        controller.on_congestion(&event, &PATH, &mut window);
        while delivered < 350.0 {
            delivered += 1.0;
            controller.on_ack(&sample(delivered / 1000.0, delivered), &PATH, &mut window);
        }
        assert_eq!(controller.0.mode, mode);
    }
}

#[test]
fn what_leaves_while_the_next_waits_is_not_in_the_network() {
    let (mut controller, _) = started();
    let window = Window { pace: 1000.0, ..starting(100.0) };
    controller.0.bw.update(10.0, 0.0, 1000.0);
    let rate = Rate { wait_s: 0.0055, ..Rate::default() };
    for (gain, expected) in [(1.0, 95.0), (1.25, 97.0), (0.75, 95.0)] {
        controller.0.pacing_gain = gain; // above one, a quantum of two is added
        assert_eq!(controller.0.in_network(100.0, &rate, &PATH, &window), expected);
    }
    assert_eq!(controller.0.in_network(4.0, &rate, &PATH, &window), 0.0);
}

#[test]
fn a_phase_lasts_a_round_trip_and_until_it_has_filled_or_drained() {
    // 1000/s for 0.1 s: a probe fills 125 and room for three pairs, 132; without a probe 106
    for (gain, lasted_s, in_flight, lost, over) in [
        (1.0, 0.09, 99.0, 0.0, false),
        (1.0, 0.1, 99.0, 0.0, false), // it does not end before more than that
        (1.0, 0.11, 99.0, 0.0, true),
        (1.25, 0.11, 128.0, 0.0, false),
        (1.25, 0.11, 129.0, 0.0, true), // including the acknowledged one and a pair that leaves
        (1.25, 0.11, 99.0, 1.0, true),
        (1.25, 0.09, 129.0, 1.0, false),
        (0.75, 0.09, 105.0, 0.0, true),
        (0.75, 0.09, 106.0, 0.0, false),
        (0.75, 0.11, 106.0, 0.0, true),
    ] {
        let (mut controller, _) = started();
        let model = &mut controller.0;
        model.bw.update(10.0, 0.0, 1000.0);
        (model.mode, model.phase, model.pacing_gain) = (Mode::ProbeBw, 2, gain);
        let mut ack = sample(lasted_s, 100.0);
        (ack.rate.in_flight, ack.rate.newly_lost) = (in_flight, lost);
        let window = Window { pace: 1000.0, ..starting(200.0) };
        assert_eq!(model.phase_is_over(&ack, &PATH, &window), over, "{gain} {lasted_s} {in_flight}");
    }
}

#[test]
fn a_cycle_has_eight_phases_of_a_round_trip() {
    let (mut controller, mut window, mut delivered) = cruising(2.0);
    let mut phases = Vec::new();
    for _ in 0..1000 {
        delivered += 1.0;
        let mut ack = sample(delivered / 1000.0, delivered);
        ack.rate.in_flight = 150.0; // the volume that a probe fills, not drained early
        controller.on_ack(&ack, &PATH, &mut window);
        phases.push(controller.0.phase);
    }
    let runs: Vec<_> = phases.chunk_by(|one, other| one == other).collect();
    for pair in runs[1..runs.len() - 1].windows(2) {
        assert!((100..=101).contains(&pair[0].len()) && pair[1][0] == (pair[0][0] + 1) % 8);
    }
}

#[test]
fn start_up_grows_below_its_target_and_for_ten_segments() {
    // 2.885 * 50 * 0.1, up to 15, and three pairs, made even: 22
    for (cwnd, delivered, expected) in
        [(21.0, 500.0, 22.0), (22.0, 500.0, 22.0), (30.0, 9.0, 31.0), (30.0, 10.0, 30.0)]
    {
        let (mut controller, _) = started();
        controller.0.bw.update(10.0, 0.0, 50.0);
        let window = Window { pace: 1000.0, ..starting(cwnd) };
        assert_eq!(controller.0.grown(cwnd, &sample(1.0, delivered), &PATH, &window), expected);
    }
}

#[test]
fn the_small_window_of_a_probe_is_not_the_good_one() {
    for (mode, saved) in [(Mode::ProbeRtt, 100.0), (Mode::ProbeBw, FLOOR)] {
        let (mut controller, mut window) = started();
        controller.0.repair.save(100.0, false);
        (controller.0.mode, controller.0.cwnd) = (mode, FLOOR);
        controller.on_congestion(&loss(4), &PATH, &mut window);
        assert_eq!(controller.0.repair.saved(), saved);
    }
}

#[test]
fn an_undone_loss_starts_the_search_for_a_full_pipe_again() {
    let (mut controller, mut window) = started();
    controller.0.pipe.take(1000.0, true);
    controller.0.pipe.take(1000.0, true);
    controller.on_undo(50.0, &PATH, &mut window);
    for full in [false, false, false, true] {
        controller.0.pipe.take(1000.0, true); // the first one sets the rate for comparison
        assert_eq!(controller.0.pipe.full, full);
    }
}

/// A flow in PROBE_BW that delivers 100 segments per round trip and loses 30 of them, for `rounds` round
/// trips.
fn policed(policer: bool, rounds: u32) -> Bbr {
    let mut controller = Bbr::new(Params { policer, ..params() });
    controller.0.mode = Mode::ProbeBw;
    for round in 0..=rounds {
        (controller.0.delivered, controller.0.lost) = (100.0 * f64::from(round), 30.0 * f64::from(round));
        controller.0.rounds.starts = true;
        controller.0.heed_policer(0.1 * f64::from(round), true, false, &PATH);
    }
    controller
}

#[test]
fn two_equal_intervals_that_lose_a_fifth_are_a_policer_if_one_is_looked_for() {
    assert_eq!(policed(true, 4).0.policer.rate(), None); // one interval of four round trips
    let found = policed(true, 8).0.policer.rate().expect("a policed rate");
    assert!((found - 1000.0).abs() < 1e-6, "{found}"); // 100 segments in 0.1 s
    assert_eq!(policed(false, 8).0.policer.rate(), None);
}

#[test]
fn a_policed_flow_and_probe_rtt_pace_at_the_rate_itself() {
    let mut controller = Bbr::new(params());
    let gains = |controller: &mut Bbr, mode| {
        controller.0.mode = mode;
        (controller.0.gain(), controller.0.cwnd_gain())
    };
    let start = params().startup_gain;
    assert_eq!(gains(&mut controller, Mode::Startup), (start, start));
    assert_eq!(gains(&mut controller, Mode::Drain), (1.0 / start, start));
    assert_eq!(gains(&mut controller, Mode::ProbeRtt), (1.0, 1.0));
    controller.0.phase = 0;
    assert_eq!(gains(&mut controller, Mode::ProbeBw), (1.25, 2.0));
    let mut controller = policed(true, 8);
    controller.0.phase = 0;
    assert_eq!(gains(&mut controller, Mode::ProbeBw), (1.0, 2.0));
    assert_eq!(controller.0.pacing_gain, 1.0);
}

#[test]
fn after_an_idle_time_probe_bw_paces_without_a_gain() {
    let (mut controller, mut window) = started();
    (controller.0.mode, controller.0.phase, window.pace) = (Mode::ProbeBw, 0, 1250.0);
    controller.0.bw.update(10.0, 0.0, 1000.0);
    controller.on_restart(&RESTART, &PATH, &mut window);
    assert_eq!(window.pace, 990.0); // 1 % below the bandwidth
    controller.0.mode = Mode::Startup;
    window.pace = 2885.0;
    controller.on_restart(&RESTART, &PATH, &mut window);
    assert_eq!(window.pace, 2885.0);
}

#[test]
fn an_idle_time_stands_in_for_a_probe_of_the_rtt() {
    for (idle, mode) in [(true, Mode::ProbeBw), (false, Mode::ProbeRtt)] {
        let (mut controller, mut window) = started();
        controller.0.mode = Mode::ProbeBw;
        if idle {
            controller.on_restart(&RESTART, &PATH, &mut window);
        }
        let rate = Rate { newly: 1.0, delivered: 101.0, rtt_s: 0.2, in_flight: 9.0, ..Rate::default() };
        controller.0.take_rtt(&Ack { now_s: 20.0, rate, ..ack(0.2) }, &mut window);
        assert_eq!((controller.0.mode, controller.0.min_rtt_s), (mode, 0.2), "{idle}"); // the old one is 10 s old
        assert!(!controller.0.restarts);
    }
}
