//! How large files are.

use serde::Deserialize;

/// File sizes, in whole packets, at least one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Size {
    Fixed { packets: f64 },
    Exponential { mean_packets: f64 },
    Pareto { mean_packets: f64, shape: f64 },
}
