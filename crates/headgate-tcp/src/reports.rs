//! Reports of single segments, delivered or lost, to those that follow them.

use headgate_model::control::{Controller, Path, Window};
use headgate_model::units::Time;

use crate::context::{Event, SenderContext};
use crate::rtt::Echoed;
use crate::scoreboard::Scoreboard;
use crate::sender::Sender;
use crate::sent_packets::SentPackets;

/// Records what arrived, where sent packets are recorded.
pub(crate) struct DeliveryRecorder<'a> {
    pub(crate) sent: Option<&'a mut SentPackets>,
    pub(crate) now: Time,
    /// Segments of a time-out are below this.
    pub(crate) recover: u32,
    /// One arrived that was sent once, and before the last time-out.
    pub(crate) original: bool,
}

impl DeliveryRecorder<'_> {
    pub(crate) fn note(&mut self, seq: u32, again: bool, echoed: Option<Echoed>) {
        self.original |= !again && seq < self.recover;
        if let Some(sent) = &mut self.sent {
            sent.deliver(seq, self.now, echoed);
        }
    }
}

/// Reports what was lost to the observer, and to a controller that follows every segment.
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
        let (board, mut losses) = self.board_and_losses(ctx);
        board.lose_first(|seq| losses.note(seq));
    }

    pub(crate) fn board_and_losses<'a, X: SenderContext>(
        &'a mut self,
        ctx: &'a mut X,
    ) -> (&'a mut Scoreboard, LossReporter<'a, C, X>) {
        let recovery = self.recovery.as_mut().expect("trouble has a board");
        let (sent, window) = (self.sent.as_deref_mut(), &mut self.window);
        (
            &mut recovery.board,
            LossReporter { sent, controller: &mut self.controller, path: &self.rtt.path, window, ctx },
        )
    }
}
