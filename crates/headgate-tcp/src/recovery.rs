//! What a sender does when segments are missing: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 6675),
//! proportional rate reduction (RFC 9937), limited transmit (RFC 3042).

use headgate_model::control::{Cause, Congestion, Controller, Path, Window};
use headgate_model::units::{Time, seconds};

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::rtt::Echoed;
use crate::scoreboard::{DUP_THRESH, Scoreboard};
use crate::sender::Sender;
use crate::sent_packets::SentPackets;
use crate::state::Phase;
use crate::undo::split_duplicate;

/// Tells the journal, if there is one, what arrived.
struct Arrivals<'a> {
    sent: Option<&'a mut SentPackets>,
    now: Time,
    /// Segments of a time-out are below this.
    recover: u32,
    /// One arrived that was sent once, and before the last time-out.
    original: bool,
}

impl Arrivals<'_> {
    fn note(&mut self, seq: u32, again: bool, echoed: Option<Echoed>) {
        self.original |= !again && seq < self.recover;
        if let Some(sent) = &mut self.sent {
            sent.deliver(seq, self.now, echoed);
        }
    }
}

/// Tells the law, if it follows every segment, what was lost.
pub(crate) struct Losses<'a, C, X> {
    sent: Option<&'a mut SentPackets>,
    controller: &'a mut C,
    path: &'a Path,
    window: &'a mut Window,
    ctx: &'a mut X,
}

impl<C: Controller, X: SenderContext> Losses<'_, C, X> {
    pub(crate) fn note(&mut self, seq: u32) {
        self.ctx.observe(Event::Lost { seq });
        let sent = self.sent.as_mut().and_then(|sent| sent.lose(seq));
        if let Some(sent) = sent {
            self.controller.on_segment_lost(&sent, self.path, self.window);
        }
    }
}

/// What one ACK in trouble brought.
#[derive(Clone, Copy)]
struct AckSummary {
    /// Segments the cumulative ACK moved over.
    newly: u32,
    /// Segments that arrived, as far as one can tell: newly acknowledged or SACKed.
    delivered: u32,
    flight: u32,
    rtt_s: f64,
    /// The time stamp that it echoes.
    echo: u32,
    /// It echoes a congestion mark.
    marked: bool,
    /// It brought a segment that was sent once, and before the last time-out.
    original: bool,
    /// It SACKs something new, or is a duplicate ACK that reports no duplicate segment.
    duplicate: bool,
}

impl<C: Controller> Sender<C> {
    /// Duplicates, SACKs, and everything until nothing is missing any more.
    pub(crate) fn on_other_ack(&mut self, ack: &AckSegment, ctx: &mut impl SenderContext) {
        let (reported, ack) = split_duplicate(ack);
        let duplicates = match reported {
            Some(range) if self.note_duplicate(range, ctx) => range.1 - range.0,
            _ => 0,
        };
        let is_old = ack.next < self.una || (ack.next == self.una && self.una == self.next);
        let is_bare = self.recovery.is_none() && ack.blocks.is_none() && reported.is_some();
        if is_old || is_bare {
            if self.phase != Phase::Timeout && self.undo_by_duplicates(ctx) {
                self.reopen(ctx);
            }
            if !is_old && ack.next > self.una {
                self.on_progress(&ack, ctx);
            } else if !is_old {
                self.settle_probe(0, ctx);
            }
            return;
        }
        self.on_ack_in_recovery(&ack, reported.is_some(), duplicates, ctx);
    }

    /// An ACK while segments are missing, or that says so. It `reports` a duplicate segment, of which `duplicates`
    /// count as deliveries.
    fn on_ack_in_recovery(
        &mut self,
        ack: &AckSegment,
        reports: bool,
        duplicates: u32,
        ctx: &mut impl SenderContext,
    ) {
        let cum = ack.next;
        let (flight, newly) = (self.next - self.una, cum - self.una);
        let Profile { sack, forgets_sacks, .. } = *ctx.profile();
        let sack = sack && !(forgets_sacks && self.phase == Phase::Timeout);
        let (echoed, recover) = (Echoed::of(ack, ctx), self.recover);
        let recovery = self.recovery_or_new();
        recovery.sends_new = false;
        let recovery = self.recovery.as_mut().expect("made above");
        let blocks = ack.blocks.filter(|_| sack).unwrap_or_default();
        let mut arrived =
            Arrivals { sent: self.sent.as_deref_mut(), now: ctx.now(), recover, original: false };
        let acked = recovery.board.advance(cum, |seq, again| arrived.note(seq, again, echoed));
        let sacked = recovery.board.sack(blocks, |seq, again| arrived.note(seq, again, None));
        let original = arrived.original;
        self.una = cum;
        if let Some(sent) = &mut self.sent {
            sent.advance(cum);
        }
        let rtt_s = self.count_ack(newly, reports, ack.stamp, ctx);
        self.settle_probe(newly, ctx);
        let news = AckSummary {
            newly,
            delivered: acked + sacked + duplicates,
            flight,
            rtt_s,
            echo: ack.stamp,
            marked: ack.echoes_mark(),
            original,
            duplicate: sacked > 0 || (newly == 0 && !reports),
        };
        if newly > 0 && (sack || self.phase != Phase::Recovery) {
            self.restart_timer(ctx);
        }
        let told = match self.phase {
            Phase::Open => self.in_disorder(news, ctx),
            Phase::Reducing => self.in_reduction(news, ctx),
            Phase::Recovery if sack => self.in_sack_recovery(news, ctx),
            Phase::Recovery => self.in_plain_recovery(news, ctx),
            _ => self.after_timeout(news, sack, ctx),
        };
        if !told {
            self.watch(news, ctx);
        }
        if news.marked {
            self.on_mark(news.delivered, ctx);
        }
        self.end_loss_recovery(ctx);
    }

