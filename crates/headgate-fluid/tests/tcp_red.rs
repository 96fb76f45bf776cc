//! The model of the study `tcp-red`: its equilibrium, its invariants, and the rows of its source.

use headgate_fluid::models::{build, cards};
use headgate_fluid::past::Between;
use headgate_fluid::solve::{Method, solve};
use headgate_fluid::summary::{OutputColumns, output_columns, statistics};

const ADAPTIVE: Method = Method::Adaptive { relative: 1e-6, absolute: 1e-9, most_s: f64::INFINITY };
const PUBLISHED: Method = Method::Euler { step_s: 0.02, between: Between::Rows };

fn values(changes: &[(&str, f64)]) -> Vec<f64> {
    let card = cards().iter().find(|card| card.name == "tcp-red").expect("the card");
    let value = |name: &str, default: f64| {
        changes.iter().find(|(changed, _)| *changed == name).map_or(default, |(_, value)| *value)
    };
    card.params.iter().map(|param| value(param.name, param.default)).collect()
}

fn shown(
    changes: &[(&str, f64)],
    method: &Method,
    every_s: f64,
    (from_s, end_s): (f64, f64),
) -> OutputColumns {
    let index = cards().iter().position(|card| card.name == "tcp-red").expect("the card");
    let model = build(index, &values(changes));
    output_columns(&*model, &solve(&*model, method, end_s).expect("a solution"), every_s, from_s)
}

/// W' = 0 and S = C: with W = C R, `(1 - p)/W = beta W p`.
#[test]
fn with_little_delay_it_comes_to_rest_where_both_slopes_vanish() {
    // RED uses the present queue, with a profile flat enough to be stable.
    let changes = [("red", 1.0), ("min_packets", 0.0), ("max_packets", 1000.0), ("buffer_packets", 1000.0)];
    let shown = shown(&changes, &ADAPTIVE, 1.0, (400.0, 400.0));
    let [window, rtt_s, rate] = [0, 1, 2].map(|column| shown.classes[0][column][0]);
    let p = shown.links[0][2][0];
    assert!((rate - 30.0).abs() < 1e-4, "{rate}");
    assert!((window - 30.0 * rtt_s).abs() < 1e-4);
    assert!(((1.0 - p) / window - 0.5 * window * p).abs() < 1e-6);
    assert!((window - ((1.0 - p) / (0.5 * p)).sqrt()).abs() < 1e-3); // the response of the card
}

#[test]
fn the_queue_stays_within_its_buffer_and_the_link_within_its_rate() {
    for method in [ADAPTIVE, PUBLISHED] {
        let changes = [("buffer_packets", 15.0), ("min_packets", 14.0), ("max_packets", 16.0)];
        let shown = shown(&changes, &method, 0.02, (0.0, 50.0));
        let [low, .., high] = statistics(&shown.links[0][0]);
        assert!(low >= 0.0 && high <= 15.0, "{low} to {high}");
        assert!(high > 15.0 - 1e-9, "{high}");
    }
}

/// A window of 10 grows in slow start while 1 - p > beta W p, and falls above its threshold while p > 2/102:
/// between p = 0.02 and 1/6, which a mean queue of at most 15 does not reach here. Euler's steps oscillate
/// there by less than a step's worth, 0.02 s of 30 ACKs/s; the equations hold it.
#[test]
fn a_window_that_falls_to_its_threshold_is_held_there() {
    let changes = [("buffer_packets", 15.0), ("min_packets", 14.0), ("max_packets", 22.0)];
    let least = |method| statistics(&shown(&changes, &method, 0.02, (2.0, 50.0)).classes[0][0])[0];
    assert!((least(ADAPTIVE) - 10.0).abs() < 1e-6, "{}", least(ADAPTIVE));
    assert!((least(PUBLISHED) - 10.0).abs() < 0.6, "{}", least(PUBLISHED));
}

/// W = 2 until the end of the first round trip; then the window of one round trip before returns as ACKs:
/// each adds one, so the window doubles. Between 0.2 s and 0.4 s it grows by S = 10 packets/s.
#[test]
fn slow_start_begins_after_a_round_trip_and_adds_a_packet_an_ack() {
    let shown = shown(&[], &ADAPTIVE, 0.1, (0.0, 0.4));
    let window = &shown.classes[0][0];
    for (value, expected) in window.iter().zip([2.0, 2.0, 2.0, 3.0, 4.0]) {
        assert!((value - expected).abs() < 1e-5, "{window:?}");
    }
}

/// Row 1552 of the source and others of its first simulation, within half a per cent. Times are relative to
/// the first ACKs of its program, which shifts all of them by less than 0.1 s.
#[test]
fn its_program_s_steps_give_its_rows() {
    let shown = shown(&[("p_lag_s", 0.02)], &PUBLISHED, 0.02, (31.0, 48.1));
    let [rtt_s, rate] = [1, 2].map(|column| statistics(&shown.classes[0][column]));
    let queue = statistics(&shown.links[0][0]);
    // summary(df.cycle): min, 1st quartile, median, mean, 3rd quartile, max
    let printed = [
        (rtt_s, [0.4023, 0.5797, 0.7564, 0.7350, 0.8996, 1.0042]),
        (rate, [20.32, 30.98, 31.15, 30.00, 31.45, 31.93]),
        (queue, [6.068, 11.390, 16.691, 16.051, 20.988, 24.127]),
    ];
    for (ours, theirs) in printed {
        for (value, expected) in ours.iter().zip(theirs) {
            assert!((value / expected - 1.0).abs() < 0.005, "{ours:?} beside {theirs:?}");
        }
    }
}

#[test]
fn a_run_is_the_same_to_the_bit_each_time() {
    let run = || shown(&[], &ADAPTIVE, 0.5, (0.0, 50.0));
    assert_eq!(run(), run());
}

/// Networks from 10 to 300 packets/s and 10 ms to 1 s, averages from 3 ms to 30 s: some settle, some
/// oscillate, some settle at S = C, so that a switch changes only by rounding.
#[test]
fn any_network_is_solved_to_its_end() {
    // Additive recurrences with relatives of the golden ratio are spread evenly over the unit cube (Roberts
    // 2018).
    let part = |run: u32, dimension: i32| (f64::from(run) / 1.220_744_084_605_76_f64.powi(dimension)).fract();
    for run in 1..300 {
        let changes = [
            ("rate_packets_s", 10.0 + 290.0 * part(run, 1)),
            ("rtt_s", 0.01 + 0.99 * part(run, 2)),
            ("alpha", libm::exp2(-17.0 + 14.0 * part(run, 3))),
            ("min_packets", 1.0 + 39.0 * part(run, 4)),
            ("red", f64::from(run % 2)),
            ("increase", f64::from(run / 2 % 2)),
        ];
        let shown = shown(&changes, &ADAPTIVE, 1.0, (40.0, 50.0));
        assert!(shown.classes[0][2].iter().all(|rate| (1.0..1000.0).contains(rate)), "{changes:?}");
    }
}
