//! HyStart++ (RFC 9406): when a round's RTT rises, a slower slow start determines whether the rise persists.
//!
//! # Overview
//! HyStart++ watches the RTT as HyStart does. It does not end slow start at the first sign, but continues more
//! slowly for five round trips (*conservative slow start*), and resumes if the RTT falls again.
//!
//! # The rule
//! A round whose smallest RTT of eight samples exceeds that of the previous round by an eighth, but at least by
//! 4 ms and at most by 16 ms, begins conservative slow start, in which `cwnd += acked / 4`. Five such rounds set
//! `ssthresh = cwnd`. A smaller RTT than at its beginning resumes slow start.
//!
//! # Differences from the paper
//! NOTE(RFC 9406 section 4.2): the limit of eight segments for one ACK does not apply to senders that pace.
//!
//! # When to use it
//! As the slow start of QUIC stacks and of Windows.
//!
//! # References
//! RFC 9406.

use headgate_model::control::{Ack, Congestion, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "hystart++",
    title: "HyStart++",
    aliases: &[],
    family: "slow-start",
    rule: "w += acked/4 for 5 RTTs after rtt > 9/8 of the last round's; then exit",
    response: "exit between w = BDP and 3 BDP, or at a loss",
    references: &["RFC 9406"],
    params: Params::TABLE,
};

/// Bounds of the RTT increase, seconds (§4.2, MIN_RTT_THRESH and MAX_RTT_THRESH).
const INCREASE_S: (f64, f64) = (0.004, 0.016);

/// Divisor of the previous round's RTT that gives the increase (MIN_RTT_DIVISOR).
const DIVISOR: f64 = 8.0;

/// RTT samples that a round needs (N_RTT_SAMPLE).
const SAMPLES: u8 = 8;

/// Factor by which conservative slow start grows slower (CSS_GROWTH_DIVISOR).
const GROWTH_DIVISOR: f64 = 4.0;

/// Rounds of conservative slow start (CSS_ROUNDS).
const ROUNDS: u8 = 5;

/// Largest number of segments that one ACK counts for, unless the sender paces (L).
const LIMIT: f64 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Phase {
    Slow,
    /// Conservative slow start, in its n-th round.
    Conservative(u8),
    Over,
}

/// The state of this round and of the previous one.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct HyStartPlusPlus {
    /// Smallest RTT of the previous round and of this one, seconds.
    last_s: f64,
    rtt_s: f64,
    /// Smallest RTT at the start of conservative slow start, seconds.
    baseline_s: f64,
    samples: u8,
    phase: Phase,
}

impl Default for HyStartPlusPlus {
    fn default() -> Self {
        let none = f64::INFINITY;
        Self { last_s: none, rtt_s: none, baseline_s: none, samples: 0, phase: Phase::Slow }
    }
}

impl HyStartPlusPlus {
    /// Creates the slow start of a flow.
    pub fn new(_params: Params) -> Self {
        Self::default()
    }

    /// Ends slow start permanently.
    fn stop(&mut self) {
        self.phase = Phase::Over;
    }

    pub(crate) fn slow_down(&mut self, baseline_s: f64) {
        (self.baseline_s, self.phase) = (baseline_s, Phase::Conservative(1));
    }

    /// Takes an ACK. Returns true if slow start should end (§4.2).
    fn ends(&mut self, ack: &Ack) -> bool {
        if ack.round_start && self.open_round() {
            self.stop();
            return true;
        }
        if ack.rtt_s > 0.0 {
            self.rtt_s = self.rtt_s.min(ack.rtt_s);
            self.samples = self.samples.saturating_add(1);
            self.judge();
        }
        false
    }

    /// Begins a round. Returns true if the last round of conservative slow start has ended.
    fn open_round(&mut self) -> bool {
        (self.last_s, self.rtt_s, self.samples) = (self.rtt_s, f64::INFINITY, 0);
        match &mut self.phase {
            Phase::Conservative(round) if *round == ROUNDS => true,
            Phase::Conservative(round) => {
                *round += 1;
                false
            }
            _ => false,
        }
    }

