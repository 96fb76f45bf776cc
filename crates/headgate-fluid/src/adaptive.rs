//! Dormand-Prince 5(4) with adaptive steps and event location.
//!
//! * Step length: proportional-integral control of the error estimate (Hairer, Nørsett, Wanner II, IV.2).
//! * Switches: the gap functions are evaluated in the middle and at the end of a step. A change of sign is
//!   located on the continuous extension; the step is repeated up to it, and the side changes.
//! * Discontinuities that a lag reaches (see [`crate::breaks`]) end a step in the same way.
//! * A lag shorter than the step needs states within the step itself. The step is computed with the
//!   polynomial of the step before, then repeated with its own until that converges.

use crate::bends::Bend;
use crate::breaks::Break;
use crate::history::TERMS;
use crate::run::{Run, SolveError};
use crate::stepper::{LEAST_ERROR, Stepper};
use crate::tableau::{ERROR, NODES, STAGE, STAGES, combine, terms};

/// Tolerances, and the longest step.
pub struct Limits {
    pub relative: f64,
    pub absolute: f64,
    pub most_s: f64,
}

/// Constants of the step control, as in DOPRI5 (Hairer, Nørsett, Wanner I).
const SAFETY: f64 = 0.9;
const INTEGRAL: f64 = 0.04;
const EXPONENT: f64 = 0.2 - 0.75 * INTEGRAL;
const LEAST_CHANGE: f64 = 0.2;
const MOST_CHANGE: f64 = 10.0;

/// Iterations in which a step that needs its own states must converge; otherwise it is halved.
const MOST_ROUNDS: usize = 8;
/// The change between iterations, in tolerances, at which they have converged.
const SETTLED: f64 = 0.05;

/// An error, in tolerances, at which the iteration stops and the step is rejected.
const HOPELESS: f64 = 10.0;

/// An event in the last part of a step counts as at its end.
const AT_END: f64 = 1.0 - 1e-9;
/// The number of times that one step is repeated for another event.
const MOST_BENDS: usize = 6;
/// The most events at one time. With more, the switches of the model chatter.
const MOST_AT_ONCE: usize = 100;

/// Solves up to `end_s`.
pub fn run(run: &mut Run<'_>, limits: &Limits, end_s: f64) -> Result<(), SolveError> {
    let mut stepper = Stepper::new(run);
    run.settle_switches(0.0, 0.0, &stepper.state.clone(), &mut stepper.gaps);
    stepper.renew(run);
    let mut h_s = stepper.first_step_s(limits).min(end_s);
    while stepper.t_s < end_s {
        let left_s = end_s - stepper.t_s;
        let last = h_s.min(limits.most_s) >= left_s * (1.0 - 1e-12);
        let tried_s = if last { left_s } else { h_s.min(limits.most_s) };
        h_s = stepper.advance(run, limits, tried_s, if last { end_s } else { stepper.t_s + tried_s })?;
    }
    Ok(())
}

impl Stepper {
    /// Updates the slope at the start of a step if it differs from that at the end of the step before.
    fn renew(&mut self, run: &mut Run<'_>) {
        run.slope(self.t_s, self.t_s, &self.state, None, &mut self.slopes[0]);
        self.from_s.copy_from_slice(&run.lags.times_s);
    }

    /// Returns the length of a step in which the state changes by a hundredth of its size.
    fn first_step_s(&self, limits: &Limits) -> f64 {
        let part =
            |(value, slope): (&f64, &f64)| slope.abs() / (limits.absolute.max(limits.relative) + value.abs());
        let most = self.state.iter().zip(&self.slopes[0]).map(part).fold(0.0, f64::max);
        if most > 0.0 { 0.01 / most } else { 1.0 }.min(limits.most_s)
    }

    /// Advances by one step of at most `h_s`, up to `end_s`; returns the length of the next one.
    fn advance(
        &mut self,
        run: &mut Run<'_>,
        limits: &Limits,
        h_s: f64,
        end_s: f64,
    ) -> Result<f64, SolveError> {
        let least_s = 1e-13 * (1.0 + self.t_s);
        let error = self.attempt(run, limits, h_s, end_s);
        if error > 1.0 {
            run.cost.rejected += 1;
            if h_s < least_s {
                return Err(SolveError {
                    t_s: self.t_s,
                    message: "no step is short enough to meet the tolerances; raise them",
                });
            }
            let change = if error.is_finite() { SAFETY / libm::pow(error, EXPONENT) } else { 0.0 };
            return Ok(h_s * change.clamp(LEAST_CHANGE, SAFETY));
        }
        let proposed_s = h_s * self.change(error);
        let (mut h_s, mut end_s, mut bends) = (h_s, end_s, Vec::new());
        for _ in 0..MOST_BENDS {
            let Some((part, bend)) = self.first_bend(run, h_s, end_s) else { break };
            if part >= AT_END {
                bends.retain(|known| *known != bend);
                bends.push(bend);
                break;
            }
            bends = vec![bend];
            (h_s, end_s) = (h_s * part, self.t_s + h_s * part);
            if h_s < least_s {
                return self.turn(run, &bends, proposed_s);
            }
            if self.attempt(run, limits, h_s, end_s) > 1.0 {
                return Ok(h_s / 2.0);
            }
        }
        self.accept(run, end_s);
        if bends.is_empty() {
            self.error_before = error.max(LEAST_ERROR);
            return Ok(proposed_s);
        }
        self.turn(run, &bends, proposed_s)
    }

