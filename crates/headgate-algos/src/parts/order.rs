//! The larger and the smaller of two numbers in one instruction. `f64::max` and `f64::min` take five, because
//! one of the numbers may be NaN.

/// The larger of two numbers that are not NaN.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers that are not NaN.
#[inline]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinity_is_the_largest_number() {
        let infinity = f64::INFINITY;
        for (a, b) in [(1.0, 2.0), (2.0, 1.0), (0.5, 0.5), (infinity, 3.0), (-1.0, infinity)] {
            assert_eq!((larger(a, b), smaller(a, b)), (a.max(b), a.min(b)), "{a} {b}");
        }
    }
}
