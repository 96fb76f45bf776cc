//! The order of each method on equations with known solutions.

use headgate_fluid::model::{Model, Now};
use headgate_fluid::past::{Between, Past};
use headgate_fluid::solve::{Method, Solution, solve};
use std::f64::consts::{FRAC_PI_6, SQRT_2};

type Slope = fn(&Now<'_>, &mut Past<'_>, &mut [f64]);

/// An equation, and the first component of its known solution.
struct Known {
    name: &'static str,
    before: fn(f64) -> &'static [f64],
    slope: Slope,
    gap: fn(&Now<'_>) -> Option<f64>,
    exact: fn(f64) -> f64,
    end_s: f64,
}

impl Model for Known {
    fn dimension(&self) -> usize {
        (self.before)(0.0).len()
    }
    fn before(&self, t_s: f64, index: usize) -> f64 {
        (self.before)(t_s)[index]
    }
    fn lags(&self) -> usize {
        1
    }
    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        (self.slope)(now, past, slope);
    }
    fn switches(&self) -> usize {
        usize::from((self.gap)(&Now { t_s: 0.0, state: (self.before)(0.0), sides: &[false] }).is_some())
    }
    fn gaps(&self, now: &Now<'_>, _past: &mut Past<'_>, gaps: &mut [f64]) {
        if let Some(gap) = (self.gap)(now) {
            gaps[0] = gap;
        }
    }
}

/// y' = -y(t - 1), y = 1 up to 0: the method of steps gives a polynomial per unit of time.
const CONSTANT: Known = Known {
    name: "constant lag",
    before: |_| &[1.0],
    slope: |now, past, slope| slope[0] = -past.at(0, now.t_s - 1.0).value(0),
    gap: |_| None,
    exact: |t| {
        let term = |n: i32| {
            let factorial = (1..=n).map(f64::from).product::<f64>();
            (-1f64).powi(n) * (t - f64::from(n - 1)).powi(n) / factorial
        };
        (0..=(t as i32 + 1)).map(term).sum()
    },
    end_s: 6.0,
};

/// y' = y(y - sqrt 2)/(2 sqrt(t + 1)), y = 1 up to 0 (Feldstein, Neves 1984): the lag depends on the state,
/// and reaches the bend at 0 when t = 1.
const DEPENDENT: Known = Known {
    name: "lag by the state",
    before: |_| &[1.0],
    slope: |now, past, slope| {
        slope[0] = past.at(0, now.state[0] - SQRT_2).value(0) / (2.0 * (now.t_s + 1.0).sqrt());
    },
    gap: |_| None,
    exact: |t| {
        let root = (t + 1.0).sqrt();
        if t <= 1.0 { root } else { (t + 3.0) / 4.0 + (1.0 - SQRT_2 / 2.0) * root }
    },
    end_s: 2.0,
};

/// y' = -y(t/2) e^(-t/2), y = e^(-t): the lag vanishes at 0, and every step needs its own states.
const PROPORTIONAL: Known = Known {
    name: "vanishing lag",
    before: |_| &[1.0],
    slope: |now, past, slope| {
        slope[0] = -past.at(0, now.t_s / 2.0).value(0) * (-now.t_s / 2.0).exp();
    },
    gap: |_| None,
    exact: |t| (-t).exp(),
    end_s: 3.0,
};

/// A delay 1/2 + y_2 with y_2 = t/2: a reply at t answers a packet sent at s = (t - 1/2)/(3/2). The first
/// component is t^3 + sin t if that time is found.
const REPLY: Known = Known {
    name: "lag by its reply",
    before: |_| &[0.0, 0.0],
    slope: |now, past, slope| {
        let t = now.t_s;
        let sent = past.sent(0, t, &|moment| 0.5 + moment.value(1));
        let s = ((t - 0.5) / 1.5).max(0.0);
        slope[0] = 3.0 * t * t + t.cos() + sent.value(0) - s.powi(3) - s.sin();
        slope[1] = 0.5;
    },
    gap: |_| None,
    exact: |t| t.powi(3) + t.sin(),
    end_s: 3.0,
};

/// y' = cos t until y reaches 1/2, then -1.
const SWITCHED: Known = Known {
    name: "switch",
    before: |_| &[0.0],
    slope: |now, _, slope| slope[0] = if now.sides[0] { -1.0 } else { now.t_s.cos() },
    gap: |now| Some(if now.sides[0] { 1.0 } else { now.state[0] - 0.5 }),
    exact: |t| if t <= FRAC_PI_6 { t.sin() } else { 0.5 - (t - FRAC_PI_6) },
    end_s: 2.0,
};

