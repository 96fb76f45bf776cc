//! The allowance while segments are missing, and the choice of the segment to send again.

use headgate_model::control::Controller;

use crate::context::SenderContext;
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    pub(crate) fn flight_in_recovery(&self, recovery: &LossRecovery, profile: &Profile) -> u32 {
        if profile.pipe_by_acks && self.phase == Phase::Recovery {
            recovery.unreported
        } else if profile.sack || self.phase == Phase::Timeout {
            recovery.scoreboard.pipe()
        } else {
            self.next - self.una
        }
    }

    pub(crate) fn allowance_in_recovery(&self, recovery: &LossRecovery, profile: &Profile) -> u32 {
        let window = self.window.cwnd;
        // Each SACK lowers the pipe by one, which is limited transmit if the profile allows it.
        if profile.sack && (profile.limited_transmit || self.phase != Phase::Open) {
            return window as u32;
        }
        match self.phase {
            Phase::Open if profile.sack => (window as u32).saturating_sub(recovery.scoreboard.sacked),
            Phase::Open if profile.limited_transmit => (window as u32).saturating_add(self.dupacks.min(2)),
            Phase::Recovery => (window + recovery.inflation) as u32,
            _ => window as u32,
        }
    }

    /// Sends the next lost segment again. Returns false if there is none.
    pub(crate) fn resend(&mut self, ctx: &mut impl SenderContext) -> bool {
        let seq = self.scoreboard().resend();
        self.send_again(seq, ctx)
    }

    /// If there is nothing else to send, resends a hole that is not yet marked lost (RFC 6675 section 4,
    /// NextSeg rule 3).
    pub(crate) fn resend_early(&mut self, ctx: &mut impl SenderContext) -> bool {
        if self.phase != Phase::Recovery || !ctx.profile().sack {
            return false;
        }
        let seq = self.scoreboard().resend_early();
        self.send_again(seq, ctx)
    }

    fn send_again(&mut self, seq: Option<u32>, ctx: &mut impl SenderContext) -> bool {
        let (Some(seq), Some(recovery)) = (seq, &mut self.recovery) else { return false };
        recovery.sent += 1;
        recovery.unreported += 1;
        self.note_resent(ctx);
        self.transmit(seq, true, ctx);
        if seq == self.una {
            self.restart_timer_after_resend(ctx);
        }
        true
    }
}
