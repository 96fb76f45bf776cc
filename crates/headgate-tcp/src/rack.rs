//! Loss detection by time (RACK) and tail loss probes (TLP), RFC 8985.
//!
//! The reordering window begins at a quarter of the least RTT, and grows by as much in each round trip in which the
//! receiver reports a duplicate (D-SACK), up to the smoothed RTT. Until a segment was seen to overtake another, it is 0
//! once three segments are SACKed or recovery has begun.

use headgate_model::control::{Cause, Controller};
use headgate_model::units::{SECOND, Span, picoseconds};

use crate::context::{Context, SenderContext};
use crate::scoreboard::DUP_THRESH;
use crate::send_order::Overtaken;
use crate::sender::Sender;
use crate::state::Alarm;
use crate::state::Phase;

/// A lone segment's ACK may be delayed by this (WCDelAckT, RFC 8985 §7.2).
const WORST_DELAYED_ACK: Span = SECOND / 5;

/// A probe waits so long where there was no sample (RFC 8985 §7.2).
const UNKNOWN_RTT: Span = SECOND;

impl<C: Controller> Sender<C> {
    /// Marks what is lost by now; true if there is anything new.
    pub(crate) fn judge(&mut self, ctx: &mut impl SenderContext) -> bool {
        if !ctx.profile().rack_tlp {
            let (board, mut losses) = self.board_and_losses(ctx);
            return board.judge(|seq| losses.note(seq));
        }
        let patience = self.patience();
        let mut news = false;
        loop {
            let (Some(sent), Some(recovery)) = (&mut self.sent, &mut self.recovery) else { return news };
            let board = &mut recovery.board;
            match sent.overtaken(ctx.now(), patience, |seq| board.is_settled(seq)) {
                Overtaken::Lost(seq) => {
                    board.lose_again(seq);
                    self.board_and_losses(ctx).1.note(seq);
                    news = true;
                }
                Overtaken::Maybe(due) => {
                    self.set_alarm(Alarm::Reorder, due, ctx);
                    return news;
                }
                Overtaken::None => return news,
            }
        }
    }

    /// The reordering window (RFC 8985 §6.2 step 4).
    fn patience(&mut self) -> Span {
        let recovers = matches!(self.phase, Phase::Recovery | Phase::Timeout)
            || self.board().sacked as usize >= DUP_THRESH;
        let Some(sent) = self.sent.as_ref().filter(|sent| !recovers || sent.is_reordered()) else { return 0 };
        let window = self.min_rtt() / 4 * Span::from(sent.reordering_quarters());
        window.min(picoseconds(self.rtt.path.srtt_s))
    }

    pub(crate) fn min_rtt(&self) -> Span {
        let min_rtt_s = self.rtt.path.min_rtt_s;
        if min_rtt_s.is_finite() { picoseconds(min_rtt_s) } else { 0 }
    }

    /// The reordering window of the oldest overtaken segment is over.
    pub(crate) fn on_reorder_alarm(&mut self, ctx: &mut impl SenderContext) {
        self.restart_timer(ctx);
        let finds_loss = self.recovery.is_some() && self.judge(ctx);
        if finds_loss && matches!(self.phase, Phase::Open | Phase::Reducing) {
            self.enter_recovery(0, false, ctx);
        }
        self.pump(ctx);
    }

    /// A duplicate is a sample of what it SACKs. While that was sent before the first outstanding segment was
    /// (again), that one still waits behind it, and the timer starts anew (as Linux, `tcp_clean_rtx_queue`).
    /// Returns the sample in seconds, 0 if there is none.
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

    /// The first outstanding segment was sent again: from now on it is timed, unless the timer has something
    /// else to do first (as Linux, `tcp_xmit_retransmit_queue`).
    pub(crate) fn time_anew(&mut self, ctx: &mut impl SenderContext) {
        if ctx.profile().rack_tlp && self.alarm != Alarm::Reorder {
            self.restart_timer(ctx);
        }
    }

    /// How long to wait before a probe, if one may be sent (RFC 8985 §7.2, `TLP_calc_PTO`).
    pub(crate) fn probe_timeout(&self, ctx: &impl Context) -> Option<Span> {
        let profile = ctx.profile();
        let may = profile.rack_tlp && profile.tail_probe && self.probe.is_none();
        let calm = match self.phase {
            Phase::Open => self.recovery.is_none(),
            Phase::Reducing => self.recovery.as_ref().is_none_or(|recovery| recovery.board.is_clean()),
            _ => false,
        };
        (may && calm).then(|| match self.rtt.path.srtt_s {
            0.0 => UNKNOWN_RTT,
            srtt_s if self.next - self.una == 1 => picoseconds(2.0 * srtt_s) + WORST_DELAYED_ACK,
            srtt_s => picoseconds(2.0 * srtt_s),
        })
    }

    /// A probe waits for the echoes of what was sent last; but it goes no later than the first outstanding
    /// segment times out, if that is to come (RFC 8985 §7.2, and as Linux, `tcp_schedule_loss_probe`).
    pub(crate) fn postpone_probe(&mut self, ctx: &mut impl SenderContext) {
        if self.alarm != Alarm::Probe {
            return;
        }
        let (Some(sent), Some(wait)) = (&self.sent, self.probe_timeout(ctx)) else { return };
        let expiry = sent.sent_at(self.una) + self.rtt.rto(self.backoff, ctx.profile());
        let due = ctx.now() + wait;
        self.set_deadline(if expiry > ctx.now() { due.min(expiry) } else { due }, ctx);
    }

    /// No ACK for two round trips: one more segment, new if there is one, to provoke an echo.
    pub(crate) fn on_probe_alarm(&mut self, ctx: &mut impl SenderContext) {
        let new = self.send_new(ctx);
        if !new {
            self.expect_duplicate(ctx.profile());
            self.transmit(self.next - 1, true, ctx);
        }
        self.probe = Some((self.next, !new));
        self.restart_timer(ctx);
    }

    /// A reduction answers the loss that a probe may have repaired: the probe's ACK makes no second one
    /// (as Linux, `tcp_init_cwnd_reduction`).
    pub(crate) fn forget_probe(&mut self) {
        self.probe = None;
    }

    /// What an ACK says about the probe (RFC 8985 §7.4.2): a repaired loss that went unseen is
    /// congestion all the same.
    pub(crate) fn settle_probe(&mut self, newly: u32, ctx: &impl Context) {
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
