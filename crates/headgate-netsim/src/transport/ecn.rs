//! Explicit congestion notification: the receiver's echo and the sender's answer (RFC 3168, RFC 8257).

use headgate_model::control::{Cause, Echo, Registry};

use super::sender::Sender;
use super::state::Phase;
use crate::packet::{Head, Kind};
use crate::shared::Shared;

impl<L: Registry> Sender<L> {
    pub(super) fn syn_head(&self) -> Head {
        let head = Head::plain(Kind::Syn);
        head.with(Head::CAPABLE, self.echo != Echo::None).with(Head::ECHO, self.echo == Echo::Accurate)
    }

    /// The head of a data segment. What is sent again is not capable (RFC 3168 §6.1.5), but where marks
    /// are echoed exactly (as Linux).
    #[inline]
    pub(super) fn data_head(&mut self, again: bool) -> Head {
        let head = Head::plain(Kind::Data);
        if self.echo == Echo::None || (again && self.echo == Echo::Latched) {
            return head;
        }
        let reduced = std::mem::take(&mut self.reduced);
        head.with(Head::CAPABLE, true).with(Head::REDUCED, reduced)
    }

    /// An ACK echoes a mark: the window shrinks, once for one window of data.
    pub(super) fn on_mark(&mut self, shared: &mut Shared<L>) {
        if self.una <= self.marked_until {
            return;
        }
        self.marked_until = self.next;
        self.reduced = true;
        if self.phase != Phase::Open {
            return; // the window shrank for a loss; what is told of that is the same (RFC 3168 §6.1.2)
        }
        self.tally.reductions += 1;
        let flight = self.flight_for_law(shared);
        self.tell_law(Cause::Mark, flight, shared);
        self.settle_window(shared.now);
    }
}
