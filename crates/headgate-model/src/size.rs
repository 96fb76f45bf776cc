//! How large files are.

use serde::Deserialize;

/// File sizes, in whole packets, at least one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Size {
    /// All are of one size.
    Fixed {
        /// Packets.
        packets: f64,
    },
    /// Exponentially distributed.
    Exponential {
        /// Mean, packets.
        mean_packets: f64,
    },
    /// With a Pareto distribution, whose tail is heavy.
    Pareto {
        /// Mean, packets.
        mean_packets: f64,
        /// Shape, above 1.
        shape: f64,
    },
}
