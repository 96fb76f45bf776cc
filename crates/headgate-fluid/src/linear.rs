//! Linearisation of a model about a state: the derivatives of its slope.
//!
//! `z' = A z(t) + sum of B_k z(t - tau_k)`. A delay that depends on the state changes with it; but if the
//! past is constant, a shifted time sees the same state, so that only the delay in equilibrium counts.
//! Derivatives are central differences, with every switch held on its side.

use crate::history::History;
use crate::model::{Model, Now};
use crate::past::{Between, LaggedState, Lags, Past};

/// The step of the differences, relative to the component: rounding makes an error of 1e-10. A bend that
/// cancels in the difference of both sides leaves its product with the step.
const STEP: f64 = 1e-6;
/// The size that is assumed for a component that is zero.
const LEAST: f64 = 1.0;
/// A time at which every reply has returned; an equilibrium does not depend on it.
const LATE_S: f64 = 1e6;

/// The linearisation of a model about a state.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The slope at the state. It is only rounding if the model is in equilibrium there.
    pub slope: Vec<f64>,
    pub gaps: Vec<f64>,
    /// `A`, row by row.
    pub now: Vec<f64>,
    /// `B` of each lag, and its delay; zero if the slope does not use the lag.
    pub then: Vec<Vec<f64>>,
    pub delays_s: Vec<f64>,
    /// The deviation of the slopes on both sides of the state from a straight line, relative to the greatest
    /// change of a row: about 1e-6 if the model is smooth, of the order of 1 if it bends.
    pub bend: f64,
}

/// Linearises a model about a constant state, with the same state at all earlier times.
pub fn linear(model: &dyn Model, state: &[f64], sides: &[bool]) -> Linear {
    let (dimension, lags) = (model.dimension(), model.lags());
    let late = Probe { model, state, sides, t_s: LATE_S };
    let longest_s = late.delays_s().into_iter().fold(0.0, f64::max);
    let probe = Probe { t_s: (4.0 * longest_s).max(1.0), ..late };
    let mut changes = vec![0.0; dimension];
    let mut bends = vec![0.0; dimension];
    let mut matrix = |lag: Option<usize>| {
        let mut matrix = vec![0.0; dimension * dimension];
        for column in 0..dimension {
            probe.column(lag, column, &mut matrix, &mut changes, &mut bends);
        }
        matrix
    };
    let now = matrix(None);
    let then = (0..lags).map(|lag| matrix(Some(lag))).collect();
    let part = |(bend, change): (&f64, &f64)| if *change > 0.0 { bend / change } else { 0.0 };
    Linear {
        slope: probe.slope(state, None),
        gaps: probe.gaps(),
        now,
        then,
        delays_s: probe.delays_s(),
        bend: bends.iter().zip(&changes).map(part).fold(0.0, f64::max),
    }
}

#[derive(Clone, Copy)]
struct Probe<'a> {
    model: &'a dyn Model,
    state: &'a [f64],
    sides: &'a [bool],
    t_s: f64,
}

impl Probe<'_> {
    fn look<T>(
        &self,
        state: &[f64],
        seen: Option<(usize, &[f64])>,
        take: impl FnOnce(&Now<'_>, &mut Past<'_>) -> T,
    ) -> (T, Lags) {
        let (history, mut lags) = (History::default(), Lags::default());
        lags.clear(self.model.lags());
        let before = |t_s, index| self.model.before(t_s, index);
        let mut past = Past {
            before: &before,
            history: &history,
            held: Some(LaggedState { state: self.state, seen }),
            draft: None,
            between: Between::Smooth,
            until_s: self.t_s,
            lags: &mut lags,
        };
        let taken = take(&Now { t_s: self.t_s, state, sides: self.sides }, &mut past);
        (taken, lags)
    }

    fn slope(&self, state: &[f64], seen: Option<(usize, &[f64])>) -> Vec<f64> {
        let mut slope = vec![0.0; state.len()];
        self.look(state, seen, |now, past| self.model.slope(now, past, &mut slope));
        slope
    }

    fn gaps(&self) -> Vec<f64> {
        let mut gaps = vec![0.0; self.model.switches()];
        self.look(self.state, None, |now, past| self.model.gaps(now, past, &mut gaps));
        gaps
    }

    fn delays_s(&self) -> Vec<f64> {
        let mut slope = vec![0.0; self.state.len()];
        let (_, lags) = self.look(self.state, None, |now, past| self.model.slope(now, past, &mut slope));
        let delay_s = |looked_s: &f64| if looked_s.is_finite() { self.t_s - looked_s } else { 0.0 };
        lags.times_s.iter().map(delay_s).collect()
    }

    /// The slope with one component changed by a number of steps: the present one, or the one that a lag
    /// sees.
    fn changed(&self, lag: Option<usize>, column: usize, steps: f64) -> Vec<f64> {
        let mut state = self.state.to_vec();
        state[column] += steps * self.step(column);
        match lag {
            None => self.slope(&state, None),
            Some(lag) => self.slope(self.state, Some((lag, &state))),
        }
    }

    fn step(&self, column: usize) -> f64 {
        let value = self.state[column].abs();
        STEP * if value > 0.0 { value } else { LEAST }
    }

    /// Writes a column; keeps the greatest change and the greatest bend of each row.
    fn column(
        &self,
        lag: Option<usize>,
        column: usize,
        matrix: &mut [f64],
        changes: &mut [f64],
        bends: &mut [f64],
    ) {
        let [below, here, above] = [-1.0, 0.0, 1.0].map(|steps| self.changed(lag, column, steps));
        for row in 0..here.len() {
            let change = above[row] - below[row];
            matrix[row * here.len() + column] = change / (2.0 * self.step(column));
            changes[row] = changes[row].max(change.abs());
            bends[row] = bends[row].max((above[row] - 2.0 * here[row] + below[row]).abs());
        }
    }
}
