//! The slope of the delay over the last groups of packets, by least squares.
//!
//! Source: libwebrtc `trendline_estimator.cc`, which replaced the Kalman filter of the draft in 2016.

use std::collections::VecDeque;

use super::arrivals::Gap;

/// Number of groups that the line is fitted to (`kDefaultTrendlineWindowSize`).
const POINTS: usize = 20;
/// Weight of the past in the smoothed delay (`kDefaultTrendlineSmoothingCoeff`).
const SMOOTHING: f64 = 0.9;
/// Factor of the slope (`kDefaultTrendlineThresholdGain`), and the largest number of groups that multiplies
/// it (`kMinNumDeltas`).
const GAIN: f64 = 4.0;
const MOST_GROUPS: f64 = 60.0;

/// A point of the line, milliseconds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Point {
    arrived_ms: f64,
    delay_ms: f64,
}

/// The delay of the last groups relative to the first one.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Trendline {
    groups: f64,
    /// Arrival of the first group, milliseconds.
    origin_ms: f64,
    /// Sum of the changes of the delay, and its exponential average, milliseconds.
    delay_ms: f64,
    smoothed_ms: f64,
    points: VecDeque<Point>,
    slope: f64,
}

impl Trendline {
    /// Takes a gap between groups, known at an arrival. Returns the slope of the delay, 1.
    pub fn take(&mut self, gap: &Gap, arrived_ms: f64) -> f64 {
        if self.groups == 0.0 {
            self.origin_ms = arrived_ms;
        }
        self.groups += 1.0;
        self.delay_ms += gap.change_ms();
        self.smoothed_ms = SMOOTHING * self.smoothed_ms + (1.0 - SMOOTHING) * self.delay_ms;
        self.points.push_back(Point { arrived_ms: arrived_ms - self.origin_ms, delay_ms: self.smoothed_ms });
        if self.points.len() > POINTS {
            self.points.pop_front();
        }
        if self.points.len() == POINTS {
            self.slope = fit(&self.points).unwrap_or(self.slope);
        }
        self.slope
    }

    /// The quantity that is compared with the threshold, milliseconds.
    pub fn strength_ms(&self) -> f64 {
        self.groups.min(MOST_GROUPS) * GAIN * self.slope
    }
}

/// Returns the slope of the line through points by least squares, unless their abscissas are equal.
fn fit(points: &VecDeque<Point>) -> Option<f64> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.arrived_ms).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.delay_ms).sum::<f64>() / count;
    let (mut product, mut square) = (0.0, 0.0);
    for point in points {
        let x = point.arrived_ms - mean_x;
        product += x * (point.delay_ms - mean_y);
        square += x * x;
    }
    (square > 0.0).then(|| product / square)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(changes: impl Iterator<Item = f64>) -> Trendline {
        let mut trendline = Trendline::default();
        let mut at_ms = 0.0;
        for change in changes {
            at_ms += 10.0 + change;
            trendline.take(&Gap { sent_ms: 10.0, arrived_ms: 10.0 + change }, at_ms);
        }
        trendline
    }

    #[test]
    fn the_slope_of_a_line_is_exact() {
        let points =
            (0..20).map(|i| Point { arrived_ms: 7.0 * f64::from(i), delay_ms: 3.0 - 0.5 * f64::from(i) });
        let slope = fit(&points.collect()).expect("distinct abscissas");
        assert!((slope + 0.5 / 7.0).abs() < 1e-15);
    }

    #[test]
    fn a_delay_that_grows_steadily_has_the_slope_of_the_overload() {
        // 1 ms more per 11 ms at the receiver: the rate is 10 % above the link's, and the slope 1/11
        let trendline = run((0..200).map(|_| 1.0));
        assert!((trendline.slope - 1.0 / 11.0).abs() < 1e-6, "{}", trendline.slope);
        assert!((trendline.strength_ms() - 60.0 * 4.0 / 11.0).abs() < 1e-3);
    }

    #[test]
    fn there_is_no_slope_before_twenty_groups() {
        assert_eq!(run((0..19).map(|_| 1.0)).slope, 0.0);
        assert!(run((0..20).map(|_| 1.0)).slope > 0.0);
    }

    #[test]
    fn a_constant_delay_has_no_slope() {
        assert_eq!(run((0..100).map(|_| 0.0)).slope, 0.0);
    }
}
