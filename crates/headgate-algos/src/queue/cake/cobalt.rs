//! COBALT: CoDel with BLUE beside it (Høiland-Jørgensen, Täht, Morton 2018 §III-C; Linux `sch_cake.c`).

use headgate_model::chance::Stream;

/// Change of BLUE's probability when the queue overflows, and when it is empty (Linux `sch_cake.c`).
const RISE: f64 = 1.0 / 256.0;
const FALL: f64 = 1.0 / 4096.0;

/// The times that all queues share, seconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Limits {
    pub target_s: f64,
    pub interval_s: f64,
    /// Wait up to which nothing is done, however low the target.
    pub least_s: f64,
}

/// The decision on a packet that is about to leave. The last packet of a queue is sent even if it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub drops: bool,
    pub marks: bool,
}

/// The control of one queue.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Cobalt {
    count: u32,
    /// 1 / sqrt(count), and 1 if the count is 0. Before the first signal it is 0, as in Linux.
    inverse_root: f64,
    /// Time of the next signal; while the count is 0, time until which the queue counts as active.
    next_s: f64,
    dropping: bool,
    /// BLUE's probability, and when it changed.
    probability: f64,
    changed_s: f64,
}

impl Cobalt {
    /// Sets the count, and moves the next signal by the gap that belongs to it.
    fn step(&mut self, count: u32, limits: &Limits) {
        self.count = count;
        self.inverse_root = 1.0 / f64::from(count.max(1)).sqrt();
        self.next_s += limits.interval_s * self.inverse_root;
    }

    /// Whether a signal is due, or one of a lower count.
    fn is_due(&self, now_s: f64) -> bool {
        self.count > 0 && now_s >= self.next_s
    }

    /// Decides on a packet that has waited since a time and is about to leave.
    pub fn decide(
        &mut self,
        limits: &Limits,
        (since_s, now_s): (f64, f64),
        capable: bool,
        chance: &mut Stream,
    ) -> Signal {
        let (wait_s, is_due) = (now_s - since_s, self.is_due(now_s));
        let mut is_late = now_s > self.next_s;
        if wait_s > limits.target_s && wait_s > limits.least_s {
            if !self.dropping {
                self.dropping = true;
                self.next_s = now_s + limits.interval_s * self.inverse_root;
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let signals = is_due && self.dropping;
        if signals {
            self.step(self.count.saturating_add(1), limits);
            is_late = now_s > self.next_s;
        } else if is_due {
            is_late = self.decay(now_s, limits);
        }
        let drops = self.draw(chance) || (signals && !capable);
        if self.count == 0 {
            self.next_s = now_s + limits.interval_s;
        } else if is_late && !drops {
            self.next_s = now_s;
        }
        Signal { drops, marks: signals && capable }
    }

    /// Lowers the count by the signals that would have been due by now. Returns whether the next one is late.
    fn decay(&mut self, now_s: f64, limits: &Limits) -> bool {
        while self.is_due(now_s) {
            self.step(self.count - 1, limits);
        }
        now_s > self.next_s
    }

    fn draw(&self, chance: &mut Stream) -> bool {
        self.probability > 0.0 && chance.open01() <= self.probability
    }

    /// The queue lost a packet for want of room.
    pub fn overflow(&mut self, limits: &Limits, now_s: f64) {
        if now_s - self.changed_s > limits.target_s {
            self.probability = (self.probability + RISE).min(1.0);
            self.changed_s = now_s;
        }
        (self.dropping, self.next_s) = (true, now_s);
        self.count = self.count.max(1);
    }

    /// It was the queue's turn, and it was empty. Returns whether the control is at rest.
    pub fn idle(&mut self, limits: &Limits, now_s: f64) -> bool {
        if self.probability > 0.0 && now_s - self.changed_s > limits.target_s {
            self.probability = (self.probability - FALL).max(0.0);
            self.changed_s = now_s;
        }
        self.dropping = false;
        if self.is_due(now_s) {
            self.step(self.count - 1, limits);
        }
        self.probability == 0.0 && self.count == 0 && now_s >= self.next_s
    }
}
