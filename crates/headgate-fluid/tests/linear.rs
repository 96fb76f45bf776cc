//! Derivatives of equations that are worked by hand, and models that stay in the equilibrium in which they
//! start.

use headgate_fluid::linear::{Linear, linear};
use headgate_fluid::model::{Model, Now};
use headgate_fluid::models::{build, cards};
use headgate_fluid::past::Past;
use headgate_fluid::solve::{Method, solve};
use headgate_fluid::start::DelayedStart;

/// x' = -a x(t - 1) y, y' = y(s)^2 - x y with s + 2 y(s) = t: the reply that returns now, a lag that depends
/// on the state.
struct Product {
    a: f64,
}

impl Model for Product {
    fn dimension(&self) -> usize {
        2
    }

    fn before(&self, _t_s: f64, _index: usize) -> f64 {
        1.0
    }

    fn lags(&self) -> usize {
        2
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        let late = past.at(0, now.t_s - 1.0).value(0);
        let sent = past.sent(1, now.t_s, &|moment| 2.0 * moment.value(1)).value(1);
        slope[0] = -self.a * late * now.state[1];
        slope[1] = sent * sent - now.state[0] * now.state[1];
    }
}

/// Rounding of 1e-16 over a step of 1e-6, times a hundred.
fn close(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{found} beside {expected}");
    }
}

#[test]
fn derivatives_are_those_worked_by_hand() {
    let (x, y) = (0.7, 3.0);
    let Linear { slope, now, then, delays_s, bend, .. } = linear(&Product { a: 0.25 }, &[x, y], &[]);
    close(&slope, &[-0.25 * x * y, y * y - x * y]);
    close(&now, &[0.0, -0.25 * x, -y, -x]);
    close(&then[0], &[-0.25 * y, 0.0, 0.0, 0.0]);
    close(&then[1], &[0.0, 0.0, 0.0, 2.0 * y]);
    close(&delays_s, &[1.0, 2.0 * y]);
    assert!(bend < 1e-3, "{bend}");
}

/// y' = -max(y, 1): it bends at 1.
struct Bent;

impl Model for Bent {
    fn dimension(&self) -> usize {
        1
    }

    fn before(&self, _t_s: f64, _index: usize) -> f64 {
        1.0
    }

    fn slope(&self, now: &Now<'_>, _past: &mut Past<'_>, slope: &mut [f64]) {
        slope[0] = -now.state[0].max(1.0);
    }
}

#[test]
fn a_bend_is_seen() {
    assert!(linear(&Bent, &[1.0], &[]).bend > 0.1);
    assert!(linear(&Bent, &[2.0], &[]).bend < 1e-3);
}

#[test]
fn a_model_that_is_started_at_rest_stays_there() {
    let index = cards().iter().position(|card| card.name == "fast").expect("the card");
    let values: Vec<f64> = cards()[index].params.iter().map(|param| param.default).collect();
    // 60 flows keep 100 packets each: q = 6000 packets, w = (0.2 + q/3750) 62.5 (the buffer of the default
    // network is 800, so alpha is 10 here).
    let values: Vec<f64> =
        values.into_iter().map(|value| if value == 100.0 { 10.0 } else { value }).collect();
    let rest = vec![(0.2 + 600.0 / 3750.0) * 62.5, 600.0];
    let started =
        DelayedStart { model: build(index, &values), state: rest.clone(), sides: vec![true, false] };
    let method = Method::Adaptive { relative: 1e-10, absolute: 1e-13, most_s: f64::INFINITY };
    // There is a queue, and the buffer is not full.
    solve(&started, &method, 10.0).expect("a solution").sample(&started, 1.0, |_, state| {
        for (value, rest) in state.iter().zip(&rest) {
            assert!((value / rest - 1.0).abs() < 1e-9, "{state:?}");
        }
    });
}
