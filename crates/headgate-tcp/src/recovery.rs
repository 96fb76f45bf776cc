//! ACKs that report missing segments. Each one updates the scoreboard and is then handled by the sender's
//! phase.

use headgate_model::control::{Cause, Congestion, Controller};
use headgate_model::units::{Time, seconds};

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::feedback::MarkedShare;
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::reports::DeliveryRecorder;
use crate::rtt::EchoedStamp;
use crate::scoreboard::{DUP_THRESH, Scoreboard};
use crate::sender::Sender;
use crate::state::Phase;
use crate::undo::split_duplicate;

/// The content of one ACK during loss recovery.
#[derive(Clone, Copy)]
pub(crate) struct AckSummary {
    /// Segments that the cumulative ACK newly covers.
    pub(crate) newly: u32,
    /// Segments that are known to have arrived: newly acknowledged or SACKed.
    pub(crate) delivered: u32,
    pub(crate) flight: u32,
    pub(crate) rtt_s: f64,
    /// The echoed time stamp.
    pub(crate) echo: u32,
    /// The marked part of the delivered segments, if the ACK reports marks.
    pub(crate) marked: Option<MarkedShare>,
    /// Whether the ACK covers a segment that was sent once, and before the last time-out.
    pub(crate) original: bool,
    /// Whether the ACK SACKs a new segment, or is a duplicate ACK that reports no duplicate segment.
    pub(crate) duplicate: bool,
}

