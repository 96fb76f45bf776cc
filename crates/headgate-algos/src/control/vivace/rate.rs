//! The utility of a rate, and the change of the rate by its gradient.

use super::Params;

/// The utility function.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Utility {
    exponent: f64,
    latency: f64,
    loss: f64,
    tolerance: f64,
}

impl Utility {
    pub fn new(params: &Params) -> Self {
        let Params { exponent, latency, loss, tolerance, .. } = *params;
        Self { exponent, latency, loss, tolerance }
    }

    /// Utility of a rate in Mbit/s with this slope of the RTT and this share of losses (§4, equation 1).
    pub fn of(&self, rate_mbps: f64, slope: f64, loss: f64) -> f64 {
        let slope = if slope.abs() < self.tolerance { 0.0 } else { slope };
        rate_mbps.powf(self.exponent) - rate_mbps * (self.latency * slope + self.loss * loss)
    }
}

/// The size of changes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Climb {
    theta: f64,
    omega: f64,
    step: f64,
    rises: bool,
    /// Changes of this sign, and those that reached the boundary.
    tau: f64,
    reached: f64,
}

impl Climb {
    pub fn new(params: &Params) -> Self {
        let Params { theta, omega, step, .. } = *params;
        Self { theta, omega, step, rises: true, tau: 0.0, reached: 0.0 }
    }

    /// Forgets earlier changes.
    pub fn forget(&mut self) {
        (self.tau, self.reached) = (0.0, 0.0);
    }

    /// Returns the change of a rate in Mbit/s at this gradient of the utility.
    pub fn change(&mut self, gradient: f64, rate_mbps: f64) -> f64 {
        if (gradient > 0.0) != self.rises {
            self.rises = gradient > 0.0;
            self.forget();
        }
        self.tau += 1.0;
        let change = self.theta * confidence(self.tau) * gradient;
        let share = change.abs() / rate_mbps;
        let most = self.omega + self.reached * self.step;
        if share > most {
            self.reached += 1.0;
            return most * rate_mbps * change.signum();
        }
        if self.step > 0.0 {
            self.reached = ((share - self.omega) / self.step).ceil().max(0.0);
        }
        change
    }
}

/// The amplifier of the `tau`-th change of one sign (§5).
fn confidence(tau: f64) -> f64 {
    if tau <= 3.0 { tau } else { 2.0 * tau - 3.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utility() -> Utility {
        Utility::new(&Params::default())
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn the_utility_of_a_rate() {
        near(utility().of(100.0, 0.0, 0.0), 100f64.powf(0.9));
        near(utility().of(100.0, 0.02, 0.0), 100f64.powf(0.9) - 1800.0);
        near(utility().of(100.0, -0.02, 0.0), 100f64.powf(0.9) + 1800.0);
        near(utility().of(100.0, 0.0, 0.1), 100f64.powf(0.9) - 113.5);
        near(utility().of(100.0, 0.0099, 0.1), 100f64.powf(0.9) - 113.5);
    }

    #[test]
    fn random_losses_of_five_percent_allow_100_mbps() {
        // 0.9 x^-0.1 = 11.35 L: the utility is largest at x = (0.9/(11.35 * 0.05))^10 = 100.7
        let at = |rate: f64| utility().of(rate, 0.0, 0.05);
        let best = (0.9f64 / (11.35 * 0.05)).powi(10);
        assert!((best - 100.7).abs() < 0.1, "{best}");
        assert!(at(best) > at(best * 1.01) && at(best) > at(best * 0.99));
    }

    #[test]
    fn changes_of_one_sign_grow() {
        let mut climb = Climb::new(&Params::default());
        let changes: Vec<f64> = (0..6).map(|_| climb.change(0.5, 1000.0)).collect();
        assert_eq!(changes, [0.5, 1.0, 1.5, 2.5, 3.5, 4.5]); // m = 1, 2, 3, 5, 7, 9
        assert_eq!(climb.change(-0.5, 1000.0), -0.5);
        assert_eq!(climb.change(0.5, 1000.0), 0.5);
    }

    #[test]
    fn the_boundary_grows_when_it_is_reached() {
        let mut climb = Climb::new(&Params::default());
        // 5, 15, 25 % of 100; then 30 is within 35 and leaves k = ceil((0.3 - 0.05)/0.1) = 3
        for (gradient, change) in [(-900.0, -5.0), (-900.0, -15.0), (-900.0, -25.0), (-6.0, -30.0)] {
            near(climb.change(gradient, 100.0), change);
        }
        assert_eq!(climb.reached, 3.0);
        near(climb.change(-1.0, 100.0), -7.0);
        assert_eq!(climb.reached, 1.0); // ceil((0.07 - 0.05)/0.1)
        near(climb.change(900.0, 100.0), 5.0);
    }
}
