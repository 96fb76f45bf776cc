//! One interface for every method, and its result.

use crate::adaptive;
use crate::fixed;
use crate::history::History;
use crate::model::Model;
use crate::past::Between;
use crate::run::{Cost, Run, SolveError};

/// The method of solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Dormand-Prince 5(4) with the longest steps that the tolerances allow, at most `most_s`.
    Adaptive { relative: f64, absolute: f64, most_s: f64 },
    /// Euler's method with fixed steps.
    Euler { step_s: f64, between: Between },
    /// The classical Runge-Kutta method of order 4 with fixed steps.
    Rk4 { step_s: f64, between: Between },
}

impl Method {
    fn between(&self) -> Between {
        match *self {
            Self::Adaptive { .. } => Between::Smooth,
            Self::Euler { between, .. } | Self::Rk4 { between, .. } => between,
        }
    }
}

/// A solved model: its state at any time.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    pub history: History,
    pub cost: Cost,
    /// The time and number of each switch that changed its side; for a fixed step, the time of the next row.
    pub events: Vec<(f64, usize)>,
    /// The side of each switch at the end.
    pub sides: Vec<bool>,
}

/// Solves a model from time 0.
pub fn solve(model: &dyn Model, method: &Method, duration_s: f64) -> Result<Solution, SolveError> {
    let mut run = Run::new(model, method.between());
    match *method {
        Method::Adaptive { relative, absolute, most_s } => {
            adaptive::run(&mut run, &adaptive::Limits { relative, absolute, most_s }, duration_s)?;
        }
        Method::Euler { step_s, .. } => fixed::run(&mut run, fixed::Kind::Euler, step_s, duration_s)?,
        Method::Rk4 { step_s, .. } => fixed::run(&mut run, fixed::Kind::Rk4, step_s, duration_s)?,
    }
    Ok(Solution { history: run.history, cost: run.cost, events: run.events, sides: run.sides })
}

impl Solution {
    /// Passes the state at `0, every_s, 2 every_s, ...` up to the end to `show`.
    pub fn sample(&self, model: &dyn Model, every_s: f64, mut show: impl FnMut(f64, &[f64])) {
        let mut state: Vec<f64> = (0..model.dimension()).map(|index| model.before(0.0, index)).collect();
        let mut near = 0;
        for row in 0..rows(self.history.end_s(), every_s) {
            let t_s = row as f64 * every_s;
            if self.history.steps() > 0 {
                self.history.state(t_s, &mut near, &mut state);
            }
            model.confine(&mut state);
            show(t_s, &state);
        }
    }
}

/// The number of sample times from 0 to the end, both included.
pub fn rows(end_s: f64, every_s: f64) -> usize {
    (end_s / every_s * (1.0 + 1e-12)) as usize + 1
}
