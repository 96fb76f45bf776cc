//! Long-term bandwidth: detects a token-bucket policer by its constant throughput and high loss (Linux
//! `bbr_lt_bw_sampling`; Flach et al. 2016).

/// Smallest number of round trips of a measurement interval; the largest is four times that.
const ROUNDS: u32 = 4;
/// Ratio of lost to delivered segments from which an interval is lossy (50/256).
const LOSSY: f64 = 50.0 / 256.0;
/// Relative difference of the rates of two equal intervals; the alternative is `SAME_BPS`.
const SAME_SHARE: f64 = 1.0 / 8.0;
const SAME_BPS: f64 = 4000.0;
/// Round trips for which the long-term rate is used.
const USE_ROUNDS: u32 = 48;
/// The shortest interval, seconds.
const SHORTEST_S: f64 = 0.001;

/// The counts at an ACK or a time-out.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub now_s: f64,
    pub delivered: f64,
    pub lost: f64,
    /// Whether segments were just lost.
    pub loses: bool,
    pub round_start: bool,
    pub app_limited: bool,
    /// Size of a segment, bits.
    pub segment_bits: f64,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Policer {
    /// Rate of the previous interval, segments/s; 0 if there was none.
    bw: f64,
    uses: bool,
    samples: bool,
    /// Start of the interval, and the counts at that time.
    since_s: f64,
    delivered: f64,
    lost: f64,
    rounds: u32,
}

impl Policer {
    /// Discards all measurements.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// The policed rate, segments/s, if a policer was detected.
    pub fn rate(&self) -> Option<f64> {
        self.uses.then_some(self.bw)
    }

    /// Whether an interval is measured, or a policed rate is used. If not, only a loss matters.
    pub fn is_active(&self) -> bool {
        self.samples || self.uses
    }

    /// Counts a round trip at the policed rate while probing. Returns true if the rate is given up.
    pub fn gives_up(&mut self) -> bool {
        self.rounds += 1;
        let over = self.rounds >= USE_ROUNDS;
        if over {
            *self = Self::default();
        }
        over
    }

    /// Takes a measurement. Called only while no policed rate is used.
    pub fn measure(&mut self, counts: &Counts) {
        if !self.samples {
            if !counts.loses {
                return; // a first loss shows that the tokens are used up
            }
            self.begin(counts);
            self.samples = true;
        }
        if counts.app_limited {
            *self = Self::default();
            return;
        }
        self.rounds += u32::from(counts.round_start);
        if self.rounds > 4 * ROUNDS {
            *self = Self::default();
        } else if self.rounds >= ROUNDS && counts.loses {
            self.close(counts);
        }
    }

    fn begin(&mut self, counts: &Counts) {
        (self.since_s, self.delivered, self.lost) = (counts.now_s, counts.delivered, counts.lost);
        self.rounds = 0;
    }

    #[cold]
    fn close(&mut self, counts: &Counts) {
        let delivered = counts.delivered - self.delivered;
        let (lost, span_s) = (counts.lost - self.lost, counts.now_s - self.since_s);
        if delivered <= 0.0 || lost < LOSSY * delivered || span_s < SHORTEST_S {
            return;
        }
        let bw = delivered / span_s;
        let apart = (bw - self.bw).abs();
        if self.bw > 0.0 && (apart <= SAME_SHARE * self.bw || apart * counts.segment_bits <= SAME_BPS) {
            (self.bw, self.uses, self.rounds) = ((bw + self.bw) / 2.0, true, 0);
        } else {
            self.bw = bw;
            self.begin(counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms in which `delivered` segments arrive and `lost` are lost at the end.
    fn rounds(policer: &mut Policer, first: u32, count: u32, delivered: f64, lost: f64) {
        for round in first..first + count {
            policer.measure(&Counts {
                now_s: f64::from(round) * 0.1,
                delivered: f64::from(round) * delivered,
                lost: f64::from(round) * lost,
                loses: lost > 0.0,
                round_start: true,
                app_limited: false,
                segment_bits: 12_000.0,
            });
        }
    }

    #[test]
    fn two_lossy_intervals_of_one_rate_are_a_policer() {
        let mut policer = Policer::default();
        rounds(&mut policer, 0, 4, 100.0, 25.0);
        assert_eq!(policer.rate(), None);
        rounds(&mut policer, 4, 4, 100.0, 25.0);
        assert_eq!(policer.rate(), Some(1000.0)); // 100 segments in 0.1 s
        assert!((1..USE_ROUNDS).all(|_| !policer.gives_up()));
        assert!(policer.gives_up() && policer.rate().is_none());
    }

    #[test]
    fn an_interval_of_more_than_sixteen_round_trips_is_given_up() {
        for (quiet, bw) in [(14, 1000.0), (15, 0.0)] {
            let mut policer = Policer::default();
            rounds(&mut policer, 0, 1, 100.0, 25.0);
            rounds(&mut policer, 1, quiet, 100.0, 0.0);
            rounds(&mut policer, 1 + quiet, 1, 100.0, 25.0);
            assert_eq!(policer.bw, bw);
        }
    }

    #[test]
    fn fewer_losses_than_a_fifth_are_none() {
        let mut policer = Policer::default();
        rounds(&mut policer, 0, 100, 100.0, 19.0);
        assert_eq!(policer.rate(), None);
    }

    /// Four rounds at one rate and four at another, of 10 s each, with 25 % lost.
    fn agreed(first: f64, second: f64) -> Option<f64> {
        let (mut policer, mut delivered) = (Policer::default(), 0.0);
        for round in 0..8 {
            delivered += 10.0 * if round < 4 { first } else { second };
            policer.measure(&Counts {
                now_s: f64::from(round) * 10.0,
                delivered,
                lost: delivered / 4.0,
                loses: true,
                round_start: true,
                app_limited: false,
                segment_bits: 12_000.0,
            });
        }
        policer.rate()
    }

    #[test]
    fn intervals_agree_within_an_eighth_or_4000_bits_a_second() {
        assert_eq!(agreed(1000.0, 1125.0), Some(1062.5));
        assert_eq!(agreed(1000.0, 1130.0), None);
        assert_eq!(agreed(1.0, 1.25), Some(1.125)); // 0.25 * 12 kbit are 3000
        assert_eq!(agreed(1.0, 1.5), None);
    }
}
