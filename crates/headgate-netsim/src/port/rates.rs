//! The rate of a line over time.

use headgate_model::plan::RateChange;
use headgate_model::units::{NEVER, Time, seconds};
use serde::{Deserialize, Serialize};

/// The rate over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rates {
    pub bps: u64,
    pub since: Time,
    /// Bits that the line could have carried until `since`, since the tally began.
    bits: f64,
    /// Changes to come, the next one last.
    coming: Vec<(Time, u64)>,
    /// The rate before this one, at which what was queued at the change leaves, by `since`.
    pub before: u64,
}

impl Rates {
    pub fn new(bps: u64, changes: &[RateChange]) -> Self {
        let coming = changes.iter().rev().map(|change| (change.at_ps, change.rate_bps)).collect();
        Self { bps, since: 0, bits: 0.0, coming, before: bps }
    }

    pub fn next(&self) -> Time {
        self.coming.last().map_or(NEVER, |change| change.0)
    }

    /// Bits until `now`.
    fn capacity(&self, now: Time) -> f64 {
        self.bits + self.bps as f64 * (seconds(now) - seconds(self.since))
    }

    /// Mean rate from the beginning of the tally until `now`, bit/s.
    pub fn mean(&self, begin: Time, now: Time) -> f64 {
        if now == begin { self.bps as f64 } else { self.capacity(now) / seconds(now - begin) }
    }

    /// Makes the changes that are due. What waits is cleared at the rate before, by `clear`.
    pub fn change(&mut self, now: Time, clear: Time) {
        while let Some(&(at, bps)) = self.coming.last().filter(|change| change.0 <= now) {
            let from = at.max(clear).max(self.since);
            (self.bits, self.since, self.before, self.bps) = (self.capacity(from), from, self.bps, bps);
            self.coming.pop();
        }
    }

    pub fn reset(&mut self, now: Time) {
        (self.bits, self.since) = (self.bits - self.capacity(now), self.since);
    }
}
