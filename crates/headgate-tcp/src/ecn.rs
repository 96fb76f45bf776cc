//! Explicit congestion notification: the receiver's echo and the sender's response (RFC 3168, RFC 8257).

use headgate_model::control::{Cause, Controller, Echo};

use crate::context::SenderContext;
use crate::flags::Flags;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Whether routers may mark the sender's packets.
    #[must_use]
    pub fn is_capable_of_ecn(&self) -> bool {
        self.echo != Echo::None
    }

    pub(crate) fn syn_flags(&self) -> Flags {
        let capable = Flags::NONE.with(Flags::CAPABLE, self.is_capable_of_ecn());
        capable.with(Flags::ECHO, self.echo == Echo::Accurate)
    }

    /// Returns the flags of a data segment.
    ///
    /// NOTE(RFC 3168 section 6.1.5): with accurate echo, retransmitted segments are ECN-capable too, as in
    /// Linux. The RFC requires that retransmissions are not ECN-capable.
    #[inline]
    pub(crate) fn data_flags(&mut self, again: bool) -> Flags {
        if self.echo == Echo::None || (again && self.echo == Echo::Latched) {
            return Flags::NONE;
        }
        let reduced = std::mem::take(&mut self.reduced);
        Flags::CAPABLE.with(Flags::REDUCED, reduced)
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