const LAGGED: [&Known; 4] = [&CONSTANT, &DEPENDENT, &PROPORTIONAL, &REPLY];

fn adaptive(tolerance: f64, most_s: f64) -> Method {
    Method::Adaptive { relative: tolerance, absolute: tolerance, most_s }
}

fn solved(equation: &Known, method: &Method) -> Solution {
    solve(equation, method, equation.end_s).expect(equation.name)
}

/// The largest error at many times, between steps too, relative to the error that a tolerance of 1 allows.
fn error(equation: &Known, method: &Method) -> f64 {
    let mut most: f64 = 0.0;
    solved(equation, method).sample(equation, equation.end_s / 997.0, |t_s, state| {
        let exact = (equation.exact)(t_s);
        most = most.max((state[0] - exact).abs() / (1.0 + exact.abs()));
    });
    most
}

/// The error at the end.
fn error_at_end(equation: &Known, method: &Method) -> f64 {
    let mut last = f64::NAN;
    solved(equation, method).sample(equation, equation.end_s, |t_s, state| {
        last = (state[0] - (equation.exact)(t_s)).abs();
    });
    last
}

/// The exponent by which the error falls when steps are halved, between the longest and the shortest.
fn order(error_of: impl Fn(f64) -> f64, step_s: f64, halvings: i32) -> f64 {
    let parts = 2f64.powi(halvings);
    (error_of(step_s) / error_of(step_s / parts)).log2() / f64::from(halvings)
}

#[test]
fn euler_has_order_one_and_rk4_order_four() {
    for equation in LAGGED {
        let euler = order(
            |step_s| error_at_end(equation, &Method::Euler { step_s, between: Between::Smooth }),
            1.0 / 16.0,
            4,
        );
        assert!((euler - 1.0).abs() < 0.2, "{}: {euler:.2}", equation.name);
    }
    // The steps of 1/16 end at the bends that the constant lag reaches; those of the others do not.
    for equation in [&CONSTANT, &REPLY] {
        let rk4 = order(
            |step_s| error_at_end(equation, &Method::Rk4 { step_s, between: Between::Smooth }),
            1.0 / 4.0,
            3,
        );
        assert!(rk4 > 3.6, "{}: {rk4:.2}", equation.name);
    }
}

/// With tolerances that accept every step, all steps are `most_s` long.
#[test]
fn the_adaptive_method_has_order_five() {
    for equation in [&CONSTANT, &DEPENDENT, &REPLY] {
        let found = order(|most_s| error_at_end(equation, &adaptive(1e3, most_s)), 0.5, 3);
        assert!(found > 4.6, "{}: {found:.2}", equation.name);
    }
}

#[test]
fn the_error_follows_the_tolerance() {
    for equation in [&CONSTANT, &DEPENDENT, &PROPORTIONAL, &REPLY, &SWITCHED] {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let found = error(equation, &adaptive(tolerance, f64::INFINITY));
            assert!(found < 50.0 * tolerance, "{} at {tolerance:e}: {found:e}", equation.name);
        }
    }
}

#[test]
fn steps_end_where_a_lag_meets_a_bend_of_the_past() {
    let knots = solved(&DEPENDENT, &adaptive(1e-6, f64::INFINITY)).history;
    let nearest = knots.knots_s().iter().map(|t_s| (t_s - 1.0).abs()).fold(f64::INFINITY, f64::min);
    assert!(nearest < 1e-6, "{nearest:e}"); // the error of y, and of the time, is the tolerance
}

#[test]
fn a_switch_is_found_to_rounding_and_turned_once() {
    let solution = solved(&SWITCHED, &adaptive(1e-12, f64::INFINITY));
    assert_eq!(solution.events.len(), 1);
    assert!((solution.events[0].0 - FRAC_PI_6).abs() < 1e-11);
}

#[test]
fn whole_rows_look_at_the_last_row_that_was_there() {
    // y' = -y(t - 1) by Euler with rows: y(1.5) is the sum up to 0.5, row by row.
    let method = Method::Euler { step_s: 0.3, between: Between::Rows };
    let solution = solve(&CONSTANT, &method, 1.5).expect("a solution");
    let mut rows = Vec::new();
    solution.sample(&CONSTANT, 0.3, |_, state| rows.push(state[0]));
    // Rows at 0, 0.3, 0.6, 0.9 look up times before 0; the one at 1.2 looks up 0.2, for which row 0 is the
    // last.
    let expected = [1.0, 0.7, 0.4, 0.1, -0.2, -0.5];
    for (row, value) in rows.iter().zip(expected) {
        assert!((row - value).abs() < 1e-12, "{rows:?}");
    }
}
