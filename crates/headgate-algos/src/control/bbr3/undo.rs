//! The state before a loss, and its restoration if the loss proves spurious (draft-ietf-ccwg-bbr section 5.5.11;
//! google/bbr `bbr_undo_cwnd`).
//!
//! NOTE(draft-ietf-ccwg-bbr section 5.5.11.1): the state is saved once per episode, as the text says. The
//! pseudocode saves it at the first loss of each round trip, so that a later one replaces what the first one
//! saved.

use super::*;

/// The bounds before the last congestion event.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Before {
    bw_short: f64,
    inflight_short: f64,
    inflight_long: f64,
    /// Whether they were saved since the last ACK, so that further losses of its event do not replace them.
    is_new: bool,
    /// The phase that losses have ended since (`undo_state`): STARTUP or UP.
    pub(super) left: Option<Mode>,
}

impl Default for Before {
    fn default() -> Self {
        let none = f64::INFINITY;
        Self { bw_short: none, inflight_short: none, inflight_long: none, is_new: false, left: None }
    }
}

impl Model {
    /// Saves the bounds before the first loss of an episode lowers them (`SaveStateUponLoss`). Linux saves them
    /// when its repair begins.
    pub(super) fn save_at_loss(&mut self) {
        if !self.is_linux() && !self.repair.is_repairing() && !self.before.is_new {
            self.save_bounds();
        }
    }

    /// Begins an episode, whose bounds a loss may have saved.
    pub(super) fn begin_episode(&mut self) {
        if self.is_linux() || !self.before.is_new {
            self.save_bounds();
        }
    }

    fn save_bounds(&mut self) {
        let Bounds { bw_short, inflight_short, inflight_long, .. } = self.bounds;
        self.before = Before { bw_short, inflight_short, inflight_long, is_new: true, left: None };
    }

    /// Ends the event of an ACK.
    pub(super) fn end_event(&mut self) {
        self.before.is_new = false;
    }

    /// Handles a spurious loss (`HandleSpuriousLossDetection`, section 5.5.11.2).
    pub(super) fn undo(&mut self, window: &mut Window) {
        let Before { bw_short, inflight_short, inflight_long, .. } = self.before;
        self.latest.loses = false;
        self.pipe.restart(0.0);
        self.startup_losses = 0;
        self.bounds.bw_short = self.bounds.bw_short.max(bw_short);
        self.bounds.inflight_short = self.bounds.inflight_short.max(inflight_short);
        self.bounds.inflight_long = self.bounds.inflight_long.max(inflight_long);
        window.cwnd = window.cwnd.max(self.repair.saved());
        let left = self.before.left.take();
        if !self.is_linux() {
            self.return_to(left);
        }
    }

    /// Returns to STARTUP, or repeats the probe that losses have ended. PROBE_RTT first ends by itself.
    fn return_to(&mut self, left: Option<Mode>) {
        let may_leave = self.mode != Mode::ProbeRtt;
        match left {
            Some(Mode::Startup) if self.mode != Mode::Startup => {
                self.pipe.full = false;
                self.mode = if may_leave { Mode::Startup } else { self.mode };
            }
            Some(Mode::Up) if self.mode != Mode::Up && may_leave => self.enter_refill(0),
            _ => {}
        }
    }
}
