//! Explicit congestion notification: the handshake, the receiver's reports and the sender's response (RFC
//! 3168, RFC 8257, RFC 9768).

use headgate_model::control::{Cause, Controller};
use headgate_model::ecn::Ecn;

use crate::context::{AckSegment, Context, Event, SenderContext};
use crate::feedback::{Feedback, MarkedShare, field_of_syn, is_invalid_change};
use crate::flags::Flags;
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Whether routers may mark the sender's packets.
    #[must_use]
    pub fn is_capable_of_ecn(&self) -> bool {
        self.feedback != Feedback::None
    }

    /// Whether ACKs carry counters of marks.
    #[must_use]
    pub fn has_accurate_feedback(&self) -> bool {
        self.feedback == Feedback::Accurate
    }

    /// Returns the flags of a SYN that leaves now. After a SYN without an answer, the request may be what a
    /// middlebox rejects (RFC 3168 section 6.1.1.1). Once a SYN has not asked for classic ECN, data are not
    /// ECN-capable, even if the answer to an earlier SYN grants ECN (RFC 3168 section 6.1.1). A request for
    /// accurate feedback is repeated once (RFC 9768 section 3.1.4.1), and an answer that grants it counts in
    /// any case (section 3.1.5).
    pub(crate) fn syn_flags(&mut self, ctx: &impl Context) -> Flags {
        let falls_back = ctx.profile().ecn_fallback && self.phase == Phase::SynSent;
        if self.feedback == Feedback::Accurate {
            let asks = !(falls_back && self.backoff > 1);
            return if asks {
                self.feedback.request().with_ecn(self.field_of_syns(ctx))
            } else {
                Flags::NONE
            };
        }
        if falls_back && self.backoff > 0 {
            self.feedback = Feedback::None;
        }
        self.feedback.request()
    }

    /// Returns the ECN field of SYNs. Only accurate feedback can report a mark on a SYN.
    fn field_of_syns(&self, ctx: &impl Context) -> Ecn {
        if ctx.profile().ecn_control { self.codepoint } else { Ecn::NotEct }
    }

    /// Adopts the feedback that the receiver has granted. Classic feedback is too little for an algorithm that
    /// sends ECT(1): its data are then not ECN-capable (RFC 9331 section 4.2). Returns whether the SYN was
    /// marked.
    pub(crate) fn settle_feedback(&mut self, syn_ack: Flags, ctx: &impl Context) -> bool {
        self.feedback = self.feedback.after(syn_ack);
        if self.feedback == Feedback::Classic && self.controller.codepoint() == Ecn::Ect1 {
            self.feedback = Feedback::None;
        }
        self.controller.on_feedback(self.feedback.into());
        self.feedback == Feedback::Accurate && self.settle_counters(syn_ack, ctx)
    }

    /// Begins to count marks. The answer reports how the SYN arrived. If a router has changed its field in an
    /// invalid way, data are not ECN-capable (RFC 9768 section 3.2.2.3). Returns whether the SYN was marked.
    ///
    /// NOTE(RFC 9768 section 3.2.2.3): a sender does not test whether all packets of the first round trips
    /// were marked, which the RFC advises. In a queue of L4S this can be genuine.
    ///
    /// NOTE(RFC 9768 section 3.2.2.1): no pure ACK reports the field of the answer to the SYN before the first
    /// data, which the RFC advises if routers may change the field. Only ECN-capable ACKs depend on it.
    ///
    /// NOTE(RFC 9768 section 3.2.2.4): a sender does not test for an ACE field of zero, because no router of
    /// the engine changes TCP headers.
    fn settle_counters(&mut self, syn_ack: Flags, ctx: &impl Context) -> bool {
        if self.quic.is_some() {
            return false; // its ACKs count packets from the first data on
        }
        self.decoder = Some(Box::default());
        let Some(arrived) = field_of_syn(syn_ack) else { return false };
        let is_known = self.backoff == 0 || !ctx.profile().ecn_fallback; // the field of all SYNs is the same
        if is_known && is_invalid_change(self.field_of_syns(ctx), arrived) {
            self.codepoint = Ecn::NotEct;
        }
        arrived.is_marked()
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
            Feedback::Classic | Feedback::Accurate if again => {
                if ctx.profile().ecn_control {
                    self.codepoint.into()
                } else {
                    Flags::NONE
                }
            }
            Feedback::Accurate => self.codepoint.into(),
            _ => {
                let reduced = std::mem::take(&mut self.reduced);
                Flags::from(self.codepoint).with(Flags::REDUCED, reduced)
            }
        }
    }

    /// Returns the marked part of the segments of an ACK, which newly acknowledges `newly` of them and reports
    /// `duplicates`; `None` if it reports no mark.
    #[inline]
    pub(crate) fn marked_share(
        &mut self,
        ack: &AckSegment,
        newly: u32,
        duplicates: u32,
        ctx: &mut impl SenderContext,
    ) -> Option<MarkedShare> {
        if self.feedback == Feedback::Accurate {
            return self.decode_marks(ack, newly, duplicates, ctx);
        }
        ack.echoes_mark().then(|| {
            self.stats.marked += f64::from(newly);
            MarkedShare::All
        })
    }

    /// Decodes accurate feedback. Marks beyond the acknowledged segments, as of duplicates, do not count.
    #[inline(never)]
    fn decode_marks(
        &mut self,
        ack: &AckSegment,
        newly: u32,
        duplicates: u32,
        ctx: &mut impl SenderContext,
    ) -> Option<MarkedShare> {
        let (counts, bytes) = (ctx.byte_counts(), ctx.profile().payload_bytes);
        let marked = self.decoder.as_mut()?.decode(ack.flags, counts, newly, bytes.into()).min(newly);
        (marked > 0).then(|| {
            self.stats.marked += f64::from(marked);
            ctx.observe(Event::Marked);
            MarkedShare::Part { marked, delivered: newly + duplicates }
        })
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
