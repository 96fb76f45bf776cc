//! A step in progress: its start, its stages and its polynomial.

use crate::breaks::Breaks;
use crate::history::TERMS;
use crate::run::Run;
use crate::tableau::STAGES;

/// The smallest error that is assumed for the step before.
pub(crate) const LEAST_ERROR: f64 = 1e-4;

pub(crate) struct Stepper {
    pub t_s: f64,
    pub state: Vec<f64>,
    pub next: Vec<f64>,
    pub stage: Vec<f64>,
    pub slopes: [Vec<f64>; STAGES],
    pub terms: Vec<f64>,
    pub draft: Vec<f64>,
    pub gaps: Vec<f64>,
    /// The times of the lags at the start and at the end of the step.
    pub from_s: Vec<f64>,
    pub to_s: Vec<f64>,
    pub breaks: Breaks,
    pub error_before: f64,
    /// The time of the last event, and the number of events at that time.
    pub turned_s: f64,
    pub at_once: usize,
}

impl Stepper {
    pub fn new(run: &Run<'_>) -> Self {
        let (dimension, lags) = (run.model.dimension(), run.model.lags());
        let empty = || vec![0.0; dimension];
        Self {
            t_s: 0.0,
            state: run.start(),
            next: empty(),
            stage: empty(),
            slopes: std::array::from_fn(|_| empty()),
            terms: vec![0.0; TERMS * dimension],
            draft: vec![0.0; TERMS * dimension],
            gaps: vec![0.0; run.model.switches()],
            from_s: vec![f64::NEG_INFINITY; lags],
            to_s: vec![f64::NEG_INFINITY; lags],
            breaks: Breaks::new(lags),
            error_before: LEAST_ERROR,
            turned_s: f64::NEG_INFINITY,
            at_once: 0,
        }
    }
}
