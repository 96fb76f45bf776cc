//! Explicit congestion notification: the receiver's echo and the sender's response (RFC 3168, RFC 8257).

use headgate_model::control::{Cause, Controller};
use headgate_model::ecn::Ecn;

use crate::context::{Context, SenderContext};
use crate::feedback::Feedback;
use crate::flags::Flags;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Whether routers may mark the sender's packets.
    #[must_use]
    pub fn is_capable_of_ecn(&self) -> bool {
        self.feedback != Feedback::None
    }

    /// Returns the flags of a SYN that leaves now. After a SYN without an answer, the request may be what a
    /// middlebox rejects (RFC 3168 section 6.1.1.1). Once a SYN has not asked for ECN, data are not
    /// ECN-capable, even if the answer to an earlier SYN grants ECN (RFC 3168 section 6.1.1).
    pub(crate) fn syn_flags(&mut self, ctx: &impl Context) -> Flags {
        if self.backoff > 0 && ctx.profile().ecn_fallback && self.phase == Phase::SynSent {
            self.feedback = Feedback::None;
        }
        self.feedback.request()
    }

    /// Adopts the feedback that the receiver has granted. Classic feedback is too little for an algorithm that
    /// sends ECT(1): its data are then not ECN-capable (RFC 9331 section 4.2).
    pub(crate) fn settle_feedback(&mut self, syn_ack: Flags) {
        self.feedback = self.feedback.min(Feedback::granted(syn_ack));
        if self.feedback == Feedback::Classic && self.controller.codepoint() == Ecn::Ect1 {
            self.feedback = Feedback::None;
        }
        self.controller.on_feedback(self.feedback.into());
    }

    /// Returns the flags of a data segment.
    ///
    /// NOTE(RFC 3168 section 6.1.5): with exact feedback, retransmitted segments are ECN-capable too, as in
    /// Linux. The RFC requires that retransmissions are not ECN-capable. RFC 8311 section 4.3 permits it in
    /// experiments.
    #[inline]
    pub(crate) fn data_flags(&mut self, again: bool, ctx: &impl Context) -> Flags {
        match self.feedback {
            Feedback::None => Flags::NONE,
            Feedback::Classic if again => {
                if ctx.profile().ecn_control {
                    self.codepoint.into()
                } else {
                    Flags::NONE
                }
            }
            _ => {
                let reduced = std::mem::take(&mut self.reduced);
                Flags::from(self.codepoint).with(Flags::REDUCED, reduced)
            }
        }
    }

    /// Reduces the window for an ACK that echoes a mark, at most once per window of data.
    pub(crate) fn on_mark(&mut self, delivered: u32, ctx: &mut impl SenderContext) {
        self.forbid_undo();
        if self.una <= self.marked_until {
            return;
        }
        self.marked_until = self.next;
        self.reduced = true;
        if self.phase != Phase::Open {
            return; // the window shrank for a loss; the report to the receiver is the same (RFC 3168 §6.1.2)
        }
        self.stats.reductions += 1;
        self.forget_episode();
        self.forget_probe();
        let flight = self.flight_for_controller(ctx);
        self.tell_controller(Cause::Mark, flight, ctx);
        if self.reduces_proportionally(ctx.profile()) {
            self.begin_reduction(flight, delivered);
        } else {
            self.settle_window(ctx.now());
        }
    }

    /// Starts to reduce the window over the coming round trip (Linux `tcp_enter_cwr`).
    fn begin_reduction(&mut self, window: u32, delivered: u32) {
        self.phase = Phase::Reducing;
        self.recover = self.next;
        let recovery = self.recovery_or_new();
        (recovery.delivered, recovery.sent, recovery.flight) = (0, 0, window);
        self.reduce_proportionally(delivered, delivered > 0);
    }
}
