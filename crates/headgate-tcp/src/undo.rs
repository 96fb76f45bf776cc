//! Detection of needless reductions, and their undo.
//!
//! Segments were late, not lost, in three cases. The receiver reports every retransmission as a duplicate
//! (D-SACK, RFC 2883, RFC 3708). An ACK echoes a time stamp from before the first retransmission (Eifel, RFC
//! 3522, RFC 4015). Segments that were sent once arrive after a time-out (F-RTO, RFC 5682). The rules are
//! those of Linux (`tcp_try_undo_*` in `tcp_input.c`).

use headgate_model::control::{Controller, Window};

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::reduction::Reduction;
use crate::rtt::EchoedStamp;
use crate::sender::Sender;
use crate::state::Phase;

/// Splits a D-SACK from the blocks of an ACK: the first block, if it lies below the cumulative ACK or within
/// the second block (RFC 2883 section 4). Returns the D-SACK and the ACK without it.
pub(crate) fn split_duplicate(ack: &AckSegment) -> (Option<(u32, u32)>, AckSegment) {
    let Some([first, second, third]) = ack.blocks else { return (None, *ack) };
    let within_second = second.0 <= first.0 && first.1 <= second.1;
    if first.0 >= first.1 || !(first.0 < ack.next || within_second) {
        return (None, *ack);
    }
    let blocks = (second.1 > 0).then_some([second, third, (0, 0)]);
    (Some(first), AckSegment { blocks, ..*ack })
}

impl<C: Controller> Sender<C> {
    /// Records a retransmission of lost data.
    pub(crate) fn note_resent(&mut self, ctx: &impl Context) {
        if ctx.profile().undo || ctx.profile().dsack {
            self.undo.get_or_insert_default().note_resent(ctx.now());
        }
    }

    /// Records that a probe repeats a segment, so that a duplicate may be reported.
    pub(crate) fn expect_duplicate(&mut self, profile: &Profile) {
        if profile.dsack {
            self.undo.get_or_insert_default();
        }
    }

    /// Begins an episode with the window `before` the reduction; `None` if the reduction cannot be undone
    /// (`tcp_init_undo`).
    pub(crate) fn begin_episode(&mut self, before: Option<Window>, profile: &Profile) {
        if !profile.undo {
            return;
        }
        let scoreboard = self.recovery.as_ref().map(|recovery| &recovery.scoreboard);
        let resent = scoreboard.map_or(0, |scoreboard| scoreboard.resent);
        let first_resent = scoreboard.is_some_and(|scoreboard| scoreboard.was_resent(self.una));
        let probes = u32::from(self.probe.is_some_and(|probe| probe.1));
        let undo = self.undo.get_or_insert_default();
        if resent == 0 && !first_resent {
            undo.resent_at = None;
        }
        undo.marker = Some(self.una);
        undo.unreported = (resent + probes > 0).then_some(resent + probes);
        undo.before = before.map(|window| (window.cwnd, window.ssthresh.max(0.75 * window.cwnd)));
    }

    /// Starts the test for a spurious time-out, if `begins` (RFC 5682 section 3.1 step 1).
    pub(crate) fn begin_timeout_test(&mut self, begins: bool, profile: &Profile) {
        if profile.frto {
            self.undo.get_or_insert_default().tests_timeout = begins;
        }
    }

