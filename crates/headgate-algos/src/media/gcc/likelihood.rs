//! The likelihood of losses, given a rate above which packets are lost and a share that is lost at any rate.
//!
//! Source: libwebrtc `loss_based_bwe_v2.cc` with its defaults of 2025; no paper describes it. With the share
//! `q` and the limit `b`, a packet sent at rate `s` is lost with probability `p = q + (1 - q) max(1 - b/s,
//! 0)`. The logarithm of the likelihood of `l` kB lost of `n` is `l ln p + (n - l) ln(1 - p)`. A preference
//! for large limits is added; it reverses if more than a fifth is lost.

/// Number of observations that count, and the weight of each relative to its successor.
const OBSERVATIONS: usize = 15;
const AGEING: f64 = 0.9;
/// Preference for large limits, per kbit/s and per its logarithm.
const PREFERENCE: f64 = 0.0002;
const LOG_PREFERENCE: f64 = 0.02;
/// Share of losses at which the preference reverses, and the width of the change.
const REVERSAL: f64 = 0.2;
const REVERSAL_WIDTH: f64 = 0.002;
/// Bounds of the share that is lost at any rate: the least, and an offset plus a rate (bit/s) divided by the
/// limit.
const LEAST_SHARE: f64 = 1e-3;
const SHARE_OFFSET: f64 = 0.05;
const SHARE_BALANCE_BPS: f64 = 1e5;
/// Bounds of a probability.
const LEAST_CHANCE: f64 = 1e-6;
/// Part of a Newton step that is taken.
const NEWTON_STEP: f64 = 0.75;
/// Factor of the median rate above which the observation with most losses is no outlier.
const SUDDEN: f64 = 2.0;

/// Bytes sent during a quarter of a second or more, kB.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Observation {
    /// Rate of sending, bit/s.
    pub rate_bps: f64,
    /// Sent.
    pub sent_kb: f64,
    /// Lost.
    pub lost_kb: f64,
}

impl Observation {
    fn loss(&self) -> f64 {
        if self.sent_kb > 0.0 { self.lost_kb / self.sent_kb } else { 0.0 }
    }
}

/// The parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Channel {
    /// Rate above which packets are lost, bit/s.
    pub limit_bps: f64,
    /// Share that is lost at any rate.
    pub share: f64,
}

impl Channel {
    /// A channel with another limit, whose share stays within the bounds of that limit.
    pub fn with_limit(self, limit_bps: f64) -> Self {
        Self { limit_bps, share: self.share }.feasible()
    }

    fn feasible(self) -> Self {
        let most = (SHARE_OFFSET + SHARE_BALANCE_BPS / self.limit_bps).min(1.0);
        Self { share: self.share.max(LEAST_SHARE).min(most), ..self }
    }

    /// Probability that a packet sent at a rate is lost.
    fn loss_at(&self, rate_bps: f64) -> f64 {
        let excess = (1.0 - self.limit_bps / rate_bps).max(0.0);
        (self.share + (1.0 - self.share) * excess).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    }
}

/// The last observations. Number `n` is at `n % OBSERVATIONS`, as in libwebrtc: of equal losses the first one
/// there counts as the extreme.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Likelihood {
    observations: Vec<Observation>,
    /// Number of all observations.
    taken: usize,
    /// Share of the bytes that was lost.
    loss: f64,
}

impl Likelihood {
    /// Number of observations, up to those that are kept.
    pub fn count(&self) -> usize {
        self.observations.len()
    }

    /// Share of the bytes that was lost, without the observations with the most and the least losses.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Takes an observation.
    pub fn take(&mut self, observation: Observation) {
        match self.observations.get_mut(self.taken % OBSERVATIONS) {
            Some(oldest) => *oldest = observation,
            None => self.observations.push(observation),
        }
        self.taken += 1;
        self.loss = self.mean_loss();
    }

    /// Observations with their weights.
    fn weighted(&self) -> impl Iterator<Item = (f64, &Observation)> {
        let age = |at: usize| (self.taken - 1 - at) % OBSERVATIONS;
        let one = move |(at, observation)| (AGEING.powi(age(at) as i32), observation);
        self.observations.iter().enumerate().map(one)
    }

