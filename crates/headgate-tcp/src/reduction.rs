//! The state that undoes a sender's last reduction.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

/// The state that undoes the last reduction. A connection has none before its first loss.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reduction {
    /// The first outstanding segment when the reduction was made; `None` if it may not be undone any more.
    pub(crate) marker: Option<u32>,
    /// Retransmissions since then that were not reported as duplicates; `None` before the first retransmission.
    pub(crate) unreported: Option<u32>,
    /// cwnd and ssthresh to return to; `None` if a mark proved the congestion.
    pub(crate) before: Option<(f64, f64)>,
    /// When the first retransmission of the episode left.
    pub(crate) resent_at: Option<Time>,
    /// F-RTO has not decided yet whether the time-out was spurious.
    pub(crate) tests_timeout: bool,
    /// Segments that the receiver reported as duplicates, over the whole connection.
    pub(crate) duplicates: u32,
}

impl Reduction {
    /// A retransmission leaves.
    pub(crate) fn note_resent(&mut self, now: Time) {
        self.resent_at.get_or_insert(now);
        self.unreported = Some(self.unreported.unwrap_or(0) + 1);
    }

    /// Every retransmission was reported as a duplicate.
    pub(crate) fn is_all_reported(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }
}
