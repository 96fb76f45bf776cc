//! The rate that losses permit, by maximum likelihood.
//!
//! Source: libwebrtc `loss_based_bwe_v2.cc` with its defaults of 2025.
//!
//! NOTE(libwebrtc `loss_based_bwe_v2.cc`): after losses it fills the rate with padding for two seconds.
//! Senders here send no padding, so that the rate rises without.

use super::arrivals::TIE_S;
use super::likelihood::{Channel, Likelihood, Observation};

/// Least time of an observation, seconds, and observations that a rate needs.
const OBSERVATION_S: f64 = 0.25;
const NEEDED: usize = 3;
/// First share that is lost at any rate.
const FIRST_SHARE: f64 = 0.01;
/// Limits that are tried, as factors of the current one.
const FACTORS: [f64; 3] = [1.02, 1.0, 0.95];
/// Share of losses above which the rate is bounded from above, and the numerator of the bound, bit/s.
const BOUND_OFFSET: f64 = 0.05;
const BOUND_BALANCE_BPS: f64 = 1e5;
/// Largest factor of an increase within a time, seconds, while losses limit the rate.
const MOST_INCREASE: f64 = 1.3;
const INCREASE_S: f64 = 0.3;
/// Largest rate while it recovers, as a factor of the rate that arrives: usually, and if that is less than
/// `NEAR_HOLD` times the held rate.
const RAMP: f64 = 1.5;
const RAMP_IN_HOLD: f64 = 1.2;
const NEAR_HOLD: f64 = 1.3;
/// First and longest time for which a decreased rate is held, seconds, and the factor of each further one.
const HOLD_S: f64 = 0.3;
const LONGEST_HOLD_S: f64 = 60.0;
const HOLD_FACTOR: f64 = 2.0;
/// Least increase of a limit that is about to rise, bit/s.
const LEAST_STEP_BPS: f64 = 1.0;

/// The limit of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Limit {
    /// The delay.
    Delay,
    /// Losses; the rate rises.
    Increasing,
    /// Losses; the rate falls or is held.
    Decreasing,
}

/// Packets since the last observation.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Partial {
    sent_kb: f64,
    lost_kb: f64,
}

/// A rate that is not exceeded for a time.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Hold {
    until_s: f64,
    length_s: f64,
    rate_bps: f64,
}

impl Hold {
    const NONE: Self = Self { until_s: f64::NEG_INFINITY, length_s: HOLD_S, rate_bps: f64::INFINITY };
}

/// The rates that bound the one that losses permit, bit/s.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// That the delay permits.
    pub delay_bps: f64,
    /// That arrives, if it is known.
    pub arriving_bps: Option<f64>,
}

/// The state of the loss-based control.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Loss {
    range_bps: (f64, f64),
    partial: Partial,
    /// When the last packet of the last observation was sent, seconds.
    observed_s: Option<f64>,
    likelihood: Likelihood,
    best: Option<Channel>,
    limit: Limit,
    rate_bps: f64,
    hold: Hold,
    /// Begin of the current time of increase, and its largest rate.
    ramp: Option<(f64, f64)>,
}

impl Loss {
    /// Creates a control for rates in a range, bit/s.
    pub fn new(range_bps: (f64, f64)) -> Self {
        Self {
            range_bps,
            partial: Partial::default(),
            observed_s: None,
            likelihood: Likelihood::default(),
            best: None,
            limit: Limit::Delay,
            rate_bps: f64::INFINITY,
            hold: Hold::NONE,
            ramp: None,
        }
    }

    /// The rate, bit/s; `None` before there are enough observations.
    pub fn rate_bps(&self) -> Option<f64> {
        (self.best.is_some() && self.likelihood.count() >= NEEDED).then_some(self.rate_bps)
    }

