//! Lookups of the past by a model, through its lags.
//!
//! A *lag* looks up one time in the past: a given time ([`Past::at`]), or the sending time of the reply that
//! returns now ([`Past::sent`]). Each lag is numbered, and the time of its last lookup is remembered under
//! that number.

use crate::history::{History, Moment, Prehistory};
use crate::root::crossing;

/// Accuracy of the sending time of a reply, relative to the time.
const EXACT: f64 = 1e-14;

/// A correction of this relative size is the last.
const NEXT_TO: f64 = 1e-10;

/// Iterations of the secant method near the last lookup; after that the whole past is searched.
const NEAR_ROUNDS: usize = 8;
/// Replies that bunch or spread more than this are left to the search.
const STEEP: std::ops::Range<f64> = 0.05..20.0;

/// The state between two rows of a fixed step, whose original program stores rows only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// The polynomial of the step.
    Smooth,
    /// No value between rows: the last row at that time, or the last whose reply returns by the end of the
    /// step.
    Rows,
}

/// State of the lags of a run between lookups.
#[derive(Clone, Debug, Default)]
pub struct Lags {
    /// The time of each lag's last lookup.
    pub times_s: Vec<f64>,
    /// The return time of the reply of that lookup.
    replies_s: Vec<f64>,
    /// The rate at which replies returned there, relative to the rate at which their packets left.
    steeps: Vec<f64>,
    steps: Vec<usize>,
    /// A lag was shorter than the computed part of the step: the state that it needs is not solved yet.
    pub overlap: bool,
}

impl Lags {
    pub fn clear(&mut self, lags: usize) {
        let never = vec![f64::NEG_INFINITY; lags];
        *self = Self {
            times_s: never.clone(),
            replies_s: never,
            steeps: vec![1.0; lags],
            steps: vec![0; lags],
            overlap: false,
        };
    }
}

/// A constant past except for what one lag sees; used for linearisation.
#[derive(Clone, Copy)]
pub(crate) struct LaggedState<'a> {
    pub state: &'a [f64],
    pub seen: Option<(usize, &'a [f64])>,
}

impl<'a> LaggedState<'a> {
    fn moment(&self, lag: usize, t_s: f64) -> Moment<'a> {
        let seen = self.seen.filter(|(by, _)| *by == lag);
        Moment::held(seen.map_or(self.state, |(_, state)| state), t_s)
    }
}

/// The past as a model sees it.
pub struct Past<'a> {
    pub(crate) before: Prehistory<'a>,
    pub(crate) history: &'a History,
    /// Replaces the whole solution.
    pub(crate) held: Option<LaggedState<'a>>,
    /// A first solution of the present step: its terms and its end.
    pub(crate) draft: Option<(&'a [f64], f64)>,
    pub(crate) between: Between,
    /// End of the present step.
    pub(crate) until_s: f64,
    pub(crate) lags: &'a mut Lags,
}