impl<C: Controller> Sender<C> {
    /// Handles duplicates, SACKs, and all ACKs until no segment is missing.
    pub(crate) fn on_irregular_ack(&mut self, ack: &AckSegment, ctx: &mut impl SenderContext) {
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
                self.resolve_tail_loss_probe(0, ctx);
            }
            return;
        }
        self.on_ack_in_recovery(&ack, reported.is_some(), duplicates, ctx);
    }

    /// Handles an ACK while segments are missing, or one that reports a missing segment. `reports` is true if
    /// it reports a duplicate segment; `duplicates` of those count as deliveries.
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
        let (echoed, recover) = (EchoedStamp::of(ack, ctx), self.recover);
        let recovery = self.recovery_or_new();
        recovery.sends_new = false;
        let recovery = self.recovery.as_mut().expect("made above");
        let blocks = ack.blocks.filter(|_| sack).unwrap_or_default();
        let mut arrived =
            DeliveryRecorder { sent: self.sent.as_deref_mut(), now: ctx.now(), recover, original: false };
        let acked = recovery.scoreboard.advance(cum, |seq, again| arrived.note(seq, again, echoed));
        let sacked = recovery.scoreboard.sack(blocks, |seq, again| arrived.note(seq, again, None));
        let original = arrived.original;
        self.una = cum;
        if let Some(sent) = &mut self.sent {
            sent.advance(cum);
        }
        let rtt_s = self.count_ack(newly, reports, ack.stamp, ctx);
        self.resolve_tail_loss_probe(newly, ctx);
        let summary = AckSummary {
            newly,
            delivered: acked + sacked + duplicates,
            flight,
            rtt_s,
            echo: ack.stamp,
            marked: self.marked_share(ack, acked + sacked, duplicates, ctx),
            original,
            duplicate: sacked > 0 || (newly == 0 && !reports),
        };
        if newly > 0 && (sack || self.phase != Phase::Recovery) {
            self.restart_timer(ctx);
        }
        let is_reported = match self.phase {
            Phase::Open => self.in_disorder(summary, ctx),
            Phase::Reducing => self.in_reduction(summary, ctx),
            Phase::Recovery if sack => self.in_sack_recovery(summary, ctx),
            Phase::Recovery => self.in_plain_recovery(summary, ctx),
            _ => self.after_timeout(summary, sack, ctx),
        };
        if !is_reported {
            self.on_other_ack(summary, ctx);
        }
        if summary.marked.is_some() {
            self.on_mark(summary.delivered, ctx);
        }
        self.end_loss_recovery(ctx);
    }

    /// Counts a duplicate ACK unless it `reports` a duplicate segment, or takes the RTT sample of an ACK that
    /// covers new data. Returns the sample in seconds; 0 if there is none.
    fn count_ack(&mut self, newly: u32, reports: bool, echo: u32, ctx: &mut impl SenderContext) -> f64 {
        if newly == 0 {
            self.dupacks += u32::from(!reports);
            ctx.observe(Event::DuplicateAck);
            return self.sample_sacked(ctx);
        }
        self.dupacks = 0;
        self.has_timed_out = false;
        self.sample_rtt(self.una, echo, ctx)
    }

    /// Handles an ACK in the open phase while segments are missing or were until now. Returns true if the
    /// controller has seen the ACK.
    fn in_disorder(&mut self, summary: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let Profile { sack, rack_tlp, .. } = *ctx.profile();
        // Without SACK, duplicate ACKs up to the last recovery point may come from segments that were sent
        // twice.
        let fresh = sack || self.recover == 0 || self.una > self.recover;
        let counts = !rack_tlp && fresh;
        self.undo_by_duplicates(ctx);
        if self.detect_losses(ctx) || (counts && self.dupacks as usize >= DUP_THRESH) {
            self.enter_recovery(summary.delivered, summary.marked.is_some(), ctx);
            return false;
        }
        self.grow_in_disorder(summary, ctx)
    }

    /// Reports the delivered segments to the controller, and returns whether it did. A window grows by newly
    /// acknowledged segments.
    ///
    /// NOTE(RFC 5681 section 3.2): with RACK, a window also grows on duplicate ACKs that deliver segments, if
    /// reordering by more than three segments was observed, as in Linux (`tcp_may_raise_cwnd`).
    pub(crate) fn grow_in_disorder(&mut self, summary: AckSummary, ctx: &mut impl SenderContext) -> bool {
        let rack = ctx.profile().rack_tlp;
        let degree = self.sent.as_ref().map_or(0, |sent| sent.reordering_degree());
        let counted = if rack { summary.delivered } else { summary.newly };
        let grows = summary.newly > 0 || (rack && degree as usize > DUP_THRESH && counted > 0);
        if grows {
            self.on_new_ack(counted, summary.flight, summary.rtt_s, summary.marked, ctx);
        }
        grows
    }

    /// Handles an ACK while the window shrinks for a mark, until more than the data that was outstanding is
    /// acknowledged. A loss starts fast recovery without another reduction, as in Linux.
    fn in_reduction(&mut self, summary: AckSummary, ctx: &mut impl SenderContext) -> bool {
        if self.una > self.recover {
            self.phase = Phase::Open;
            self.settle_window(ctx.now());
            return self.in_disorder(summary, ctx);
        }
        if self.detect_losses(ctx) {
            self.enter_recovery(summary.delivered, true, ctx);
        } else {
            self.reduce_proportionally(summary.delivered, summary.newly > 0);
        }
        false
    }

    /// Returns the recovery state, and creates it if there is none.
    pub(crate) fn recovery_or_new(&mut self) -> &mut LossRecovery {
        if self.recovery.is_none() {
            self.recovery = Some(self.new_recovery());
        }
        self.recovery.as_mut().expect("made above")
    }

    /// Returns to the open phase after a reduction was undone. The current round trip continues.
    pub(crate) fn reopen(&mut self, ctx: &impl Context) {
        if self.phase == Phase::Recovery || self.phase == Phase::Timeout {
            self.phase = Phase::Open;
            self.controller.on_recovered(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        }
    }

    pub(crate) fn tell_controller(&mut self, cause: Cause, in_flight: u32, ctx: &impl Context) {
        let event = Congestion { cause, now_s: seconds(ctx.now()), in_flight };
        let before = self.window.cwnd;
        if !self.stats.left_slow_start {
            let cwnd = if cause == Cause::Timeout { f64::from(in_flight) } else { before };
            self.note_slow_start_exit(cwnd, ctx);
        }
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

    /// Ends a congestion episode: `cwnd` becomes the value that the controller set.
    pub(crate) fn settle_window(&mut self, now: Time) {
        if !self.controller.controls_cwnd_in_recovery() {
            self.window.cwnd = self.window.ssthresh;
        }
        self.controller.on_recovered(seconds(now), &self.rtt.path, &mut self.window);
    }

    /// Reports an ACK to the controller that does not increase the window.
    fn on_other_ack(&mut self, summary: AckSummary, ctx: &impl Context) {
        let delivered = f64::from(summary.delivered);
        let mut ack = self.ack_record(delivered, summary.flight, summary.rtt_s, ctx);
        ack.marked = summary.marked.map_or(0.0, |share| share.among(delivered));
        self.controller.on_recovery_ack(&ack, &self.rtt.path, &mut self.window);
    }

    pub(crate) fn scoreboard(&mut self) -> &mut Scoreboard {
        &mut self.recovery.as_mut().expect("loss recovery has a scoreboard").scoreboard
    }

    /// Drops the recovery state once no segment is missing.
    fn end_loss_recovery(&mut self, ctx: &mut impl SenderContext) {
        let Some(recovery) = &self.recovery else { return };
        if self.phase == Phase::Open && recovery.scoreboard.is_clean() && self.dupacks == 0 {
            self.recovery = None;
            self.end_episode();
            self.restart_timer(ctx); // a probe may be due from now on
        }
    }
}
