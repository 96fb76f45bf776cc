//! PCC Vivace over a link made by hand.

use headgate_model::control::Rate;

use super::*;
use crate::trial::{PATH, ack, starting, timeout};

/// A fluid link of 100 ms, with a share of lost packets.
struct Link {
    controller: Vivace,
    window: Window,
    now_s: f64,
    queue: f64,
    counts: (f64, f64),
    /// Time of sending, RTT and the segments delivered at that time, of each packet under way.
    under_way: std::collections::VecDeque<(f64, f64, f64)>,
    /// The inverse of the share of lost packets; 0 = none.
    nth: u64,
    /// Segments/s.
    rate: f64,
}

/// Segments/s: 12 Mbit/s.
const RATE: f64 = 1000.0;
const MBPS: f64 = 0.012;

impl Link {
    fn new(nth: u64, rate: f64) -> Self {
        let (mut controller, mut window) = (Vivace::new(Params::default()), starting(10.0));
        controller.on_start(0.0, &PATH, &mut window);
        let under_way = std::collections::VecDeque::new();
        Self { controller, window, now_s: 0.0, queue: 0.0, counts: (0.0, 0.0), under_way, nth, rate }
    }

    /// Sends a packet at the pace, and delivers the ACKs that are due.
    fn send(&mut self) {
        let pause_s = 1.0 / self.window.pace;
        self.now_s += pause_s;
        self.queue = (self.queue - pause_s * self.rate).max(0.0) + 1.0;
        let rtt_s = 0.1 + (self.queue - 1.0) / self.rate;
        self.under_way.push_back((self.now_s, rtt_s, self.counts.0));
        while self.under_way.front().is_some_and(|(at_s, rtt_s, _)| at_s + rtt_s <= self.now_s) {
            let (at_s, rtt_s, prior) = self.under_way.pop_front().expect("looked at above");
            self.arrive(at_s + rtt_s, rtt_s, prior);
        }
    }

    fn arrive(&mut self, now_s: f64, rtt_s: f64, prior: f64) {
        let heard = (self.counts.0 + self.counts.1) as u64;
        let path = Path { srtt_s: rtt_s, ..PATH };
        if self.nth > 0 && (heard + 1) % self.nth == 0 {
            self.counts.1 += 1.0;
            let sent = Rate { prior, ..Rate::default() };
            return self.controller.on_segment_lost(&sent, &path, &mut self.window);
        }
        self.counts.0 += 1.0;
        let rate = Rate {
            delivered: self.counts.0,
            lost: self.counts.1,
            newly: 1.0,
            prior,
            in_flight: self.under_way.len() as f64,
            ..Rate::default()
        };
        let ack = Ack { now_s, rate, ..ack(rtt_s) };
        self.controller.on_ack(&ack, &path, &mut self.window);
    }

    /// The mean of the middle rate, Mbit/s, and the mean queue, packets, over this time.
    fn means(&mut self, span_s: f64) -> (f64, f64) {
        let (end_s, mut sums, mut count) = (self.now_s + span_s, (0.0, 0.0), 0.0);
        while self.now_s < end_s {
            self.send();
            sums = (sums.0 + self.controller.0.rate * MBPS, sums.1 + self.queue);
            count += 1.0;
        }
        (sums.0 / count, sums.1 / count)
    }
}

#[test]
fn it_starts_by_doubling_and_leaves_at_the_rate_of_the_link() {
    let mut link = Link::new(0, RATE);
    let mut rates = vec![link.controller.0.rate];
    while link.controller.0.phase == Phase::Starts {
        link.send();
        if rates.last() != Some(&link.controller.0.rate) {
            rates.push(link.controller.0.rate);
        }
    }
    // 1600/s is above 1000: the slope of 0.6 makes its utility negative
    assert_eq!(rates, [100.0, 200.0, 400.0, 800.0, 1600.0, 800.0]);
}

#[test]
fn it_holds_the_rate_of_the_link_and_nearly_no_queue() {
    // Utility rises below the link's rate and falls at a slope of 1 % above it. The queue that a pair leaves
    // is eps RTTs of packets, 5 of 100; a decrease follows at 5, then 15 % of the rate.
    let mut link = Link::new(0, RATE);
    link.means(60.0);
    let (rate, queue) = link.means(60.0);
    assert!((0.85 * 12.0..=1.02 * 12.0).contains(&rate), "{rate}");
    assert!(queue < 30.0, "{queue}");
}

#[test]
fn a_tenth_of_losses_holds_it_far_below_the_link() {
    // 0.9 x^-0.1 = 1.135: x = 0.098 Mbit/s, below the smallest rate of 2 segments per RTT
    let mut link = Link::new(10, RATE);
    link.means(200.0);
    let (rate, _) = link.means(50.0);
    assert!(rate < 2.0, "{rate}");
}

#[test]
fn two_percent_of_losses_do_not_hold_it_back() {
    // On 120 Mbit/s an interval counts 1000 packets. A pair differs by 2 eps x (0.9 x^-0.1 - 0.227) = 4 in
    // utility, one loss more of 1000 by 1.4.
    let mut link = Link::new(50, 10.0 * RATE);
    link.means(100.0);
    let (rate, _) = link.means(60.0);
    assert!(rate > 0.85 * 120.0, "{rate}");
}

#[test]
fn a_timeout_halves_the_rate() {
    let (mut controller, mut window) = (Vivace::new(Params::default()), starting(10.0));
    controller.on_start(0.0, &PATH, &mut window);
    assert_eq!(window.pace, 100.0);
    window.cwnd = 1.0;
    controller.on_congestion(&timeout(10), &PATH, &mut window);
    assert_eq!((window.pace, controller.0.phase), (50.0, Phase::Tries));
}

#[test]
fn intervals_without_data_are_tried_again() {
    let mut state = Vivace::new(Params::default()).0;
    state.phase = Phase::Tries;
    state.rate = 100.0;
    let mut intervals = Intervals::default();
    let at = |now_s, delivered, app_limited| {
        let rate = Rate { delivered, prior: delivered, newly: 1.0, app_limited, ..Rate::default() };
        Ack { now_s, rate, ..ack(0.1) }
    };
    intervals.begin(&at(1.0, 10.0, false), Some(1.05), 105.0, 0.1);
    intervals.record_ack(&at(1.1, 10.0, true));
    intervals.begin(&at(1.2, 11.0, false), None, 100.0, 0.1);
    intervals.record_ack(&at(1.3, 12.0, false));
    state.learn(&intervals.take_measured().expect("known"), &PATH);
    assert_eq!((state.plan, state.results.len()), (vec![1.05], 0));
}
