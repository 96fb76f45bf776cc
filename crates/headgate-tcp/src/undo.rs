//! Reductions that turn out to be needless, and how they are undone. Segments were late, not lost, if the receiver
//! reports every retransmission as a duplicate (D-SACK, RFC 2883, RFC 3708), if an ACK echoes a time stamp from
//! before the first retransmission (Eifel, RFC 3522, RFC 4015), or if after a time-out segments arrive that were
//! sent once (F-RTO, RFC 5682). The rules are those of Linux (`tcp_try_undo_*` in `tcp_input.c`).

use headgate_model::control::{Controller, Window};

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::reduction::Reduction;
use crate::rtt::Echoed;
use crate::sender::Sender;
use crate::state::Phase;

/// Splits a D-SACK off the blocks of an ACK: the first block, if it lies below the cumulative ACK or within the
/// second block (RFC 2883 §4). Returns it with the ACK as it would be without it.
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
    /// A retransmission of lost data leaves.
    pub(crate) fn note_resent(&mut self, ctx: &impl Context) {
        if ctx.profile().undo || ctx.profile().dsack {
            self.undo.get_or_insert_default().note_resent(ctx.now());
        }
    }

    /// A probe repeats a segment: a duplicate may be reported from now on.
    pub(crate) fn expect_duplicate(&mut self, profile: &Profile) {
        if profile.dsack {
            self.undo.get_or_insert_default();
        }
    }

    /// A reduction is made, from this window. It may be undone if there is one (`tcp_init_undo`).
    pub(crate) fn begin_episode(&mut self, before: Option<Window>, profile: &Profile) {
        if !profile.undo {
            return;
        }
        let board = self.recovery.as_ref().map(|recovery| &recovery.board);
        let resent = board.map_or(0, |board| board.resent);
        let first_resent = board.is_some_and(|board| board.was_resent(self.una));
        let probes = u32::from(self.probe.is_some_and(|probe| probe.1));
        let undo = self.undo.get_or_insert_default();
        if resent == 0 && !first_resent {
            undo.resent_at = None;
        }
        undo.marker = Some(self.una);
        undo.unreported = (resent + probes > 0).then_some(resent + probes);
        undo.before = before.map(|window| (window.cwnd, window.ssthresh.max(0.75 * window.cwnd)));
    }

    /// After a time-out, whether it was spurious is to be tested (RFC 5682 §3.1 step 1).
    pub(crate) fn begin_timeout_test(&mut self, begins: bool, profile: &Profile) {
        if profile.frto {
            self.undo.get_or_insert_default().tests_timeout = begins;
        }
    }

    /// A mark proves the congestion: what was reduced stays reduced.
    pub(crate) fn forbid_undo(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.before = None;
        }
    }

    /// The episode of a mark begins: there is nothing to undo.
    pub(crate) fn forget_episode(&mut self) {
        if let Some(undo) = &mut self.undo {
            (undo.marker, undo.before) = (None, None);
        }
    }

    /// Nothing that was sent again is outstanding any more.
    pub(crate) fn end_episode(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.resent_at = None;
        }
    }

    /// The receiver reports a duplicate (`tcp_dsack_seen`, `tcp_check_dsack`). More duplicates than
    /// retransmissions are the network's, and say nothing. True if it counts.
    pub(crate) fn note_duplicate(&mut self, (from, to): (u32, u32), ctx: &impl Context) -> bool {
        let Some(undo) = self.undo.as_mut().filter(|_| ctx.profile().dsack) else { return false };
        undo.duplicates += to - from;
        if undo.duplicates > self.stats.retransmissions {
            return false;
        }
        let board = self.recovery.as_ref().map(|recovery| &recovery.board);
        let was_resent = to <= self.una || board.is_some_and(|board| board.was_resent(from));
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

    /// Whether an ACK shows that what filled a hole was late, not lost: no retransmission has left, or it echoes
    /// a time stamp from before the first one (`tcp_packet_delayed`).
    fn was_late(&self, undo: &Reduction, echo: u32, ctx: &impl Context) -> bool {
        let profile = ctx.profile();
        match undo.resent_at {
            None => profile.sack || self.una < self.recover,
            Some(at) => profile.timestamps && Echoed::new(echo, ctx).is_before(at),
        }
    }

    /// Whether the reduction was needless, as an ACK with this time stamp shows (`tcp_may_undo`).
    pub(crate) fn may_undo(&self, echo: u32, ctx: &impl Context) -> bool {
        self.undo.as_deref().is_some_and(|undo| {
            undo.is_all_reported() || (undo.marker.is_some() && self.was_late(undo, echo, ctx))
        })
    }

    /// Whether an ACK within fast recovery shows that the segment which filled the hole was late.
    pub(crate) fn fills_late(&self, echo: u32, ctx: &impl Context) -> bool {
        self.undo.as_deref().is_some_and(|undo| undo.marker.is_some() && self.was_late(undo, echo, ctx))
    }

    /// Undoes the reduction if every retransmission was reported as a duplicate (`tcp_try_undo_dsack`).
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

    /// Restores the window, and takes back the judgement of what is lost if `unmark` (`tcp_undo_cwnd_reduction`).
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
        recovery.board.unmark_losses();
        if let Some(sent) = &mut self.sent {
            sent.reexamine(|seq| recovery.board.is_settled(seq));
        }
    }

    /// F-RTO (RFC 5682 §3.1) after a time-out. `original`: an ACK brought a segment that was sent once and before
    /// the time-out; `duplicate`: it moved nothing on, or SACKed something. True if the time-out is spurious.
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

    /// State of a recovery that begins, with the probe that repeated a segment before it.
    pub(crate) fn new_recovery(&self) -> Box<LossRecovery> {
        let mut recovery = LossRecovery::new(self.una, self.next);
        if let Some((end, true)) = self.probe.filter(|probe| probe.0 > self.una) {
            recovery.board.note_resent(end - 1);
        }
        Box::new(recovery)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    type Block = (u32, u32);

    /// The duplicate of an ACK with these blocks, and the blocks that are left.
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
