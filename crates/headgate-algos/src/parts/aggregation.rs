//! ACK aggregation: the segments that ACKs acknowledge beyond what the bandwidth explains (Linux
//! `bbr_update_ack_aggregation`).

use headgate_model::whole::floor;

use crate::parts::order::{larger, smaller};

/// The current epoch.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Epoch {
    since_s: f64,
    /// Segments acknowledged in the epoch.
    acked: f64,
}

impl Epoch {
    pub fn new(since_s: f64) -> Self {
        Self { since_s, acked: 0.0 }
    }

    /// Takes `newly` acknowledged segments at an estimated bandwidth of `bw` segments/s. Returns the excess
    /// over the expected number. An epoch ends when there is no excess.
    pub fn excess(&mut self, newly: f64, now_s: f64, bw: f64, cwnd: f64) -> f64 {
        let expected = floor(bw * (now_s - self.since_s));
        let goes_on = self.acked > expected; // in half of all cases: chosen without a branch
        let so_far = if goes_on { [self.acked, self.since_s, expected] } else { [0.0, now_s, 0.0] };
        self.acked = so_far[0] + newly;
        self.since_s = so_far[1];
        smaller(self.acked - so_far[2], cwnd)
    }
}

/// The largest excess of the last one to two windows of round trips.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Aggregation {
    epoch: Epoch,
    /// Largest excess of this window and of the previous one, segments.
    extra: [f64; 2],
    slot: usize,
    rounds: u32,
}

impl Aggregation {
    pub fn new(now_s: f64) -> Self {
        Self { epoch: Epoch::new(now_s), ..Self::default() }
    }

    /// Begins an epoch.
    pub fn begin_epoch(&mut self, now_s: f64) {
        self.epoch = Epoch::new(now_s);
    }

    /// Begins a round trip; a window consists of `window` of them.
    pub fn next_round(&mut self, window: u32) {
        self.rounds += 1;
        if self.rounds >= window {
            self.rounds = 0;
            self.slot = 1 - self.slot;
            self.extra[self.slot] = 0.0;
        }
    }

    /// Takes `newly` acknowledged segments at an estimated bandwidth of `bw` segments/s.
    pub fn take(&mut self, newly: f64, now_s: f64, bw: f64, cwnd: f64) {
        let extra = self.epoch.excess(newly, now_s, bw, cwnd);
        self.extra[self.slot] = larger(self.extra[self.slot], extra);
    }

    /// The excess to allow for, segments.
    pub fn extra(&self) -> f64 {
        larger(self.extra[0], self.extra[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_acks_have_the_excess_of_one_ack() {
        let mut aggregation = Aggregation::new(0.0);
        (1..100).for_each(|i| aggregation.take(2.0, f64::from(i) / 64.0, 128.0, 50.0));
        assert_eq!(aggregation.extra(), 2.0); // two arrive at once, none expected
    }

    #[test]
    fn a_burst_of_acks_is_an_excess_until_two_windows_later() {
        let mut aggregation = Aggregation::new(0.0);
        (0..10).for_each(|_| aggregation.take(2.0, 1.0, 100.0, 50.0));
        assert_eq!(aggregation.extra(), 20.0);
        (0..9).for_each(|_| aggregation.next_round(5));
        assert_eq!(aggregation.extra(), 20.0);
        aggregation.next_round(5);
        assert_eq!(aggregation.extra(), 0.0);
    }

    #[test]
    fn the_window_bounds_the_excess() {
        let mut aggregation = Aggregation::new(0.0);
        aggregation.take(80.0, 1.0, 100.0, 50.0);
        assert_eq!(aggregation.extra(), 50.0);
    }
}
