//! The RTTs of one round trip, for algorithms that decide once per round trip, and the smallest RTT of all.

/// Number of samples below which a round is not evaluated, because they may all be delayed ACKs (Linux
/// tcp_vegas.c).
const LEAST_SAMPLES: u32 = 3;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct RoundRtt {
    /// Smallest RTT of data so far, seconds. The handshake is excluded: its packets are shorter, so that one
    /// packet's transmission time would look like a packet in the queue.
    pub base_s: f64,
    /// Smallest RTT of the round, seconds; infinite before the first sample.
    pub least_s: f64,
    sum_s: f64,
    samples: u32,
}

impl RoundRtt {
    pub fn new() -> Self {
        Self { base_s: f64::INFINITY, least_s: f64::INFINITY, sum_s: 0.0, samples: 0 }
    }

    /// Begins a round.
    pub fn restart(&mut self) {
        *self = Self { base_s: self.base_s, ..Self::new() };
    }

    #[inline]
    pub fn sample(&mut self, rtt_s: f64) {
        if rtt_s > 0.0 {
            self.base_s = self.base_s.min(rtt_s);
            self.least_s = self.least_s.min(rtt_s);
            self.sum_s += rtt_s;
            self.samples += 1;
        }
    }

    /// Whether there are enough samples that the receiver did not delay at least one of them.
    pub fn has_enough_samples(&self) -> bool {
        self.samples >= LEAST_SAMPLES
    }

    /// Mean RTT of the round, seconds.
    pub fn mean_s(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum_s / f64::from(self.samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_without_samples_has_no_mean() {
        let mut round = RoundRtt::new();
        assert_eq!(round.mean_s(), None);
        [0.25, 0.0, 0.75].into_iter().for_each(|rtt_s| round.sample(rtt_s));
        assert_eq!((round.mean_s(), round.base_s, round.has_enough_samples()), (Some(0.5), 0.25, false));
        round.sample(0.5);
        assert!(round.has_enough_samples());
    }
}
