//! Fast recovery: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 6675), proportional rate reduction (RFC 9937).

use headgate_model::control::{Cause, Controller};

use crate::context::{Context, SenderContext};
use crate::profile::Profile;
use crate::recovery::AckSummary;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Segments were found lost. The reduction is `proven` if the ACK echoes a mark.
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
        let recovery = self.recovery.as_mut().expect("losses are on the board");
        (recovery.inflation, recovery.partial) = (f64::from(self.dupacks), false);
        if reduces {
            (recovery.delivered, recovery.sent, recovery.flight) = (0, 0, before);
        }
        if recovery.board.lost == 0 {
            self.lose_first(ctx);
        }
        let law_decides = self.controller.controls_cwnd_in_recovery();
        if proportional {
            self.reduce_proportionally(delivered, false);
        } else if !(law_decides && profile_sack) {
            self.window.cwnd = if law_decides { self.window.cwnd } else { self.window.ssthresh };
            self.resend(ctx);
        }
        let outstanding = self.next - self.una;
        let recovery = self.recovery.as_mut().expect("losses are on the board");
        recovery.unreported = outstanding.saturating_sub(self.dupacks);
        self.restart_timer(ctx);
    }

    /// Whether the window shrinks over a round trip (PRR), and not at once or as the law decides.
    pub(crate) fn reduces_proportionally(&self, profile: &Profile) -> bool {
        profile.sack && profile.prr && !self.controller.controls_cwnd_in_recovery()
    }

    pub(crate) fn in_sack_recovery(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let recovery = self.recovery.as_mut().expect("recovery has a board");
        recovery.unreported = recovery.unreported.saturating_sub(1 + u32::from(news.newly > 0));
        if self.una >= self.recover {
            self.judge(ctx);
            self.leave_recovery(news.echo, ctx);
            return false;
        }
        if news.newly > 0 && self.fills_late(news.echo, ctx) {
            self.note_late(news.newly);
            if self.board().resent > 0 {
                self.hold_resends(news, ctx);
                return false;
            }
            self.undo_reduction(true, ctx);
            self.reopen(ctx);
        } else if self.undo_by_duplicates(ctx) {
            self.reopen(ctx);
        }
        let lost = self.judge(ctx);
        if self.phase == Phase::Recovery {
            if self.reduces_proportionally(ctx.profile()) {
                self.reduce_proportionally(news.delivered, news.newly > 0 && !lost);
            }
            return false;
        }
        if self.board().lost > 0 {
            self.enter_recovery(news.delivered, news.marked, ctx);
            return false;
        }
        self.grow_in_disorder(news, ctx)
    }

    /// The hole was filled by a late segment. Others were sent again too: until more is known, only new segments are
    /// sent, and none counts as lost (as Linux, `tcp_try_undo_partial`).
    fn hold_resends(&mut self, news: AckSummary, ctx: &impl Context) {
        self.recovery.as_mut().expect("recovery has a board").sends_new = true;
        if self.reduces_proportionally(ctx.profile()) {
            self.reduce_proportionally(news.delivered, true);
        }
    }

    fn note_late(&mut self, newly: u32) {
        if let Some(sent) = &mut self.sent {
            sent.note_late(newly);
        }
    }

    /// Without SACK: it ends when all is acknowledged that was outstanding (RFC 6582 §3.2), or at the first
    /// new ACK (Reno, RFC 5681 §3.2).
    pub(crate) fn in_plain_recovery(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let partial = self.una < self.recover && ctx.profile().partial_acks;
        if news.newly == 0 {
            self.recovery.as_mut().expect("recovery has a board").inflation += 1.0;
        } else if partial && self.fills_late(news.echo, ctx) {
            self.restart_timer(ctx);
            self.undo_reduction(true, ctx);
            self.reopen(ctx);
        } else if partial {
            self.on_partial_ack(news.newly, ctx);
        } else {
            self.restart_timer(ctx);
            self.leave_recovery(news.echo, ctx);
        }
        false
    }

    /// Deflates the window by what was acknowledged, adds back one, resends the next hole (RFC 6582 §3.2
    /// step 3). Only the first restarts the timer ("impatient"): a window that lost much ends in a time-out
    /// rather than in a round trip for each loss.
    fn on_partial_ack(&mut self, newly: u32, ctx: &mut impl SenderContext) {
        let recovery = self.recovery.as_mut().expect("recovery has a board");
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
        if self.board().lost > 0 {
            self.enter_recovery(0, false, ctx); // losses above the recovery point are a new event
        }
    }

    /// The window is what is in the network, and what may join it.
    pub(crate) fn reduce_proportionally(&mut self, delivered: u32, safe: bool) {
        let recovery = self.recovery.as_mut().expect("recovery has a board");
        recovery.delivered += delivered;
        self.window.cwnd =
            f64::from(recovery.board.pipe()) + recovery.allowed(self.window.ssthresh, delivered, safe);
    }
}
