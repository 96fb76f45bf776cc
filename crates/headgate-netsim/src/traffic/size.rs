//! Sizes of files in whole packets.

use headgate_model::chance::Stream;
use headgate_model::plan;
use serde::{Deserialize, Serialize};

/// The longest finite flow, packets. The two greatest numbers are reserved.
const LONGEST: f64 = (u32::MAX - 2) as f64;

/// A distribution of sizes, as part of the state of a run. See [`plan::Size`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Size {
    /// All files are equally large.
    Fixed {
        /// The size, packets.
        packets: f64,
    },
    /// Exponential sizes.
    Exponential {
        /// Their mean, packets.
        mean_packets: f64,
    },
    /// Pareto sizes.
    Pareto {
        /// Their mean, packets.
        mean_packets: f64,
        /// Their shape.
        shape: f64,
    },
}

impl From<plan::Size> for Size {
    fn from(size: plan::Size) -> Self {
        match size {
            plan::Size::Fixed { packets } => Self::Fixed { packets },
            plan::Size::Exponential { mean_packets } => Self::Exponential { mean_packets },
            plan::Size::Pareto { mean_packets, shape } => Self::Pareto { mean_packets, shape },
        }
    }
}

/// Draws a size in packets: rounded, and at least one.
pub fn draw(size: Size, stream: &mut Stream) -> u32 {
    let packets = match size {
        Size::Fixed { packets } => packets,
        Size::Exponential { mean_packets } => stream.exponential(mean_packets),
        Size::Pareto { mean_packets, shape } => stream.pareto(mean_packets, shape),
    };
    libm::round(packets).clamp(1.0, LONGEST) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pareto_size_has_its_mean_and_least() {
        let mut stream = Stream::new(1, "size", 0);
        let size = Size::Pareto { mean_packets: 75.0, shape: 2.5 };
        let sizes: Vec<f64> = (0..400_000).map(|_| f64::from(draw(size, &mut stream))).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        assert!((mean - 75.0).abs() < 0.5, "{mean}"); // standard error 67/632 = 0.11
        assert_eq!(sizes.iter().copied().fold(f64::MAX, f64::min), 45.0);
    }

    #[test]
    fn no_file_is_empty() {
        let mut stream = Stream::new(1, "size", 0);
        let size = Size::Exponential { mean_packets: 0.2 };
        assert!((0..1000).all(|_| draw(size, &mut stream) >= 1));
        assert_eq!(draw(Size::Fixed { packets: 1e300 }, &mut stream), u32::MAX - 2);
    }
}
