//! Limits of the engine. A run ends when a congestion control algorithm or the network exceeds one, before
//! it takes all memory or never ends.

use std::fmt;

use headgate_model::units::Time;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    /// A limit of a controller.
    Tcp(tcp::LimitExceeded),
    /// Most packets in flight that memory has room for.
    Room(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(excess) => excess.fmt(f),
            Self::Room(packets) => {
                write!(f, "more than {packets} packets are in flight, the most that memory has room for")
            }
        }
    }
}

/// A limit that was exceeded, when, and by which flow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitExceeded {
    /// Indices of the flow's traffic and algorithm in the plan; `None` for a limit of the whole network.
    pub sender: Option<(u32, u32)>,
    /// When, picoseconds.
    pub at: Time,
    /// The limit.
    pub limit: Limit,
}
