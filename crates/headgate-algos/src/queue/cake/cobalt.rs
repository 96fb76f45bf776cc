//! COBALT: CoDel with BLUE beside it (Høiland-Jørgensen, Täht, Morton 2018 §III-C; Linux `sch_cake.c`).

use headgate_model::chance::Stream;

pub(super) use crate::parts::cobalt::Signal;
use crate::parts::cobalt::{Blue, Signals};

/// The times that all queues share, seconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Limits {
    pub target_s: f64,
    pub interval_s: f64,
    /// Wait up to which nothing is done, however low the target.
    pub least_s: f64,
}

/// The control of one queue.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Cobalt {
    signals: Signals,
    blue: Blue,
    dropping: bool,
}

impl Cobalt {
    /// Decides on a packet that has waited since a time and is about to leave. The last packet of a queue is
    /// sent even if it is dropped.
    pub fn decide(
        &mut self,
        limits: &Limits,
        (since_s, now_s): (f64, f64),
        capable: bool,
        chance: &mut Stream,
    ) -> Signal {
        let (wait_s, interval_s, signals) = (now_s - since_s, limits.interval_s, &mut self.signals);
        let (is_due, mut is_late) = (signals.is_due(now_s), now_s > signals.next_s);
        if wait_s > limits.target_s && wait_s > limits.least_s {
            if !self.dropping {
                self.dropping = true;
                signals.wait(interval_s, now_s);
            }
            signals.count = signals.count.max(1);
        } else {
            self.dropping = false;
        }
        let is_signal = is_due && self.dropping;
        if is_signal {
            signals.step(signals.count.saturating_add(1), interval_s);
        } else if is_due {
            signals.decay(interval_s, now_s);
        }
        if is_due {
            is_late = now_s > signals.next_s;
        }
        let drops = self.blue.draw(chance) || (is_signal && !capable);
        signals.settle(interval_s, now_s, is_late && !drops);
        Signal { drops, marks: is_signal && capable }
    }

    /// The queue lost a packet for want of room.
    pub fn overflow(&mut self, limits: &Limits, now_s: f64) {
        self.blue.rise(limits.target_s, now_s);
        self.dropping = true;
        self.signals.begin(now_s);
    }

    /// It was the queue's turn, and it was empty. Returns whether the control is at rest.
    pub fn idle(&mut self, limits: &Limits, now_s: f64) -> bool {
        self.blue.fall(limits.target_s, now_s);
        self.dropping = false;
        let signals = &mut self.signals;
        if signals.is_due(now_s) {
            signals.step(signals.count - 1, limits.interval_s);
        }
        self.blue.probability == 0.0 && signals.count == 0 && now_s >= signals.next_s
    }
}
