//! The parts of COBALT: CoDel's count of signals, which falls as it rose, and BLUE (Høiland-Jørgensen, Täht,
//! Morton 2018 §III-C; Linux `sch_cake.c`).

use headgate_model::chance::Stream;

/// Change of BLUE's probability in overload, and at rest (Linux `sch_cake.c`).
pub const RISE: f64 = 1.0 / 256.0;
pub const FALL: f64 = 1.0 / 4096.0;

/// The decision on a packet that is about to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    pub drops: bool,
    pub marks: bool,
}

/// The count of signals, and the time of the next one. The gap after the n-th is the interval over the root of n.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Signals {
    pub count: u32,
    /// 1 / sqrt(count), and 1 if the count is 0. Before the first signal it is 0, as in Linux.
    pub inverse_root: f64,
    /// Time of the next signal, or of the next fall of the count, seconds; while the count is 0, time until which
    /// the queue counts as active.
    pub next_s: f64,
}

impl Signals {
    /// Sets the count, and moves the next signal by the gap that belongs to it.
    pub fn step(&mut self, count: u32, interval_s: f64) {
        self.count = count;
        self.inverse_root = 1.0 / f64::from(count.max(1)).sqrt();
        self.next_s += interval_s * self.inverse_root;
    }

    /// Whether a signal is due, or a lower count.
    pub fn is_due(&self, now_s: f64) -> bool {
        self.count > 0 && now_s >= self.next_s
    }

    /// Waits for a gap from now on.
    pub fn wait(&mut self, interval_s: f64, now_s: f64) {
        self.next_s = now_s + interval_s * self.inverse_root;
    }

    /// Lowers the count by the signals that would have been due by now.
    pub fn decay(&mut self, interval_s: f64, now_s: f64) {
        while self.is_due(now_s) {
            self.step(self.count - 1, interval_s);
        }
    }

    /// Signals now, and counts at least one signal.
    pub fn begin(&mut self, now_s: f64) {
        self.next_s = now_s;
        self.count = self.count.max(1);
    }

    /// Catches up after a packet. `sends_late` means that it is sent although a signal was overdue.
    pub fn settle(&mut self, interval_s: f64, now_s: f64, sends_late: bool) {
        if self.count == 0 {
            self.next_s = now_s + interval_s;
        } else if sends_late {
            self.next_s = now_s;
        }
    }
}

/// BLUE: a probability of drops that changes at most once in a target.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Blue {
    pub probability: f64,
    changed_s: f64,
}

impl Blue {
    /// Draws whether a packet is dropped.
    pub fn draw(&self, chance: &mut Stream) -> bool {
        self.probability > 0.0 && chance.open01() <= self.probability
    }

    /// Raises the probability.
    pub fn rise(&mut self, target_s: f64, now_s: f64) {
        if now_s - self.changed_s > target_s {
            self.probability = (self.probability + RISE).min(1.0);
            self.changed_s = now_s;
        }
    }

    /// Lowers the probability.
    pub fn fall(&mut self, target_s: f64, now_s: f64) {
        if self.probability > 0.0 && now_s - self.changed_s > target_s {
            self.probability = (self.probability - FALL).max(0.0);
            self.changed_s = now_s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_falls_at_the_pace_of_its_signals() {
        let mut signals = Signals { count: 4, inverse_root: 0.5, next_s: 1.0 };
        // 100/sqrt(3) = 57.7 ms to the next one, then 70.7 and 100 ms
        for (now_s, count) in [(0.999, 4), (1.057, 3), (1.128, 2), (1.229, 0)] {
            signals.decay(0.1, now_s);
            assert_eq!(signals.count, count, "{now_s}");
        }
        assert_eq!(signals.inverse_root, 1.0);
    }

    #[test]
    fn the_probability_changes_once_in_a_target() {
        let mut blue = Blue::default();
        (10..=20).for_each(|at_ms| blue.rise(0.005, f64::from(at_ms) / 1000.0)); // at 10 and 16 ms
        assert_eq!(blue.probability, 2.0 * RISE);
        blue.fall(0.005, 0.022);
        blue.fall(0.005, 0.026);
        assert_eq!(blue.probability, 2.0 * RISE - FALL);
    }
}
