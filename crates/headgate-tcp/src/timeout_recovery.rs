//! Recovery after a time-out: which segments count as lost, and whether the time-out was needless.

use headgate_model::control::Controller;

use crate::context::{Context, SenderContext};
use crate::recovery::AckSummary;
use crate::scoreboard::Scoreboard;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    pub(crate) fn after_timeout(
        &mut self,
        news: AckSummary,
        sack: bool,
        ctx: &mut impl SenderContext,
    ) -> bool {
        let recovered = self.una >= self.recover;
        if self.is_spurious_timeout(news, ctx) || (recovered && self.may_undo(news.echo, ctx)) {
            self.undo_reduction(!recovered, ctx);
            self.reopen(ctx);
        }
        if self.judge(ctx) && self.phase == Phase::Open {
            self.enter_recovery(news.delivered, news.marked, ctx);
            return false;
        }
        if news.newly == 0 {
            return false;
        }
        if recovered {
            self.phase = Phase::Open;
        }
        // A jump over segments that had arrived before the time-out opens no window (RFC 3465 §2.3).
        let counted = if sack { news.delivered.max(1) } else { 1 };
        self.grow(counted, news.flight, news.rtt_s, news.marked, ctx);
        true
    }

    /// Whether an ACK after a time-out shows that nothing was lost: by its time stamp or the duplicates that it
    /// reports (`tcp_try_undo_loss`), or by F-RTO.
    fn is_spurious_timeout(&mut self, news: AckSummary, ctx: &impl Context) -> bool {
        (news.newly > 0 && self.may_undo(news.echo, ctx))
            || self.test_timeout(news.original, news.duplicate, news.newly, ctx.profile())
    }

    /// Everything outstanding counts as lost (RFC 6675 §5.1); with RACK, but for the first segment, only what was sent
    /// more than a round trip ago (as Linux, `tcp_timeout_mark_lost`).
    pub(crate) fn lose_all(&mut self, ctx: &mut impl SenderContext) {
        self.phase = Phase::Timeout;
        self.recover = self.next;
        let (now, rack) = (ctx.now(), ctx.profile().rack_tlp);
        let (una, next, forgets) = (self.una, self.next, ctx.profile().forgets_sacks);
        let recovery = self.recovery_or_new();
        if forgets {
            recovery.board = Scoreboard::new(una);
            recovery.board.extend(next);
        }
        (recovery.inflation, recovery.sends_new) = (0.0, false);
        let recent: Vec<u32> = match &self.sent {
            Some(sent) if rack => (self.una..self.next).filter(|&seq| sent.is_recent(seq, now)).collect(),
            _ => Vec::new(),
        };
        let (board, mut losses) = self.board_and_losses(ctx);
        board.lose_all(|seq| recent.binary_search(&seq).is_ok(), |seq| losses.note(seq));
    }
}
