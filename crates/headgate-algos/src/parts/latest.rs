//! The deliveries and losses of the last round trip (draft-ietf-ccwg-bbr §5.5.10.3; Linux
//! `bbr_update_latest_delivery_signals`).

use headgate_model::control::Rate;

use crate::parts::order::larger;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Latest {
    /// Largest rate, segments/s, and volume, segments, of the samples of the round trip.
    pub bw: f64,
    pub inflight: f64,
    pub loses: bool,
    /// Whether the last ACK began a round trip. A first loss begins one too.
    pub starts: bool,
    /// Segments delivered at the start of the round trip.
    end: f64,
}

impl Latest {
    pub fn new() -> Self {
        Self { end: 1.0, ..Self::default() }
    }

    pub fn take(&mut self, rate: &Rate) {
        self.bw = larger(self.bw, rate.per_s);
        self.inflight = larger(self.inflight, rate.delivered - rate.prior);
        self.starts = rate.prior >= self.end;
        if self.starts {
            self.end = rate.delivered;
        }
    }

    /// Ends an ACK. A new round trip keeps only its own samples.
    pub fn advance(&mut self, rate: &Rate) {
        if self.starts {
            (self.bw, self.inflight) = (rate.per_s, rate.delivered - rate.prior);
        }
    }

    /// Begins a round trip at a first loss, so that the whole round trip after it is evaluated.
    pub fn note_loss(&mut self, delivered: f64) {
        if !self.loses {
            self.end = delivered;
        }
        self.loses = true;
    }

    pub fn forget(&mut self) {
        (self.bw, self.inflight, self.loses) = (0.0, 0.0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(delivered: f64, prior: f64, per_s: f64) -> Rate {
        Rate { delivered, prior, per_s, ..Rate::default() }
    }

    #[test]
    fn a_round_trip_keeps_its_largest_and_forgets_the_one_before() {
        let mut latest = Latest::new();
        for (sample, expected) in [(rate(20.0, 10.0, 100.0), 100.0), (rate(21.0, 11.0, 90.0), 100.0)] {
            latest.take(&sample);
            latest.advance(&sample);
            assert_eq!(latest.bw, expected);
        }
        let sample = rate(31.0, 20.0, 80.0);
        latest.take(&sample);
        assert!(latest.starts && latest.bw == 100.0); // still that of the round trip before
        latest.advance(&sample);
        assert_eq!((latest.bw, latest.inflight), (80.0, 11.0));
    }

    #[test]
    fn a_first_loss_begins_a_round_trip() {
        let mut latest = Latest::new();
        latest.take(&rate(20.0, 10.0, 100.0));
        latest.note_loss(25.0);
        latest.note_loss(27.0);
        latest.take(&rate(30.0, 24.0, 100.0));
        assert!(!latest.starts);
        latest.take(&rate(31.0, 25.0, 100.0));
        assert!(latest.starts);
    }
}
