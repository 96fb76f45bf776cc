//! PIE of one queue, as Linux's `sch_pie.c` computes it with time stamps.

use super::{Params, scale_step};
use crate::parts::ethernet::FRAME_BYTES;
use crate::queue::pie::{LARGEST_STEP, LARGEST_SUM, LEAST_SUM, PROTECTED_BELOW};
use headgate_model::chance::Stream;

/// Burst that is admitted if there was no congestion, seconds (Linux `pie.h`).
const BURST_S: f64 = 0.15;

/// Wait above which the probability rises faster, seconds (Linux `sch_pie.c`).
const LONG_WAIT_S: f64 = 0.25;

/// The state of one queue's PIE.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Law {
    /// The drop probability.
    pub probability: f64,
    /// Sum of the probabilities since the last drop.
    pub sum: f64,
    /// Wait of the packet that left last, and the wait at the last update.
    pub wait_s: f64,
    before_s: f64,
    /// Rest of the burst allowance.
    pub burst_s: f64,
    /// When a packet left last.
    sent_s: Option<f64>,
}

impl Default for Law {
    fn default() -> Self {
        Self { probability: 0.0, sum: 0.0, wait_s: 0.0, before_s: 0.0, burst_s: BURST_S, sent_s: None }
    }
}

impl Law {
    /// Whether updates of the empty queue change nothing.
    pub fn is_at_rest(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an arrival is chosen to be dropped or marked (`pie_drop_early`).
    pub fn chooses(
        &mut self,
        params: &Params,
        queued_bytes: f64,
        size_bytes: u32,
        chance: &mut Stream,
    ) -> bool {
        let was_short = self.wait_s < params.target_s / 2.0 && self.probability < PROTECTED_BELOW;
        if self.burst_s > 0.0 || was_short || queued_bytes < 2.0 * FRAME_BYTES {
            return false;
        }
        let size = f64::from(size_bytes);
        let share = if params.bytemode && size <= FRAME_BYTES { size / FRAME_BYTES } else { 1.0 };
        let p = share * self.probability;
        self.sum = if p == 0.0 { 0.0 } else { self.sum + p };
        if self.sum < LEAST_SUM {
            return false;
        }
        if self.sum >= LARGEST_SUM {
            return true;
        }
        let chosen = chance.open01() <= p;
        if chosen {
            self.sum = 0.0;
        }
        chosen
    }

    /// Records that a packet leaves (`pie_process_dequeue`).
    pub fn send(&mut self, now_s: f64, since_s: f64, is_last: bool) {
        self.wait_s = if is_last { 0.0 } else { now_s - since_s };
        let gap_s = self.sent_s.replace(now_s).map_or(0.0, |sent_s| now_s - sent_s);
        self.burst_s = (self.burst_s - gap_s).max(0.0);
    }

    /// Updates the probability (`pie_calculate_probability`).
    pub fn update(&mut self, params: &Params, queued_bytes: f64) {
        let Params { target_s, alpha, beta, .. } = *params;
        let (wait_s, before_s) = (self.wait_s, self.before_s);
        let unscaled = alpha * (wait_s - target_s) + beta * (wait_s - before_s);
        let mut step = scale_step(unscaled, self.probability);
        if wait_s > LONG_WAIT_S {
            step += LARGEST_STEP;
        }
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        if wait_s == 0.0 && before_s == 0.0 && queued_bytes == 0.0 {
            self.probability -= self.probability / 64.0;
        }
        let half_s = target_s / 2.0;
        if wait_s < half_s && before_s < half_s && self.probability == 0.0 {
            (self.sum, self.burst_s, self.sent_s) = (0.0, BURST_S, None);
        }
        self.before_s = wait_s;
    }
}
