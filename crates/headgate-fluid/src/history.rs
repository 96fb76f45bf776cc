//! What was solved so far: one polynomial a step, known at any moment.

/// Terms of a polynomial: those of the method's continuous extension, of which simpler ones use the first.
pub const TERMS: usize = 5;

/// Steps that follow one another from time 0, flat: `TERMS` numbers a component and step.
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

    /// The step that holds the moment, found from a neighbour; at a knot the later one, where there is one.
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

    /// A moment of a step; outside of it its polynomial is carried on.
    pub fn within(&self, step: usize, t_s: f64) -> Moment<'_> {
        let span = (self.knots_s[step], self.knots_s[step + 1]);
        Moment::on(self.terms(step), span, t_s)
    }

    /// The state at a moment that was solved.
    pub fn state(&self, t_s: f64, near: &mut usize, state: &mut [f64]) {
        *near = self.step_at(t_s, *near);
        let moment = self.within(*near, t_s);
        state.iter_mut().enumerate().for_each(|(index, value)| *value = moment.value(index));
    }
}

/// What a model was before time 0: a number of its state at a time.
pub(crate) type Before<'a> = &'a dyn Fn(f64, usize) -> f64;

/// A moment of the past, and the state in it.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    pub t_s: f64,
    from: From<'a>,
}

#[derive(Clone, Copy)]
enum From<'a> {
    Before(Before<'a>),
    /// The initial state carried on.
    Start(Before<'a>),
    /// The same state at any moment.
    Held(&'a [f64]),
    Step {
        terms: &'a [f64],
        weights: [f64; TERMS],
    },
}

impl<'a> Moment<'a> {
    pub(crate) fn before(before: Before<'a>, t_s: f64) -> Self {
        Self { t_s, from: From::Before(before) }
    }

    /// The initial state, later than it is.
    pub(crate) fn carried(before: Before<'a>, t_s: f64) -> Self {
        Self { t_s, from: From::Start(before) }
    }

    /// A past in which nothing changes.
    pub(crate) fn held(state: &'a [f64], t_s: f64) -> Self {
        Self { t_s, from: From::Held(state) }
    }

    pub(crate) fn on(terms: &'a [f64], (start, end): (f64, f64), t_s: f64) -> Self {
        let part = (t_s - start) / (end - start);
        Self { t_s, from: From::Step { terms, weights: weights(part) } }
    }

    /// One number of the state.
    #[inline]
    pub fn value(&self, index: usize) -> f64 {
        match self.from {
            From::Before(before) => before(self.t_s, index),
            From::Start(before) => before(0.0, index),
            From::Held(state) => state[index],
            From::Step { terms, weights } => {
                let own = &terms[TERMS * index..TERMS * (index + 1)];
                own.iter().zip(weights).map(|(term, weight)| term * weight).sum()
            }
        }
    }
}

/// Weights of the terms at that part of a step (Hairer, Nørsett, Wanner I, II.6).
pub fn weights(part: f64) -> [f64; TERMS] {
    let rest = 1.0 - part;
    let bend = part * rest;
    [1.0, part, bend, part * bend, bend * bend]
}

/// Terms of the straight line from one state to the next.
pub fn line(from: &[f64], to: &[f64], terms: &mut [f64]) {
    for (i, own) in terms.chunks_exact_mut(TERMS).enumerate() {
        own.copy_from_slice(&[from[i], to[i] - from[i], 0.0, 0.0, 0.0]);
    }
}

/// Terms of the cubic that has the given states and slopes at both ends of a step of `h_s`.
pub fn cubic(states: [&[f64]; 2], slopes: [&[f64]; 2], h_s: f64, terms: &mut [f64]) {
    for (i, own) in terms.chunks_exact_mut(TERMS).enumerate() {
        let rise = states[1][i] - states[0][i];
        let bend = h_s * slopes[0][i] - rise;
        own.copy_from_slice(&[states[0][i], rise, bend, rise - h_s * slopes[1][i] - bend, 0.0]);
    }
}