    fn change(&self, error: f64) -> f64 {
        if error == 0.0 {
            return MOST_CHANGE;
        }
        let change = SAFETY * libm::pow(self.error_before, INTEGRAL) / libm::pow(error, EXPONENT);
        change.clamp(LEAST_CHANGE, MOST_CHANGE)
    }

    /// Computes a step; returns its error in tolerances.
    fn attempt(&mut self, run: &mut Run<'_>, limits: &Limits, h_s: f64, end_s: f64) -> f64 {
        run.lags.overlap = false;
        self.stages(run, h_s, end_s, false);
        let mut settled = !run.lags.overlap;
        for _ in 0..MOST_ROUNDS {
            // A step that is far too long is not worth another iteration.
            if settled || self.error(limits, h_s) > HOPELESS {
                break;
            }
            std::mem::swap(&mut self.terms, &mut self.draft);
            self.stages(run, h_s, end_s, true);
            settled = self.moved(limits) <= SETTLED;
        }
        let error = self.error(limits, h_s);
        if settled || error > HOPELESS { error } else { f64::INFINITY }
    }

    fn stages(&mut self, run: &mut Run<'_>, h_s: f64, end_s: f64, again: bool) {
        for index in 1..STAGES {
            for (i, value) in self.stage.iter_mut().enumerate() {
                let own = STAGE[index].iter().zip(&self.slopes).map(|(weight, slope)| weight * slope[i]);
                *value = self.state[i] + h_s * own.sum::<f64>();
            }
            let t_s = if index + 2 > STAGES - 1 { end_s } else { self.t_s + NODES[index] * h_s };
            let draft = again.then_some((&self.draft[..], end_s));
            run.slope(t_s, end_s, &self.stage, draft, &mut self.slopes[index]);
        }
        self.next.copy_from_slice(&self.stage);
        self.to_s.copy_from_slice(&run.lags.times_s);
        for (i, own) in self.terms.chunks_exact_mut(TERMS).enumerate() {
            let slopes = std::array::from_fn(|index| self.slopes[index][i]);
            own.copy_from_slice(&terms(self.state[i], self.next[i], h_s, slopes));
        }
    }

    /// The largest change of the polynomial between two iterations, in tolerances.
    fn moved(&self, limits: &Limits) -> f64 {
        let changes = self.terms.iter().zip(&self.draft).enumerate();
        let part =
            |(i, (new, old)): (usize, (&f64, &f64))| (new - old).abs() / self.allowed(limits, i / TERMS);
        changes.map(part).fold(0.0, f64::max)
    }

    fn error(&self, limits: &Limits, h_s: f64) -> f64 {
        let mut most: f64 = 0.0;
        for i in 0..self.state.len() {
            let slopes: [f64; STAGES] = std::array::from_fn(|index| self.slopes[index][i]);
            let error = (h_s * combine(&ERROR, &slopes)).abs() / self.allowed(limits, i);
            if error.is_nan() {
                return f64::INFINITY;
            }
            most = most.max(error);
        }
        most
    }

    fn allowed(&self, limits: &Limits, i: usize) -> f64 {
        limits.absolute + limits.relative * self.state[i].abs().max(self.next[i].abs())
    }

    fn accept(&mut self, run: &mut Run<'_>, end_s: f64) {
        run.history.push(end_s, &self.terms);
        run.cost.steps += 1;
        self.t_s = end_s;
        std::mem::swap(&mut self.state, &mut self.next);
        self.slopes.swap(0, STAGES - 1);
        self.from_s.copy_from_slice(&self.to_s);
        if self.breaks.is_tracked() {
            self.breaks.forget_before(self.from_s.iter().copied().fold(f64::INFINITY, f64::min));
        }
    }

    /// Handles events at the end of a step: switches change their sides.
    fn turn(&mut self, run: &mut Run<'_>, bends: &[Bend], h_s: f64) -> Result<f64, SolveError> {
        let again = self.t_s - self.turned_s <= 1e-12 * self.t_s;
        (self.at_once, self.turned_s) = (if again { self.at_once + 1 } else { 0 }, self.t_s);
        if self.at_once > MOST_AT_ONCE {
            return Err(SolveError {
                t_s: self.t_s,
                message: "its switches chatter: they change sides without end",
            });
        }
        for bend in bends {
            let level = match bend {
                Bend::Switch(index) => {
                    run.flip(self.t_s, *index);
                    run.model.edge(&mut self.state, *index, run.sides[*index]);
                    0
                }
                Bend::Lag(passed) => passed.level + 1,
            };
            self.breaks.add(Break { t_s: self.t_s, level });
        }
        run.model.confine(&mut self.state);
        self.renew(run);
        self.error_before = LEAST_ERROR;
        Ok(h_s)
    }
}
