//! The RTTs of one round trip, for the laws that decide once a round, and the smallest of all.

/// A round of fewer samples says nothing: they may all be delayed ACKs (Linux tcp_vegas.c).
const LEAST_SAMPLES: u32 = 3;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct RoundRtt {
    /// Smallest RTT of data so far, seconds. The handshake's packets are shorter: beside their RTT one
    /// packet's time on the line looks like a packet in the queue.
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

    /// A round begins.
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

    /// Enough samples that one of them was not delayed by the receiver.
    pub fn tells(&self) -> bool {
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
        assert_eq!((round.mean_s(), round.base_s, round.tells()), (Some(0.5), 0.25, false));
        round.sample(0.5);
        assert!(round.tells());
    }
}