    fn judge(&mut self) {
        if self.samples < SAMPLES {
            return;
        }
        match self.phase {
            Phase::Slow if self.last_s.is_finite() => {
                let increase_s = (self.last_s / DIVISOR).clamp(INCREASE_S.0, INCREASE_S.1);
                if self.rtt_s >= self.last_s + increase_s {
                    self.slow_down(self.rtt_s);
                }
            }
            Phase::Conservative(_) if self.rtt_s < self.baseline_s => {
                (self.baseline_s, self.phase) = (f64::INFINITY, Phase::Slow);
            }
            _ => {}
        }
    }
}

impl SlowStart for HyStartPlusPlus {
    fn on_ack(&mut self, ack: &Ack, _base_rtt_s: f64, _path: &Path, window: &mut Window) {
        if self.ends(ack) {
            window.ssthresh = window.cwnd;
        }
    }

    fn growth(&self, ack: &Ack) -> f64 {
        let counted = if ack.paced { ack.acked } else { ack.acked.min(LIMIT) };
        match self.phase {
            Phase::Slow => counted,
            Phase::Conservative(_) => counted / GROWTH_DIVISOR,
            Phase::Over => ack.acked,
        }
    }

    /// It applies to the first slow start only (section 4.3).
    fn on_congestion(&mut self, _event: &Congestion, _window: &mut Window) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{ack, acked};

    /// A round of eight ACKs. Returns true if its first one ends slow start.
    fn round(hystart: &mut HyStartPlusPlus, rtt_s: f64) -> bool {
        let first = hystart.ends(&Ack { round_start: true, ..ack(rtt_s) });
        (1..8).for_each(|_| assert!(!hystart.ends(&ack(rtt_s))));
        first
    }

    #[test]
    fn a_rise_by_an_eighth_slows_down_and_five_rounds_end_it() {
        let mut hystart = HyStartPlusPlus::default();
        assert!(!round(&mut hystart, 0.080) && !round(&mut hystart, 0.0899));
        assert_eq!(hystart.phase, Phase::Slow);
        assert!(!round(&mut hystart, 0.102)); // 89.9 + 11.2 = 101.1 ms
        assert_eq!(hystart.phase, Phase::Conservative(1));
        for _ in 2..=5 {
            assert!(!round(&mut hystart, 0.102));
        }
        assert!(round(&mut hystart, 0.102));
    }

    #[test]
    fn an_rtt_below_the_baseline_resumes_slow_start() {
        let mut hystart = HyStartPlusPlus::default();
        round(&mut hystart, 0.080);
        round(&mut hystart, 0.095);
        assert_eq!(hystart.phase, Phase::Conservative(1));
        round(&mut hystart, 0.0949);
        assert_eq!(hystart.phase, Phase::Slow);
    }

    #[test]
    fn a_round_of_seven_samples_says_nothing() {
        let mut hystart = HyStartPlusPlus::default();
        round(&mut hystart, 0.080);
        (0..7).for_each(|i| assert!(!hystart.ends(&Ack { round_start: i == 0, ..ack(0.5) })));
        assert_eq!(hystart.phase, Phase::Slow);
    }

    #[test]
    fn steps_are_limited_and_conservative_ones_a_quarter() {
        let mut hystart = HyStartPlusPlus::default();
        assert_eq!(hystart.growth(&acked(10.0)), 8.0);
        assert_eq!(hystart.growth(&Ack { paced: true, ..acked(10.0) }), 10.0);
        hystart.slow_down(0.1);
        assert_eq!(hystart.growth(&acked(2.0)), 0.5);
        hystart.stop();
        assert_eq!(hystart.growth(&acked(10.0)), 10.0);
    }
}
