//! The state that is needed to undo a sender's last reduction.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

/// The state that is needed to undo the last reduction. It does not exist before the first loss.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reduction {
    /// The first outstanding segment at the time of the reduction; `None` if it can no longer be undone.
    pub(crate) marker: Option<u32>,
    /// Retransmissions since then that were not reported as duplicates; `None` before the first
    /// retransmission.
    pub(crate) unreported: Option<u32>,
    /// cwnd and ssthresh before the reduction, segments; `None` if a mark proved the congestion.
    pub(crate) before: Option<(f64, f64)>,
    /// Time of the first retransmission of the episode.
    pub(crate) resent_at: Option<Time>,
    /// Whether F-RTO has not yet decided if the time-out was spurious.
    pub(crate) tests_timeout: bool,
    /// Segments that the receiver reported as duplicates, over the whole connection.
    pub(crate) duplicates: u32,
}

impl Reduction {
    /// Records a retransmission.
    pub(crate) fn note_resent(&mut self, now: Time) {
        self.resent_at.get_or_insert(now);
        self.unreported = Some(self.unreported.unwrap_or(0) + 1);
    }

    /// Whether every retransmission was reported as a duplicate.
    pub(crate) fn is_all_reported(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }
}
