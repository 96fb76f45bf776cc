//! The largest or smallest value of a moving window in constant memory (K. Nichols's estimator, as in Linux
//! `win_minmax.c`).
//!
//! Three samples are kept: the best of the window, the best after it, and the best after that one. A sample
//! that is never exceeded is dropped a window later, and its successor replaces it. Successors are renewed in
//! the window's second quarter and second half, so that they are recent when they are needed. The result is
//! exact after a rise, and at most half a window late after a fall.

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Sample {
    at: f64,
    value: f64,
}

/// A windowed maximum, for any unit of time.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct WindowedMax {
    best: [Sample; 3],
}

impl WindowedMax {
    pub fn get(&self) -> f64 {
        self.best[0].value
    }

    /// Takes a sample at time `at`; the maximum covers `window`.
    pub fn update(&mut self, window: f64, at: f64, value: f64) {
        let sample = Sample { at, value };
        let empty = at - self.best[2].at > window;
        if value >= self.best[0].value || empty {
            self.best = [sample; 3];
        } else {
            self.rank(sample);
            self.age(window, sample);
        }
    }

    fn rank(&mut self, sample: Sample) {
        if sample.value >= self.best[1].value {
            self.best[1] = sample;
            self.best[2] = sample;
        } else if sample.value >= self.best[2].value {
            self.best[2] = sample;
        }
    }

    fn age(&mut self, window: f64, sample: Sample) {
        let [first, second, third] = self.best;
        let age = sample.at - first.at;
        if age > window {
            self.promote(sample);
            if sample.at - self.best[0].at > window {
                self.promote(sample);
            }
        } else if second.at == first.at && age > window / 4.0 {
            self.best[1] = sample;
            self.best[2] = sample;
        } else if third.at == second.at && age > window / 2.0 {
            self.best[2] = sample;
        }
    }

    fn promote(&mut self, last: Sample) {
        self.best = [self.best[1], self.best[2], last];
    }
}

/// A windowed minimum, for values above 0.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct WindowedMin(WindowedMax);

impl WindowedMin {
    pub fn new() -> Self {
        Self(WindowedMax { best: [Sample { at: 0.0, value: f64::NEG_INFINITY }; 3] })
    }

    /// The minimum; infinite before the first sample.
    #[inline]
    pub fn get(&self) -> f64 {
        -self.0.get()
    }

    /// Takes a sample at time `at`; the minimum covers `window`.
    #[inline]
    pub fn update(&mut self, window: f64, at: f64, value: f64) {
        self.0.update(window, at, -value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(samples: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let mut filter = WindowedMax::default();
        let taken = samples.into_iter().enumerate().map(|(at, value)| {
            filter.update(10.0, at as f64, value);
            filter.get()
        });
        taken.collect()
    }

    #[test]
    fn a_peak_lasts_one_window_and_no_longer() {
        let maxima = run((0..30).map(|at| if at == 5 { 9.0 } else { 1.0 }));
        assert_eq!(maxima[4], 1.0);
        assert!(maxima[5..=15].iter().all(|&m| m == 9.0));
        assert!(maxima[16..].iter().all(|&m| m == 1.0));
    }

    #[test]
    fn a_falling_sequence_is_forgotten_within_a_window_and_a_half() {
        // the true maximum of the last ten is 10 above the newest; successors may be half a window old
        let maxima = run((0..100).map(|at| f64::from(1000 - at)));
        for (at, max) in maxima.iter().enumerate().skip(20) {
            let newest = 1000.0 - at as f64;
            assert!((newest..=newest + 10.0).contains(max), "{at}: {max}");
        }
    }

    #[test]
    fn after_a_pause_only_the_new_counts() {
        let mut filter = WindowedMax::default();
        filter.update(10.0, 0.0, 5.0);
        filter.update(10.0, 11.0, 1.0);
        assert_eq!(filter.get(), 1.0);
    }

    #[test]
    fn a_minimum_lasts_one_window_too() {
        let mut filter = WindowedMin::new();
        assert_eq!(filter.get(), f64::INFINITY);
        for at in 0..30 {
            filter.update(10.0, f64::from(at), if at == 5 { 1.0 } else { 9.0 });
            assert_eq!(filter.get(), if (5..=15).contains(&at) { 1.0 } else { 9.0 }, "{at}");
        }
    }

    #[test]
    fn successors_are_renewed_in_the_second_quarter_and_the_second_half() {
        let mut filter = WindowedMax::default();
        let samples = [(0.0, 9.0), (1.0, 8.0), (3.0, 5.0), (4.0, 4.0), (6.0, 3.0), (9.0, 2.0)];
        samples.into_iter().for_each(|(at, value)| filter.update(10.0, at, value));
        // the sample of 0 is replaced by that of 3, the first after a quarter; then by that of 6, the first
        // after a half
        for (at, value, expected) in [(10.0, 1.5, 9.0), (11.0, 1.0, 5.0), (14.0, 0.5, 3.0)] {
            filter.update(10.0, at, value);
            assert_eq!(filter.get(), expected, "{at}");
        }
    }
}
