//! What no law and no network may ask for: the run ends where one does, before it takes all memory or goes
//! on for ever.

use std::fmt;

use headgate_model::units::Time;
use headgate_tcp::context as tcp;
use serde::{Deserialize, Serialize};

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// By a controller.
    Tcp(tcp::Excess),
    /// More packets under way than these, for which there is room.
    Room(usize),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(excess) => excess.fmt(f),
            Self::Room(packets) => {
                write!(f, "more than {packets} packets are under way, and memory has room for no more")
            }
        }
    }
}

/// Who asked for what, and when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excess {
    /// Indices of the traffic and of the law in the plan; none where all of them are too many.
    pub sender: Option<(u32, u32)>,
    pub at: Time,
    pub asked: Asked,
}
