//! Growth in whole segments, as in Linux.

use headgate_model::control::{Congestion, Window};

/// Time after which the growth is computed again for the same window, seconds (HZ/32).
const STALE_S: f64 = 1.0 / 32.0;

/// The number of acknowledged segments per added one.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Count {
    pub per_segment: f64,
    passed: f64,
    /// The window and the time for which `per_segment` was computed.
    cwnd: f64,
    at_s: f64,
}

impl Count {
    pub fn is_stale(&self, cwnd: f64, now_s: f64) -> bool {
        self.cwnd != cwnd || now_s - self.at_s > STALE_S
    }

    pub fn renew(&mut self, per_segment: f64, cwnd: f64, now_s: f64) {
        (self.per_segment, self.cwnd, self.at_s) = (per_segment, cwnd, now_s);
    }

    /// Returns the segments to add when `acked` more are acknowledged (tcp_cong_avoid_ai).
    pub fn take(&mut self, acked: f64) -> f64 {
        let early = if self.passed >= self.per_segment { 1.0 } else { 0.0 };
        self.passed = self.passed * (1.0 - early) + acked;
        let added = (self.passed / self.per_segment).floor();
        self.passed -= added * self.per_segment;
        early + added
    }
}

/// Returns the window before a reduction, whole segments. At a time-out only the flight is known.
pub fn before(event: &Congestion, window: &Window) -> f64 {
    window.cwnd.floor().max(f64::from(event.in_flight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(per_segment: f64, passed: f64) -> Count {
        Count { per_segment, passed, ..Count::default() }
    }

    #[test]
    fn a_segment_is_added_for_each_full_count() {
        let mut count = counted(10.0, 0.0);
        assert_eq!([4.0, 4.0, 4.0, 20.0].map(|acked| count.take(acked)), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(count.passed, 2.0);
    }

    #[test]
    fn a_count_that_has_shrunk_gives_one_at_once() {
        let mut count = counted(5.0, 8.0);
        assert_eq!((count.take(1.0), count.passed), (1.0, 1.0));
    }

    #[test]
    fn the_rule_is_stale_for_another_window_or_after_a_while() {
        let mut count = counted(5.0, 0.0);
        count.renew(7.0, 20.0, 1.0);
        assert!(!count.is_stale(20.0, 1.03) && count.is_stale(20.0, 1.04) && count.is_stale(21.0, 1.0));
    }
}
