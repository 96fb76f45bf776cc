//! Limits of the engine: a run ends where a law or the network exceeds one, before it takes all memory or never
//! ends.

use std::fmt;

use headgate_model::units::Time;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};

/// What exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// By a controller.
    Tcp(tcp::LimitExceeded),
    /// More packets in flight than this, the most that memory has room for.
    Room(usize),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(excess) => excess.fmt(f),
            Self::Room(packets) => {
                write!(f, "more than {packets} packets are in flight, the most that memory has room for")
            }
        }
    }
}

/// Who exceeded what limit, and when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excess {
    /// Indices of the traffic and of the law in the plan; none where all of them are too many.
    pub sender: Option<(u32, u32)>,
    pub at: Time,
    pub asked: Asked,
}
