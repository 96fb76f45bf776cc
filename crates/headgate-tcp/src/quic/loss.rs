//! Loss detection by packet number and by time (RFC 9002 section 6.1), and persistent congestion (section 7.6).

use headgate_model::control::Controller;
use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use super::{PERSISTENT_TIMEOUTS, Quic, QuicState};
use crate::context::{Event, SenderContext};
use crate::sender::Sender;

/// The packets that were lost in a row most recently: the time at which the first one was sent, and the number
/// after the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LostRun(Option<(Time, u32)>);

impl LostRun {
    /// Adds a lost packet. Returns the time between the transmissions of the first and the last packet.
    ///
    /// NOTE(RFC 9002 appendix B.8): packets that ACKs between them reveal as lost count as a row too. The
    /// appendix looks at the losses of one ACK.
    fn add(&mut self, number: u32, at: Time) -> Span {
        let first = self.0.filter(|run| run.1 == number).map_or(at, |run| run.0);
        self.0 = Some((first, number + 1));
        at - first
    }
}

/// The losses that one ACK or one expiry of the timer reveals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Losses {
    /// The largest packet number.
    pub(crate) newest: u32,
    /// Whether packets in a row were lost for so long that the congestion is persistent.
    pub(crate) is_persistent: bool,
}

impl QuicState {
    /// Returns the oldest packet if it is lost. Otherwise sets the time at which it becomes lost, if a later
    /// packet was acknowledged. Packets are sent and lost in the order of their numbers.
    fn next_loss(&mut self, now: Time, delay: Span, threshold: u32) -> Option<u32> {
        self.loss_time = None;
        let largest = self.largest_acked?;
        let (number, packet) = self.packets.numbers().next()?;
        if number > largest {
            return None;
        }
        let due = packet.at + delay;
        if largest - number >= threshold || due <= now {
            return Some(number);
        }
        self.loss_time = Some(due);
        None
    }
}

impl<C: Controller> Sender<C> {
    /// Declares overtaken packets lost (RFC 9002 appendix A.10). Returns `None` if there is none.
    ///
    /// NOTE(RFC 9002 section 7.6.2): all data packets can establish persistent congestion, because the
    /// handshake gives an RTT sample before the first of them.
    pub(super) fn lose_packets(&mut self, ctx: &mut impl SenderContext) -> Option<Losses> {
        let settings = ctx.profile().quic?;
        let (now, path) = (ctx.now(), self.rtt.path);
        let quic = self.quic.as_mut()?;
        let delay = quic.rtt.loss_delay(&path, &settings);
        let longest = PERSISTENT_TIMEOUTS * quic.rtt.pto(&path, &settings);
        let mut losses: Option<Losses> = None;
        while let Some(newest) = self.quic.as_mut()?.next_loss(now, delay, settings.packet_threshold) {
            let row = self.lose_packet(newest, ctx);
            let is_persistent = losses.is_some_and(|losses| losses.is_persistent) || row > longest;
            losses = Some(Losses { newest, is_persistent });
        }
        self.expire_late_packets(&settings, ctx);
        losses
    }

    /// Declares a packet lost. Returns for how long packets in a row were lost.
    fn lose_packet(&mut self, number: u32, ctx: &mut impl SenderContext) -> Span {
        let Some(quic) = &mut self.quic else { return 0 };
        let Some(packet) = quic.packets.settle(number) else { return 0 };
        quic.packets.trim();
        quic.late.push(number, packet.segment, ctx.now());
        if !packet.is_probed {
            quic.segments.lose(packet.segment, self.una);
        }
        let row = quic.lost_run.add(number, packet.at);
        ctx.observe(Event::Lost { seq: number });
        let sent = self.sent.as_mut().and_then(|sent| sent.lose(number));
        if let Some(sent) = sent {
            self.controller.on_segment_lost(&sent, &self.rtt.path, &mut self.window);
        }
        row
    }

    /// Forgets lost packets whose ACKs are no longer expected: after a probe timeout.
    fn expire_late_packets(&mut self, settings: &Quic, ctx: &impl SenderContext) {
        let path = self.rtt.path;
        if let Some(quic) = self.quic.as_mut().filter(|quic| !quic.late.is_empty()) {
            let age = quic.rtt.pto(&path, settings);
            quic.late.expire(ctx.now(), age);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_losses_ends_at_a_packet_that_arrived() {
        let mut run = LostRun::default();
        let rows = [(4, 10), (5, 30), (6, 60), (8, 70), (9, 90)].map(|(number, at)| run.add(number, at));
        assert_eq!(rows, [0, 20, 50, 0, 20]);
    }
}
