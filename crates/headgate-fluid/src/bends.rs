//! The location of the first event in a step: a switch that changes its side, or a discontinuity that a lag
//! reaches.

use crate::breaks::Break;
use crate::history::{TERMS, weights};
use crate::root::crossing;
use crate::run::Run;
use crate::stepper::Stepper;
use crate::tableau::combine;

/// Parts of a step at which switches are evaluated.
const LOOKS: [f64; 2] = [0.5, 1.0];

/// An event that ends a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bend {
    Switch(usize),
    Lag(Break),
}

impl Stepper {
    /// Returns the first place, as a part of the step, at which it must end.
    pub(crate) fn first_bend(&mut self, run: &mut Run<'_>, h_s: f64, end_s: f64) -> Option<(f64, Bend)> {
        let switch = self.first_switch(run, h_s, end_s);
        let lag = self.first_lag(run, h_s, end_s);
        match (switch, lag) {
            (Some(switch), Some(lag)) => Some(if lag.0 < switch.0 { lag } else { switch }),
            (switch, lag) => switch.or(lag),
        }
    }

    fn first_switch(&mut self, run: &mut Run<'_>, h_s: f64, end_s: f64) -> Option<(f64, Bend)> {
        let mut since = 0.0;
        for look in LOOKS {
            self.gaps_at(run, look, h_s, end_s);
            let gaps = self.gaps.clone();
            let mut first: Option<(f64, Bend)> = None;
            for (index, gap) in gaps.into_iter().enumerate() {
                if run.sides[index] == (gap >= 0.0) {
                    continue;
                }
                let part = self.locate_switch(run, index, since, (look, gap), (h_s, end_s));
                if first.is_none_or(|(other, _)| part < other) {
                    first = Some((part, Bend::Switch(index)));
                }
            }
            if first.is_some() {
                return first;
            }
            since = look;
        }
        None
    }

    /// Locates the change of a switch that was on its side at `since`; returns `since` if it was not.
    fn locate_switch(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        since: f64,
        end: (f64, f64),
        (h_s, end_s): (f64, f64),
    ) -> f64 {
        let mut gap = |part: f64| {
            self.gaps_at(run, part, h_s, end_s);
            self.gaps[index]
        };
        let start = gap(since);
        if (start >= 0.0) == (end.1 >= 0.0) {
            return since;
        }
        crossing(gap, (since, start), end, 1e-13)
    }

    fn gaps_at(&mut self, run: &mut Run<'_>, part: f64, h_s: f64, end_s: f64) {
        self.stage_at(part);
        let t_s = if part == 1.0 { end_s } else { self.t_s + part * h_s };
        run.gaps(t_s, end_s, &self.stage, Some((&self.terms, end_s)), &mut self.gaps);
    }

    /// Computes the state at a part of the step.
    fn stage_at(&mut self, part: f64) {
        let weights = weights(part);
        for (value, own) in self.stage.iter_mut().zip(self.terms.chunks_exact(TERMS)) {
            *value = combine(&weights, own);
        }
    }

    fn first_lag(&mut self, run: &mut Run<'_>, h_s: f64, end_s: f64) -> Option<(f64, Bend)> {
        let mut first: Option<(f64, Bend)> = None;
        for lag in 0..if self.breaks.is_tracked() { self.to_s.len() } else { 0 } {
            let Some(passed) = self.breaks.passed(self.from_s[lag], self.to_s[lag]) else { continue };
            let part = self.locate_lag(run, lag, passed.t_s, (h_s, end_s));
            if first.is_none_or(|(other, _)| part < other) {
                first = Some((part, Bend::Lag(passed)));
            }
        }
        first
    }

    fn locate_lag(&mut self, run: &mut Run<'_>, lag: usize, t_s: f64, (h_s, end_s): (f64, f64)) -> f64 {
        let ends = [(0.0, self.from_s[lag] - t_s), (1.0, self.to_s[lag] - t_s)];
        let mut scratch = vec![0.0; self.state.len()];
        let looks_at = |part: f64| {
            self.stage_at(part);
            let draft = Some((&self.terms[..], end_s));
            run.slope(self.t_s + part * h_s, end_s, &self.stage, draft, &mut scratch);
            run.lags.times_s[lag] - t_s
        };
        crossing(looks_at, ends[0], ends[1], 1e-13)
    }
}
