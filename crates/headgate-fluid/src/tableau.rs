//! The method of Dormand and Prince, of order 5 with an error estimate of order 4 (Dormand, Prince 1980), and
//! its continuous extension of order 4 (Hairer, Nørsett, Wanner I, II.6).

use crate::history::TERMS;

pub const STAGES: usize = 7;

/// The place of each stage in the step.
pub const NODES: [f64; STAGES] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// The weights of earlier slopes in each stage; the last row is the solution.
pub const STAGE: [&[f64]; STAGES] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// The solution minus the one of order 4.
pub const ERROR: [f64; STAGES] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// The last term of the continuous extension.
const BEND: [f64; STAGES] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

/// The terms of the polynomial of a component, from its ends and slopes.
pub fn terms(from: f64, to: f64, h_s: f64, slopes: [f64; STAGES]) -> [f64; TERMS] {
    let rise = to - from;
    let bend = h_s * slopes[0] - rise;
    [from, rise, bend, rise - h_s * slopes[6] - bend, h_s * combine(&BEND, &slopes)]
}

/// A weighted sum of slopes.
pub fn combine(weights: &[f64], slopes: &[f64]) -> f64 {
    weights.iter().zip(slopes).map(|(weight, slope)| weight * slope).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::weights;

    #[test]
    fn the_rows_sum_to_their_nodes_and_the_error_to_nothing() {
        for (row, node) in STAGE.iter().zip(NODES) {
            assert!((row.iter().sum::<f64>() - node).abs() < 1e-14);
        }
        assert!(ERROR.iter().sum::<f64>().abs() < 1e-16);
        assert!(BEND.iter().sum::<f64>().abs() < 1e-13);
    }

    /// For y' = f(t) the solution is a quadrature: exact up to t^4, and its extension up to t^3.
    #[test]
    fn quadrature_has_order_five_and_its_extension_order_four() {
        for power in 0..5 {
            let slopes = NODES.map(|node| f64::from(power + 1) * node.powi(power));
            assert!((combine(STAGE[6], &slopes) - 1.0).abs() < 1e-14, "t^{power}");
            let part: f64 = 0.37;
            let value = combine(&terms(0.0, 1.0, 1.0, slopes), &weights(part));
            assert_eq!((value - part.powi(power + 1)).abs() < 1e-14, power < 4, "t^{power}");
        }
    }
}
