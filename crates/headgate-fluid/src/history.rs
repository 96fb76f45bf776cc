//! The solution so far: one polynomial per step, evaluated at any time.

/// The terms of a polynomial: those of the method's continuous extension. Simpler methods use the first ones.
pub const TERMS: usize = 5;

/// Consecutive steps from time 0, stored flat: `TERMS` numbers per component and step.
#[derive(Clone, Debug, Default)]
pub struct History {
    dimension: usize,
    /// Time 0, then the end of each step.
    knots_s: Vec<f64>,
    terms: Vec<f64>,
}

impl History {
    pub fn clear(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.knots_s.clear();
        self.knots_s.push(0.0);
        self.terms.clear();
    }

    /// Adds a step that ends at `end_s`.
    pub fn push(&mut self, end_s: f64, terms: &[f64]) {
        self.knots_s.push(end_s);
        self.terms.extend_from_slice(terms);
    }

    pub fn end_s(&self) -> f64 {
        self.knots_s[self.steps()]
    }

    pub fn steps(&self) -> usize {
        self.knots_s.len() - 1
    }

    pub fn knots_s(&self) -> &[f64] {
        &self.knots_s
    }

    fn terms(&self, step: usize) -> &[f64] {
        let width = TERMS * self.dimension;
        &self.terms[step * width..(step + 1) * width]
    }

    /// Returns the step that contains the time, searched from a neighbour; at a knot the later one, if it
    /// exists.
    pub fn step_at(&self, t_s: f64, near: usize) -> usize {
        let mut step = near.min(self.steps().saturating_sub(1));
        while step + 1 < self.steps() && self.knots_s[step + 1] <= t_s {
            step += 1;
        }
        while step > 0 && self.knots_s[step] > t_s {
            step -= 1;
        }
        step
    }

    /// A time within a step; outside the step its polynomial is extrapolated.
    pub fn within(&self, step: usize, t_s: f64) -> Moment<'_> {
        let span = (self.knots_s[step], self.knots_s[step + 1]);
        Moment::on(self.terms(step), span, t_s)
    }

    /// Computes the state at a time that was solved.
    pub fn state(&self, t_s: f64, near: &mut usize, state: &mut [f64]) {
        *near = self.step_at(t_s, *near);
        let moment = self.within(*near, t_s);
        state.iter_mut().enumerate().for_each(|(index, value)| *value = moment.value(index));
    }
}

/// The state of a model before time 0: one component at a time.
pub(crate) type Prehistory<'a> = &'a dyn Fn(f64, usize) -> f64;

/// A time in the past, and the state at it.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    pub t_s: f64,
    from: PastSource<'a>,
}

#[derive(Clone, Copy)]
enum PastSource<'a> {
    Before(Prehistory<'a>),
    /// The initial state, extrapolated.
    Start(Prehistory<'a>),
    /// The same state at any time.
    Fixed(&'a [f64]),
    Step {
        terms: &'a [f64],
        weights: [f64; TERMS],
    },
}

impl<'a> Moment<'a> {
    pub(crate) fn before(before: Prehistory<'a>, t_s: f64) -> Self {
        Self { t_s, from: PastSource::Before(before) }
    }

    /// The initial state, extrapolated to a later time.
    pub(crate) fn carried(before: Prehistory<'a>, t_s: f64) -> Self {
        Self { t_s, from: PastSource::Start(before) }
    }

    /// A constant past.
    pub(crate) fn held(state: &'a [f64], t_s: f64) -> Self {
        Self { t_s, from: PastSource::Fixed(state) }
    }

    pub(crate) fn on(terms: &'a [f64], (start, end): (f64, f64), t_s: f64) -> Self {
        let part = (t_s - start) / (end - start);
        Self { t_s, from: PastSource::Step { terms, weights: weights(part) } }
    }

    /// Returns one component of the state.
    #[inline]
    pub fn value(&self, index: usize) -> f64 {
        match self.from {
            PastSource::Before(before) => before(self.t_s, index),
            PastSource::Start(before) => before(0.0, index),
            PastSource::Fixed(state) => state[index],
            PastSource::Step { terms, weights } => {
                let own = &terms[TERMS * index..TERMS * (index + 1)];
                own.iter().zip(weights).map(|(term, weight)| term * weight).sum()
            }
        }
    }
}

/// The weights of the terms at that part of a step (Hairer, Nørsett, Wanner I, II.6).
pub fn weights(part: f64) -> [f64; TERMS] {
    let rest = 1.0 - part;
    let bend = part * rest;
    [1.0, part, bend, part * bend, bend * bend]
}

/// The terms of the straight line from one state to the next.
pub fn line(from: &[f64], to: &[f64], terms: &mut [f64]) {
    for (i, own) in terms.chunks_exact_mut(TERMS).enumerate() {
        own.copy_from_slice(&[from[i], to[i] - from[i], 0.0, 0.0, 0.0]);
    }
}

/// The terms of the cubic with the given states and slopes at both ends of a step of `h_s`.
pub fn cubic(states: [&[f64]; 2], slopes: [&[f64]; 2], h_s: f64, terms: &mut [f64]) {
    for (i, own) in terms.chunks_exact_mut(TERMS).enumerate() {
        let rise = states[1][i] - states[0][i];
        let bend = h_s * slopes[0][i] - rise;
        own.copy_from_slice(&[states[0][i], rise, bend, rise - h_s * slopes[1][i] - bend, 0.0]);
    }
}
