//! Means and their 95 % intervals over seeds.

/// A mean with its 95 % interval by Student's t distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean; NaN if a value is missing.
    pub mean: f64,
    /// The interval; absent if the spread is unknown: fewer than two values, a missing value, or only equal
    /// values.
    pub interval: Option<[f64; 2]>,
}

/// Estimates the mean of independent values. NaN is a missing value.
pub fn estimate(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 || !mean.is_finite() || values.iter().all(|value| *value == values[0]) {
        return Estimate { mean, interval: None };
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let half = t_quantile(values.len() - 1) * (squares / (n - 1.0) / n).sqrt();
    Estimate { mean, interval: Some([mean - half, mean + half]) }
}

/// The 97.5 % quantile of Student's t distribution, to four digits.
///
/// From 10 degrees of freedom on it is the expansion around the normal quantile z = 1.959964 (Abramowitz and
/// Stegun 26.7.5); fewer are a table.
fn t_quantile(freedom: usize) -> f64 {
    const TABLE: [f64; 9] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622];
    if let Some(value) = TABLE.get(freedom - 1) {
        return *value;
    }
    let (z, n) = (1.959_964_f64, freedom as f64);
    let z2 = z * z;
    let g1 = (z2 + 1.0) * z / 4.0;
    let g2 = ((5.0 * z2 + 16.0) * z2 + 3.0) * z / 96.0;
    let g3 = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) * z / 384.0;
    let g4 = ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) * z / 92_160.0;
    z + g1 / n + g2 / n.powi(2) + g3 / n.powi(3) + g4 / n.powi(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, expected) in
            [(1, 12.7062), (9, 2.2622), (10, 2.2281), (19, 2.0930), (29, 2.0452), (100, 1.9840)]
        {
            assert!((t_quantile(freedom) - expected).abs() < 6e-5, "{freedom}: {}", t_quantile(freedom));
        }
    }

    /// 1, 2, 3: mean 2, standard deviation 1, standard error 1/sqrt(3); t(2) = 4.3027.
    #[test]
    fn an_interval_by_hand() {
        let Estimate { mean, interval } = estimate(&[1.0, 2.0, 3.0]);
        let [low, high] = interval.expect("a spread");
        assert_eq!(mean, 2.0);
        assert!((high - 2.0 - 4.3027 / 3f64.sqrt()).abs() < 1e-4 && (2.0 - low - (high - 2.0)).abs() < 1e-12);
    }

    #[test]
    fn without_a_spread_there_is_no_interval() {
        for values in [&[1.0][..], &[2.0, 2.0, 2.0], &[1.0, f64::NAN]] {
            assert_eq!(estimate(values).interval, None, "{values:?}");
        }
        assert!(estimate(&[]).interval.is_none());
    }
}
