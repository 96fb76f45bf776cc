//! Fast recovery: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 6675), proportional rate reduction (RFC 9937).

use headgate_model::control::{Cause, Controller};

use crate::context::{Context, SenderContext};
use crate::profile::Profile;
use crate::recovery::AckSummary;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Enters fast recovery after a loss was detected. `proven` is true if the ACK echoes a mark, so that the
    /// reduction cannot be undone.
    pub(crate) fn enter_recovery(&mut self, delivered: u32, proven: bool, ctx: &mut impl SenderContext) {
        let flight = self.flight_for_controller(ctx);
        let reduces = self.phase != Phase::Reducing;
        let before = (reduces && !proven).then_some(self.window);
        self.begin_episode(before, ctx.profile());
        self.phase = Phase::Recovery;
        self.stats.recoveries += 1;
        self.timed = None;
        if reduces {
            self.forget_probe();
            self.tell_controller(Cause::Loss, flight, ctx);
            self.recover = self.next;
        }
        let profile = ctx.profile();
        let proportional = self.reduces_proportionally(profile);
        let profile_sack = profile.sack;
        let before = if profile.whole_windows { flight } else { self.next - self.una };
        let recovery = self.recovery.as_mut().expect("losses are on the scoreboard");
        (recovery.inflation, recovery.partial) = (f64::from(self.dupacks), false);
        if reduces {
            (recovery.delivered, recovery.sent, recovery.flight) = (0, 0, before);
        }
        if recovery.scoreboard.lost == 0 {
            self.lose_first(ctx);
        }
        let controller_decides = self.controller.controls_cwnd_in_recovery();
        if proportional {
            self.reduce_proportionally(delivered, false);
        } else if !(controller_decides && profile_sack) {
            self.window.cwnd = if controller_decides { self.window.cwnd } else { self.window.ssthresh };
            self.resend(ctx);
        }
        let outstanding = self.next - self.una;
        let recovery = self.recovery.as_mut().expect("losses are on the scoreboard");
        recovery.unreported = outstanding.saturating_sub(self.dupacks);
        self.restart_timer(ctx);
    }

    /// Whether the window shrinks over a round trip (PRR), rather than at once or by the controller's
    /// decision.
    ///
    /// NOTE(RFC 9937 section 6.1): `RecoverFS` is all that is outstanding, or the window with whole windows as in
    /// Linux. The RFC subtracts the segments that were SACKed before the ACK which begins recovery.
    pub(crate) fn reduces_proportionally(&self, profile: &Profile) -> bool {
        profile.sack && profile.prr && !self.controller.controls_cwnd_in_recovery()
    }

    pub(crate) fn in_sack_recovery(&mut self, summary: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let recovery = self.recovery.as_mut().expect("recovery has a scoreboard");
        recovery.unreported = recovery.unreported.saturating_sub(1 + u32::from(summary.newly > 0));
        if self.una >= self.recover {
            self.detect_losses(ctx);
            self.leave_recovery(summary.echo, ctx);
            return false;
        }
        if summary.newly > 0 && self.is_late_fill(summary.echo, ctx) {
            self.note_late(summary.newly);
            if self.scoreboard().resent > 0 {
                self.hold_resends(summary, ctx);
                return false;
            }
            self.undo_reduction(true, ctx);
            self.reopen(ctx);
        } else if self.undo_by_duplicates(ctx) {
            self.reopen(ctx);
        }
        let lost = self.detect_losses(ctx);
        if self.phase == Phase::Recovery {
            if self.reduces_proportionally(ctx.profile()) {
                self.reduce_proportionally(summary.delivered, summary.newly > 0 && !lost);
            }
            return false;
        }
        if self.scoreboard().lost > 0 {
            self.enter_recovery(summary.delivered, summary.marked.is_some(), ctx);
            return false;
        }
        self.grow_in_disorder(summary, ctx)
    }

    /// Suspends retransmissions after a late segment filled the hole and other segments were also sent again.
    /// Until the next ACK only new segments are sent, and no segment counts as lost (Linux
    /// `tcp_try_undo_partial`).
    fn hold_resends(&mut self, summary: AckSummary, ctx: &impl Context) {
        self.recovery.as_mut().expect("recovery has a scoreboard").sends_new = true;
        if self.reduces_proportionally(ctx.profile()) {
            self.reduce_proportionally(summary.delivered, true);
        }
    }

    fn note_late(&mut self, newly: u32) {
        if let Some(sent) = &mut self.sent {
            sent.note_late(newly);
        }
    }

    /// Handles an ACK during recovery without SACK. NewReno recovery ends when everything that was
    /// outstanding is acknowledged (RFC 6582 section 3.2). Reno recovery ends at the first new ACK (RFC 5681
    /// section 3.2).
    pub(crate) fn in_plain_recovery(&mut self, summary: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let partial = self.una < self.recover && ctx.profile().partial_acks;
        if summary.newly == 0 {
            self.recovery.as_mut().expect("recovery has a scoreboard").inflation += 1.0;
        } else if partial && self.is_late_fill(summary.echo, ctx) {
            self.restart_timer(ctx);
            self.undo_reduction(true, ctx);
            self.reopen(ctx);
        } else if partial {
            self.on_partial_ack(summary.newly, ctx);
        } else {
            self.restart_timer(ctx);
            self.leave_recovery(summary.echo, ctx);
        }
        false
    }

    /// Deflates the window by the acknowledged segments, adds one back, and resends the next hole (RFC 6582
    /// section 3.2 step 3). Only the first partial ACK restarts the timer (the "impatient" variant), so that
    /// a window with many losses ends in a time-out rather than in one round trip per loss.
    fn on_partial_ack(&mut self, newly: u32, ctx: &mut impl SenderContext) {
        let recovery = self.recovery.as_mut().expect("recovery has a scoreboard");
        recovery.inflation += 1.0 - f64::from(newly);
        let first = !std::mem::replace(&mut recovery.partial, true);
        self.lose_first(ctx);
        self.resend(ctx);
        if first {
            self.restart_timer(ctx);
        }
    }

    fn leave_recovery(&mut self, echo: u32, ctx: &mut impl SenderContext) {
        if self.may_undo(echo, ctx) {
            self.undo_reduction(false, ctx);
            self.reopen(ctx);
        } else {
            if let Some(sent) = &mut self.sent {
                sent.end_recovery(false);
            }
            self.phase = Phase::Open;
            self.settle_window(ctx.now());
            self.round_end = self.next;
        }
        if self.scoreboard().lost > 0 {
            self.enter_recovery(0, false, ctx); // losses above the recovery point are a new event
        }
    }

    /// Sets the window to the pipe plus the segments that PRR allows.
    pub(crate) fn reduce_proportionally(&mut self, delivered: u32, safe: bool) {
        let recovery = self.recovery.as_mut().expect("recovery has a scoreboard");
        recovery.delivered += delivered;
        self.window.cwnd =
            f64::from(recovery.scoreboard.pipe()) + recovery.allowed(self.window.ssthresh, delivered, safe);
    }
}
