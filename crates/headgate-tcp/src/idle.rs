//! Changes of the window after an idle time (RFC 5681 section 4.1, RFC 2861 section 3.1, RFC 7661 section 4.4).

use headgate_model::control::{Controller, Restart};
use headgate_model::units::{SECOND, Span, seconds};

use crate::context::{Context, SenderContext};
use crate::profile::AfterIdle;
use crate::sender::Sender;
use crate::state::Phase;

/// Longest time for which an unused window is preserved (RFC 7661 section 4.4).
const NON_VALIDATED: Span = 300 * SECOND;

impl<C: Controller> Sender<C> {
    /// Prepares to send again when nothing is outstanding.
    pub(crate) fn restart_from_idle(&mut self, ctx: &mut impl SenderContext) {
        let idle = ctx.now() - self.sent_at;
        let before = self.window.cwnd;
        if !self.controller.controls_cwnd_in_recovery() {
            self.lower_window(idle, ctx);
        }
        self.note_fall(before, self.window.cwnd);
        let delivered = self.sent.as_ref().map_or(0, |sent| sent.delivered());
        let restart =
            Restart { now_s: seconds(ctx.now()), idle_s: seconds(idle), delivered: f64::from(delivered) };
        self.controller.on_restart(&restart, &self.rtt.path, &mut self.window);
    }

    /// Lowers the window if the idle time is longer than the time-out.
    fn lower_window(&mut self, idle: Span, ctx: &impl Context) {
        let profile = ctx.profile();
        let rto = self.rtt.rto(self.backoff, profile);
        if idle <= rto {
            return;
        }
        let restart = profile.initial_window.min(self.window.cwnd);
        match profile.after_idle {
            AfterIdle::Rfc5681 => self.window.cwnd = restart,
            AfterIdle::Linux => {
                self.keep_threshold(profile.whole_windows);
                self.window.cwnd =
                    halve(self.window.cwnd, (idle - 1) / rto, profile.whole_windows).max(restart);
            }
            AfterIdle::Rfc7661 if idle >= NON_VALIDATED => {
                self.keep_threshold(profile.whole_windows);
                self.window.cwnd =
                    halve(self.window.cwnd, idle / NON_VALIDATED, profile.whole_windows).max(restart);
            }
            AfterIdle::Ns2 => self.window.cwnd = self.window.cwnd.min(1.0),
            AfterIdle::Rfc7661 | AfterIdle::Keep => {}
        }
    }

    /// Raises `ssthresh` to three quarters of the window, unless the window shrinks for a congestion signal
    /// (Linux `tcp_current_ssthresh`).
    fn keep_threshold(&mut self, whole: bool) {
        if self.phase != Phase::Reducing {
            let half = halve(self.window.cwnd, 1, whole);
            self.window.ssthresh = self.window.ssthresh.max(half + halve(half, 1, whole));
        }
    }
}

/// Halves a window `times` times. In whole segments each half is rounded down.
fn halve(window: f64, times: u64, whole: bool) -> f64 {
    let half = |window: f64| if whole { (window / 2.0).floor() } else { window / 2.0 };
    (0..times.min(64)).fold(window, |window, _| half(window))
}
