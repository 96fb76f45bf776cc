//! The curve before a loss, and its restoration if the loss proves spurious (RFC 9438 section 4.9).
//!
//! NOTE(RFC 9438 section 4.9.2): the variant `linux` restores only the window and `ssthresh`. `W_max` stays
//! reduced, and a new curve begins, as in the kernel (`tcp_reno_undo_cwnd`).
//!
//! NOTE(RFC 9438 section 4.9.1): in the variant `rfc`, a spurious time-out restores the curve too. The RFC refers
//! to RFC 4015, which names only the window and `ssthresh`.

use super::{Epoch, State};

/// The variables of the curve before the last reduction.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Saved {
    /// `K`, the start of the epoch, and `W_est`.
    epoch: Option<Epoch>,
    w_max: f64,
    prior: f64,
}

impl State {
    /// Saves the curve before a reduction, and ends it.
    pub(super) fn save(&mut self) {
        self.saved = Saved { epoch: self.epoch.take(), w_max: self.w_max, prior: self.prior };
    }

    /// Restores the curve, as if there had been no loss.
    pub(super) fn restore(&mut self) {
        let Saved { epoch, w_max, prior } = std::mem::take(&mut self.saved);
        (self.epoch, self.w_max, self.prior) = (epoch, w_max, prior);
    }
}
