//! The Kalman filter of the draft, which estimates the change of the delay from group to group.
//!
//! Source: draft-ietf-rmcat-gcc-02 section 5.3.
//!
//! NOTE(draft-ietf-rmcat-gcc-02 section 5.3): the draft states neither `K` nor the first variance of the
//! noise. They are 60 groups and 50 ms^2, as in libwebrtc `overuse_estimator.cc`. `chi` is 0.01, within the
//! draft's interval; times of its exponent are in milliseconds, as there.
//!
//! NOTE(draft-ietf-rmcat-gcc-02 section 5.4): the draft compares `m(i)` with the threshold. The program that
//! it describes compares `min(i, 60) m(i)` (libwebrtc `overuse_detector.cc`), and this one does so too.
//! Without the factor a threshold of 6 ms would tolerate an overload of a fifth of the link.

use std::collections::VecDeque;

use super::arrivals::Gap;

/// Variance of the change of the state per group, ms^2 (draft section 5.6: `q`).
const STATE_NOISE: f64 = 1e-3;
/// First variance of the estimate, ms^2 (draft section 5.6: `e(0)`).
const FIRST_ERROR: f64 = 0.1;
/// First and smallest variance of the noise of a measurement, ms^2.
const FIRST_NOISE: f64 = 50.0;
const LEAST_NOISE: f64 = 1.0;
/// Coefficient of the average of the noise (draft section 5.6: `chi`).
const CHI: f64 = 0.01;
/// Number of groups whose shortest gap sets the speed of that average: `K`.
const GAPS: usize = 60;
/// Standard deviations beyond which a measurement counts as noise.
const OUTLIER: f64 = 3.0;
/// Largest factor of the estimate.
const MOST_GROUPS: f64 = 60.0;

/// The filter.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Kalman {
    groups: f64,
    /// Change of the delay per group, milliseconds: `m_hat`.
    change_ms: f64,
    /// Variances of the estimate and of the noise, ms^2: `e` and `var_v_hat`.
    error: f64,
    noise: f64,
    /// Last gaps at the sender, milliseconds.
    gaps_ms: VecDeque<f64>,
}

impl Default for Kalman {
    fn default() -> Self {
        let gaps_ms = VecDeque::new();
        Self { groups: 0.0, change_ms: 0.0, error: FIRST_ERROR, noise: FIRST_NOISE, gaps_ms }
    }
}

impl Kalman {
    /// Takes a gap between groups. Returns the estimated change of the delay per group, milliseconds.
    pub fn take(&mut self, gap: &Gap) -> f64 {
        self.groups += 1.0;
        let surprise_ms = gap.change_ms() - self.change_ms;
        self.measure_noise(gap.sent_ms, surprise_ms);
        let prior = self.error + STATE_NOISE;
        let weight = prior / (self.noise + prior);
        self.change_ms += surprise_ms * weight;
        self.error = (1.0 - weight) * prior;
        self.change_ms
    }

    /// The quantity that is compared with the threshold, milliseconds.
    pub fn strength_ms(&self) -> f64 {
        self.groups.min(MOST_GROUPS) * self.change_ms
    }

    fn measure_noise(&mut self, sent_ms: f64, surprise_ms: f64) {
        self.gaps_ms.push_back(sent_ms);
        if self.gaps_ms.len() > GAPS {
            self.gaps_ms.pop_front();
        }
        let shortest_ms = self.gaps_ms.iter().fold(f64::INFINITY, |least, gap| least.min(*gap));
        let keep = (1.0 - CHI).powf(30.0 * shortest_ms / 1e3);
        let most_ms = OUTLIER * self.noise.sqrt();
        let bounded_ms = surprise_ms.clamp(-most_ms, most_ms);
        self.noise = (keep * self.noise + (1.0 - keep) * bounded_ms * bounded_ms).max(LEAST_NOISE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_follows_the_equations() {
        // z = 3; keep = 0.99^(30 * 20 / 1000); the noise, then k = 0.101 / (noise + 0.101)
        let mut filter = Kalman::default();
        let change_ms = filter.take(&Gap { sent_ms: 20.0, arrived_ms: 23.0 });
        let keep = 0.99f64.powf(0.6);
        let noise = keep * 50.0 + (1.0 - keep) * 9.0;
        let weight = 0.101 / (noise + 0.101);
        assert!((change_ms - 3.0 * weight).abs() < 1e-12);
        assert!((filter.error - (1.0 - weight) * 0.101).abs() < 1e-12);
    }

    #[test]
    fn it_converges_to_a_constant_change() {
        let mut filter = Kalman::default();
        let change_ms = (0..2000).map(|_| filter.take(&Gap { sent_ms: 30.0, arrived_ms: 31.0 })).last();
        assert!((change_ms.expect("many") - 1.0).abs() < 1e-3);
        assert_eq!(filter.noise, 1.0); // the surprise vanishes, and the floor holds
    }

    #[test]
    fn an_outlier_raises_the_noise_by_nine_times_itself_at_most() {
        let mut filter = Kalman::default();
        filter.take(&Gap { sent_ms: 20.0, arrived_ms: 1020.0 });
        let keep = 0.99f64.powf(0.6);
        assert!((filter.noise - (keep * 50.0 + (1.0 - keep) * 450.0)).abs() < 1e-9);
    }
}
