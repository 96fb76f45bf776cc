//! The throughput that H-TCP compares between losses.

/// Number of round trips after a loss in which samples replace the average, and the weight of later samples.
const FRESH_ROUNDS: f64 = 4.0;
const WEIGHT: f64 = 0.25;

/// The throughput since the last loss.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Throughput {
    /// Segments acknowledged since `since_s`.
    acked: f64,
    since_s: f64,
    /// Average, its maximum since the last loss, and the maximum before that, segments/s.
    pub average: f64,
    pub most: f64,
    before: f64,
}

impl Throughput {
    pub fn restart(&mut self, now_s: f64) {
        (self.acked, self.since_s) = (0.0, now_s);
    }

    /// Counts acknowledged segments. A sample is a window of segments that took at least the smallest RTT.
    /// The last loss was at `lost_s`.
    pub fn count(&mut self, acked: f64, window: f64, now_s: f64, lost_s: f64, min_rtt_s: f64) {
        self.acked += acked;
        let elapsed_s = now_s - self.since_s;
        if self.acked < window || elapsed_s < min_rtt_s || elapsed_s <= 0.0 {
            return;
        }
        let sample = self.acked / elapsed_s;
        if now_s - lost_s < FRESH_ROUNDS * min_rtt_s {
            (self.average, self.most) = (sample, sample);
        } else {
            self.average += WEIGHT * (sample - self.average);
            self.most = self.most.max(self.average);
        }
        self.restart(now_s);
    }

    /// At a loss: returns whether the maximum has changed by more than `share` since the previous loss.
    pub fn has_changed(&mut self, share: f64) -> bool {
        let before = std::mem::replace(&mut self.before, self.most);
        (self.most - before).abs() > share * before
    }
}
