//! The inputs of linear stability theory: the approximate equilibrium of a model, and its derivatives there.

use headgate_fluid::linear::{Linear, linear};
use headgate_fluid::solve::solve;
use headgate_model::check::{PlanError, Result};

use super::request::{SolveRequest, check_state};

/// The approximate equilibrium of a model, or the centre of its cycle.
#[derive(Debug)]
pub struct EquilibriumReport {
    /// The mean state over the second half of the run.
    pub state: Vec<f64>,
    /// The sides of the switches in that half, once for each step that ended on them.
    pub sides: Vec<Vec<bool>>,
}

/// The linearisation of a model at a state, and the dimension of the state.
#[derive(Debug)]
pub struct Linearised {
    pub linear: Linear,
    pub dimension: usize,
}

/// Solves a model for a long time and reports its equilibrium.
pub fn equilibrium(order: &SolveRequest, values: &[f64]) -> Result<EquilibriumReport> {
    let model = order.build(values)?;
    let solution = solve(&*model, &order.method.method(), order.duration_s)
        .map_err(|stuck| PlanError::new(format!("{} at {} s", order.model, stuck.t_s), stuck.message))?;
    let half_s = 0.5 * order.duration_s;
    let (mut state, mut rows) = (vec![0.0; model.dimension()], 0.0);
    solution.sample(&*model, order.every_s, |t_s, now| {
        if t_s >= half_s {
            state.iter_mut().zip(now).for_each(|(sum, value)| *sum += value);
            rows += 1.0;
        }
    });
    state.iter_mut().for_each(|sum| *sum /= rows);
    let mut sides = vec![solution.sides.clone()];
    // Backwards from the end, because the sides are known there.
    for (_, switch) in solution.events.iter().rev().take_while(|(t_s, _)| *t_s >= half_s) {
        let mut before = sides[sides.len() - 1].clone();
        before[*switch] = !before[*switch];
        sides.push(before);
    }
    Ok(EquilibriumReport { state, sides })
}

/// Linearises a model at a constant state, with its switches on given sides.
pub fn linearise(order: &SolveRequest, values: &[f64], state: &[f64], sides: &[bool]) -> Result<Linearised> {
    let model = order.build(values)?;
    check_state("at", &*model, state, sides)?;
    Ok(Linearised { linear: linear(&*model, state, sides), dimension: model.dimension() })
}

#[cfg(test)]
mod tests {
    use super::super::request::tests::ORDER;
    use super::*;

    /// 60 flows over 3750 packets/s settle at W = R C/N. The derivative of W' = 1/R - W(s)^2 p/(2 R(s)) is
    /// -W p/(2 R) by the current window, and the same by the delayed one.
    #[test]
    fn a_model_settles_and_has_its_derivatives_there() {
        let order =
            SolveRequest::read(&ORDER.replace("tcp-red", "misra-gong-towsley").replace("10,", "400,"));
        let order = order.expect("an order");
        let mut values: Vec<f64> = order.params().iter().map(|param| param.default).collect();
        (values[3], values[4]) = (1e-9, 8000.0); // a RED profile flat enough to be stable
        let found = equilibrium(&order, &values).expect("a state");
        let [window, queue, mean] = found.state[..] else { panic!("three numbers") };
        let rtt_s = 0.2 + queue / 3750.0;
        assert!((window * 60.0 / (rtt_s * 3750.0) - 1.0).abs() < 1e-4 && (mean / queue - 1.0).abs() < 1e-4);
        let near = linearise(&order, &values, &found.state, &found.sides[0]).expect("derivatives").linear;
        let by_window = -window * (0.1 * mean / 8000.0) / (2.0 * rtt_s);
        for matrix in [&near.now, &near.then[0]] {
            assert!((matrix[0] / by_window - 1.0).abs() < 1e-8, "{} {by_window}", matrix[0]);
        }
        assert!((near.delays_s[0] - rtt_s).abs() < 1e-12);
    }

    #[test]
    fn a_state_of_another_size_is_told() {
        let order = SolveRequest::read(ORDER).expect("an order");
        let values: Vec<f64> = order.params().iter().map(|param| param.default).collect();
        let wrong = linearise(&order, &values, &[1.0], &[]).expect_err("a refusal").to_string();
        assert_eq!(wrong, "at: must be 3 finite numbers");
        let wrong = linearise(&order, &values, &[1.0; 3], &[]).expect_err("a refusal").to_string();
        assert_eq!(wrong, "sides: must be one per switch, 8 in all");
    }
}
