//! Time cut into windows.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// Windows of nearly equal length, none longer than requested. A packet that crosses to another region
/// therefore arrives in a later window.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Windows {
    /// Windows per picosecond, as a 0.64 fixed-point number.
    per_ps: u64,
}

impl Windows {
    /// Windows of at most `longest`, picoseconds.
    pub fn new(longest: Span) -> Self {
        let per_ps = (1u128 << 64).div_ceil(u128::from(longest));
        Self { per_ps: u64::try_from(per_ps).expect("a window is longer than a picosecond") }
    }

    /// Returns the window that contains an instant.
    #[inline]
    pub fn of(self, time: Time) -> u64 {
        ((u128::from(time) * u128::from(self.per_ps)) >> 64) as u64
    }

    /// Returns the first instant of a window.
    pub fn start(self, window: u64) -> Time {
        (u128::from(window) << 64).div_ceil(u128::from(self.per_ps)) as Time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_is_longer_than_requested() {
        for longest in [2, 3, 7, 20_000_000, 200_000_000_000, 333_333_333_333, 500_000_000_000] {
            let windows = Windows::new(longest);
            for n in [0, 1, 2, 1000, 1_000_003, (1 << 40) / longest] {
                let (from, to) = (windows.start(n), windows.start(n + 1));
                assert!(from < to && to - from <= longest, "{longest} {n}: {from} to {to}");
                assert_eq!([from, to - 1, to].map(|at| windows.of(at)), [n, n, n + 1]);
            }
        }
    }
}
