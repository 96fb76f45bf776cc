//! The rules that turn RTT samples into the retransmission time-out: RFC 6298, Linux, ns-2.

use headgate_model::units::{SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use crate::clock::{by_stamps, to_tick};
use crate::profile::{Profile, RtoRule};

/// An RTT sample and the other inputs of the rules.
pub(crate) struct Sample {
    pub rtt: Span,
    pub rtt_s: f64,
    /// The sample less the smoothed RTT before it, seconds.
    pub error_s: f64,
    /// The smoothed RTT after the sample, seconds.
    pub srtt_s: f64,
    pub now: Time,
    /// Whether the sample ends a round trip: everything sent before the last such sample is acknowledged.
    pub ends_round: bool,
}

/// The estimator's state after the samples so far.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum RtoState {
    Rfc6298(Rfc6298),
    Linux(Linux),
    Ns2(Ns2),
}

impl RtoState {
    pub fn new(rule: RtoRule) -> Self {
        match rule {
            RtoRule::Rfc6298 => Self::Rfc6298(Rfc6298::default()),
            RtoRule::Linux => Self::Linux(Linux::default()),
            RtoRule::Ns2 { tick } => Self::Ns2(Ns2 { tick, srtt: 0, rttvar: 0 }),
        }
    }

    /// Takes a sample. Returns the resulting time-out without bounds, or `None` if the rule skips the sample.
    #[inline]
    pub fn sample(&mut self, sample: &Sample, profile: &Profile) -> Option<Span> {
        let margin = profile.clock.max(profile.rto_margin);
        match self {
            Self::Rfc6298(state) => sample.ends_round.then(|| state.sample(sample.rtt_s, seconds(margin))),
            Self::Linux(state) => Some(state.sample(sample, seconds(margin))),
            Self::Ns2(state) => Some(state.sample(sample, profile)),
        }
    }
}

/// RFC 6298 section 2. Its gains assume one sample per round trip. With a sample per ACK, the variance would
/// fall to that of a single round trip (section 4; RFC 7323, appendix G).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rfc6298 {
    srtt_s: f64,
    rttvar_s: f64,
    /// Whether the timer has expired since the last sample.
    expired: bool,
}

impl Rfc6298 {
    fn sample(&mut self, rtt_s: f64, margin_s: f64) -> Span {
        let expired = std::mem::take(&mut self.expired);
        let needless = expired && rtt_s > self.timeout_s(margin_s);
        if self.srtt_s == 0.0 || needless {
            (self.srtt_s, self.rttvar_s) = (rtt_s, rtt_s / 2.0); // RFC 6298 §2.2; RFC 4015 §3.2 step 8
        } else {
            self.rttvar_s += ((self.srtt_s - rtt_s).abs() - self.rttvar_s) * 0.25;
            self.srtt_s += (rtt_s - self.srtt_s) * 0.125;
        }
        span(self.timeout_s(margin_s))
    }

    fn timeout_s(&self, margin_s: f64) -> f64 {
        self.srtt_s + (4.0 * self.rttvar_s).max(margin_s)
    }

    pub fn back_off(&mut self) {
        self.expired = true;
    }
}

/// Linux `tcp_rtt_estimator`.
///
/// NOTE(RFC 6298 section 2): Linux takes a sample from each ACK. Its variance falls only once per round trip,
/// towards the largest deviation of that round trip.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Linux {
    /// Four times the mean deviation (`mdev_us`), and its maximum in this round trip.
    mdev_s: f64,
    mdev_max_s: f64,
    /// The term that is added to the smoothed RTT.
    rttvar_s: f64,
}

impl Linux {
    #[inline]
    fn sample(&mut self, sample: &Sample, margin_s: f64) -> Span {
        if self.rttvar_s == 0.0 {
            self.mdev_s = 2.0 * sample.rtt_s;
            self.rttvar_s = self.mdev_s.max(margin_s);
            self.mdev_max_s = self.rttvar_s;
        } else {
            self.deviate(sample.error_s);
            if sample.ends_round {
                self.rttvar_s -= (self.rttvar_s - self.mdev_max_s).max(0.0) * 0.25;
                self.mdev_max_s = margin_s;
            }
        }
        span(sample.srtt_s + self.rttvar_s)
    }

    /// A sample below the smoothed RTT raises the deviation by an eighth of the amount of a sample above it.
    #[inline]
    fn deviate(&mut self, error_s: f64) {
        let step_s = error_s.abs() - self.mdev_s * 0.25;
        self.mdev_s += if error_s < 0.0 && step_s > 0.0 { step_s * 0.125 } else { step_s };
        self.mdev_max_s = self.mdev_max_s.max(self.mdev_s);
        self.rttvar_s = self.rttvar_s.max(self.mdev_max_s);
    }
}

/// ns-2.35, `TcpAgent::rtt_update`.
///
/// NOTE(RFC 6298 section 2): ns-2 computes in integers. By their rounding, the variance of a steady RTT stays
/// at three quarters of a tick and the time-out stays three ticks above the RTT.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Ns2 {
    /// The tick of the timer's clock (`tcpTick_`).
    tick: Span,
    /// Eighths of a tick (`T_SRTT_BITS`).
    srtt: i64,
    /// Fourths of a tick (`T_RTTVAR_BITS`).
    rttvar: i64,
}

impl Ns2 {
    /// Number of successive time-outs after which the estimate is dropped.
    const MOST_BACKOFFS: u8 = 3;

