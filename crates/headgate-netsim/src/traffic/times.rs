//! Distributions of times, such as pauses.

use headgate_model::chance::Stream;
use headgate_model::check::{LONGEST_RUN_S, PlanPath, Result};
use headgate_model::units::{Span, picoseconds};
use serde::{Deserialize, Serialize};

use super::check::check_shape;

/// Allowed mean times, seconds. Exponential times with the greatest mean still fit into 64 bits.
const MEANS_S: (f64, f64) = (1e-9, 100_000.0);

/// A distribution of times, as the plan describes it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Times {
    /// All times are equal.
    Fixed {
        /// The time, picoseconds.
        ps: Span,
    },
    /// Exponential times.
    Exponential {
        /// Their mean, seconds.
        mean_s: f64,
    },
    /// Pareto times. The tail is heavy near a shape of 1.
    Pareto {
        /// Their mean, seconds.
        mean_s: f64,
        /// Their shape.
        shape: f64,
    },
}

impl Times {
    /// Rejects times that cannot be drawn, under the key `key` of a place in the plan.
    pub fn check(&self, key: &str, at: &PlanPath) -> Result {
        match *self {
            Self::Fixed { ps } => at.span(&format!("{key}.ps"), ps, LONGEST_RUN_S),
            Self::Exponential { mean_s } => at.number(&format!("{key}.mean_s"), mean_s, MEANS_S, "s"),
            Self::Pareto { mean_s, shape } => {
                at.number(&format!("{key}.mean_s"), mean_s, MEANS_S, "s")?;
                check_shape(&format!("{key}.shape"), shape, at)
            }
        }
    }
}

/// A distribution of times, as part of the state of a run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum DurationDistribution {
    /// All times are equal.
    Fixed {
        /// The time, picoseconds.
        ps: Span,
    },
    /// Exponential times.
    Exponential {
        /// Their mean, seconds.
        mean_s: f64,
    },
    /// Pareto times.
    Pareto {
        /// Their mean, seconds.
        mean_s: f64,
        /// Their shape.
        shape: f64,
    },
}

impl From<Times> for DurationDistribution {
    fn from(times: Times) -> Self {
        match times {
            Times::Fixed { ps } => Self::Fixed { ps },
            Times::Exponential { mean_s } => Self::Exponential { mean_s },
            Times::Pareto { mean_s, shape } => Self::Pareto { mean_s, shape },
        }
    }
}

impl DurationDistribution {
    /// Pareto times if a shape is given, otherwise exponential times.
    pub fn with_mean(mean_s: f64, shape: Option<f64>) -> Self {
        shape.map_or(Self::Exponential { mean_s }, |shape| Self::Pareto { mean_s, shape })
    }

    /// Draws a time, picoseconds.
    pub fn draw(&self, stream: &mut Stream) -> Span {
        match *self {
            Self::Fixed { ps } => ps,
            Self::Exponential { mean_s } => picoseconds(stream.exponential(mean_s)),
            Self::Pareto { mean_s, shape } => picoseconds(stream.pareto(mean_s, shape)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::units::{SECOND, seconds};

    #[test]
    fn drawn_times_have_their_mean() {
        let mut stream = Stream::new(1, "times", 0);
        let exponential = DurationDistribution::Exponential { mean_s: 2.0 };
        let pareto = DurationDistribution::Pareto { mean_s: 2.0, shape: 3.0 };
        for times in [exponential, pareto] {
            let sum: f64 = (0..40_000).map(|_| seconds(times.draw(&mut stream))).sum();
            // deviations of 2 and 1.15 s: a standard error of 0.01 s at most
            assert!((sum / 40_000.0 - 2.0).abs() < 0.05, "{times:?}: {sum}");
        }
        assert_eq!(DurationDistribution::Fixed { ps: 7 }.draw(&mut stream), 7);
    }

    #[test]
    fn times_that_cannot_be_drawn_are_refused() {
        let at = PlanPath::item("traffic", 0);
        let wrong = |times: Times| times.check("pause", &at).unwrap_err().place;
        assert_eq!(wrong(Times::Exponential { mean_s: 0.0 }), "traffic[0].pause.mean_s");
        assert_eq!(wrong(Times::Pareto { mean_s: 1.0, shape: 1.0 }), "traffic[0].pause.shape");
        assert_eq!(wrong(Times::Fixed { ps: u64::MAX }), "traffic[0].pause.ps");
        assert!(Times::Fixed { ps: SECOND }.check("pause", &at).is_ok());
    }
}
