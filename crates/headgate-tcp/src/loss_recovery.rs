//! Sender state that exists only while segments are lost or reordered.

use serde::{Deserialize, Serialize};

use crate::scoreboard::Scoreboard;

/// Sender state that exists only while segments are lost or reordered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LossRecovery {
    pub scoreboard: Scoreboard,
    /// Without SACK: segments that duplicate ACKs report as departed, less those that partial ACKs took back
    /// (RFC 6582 section 3.2). It is negative if duplicate ACKs were lost.
    pub(crate) inflation: f64,
    /// NewReno: whether this recovery has seen a partial ACK.
    pub(crate) partial: bool,
    /// Segments in flight if only the number of ACKs counts, not their contents.
    pub(crate) unreported: u32,
    /// PRR: segments delivered and sent since recovery began, and the flight or window at its beginning.
    pub(crate) delivered: u32,
    pub(crate) sent: u32,
    pub(crate) flight: u32,
    /// Whether only new segments are sent until the next ACK.
    pub(crate) sends_new: bool,
}

impl LossRecovery {
    pub(crate) fn new(una: u32, next: u32) -> Self {
        let mut scoreboard = Scoreboard::new(una);
        scoreboard.extend(next);
        Self {
            scoreboard,
            inflation: 0.0,
            partial: false,
            unreported: 0,
            delivered: 0,
            sent: 0,
            flight: 0,
            sends_new: false,
        }
    }

    /// Records that a new segment was sent; `next` is the segment after it.
    pub fn note_sent(&mut self, next: u32) {
        self.sent += 1;
        self.unreported += 1;
        self.scoreboard.extend(next);
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.scoreboard.bytes()
    }

    /// Returns the segments that PRR (RFC 9937 section 6) allows on an ACK that delivers `delivered`
    /// segments. The first retransmission is always allowed. Down to the target, one segment may leave for
    /// each that arrived. A `safe` ACK, which acknowledges new data and reports no further loss, allows one
    /// more. Without that rule, a controller whose target exceeds the path's capacity would grow into the
    /// losses of the recovery.
    pub(crate) fn allowed(&self, target: f64, delivered: u32, safe: bool) -> f64 {
        let (pipe, all, sent) =
            (f64::from(self.scoreboard.pipe()), f64::from(self.delivered), f64::from(self.sent));
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
        // of 100 segments 50 are lost and 10 arrived: 40 are in the network, and 90 are allowed
        let mut recovery = LossRecovery::new(0, 100);
        (0..50).for_each(|seq| recovery.scoreboard.lose_again(seq));
        recovery.scoreboard.sack([(50, 60), (0, 0), (0, 0)], |_, _| ());
        (recovery.flight, recovery.delivered, recovery.sent) = (100, 10, 10);
        assert_eq!((recovery.scoreboard.pipe(), recovery.allowed(90.0, 2, false)), (40, 2.0));
        assert_eq!(recovery.allowed(90.0, 2, true), 3.0);
        // above the target: 12 delivered segments allow ceil(12 * 0.3) = 4 in all
        (recovery.delivered, recovery.sent) = (12, 3);
        assert_eq!((recovery.allowed(30.0, 2, false), recovery.allowed(30.0, 2, true)), (1.0, 1.0));
    }
}
