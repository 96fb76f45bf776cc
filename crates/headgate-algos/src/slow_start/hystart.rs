//! HyStart as in Linux: ends slow start when ACKs show that the path is full.
//!
//! # Overview
//! HyStart watches the ACKs of each round trip, and ends slow start before the queue overflows. It ends too
//! early if the RTT varies for other reasons than a queue, as on wireless links.
//!
//! # The rule
//! One sign is a train of closely spaced ACKs longer than half the smallest RTT, because data then fills half
//! of the way there and back. A sender that paces spreads its data over half an RTT, so that its train must be
//! longer than the whole RTT. The other sign is a round whose first eight RTTs exceed the smallest one by an
//! eighth, but at least by 4 ms and at most by 16 ms. Either sets `ssthresh = cwnd`.
//!
//! # Differences from the paper
//! NOTE(Ha, Rhee 2011): constants, and the allowance for large segments, are those of Linux `tcp_cubic.c`
//! (6.x). Until 6.14 the kernel began its first round only at the low window; stable kernels include the
//! correction too.
//!
//! # When to use it
//! As the slow start of most servers: it is on by default in Linux's CUBIC.
//!
//! # References
//! Ha, Rhee 2011; Linux `tcp_cubic.c`.

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "hystart",
    title: "HyStart (Linux)",
    aliases: &[],
    family: "slow-start",
    rule: "exit if an ACK train lasts rtt/2, or rtt > 9/8 of the least",
    response: "exit near w = BDP, before a loss",
    references: &["Ha, Rhee 2011", "Linux tcp_cubic.c"],
    params: Params::TABLE,
};

/// Window below which slow start is not ended, segments (hystart_low_window).
const LOW_WINDOW: f64 = 16.0;

/// Largest time between two ACKs of a train, seconds (hystart_ack_delta_us).
const TRAIN_GAP_S: f64 = 0.002;

/// RTT samples of a round before its delay is evaluated (HYSTART_MIN_SAMPLES).
const SAMPLES: u8 = 8;

/// Bounds of the delay increase, seconds (HYSTART_DELAY_MIN, HYSTART_DELAY_MAX).
const DELAY_S: (f64, f64) = (0.004, 0.016);

/// The allowance for segments that are sent or received together: the time of four of the largest ones at the
/// pacing rate, bytes, and its upper bound, seconds (hystart_ack_delay).
const ALLOWANCE_BYTES: f64 = 4.0 * 65_536.0;
const MOST_ALLOWANCE_S: f64 = 0.001;

/// Linux's pacing rate in windows per RTT: in slow start below half of `ssthresh`, and beyond
/// (tcp_pacing_ss_ratio, tcp_pacing_ca_ratio).
const PACING_GAINS: (f64, f64) = (2.0, 1.2);

/// The state of the current round.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HyStart {
    round_s: f64,
    /// Time of the last ACK of the train.
    train_s: f64,
    /// Smallest RTT of the round, seconds.
    rtt_s: f64,
    samples: u8,
    found: bool,
}

impl Default for HyStart {
    fn default() -> Self {
        Self::begin(0.0)
    }
}

impl HyStart {
    /// Creates the slow start of a flow.
    pub fn new(_params: Params) -> Self {
        Self::default()
    }

    fn begin(now_s: f64) -> Self {
        Self { round_s: now_s, train_s: now_s, rtt_s: f64::INFINITY, samples: 0, found: false }
    }

    /// Takes an ACK in slow start and the smallest RTT of data. Returns true once, when slow start should
    /// end.
    fn ends(&mut self, ack: &Ack, base_rtt_s: f64, path: &Path, window: &Window) -> bool {
        if self.found || ack.rtt_s <= 0.0 {
            return false;
        }
        if ack.round_start {
            *self = Self::begin(ack.now_s);
        }
        if window.cwnd >= LOW_WINDOW {
            let train = self.has_long_train(ack, base_rtt_s + allowance_s(path, window));
            self.found = self.is_late(ack.rtt_s, base_rtt_s) || train;
        }
        self.found
    }

    fn has_long_train(&mut self, ack: &Ack, pipe_s: f64) -> bool {
        if ack.now_s - self.train_s > TRAIN_GAP_S {
            return false;
        }
        self.train_s = ack.now_s;
        let share = if ack.paced { 1.0 } else { 0.5 };
        ack.now_s - self.round_s > share * pipe_s
    }

    fn is_late(&mut self, rtt_s: f64, base_rtt_s: f64) -> bool {
        self.rtt_s = self.rtt_s.min(rtt_s);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.rtt_s > base_rtt_s + delay_threshold_s(base_rtt_s)
    }
}

impl SlowStart for HyStart {
    fn on_start(&mut self, now_s: f64, _path: &Path, _window: &mut Window) {
        *self = Self::begin(now_s);
    }

