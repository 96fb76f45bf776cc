//! Discontinuities of the solution, and their propagation through lags.
//!
//! If the slope jumps at some time, the second derivative jumps when a lag reaches that time, then the third,
//! and so on. Steps end there too, up to an order to which the method is insensitive.

/// A jump in the derivative of order `level + 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    pub t_s: f64,
    pub level: u8,
}

/// Jumps in the fifth derivative and beyond are left to the step control.
const LEVELS: u8 = 4;

/// With more lags than this, jumps are left to the step control too: each would end a step of all classes.
const MOST_LAGS: usize = 8;

/// Jumps that a lag may still reach.
#[derive(Clone, Debug)]
pub struct Breaks {
    known: Vec<Break>,
    is_tracked: bool,
}

impl Breaks {
    pub fn new(lags: usize) -> Self {
        let mut breaks = Self { known: Vec::new(), is_tracked: lags > 0 && lags <= MOST_LAGS };
        breaks.add(Break { t_s: 0.0, level: 0 });
        breaks
    }

    /// Whether jumps end steps: not with more lags than `MOST_LAGS`.
    pub fn is_tracked(&self) -> bool {
        self.is_tracked
    }

    pub fn add(&mut self, new: Break) {
        if self.is_tracked && new.level < LEVELS {
            self.known.push(new);
        }
    }

    /// Returns the first jump that a lag passes strictly between the two times.
    pub fn passed(&self, from_s: f64, to_s: f64) -> Option<Break> {
        let near_s = 1e-10 * (1.0 + to_s.abs());
        let mut within =
            self.known.iter().filter(|known| known.t_s > from_s + near_s && known.t_s < to_s - near_s);
        let first = *within.next()?;
        Some(within.fold(first, |first, next| if next.t_s < first.t_s { *next } else { first }))
    }

    /// Removes jumps that every lag has passed.
    pub fn forget_before(&mut self, t_s: f64) {
        let near_s = 1e-8 * (1.0 + t_s.abs());
        self.known.retain(|known| known.t_s >= t_s - near_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_jump_on_the_way_is_found_and_ends_do_not_count() {
        let mut breaks = Breaks::new(1);
        breaks.add(Break { t_s: 3.0, level: 1 });
        breaks.add(Break { t_s: 2.0, level: 0 });
        breaks.add(Break { t_s: 2.5, level: LEVELS });
        assert_eq!(breaks.passed(0.0, 4.0), Some(Break { t_s: 2.0, level: 0 }));
        assert_eq!(breaks.passed(2.0, 4.0), Some(Break { t_s: 3.0, level: 1 }));
        assert_eq!(breaks.passed(2.1, 2.9), None);
        breaks.forget_before(2.5);
        assert_eq!(breaks.passed(-1.0, 4.0), Some(Break { t_s: 3.0, level: 1 }));
    }

    #[test]
    fn the_jumps_of_many_lags_are_not_followed() {
        assert!(Breaks::new(MOST_LAGS).is_tracked());
        assert!(!Breaks::new(MOST_LAGS + 1).is_tracked());
    }
}
