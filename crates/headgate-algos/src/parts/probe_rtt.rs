//! The phase with a small window that can reveal a smaller RTT (draft-ietf-ccwg-bbr §5.3.4; Linux
//! `bbr_update_min_rtt`): its end, and the samples that it limits.

use headgate_model::control::{Ack, Rate};

use super::rounds::Rounds;

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ProbeRtt {
    /// Earliest end of the phase, seconds, once the path is as empty as intended; and whether a round trip
    /// has passed since.
    ends_s: Option<f64>,
    round: bool,
    /// Segments that the phase sent while this many were delivered; `None` before the first time.
    sent: Option<(f64, f64)>,
}

impl ProbeRtt {
    pub fn begin(&mut self, rate: &Rate) {
        self.ends_s = None;
        self.sent = Some((rate.delivered, rate.delivered));
    }

    /// Whether the phase ends with this ACK: its duration and a round trip have passed since the path was
    /// first `empty`.
    pub fn ends(&mut self, empty: bool, lasts_s: f64, ack: &Ack, rounds: &mut Rounds) -> bool {
        if let Some((_, until)) = &mut self.sent {
            *until = ack.rate.delivered + ack.rate.in_flight;
        }
        if let Some(ends_s) = self.ends_s {
            self.round |= rounds.starts;
            return self.round && ack.now_s > ends_s;
        }
        if empty {
            (self.ends_s, self.round) = (Some(ack.now_s + lasts_s), false);
            rounds.begin(ack.rate.delivered);
        }
        false
    }

    /// Whether its duration has passed.
    pub fn has_lasted(&self, now_s: f64) -> bool {
        self.ends_s.is_some_and(|ends_s| now_s > ends_s)
    }

    /// Whether the sender limits the sample: this phase, or an application without data.
    pub fn limits(&self, rate: &Rate) -> bool {
        rate.app_limited || self.sent.is_some_and(|(from, until)| (from..=until).contains(&rate.prior))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(now_s: f64, delivered: f64) -> Ack {
        Ack { now_s, rate: Rate { delivered, in_flight: 4.0, ..Rate::default() }, ..Ack::default() }
    }

    #[test]
    fn what_was_sent_in_the_meantime_is_limited() {
        let rate = |delivered, prior| Rate { delivered, prior, ..Rate::default() };
        let mut probe = ProbeRtt::default();
        assert!(!probe.limits(&rate(0.0, 0.0)));
        probe.begin(&rate(100.0, 60.0));
        probe.ends(false, 0.2, &ack(1.0, 120.0), &mut Rounds::default());
        let held = [99.0, 100.0, 124.0, 125.0].map(|prior| probe.limits(&rate(130.0, prior)));
        assert_eq!(held, [false, true, true, false]);
    }

    #[test]
    fn it_ends_after_its_time_and_a_round_trip() {
        let (mut probe, mut rounds) = (ProbeRtt::default(), Rounds::default());
        probe.begin(&Rate::default());
        let mut ends = |empty, now_s, starts| {
            rounds.starts = starts;
            probe.ends(empty, 0.2, &ack(now_s, 10.0), &mut rounds)
        };
        assert!(!ends(false, 1.0, true));
        assert!(!ends(true, 2.0, true)); // empty: from here on
        assert!(!ends(false, 2.3, false)); // no round trip yet
        assert!(!ends(false, 2.1, true)); // too early, but the round trip counts
        assert!(ends(false, 2.21, false));
    }
}