    /// Counts a duplicate, unless it `reports` a duplicate segment, or takes the RTT sample of an ACK that moves on.
    fn count_ack(&mut self, newly: u32, reports: bool, echo: u32, ctx: &mut impl SenderContext) -> f64 {
        if newly == 0 {
            self.dupacks += u32::from(!reports);
            ctx.observe(Event::DuplicateAck);
            return self.sample_sacked(ctx);
        }
        self.dupacks = 0;
        self.retried = false;
        self.sample_rtt(self.una, echo, ctx)
    }

    /// Open, but segments are missing or were until now. True if the law has seen the ACK.
    fn in_disorder(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let Profile { sack, rack_tlp, .. } = *ctx.profile();
        // Without SACK, duplicates up to the last recovery point may echo what was sent twice.
        let fresh = sack || self.recover == 0 || self.una > self.recover;
        let counts = !rack_tlp && fresh;
        self.undo_by_duplicates(ctx);
        if self.judge(ctx) || (counts && self.dupacks as usize >= DUP_THRESH) {
            self.enter_recovery(news.delivered, news.marked, ctx);
            return false;
        }
        self.grow_in_disorder(news, ctx)
    }

    /// Lets the law see what arrived, and tells whether it has. A window grows by what ACKs newly cover; with RACK by
    /// what they deliver, and once segments are known to overtake others by more than three, whatever moves on
    /// (as Linux, `tcp_may_raise_cwnd`).
    fn grow_in_disorder(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let rack = ctx.profile().rack_tlp;
        let degree = self.sent.as_ref().map_or(0, |sent| sent.reordering_degree());
        let counted = if rack { news.delivered } else { news.newly };
        let grows = news.newly > 0 || (rack && degree as usize > DUP_THRESH && counted > 0);
        if grows {
            self.grow(counted, news.flight, news.rtt_s, news.marked, ctx);
        }
        grows
    }

    /// The window shrinks for a mark, until all is acknowledged that was outstanding then, and more. A loss begins
    /// fast recovery, without another reduction (as Linux).
    fn in_reduction(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
        if self.una > self.recover {
            self.phase = Phase::Open;
            self.settle_window(ctx.now());
            return self.in_disorder(news, ctx);
        }
        if self.judge(ctx) {
            self.enter_recovery(news.delivered, true, ctx);
        } else {
            self.reduce_proportionally(news.delivered, news.newly > 0);
        }
        false
    }

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

