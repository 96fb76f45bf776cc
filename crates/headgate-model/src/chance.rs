//! Random streams keyed by name. Adding a flow changes no other flow's random numbers.
//!
//! A stream is PCG64-DXSM (O'Neill 2014; the generator behind NumPy's `PCG64DXSM`). Its state and sequence
//! are hashed from (seed, purpose, entity), never from the order of construction. Samplers invert the
//! distribution function with `libm`, so that a draw is the same on every machine.

use rand_core::Rng;
use rand_pcg::Pcg64Dxsm;
use serde::{Deserialize, Serialize};

/// One named stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(Pcg64Dxsm);

impl Stream {
    /// Creates the stream of `entity` (a flow, a user, a link) for `purpose` under the run's `seed`.
    pub fn new(seed: u64, purpose: &str, entity: u64) -> Self {
        let name = purpose.bytes().fold(FNV_OFFSET, |h, b| (h ^ u64::from(b)).wrapping_mul(FNV_PRIME));
        let mut key = mix(mix(seed) ^ name) ^ entity;
        let mut word = || {
            key = key.wrapping_add(GOLDEN);
            u128::from(mix(key))
        };
        Self(Pcg64Dxsm::new(word() << 64 | word(), word() << 64 | word()))
    }

    /// Returns a stream for a purpose that only some entities need. It depends on the current state of this
    /// stream, which it leaves unchanged.
    #[must_use]
    pub fn aside(&self, purpose: &str) -> Self {
        Self::new(self.clone().0.next_u64(), purpose, 0)
    }

    /// Draws a uniform number in (0, 1]. It is never zero, so that its logarithm is finite.
    pub fn open01(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws a uniform number in 0..n.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Returns true with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.open01() <= p
    }

    /// Draws from the exponential distribution with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.open01())
    }

    /// Draws from the normal distribution with mean 0 and standard deviation 1 (Box, Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.open01())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.open01())
    }

    /// Draws from the Pareto distribution with the given mean and shape (> 1). Its scale is mean (shape - 1)
    /// / shape.
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        mean * (shape - 1.0) / shape * libm::pow(self.open01(), -1.0 / shape)
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finaliser (Steele, Lea, Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(n: u32, mut draw: impl FnMut() -> f64) -> f64 {
        (0..n).map(|_| draw()).sum::<f64>() / f64::from(n)
    }

    #[test]
    fn streams_depend_on_every_part_of_their_name() {
        let first = |seed, purpose, entity| Stream::new(seed, purpose, entity).open01();
        let base = first(1, "think", 7);
        assert_eq!(base, first(1, "think", 7));
        assert_ne!(base, first(2, "think", 7));
        assert_ne!(base, first(1, "size", 7));
        assert_ne!(base, first(1, "think", 8));
    }

    #[test]
    fn a_branch_leaves_its_stream_where_it_was() {
        let (mut one, mut other) = (Stream::new(1, "user", 0), Stream::new(1, "user", 0));
        let aside = one.aside("surge").open01();
        assert_eq!(one, other);
        assert_ne!(aside, one.aside("patience").open01());
        other.open01();
        assert_ne!(aside, other.aside("surge").open01()); // another place, another branch
        assert_ne!(aside, one.open01());
    }

    #[test]
    fn samplers_have_their_means() {
        let mut s = Stream::new(3, "test", 0);
        let sd = 3.5 / (1e6f64).sqrt(); // exponential: standard deviation = mean
        assert!((mean(1_000_000, || s.exponential(3.5)) - 3.5).abs() < 4.0 * sd);
        // Pareto 2.5, mean 75: variance = scale² a / ((a−1)²(a−2)) = 45² · 2.5 / (2.25 · 0.5)
        let sd = (45.0f64 * 45.0 * 2.5 / (2.25 * 0.5)).sqrt() / 1e3;
        assert!((mean(1_000_000, || s.pareto(75.0, 2.5)) - 75.0).abs() < 5.0 * sd);
        assert!((mean(1_000_000, || s.below(10) as f64) - 4.5).abs() < 4.0 * 2.88 / 1e3);
    }
}
