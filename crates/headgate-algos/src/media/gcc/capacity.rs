//! The capacity of the link, estimated from the rates at which over-use was detected.
//!
//! Sources: draft-ietf-rmcat-gcc-02 section 5.5 (average and three standard deviations, smoothing 0.95);
//! libwebrtc `link_capacity_estimator.cc` (variance relative to the rate, and its bounds).

/// Weight of a new rate: one less the draft's smoothing factor of 0.95.
const WEIGHT: f64 = 0.05;
/// Bounds of the variance divided by the rate, kbit/s.
const VARIANCES_KBPS: (f64, f64) = (0.4, 2.5);
/// Standard deviations that count as close.
const CLOSE: f64 = 3.0;

/// The average and the variance.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Capacity {
    mean_kbps: Option<f64>,
    /// Variance divided by the mean, kbit/s. It outlasts a reset of the mean.
    variance_kbps: f64,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { mean_kbps: None, variance_kbps: VARIANCES_KBPS.0 }
    }
}

impl Capacity {
    /// The average, bit/s; `None` if it is not known.
    pub fn mean_bps(&self) -> Option<f64> {
        self.mean_kbps.map(|mean| 1e3 * mean)
    }

    /// Forgets the average if a rate is so far above it that the capacity must have changed.
    pub fn forget_if_below(&mut self, rate_bps: f64) {
        if self.mean_kbps.is_some_and(|mean| rate_bps / 1e3 > mean + self.spread_kbps(mean)) {
            self.mean_kbps = None;
        }
    }

    /// Takes the rate at which over-use was detected.
    pub fn take(&mut self, rate_bps: f64) {
        let rate_kbps = rate_bps / 1e3;
        let known = self.mean_kbps.filter(|mean| rate_kbps >= mean - self.spread_kbps(*mean));
        let mean = known.map_or(rate_kbps, |mean| (1.0 - WEIGHT) * mean + WEIGHT * rate_kbps);
        let error = mean - rate_kbps;
        let variance = (1.0 - WEIGHT) * self.variance_kbps + WEIGHT * error * error / mean.max(1.0);
        self.variance_kbps = variance.clamp(VARIANCES_KBPS.0, VARIANCES_KBPS.1);
        self.mean_kbps = Some(mean);
    }

    fn spread_kbps(&self, mean_kbps: f64) -> f64 {
        CLOSE * (self.variance_kbps * mean_kbps).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_moves_by_a_twentieth() {
        let mut capacity = Capacity::default();
        capacity.take(1e6);
        capacity.take(1.02e6);
        assert_eq!(capacity.mean_bps(), Some(1.001e6));
        // 0.95 * 0.4 + 0.05 * 19^2 / 1001 = 0.398 is below the floor
        assert_eq!(capacity.variance_kbps, 0.4);
    }

    #[test]
    fn rates_beyond_three_deviations_replace_the_mean() {
        // 3 sqrt(0.4 * 1000) = 60 kbit/s
        let known = || {
            let mut capacity = Capacity::default();
            capacity.take(1e6);
            capacity
        };
        let mut above = known();
        above.forget_if_below(1.059e6);
        assert_eq!(above.mean_bps(), Some(1e6));
        above.forget_if_below(1.061e6);
        assert_eq!(above.mean_bps(), None);
        let mut below = known();
        below.take(0.9e6);
        assert_eq!(below.mean_bps(), Some(0.9e6));
    }
}
