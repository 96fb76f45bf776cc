//! Distributions of file sizes.

use serde::Deserialize;

/// A distribution of file sizes, in whole packets, at least one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Size {
    /// All files are equally large.
    Fixed {
        /// Packets.
        packets: f64,
    },
    /// The exponential distribution.
    Exponential {
        /// Mean, packets.
        mean_packets: f64,
    },
    /// The Pareto distribution, which is heavy-tailed.
    Pareto {
        /// Mean, packets.
        mean_packets: f64,
        /// Shape, above 1.
        shape: f64,
    },
}
