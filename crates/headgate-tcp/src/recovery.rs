//! ACKs that report missing segments: each is taken into the scoreboard, then handled by the phase that the
//! sender is in.

use headgate_model::control::{Cause, Congestion, Controller};
use headgate_model::units::{Time, seconds};

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::reports::DeliveryRecorder;
use crate::rtt::Echoed;
use crate::scoreboard::{DUP_THRESH, Scoreboard};
use crate::sender::Sender;
use crate::state::Phase;
use crate::undo::split_duplicate;

/// What one ACK in trouble brought.
#[derive(Clone, Copy)]
pub(crate) struct AckSummary {
    /// Segments the cumulative ACK moved over.
    pub(crate) newly: u32,
    /// Segments that arrived, as far as one can tell: newly acknowledged or SACKed.
    pub(crate) delivered: u32,
    pub(crate) flight: u32,
    pub(crate) rtt_s: f64,
    /// The time stamp that it echoes.
    pub(crate) echo: u32,
    /// It echoes a congestion mark.
    pub(crate) marked: bool,
    /// It brought a segment that was sent once, and before the last time-out.
    pub(crate) original: bool,
    /// It SACKs something new, or is a duplicate ACK that reports no duplicate segment.
    pub(crate) duplicate: bool,
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
            DeliveryRecorder { sent: self.sent.as_deref_mut(), now: ctx.now(), recover, original: false };
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
    pub(crate) fn grow_in_disorder(&mut self, news: AckSummary, ctx: &mut impl SenderContext) -> bool {
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

    /// The state of recovery, which begins if there is none.
    pub(crate) fn recovery_or_new(&mut self) -> &mut LossRecovery {
        if self.recovery.is_none() {
            self.recovery = Some(self.new_recovery());
        }
        self.recovery.as_mut().expect("made above")
    }

    /// The reduction was undone: the connection is open again, and the round trip goes on that was begun before.
    pub(crate) fn reopen(&mut self, ctx: &impl Context) {
        if self.phase == Phase::Recovery || self.phase == Phase::Timeout {
            self.phase = Phase::Open;
            self.controller.on_recovered(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        }
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
}