    /// The limit of the rate.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes the packets of a report: (time of sending in seconds, bytes, whether it was lost).
    pub fn take(&mut self, packets: impl Iterator<Item = (f64, f64, bool)>, bounds: &Bounds) {
        let (mut first_s, mut last_s) = (f64::INFINITY, f64::NEG_INFINITY);
        for (sent_s, bytes, lost) in packets {
            (first_s, last_s) = (first_s.min(sent_s), last_s.max(sent_s));
            self.partial.sent_kb += bytes / 1e3;
            self.partial.lost_kb += if lost { bytes / 1e3 } else { 0.0 };
        }
        if first_s > last_s {
            return;
        }
        let span_s = last_s - *self.observed_s.get_or_insert(first_s);
        if span_s < OBSERVATION_S - TIE_S {
            return;
        }
        self.observed_s = Some(last_s);
        let Partial { sent_kb, lost_kb } = std::mem::take(&mut self.partial);
        self.likelihood.take(Observation { rate_bps: 8e3 * sent_kb / span_s, sent_kb, lost_kb });
        self.estimate(last_s, bounds);
    }

    fn estimate(&mut self, now_s: f64, bounds: &Bounds) {
        let old = *self.best.get_or_insert_with(|| {
            self.rate_bps = bounds.delay_bps;
            Channel { limit_bps: bounds.delay_bps, share: FIRST_SHARE }
        });
        let mut best = self.choose(old, bounds);
        if self.likelihood.loss() > best.share && best.limit_bps > old.limit_bps {
            best.limit_bps = old.limit_bps;
        }
        if self.is_limited() {
            self.slow_down(&mut best, old, now_s, bounds.arriving_bps);
        }
        let least_bps = bounds.arriving_bps.unwrap_or(0.0).max(self.range_bps.0);
        let rate_bps = best.limit_bps.min(self.upper_bps()).min(bounds.delay_bps).max(least_bps);
        self.best = Some(if rate_bps < best.limit_bps {
            Channel { limit_bps: rate_bps, share: 0.0 }
        } else {
            Channel { limit_bps: best.limit_bps.max(least_bps), ..best }
        });
        self.change_limit(rate_bps, least_bps, now_s, bounds.delay_bps);
    }

    /// Returns the most likely one of the channels that are tried.
    fn choose(&self, old: Channel, bounds: &Bounds) -> Channel {
        let window_bps = self.ramp.filter(|_| self.is_limited()).map_or(self.range_bps.1, |ramp| ramp.1);
        let most_bps = window_bps.max(old.limit_bps);
        let factors = FACTORS.iter().map(|factor| factor * old.limit_bps);
        let delay = Some(bounds.delay_bps).filter(|delay_bps| *delay_bps > old.limit_bps);
        let (mut best, mut most) = (old, f64::NEG_INFINITY);
        for limit_bps in factors.chain(bounds.arriving_bps).chain(delay) {
            let channel = self.likelihood.refine(old.with_limit(limit_bps.min(most_bps)));
            let likelihood = self.likelihood.of(&channel);
            if likelihood > most {
                (best, most) = (channel, likelihood);
            }
        }
        best
    }

    /// Bounds the increase of a limit while losses limit the rate.
    fn slow_down(&self, best: &mut Channel, old: Channel, now_s: f64, arriving_bps: Option<f64>) {
        let window = self.ramp.filter(|(begun_s, _)| begun_s + INCREASE_S > now_s);
        if let Some((_, most_bps)) = window {
            best.limit_bps = best.limit_bps.min(most_bps);
        }
        let Some(arriving_bps) = arriving_bps.filter(|_| self.rises(old.limit_bps, best.limit_bps)) else {
            return;
        };
        let is_near = self.hold.rate_bps < f64::INFINITY && arriving_bps < NEAR_HOLD * self.hold.rate_bps;
        let factor = if is_near { RAMP_IN_HOLD } else { RAMP };
        best.limit_bps = best.limit_bps.min(factor * arriving_bps).max(old.limit_bps);
        if self.limit == Limit::Decreasing && best.limit_bps == old.limit_bps {
            best.limit_bps += LEAST_STEP_BPS;
        }
    }