    /// Makes the current reduction permanent, because a mark proves the congestion.
    pub(crate) fn forbid_undo(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.before = None;
        }
    }

    /// Ends the previous episode, because that of a mark begins, which cannot be undone.
    pub(crate) fn forget_episode(&mut self) {
        if let Some(undo) = &mut self.undo {
            (undo.marker, undo.before) = (None, None);
        }
    }

    /// Records that no retransmission is outstanding any more.
    pub(crate) fn end_episode(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.resent_at = None;
        }
    }

    /// Records a duplicate that the receiver reports (`tcp_dsack_seen`, `tcp_check_dsack`). Returns true if
    /// it counts. If there are more duplicates than retransmissions, the network duplicates packets, and the
    /// reports prove nothing.
    pub(crate) fn note_duplicate(&mut self, (from, to): (u32, u32), ctx: &impl Context) -> bool {
        let Some(undo) = self.undo.as_mut().filter(|_| ctx.profile().dsack) else { return false };
        undo.duplicates += to - from;
        if undo.duplicates > self.stats.retransmissions {
            return false;
        }
        let scoreboard = self.recovery.as_ref().map(|recovery| &recovery.scoreboard);
        let was_resent = to <= self.una || scoreboard.is_some_and(|scoreboard| scoreboard.was_resent(from));
        if let Some(unreported) = undo.unreported.as_mut().filter(|_| was_resent) {
            if undo.marker.is_some_and(|marker| to > marker) {
                *unreported = unreported.saturating_sub(to - from);
            }
        }
        let probed = self.probe.is_some_and(|(end, again)| again && end == to);
        if probed {
            self.probe = None; // the segment and the probe arrived: no loss (RFC 8985 §7.4.2)
        }
        if let Some(sent) = &mut self.sent {
            sent.note_duplicates(to - from, !probed);
        }
        true
    }

    /// Whether an ACK proves that the segment which filled a hole was late, not lost: nothing was sent again,
    /// or the ACK echoes a time stamp from before the first retransmission (`tcp_packet_delayed`).
    fn was_late(&self, undo: &Reduction, echo: u32, ctx: &impl Context) -> bool {
        let profile = ctx.profile();
        match undo.resent_at {
            None => profile.sack || self.una < self.recover,
            Some(at) => profile.timestamps && EchoedStamp::new(echo, ctx).is_before(at),
        }
    }

    /// Whether an ACK with this time stamp proves that the reduction was needless (`tcp_may_undo`).
    pub(crate) fn may_undo(&self, echo: u32, ctx: &impl Context) -> bool {
        self.undo.as_deref().is_some_and(|undo| {
            undo.is_all_reported() || (undo.marker.is_some() && self.was_late(undo, echo, ctx))
        })
    }

    /// Whether an ACK within fast recovery proves that the segment which filled the hole was late.
    pub(crate) fn is_late_fill(&self, echo: u32, ctx: &impl Context) -> bool {
        self.undo.as_deref().is_some_and(|undo| undo.marker.is_some() && self.was_late(undo, echo, ctx))
    }

    /// Undoes the reduction if every retransmission was reported as a duplicate (`tcp_try_undo_dsack`).
    /// Returns true if it did.
    pub(crate) fn undo_by_duplicates(&mut self, ctx: &mut impl SenderContext) -> bool {
        if !self.undo.as_deref().is_some_and(Reduction::is_all_reported) {
            return false;
        }
        if let Some(sent) = &mut self.sent {
            sent.end_recovery(true);
        }
        self.undo_reduction(false, ctx);
        true
    }

    /// Restores the window, and clears all losses if `unmark` (`tcp_undo_cwnd_reduction`).
    pub(crate) fn undo_reduction(&mut self, unmark: bool, ctx: &mut impl SenderContext) {
        if unmark {
            self.unmark_losses();
        }
        let Some(undo) = &mut self.undo else { return };
        undo.marker = None;
        undo.tests_timeout = false;
        let restores = undo.before.take();
        if let Some((cwnd, ssthresh)) = restores {
            self.controller.on_undo(cwnd, &self.rtt.path, &mut self.window);
            if ssthresh > self.window.ssthresh {
                self.window.ssthresh = ssthresh;
                self.reduced = false;
            }
        }
        let timeout = self.phase == Phase::Timeout;
        self.stats.undone += u32::from(restores.is_some());
        self.stats.spurious_timeouts += u32::from(timeout);
        ctx.observe(Event::Undone { timeout });
    }

    fn unmark_losses(&mut self) {
        let Some(recovery) = &mut self.recovery else { return };
        recovery.scoreboard.unmark_losses();
        if let Some(sent) = &mut self.sent {
            sent.reexamine(|seq| recovery.scoreboard.is_settled(seq));
        }
    }

    /// Tests a time-out by F-RTO (RFC 5682 section 3.1). `original`: the ACK covers a segment that was sent
    /// once and before the time-out. `duplicate`: it covers nothing new, or SACKs a segment. Returns true if
    /// the time-out is spurious.
    pub(crate) fn test_timeout(
        &mut self,
        original: bool,
        duplicate: bool,
        newly: u32,
        profile: &Profile,
    ) -> bool {
        let Some(undo) = self.undo.as_mut().filter(|undo| undo.tests_timeout) else { return false };
        if original {
            return true;
        }
        if self.next > self.recover {
            undo.tests_timeout &= !duplicate; // step 3a: the loss was real
            return false;
        }
        if newly > 0 && self.una < self.recover {
            self.recover = self.next;
            let has_new = self.next < self.size && self.next - self.una < profile.receive_window;
            undo.tests_timeout = has_new;
            if let Some(recovery) = &mut self.recovery {
                recovery.sends_new = has_new; // step 2b
            }
        }
        false
    }

    /// Creates the state of a recovery, with a probe that repeated a segment before it.
    pub(crate) fn new_recovery(&self) -> Box<LossRecovery> {
        let mut recovery = LossRecovery::new(self.una, self.next);
        if let Some((end, true)) = self.probe.filter(|probe| probe.0 > self.una) {
            recovery.scoreboard.note_resent(end - 1);
        }
        Box::new(recovery)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    type Block = (u32, u32);

    /// Returns the duplicate of an ACK with these blocks, and the remaining blocks.
    fn split(next: u32, blocks: &[Block]) -> (Option<Block>, Vec<Block>) {
        let mut all = [(0, 0); 3];
        all[..blocks.len()].copy_from_slice(blocks);
        let (duplicate, ack) =
            split_duplicate(&AckSegment { next, stamp: 0, blocks: Some(all), flags: Flags::NONE });
        let left = ack.blocks.unwrap_or_default().into_iter().filter(|block| block.1 > 0);
        (duplicate, left.collect())
    }

    #[test]
    fn a_duplicate_is_below_the_ack_or_within_the_second_block() {
        // the examples of RFC 2883 §4.1 and §4.2, in segments of 500 bytes
        assert_eq!(split(8, &[(6, 7)]), (Some((6, 7)), vec![])); // 4.1.1
        assert_eq!(split(6, &[(6, 7), (8, 9)]), (None, vec![(6, 7), (8, 9)]));
        assert_eq!(split(8, &[(6, 7), (9, 10)]), (Some((6, 7)), vec![(9, 10)])); // 4.1.2
        assert_eq!(split(8, &[(10, 11), (9, 12)]), (Some((10, 11)), vec![(9, 12)])); // 4.2
        assert_eq!(split(8, &[(9, 12)]), (None, vec![(9, 12)]));
    }
}
