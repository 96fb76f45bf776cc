//! The base delay and the current delay of LEDBAT (RFC 6817 §2.4.2): minima of the last minutes and of the
//! last samples.

const MINUTE_S: f64 = 60.0;

/// The delays of the last minutes and the last samples.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Delays {
    /// Smallest delay of each minute, the latest last.
    minutes: Vec<f64>,
    kept_minutes: usize,
    minute: f64,
    /// The last samples, in a ring buffer.
    recent: Vec<f64>,
    next: usize,
    /// Smallest delay of all minutes kept; infinite before the first sample.
    pub base_s: f64,
}

impl Delays {
    /// Creates an empty history of `kept_minutes` minutes and of `filter` samples.
    pub fn new(kept_minutes: usize, filter: usize) -> Self {
        Self {
            minutes: Vec::new(),
            kept_minutes,
            minute: -1.0,
            recent: vec![f64::INFINITY; filter],
            next: 0,
            base_s: f64::INFINITY,
        }
    }

    pub fn sample(&mut self, now_s: f64, delay_s: f64) {
        self.recent[self.next] = delay_s;
        self.next = (self.next + 1) % self.recent.len();
        let minute = (now_s / MINUTE_S).floor();
        if minute == self.minute {
            let last = self.minutes.last_mut().expect("a minute has begun");
            *last = last.min(delay_s);
            self.base_s = self.base_s.min(delay_s);
        } else {
            self.minute = minute;
            self.roll(delay_s);
        }
    }

    fn roll(&mut self, delay_s: f64) {
        if self.minutes.len() == self.kept_minutes {
            self.minutes.remove(0);
        }
        self.minutes.push(delay_s);
        self.base_s = least(&self.minutes);
    }

    /// Queueing delay, seconds; `None` before the first sample.
    pub fn queueing_s(&self) -> Option<f64> {
        self.base_s.is_finite().then(|| least(&self.recent) - self.base_s)
    }
}

fn least(delays: &[f64]) -> f64 {
    delays.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_four_samples_counts() {
        let mut delays = Delays::new(10, 4);
        [0.1, 0.2, 0.15, 0.18, 0.19].iter().for_each(|delay_s| delays.sample(1.0, *delay_s));
        assert!((delays.queueing_s().expect("samples") - 0.05).abs() < 1e-12);
    }

    #[test]
    fn a_base_is_forgotten_after_ten_minutes() {
        let mut delays = Delays::new(10, 4);
        delays.sample(30.0, 0.1);
        (1..=9).for_each(|minute| delays.sample(60.0 * f64::from(minute), 0.2));
        assert_eq!(delays.base_s, 0.1);
        delays.sample(600.0, 0.2);
        assert_eq!(delays.base_s, 0.2);
    }
}
