//! Samples that a law's own small window made, as if the sender had had nothing to send (Linux sets
//! `app_limited` in PROBE_RTT).

use headgate_model::control::Rate;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Limited {
    /// Segments that were sent while so many were delivered; `None` before the first time.
    sent: Option<(f64, f64)>,
}

impl Limited {
    /// From this ACK on the window is small.
    pub fn begin(&mut self, rate: &Rate) {
        self.sent = Some((rate.delivered, rate.delivered));
    }

    /// It is still.
    pub fn extend(&mut self, rate: &Rate) {
        if let Some((_, until)) = &mut self.sent {
            *until = rate.delivered + rate.in_flight;
        }
    }

    /// The sample tells of the sender rather than of the path.
    pub fn holds(&self, rate: &Rate) -> bool {
        rate.app_limited || self.sent.is_some_and(|(from, until)| (from..=until).contains(&rate.prior))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_in_the_meantime_is_limited() {
        let rate = |delivered, prior| Rate { delivered, prior, in_flight: 4.0, ..Rate::default() };
        let mut limited = Limited::default();
        assert!(!limited.holds(&rate(0.0, 0.0)));
        limited.begin(&rate(100.0, 60.0));
        limited.extend(&rate(120.0, 110.0));
        let held = [99.0, 100.0, 124.0, 125.0].map(|prior| limited.holds(&rate(130.0, prior)));
        assert_eq!(held, [false, true, true, false]);
    }
}
