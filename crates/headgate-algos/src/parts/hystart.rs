//! HyStart as Linux has it: ends slow start when ACKs tell that the pipe is full.
//!
//! Two signs: a train of closely spaced ACKs as long as half the smallest RTT (data then fill half of
//! the way there and back), and a round whose first RTTs exceed the smallest one by an eighth.
//! Ha, Rhee 2011; constants of Linux `tcp_cubic.c` (6.x).

use headgate_model::control::{Ack, Window};

/// Below this window nothing is judged, segments (hystart_low_window).
const LOW_WINDOW: f64 = 16.0;

/// ACKs within this belong to one train, seconds (hystart_ack_delta_us).
const TRAIN_GAP_S: f64 = 0.002;

/// RTT samples of a round before its delay is judged (HYSTART_MIN_SAMPLES).
const SAMPLES: u8 = 8;

/// Bounds of the delay increase, seconds (HYSTART_DELAY_MIN, HYSTART_DELAY_MAX).
const DELAY_S: (f64, f64) = (0.004, 0.016);

/// What a round has shown so far.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HyStart {
    round_s: f64,
    /// Last ACK of the train.
    train_s: f64,
    /// Smallest RTT of the round, seconds.
    rtt_s: f64,
    samples: u8,
    found: bool,
}

impl Default for HyStart {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl HyStart {
    pub fn new(now_s: f64) -> Self {
        Self { round_s: now_s, train_s: now_s, rtt_s: f64::INFINITY, samples: 0, found: false }
    }

    /// Takes an ACK in slow start, and the smallest RTT that data had; true once, when it should end.
    pub fn ends(&mut self, ack: &Ack, base_rtt_s: f64, window: &Window) -> bool {
        if self.found || ack.rtt_s <= 0.0 {
            return false;
        }
        if ack.round_start {
            *self = Self::new(ack.now_s);
        }
        if window.cwnd >= LOW_WINDOW {
            let train = self.long_train(ack.now_s, base_rtt_s, window.pace);
            self.found = self.late(ack.rtt_s, base_rtt_s) || train;
        }
        self.found
    }

    /// Pacing stretches the train itself: then it must be as long as the whole RTT.
    fn long_train(&mut self, now_s: f64, base_rtt_s: f64, pace: f64) -> bool {
        if now_s - self.train_s > TRAIN_GAP_S {
            return false;
        }
        self.train_s = now_s;
        let share = if pace.is_finite() { 1.0 } else { 0.5 };
        now_s - self.round_s > share * base_rtt_s
    }

    fn late(&mut self, rtt_s: f64, base_rtt_s: f64) -> bool {
        self.rtt_s = self.rtt_s.min(rtt_s);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.rtt_s > base_rtt_s + delay_threshold_s(base_rtt_s)
    }
}

/// An eighth of the smallest RTT, within bounds.
fn delay_threshold_s(base_rtt_s: f64) -> f64 {
    (base_rtt_s / 8.0).clamp(DELAY_S.0, DELAY_S.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{ack, starting};

    const BASE_S: f64 = 0.1;

    /// ACKs of one round, `gap_s` apart, until one ends slow start.
    fn ended(cwnd: f64, acks: u32, gap_s: f64, rtt_s: f64) -> Option<u32> {
        let (mut hystart, window) = (HyStart::new(0.0), starting(cwnd));
        (0..acks).find(|&i| {
            let now_s = 1.0 + f64::from(i) * gap_s;
            let ack = Ack { now_s, round_start: i == 0, ..ack(rtt_s) };
            hystart.ends(&ack, BASE_S, &window)
        })
    }

    #[test]
    fn a_train_of_half_the_smallest_rtt_ends_it() {
        // 100 ms: ACKs 1.1 ms apart pass 50 ms at 46 gaps; ACKs 3 ms apart are no train
        assert_eq!(ended(64.0, 64, 0.0011, 0.1), Some(46));
        assert_eq!(ended(64.0, 64, 0.003, 0.1), None);
    }

    #[test]
    fn a_round_later_by_an_eighth_ends_it_after_eight_samples() {
        assert_eq!(ended(64.0, 20, 0.003, 0.113), Some(8)); // 100 ms + 12.5 ms
        assert_eq!(ended(64.0, 20, 0.003, 0.112), None);
    }

    #[test]
    fn small_windows_are_not_judged() {
        assert_eq!(ended(15.9, 64, 0.001, 1.0), None);
        assert_eq!(ended(16.0, 64, 0.003, 1.0), Some(8));
    }

    #[test]
    fn the_threshold_is_between_4_and_16_ms() {
        assert_eq!([0.008, 0.08, 1.0].map(delay_threshold_s), [0.004, 0.01, 0.016]);
    }

    #[test]
    fn a_paced_train_must_last_the_whole_rtt() {
        let (mut hystart, window) = (HyStart::new(0.0), Window { pace: 1000.0, ..starting(200.0) });
        let ends = (0..200).position(|i| {
            let ack = Ack { now_s: 1.0 + f64::from(i) * 0.0011, round_start: i == 0, ..ack(0.1) };
            hystart.ends(&ack, BASE_S, &window)
        });
        assert_eq!(ends, Some(91)); // 91 gaps of 1.1 ms
    }

    #[test]
    fn a_gap_of_two_milliseconds_is_within_a_train() {
        let mut hystart = HyStart::new(0.0);
        assert!(hystart.long_train(0.002, 0.003, f64::INFINITY));
        assert!(!hystart.long_train(0.0041, 0.003, f64::INFINITY));
    }
}
