//! One interface for every method, and what it gives.

use crate::adaptive;
use crate::fixed;
use crate::history::History;
use crate::model::{Model, Now};
use crate::past::{Between, Lags, Past};

/// How a model is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Dormand-Prince 5(4) with steps as long as the tolerances allow, and no longer than `most_s`.
    Adaptive { relative: f64, absolute: f64, most_s: f64 },
    /// Euler's method with steps of one length.
    Euler { step_s: f64, between: Between },
    /// The classical method of order 4 with steps of one length.
    Rk4 { step_s: f64, between: Between },
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuck {
    pub t_s: f64,
    pub says: &'static str,
}

/// What a solution cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub steps: u64,
    pub rejected: u64,
    pub slopes: u64,
}

/// A solved model: its state at any moment.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    pub history: History,
    pub cost: Cost,
    /// When which switch changed its side; of a fixed step, the row after.
    pub events: Vec<(f64, usize)>,
    /// The side of each switch at the end.
    pub sides: Vec<bool>,
}

/// Solves a model from time 0.
pub fn solve(model: &dyn Model, method: &Method, duration_s: f64) -> Result<Solution, Stuck> {
    let mut run = Run::new(model, method);
    match *method {
        Method::Adaptive { relative, absolute, most_s } => {
            adaptive::run(&mut run, &adaptive::Limits { relative, absolute, most_s }, duration_s)?;
        }
        Method::Euler { step_s, .. } => fixed::run(&mut run, fixed::Kind::Euler, step_s, duration_s)?,
        Method::Rk4 { step_s, .. } => fixed::run(&mut run, fixed::Kind::Rk4, step_s, duration_s)?,
    }
    Ok(Solution { history: run.history, cost: run.cost, events: run.events, sides: run.sides })
}

/// A model on its way, by whatever method.
pub(crate) struct Run<'m> {
    pub model: &'m dyn Model,
    pub history: History,
    pub lags: Lags,
    pub sides: Vec<bool>,
    pub cost: Cost,
    pub events: Vec<(f64, usize)>,
    between: Between,
}

/// A first solution of the step in hand, and its end.
pub(crate) type Draft<'a> = Option<(&'a [f64], f64)>;

impl<'m> Run<'m> {
    fn new(model: &'m dyn Model, method: &Method) -> Self {
        let between = match *method {
            Method::Adaptive { .. } => Between::Smooth,
            Method::Euler { between, .. } | Method::Rk4 { between, .. } => between,
        };
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

    pub fn slope(&mut self, t_s: f64, until_s: f64, state: &[f64], draft: Draft<'_>, slope: &mut [f64]) {
        self.cost.slopes += 1;
        let Self { model, history, lags, sides, between, .. } = self;
        let mut past = Past { model: *model, history, held: None, draft, between: *between, until_s, lags };
        model.slope(&Now { t_s, state, sides }, &mut past, slope);
    }

    pub fn gaps(&mut self, t_s: f64, until_s: f64, state: &[f64], draft: Draft<'_>, gaps: &mut [f64]) {
        let Self { model, history, lags, sides, between, .. } = self;
        let mut past = Past { model: *model, history, held: None, draft, between: *between, until_s, lags };
        model.gaps(&Now { t_s, state, sides }, &mut past, gaps);
    }

    /// Puts every switch on the side that the state says. Two rounds: a switch may read its own side.
    pub fn settle(&mut self, t_s: f64, until_s: f64, state: &[f64], gaps: &mut [f64]) -> bool {
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

impl Solution {
    /// Shows the state at `0, every_s, 2 every_s, ...` up to the end.
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

/// Moments from 0 to the end, both counted.
pub fn rows(end_s: f64, every_s: f64) -> usize {
    (end_s / every_s * (1.0 + 1e-12)) as usize + 1
}
