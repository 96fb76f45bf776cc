//! The loss detection timer and probe timeouts (RFC 9002 section 6.2 and appendices A.8 and A.9).

use headgate_model::control::Controller;
use headgate_model::units::NEVER;

use super::packets::SentPacket;
use crate::context::{Event, SenderContext};
use crate::sender::Sender;

/// Packets that a probe timeout sends (RFC 9002 section 6.2.4).
const PROBES: u8 = 2;

/// The most doublings of the probe timeout.
const MOST_BACKOFF: u8 = 16;

impl<C: Controller> Sender<C> {
    /// Sets the timer for the next loss by time, or for a probe timeout after the last transmission.
    pub(super) fn set_loss_timer(&mut self, ctx: &mut impl SenderContext) {
        let (Some(settings), Some(quic)) = (ctx.profile().quic, &self.quic) else { return };
        let deadline = match quic.loss_time {
            Some(time) => time,
            None if quic.in_flight() == 0 => NEVER,
            None => {
                let pto = quic.rtt.pto(&self.rtt.path, &settings);
                self.sent_at.saturating_add(pto.saturating_mul(1 << self.backoff.min(MOST_BACKOFF)))
            }
        };
        // a smaller RTT can move the timeout into the past
        self.set_deadline(deadline.max(ctx.now()), ctx);
    }

    /// Handles the expiry of the timer. A probe timeout declares nothing lost and reduces no window.
    pub(crate) fn on_loss_timer(&mut self, ctx: &mut impl SenderContext) {
        let Some(quic) = &mut self.quic else { return };
        if quic.loss_time.is_some() {
            if let Some(losses) = self.lose_packets(ctx) {
                self.on_packets_lost(losses, ctx);
            }
        } else if quic.in_flight() > 0 {
            quic.probes = PROBES;
            self.backoff = self.backoff.saturating_add(1);
            self.stats.timeouts += 1;
            ctx.observe(Event::Timeout);
        }
        self.send_allowed(ctx);
        self.set_loss_timer(ctx);
    }

    /// Sends the probes that are due, regardless of window and pace. They carry lost segments, then new
    /// ones, then those of the oldest packets in flight.
    pub(super) fn send_probes(&mut self, ctx: &mut impl SenderContext) {
        while let Some(quic) = self.quic.as_mut().filter(|quic| quic.probes > 0) {
            quic.probes -= 1;
            if !self.send_segment(ctx) && !self.probe_oldest(ctx) {
                return;
            }
        }
    }

    /// Sends the segment of the oldest packet in flight again that no probe has carried since. Returns false
    /// if there is none.
    fn probe_oldest(&mut self, ctx: &mut impl SenderContext) -> bool {
        let Some(quic) = &mut self.quic else { return false };
        let una = self.una;
        let has_news = |packet: &SentPacket| !quic.segments.has_arrived(packet.segment, una);
        let oldest = quic.packets.numbers().find(|(_, packet)| !packet.is_probed && has_news(packet));
        let oldest = oldest.map(|(number, _)| number);
        let Some(segment) = oldest.and_then(|number| quic.packets.probe(number)) else { return false };
        self.send_packet(segment, true, ctx);
        true
    }
}
