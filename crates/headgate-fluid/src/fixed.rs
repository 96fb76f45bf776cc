//! Fixed steps, to repeat published runs.

use crate::history::{TERMS, cubic, line};
use crate::past::Between;
use crate::run::{Run, SolveError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Euler,
    Rk4,
}

/// A state of this size is outside the range of every model.
const BEYOND: f64 = 1e100;

struct Step {
    slopes: [Vec<f64>; 4],
    stage: Vec<f64>,
    terms: Vec<f64>,
    gaps: Vec<f64>,
}

/// Solves up to `end_s`, at `0, step_s, 2 step_s, ...`.
pub fn run(run: &mut Run<'_>, kind: Kind, step_s: f64, end_s: f64) -> Result<(), SolveError> {
    let dimension = run.model.dimension();
    let empty = || vec![0.0; dimension];
    let mut step = Step {
        slopes: [empty(), empty(), empty(), empty()],
        stage: empty(),
        terms: vec![0.0; TERMS * dimension],
        gaps: vec![0.0; run.model.switches()],
    };
    let (mut state, mut next) = (run.start(), empty());
    let count = (end_s / step_s - 1e-9).ceil() as u64;
    for row in 0..count {
        let (t_s, until_s) = (row as f64 * step_s, (row + 1) as f64 * step_s);
        run.settle_switches(t_s, until_s, &state, &mut step.gaps);
        run.slope(t_s, until_s, &state, None, &mut step.slopes[0]);
        match kind {
            Kind::Euler => euler(&step.slopes[0], &state, step_s, &mut next),
            Kind::Rk4 => rk4(run, &mut step, (t_s, until_s), &state, &mut next),
        }
        run.model.confine(&mut next);
        if next.iter().any(|value| !value.is_finite() || value.abs() > BEYOND) {
            return Err(SolveError {
                t_s,
                message: "the state grows beyond all bounds; take a shorter step",
            });
        }
        join(run, &mut step, kind, (t_s, until_s), [&state, &next]);
        run.history.push(until_s, &step.terms);
        run.cost.steps += 1;
        std::mem::swap(&mut state, &mut next);
    }
    Ok(())
}

fn euler(slope: &[f64], state: &[f64], h_s: f64, next: &mut [f64]) {
    for (i, value) in next.iter_mut().enumerate() {
        *value = state[i] + h_s * slope[i];
    }
}

/// The classical Runge-Kutta method (Kutta 1901). The first slope is already computed.
fn rk4(run: &mut Run<'_>, step: &mut Step, (t_s, until_s): (f64, f64), state: &[f64], next: &mut [f64]) {
    let h_s = until_s - t_s;
    for (stage, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
        euler(&step.slopes[stage - 1], state, part * h_s, &mut step.stage);
        run.slope(t_s + part * h_s, until_s, &step.stage, None, &mut step.slopes[stage]);
    }
    let [k1, k2, k3, k4] = &step.slopes;
    for (i, value) in next.iter_mut().enumerate() {
        *value = state[i] + h_s / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    }
}

/// Interpolates between the two states: by a line, or for the method of order 4 by the cubic with both
/// slopes.
fn join(run: &mut Run<'_>, step: &mut Step, kind: Kind, (t_s, until_s): (f64, f64), states: [&[f64]; 2]) {
    line(states[0], states[1], &mut step.terms);
    if kind == Kind::Rk4 && run.between_is(Between::Smooth) {
        run.slope(until_s, until_s, states[1], Some((&step.terms, until_s)), &mut step.slopes[1]);
        cubic(states, [&step.slopes[0], &step.slopes[1]], until_s - t_s, &mut step.terms);
    }
}
