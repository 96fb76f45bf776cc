//! Round trips counted by deliveries: one ends when a segment is acknowledged that was sent after its start
//! (draft-ietf-ccwg-bbr, `UpdateRound`).

use headgate_model::control::Rate;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Rounds {
    pub count: f64,
    /// Whether the last ACK began a round trip.
    pub starts: bool,
    /// Segments delivered at the start of the current round trip.
    end: f64,
}

impl Rounds {
    /// Takes an ACK. Returns whether it begins a round trip.
    pub fn take(&mut self, rate: &Rate) -> bool {
        self.starts = rate.prior >= self.end;
        if self.starts {
            self.begin(rate.delivered);
            self.count += 1.0;
        }
        self.starts
    }

    /// Begins a round trip without counting it.
    pub fn begin(&mut self, delivered: f64) {
        self.end = delivered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_ten_makes_a_round_of_ten_acks() {
        let mut rounds = Rounds::default();
        for delivered in 1..=100 {
            let delivered = f64::from(delivered);
            let prior = (delivered - 10.0).max(0.0);
            rounds.take(&Rate { delivered, prior, ..Rate::default() });
        }
        // the first ACK, then those whose segments were sent after 1, 11, 21 ... were delivered
        assert_eq!(rounds.count, 10.0);
    }
}