    fn change_limit(&mut self, rate_bps: f64, least_bps: f64, now_s: f64, delay_bps: f64) {
        if self.limit == Limit::Decreasing && self.hold.until_s > now_s && rate_bps < delay_bps {
            self.hold.rate_bps = self.hold.rate_bps.max(least_bps);
            self.rate_bps = rate_bps.min(self.hold.rate_bps);
            return;
        }
        let is_bounded = rate_bps < delay_bps && rate_bps < self.range_bps.1;
        if !is_bounded {
            (self.limit, self.hold) = (Limit::Delay, Hold::NONE);
        } else if self.rises(self.rate_bps, rate_bps) {
            self.limit = Limit::Increasing;
        } else {
            if self.limit != Limit::Decreasing {
                let length_s = self.hold.length_s;
                let next_s = (HOLD_FACTOR * length_s).min(LONGEST_HOLD_S);
                self.hold = Hold { until_s: now_s + length_s, length_s: next_s, rate_bps };
            }
            self.limit = Limit::Decreasing;
        }
        self.rate_bps = rate_bps;
        if self.is_limited() && self.ramp.is_none_or(|(begun_s, _)| begun_s + INCREASE_S < now_s) {
            let limit_bps = self.best.map_or(rate_bps, |best| best.limit_bps);
            self.ramp = Some((now_s, (MOST_INCREASE * limit_bps).max(self.range_bps.0)));
        }
    }

    fn is_limited(&self) -> bool {
        self.limit != Limit::Delay
    }

    /// Whether a rate that losses limit rises.
    fn rises(&self, old_bps: f64, new_bps: f64) -> bool {
        self.is_limited() && (new_bps > old_bps || new_bps == old_bps && self.limit == Limit::Increasing)
    }

    fn upper_bps(&self) -> f64 {
        let excess = self.likelihood.loss() - BOUND_OFFSET;
        if excess > 0.0 { BOUND_BALANCE_BPS / excess } else { self.range_bps.1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 1000-byte packets at 1 Mbit/s and loses one of `every`, for `seconds`; all the rest arrives.
    fn run(loss: &mut Loss, from_s: f64, seconds: f64, every: u32, delay_bps: f64) {
        let packets = (seconds * 125.0) as u32;
        for start in (0..packets).step_by(10) {
            let report = (start..start + 10)
                .map(|n| (from_s + f64::from(n) * 0.008, 1000.0, every > 0 && n % every == every - 1));
            let share = if every > 0 { 1.0 / f64::from(every) } else { 0.0 };
            let bounds = Bounds { delay_bps, arriving_bps: Some(1e6 * (1.0 - share)) };
            loss.take(report, &bounds);
        }
    }

    fn new() -> Loss {
        Loss::new((5e3, 1e9))
    }

    #[test]
    fn without_losses_the_delay_decides() {
        let mut loss = new();
        run(&mut loss, 0.0, 10.0, 0, 1.3e6);
        assert_eq!((loss.limit(), loss.rate_bps()), (Limit::Delay, Some(1.3e6)));
    }

    #[test]
    fn three_observations_are_needed() {
        let mut loss = new();
        run(&mut loss, 0.0, 0.48, 0, 1.3e6);
        assert_eq!(loss.rate_bps(), None);
        run(&mut loss, 0.48, 0.48, 0, 1.3e6);
        assert!(loss.rate_bps().is_some());
    }

    #[test]
    fn few_losses_count_as_those_of_any_rate() {
        // 1 % is within the share of 5 % + 100/1300 that any rate may lose
        let mut loss = new();
        run(&mut loss, 0.0, 20.0, 100, 1.3e6);
        assert_eq!(loss.rate_bps(), Some(1.3e6));
    }

    #[test]
    fn heavy_losses_bound_the_rate_but_not_below_what_arrives() {
        // half is lost: 100 / (0.5 - 0.05) = 222 kbit/s, but 500 kbit/s arrive
        let mut loss = new();
        run(&mut loss, 0.0, 20.0, 2, 1.3e6);
        assert_eq!((loss.limit(), loss.rate_bps()), (Limit::Decreasing, Some(5e5)));
    }

    #[test]
    fn the_rate_recovers_after_losses() {
        let mut loss = new();
        run(&mut loss, 0.0, 10.0, 2, 1.3e6);
        run(&mut loss, 10.0, 20.0, 0, 1.3e6);
        assert_eq!((loss.limit(), loss.rate_bps()), (Limit::Delay, Some(1.3e6)));
    }
}
