//! A run of a model: the state that all methods share.

use crate::history::History;
use crate::model::{Model, Now};
use crate::past::{Between, Lags, Past};

/// The reason why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveError {
    pub t_s: f64,
    pub message: &'static str,
}

/// The cost of a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub steps: u64,
    pub rejected: u64,
    pub slopes: u64,
}

/// A run of a model, by any method.
pub(crate) struct Run<'m> {
    pub model: &'m dyn Model,
    pub history: History,
    pub lags: Lags,
    pub sides: Vec<bool>,
    pub cost: Cost,
    pub events: Vec<(f64, usize)>,
    between: Between,
}

/// A first solution of the present step, and its end.
pub(crate) type TrialStep<'a> = Option<(&'a [f64], f64)>;

impl<'m> Run<'m> {
    pub fn new(model: &'m dyn Model, between: Between) -> Self {
        let mut run = Self {
            model,
            history: History::default(),
            lags: Lags::default(),
            sides: (0..model.switches()).map(|index| model.side(index)).collect(),
            cost: Cost::default(),
            events: Vec::new(),
            between,
        };
        run.history.clear(model.dimension());
        run.lags.clear(model.lags());
        run
    }

    pub fn between_is(&self, between: Between) -> bool {
        self.between == between
    }

    /// The state at time 0.
    pub fn start(&self) -> Vec<f64> {
        (0..self.model.dimension()).map(|index| self.model.before(0.0, index)).collect()
    }

    pub fn slope(&mut self, t_s: f64, until_s: f64, state: &[f64], draft: TrialStep<'_>, slope: &mut [f64]) {
        self.cost.slopes += 1;
        let Self { model, history, lags, sides, between, .. } = self;
        let before = |t_s, index| model.before(t_s, index);
        let mut past = Past { before: &before, history, held: None, draft, between: *between, until_s, lags };
        model.slope(&Now { t_s, state, sides }, &mut past, slope);
    }

    pub fn gaps(&mut self, t_s: f64, until_s: f64, state: &[f64], draft: TrialStep<'_>, gaps: &mut [f64]) {
        let Self { model, history, lags, sides, between, .. } = self;
        let before = |t_s, index| model.before(t_s, index);
        let mut past = Past { before: &before, history, held: None, draft, between: *between, until_s, lags };
        model.gaps(&Now { t_s, state, sides }, &mut past, gaps);
    }

    /// Sets every switch to the side that the state determines. Two iterations: a switch may read its own
    /// side.
    pub fn settle_switches(&mut self, t_s: f64, until_s: f64, state: &[f64], gaps: &mut [f64]) -> bool {
        let mut changed = false;
        for _ in 0..2 {
            self.gaps(t_s, until_s, state, None, gaps);
            for (index, gap) in gaps.iter().enumerate() {
                if self.sides[index] != (*gap >= 0.0) {
                    self.flip(t_s, index);
                    changed = true;
                }
            }
        }
        changed
    }

    pub fn flip(&mut self, t_s: f64, index: usize) {
        self.sides[index] = !self.sides[index];
        if t_s > 0.0 {
            self.events.push((t_s, index));
        }
    }
}
