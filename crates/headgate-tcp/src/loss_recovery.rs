//! State that a sender has only while something is lost or reordered.

use serde::{Deserialize, Serialize};

use crate::scoreboard::Scoreboard;

/// State that exists only while something is lost or reordered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LossRecovery {
    pub board: Scoreboard,
    /// Without SACK: segments that duplicate ACKs say have left, less those that partial ACKs took back
    /// (RFC 6582 §3.2); below zero where duplicates were lost.
    pub(crate) inflation: f64,
    /// NewReno: this recovery has seen a partial ACK.
    pub(crate) partial: bool,
    /// Segments in flight where ACKs alone are counted, whatever they report.
    pub(crate) unreported: u32,
    /// PRR: segments delivered and sent since recovery began, and the flight or window then.
    pub(crate) delivered: u32,
    pub(crate) sent: u32,
    pub(crate) flight: u32,
    /// Until the next ACK only new segments are sent.
    pub(crate) sends_new: bool,
}

impl LossRecovery {
    pub(crate) fn new(una: u32, next: u32) -> Self {
        let mut board = Scoreboard::new(una);
        board.extend(next);
        Self {
            board,
            inflation: 0.0,
            partial: false,
            unreported: 0,
            delivered: 0,
            sent: 0,
            flight: 0,
            sends_new: false,
        }
    }

    /// A new segment was sent; `next` is above it.
    pub fn note_sent(&mut self, next: u32) {
        self.sent += 1;
        self.unreported += 1;
        self.board.extend(next);
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.board.bytes()
    }

    /// PRR (RFC 9937 §6): segments that may leave on an ACK that tells of so many delivered. The first
    /// always goes. Down to the target it is one for each that arrived, and one more only for a `safe` ACK,
    /// which moves on and tells of no further loss: else a law that keeps more than the path holds would
    /// grow into the losses of its own recovery.
    pub(crate) fn allowed(&self, target: f64, delivered: u32, safe: bool) -> f64 {
        let (pipe, all, sent) =
            (f64::from(self.board.pipe()), f64::from(self.delivered), f64::from(self.sent));
        let allowed = if pipe > target {
            (all * target / f64::from(self.flight.max(1))).ceil() - sent
        } else {
            (target - pipe).min((all - sent).max(f64::from(delivered)) + f64::from(u8::from(safe)))
        };
        allowed.max(f64::from(u8::from(self.sent == 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_below_its_target_grows_only_on_safe_acks() {
        // of 100 segments 50 are lost and 10 arrived: 40 are in the network, where 90 may be
        let mut recovery = LossRecovery::new(0, 100);
        (0..50).for_each(|seq| recovery.board.lose_again(seq));
        recovery.board.sack([(50, 60), (0, 0), (0, 0)], |_, _| ());
        (recovery.flight, recovery.delivered, recovery.sent) = (100, 10, 10);
        assert_eq!((recovery.board.pipe(), recovery.allowed(90.0, 2, false)), (40, 2.0));
        assert_eq!(recovery.allowed(90.0, 2, true), 3.0);
        // above the target: 12 delivered let ceil(12 * 0.3) = 4 leave in all
        (recovery.delivered, recovery.sent) = (12, 3);
        assert_eq!((recovery.allowed(30.0, 2, false), recovery.allowed(30.0, 2, true)), (1.0, 1.0));
    }
}
