//! The output of a sender of QUIC: the window, the pacer, and the choice of the next segment.

use headgate_model::control::Controller;

use super::packets::SentPacket;
use crate::context::{Context, DataSegment, Event, LimitExceeded, MOST_AT_ONCE, SenderContext};
use crate::flags::Flags;
use crate::sender::Sender;

impl<C: Controller> Sender<C> {
    /// Sends the probes that are due, and those that window and pace allow.
    pub(crate) fn send_packets(&mut self, ctx: &mut impl SenderContext) {
        let first = self.next_packet();
        self.send_probes(ctx);
        while self.may_send_packet(ctx) && self.send_segment(ctx) {
            if self.next_packet() - first == MOST_AT_ONCE {
                return self.limit_exceeded(LimitExceeded::Burst(self.window.cwnd), ctx);
            }
        }
        if self.next_packet() != first {
            self.set_loss_timer(ctx);
        }
    }

    fn next_packet(&self) -> u32 {
        self.quic.as_ref().map_or(0, |quic| quic.packets.next())
    }

    /// Whether a packet may leave now. If only the pace forbids it, the timer is set. Notes whether window or
    /// pace limit the flow (RFC 9002 section 7.8).
    fn may_send_packet(&mut self, ctx: &mut impl SenderContext) -> bool {
        let allowed = (self.window.cwnd as u32).max(1);
        let has_data = self.has_data(ctx);
        let Some(quic) = &mut self.quic else { return false };
        let is_full = quic.in_flight() >= allowed;
        quic.is_limited = has_data || is_full;
        if !has_data && !is_full {
            self.note_app_limited();
        }
        has_data && !is_full && !self.waits_for_host(ctx.now()) && self.has_turn(ctx)
    }

    /// Whether a lost segment or a new one can leave.
    fn has_data(&mut self, ctx: &impl Context) -> bool {
        let una = self.una;
        self.quic.as_mut().is_some_and(|quic| quic.segments.next_lost(una).is_some()) || self.has_new(ctx)
    }

    fn has_new(&self, ctx: &impl Context) -> bool {
        self.next < self.size && self.next - self.una < ctx.profile().receive_window
    }

    /// Whether the pacer allows a packet now. If not, the timer is set for it.
    fn has_turn(&mut self, ctx: &mut impl SenderContext) -> bool {
        let profile = ctx.profile();
        let rate = self.pacing_rate(profile);
        let depth = if self.window.pace < f64::INFINITY {
            self.window.quantum(self.rtt.path.segment_bytes)
        } else {
            profile.initial_window
        };
        let Some(quic) = &mut self.quic else { return false };
        let wait = quic.pacer.wait(rate, depth, ctx.now());
        self.pace_next = ctx.now().saturating_add(wait);
        if wait > 0 {
            self.set_pace_timer(ctx);
        }
        wait == 0
    }

    /// Sends the first lost segment, or a new one. Returns false if there is none.
    pub(super) fn send_segment(&mut self, ctx: &mut impl SenderContext) -> bool {
        let una = self.una;
        let Some(quic) = &mut self.quic else { return false };
        if let Some(segment) = quic.segments.next_lost(una) {
            quic.segments.resend();
            self.send_packet(segment, true, ctx);
            return true;
        }
        if !self.has_new(ctx) {
            return false;
        }
        self.next += 1;
        self.send_packet(self.next - 1, false, ctx);
        true
    }

    /// Sends a segment in a new packet.
    pub(super) fn send_packet(&mut self, segment: u32, again: bool, ctx: &mut impl SenderContext) {
        let (now, mut flags) = (ctx.now(), self.data_flags(false, ctx));
        let Some(quic) = &mut self.quic else { return };
        let number = quic.packets.push(SentPacket::new(now, segment, flags.ecn().is_capable()));
        quic.pacer.take();
        let in_flight = quic.in_flight();
        if again {
            self.stats.count_resent(segment);
        }
        if let Some(sent) = &mut self.sent {
            sent.note_sent(number, now, in_flight, in_flight == 1);
        }
        self.sent_at = now;
        ctx.observe(Event::Sent { seq: number, again });
        if self.writes.is_some() {
            flags = flags.with(Flags::PUSH, self.ends_write(segment));
        }
        let header = self.make_header();
        ctx.send_data(DataSegment { seq: number, stamp: segment, flags }, header);
    }
}
