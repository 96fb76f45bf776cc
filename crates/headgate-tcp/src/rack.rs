//! Loss detection by time (RACK) and tail loss probes (TLP), RFC 8985.
//!
//! The reordering window starts at a quarter of the smallest RTT. It grows by the same amount in each round
//! trip in which the receiver reports a duplicate (D-SACK), up to the smoothed RTT. Before any reordering was
//! observed, the window is 0 once three segments are SACKed or recovery has begun.
//!
//! NOTE(RFC 8985 section 6.2): the reordering timer waits for the earliest overtaken segment, and then for the
//! next one. In the RFC it waits for the longest remaining time (step 5), so that losses are found later, in one
//! event.
//!
//! NOTE(RFC 8985 section 6.2): a reported duplicate (D-SACK) widens the reordering window only after reordering
//! was observed, as in Linux. In the RFC any D-SACK widens it (step 4).
//!
//! NOTE(RFC 8985 section 6.2): a recovery that was undone prolongs the time for which the window keeps its size by
//! one recovery, as in Linux. In the RFC each recovery shortens it (`reo_wnd_persist`, step 4).
//!
//! NOTE(RFC 8985 section 6.3): after a time-out, segments are lost that were sent more than an RTT ago, as in
//! Linux. The RFC adds the reordering window.
//!
//! NOTE(RFC 8985 section 6.2): the least RTT is that of the connection. The RFC recommends one of the recent past
//! (step 1), such as Linux's minimum over 300 s.

use headgate_model::control::{Cause, Controller};
use headgate_model::units::{SECOND, Span, picoseconds};

use crate::context::{Context, SenderContext};
use crate::scoreboard::DUP_THRESH;
use crate::send_order::LossVerdict;
use crate::sender::Sender;
use crate::state::Alarm;
use crate::state::Phase;

/// Worst-case delay of a lone segment's ACK (WCDelAckT, RFC 8985 section 7.2).
const WORST_DELAYED_ACK: Span = SECOND / 5;

/// Wait before a probe if there is no RTT sample (RFC 8985 section 7.2).
const UNKNOWN_RTT: Span = SECOND;

impl<C: Controller> Sender<C> {
    /// Marks segments that are lost by now. Returns true if there are new losses.
    pub(crate) fn detect_losses(&mut self, ctx: &mut impl SenderContext) -> bool {
        if !ctx.profile().rack_tlp {
            let (scoreboard, mut reporter) = self.scoreboard_and_reporter(ctx);
            return scoreboard.detect_losses(|seq| reporter.note(seq));
        }
        let reordering_window = self.reordering_window();
        let mut found = false;
        loop {
            let (Some(sent), Some(recovery)) = (&mut self.sent, &mut self.recovery) else { return found };
            let scoreboard = &mut recovery.scoreboard;
            match sent.next_loss(ctx.now(), reordering_window, |seq| scoreboard.is_settled(seq)) {
                LossVerdict::Lost(seq) => {
                    scoreboard.lose_again(seq);
                    self.scoreboard_and_reporter(ctx).1.note(seq);
                    found = true;
                }
                LossVerdict::Pending(due) => {
                    self.set_alarm(Alarm::Reorder, due, ctx);
                    return found;
                }
                LossVerdict::None => return found,
            }
        }
    }

    /// Returns the reordering window (RFC 8985 section 6.2 step 4).
    fn reordering_window(&mut self) -> Span {
        let recovers = matches!(self.phase, Phase::Recovery | Phase::Timeout)
            || self.scoreboard().sacked as usize >= DUP_THRESH;
        let Some(sent) = self.sent.as_ref().filter(|sent| !recovers || sent.is_reordered()) else { return 0 };
        let window = self.min_rtt() / 4 * Span::from(sent.reordering_quarters());
        window.min(picoseconds(self.rtt.path.srtt_s))
    }

    pub(crate) fn min_rtt(&self) -> Span {
        let min_rtt_s = self.rtt.path.min_rtt_s;
        if min_rtt_s.is_finite() { picoseconds(min_rtt_s) } else { 0 }
    }

    /// Handles the end of the reordering window of the oldest overtaken segment.
    pub(crate) fn on_reorder_alarm(&mut self, ctx: &mut impl SenderContext) {
        self.restart_timer(ctx);
        let finds_loss = self.recovery.is_some() && self.detect_losses(ctx);
        if finds_loss && matches!(self.phase, Phase::Open | Phase::Reducing) {
            self.enter_recovery(0, false, ctx);
        }
        self.send_allowed(ctx);
    }

