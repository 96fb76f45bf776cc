//! The totals of a round trip's ACKs, for algorithms that are called once per round trip.

use headgate_model::control::Ack;
use serde::{Deserialize, Serialize};

/// Sums over the ACKs since the last round began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTotals {
    acked: f64,
    marked: f64,
    rtt_sum_s: f64,
    rtt_count: u32,
    cwnd_limited: bool,
}

impl RoundTotals {
    /// Takes an ACK. Returns the totals of the round if it ends. The ACK that opens a new round is the last
    /// of the old one. `acked` and `marked` are sums, `rtt_s` is the mean of the samples, `cwnd_limited` is
    /// true if it was true for any ACK, and the other fields are those of the last ACK.
    pub fn add(&mut self, ack: &Ack) -> Option<Ack> {
        self.acked += ack.acked;
        self.marked += ack.marked;
        self.rtt_sum_s += ack.rtt_s;
        self.rtt_count += u32::from(ack.rtt_s > 0.0);
        self.cwnd_limited |= ack.cwnd_limited;
        ack.round_start.then(|| std::mem::take(self).close(ack))
    }

    fn close(self, last: &Ack) -> Ack {
        let Self { acked, marked, rtt_sum_s, rtt_count, cwnd_limited } = self;
        let rtt_s = rtt_sum_s / f64::from(rtt_count.max(1));
        Ack { acked, marked, rtt_s, cwnd_limited, ..*last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn a_round_is_the_sum_of_its_acks_and_the_mean_of_its_samples() {
        let mut totals = RoundTotals::default();
        for (rtt_s, marked) in [(0.1, 0.0), (0.0, 1.0), (0.3, 1.0)] {
            let ack = Ack { marked, acked: 2.0, cwnd_limited: marked > 0.0, ..trial::ack(rtt_s) };
            assert!(totals.add(&ack).is_none());
        }
        let last = Ack { now_s: 7.0, round_start: true, cwnd_limited: false, ..trial::ack(0.2) };
        let all = totals.add(&last).expect("the round is over");
        assert_eq!((all.now_s, all.acked, all.marked), (7.0, 7.0, 2.0)); // 3 * 2 + 1
        assert!((all.rtt_s - 0.2).abs() < 1e-15 && all.cwnd_limited); // (0.1 + 0.3 + 0.2) / 3
        assert_eq!(totals, RoundTotals::default());
    }

    #[test]
    fn a_round_without_a_sample_has_no_rtt() {
        let last = Ack { round_start: true, ..trial::ack(0.0) };
        assert_eq!(RoundTotals::default().add(&last).expect("the round is over").rtt_s, 0.0);
    }
}