    fn sample(&mut self, sample: &Sample, profile: &Profile) -> Span {
        let ticks = (self.read_clock(sample, profile.timestamps) / self.tick) as i64;
        if self.srtt == 0 {
            (self.srtt, self.rttvar) = (ticks << 3, ticks << 1);
        } else {
            let error = ticks - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
        }
        let ticks = ((self.rttvar << 3) + self.srtt) >> 3;
        let least = (self.srtt >> 3) as Span * self.tick + profile.rto_margin;
        (ticks as Span * self.tick).max(least).max(2 * self.tick)
    }

    /// A time stamp measures the RTT to the nearest tick; a timed segment measures the difference of two
    /// readings.
    fn read_clock(&self, sample: &Sample, stamped: bool) -> Span {
        if stamped { to_tick(sample.rtt, self.tick) } else { by_stamps(sample.rtt, sample.now, self.tick) }
    }

    /// `rtt_backoff`: the next sample counts as the first.
    pub fn back_off(&mut self, backoff: u8) {
        if backoff > Self::MOST_BACKOFFS {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }
}

#[inline]
fn span(s: f64) -> Span {
    (s * SECOND as f64) as Span
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = SECOND / 1000;

    /// A connection's timer. Its smoothed RTT is computed as in [`crate::Estimator`].
    struct Timer {
        state: RtoState,
        profile: Profile,
        srtt_s: f64,
    }

    impl Timer {
        fn new(rto_rule: RtoRule, profile: Profile) -> Self {
            Self { state: RtoState::new(rto_rule), profile, srtt_s: 0.0 }
        }

        fn back_off(&mut self, backoff: u8) {
            let RtoState::Ns2(state) = &mut self.state else { panic!() };
            state.back_off(backoff);
        }

        /// Returns the time-out after a sample, in milliseconds, rounded to a microsecond.
        fn sample(&mut self, rtt_ms: u64, ends_round: bool) -> Option<f64> {
            let (rtt, rtt_s) = (rtt_ms * MS, rtt_ms as f64 / 1000.0);
            let error_s = rtt_s - self.srtt_s;
            self.srtt_s = if self.srtt_s == 0.0 { rtt_s } else { self.srtt_s + error_s / 8.0 };
            let sample = Sample { rtt, rtt_s, error_s, srtt_s: self.srtt_s, now: SECOND, ends_round };
            let rto = self.state.sample(&sample, &self.profile)?;
            Some((seconds(rto) * 1e6).round() / 1e3)
        }
    }

    #[test]
    fn by_rfc6298_a_round_trip_counts_once() {
        let mut timer = Timer::new(RtoRule::Rfc6298, Profile { rto_margin: 0, ..Profile::default() });
        assert_eq!(timer.sample(100, true), Some(300.0)); // R + 4 R/2
        assert_eq!(timer.sample(200, true), Some(362.5)); // 112.5 + 4 (50 * 3/4 + 100/4)
        for _ in 0..100 {
            assert_eq!(timer.sample(200, false), None);
        }
        assert_eq!(timer.sample(200, true), Some(398.438)); // 123.4375 + 4 (62.5 * 3/4 + 87.5/4)
    }

    #[test]
    fn in_linux_the_variance_falls_once_in_a_round_trip() {
        let margin = Profile { rto_margin: 200 * MS, ..Profile::default() };
        let mut timer = Timer::new(RtoRule::Linux, margin);
        assert_eq!(timer.sample(100, true), Some(300.0)); // mdev and rttvar 200
        assert_eq!(timer.sample(900, true), Some(1150.0)); // srtt 200; mdev 200 + 800 - 50, as rttvar
        let RtoState::Linux(state) = timer.state else { panic!() };
        assert_eq!((state.mdev_s, state.mdev_max_s), (0.95, 0.2));
        assert_eq!(timer.sample(200, false), Some(1150.0)); // mdev falls to 712.5, no fall of rttvar
        assert_eq!(timer.sample(200, true), Some(1090.625)); // 950 - (950 - 712.5)/4 above 200
    }

    #[test]
    fn in_linux_a_shorter_rtt_raises_the_deviation_by_an_eighth() {
        let mut timer = Timer::new(RtoRule::Linux, Profile { rto_margin: MS, ..Profile::default() });
        timer.sample(800, true);
        timer.sample(80, false); // srtt 800 - 90; |error| 720 - 1600/4 = 320, of which an eighth is 40
        let RtoState::Linux(state) = timer.state else { panic!() };
        assert!((state.mdev_s - 1.64).abs() < 1e-9);
    }

    #[test]
    fn in_ns2_a_steady_rtt_leaves_three_ticks() {
        let tick = 10 * MS;
        let ns2 = Profile { rto_margin: 0, ..Profile::default() };
        let mut timer = Timer::new(RtoRule::Ns2 { tick }, ns2);
        let found: Vec<f64> = (0..10).filter_map(|_| timer.sample(100, true)).collect();
        assert_eq!(found, [300.0, 250.0, 220.0, 190.0, 170.0, 160.0, 150.0, 140.0, 130.0, 130.0]);
    }

    #[test]
    fn in_ns2_the_sample_after_four_timeouts_counts_as_the_first() {
        let ns2 = Profile { rto_margin: 0, ..Profile::default() };
        let mut timer = Timer::new(RtoRule::Ns2 { tick: 10 * MS }, ns2);
        timer.sample(100, true);
        timer.back_off(3);
        assert_eq!(timer.sample(500, true), Some(700.0)); // srtt 80 + 40 eighths; rttvar 20 + 40 - 5 fourths
        timer.back_off(4);
        assert_eq!(timer.sample(500, true), Some(1500.0));
    }
}
