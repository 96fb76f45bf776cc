//! The control of the base probability.

use super::Params;

/// The base probability `p'` and its control (RFC 9332 A.1).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Law {
    alpha_hz: f64,
    beta_hz: f64,
    target_s: f64,
    coupling: f64,
    /// Largest base probability.
    most: f64,
    before_s: f64,
    /// The base probability.
    pub probability: f64,
}

impl Law {
    pub fn new(params: &Params, most: f64) -> Self {
        let Params { alpha_hz, beta_hz, target_s, coupling, .. } = *params;
        Self { alpha_hz, beta_hz, target_s, coupling, most, before_s: 0.0, probability: 0.0 }
    }

    /// Updates the probability by the current wait.
    pub fn update(&mut self, wait_s: f64) {
        let (error_s, change_s) = (wait_s - self.target_s, wait_s - self.before_s);
        let next = self.probability + self.alpha_hz * error_s + self.beta_hz * change_s;
        self.probability = next.clamp(0.0, self.most);
        self.before_s = wait_s;
    }

    /// Returns the probability of L that belongs to it, which may exceed 1.
    pub fn coupled(&self) -> f64 {
        self.coupling * self.probability
    }
}
