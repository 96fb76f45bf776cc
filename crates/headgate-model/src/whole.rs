//! Rounding without a function call. The baseline processors of the builds provide no instruction for it.

/// The largest integer not above `x`; exact for `x` from 0 to 2^63.
#[inline]
pub fn floor(x: f64) -> f64 {
    x as i64 as f64
}

/// The smallest integer not below `x`; exact for `x` from 0 to 2^63.
#[inline]
pub fn ceil(x: f64) -> f64 {
    let below = floor(x);
    if below < x { below + 1.0 } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_and_others_round() {
        for x in [0.0, 0.25, 1.0, 1.5, 9_007_199_254_740_991.0, 4_503_599_627_370_495.5, 1e18] {
            assert_eq!((floor(x), ceil(x)), (x.floor(), x.ceil()), "{x}");
        }
    }
}