    fn in_sack_recovery(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
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

    /// The state of recovery, which begins if there is none.
    pub(crate) fn recovery_or_new(&mut self) -> &mut LossRecovery {
        if self.recovery.is_none() {
            self.recovery = Some(self.new_recovery());
        }
        self.recovery.as_mut().expect("made above")
    }

    /// The reduction was undone: the connection is open again, and the round trip goes on that was begun before.
    fn reopen(&mut self, ctx: &impl Context) {
        if self.phase == Phase::Recovery || self.phase == Phase::Timeout {
            self.phase = Phase::Open;
            self.controller.on_recovered(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        }
    }

    /// Without SACK: it ends when all is acknowledged that was outstanding (RFC 6582 §3.2), or at the first
    /// new ACK (Reno, RFC 5681 §3.2).
    fn in_plain_recovery(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
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

    fn after_timeout(&mut self, news: AckSummary, sack: bool, ctx: &mut impl SenderContext) -> bool {
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

    fn lose_first(&mut self, ctx: &mut impl SenderContext) {
        let (board, mut losses) = self.board_and_losses(ctx);
        board.lose_first(|seq| losses.note(seq));
    }

    pub(crate) fn board_and_losses<'a, X: SenderContext>(
        &'a mut self,
        ctx: &'a mut X,
    ) -> (&'a mut Scoreboard, Losses<'a, C, X>) {
        let recovery = self.recovery.as_mut().expect("trouble has a board");
        let (sent, window) = (self.sent.as_deref_mut(), &mut self.window);
        (
            &mut recovery.board,
            Losses { sent, controller: &mut self.controller, path: &self.rtt.path, window, ctx },
        )
    }

    pub(crate) fn tell_controller(&mut self, cause: Cause, in_flight: u32, ctx: &impl Context) {
        let event = Congestion { cause, now_s: seconds(ctx.now()), in_flight };
        let before = self.window.cwnd;
        self.controller.on_congestion(&event, &self.rtt.path, &mut self.window);
        self.grown = 0.0;
        if ctx.profile().whole_windows {
            self.window.ssthresh = self.window.ssthresh.floor();
        }
        if cause != Cause::Timeout {
            let goal = if self.controller.controls_cwnd_in_recovery() {
                self.window.cwnd
            } else {
                self.window.ssthresh
            };
            self.note_fall(before, goal);
        }
    }

    /// Congestion is over: the window is what the law made of it.
    pub(crate) fn settle_window(&mut self, now: Time) {
        if !self.controller.controls_cwnd_in_recovery() {
            self.window.cwnd = self.window.ssthresh;
        }
        self.controller.on_recovered(seconds(now), &self.rtt.path, &mut self.window);
    }

    /// Lets the law see an ACK that opens no window.
    fn watch(&mut self, news: AckSummary, ctx: &impl Context) {
        let delivered = f64::from(news.delivered);
        let mut ack = self.describe(delivered, news.flight, news.rtt_s, ctx);
        ack.marked = if news.marked { delivered } else { 0.0 };
        self.controller.on_recovery_ack(&ack, &self.rtt.path, &mut self.window);
    }

    pub(crate) fn board(&mut self) -> &mut Scoreboard {
        &mut self.recovery.as_mut().expect("trouble has a board").board
    }

    /// Drops the board once nothing is missing.
    fn end_loss_recovery(&mut self, ctx: &mut impl SenderContext) {
        let Some(recovery) = &self.recovery else { return };
        if self.phase == Phase::Open && recovery.board.is_clean() && self.dupacks == 0 {
            self.recovery = None;
            self.end_episode();
            self.restart_timer(ctx); // a probe may be due from now on
        }
    }

    pub(crate) fn flight_in_recovery(&self, recovery: &LossRecovery, profile: &Profile) -> u32 {
        match self.phase {
            Phase::Recovery if profile.pipe_by_acks => recovery.unreported,
            Phase::Timeout => recovery.board.pipe(),
            _ if profile.sack => recovery.board.pipe(),
            _ => self.next - self.una,
        }
    }

    pub(crate) fn allowance_in_recovery(&self, recovery: &LossRecovery, profile: &Profile) -> u32 {
        let window = self.window.cwnd;
        match self.phase {
            // Each SACK lowers the pipe by one: that is limited transmit, where it is allowed.
            Phase::Open if profile.sack && profile.limited_transmit => window as u32,
            Phase::Open if profile.sack => (window as u32).saturating_sub(recovery.board.sacked),
            Phase::Open if profile.limited_transmit => (window as u32).saturating_add(self.dupacks.min(2)),
            Phase::Recovery if !profile.sack => (window + recovery.inflation) as u32,
            _ => window as u32,
        }
    }

    /// Sends the next lost segment again, if there is one.
    pub(crate) fn resend(&mut self, ctx: &mut impl SenderContext) -> bool {
        let seq = self.board().resend();
        self.send_again(seq, ctx)
    }

    /// With nothing else to send, a hole that is not yet judged lost (RFC 6675 §4, NextSeg rule 3).
    pub(crate) fn resend_early(&mut self, ctx: &mut impl SenderContext) -> bool {
        if self.phase != Phase::Recovery || !ctx.profile().sack {
            return false;
        }
        let seq = self.board().resend_early();
        self.send_again(seq, ctx)
    }

    fn send_again(&mut self, seq: Option<u32>, ctx: &mut impl SenderContext) -> bool {
        let (Some(seq), Some(recovery)) = (seq, &mut self.recovery) else { return false };
        recovery.sent += 1;
        recovery.unreported += 1;
        self.note_resent(ctx);
        self.transmit(seq, true, ctx);
        if seq == self.una {
            self.time_anew(ctx);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_below_its_target_grows_only_on_safe_acks() {
        // of 100 segments 50 are lost and 10 arrived: 40 are in the network, where 90 may be
        let mut recovery = LossRecovery::new(0, 100);
        (0..50).for_each(|seq| recovery.board.lose_again(seq));
        recovery.board.sack([(50, 60), (0, 0), (0, 0)], |_, _| ());
        (recovery.flight, recovery.delivered, recovery.sent) = (100, 10, 10);
        assert_eq!((recovery.board.pipe(), recovery.allowed(90.0, 2, false)), (40, 2.0));
        assert_eq!(recovery.allowed(90.0, 2, true), 3.0);
        // above the target: 12 delivered let ceil(12 * 0.3) = 4 leave in all
        (recovery.delivered, recovery.sent) = (12, 3);
        assert_eq!((recovery.allowed(30.0, 2, false), recovery.allowed(30.0, 2, true)), (1.0, 1.0));
    }
}
