//! The phase of a sender, and the purpose of its timer.

use serde::{Deserialize, Serialize};

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Not yet opened, or closed.
    Closed,
    /// The SYN is in flight.
    SynSent,
    /// Established, without loss recovery.
    Open,
    /// Fast recovery: the receiver's reports revealed a loss.
    Recovery,
    /// Recovery after a time-out.
    Timeout,
    /// The window shrinks over a round trip for a congestion mark (Linux `TCP_CA_CWR`).
    Reducing,
}

impl Phase {
    /// The names of all phases, in their order.
    pub const NAMES: [&str; 6] = ["closed", "syn-sent", "open", "recovery", "timeout", "cwr"];
}

/// The purpose of the retransmission timer, which is a single timer (RFC 8985 section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Alarm {
    Timeout,
    /// A tail loss probe.
    Probe,
    /// The end of the reordering window of an overtaken segment.
    Reorder,
}
