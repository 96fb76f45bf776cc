//! What no law and no network may ask for: the run ends where one does, before it takes all memory or goes
//! on for ever.

use std::fmt;

use headgate_model::control::Window;
use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

/// Packets that a sender may put into the network in one event: ten times the largest first window.
pub const MOST_AT_ONCE: u32 = 1_000_000;

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// More packets than [`MOST_AT_ONCE`], of this window.
    Burst(f64),
    /// A window that is none.
    Window(Window),
    /// More packets under way than these, for which there is room.
    Room(usize),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Burst(cwnd) => {
                write!(f, "a window of {cwnd:.0} segments asks for more than {MOST_AT_ONCE} packets at once")
            }
            Self::Room(packets) => {
                write!(f, "more than {packets} packets are under way, and memory has room for no more")
            }
            Self::Window(Window { cwnd, ssthresh, pace }) => write!(
                f,
                "cwnd became {cwnd} segments, ssthresh {ssthresh} segments, pace {pace} segments/s; \
                 cwnd is finite, the others are above 0"
            ),
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