    fn mean_loss(&self) -> f64 {
        let (mut sent_kb, mut lost_kb) = (0.0, 0.0);
        let (mut least, mut most) = ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)); // loss, and weighted kB sent and lost
        let mut worst_bps = 0.0;
        for (weight, observation) in self.weighted() {
            let (sent, lost, loss) =
                (weight * observation.sent_kb, weight * observation.lost_kb, observation.loss());
            (sent_kb, lost_kb) = (sent_kb + sent, lost_kb + lost);
            if self.count() > 3 && loss > most.0 {
                (most, worst_bps) = ((loss, sent, lost), observation.rate_bps);
            }
            if self.count() > 3 && loss < least.0 {
                least = (loss, sent, lost);
            }
        }
        let rest_kb = sent_kb - most.1 - least.1;
        if SUDDEN * self.median_bps() <= worst_bps || rest_kb <= 0.0 {
            return lost_kb / sent_kb;
        }
        (lost_kb - most.2 - least.2) / rest_kb
    }

    fn median_bps(&self) -> f64 {
        let mut rates: Vec<f64> = self.observations.iter().map(|one| one.rate_bps).collect();
        rates.sort_by(f64::total_cmp);
        let middle = rates.len() / 2;
        if rates.len() % 2 == 0 { 0.5 * (rates[middle - 1] + rates[middle]) } else { rates[middle] }
    }

    /// Moves the share of a channel towards the most likely one by one Newton step.
    pub fn refine(&self, channel: Channel) -> Channel {
        let (mut first, mut second) = (0.0, 0.0);
        for (weight, observation) in self.weighted() {
            let loss = channel.loss_at(observation.rate_bps);
            let (lost, arrived) = (observation.lost_kb, observation.sent_kb - observation.lost_kb);
            first += weight * (lost / loss - arrived / (1.0 - loss));
            second -= weight * (lost / (loss * loss) + arrived / ((1.0 - loss) * (1.0 - loss)));
        }
        Channel { share: channel.share - NEWTON_STEP * first / second, ..channel }.feasible()
    }

    /// Returns the logarithm of the likelihood of the observations, with the preference for large limits.
    pub fn of(&self, channel: &Channel) -> f64 {
        let preference = self.preference(channel.limit_bps / 1e3);
        let one = |(weight, observation): (f64, &Observation)| {
            let loss = channel.loss_at(observation.rate_bps);
            let arrived_kb = observation.sent_kb - observation.lost_kb;
            let likelihood = observation.lost_kb * loss.ln() + arrived_kb * (1.0 - loss).ln();
            weight * (likelihood + preference * observation.sent_kb)
        };
        self.weighted().map(one).sum()
    }

    fn preference(&self, limit_kbps: f64) -> f64 {
        let below = REVERSAL - self.loss;
        let sign = below / (REVERSAL_WIDTH + below.abs());
        sign * (PREFERENCE * limit_kbps + LOG_PREFERENCE * (1.0 + limit_kbps).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(rate_bps: f64, losses: &[f64]) -> Likelihood {
        let mut likelihood = Likelihood::default();
        for lost_kb in losses {
            likelihood.take(Observation { rate_bps, sent_kb: 100.0, lost_kb: *lost_kb });
        }
        likelihood
    }

    #[test]
    fn a_packet_above_the_limit_is_lost_in_proportion_to_the_excess() {
        let channel = Channel { limit_bps: 8e5, share: 0.1 };
        assert!((channel.loss_at(1e6) - (0.1 + 0.9 * 0.2)).abs() < 1e-12);
        assert_eq!(channel.loss_at(8e5), 0.1);
        assert_eq!(channel.loss_at(1e5), 0.1);
    }

    #[test]
    fn the_share_has_bounds_that_depend_on_the_limit() {
        let share = |share, limit_bps| Channel { limit_bps: 1e6, share }.with_limit(limit_bps).share;
        assert_eq!(share(0.5, 1e6), 0.05 + 0.1);
        assert_eq!(share(0.5, 1e5), 0.5);
        assert_eq!(share(0.0, 1e6), 1e-3);
    }

    #[test]
    fn the_likelihood_of_one_observation() {
        // p = 0.1; preference (0.2 - 0.04) / (0.002 + 0.16) of 0.0002 * 1000 + 0.02 ln 1001, per kB
        let likelihood = observed(1e6, &[4.0]);
        let preference = 0.16 / 0.162 * (0.2 + 0.02 * 1001f64.ln());
        let expected = 4.0 * 0.1f64.ln() + 96.0 * 0.9f64.ln() + 100.0 * preference;
        assert!((likelihood.of(&Channel { limit_bps: 1e6, share: 0.1 }) - expected).abs() < 1e-9);
    }

    #[test]
    fn newton_steps_lead_to_the_share_of_losses() {
        // below the limit the likelihood is greatest at the share of losses itself
        let likelihood = observed(1e6, &[4.0, 4.0, 4.0, 4.0]);
        let mut channel = Channel { limit_bps: 1e6, share: 0.01 };
        for _ in 0..40 {
            channel = likelihood.refine(channel);
        }
        assert!((channel.share - 0.04).abs() < 1e-9);
    }

    #[test]
    fn extremes_do_not_count_unless_the_rate_rose_suddenly() {
        assert_eq!(observed(1e6, &[0.0, 30.0, 5.0]).loss(), observed(1e6, &[0.0, 30.0, 5.0]).mean_loss());
        let four = observed(1e6, &[5.0, 0.0, 30.0, 5.0]); // weights 0.729, 0.81, 0.9, 1
        assert!((four.loss() - 5.0 * 1.729 / 172.9).abs() < 1e-12);
        let mut sudden = observed(1e6, &[5.0, 0.0, 5.0]);
        sudden.take(Observation { rate_bps: 3e6, sent_kb: 100.0, lost_kb: 30.0 });
        let expected = (5.0 * 0.729 + 5.0 * 0.9 + 30.0) / (100.0 * (0.729 + 0.81 + 0.9 + 1.0));
        assert!((sudden.loss() - expected).abs() < 1e-12);
    }

    #[test]
    fn heavy_losses_make_small_limits_preferable() {
        assert!(observed(1e6, &[0.0]).preference(1000.0) > 0.0);
        assert!(observed(1e6, &[30.0]).preference(1000.0) < 0.0);
    }
}