    fn on_ack(&mut self, ack: &Ack, base_rtt_s: f64, path: &Path, window: &mut Window) {
        if self.ends(ack, base_rtt_s, path, window) {
            window.ssthresh = window.cwnd;
        }
    }

    /// It applies again after a time-out, as in Linux.
    fn on_congestion(&mut self, event: &Congestion, _window: &mut Window) {
        if event.cause == Cause::Timeout {
            *self = Self::begin(event.now_s);
        }
    }
}

/// Returns an eighth of the smallest RTT, within bounds.
fn delay_threshold_s(base_rtt_s: f64) -> f64 {
    (base_rtt_s / 8.0).clamp(DELAY_S.0, DELAY_S.1)
}

fn allowance_s(path: &Path, window: &Window) -> f64 {
    let gain = if window.cwnd < window.ssthresh / 2.0 { PACING_GAINS.0 } else { PACING_GAINS.1 };
    let window_bytes = window.cwnd * f64::from(path.segment_bytes);
    (ALLOWANCE_BYTES * path.srtt_s / (gain * window_bytes)).min(MOST_ALLOWANCE_S)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, starting};

    const BASE_S: f64 = 0.1;

    /// Returns the number of ACKs of one round, `gap_s` apart, after which slow start ends.
    fn ended(cwnd: f64, acks: u32, gap_s: f64, rtt_s: f64, paced: bool) -> Option<u32> {
        let (mut hystart, window) = (HyStart::default(), starting(cwnd));
        (0..acks).find(|&i| {
            let now_s = 1.0 + f64::from(i) * gap_s;
            let ack = Ack { now_s, round_start: i == 0, paced, ..ack(rtt_s) };
            hystart.ends(&ack, BASE_S, &PATH, &window)
        })
    }

    #[test]
    fn a_train_of_half_the_smallest_rtt_ends_it() {
        // 100 ms and the allowance of 1 ms: ACKs 1.1 ms apart exceed 50.5 ms at 46 gaps; ACKs 3 ms apart form
        // no train
        assert_eq!(ended(64.0, 64, 0.0011, 0.1, false), Some(46));
        assert_eq!(ended(64.0, 64, 0.001, 0.1, false), Some(51)); // 50.5; 50 would suffice without the allowance
        assert_eq!(ended(64.0, 64, 0.003, 0.1, false), None);
    }

    #[test]
    fn a_paced_train_must_last_the_whole_rtt() {
        assert_eq!(ended(200.0, 200, 0.0011, 0.1, true), Some(92)); // 101.2 ms of 101
    }

    #[test]
    fn the_allowance_is_four_of_the_largest_segments_at_the_pacing_rate() {
        // 100,000 segments of 1500 B in 100 ms, twice as fast in slow start: 262,144 B in 87.4 us
        assert!((allowance_s(&PATH, &starting(1e5)) - 87.381e-6).abs() < 1e-9);
        let steady = Window { ssthresh: 1.5e5, ..starting(1e5) };
        assert!((allowance_s(&PATH, &steady) - 145.636e-6).abs() < 1e-9);
        assert_eq!(allowance_s(&PATH, &starting(100.0)), 0.001);
    }

    #[test]
    fn a_round_later_by_an_eighth_ends_it_after_eight_samples() {
        assert_eq!(ended(64.0, 20, 0.003, 0.113, false), Some(8)); // 100 ms + 12.5 ms
        assert_eq!(ended(64.0, 20, 0.003, 0.112, false), None);
    }

    #[test]
    fn small_windows_are_not_judged() {
        assert_eq!(ended(15.9, 64, 0.001, 1.0, false), None);
        assert_eq!(ended(16.0, 64, 0.003, 1.0, false), Some(8));
    }

    #[test]
    fn the_threshold_is_between_4_and_16_ms() {
        assert_eq!([0.008, 0.08, 1.0].map(delay_threshold_s), [0.004, 0.01, 0.016]);
    }

    #[test]
    fn a_train_counts_from_the_round_s_start_if_the_window_passes_sixteen_in_time() {
        // The window exceeds 16 at the seventh ACK: 1.8 ms or 6.6 ms after the first, which began the round.
        let ended = |gap_s: f64| {
            let (mut hystart, mut window) = (HyStart::default(), starting(10.0));
            (0..200).find(|&i| {
                let ack = Ack { now_s: 1.0 + f64::from(i) * gap_s, round_start: i == 0, ..ack(0.1) };
                let ends = hystart.ends(&ack, BASE_S, &PATH, &window);
                window.cwnd += 1.0;
                ends
            })
        };
        assert_eq!((ended(0.0003), ended(0.0011)), (Some(169), None)); // 50.7 ms of 50.5
    }

    #[test]
    fn a_gap_of_two_milliseconds_is_within_a_train() {
        let mut hystart = HyStart::default();
        let at = |now_s| Ack { now_s, ..ack(0.1) };
        assert!(hystart.has_long_train(&at(0.002), 0.003));
        assert!(!hystart.has_long_train(&at(0.0041), 0.003));
    }
}
