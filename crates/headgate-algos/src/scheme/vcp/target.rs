//! The moving target of the released code: gamma changes until the measured utilisation reaches its target.

/// Classes of lines by their smallest rate: bit/s, the target utilisation, and gamma's step (Xia's code,
/// release 0.1).
const CLASSES: [(f64, f64, f64); 10] = [
    (1e12, 0.993, 0.001),
    (1e11, 0.992, 0.001),
    (1e10, 0.990, 0.001),
    (1e9, 0.985, 0.002),
    (1e8, 0.975, 0.003),
    (1e7, 0.960, 0.004),
    (1e6, 0.940, 0.005),
    (1e5, 0.920, 0.006),
    (1e4, 0.890, 0.008),
    (1e3, 0.850, 0.010),
];

/// The target and the step of slower lines.
const SLOWEST: (f64, f64) = (0.800, 0.020);

/// Share of a class's rate from which a line belongs to it (Xia's code rounds after adding 0.34).
const SHARE: f64 = 0.66;

/// Periods between two steps, the bounds of gamma, and the rounding of utilisations (Xia's code).
const PERIODS: u32 = 10;
const BOUNDS: (f64, f64) = (0.1, 0.999);
const GRAIN: f64 = 1e4;

/// The current gamma, and the utilisations of the periods since its last step.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Target {
    pub gamma: f64,
    used: f64,
    periods: u32,
}

impl Target {
    pub fn new(gamma: f64) -> Self {
        Self { gamma, used: 0.0, periods: 0 }
    }

    /// Records a period with this utilisation of the line.
    pub fn take(&mut self, used: f64, rate_bytes_s: f64) {
        self.used += used;
        self.periods += 1;
        if self.periods == PERIODS {
            let mean = self.used / f64::from(PERIODS);
            (self.used, self.periods) = (0.0, 0);
            self.gamma = (self.gamma + step(mean, 8.0 * rate_bytes_s)).clamp(BOUNDS.0, BOUNDS.1);
        }
    }
}

/// Returns the change of gamma for this mean utilisation of a line.
fn step(mean: f64, rate_bps: f64) -> f64 {
    let class = CLASSES.iter().find(|class| rate_bps >= SHARE * class.0);
    let (aim, step) = class.map_or(SLOWEST, |&(_, aim, step)| (aim, step));
    let excess = (GRAIN * mean).round() - (GRAIN * aim).round();
    if excess == 0.0 { 0.0 } else { -step * excess.signum() }
}
