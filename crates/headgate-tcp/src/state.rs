//! What a sender is doing, and what its timer is set for.

use serde::{Deserialize, Serialize};

/// What the connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Not begun, or over.
    Closed,
    /// The SYN is under way.
    SynSent,
    /// Established, and nothing is being repaired.
    Open,
    /// Fast recovery: a loss was found by its echo.
    Recovery,
    /// Recovery after a time-out.
    Timeout,
    /// The window shrinks over a round trip, for a congestion mark (Linux `TCP_CA_CWR`).
    Reducing,
}

impl Phase {
    /// Names of all, in their order.
    pub const NAMES: [&str; 6] = ["closed", "syn-sent", "open", "recovery", "timeout", "cwr"];
}

/// What the retransmission timer is set for; it is one timer (RFC 8985 §8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Alarm {
    Timeout,
    /// A tail loss probe.
    Probe,
    /// The reordering window of an overtaken segment.
    Reorder,
}
