//! The control of a flow: CoDel by a weighted wait, with BLUE beside it (Linux fork chromi/sce,
//! `sch_cnq_codel_af.c`).

use headgate_model::chance::Stream;

use crate::parts::cobalt::{Blue, Signal, Signals};

/// Intervals above which a weighted wait is overload (Linux `sch_cnq_codel_af.c`).
const OVERLOAD_INTERVALS: f64 = 4.0;

/// The times that all flows share, seconds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Limits {
    pub target_s: f64,
    pub interval_s: f64,
}

/// The control of one flow.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Control {
    signals: Signals,
    blue: Blue,
    signalling: bool,
}

impl Control {
    /// Begins or ends to signal: the next signal, or fall of the count, follows after a gap.
    fn turn(&mut self, signalling: bool, limits: &Limits, now_s: f64) {
        self.signalling = signalling;
        self.signals.wait(limits.interval_s, now_s);
    }

    /// Decides on a packet with this weighted wait, which is about to leave now.
    pub fn decide(
        &mut self,
        limits: &Limits,
        (weighted_s, now_s): (f64, f64),
        capable: bool,
        chance: &mut Stream,
    ) -> Signal {
        let (mut is_due, mut is_late) = (self.signals.is_due(now_s), now_s > self.signals.next_s);
        let exceeds = weighted_s > limits.target_s;
        if exceeds != self.signalling {
            self.turn(exceeds, limits, now_s);
            is_due &= !exceeds;
        }
        let signals = &mut self.signals;
        if exceeds {
            signals.count = signals.count.max(1);
        }
        let is_signal = is_due && exceeds;
        if is_signal {
            signals.step(signals.count.saturating_add(1), limits.interval_s);
        } else if is_due {
            signals.step(signals.count - 1, limits.interval_s); // even if it has just ended to signal
            signals.decay(limits.interval_s, now_s);
        }
        if is_due {
            is_late = now_s > signals.next_s;
        }
        if weighted_s > OVERLOAD_INTERVALS * limits.interval_s {
            self.overload(limits, now_s);
        }
        let drops = self.blue.draw(chance) || (is_signal && !capable);
        self.signals.settle(limits.interval_s, now_s, is_late && !drops);
        Signal { drops, marks: is_signal && capable }
    }

    fn overload(&mut self, limits: &Limits, now_s: f64) {
        self.blue.rise(limits.target_s, now_s);
        self.signalling = true;
        self.signals.begin(now_s);
    }

    /// The flow is sparse or idle.
    pub fn rest(&mut self, limits: &Limits, now_s: f64) {
        self.blue.fall(limits.target_s, now_s);
        self.signals.decay(limits.interval_s, now_s);
        if self.signalling {
            self.turn(false, limits, now_s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::cobalt::{FALL, RISE};
    use crate::trial::queue::chance;

    const LIMITS: Limits = Limits { target_s: 0.005, interval_s: 0.1 };

    fn decide(control: &mut Control, weighted_s: f64, now_s: f64) -> bool {
        control.decide(&LIMITS, (weighted_s, now_s), true, &mut chance()).marks
    }

    /// Returns the times of the first signals while each millisecond a packet leaves above the target.
    fn signals(control: &mut Control, from_ms: u32, count: usize) -> Vec<u32> {
        let is_signal = |at_ms: &u32| decide(control, 0.006, f64::from(*at_ms) / 1000.0);
        (from_ms..from_ms + 10_000).filter(is_signal).take(count).collect()
    }

    #[test]
    fn gaps_are_the_interval_over_the_root_of_the_count() {
        let mut control = Control::default();
        (1..=10).for_each(|at_ms| assert!(!decide(&mut control, 0.004, f64::from(at_ms) / 1000.0)));
        // below the target until 10 ms, so that 11 ms is the first above it, and the first gap is 0; then
        // 100/sqrt(2) = 70.71 ms, 100/sqrt(3) = 57.74 ms, 50 ms, 44.72 ms after the times that were due
        assert_eq!(signals(&mut control, 11, 5), [12, 82, 140, 190, 235]);
        assert_eq!(control.signals.count, 6);
    }

    #[test]
    fn a_flow_that_ends_to_exceed_loses_a_count_that_was_due_and_waits_for_two_gaps() {
        let mut control = Control {
            signals: Signals { count: 4, inverse_root: 0.5, next_s: 1.0 },
            signalling: true,
            ..Control::default()
        };
        assert!(!decide(&mut control, 0.004, 1.01));
        assert_eq!(control.signals.count, 3);
        // 50 ms for the count of 4, and 57.7 ms for that of 3
        assert!((control.signals.next_s - (1.01 + 0.05 + 0.1 / 3f64.sqrt())).abs() < 1e-12);
        assert!(!control.signalling);
    }

    #[test]
    fn overload_raises_the_probability_once_in_each_target_and_rest_lowers_it() {
        let mut control = Control::default();
        for at_ms in 10..=20 {
            // at 10 and, more than 5 ms later, at 16 ms
            decide(&mut control, 0.41, f64::from(at_ms) / 1000.0);
        }
        assert_eq!(control.blue.probability, 2.0 * RISE);
        control.rest(&LIMITS, 0.022);
        assert_eq!(control.blue.probability, 2.0 * RISE - FALL);
        control.rest(&LIMITS, 0.026);
        assert_eq!(control.blue.probability, 2.0 * RISE - FALL);
    }
}
