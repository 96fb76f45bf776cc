//! The window during recovery, for algorithms that do not reduce it. For one round trip, as much is sent as
//! is delivered; afterwards the window is restored (Linux `bbr_set_cwnd_to_recover_or_restore`).

use headgate_model::control::Ack;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Conservation {
    /// Whether losses were being repaired after the last ACK, and by fast recovery.
    repairs: bool,
    recovers: bool,
    /// Whether this is the first round trip of a recovery.
    pub holds: bool,
    /// The window to restore, segments.
    prior: f64,
}

impl Conservation {
    /// Saves a window that will be reduced. One that is already reduced (`cut`, or by a repair) does not
    /// replace a larger one.
    pub fn save(&mut self, cwnd: f64, cut: bool) {
        self.prior = if cut || self.repairs { self.prior.max(cwnd) } else { cwnd };
    }

    pub fn saved(&self) -> f64 {
        self.prior
    }

    /// Whether losses were being repaired after the last ACK.
    pub fn is_repairing(&self) -> bool {
        self.repairs
    }

    pub fn time_out(&mut self) {
        (self.repairs, self.recovers) = (true, false);
    }

    /// Returns whether a fast recovery begins with this ACK, and whether a repair of any kind ends.
    pub fn heed(&mut self, ack: &Ack) -> (bool, bool) {
        let repairs = ack.recovers || ack.after_timeout;
        let news = (ack.recovers && !self.recovers, self.repairs && !repairs);
        (self.repairs, self.recovers) = (repairs, ack.recovers);
        news
    }

    /// Returns the window before it grows, and whether a recovery begins.
    pub fn apply(&mut self, ack: &Ack, cwnd: f64) -> (f64, bool) {
        let conserved = ack.rate.in_flight + ack.rate.newly;
        let mut cwnd = (cwnd - ack.rate.newly_lost).max(1.0);
        let (begins, ends) = self.heed(ack);
        if begins {
            self.holds = true;
            cwnd = conserved;
        } else if ends {
            self.holds = false;
            cwnd = cwnd.max(self.prior);
        }
        (if self.holds { cwnd.max(conserved) } else { cwnd }, begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::control::Rate;

    fn ack(recovers: bool, newly: f64, newly_lost: f64, in_flight: f64) -> Ack {
        let rate = Rate { newly, newly_lost, in_flight, ..Rate::default() };
        Ack { recovers, rate, ..Ack::default() }
    }

    #[test]
    fn what_is_delivered_is_sent_and_the_window_comes_back() {
        let mut state = Conservation::default();
        state.save(100.0, false);
        assert_eq!(state.apply(&ack(true, 1.0, 3.0, 93.0), 100.0), (94.0, true));
        assert_eq!(state.apply(&ack(true, 2.0, 0.0, 92.0), 94.0), (94.0, false));
        state.holds = false; // a round trip later
        assert_eq!(state.apply(&ack(true, 1.0, 1.0, 90.0), 94.0), (93.0, false));
        assert_eq!(state.apply(&ack(false, 1.0, 0.0, 90.0), 93.0), (100.0, false));
    }

    #[test]
    fn a_window_that_is_cut_does_not_replace_a_good_one() {
        let mut state = Conservation::default();
        state.save(100.0, false);
        state.save(4.0, true);
        assert_eq!(state.saved(), 100.0);
        state.time_out();
        state.save(1.0, false);
        assert_eq!(state.saved(), 100.0);
        assert_eq!(state.apply(&ack(false, 1.0, 0.0, 0.0), 1.0).0, 100.0);
    }
}
