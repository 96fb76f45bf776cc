//! A histogram of durations, from which quantiles are read with a bounded relative error.

use headgate_model::units::{Span, seconds};
use serde::{Deserialize, Serialize};

/// Bits of a duration that distinguish buckets within an octave.
const BITS: u32 = 6;

/// Number of durations by size. Each octave has 64 buckets, so that a quantile is wrong by less than 1 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    /// Adds a duration.
    pub fn add(&mut self, span: Span) {
        let at = bucket(span);
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
    }

    /// Returns the counts since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let before = before.counts.iter().copied().chain(std::iter::repeat(0));
        Self { counts: self.counts.iter().zip(before).map(|(after, before)| after - before).collect() }
    }

    /// Returns a quantile, seconds: the middle of the bucket that contains it. NaN if there is no duration.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let all: u64 = self.counts.iter().sum();
        let rank = ((share * all as f64).ceil() as u64).clamp(1, all.max(1));
        let mut below = 0;
        for (at, count) in self.counts.iter().enumerate() {
            below += count;
            if below >= rank {
                return f64::midpoint(seconds(edge(at)), seconds(edge(at + 1)));
            }
        }
        f64::NAN
    }

    /// Returns the memory of the counts, bytes.
    pub fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }
}

/// Returns the bucket of a duration. Each duration below 2^7 ps is a bucket.
fn bucket(span: Span) -> usize {
    let octave = (Span::BITS - span.leading_zeros()).saturating_sub(BITS + 1);
    ((octave as usize) << BITS) + (span >> octave) as usize
}

/// Returns the least duration of a bucket.
fn edge(at: usize) -> Span {
    let octave = (at >> BITS).saturating_sub(1);
    let within = at - (octave << BITS);
    (within as Span) << octave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_narrow() {
        for span in [0, 1, 63, 64, 127, 128, 129, 1_000, 123_456_789, 25_000_000_000, 1 << 50] {
            let at = bucket(span);
            let (low, high) = (edge(at), edge(at + 1));
            assert!(low <= span && span < high, "{span}: {low} to {high}");
            assert!(high - low <= 1.max(span / 64), "{span}: {low} to {high}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_durations() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|ms| histogram.add(ms * 1_000_000_000));
        for share in [0.01, 0.5, 0.95, 0.99, 1.0] {
            let found = histogram.quantile_s(share);
            assert!((found / share - 1.0).abs() < 0.01, "{share}: {found}");
        }
        assert!(histogram.since(&histogram.clone()).quantile_s(0.5).is_nan());
    }
}
