//! The detector of over-use, whose threshold adapts to the signal.
//!
//! Sources: draft-ietf-rmcat-gcc-02 section 5.4; libwebrtc `trendline_estimator.cc` (`Detect`,
//! `UpdateThreshold`), whose gains of the threshold differ.

/// First threshold, milliseconds (draft section 5.6: `del_var_th(0)`).
const FIRST_THRESHOLD_MS: f64 = 12.5;
/// Range of the threshold, milliseconds (draft section 5.4).
const THRESHOLDS_MS: (f64, f64) = (6.0, 600.0);
/// Excess above which the threshold does not adapt, milliseconds (draft section 5.4).
const SPIKE_MS: f64 = 15.0;
/// Longest time of one adaptation, milliseconds (`kMaxTimeDeltaMs`).
const LONGEST_STEP_MS: f64 = 100.0;
/// Time for which the signal must be above the threshold, milliseconds (draft section 5.6:
/// `overuse_time_th`).
const OVERUSE_MS: f64 = 10.0;

/// The change of the delay, as a judgement of the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Usage {
    /// The delay neither grows nor falls.
    #[default]
    Normal,
    /// The delay grows.
    Over,
    /// Queues drain.
    Under,
}

/// Gains of the threshold per millisecond: `K_u` and `K_d`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Gains {
    /// Above the threshold.
    pub up: f64,
    /// Below it.
    pub down: f64,
}

impl Gains {
    /// Of the draft (section 5.6).
    pub const DRAFT: Self = Self { up: 0.01, down: 0.00018 };
    /// Of libwebrtc (`k_up_`, `k_down_`).
    pub const WEBRTC: Self = Self { up: 0.0087, down: 0.039 };
}

/// The state of the detector.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Detector {
    gains: Gains,
    threshold_ms: f64,
    /// Time of the last adaptation, milliseconds.
    adapted_ms: Option<f64>,
    /// Time for which the signal has been above the threshold, and its groups, milliseconds.
    over_ms: Option<f64>,
    over_groups: u32,
    /// The last trend.
    trend: f64,
    judged: bool,
    usage: Usage,
}

impl Detector {
    /// Creates a detector with the first threshold.
    pub fn new(gains: Gains) -> Self {
        Self {
            gains,
            threshold_ms: FIRST_THRESHOLD_MS,
            adapted_ms: None,
            over_ms: None,
            over_groups: 0,
            trend: 0.0,
            judged: false,
            usage: Usage::Normal,
        }
    }

    /// The last judgement.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The threshold, milliseconds.
    pub fn threshold_ms(&self) -> f64 {
        self.threshold_ms
    }

    /// Judges a signal and its trend, which a group sent `sent_ms` after the one before gave at time
    /// `now_ms`.
    pub fn judge(&mut self, signal_ms: f64, trend: f64, sent_ms: f64, now_ms: f64) -> Usage {
        if !std::mem::replace(&mut self.judged, true) {
            return self.usage; // the first gap says nothing
        }
        if signal_ms > self.threshold_ms {
            self.count_over(trend, sent_ms);
        } else {
            (self.over_ms, self.over_groups) = (None, 0);
            self.usage = if signal_ms < -self.threshold_ms { Usage::Under } else { Usage::Normal };
        }
        self.trend = trend;
        self.adapt(signal_ms.abs(), now_ms);
        self.usage
    }

    /// Counts a group above the threshold. The judgement stays until enough time has passed and the trend
    /// does not fall.
    fn count_over(&mut self, trend: f64, sent_ms: f64) {
        // the signal crossed the threshold between the groups
        let over_ms = self.over_ms.map_or(0.5 * sent_ms, |over_ms| over_ms + sent_ms);
        self.over_ms = Some(over_ms);
        self.over_groups += 1;
        if over_ms > OVERUSE_MS && self.over_groups > 1 && trend >= self.trend {
            (self.over_ms, self.over_groups) = (Some(0.0), 0);
            self.usage = Usage::Over;
        }
    }

    fn adapt(&mut self, size_ms: f64, now_ms: f64) {
        let elapsed_ms = (now_ms - self.adapted_ms.unwrap_or(now_ms)).min(LONGEST_STEP_MS);
        self.adapted_ms = Some(now_ms);
        if size_ms > self.threshold_ms + SPIKE_MS {
            return;
        }
        let gain = if size_ms < self.threshold_ms { self.gains.down } else { self.gains.up };
        self.threshold_ms += gain * (size_ms - self.threshold_ms) * elapsed_ms;
        self.threshold_ms = self.threshold_ms.clamp(THRESHOLDS_MS.0, THRESHOLDS_MS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges signals with a group every `sent_ms`; the trend is the signal.
    fn judge(signals: &[f64], sent_ms: f64) -> (Detector, Vec<Usage>) {
        let mut detector = Detector::new(Gains::WEBRTC);
        let mut now_ms = 0.0;
        let mut one = |signal: &f64| {
            now_ms += sent_ms;
            detector.judge(*signal, *signal, sent_ms, now_ms)
        };
        let usages = signals.iter().map(&mut one).collect();
        (detector, usages)
    }

    #[test]
    fn over_use_needs_ten_milliseconds_and_a_trend_that_does_not_fall() {
        use Usage::{Normal, Over};
        // the second signal counts as 3 ms, the third makes 9 and the fourth 15
        assert_eq!(judge(&[0.0, 15.0, 15.0, 15.0], 6.0).1, [Normal, Normal, Normal, Over]);
        assert_eq!(judge(&[0.0, 15.0, 15.0, 14.0], 6.0).1, [Normal; 4]);
        // one group is not enough, however long
        assert_eq!(judge(&[0.0, 15.0, 16.0], 60.0).1, [Normal, Normal, Over]);
    }

    #[test]
    fn under_use_is_immediate() {
        assert_eq!(judge(&[0.0, -13.0], 10.0).1[1], Usage::Under);
        assert_eq!(judge(&[0.0, -12.0], 10.0).1[1], Usage::Normal);
    }

    #[test]
    fn the_threshold_follows_the_signal_with_two_gains() {
        // down: 12.5 + 0.039 (0 - 12.5) 10 = 7.625; no time precedes the first adaptation
        assert!((judge(&[0.0, 0.0, 0.0], 10.0).0.threshold_ms() - 7.625).abs() < 1e-12);
        // up: 12.5 + 0.0087 (20 - 12.5) 10
        assert!((judge(&[0.0, 20.0, 20.0], 10.0).0.threshold_ms() - 13.1525).abs() < 1e-12);
        // a spike changes nothing
        assert_eq!(judge(&[0.0, 40.0, 40.0], 10.0).0.threshold_ms(), 12.5);
    }

    #[test]
    fn the_threshold_has_bounds() {
        assert_eq!(judge(&[0.0; 100], 10.0).0.threshold_ms(), 6.0);
        let rising: Vec<f64> = (0..20_000).map(|n| 0.5 * f64::from(n).min(1600.0)).collect();
        assert!(judge(&rising, 100.0).0.threshold_ms() <= 600.0);
    }

    #[test]
    fn gains_of_the_draft_lower_the_threshold_by_a_sixth_per_second() {
        let mut detector = Detector::new(Gains::DRAFT);
        for n in 0..102 {
            detector.judge(0.0, 0.0, 10.0, 10.0 * f64::from(n)); // one second
        }
        assert!((detector.threshold_ms() - 12.5 * (1.0 - 0.0018f64).powi(100)).abs() < 1e-9);
    }
}
