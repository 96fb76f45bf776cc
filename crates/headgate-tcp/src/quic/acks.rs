//! The handling of ACKs (RFC 9002 appendices A.7 and B.5).

use headgate_model::control::{Ack, Cause, Controller, Rate};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Words;
use headgate_model::units::{Time, seconds};

use super::ranges::AckRanges;
use crate::context::{AckSegment, Event, SenderContext};
use crate::feedback::Feedback;
use crate::sender::Sender;
use crate::state::Phase;

/// The packets that an ACK newly acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NewlyAcked {
    count: u32,
    /// The largest one, and when it was sent.
    newest: u32,
    newest_at: Time,
    /// Those that routers could mark.
    capable: u32,
    /// Those that were sent since the last recovery period began.
    since_recovery: u32,
}

impl<C: Controller> Sender<C> {
    /// Handles an ACK. Returns true if it was the last one of the flow or of a write.
    pub(crate) fn on_packets_acked(
        &mut self,
        ack: &AckSegment,
        header: Option<&Words>,
        ctx: &mut impl SenderContext,
    ) -> bool {
        self.read_header(header, ctx);
        let (ranges, flight) = (AckRanges::of(ack), self.flight());
        let newly = self.take_ranges(&ranges, ctx);
        if newly.count > 0 {
            self.on_new_packets(newly, ranges.largest(), flight, ctx);
        } else {
            ctx.observe(Event::DuplicateAck);
        }
        if self.una >= self.size {
            return true;
        }
        self.send_allowed(ctx);
        self.writes.is_some() && self.has_finished_write()
    }

    /// Removes the acknowledged packets, and notes their segments as delivered.
    fn take_ranges(&mut self, ranges: &AckRanges, ctx: &impl SenderContext) -> NewlyAcked {
        let Some(quic) = &mut self.quic else { return NewlyAcked::default() };
        let mut newly = NewlyAcked::default();
        for (from, to) in ranges.iter() {
            for number in from.max(quic.packets.first())..to.min(quic.packets.next()) {
                let Some(packet) = quic.packets.settle(number) else { continue };
                if newly.count == 0 || number > newly.newest {
                    (newly.newest, newly.newest_at) = (number, packet.at);
                }
                newly.count += 1;
                newly.capable += u32::from(packet.is_capable);
                newly.since_recovery += u32::from(number >= quic.recovery_end);
                quic.segments.deliver(packet.segment, &mut self.una);
                if let Some(sent) = &mut self.sent {
                    sent.deliver(number, ctx.now(), None);
                }
            }
            for segment in quic.late.segments((from, to)) {
                quic.segments.deliver(segment, &mut self.una);
            }
        }
        quic.packets.trim();
        newly
    }

    /// Handles an ACK of new packets, of which `largest` is the largest number that it reports. `flight`
    /// packets were in flight before.
    fn on_new_packets(&mut self, newly: NewlyAcked, largest: u32, flight: u32, ctx: &mut impl SenderContext) {
        let Some(quic) = &mut self.quic else { return };
        let is_newer = quic.largest_acked.is_none_or(|acked| largest > acked);
        quic.largest_acked = quic.largest_acked.max(Some(largest));
        let recovery_end = quic.recovery_end;
        let is_sample = newly.newest == largest; // RFC 9002 §5.1
        let rtt_s = if is_sample { self.sample_packet(ctx.now() - newly.newest_at, ctx) } else { 0.0 };
        let marked = if is_newer { self.take_marks(newly, largest, ctx) } else { 0 };
        if let Some(losses) = self.lose_packets(ctx) {
            self.on_packets_lost(losses, ctx);
        }
        self.forget_settled();
        let Some(quic) = &self.quic else { return };
        let counted = match quic.recovery_end {
            0 => newly.count, // also after persistent congestion has begun
            end if end == recovery_end => newly.since_recovery,
            _ => 0,
        };
        if counted > 0 {
            self.end_recovery_period(newly.newest, ctx);
        }
        self.report_to_controller(newly, counted, (flight, marked), rtt_s, ctx);
        if marked > 0 && self.uses_share_of_marks() {
            self.reduce_by_share(largest, ctx);
        }
        self.backoff = 0;
        self.set_loss_timer(ctx);
    }

    /// Takes the ECN counts of an ACK. Returns the newly marked packets. If an algorithm treats a mark like a
    /// loss, a mark begins a recovery period (RFC 9002 appendix B.7).
    fn take_marks(&mut self, newly: NewlyAcked, largest: u32, ctx: &mut impl SenderContext) -> u32 {
        if self.feedback == Feedback::None {
            return 0;
        }
        let counts = ctx.byte_counts();
        let Some(quic) = &mut self.quic else { return 0 };
        let Some(marked) = quic.ecn.take(counts, newly.capable, self.codepoint) else {
            (self.feedback, self.codepoint) = (Feedback::None, Ecn::NotEct); // RFC 9000 §13.4.2.2
            return 0;
        };
        if marked > 0 {
            self.stats.marked += f64::from(marked);
            ctx.observe(Event::Marked);
            let begins = largest >= quic.recovery_end && !self.uses_share_of_marks();
            if begins {
                self.begin_recovery_period(Cause::Mark, ctx);
            }
        }
        marked
    }

    /// Forgets the states of the connection at the transmissions of settled packets.
    fn forget_settled(&mut self) {
        if let (Some(sent), Some(quic)) = (&mut self.sent, &self.quic) {
            sent.advance(quic.packets.first());
        }
    }

    /// Reports acknowledged packets to the controller. Only the `counted` ones raise the window: those that
    /// were sent since the last recovery period began.
    fn report_to_controller(
        &mut self,
        newly: NewlyAcked,
        counted: u32,
        (flight, marked): (u32, u32),
        rtt_s: f64,
        ctx: &mut impl SenderContext,
    ) {
        let acked = if counted > 0 { counted } else { newly.count };
        let mut ack = self.packet_record(acked, newly.newest, flight, rtt_s, ctx);
        ack.marked = f64::from(marked.min(acked));
        if counted == 0 {
            return self.controller.on_recovery_ack(&ack, &self.rtt.path, &mut self.window);
        }
        ack.cwnd_limited &= marked < acked || marked == 0;
        self.pass_to_controller(&ack, acked, ctx);
    }

    fn packet_record(
        &mut self,
        acked: u32,
        newest: u32,
        flight: u32,
        rtt_s: f64,
        ctx: &impl SenderContext,
    ) -> Ack {
        let round_start = newest >= self.round_end;
        let is_limited = self.quic.as_ref().is_some_and(|quic| quic.is_limited);
        if round_start {
            self.round_end = self.quic.as_ref().map_or(0, |quic| quic.packets.next());
        }
        Ack {
            now_s: seconds(ctx.now()),
            acked: f64::from(acked),
            rtt_s,
            in_flight: flight,
            round_start,
            cwnd_limited: (!ctx.profile().window_validation || is_limited)
                && !self.is_host_limited(ctx.now()),
            marked: 0.0,
            recovers: matches!(self.phase, Phase::Recovery),
            after_timeout: self.phase == Phase::Timeout,
            rate: if self.sent.is_some() { self.delivery_rate(rtt_s, ctx) } else { Rate::default() },
            paced: self.window.pace < f64::INFINITY || ctx.profile().pacing.is_some(),
        }
    }
}
