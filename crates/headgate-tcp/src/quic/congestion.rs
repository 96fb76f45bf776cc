//! Congestion events, recovery periods and persistent congestion (RFC 9002 section 7 and appendix B).

use headgate_model::control::{Cause, Controller, Echo};
use headgate_model::units::seconds;
use headgate_model::whole::floor;

use super::LEAST_WINDOW;
use super::loss::{Losses, LostRun};
use crate::context::{Context, SenderContext};
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Responds to lost packets (RFC 9002 appendix B.8).
    pub(super) fn on_packets_lost(&mut self, losses: Losses, ctx: &mut impl SenderContext) {
        let Some(quic) = &self.quic else { return };
        if losses.newest >= quic.recovery_end {
            self.begin_recovery_period(Cause::Loss, ctx);
        }
        if losses.is_persistent {
            self.collapse_window(ctx);
        }
    }

    /// Begins a recovery period: the window shrinks at once, and not again for packets that have left (RFC
    /// 9002 section 7.3.2).
    ///
    /// NOTE(RFC 9002 section 7.3.2): no packet leaves before the reduction, which the RFC permits.
    pub(super) fn begin_recovery_period(&mut self, cause: Cause, ctx: &mut impl SenderContext) {
        let Some(quic) = &mut self.quic else { return };
        quic.recovery_end = quic.packets.next();
        if cause == Cause::Mark {
            self.phase = Phase::Reducing;
            self.stats.reductions += 1;
        } else {
            self.phase = Phase::Recovery;
            self.stats.recoveries += 1;
        }
        self.reduce_window(cause, ctx);
    }

    /// Reduces the window by the rule of the controller.
    fn reduce_window(&mut self, cause: Cause, ctx: &mut impl SenderContext) {
        let window = self.window_for_controller();
        self.tell_controller(cause, window, ctx);
        if !self.controller.controls_cwnd_in_recovery() {
            self.window.cwnd = self.window.ssthresh.max(LEAST_WINDOW);
        }
    }

    /// Returns the window from which a reduction starts.
    ///
    /// NOTE(RFC 9002 appendix B.6): controllers reduce whole packets, so that the window is rounded before.
    fn window_for_controller(&self) -> u32 {
        floor(self.window.cwnd + 0.5) as u32
    }

    /// Responds to a mark if the algorithm uses the share of marked packets, once per round trip. It reduces
    /// less than for a loss, and grows meanwhile.
    ///
    /// NOTE(RFC 9002 section 7.3.2): such a reduction begins no recovery period. RFC 9331 section 4.3 asks
    /// for this response.
    pub(super) fn reduce_by_share(&mut self, largest: u32, ctx: &mut impl SenderContext) {
        let Some(quic) = &mut self.quic else { return };
        if largest < quic.marked_until || self.phase != Phase::Open {
            return;
        }
        quic.marked_until = quic.packets.next();
        self.stats.reductions += 1;
        let window = self.window_for_controller();
        self.tell_controller(Cause::Mark, window, ctx);
        self.settle_window(ctx.now());
    }

    /// Whether the algorithm uses the share of marked packets.
    pub(super) fn uses_share_of_marks(&self) -> bool {
        self.controller.echo() == Echo::Accurate
    }

    /// Reduces the window to its minimum after persistent congestion, and ends the recovery period (RFC 9002
    /// section 7.6.2). `ssthresh` stays as the loss has left it.
    fn collapse_window(&mut self, ctx: &mut impl SenderContext) {
        let Some(quic) = &mut self.quic else { return };
        quic.recovery_end = 0;
        quic.timeout_end = quic.packets.next();
        quic.lost_run = LostRun::default(); // it has counted
        let (before, window) = (self.window, self.window_for_controller());
        self.phase = Phase::Timeout;
        self.window.cwnd = LEAST_WINDOW;
        self.note_fall(before.cwnd, self.window.cwnd);
        self.tell_controller(Cause::Timeout, window, ctx);
        self.window.ssthresh = before.ssthresh;
    }

    /// Ends the recovery period, or the phase after persistent congestion, if a packet was acknowledged that
    /// was sent since it began.
    pub(super) fn end_recovery_period(&mut self, newest: u32, ctx: &impl Context) {
        let Some(quic) = &self.quic else { return };
        match self.phase {
            Phase::Recovery | Phase::Reducing if newest >= quic.recovery_end => {
                self.phase = Phase::Open;
                self.controller.on_recovered(seconds(ctx.now()), &self.rtt.path, &mut self.window);
            }
            Phase::Timeout if newest >= quic.timeout_end => self.phase = Phase::Open,
            _ => {}
        }
    }
}
