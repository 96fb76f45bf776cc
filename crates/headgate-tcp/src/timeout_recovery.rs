//! Recovery after a time-out: the segments that count as lost, and the detection of spurious time-outs.

use headgate_model::control::Controller;

use crate::context::{Context, SenderContext};
use crate::recovery::AckSummary;
use crate::scoreboard::Scoreboard;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    pub(crate) fn after_timeout(
        &mut self,
        summary: AckSummary,
        sack: bool,
        ctx: &mut impl SenderContext,
    ) -> bool {
        let recovered = self.una >= self.recover;
        if self.is_spurious_timeout(summary, ctx) || (recovered && self.may_undo(summary.echo, ctx)) {
            self.undo_reduction(!recovered, ctx);
            self.reopen(ctx);
        }
        if self.detect_losses(ctx) && self.phase == Phase::Open {
            self.enter_recovery(summary.delivered, summary.marked.is_some(), ctx);
            return false;
        }
        if summary.newly == 0 {
            return false;
        }
        if recovered {
            self.phase = Phase::Open;
        }
        // An ACK that jumps over segments which arrived before the time-out does not increase the window (RFC
        // 3465 section 2.3).
        let counted = if sack { summary.delivered.max(1) } else { 1 };
        self.on_new_ack(counted, summary.flight, summary.rtt_s, summary.marked, ctx);
        true
    }

    /// Whether an ACK after a time-out proves that nothing was lost: by its time stamp, by the duplicates
    /// that it reports (`tcp_try_undo_loss`), or by F-RTO.
    fn is_spurious_timeout(&mut self, summary: AckSummary, ctx: &impl Context) -> bool {
        (summary.newly > 0 && self.may_undo(summary.echo, ctx))
            || self.test_timeout(summary.original, summary.duplicate, summary.newly, ctx.profile())
    }

    /// Marks everything outstanding lost (RFC 6675 section 5.1).
    ///
    /// NOTE(RFC 6675 section 5.1): with RACK, only the first segment and those sent more than a round trip
    /// ago are marked, as in Linux (`tcp_timeout_mark_lost`).
    pub(crate) fn lose_all(&mut self, ctx: &mut impl SenderContext) {
        self.phase = Phase::Timeout;
        self.recover = self.next;
        let (now, rack) = (ctx.now(), ctx.profile().rack_tlp);
        let (una, next, forgets) = (self.una, self.next, ctx.profile().forgets_sacks);
        let recovery = self.recovery_or_new();
        if forgets {
            recovery.scoreboard = Scoreboard::new(una);
            recovery.scoreboard.extend(next);
        }
        (recovery.inflation, recovery.sends_new) = (0.0, false);
        let recent: Vec<u32> = match &self.sent {
            Some(sent) if rack => (self.una..self.next).filter(|&seq| sent.is_recent(seq, now)).collect(),
            _ => Vec::new(),
        };
        let (scoreboard, mut reporter) = self.scoreboard_and_reporter(ctx);
        scoreboard.lose_all(|seq| recent.binary_search(&seq).is_ok(), |seq| reporter.note(seq));
    }
}
