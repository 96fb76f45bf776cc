//! Reports of single delivered or lost segments.

use headgate_model::control::{Controller, Path, Window};
use headgate_model::units::Time;

use crate::context::{Event, SenderContext};
use crate::rtt::EchoedStamp;
use crate::scoreboard::Scoreboard;
use crate::sender::Sender;
use crate::sent_packets::SentPackets;

/// Records delivered segments, if sent packets are recorded.
pub(crate) struct DeliveryRecorder<'a> {
    pub(crate) sent: Option<&'a mut SentPackets>,
    pub(crate) now: Time,
    /// Segments that were outstanding at the last time-out are below this one.
    pub(crate) recover: u32,
    /// Whether a segment arrived that was sent once, and before the last time-out.
    pub(crate) original: bool,
}

impl DeliveryRecorder<'_> {
    pub(crate) fn note(&mut self, seq: u32, again: bool, echoed: Option<EchoedStamp>) {
        self.original |= !again && seq < self.recover;
        if let Some(sent) = &mut self.sent {
            sent.deliver(seq, self.now, echoed);
        }
    }
}

/// Reports lost segments to the observer, and to a controller that follows every segment.
pub(crate) struct LossReporter<'a, C, X> {
    sent: Option<&'a mut SentPackets>,
    controller: &'a mut C,
    path: &'a Path,
    window: &'a mut Window,
    ctx: &'a mut X,
}

impl<C: Controller, X: SenderContext> LossReporter<'_, C, X> {
    pub(crate) fn note(&mut self, seq: u32) {
        self.ctx.observe(Event::Lost { seq });
        let sent = self.sent.as_mut().and_then(|sent| sent.lose(seq));
        if let Some(sent) = sent {
            self.controller.on_segment_lost(&sent, self.path, self.window);
        }
    }
}

impl<C: Controller> Sender<C> {
    pub(crate) fn lose_first(&mut self, ctx: &mut impl SenderContext) {
        let (scoreboard, mut reporter) = self.scoreboard_and_reporter(ctx);
        scoreboard.lose_first(|seq| reporter.note(seq));
    }

    pub(crate) fn scoreboard_and_reporter<'a, X: SenderContext>(
        &'a mut self,
        ctx: &'a mut X,
    ) -> (&'a mut Scoreboard, LossReporter<'a, C, X>) {
        let recovery = self.recovery.as_mut().expect("loss recovery has a scoreboard");
        let (sent, window) = (self.sent.as_deref_mut(), &mut self.window);
        (
            &mut recovery.scoreboard,
            LossReporter { sent, controller: &mut self.controller, path: &self.rtt.path, window, ctx },
        )
    }
}
