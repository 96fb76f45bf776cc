//! The phases of BBRv3.

/// A phase of the algorithm, or of its cycle of probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Mode {
    #[default]
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The state of the ACKs of a probe for bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Feedback {
    None,
    Refilling,
    Starting,
    Running,
    /// The probe has ended, but its segments are still being acknowledged.
    Stopping,
}
