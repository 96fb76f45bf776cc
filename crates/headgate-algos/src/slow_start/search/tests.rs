use super::*;
use crate::trial::{PATH, ack, loss, starting};
use headgate_model::control::Rate;

/// The first RTT, seconds, which makes bins of 35 ms.
const RTT_S: f64 = 0.1;

fn defaults() -> Params {
    Params::default()
}

/// Segments that a window sends until this time, in seconds, if it doubles per RTT: 1 at 0 s.
fn doubling(t_s: f64) -> f64 {
    (t_s / RTT_S).exp2()
}

/// Bins of a path without a limit: a segment arrives one RTT after it was sent.
fn unlimited(bins: usize) -> Bins {
    let counts = |t_s: f64| (doubling(t_s), doubling(t_s - RTT_S));
    let mut made = Bins::new(RTT_S, 3.5, counts(0.0), 0.0);
    for bin in 1..=bins {
        let t_s = bin as f64 * 0.035;
        assert!(made.advance(counts(t_s), t_s + 1e-9));
    }
    made
}

/// The normalised difference of these bins.
fn difference(bins: &Bins, rtt_s: f64, interpolation: Interpolation) -> f64 {
    let sent = bins.sent_before(rtt_s, interpolation).expect("enough bins");
    (sent - bins.delivered_in(WINDOW)) / sent
}

#[test]
fn a_path_without_a_limit_delivers_what_was_sent_one_rtt_before() {
    // 100 ms are 2.857 bins: 85.7 % of the third bin from the end and 14.3 % of the second. A line between the
    // ends of a bin, over which the exponential grows by 2^0.35 = 1.275, lies at most 0.4 % above it.
    let backward = difference(&unlimited(20), RTT_S, Interpolation::Backward);
    assert!((0.0..0.004).contains(&backward), "{backward}");
}

#[test]
fn the_formula_of_version_09_ends_slow_start_on_a_path_without_a_limit() {
    // The next bin instead of the previous one looks back by 2 * 0.857 bins = 60 ms less than an RTT. In that
    // time the window grows by 2^0.6 = 1.516, and 1 - 1 / 1.516 = 0.340 exceeds the threshold of 0.26.
    let forward = difference(&unlimited(20), RTT_S, Interpolation::Forward);
    assert!((forward - (1.0 - (-0.6f64).exp2())).abs() < 0.005, "{forward}");
    assert!(forward > defaults().threshold);
}

#[test]
fn a_whole_number_of_bins_needs_no_interpolation() {
    for interpolation in [Interpolation::Backward, Interpolation::Forward] {
        let bins = unlimited(20);
        let sent = bins.sent_before(0.070, interpolation).expect("enough bins");
        let exact = doubling(18.0 * 0.035) - doubling(8.0 * 0.035);
        assert!((sent - exact).abs() < 1e-6 * exact, "{sent} {exact}");
    }
}

#[test]
fn bins_reach_back_by_fewer_than_fifteen_and_need_a_window_before() {
    let reaches = |bins: usize, rtt_bins: f64| {
        unlimited(bins).sent_before(rtt_bins * 0.035 + 1e-6, Interpolation::Backward).is_some()
    };
    assert!(!reaches(12, 2.0) && reaches(13, 2.0)); // more than W bins before the end one RTT ago
    assert!(reaches(40, 14.0) && !reaches(40, 15.0));
}

#[test]
fn skipped_bins_repeat_the_last_one_and_a_longer_silence_begins_again() {
    let mut bins = unlimited(3);
    assert!(bins.advance((100.0, 90.0), 0.035 * 7.5));
    assert_eq!((bins.last, bins.delivered_in(1)), (7, 90.0 - bins.delivered[3]));
    assert_eq!(bins.sent[6], bins.sent[3]);
    assert!((bins.end_s - 0.035 * 8.0).abs() < 1e-12);
    assert!(!bins.advance((100.0, 90.0), 0.035 * 18.1));
}

/// Feeds one ACK per millisecond. Deliveries double per RTT up to `capacity` segments per RTT, and the window
/// sends two segments for each. Returns the time and the window of the exit.
fn run(params: Params, capacity: f64) -> (f64, Window) {
    let (mut search, mut window) = (Search::new(params), starting(10.0));
    search.on_start(0.0, &PATH, &mut window);
    let (mut delivered, mut sent) = (0.0, 10.0);
    for step in 1..20_000 {
        let now_s = RTT_S + f64::from(step) * 0.001;
        let rate = (10.0 * doubling(now_s - RTT_S) * std::f64::consts::LN_2).min(capacity);
        let newly = rate * 0.001 / RTT_S;
        (delivered, sent) = (delivered + newly, sent + 2.0 * newly);
        let counts = Rate { delivered, in_flight: sent - delivered, newly, ..Rate::default() };
        let ack = Ack { now_s, rate: counts, acked: newly, ..ack(RTT_S) };
        search.on_ack(&ack, RTT_S, &PATH, &mut window);
        if !window.slow_starts() {
            return (now_s, window);
        }
        search.grow(&ack, &mut window);
    }
    (f64::INFINITY, window)
}

#[test]
fn slow_start_ends_when_deliveries_have_stopped_doubling() {
    // Deliveries reach 1000 per RTT log2(1000 / 6.93) = 7.17 RTTs after the first ACK. With x RTTs more and q =
    // 2^-3.5, D = (1 - q 2^x) / ln 2 + x and S = 2 ((1 - q 2^(x-1)) / ln 2 + x - 1): the difference of 0.26
    // is reached at x = 1.46. The exit is at the end of that bin of 0.35 RTTs, or one more.
    let (at_s, window) = run(defaults(), 1000.0);
    let after = (at_s - RTT_S) / RTT_S - (1000.0f64 / (10.0 * std::f64::consts::LN_2)).log2();
    assert!((1.46..1.46 + 0.40).contains(&after), "{after}");
    assert_eq!(window.cwnd, window.ssthresh);
}

#[test]
fn rollback_subtracts_the_deliveries_of_two_initial_rtts() {
    let (_, kept) = run(defaults(), 1000.0);
    let (_, back) = run(Params { exit: Exit::Rollback, ..defaults() }, 1000.0);
    // two RTTs are five bins of 0.35 RTTs: 1.46 to 1.81 of 1.75 RTTs at 1000 per RTT
    let taken = kept.cwnd - back.cwnd;
    assert!((1_650.0..1_751.0).contains(&taken), "{taken}");
    let (_, little) = run(Params { exit: Exit::Rollback, ..defaults() }, 12.0);
    assert!(little.cwnd >= 10.0);
}

#[test]
fn congestion_ends_it_for_good() {
    let (mut search, mut window) = (Search::new(defaults()), starting(10.0));
    search.on_ack(&ack(RTT_S), RTT_S, &PATH, &mut window);
    assert!(search.bins.is_some());
    search.on_congestion(&loss(10), &mut window);
    search.on_ack(&ack(RTT_S), RTT_S, &PATH, &mut window);
    assert!(search.bins.is_none() && search.is_over);
}
