//! Zeros of a function of one variable.

/// Iterations after which the bracket of any two numbers is exhausted: every fourth one halves it.
const MOST: usize = 240;

/// One end of a bracket: a place, and the value of the function there.
pub type End = (f64, f64);

/// Returns the place between `low` and `high` at which `f` changes its sign, to within `width`, by the
/// Illinois variant of the false position method.
pub fn crossing(mut f: impl FnMut(f64) -> f64, mut low: End, mut high: End, width: f64) -> f64 {
    let (mut last, mut raised) = (f64::NAN, None);
    for round in 0..MOST {
        let middle = next(low, high, round);
        let value = f(middle);
        if value == 0.0 || (middle - last).abs() <= width || high.0 - low.0 <= width {
            return middle;
        }
        last = middle;
        let above = (value < 0.0) == (high.1 < 0.0);
        let again = raised == Some(above);
        raised = Some(above);
        if above {
            high = (middle, value);
            low.1 *= if again { 0.5 } else { 1.0 };
        } else {
            low = (middle, value);
            high.1 *= if again { 0.5 } else { 1.0 };
        }
    }
    last
}

/// The false position, or the middle in every fourth iteration.
fn next(low: End, high: End, round: usize) -> f64 {
    let secant = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
    let inside = secant > low.0 && secant < high.0;
    if inside && round % 4 != 3 { secant } else { 0.5 * (low.0 + high.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(f: fn(f64) -> f64, low: f64, high: f64) -> (f64, usize) {
        let mut calls = 0;
        let counted = |x| {
            calls += 1;
            f(x)
        };
        (crossing(counted, (low, f(low)), (high, f(high)), 1e-13), calls)
    }

    #[test]
    fn roots_are_found_in_few_steps_whichever_way_the_function_goes() {
        for f in [|x| x * x - 2.0, |x: f64| 2.0 - x * x] {
            let (found, calls) = root(f, 0.0, 2.0);
            assert!((found - 2f64.sqrt()).abs() < 1e-12);
            assert!(calls <= 12, "{calls}");
        }
        assert_eq!(root(|x| x - 0.5, 0.0, 1.0), (0.5, 1));
    }

    #[test]
    fn a_jump_is_a_crossing_too() {
        let (found, _) = root(|x| if x < 0.3 { -1.0 } else { 5.0 }, 0.0, 1.0);
        assert!((found - 0.3).abs() < 1e-12);
    }
}