impl<'a> Past<'a> {
    /// Looks up a time.
    pub fn at(&mut self, lag: usize, t_s: f64) -> Moment<'a> {
        let moment = if let Some(held) = self.held {
            held.moment(lag, t_s)
        } else if t_s < 0.0 || (t_s == 0.0 && self.history.steps() == 0) {
            Moment::before(self.before, t_s)
        } else if t_s > self.history.end_s() {
            self.lags.overlap = true;
            self.ahead(t_s)
        } else {
            let steps = self.history.steps();
            // A time that equals a row up to rounding is that row.
            let slack_s = if self.between == Between::Rows { self.rounding_s() } else { 0.0 };
            self.lags.steps[lag] = self.history.step_at(t_s + slack_s, self.lags.steps[lag]);
            match self.between {
                Between::Smooth => self.history.within(self.lags.steps[lag], t_s),
                Between::Rows if t_s + slack_s >= self.history.end_s() => self.row(steps),
                Between::Rows => self.row(self.lags.steps[lag]),
            }
        };
        self.lags.times_s[lag] = moment.t_s;
        moment
    }

    /// Looks up the sending time of the reply that returns now: the `s` with `s + delay_s(s) = t_s`. Replies
    /// must return in the order in which they were sent.
    pub fn sent(&mut self, lag: usize, t_s: f64, delay_s: &dyn Fn(&Moment<'_>) -> f64) -> Moment<'a> {
        let moment = match (self.held, self.between) {
            (Some(held), _) => held.moment(lag, t_s - delay_s(&held.moment(lag, t_s))),
            (None, Between::Smooth) => self.sent_at(lag, t_s, delay_s),
            (None, Between::Rows) => self.sent_row(lag, delay_s),
        };
        self.lags.times_s[lag] = moment.t_s;
        moment
    }

    fn sent_at(&mut self, lag: usize, t_s: f64, delay_s: &dyn Fn(&Moment<'_>) -> f64) -> Moment<'a> {
        let found = self.sent_near(lag, t_s, delay_s).or_else(|| self.sent_within(lag, t_s, delay_s));
        let moment = found.unwrap_or_else(|| {
            let first_s = delay_s(&Moment::before(self.before, 0.0));
            Moment::before(self.before, t_s - first_s)
        });
        self.lags.replies_s[lag] = t_s;
        moment
    }

    /// Searches near the last lookup of this lag, by the secant method.
    fn sent_near(
        &mut self,
        lag: usize,
        t_s: f64,
        delay_s: &dyn Fn(&Moment<'_>) -> f64,
    ) -> Option<Moment<'a>> {
        let (last_s, reply_s) = (self.lags.times_s[lag], self.lags.replies_s[lag]);
        let mut step = self.lags.steps[lag];
        let mut from = (last_s, reply_s - t_s);
        let mut s = last_s + (t_s - reply_s) / self.lags.steeps[lag];
        for _ in 0..NEAR_ROUNDS {
            if !(s > 0.0 && s <= t_s) {
                return None;
            }
            let moment = self.smooth(s, &mut step);
            let late_s = s + delay_s(&moment) - t_s;
            // Two adjacent lookups differ only by rounding.
            let secant = (late_s - from.1) / (s - from.0);
            let told = (s - from.0).abs() > 1e3 * EXACT * t_s && STEEP.contains(&secant);
            let steep = if told { secant } else { self.lags.steeps[lag] };
            let next_s = s - late_s / steep;
            // The next correction would be smaller, by the accuracy of the secant.
            if (next_s - s).abs() <= NEXT_TO * t_s && next_s > 0.0 && next_s <= t_s {
                let moment = self.smooth(next_s, &mut step);
                self.lags.steps[lag] = step;
                self.lags.overlap |= next_s > self.history.end_s();
                self.lags.steeps[lag] = steep;
                return Some(moment);
            }
            (from, s) = ((s, late_s), next_s);
        }
        None
    }

    /// Searches the whole past and the present step; returns `None` if the time lies before time 0.
    fn sent_within(
        &mut self,
        lag: usize,
        t_s: f64,
        delay_s: &dyn Fn(&Moment<'_>) -> f64,
    ) -> Option<Moment<'a>> {
        if t_s <= delay_s(&Moment::before(self.before, 0.0)) {
            return None;
        }
        let late = |moment: Moment<'a>| moment.t_s + delay_s(&moment) - t_s;
        let (mut step, steps) = (self.lags.steps[lag], self.history.steps());
        let at_end = |step: usize| late(self.history.within(step, self.history.knots_s()[step + 1]));
        while step < steps && at_end(step) < 0.0 {
            step += 1;
        }
        while step > 0 && at_end(step - 1) >= 0.0 {
            step -= 1;
        }
        self.lags.steps[lag] = step.min(steps.saturating_sub(1));
        self.lags.overlap |= step == steps;
        let found = |s: f64| if step == steps { self.ahead(s) } else { self.history.within(step, s) };
        let low_s = self.history.knots_s()[step];
        let high_s = if step == steps { t_s } else { self.history.knots_s()[step + 1] };
        let ends = [low_s, high_s].map(|s| (s, late(found(s))));
        Some(found(crossing(|s| late(found(s)), ends[0], ends[1], EXACT * t_s)))
    }

    /// A time after time 0, in the past or in the present step.
    fn smooth(&self, s: f64, near: &mut usize) -> Moment<'a> {
        if s > self.history.end_s() {
            return self.ahead(s);
        }
        *near = self.history.step_at(s, *near);
        self.history.within(*near, s)
    }

    fn sent_row(&mut self, lag: usize, delay_s: &dyn Fn(&Moment<'_>) -> f64) -> Moment<'a> {
        // A reply that is due at the end of the step, up to rounding, does not return before it.
        let until_s = self.until_s - self.rounding_s();
        let first_s = delay_s(&Moment::before(self.before, 0.0));
        if until_s <= first_s {
            return Moment::before(self.before, until_s - first_s);
        }
        let back = |row: usize| {
            let moment = self.row(row);
            moment.t_s + delay_s(&moment) < until_s
        };
        let mut row = self.lags.steps[lag];
        while row < self.history.steps() && back(row + 1) {
            row += 1;
        }
        self.lags.steps[lag] = row;
        self.row(row)
    }

    /// Times of rows are accurate to this part of a step.
    fn rounding_s(&self) -> f64 {
        1e-9 * (self.until_s - self.history.end_s())
    }

    /// The state at a knot.
    fn row(&self, row: usize) -> Moment<'a> {
        match row.min(self.history.steps()) {
            0 if self.history.steps() == 0 => Moment::before(self.before, 0.0),
            row if row == self.history.steps() => self.history.within(row - 1, self.history.knots_s()[row]),
            row => self.history.within(row, self.history.knots_s()[row]),
        }
    }

    /// A time within the present step: by its first solution, otherwise by extrapolation of the step before.
    fn ahead(&self, t_s: f64) -> Moment<'a> {
        match (self.draft, self.history.steps()) {
            (Some((terms, end_s)), _) => Moment::on(terms, (self.history.end_s(), end_s), t_s),
            (None, 0) => Moment::carried(self.before, t_s),
            (None, steps) => self.history.within(steps - 1, t_s),
        }
    }
}