    /// Takes an RTT sample from a duplicate ACK's SACK. If the SACKed segment was sent before the first
    /// outstanding segment (again), the latter is still behind it, and the timer restarts (Linux
    /// `tcp_clean_rtx_queue`). Returns the sample in seconds; 0 if there is none.
    pub(crate) fn sample_sacked(&mut self, ctx: &mut impl SenderContext) -> f64 {
        let Some(sent) = self.sent.as_ref().filter(|_| ctx.profile().rack_tlp) else { return 0.0 };
        let Some(rtt) = sent.rtt() else { return 0.0 };
        let behind = ctx.now() - rtt < sent.sent_at(self.una);
        let rtt_s = self.take_sample(rtt, ctx);
        if behind {
            self.restart_timer(ctx);
        }
        rtt_s
    }

    /// Restarts the timer after the first outstanding segment was sent again, unless the timer is set for
    /// reordering (Linux `tcp_xmit_retransmit_queue`).
    pub(crate) fn restart_timer_after_resend(&mut self, ctx: &mut impl SenderContext) {
        if ctx.profile().rack_tlp && self.alarm != Alarm::Reorder {
            self.restart_timer(ctx);
        }
    }

    /// Returns the wait before a probe, if one may be sent (RFC 8985 section 7.2, `TLP_calc_PTO`).
    #[inline]
    pub(crate) fn probe_timeout(&self, ctx: &impl Context) -> Option<Span> {
        let profile = ctx.profile();
        let may = profile.rack_tlp && profile.tail_probe && self.probe.is_none();
        if may { self.probe_wait() } else { None }
    }

    /// Returns the wait before a probe, unless segments are missing.
    fn probe_wait(&self) -> Option<Span> {
        let calm = match self.phase {
            Phase::Open => self.recovery.is_none(),
            Phase::Reducing => self.recovery.as_ref().is_none_or(|recovery| recovery.scoreboard.is_clean()),
            _ => false,
        };
        calm.then(|| match self.rtt.path.srtt_s {
            0.0 => UNKNOWN_RTT,
            srtt_s if self.next - self.una == 1 => picoseconds(2.0 * srtt_s) + WORST_DELAYED_ACK,
            srtt_s => picoseconds(2.0 * srtt_s),
        })
    }

    /// Postpones a probe to wait for the echoes of the newest segments, but not beyond the time-out of the
    /// first outstanding segment (RFC 8985 section 7.2, Linux `tcp_schedule_loss_probe`).
    pub(crate) fn postpone_probe(&mut self, ctx: &mut impl SenderContext) {
        if self.alarm != Alarm::Probe {
            return;
        }
        let (Some(sent), Some(wait)) = (&self.sent, self.probe_timeout(ctx)) else { return };
        let expiry = sent.sent_at(self.una) + self.rtt.rto(self.backoff, ctx.profile());
        let due = ctx.now() + wait;
        self.set_deadline(if expiry > ctx.now() { due.min(expiry) } else { due }, ctx);
    }

    /// Sends a probe after two round trips without an ACK: a new segment if there is one, else the last one
    /// again.
    pub(crate) fn on_probe_alarm(&mut self, ctx: &mut impl SenderContext) {
        let new = self.send_new(ctx);
        if !new {
            self.expect_duplicate(ctx.profile());
            self.transmit(self.next - 1, true, ctx);
        }
        self.probe = Some((self.next, !new));
        self.restart_timer(ctx);
    }

    /// Forgets the probe, because a reduction already answers the loss that it may have repaired (Linux
    /// `tcp_init_cwnd_reduction`).
    pub(crate) fn forget_probe(&mut self) {
        self.probe = None;
    }

    /// Resolves the tail loss probe by an ACK (RFC 8985 section 7.4.2). A loss that the probe repaired
    /// unnoticed is congestion too.
    pub(crate) fn resolve_tail_loss_probe(&mut self, newly: u32, ctx: &impl Context) {
        let Some((end, repeated)) = self.probe.filter(|p| self.una >= p.0) else { return };
        let repaired = repeated && newly > 0 && self.una > end;
        if repaired || !repeated || newly == 0 {
            self.probe = None;
        }
        if repaired {
            let flight = self.flight_for_controller(ctx);
            self.tell_controller(Cause::Loss, flight, ctx);
            self.settle_window(ctx.now());
        }
    }
}
