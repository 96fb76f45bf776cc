//! The output columns of a run, and their statistics.

use crate::model::Model;
use crate::solve::{Solution, rows};

/// The outputs of a class, in this order.
pub const CLASS: [&str; 3] = ["cwnd_packets", "srtt_s", "rate_packets_s"];

/// The outputs of a link, in this order.
pub const LINK: [&str; 4] = ["queue_packets", "mean_queue_packets", "drop_probability", "arrival_packets_s"];

/// The statistics of a column, in this order: its [`statistics`], then its [`period_s`].
pub const STATISTICS: [&str; 7] = ["min", "q1", "median", "mean", "q3", "max", "period_s"];

/// A column is in equilibrium if its swing is a smaller part of its largest value than this.
const AT_REST: f64 = 1e-3;

/// A rise through the mean counts only after the column was below the mean by this part of the swing.
const BAND: f64 = 0.1;

/// Columns over time: those of every class, then those of every link.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputColumns {
    pub t_s: Vec<f64>,
    pub classes: Vec<[Vec<f64>; CLASS.len()]>,
    pub links: Vec<[Vec<f64>; LINK.len()]>,
}

/// Samples a solution at `0, every_s, 2 every_s, ...`, from `from_s` on.
pub fn output_columns(model: &dyn Model, solution: &Solution, every_s: f64, from_s: f64) -> OutputColumns {
    let most = rows(solution.history.end_s(), every_s);
    let empty = || Vec::with_capacity(most);
    let mut shown = OutputColumns {
        t_s: empty(),
        classes: (0..model.classes()).map(|_| std::array::from_fn(|_| empty())).collect(),
        links: (0..model.links()).map(|_| std::array::from_fn(|_| empty())).collect(),
    };
    solution.sample(model, every_s, |t_s, state| {
        if t_s >= from_s {
            shown.push(model, t_s, state);
        }
    });
    shown
}

impl OutputColumns {
    fn push(&mut self, model: &dyn Model, t_s: f64, state: &[f64]) {
        self.t_s.push(t_s);
        for (index, columns) in self.classes.iter_mut().enumerate() {
            let class = model.class(state, index);
            add(columns, [class.window_packets, class.rtt_s, class.rate_packets_s]);
        }
        for (index, columns) in self.links.iter_mut().enumerate() {
            let link = model.link(state, index);
            let values =
                [link.queue_packets, link.mean_queue_packets, link.drop_probability, link.arrival_packets_s];
            add(columns, values);
        }
    }
}

fn add<const N: usize>(columns: &mut [Vec<f64>; N], values: [f64; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column.push(value);
    }
}

/// Minimum, quartiles, mean and maximum of a column; quartiles by linear interpolation (Hyndman, Fan 1996,
/// type 7, the default of R and NumPy).
pub fn statistics(column: &[f64]) -> [f64; 6] {
    if column.is_empty() {
        return [f64::NAN; 6];
    }
    let mut values = column.to_vec();
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let [q1, median, q3] = [0.25, 0.5, 0.75].map(|share| quantile(&mut values, share));
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [least, q1, median, mean, q3, most]
}

/// The mean time between rises through the mean; NaN for a column in equilibrium, or with fewer than three
/// rises.
pub fn period_s(t_s: &[f64], column: &[f64]) -> f64 {
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let swing = most - least;
    if column.is_empty() || swing <= AT_REST * most.abs().max(least.abs()) {
        return f64::NAN;
    }
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let (mut rises, mut low) = (Vec::new(), false);
    for row in 1..column.len() {
        let (before, now) = (column[row - 1], column[row]);
        low |= before < mean - BAND * swing;
        if low && now >= mean {
            let part = if before < mean { (mean - before) / (now - before) } else { 0.0 };
            rises.push(t_s[row - 1] + part * (t_s[row] - t_s[row - 1]));
            low = false;
        }
    }
    match rises[..] {
        [first, _, .., last] => (last - first) / (rises.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// A quantile; reorders the values.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let (_, below, later) = values.select_nth_unstable_by(place as usize, f64::total_cmp);
    let above = later.iter().copied().fold(f64::INFINITY, f64::min);
    let part = place.fract();
    if part > 0.0 { *below + part * (above - *below) } else { *below }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_r() {
        // summary(c(4, 1, 3, 2, 10)) in R: 1 2 3 4 4 10
        assert_eq!(statistics(&[4.0, 1.0, 3.0, 2.0, 10.0]), [1.0, 2.0, 3.0, 4.0, 4.0, 10.0]);
        // summary(c(1, 2, 3, 4)): 1 1.75 2.5 2.5 3.25 4
        assert_eq!(statistics(&[4.0, 1.0, 3.0, 2.0]), [1.0, 1.75, 2.5, 2.5, 3.25, 4.0]);
        assert!(statistics(&[]).iter().all(|value| value.is_nan()));
    }

    #[test]
    fn a_period_is_from_rise_to_rise() {
        let t_s: Vec<f64> = (0..1000).map(|row| 0.01 * f64::from(row)).collect();
        let period = |column: &dyn Fn(f64) -> f64| {
            let shown: Vec<f64> = t_s.iter().map(|t_s| column(*t_s)).collect();
            period_s(&t_s, &shown)
        };
        // Ripples of a tenth of the swing do not count as rises.
        let turns = |t_s: f64| std::f64::consts::TAU * t_s / 1.7;
        let rippled = |t_s: f64| 5.0 + turns(t_s).sin() + 0.1 * (31.0 * turns(t_s)).sin();
        assert!((period(&rippled) / 1.7 - 1.0).abs() < 0.01);
        assert!(period(&|_| 5.0).is_nan() && period_s(&[], &[]).is_nan());
        assert!(period(&|t_s| 5.0 + 0.002 * turns(t_s).sin()).is_nan()); // in equilibrium
        assert!(period(&|t_s| turns(0.1 * t_s).sin()).is_nan()); // less than one period
    }
}
