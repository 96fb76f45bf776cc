//! The decrease of the rate while round trips are very long or reports are missing.
//!
//! Source: libwebrtc `send_side_bandwidth_estimation.cc` (`RttBasedBackoff`).

/// Round trip above which the rate falls, seconds.
const LIMIT_S: f64 = 3.0;
/// Time between decreases, seconds, their factor, and the least rate, bit/s.
const GAP_S: f64 = 1.0;
const FACTOR: f64 = 0.8;
const LEAST_BPS: f64 = 5e3;

/// The round trip, and the rate while it is too long.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Backoff {
    rtt_s: f64,
    /// Times of the last report with a round trip, and of the last packet that was sent, seconds.
    reported_s: Option<f64>,
    sent_s: f64,
    decreased_s: Option<f64>,
    rate_bps: Option<f64>,
}

impl Backoff {
    /// Takes a round trip without the wait at the receiver, seconds.
    pub fn take_rtt(&mut self, rtt_s: f64, now_s: f64) {
        (self.rtt_s, self.reported_s) = (rtt_s, Some(now_s));
    }

    /// A packet leaves.
    pub fn on_send(&mut self, now_s: f64) {
        self.sent_s = now_s;
        self.reported_s.get_or_insert(now_s);
    }

    /// Whether the rate is lowered.
    pub fn is_active(&self) -> bool {
        self.rate_bps.is_some()
    }

    /// Returns the rate that a rate becomes, bit/s.
    pub fn limit(&mut self, rate_bps: f64, now_s: f64) -> f64 {
        let missing_s = self.reported_s.map_or(0.0, |reported_s| (self.sent_s - reported_s).max(0.0));
        if self.rtt_s + missing_s <= LIMIT_S {
            self.rate_bps = None;
            return rate_bps;
        }
        let current_bps = self.rate_bps.unwrap_or(rate_bps);
        let is_due = self.decreased_s.is_none_or(|decreased_s| now_s - decreased_s >= GAP_S);
        let next_bps = if is_due && current_bps > LEAST_BPS {
            self.decreased_s = Some(now_s);
            (FACTOR * current_bps).max(LEAST_BPS)
        } else {
            current_bps.min(rate_bps)
        };
        self.rate_bps = Some(next_bps);
        next_bps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_is_taken_each_second_without_reports() {
        let mut backoff = Backoff::default();
        backoff.take_rtt(0.1, 0.0);
        backoff.on_send(2.9);
        assert_eq!(backoff.limit(1e6, 2.9), 1e6);
        backoff.on_send(3.0);
        assert_eq!(backoff.limit(1e6, 3.0), 8e5); // 0.1 + 3.0 s
        assert_eq!(backoff.limit(1e6, 3.9), 8e5);
        assert_eq!(backoff.limit(1e6, 4.0), 6.4e5);
    }

    #[test]
    fn a_sender_that_waits_is_not_punished() {
        let mut backoff = Backoff::default();
        backoff.take_rtt(0.1, 0.0);
        backoff.on_send(0.5);
        assert_eq!(backoff.limit(1e6, 100.0), 1e6);
    }

    #[test]
    fn a_short_round_trip_ends_it() {
        let mut backoff = Backoff::default();
        backoff.take_rtt(3.1, 0.0);
        assert_eq!(backoff.limit(1e6, 0.0), 8e5);
        backoff.take_rtt(0.2, 0.5);
        assert_eq!(backoff.limit(1e6, 0.5), 1e6);
    }
}
