//! An algorithm with another slow start than its own.
//!
//! The algorithm receives every event unchanged, so that its estimates stay as they are. Below `ssthresh` the
//! slow start decides by how much the window grows; above it, the algorithm alone does.

use headgate_model::control::{Ack, Cause, Congestion, Controller, Echo, Path, Rate, Restart, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Words;
use serde::{Deserialize, Serialize};

use crate::slow_start::{AnySlowStart, SlowStart};

/// One flow's algorithm and its slow start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Started<C> {
    controller: C,
    slow_start: AnySlowStart,
    /// Smallest RTT of data since the last time-out, seconds; 0 = none yet.
    base_rtt_s: f64,
    /// Whether the window was below `ssthresh` at the last ACK.
    starts: bool,
}

impl<C: Controller> Started<C> {
    /// Combines an algorithm and a slow start, both in their initial states.
    pub fn new(controller: C, slow_start: AnySlowStart) -> Self {
        Self { controller, slow_start, base_rtt_s: 0.0, starts: true }
    }

    /// The algorithm.
    pub fn controller_mut(&mut self) -> &mut C {
        &mut self.controller
    }

    fn note_rtt(&mut self, rtt_s: f64) {
        if rtt_s > 0.0 && (self.base_rtt_s == 0.0 || rtt_s < self.base_rtt_s) {
            self.base_rtt_s = rtt_s;
        }
    }

    /// Handles an ACK of new data below `ssthresh`.
    fn on_early_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.slow_start.on_ack(ack, self.base_rtt_s, path, window);
        let step = self.slow_start.growth(ack);
        if window.slow_starts() && step != ack.acked {
            self.grow(step, ack, path, window);
        } else {
            self.controller.on_ack(ack, path, window);
        }
    }

    /// Lets the window grow by `step` segments instead of those that the ACK acknowledges.
    fn grow(&mut self, step: f64, ack: &Ack, path: &Path, window: &mut Window) {
        let before = window.cwnd;
        let room = window.ssthresh - before;
        if ack.cwnd_limited && step >= room {
            window.cwnd = window.ssthresh;
            let left = Ack { acked: ack.acked * (1.0 - room / step), ..*ack };
            return self.controller.on_ack(&left, path, window);
        }
        self.controller.on_ack(&Ack { cwnd_limited: false, ..*ack }, path, window);
        if ack.cwnd_limited && window.slow_starts() {
            let unchanged = window.cwnd.min(before); // user-defined algorithms may grow in any case
            window.cwnd = (unchanged + step).min(window.ssthresh);
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<C: Controller> Controller for Started<C> {
    fn on_feedback(&mut self, granted: Echo) {
        self.controller.on_feedback(granted);
    }

    fn on_quic(&mut self) {
        self.controller.on_quic();
    }

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.controller.on_start(now_s, path, window);
        self.slow_start.on_start(now_s, path, window);
    }

    // Inlined, it would make the enum's `on_ack` call itself, and no sender could inline that.
    #[inline(never)]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.note_rtt(ack.rtt_s);
        if window.slow_starts() {
            self.starts = true;
            self.on_early_ack(ack, path, window);
        } else {
            if std::mem::take(&mut self.starts) {
                self.slow_start.on_exit(window);
            }
            self.controller.on_ack(ack, path, window);
        }
    }

    /// ACKs of segments that overtook others can end slow start too.
    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.note_rtt(ack.rtt_s);
        if self.slow_start.controls_cwnd_in_recovery() {
            self.slow_start.on_repair(ack, window);
        } else if window.slow_starts() && !ack.recovers && !ack.after_timeout {
            self.slow_start.on_ack(ack, self.base_rtt_s, path, window);
        }
        self.controller.on_recovery_ack(ack, path, window);
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        if self.controller.wants_rate() {
            self.controller.on_segment_lost(sent, path, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        if event.cause == Cause::Timeout {
            self.base_rtt_s = 0.0;
        }
        self.controller.on_congestion(event, path, window);
        self.slow_start.on_congestion(event, window);
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        if self.slow_start.controls_cwnd_in_recovery() {
            self.slow_start.on_recovered(window);
        }
        self.controller.on_recovered(now_s, path, window);
    }

    fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
        self.slow_start.on_undo();
        self.controller.on_undo(before, path, window);
    }

    fn on_restart(&mut self, restart: &Restart, path: &Path, window: &mut Window) {
        self.controller.on_restart(restart, path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        self.slow_start.controls_cwnd_in_recovery() || self.controller.controls_cwnd_in_recovery()
    }

    fn echo(&self) -> Echo {
        self.controller.echo()
    }

    fn answers_marks(&self) -> bool {
        self.controller.answers_marks()
    }

    fn codepoint(&self) -> Ecn {
        self.controller.codepoint()
    }

    fn wants_rate(&self) -> bool {
        self.slow_start.wants_rate() || self.controller.wants_rate()
    }

    fn scheme(&self) -> Option<u8> {
        self.controller.scheme()
    }

    fn header(&mut self, path: &Path, window: &Window) -> Words {
        self.controller.header(path, window)
    }

    fn on_header(&mut self, header: &Words, now_s: f64, path: &Path, window: &mut Window) {
        self.controller.on_header(header, now_s, path, window);
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        self.controller.gauge()
    }
}

#[cfg(test)]
mod tests;
