//! Sums of fractions that do not depend on the order of addition. Threads can therefore add at once, and
//! the difference of two equal sums is exactly zero.

use headgate_model::column::{Counter, Kind};
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub};

/// A sum in units of 2^-40.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExactSum(i128);

const UNITS: f64 = (1u64 << 40) as f64;

/// Below this value the number of units fits into 64 bits.
const SMALL: f64 = (1u64 << 22) as f64;

impl ExactSum {
    /// Returns the sum.
    pub fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }
}

/// A column that contains an exact sum.
pub enum Sum {}

impl Kind for Sum {
    type Field = ExactSum;
    type Cell = f64;

    fn cell(field: &ExactSum) -> f64 {
        field.value()
    }
}

impl Counter for Sum {
    fn merge(held: &mut ExactSum, other: &ExactSum) {
        *held += *other;
    }

    fn since(held: &ExactSum, before: &ExactSum) -> ExactSum {
        *held - *before
    }

    fn word(held: &ExactSum) -> u64 {
        held.value().to_bits()
    }
}

impl From<f64> for ExactSum {
    /// Truncates below the finest unit. Infinity becomes the largest number.
    #[inline]
    fn from(value: f64) -> Self {
        let units = value * UNITS;
        Self(if value.abs() < SMALL { i128::from(units as i64) } else { units as i128 })
    }
}

impl AddAssign<f64> for ExactSum {
    #[inline]
    fn add_assign(&mut self, value: f64) {
        *self += Self::from(value);
    }
}

impl AddAssign for ExactSum {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl Add for ExactSum {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sub for ExactSum {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_addition_does_not_matter() {
        let values = [0.1, 1e9, 3.7e-9, -2.5, 1e-6, 123_456_789.123];
        let mut sums: Vec<ExactSum> = Vec::new();
        for turn in 0..values.len() {
            let mut sum = ExactSum::default();
            (0..values.len()).for_each(|at| sum += values[(at + turn) % values.len()]);
            sums.push(sum);
        }
        assert!(sums.iter().all(|&sum| sum == sums[0]));
        let plain: f64 = values.iter().sum();
        assert!((sums[0].value() - plain).abs() < 1e-6);
    }

    #[test]
    fn each_addend_loses_less_than_a_unit() {
        let mut sum = ExactSum::default();
        (0..1000).for_each(|_| sum += 0.001);
        assert!((sum.value() - 1.0).abs() < 1000.0 / UNITS);
        assert_eq!((sum - sum).value(), 0.0);
    }
}
