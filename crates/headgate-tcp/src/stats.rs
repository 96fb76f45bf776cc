//! The counters of a sender.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// The counters of one sender. The first fields share a cache line, because every ACK updates them.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Stats {
    /// Sum of the RTT samples, seconds, and their number.
    pub rtt_sum_s: f64,
    /// Sum of the windows after each ACK of new data, segments, and the number of those ACKs.
    pub cwnd_sum: f64,
    /// See `rtt_sum_s`.
    pub rtt_count: u32,
    /// See `cwnd_sum`.
    pub acks: u32,
    /// Number of reductions of the window, and their sum in segments.
    pub decreases: u32,
    /// Whether the first slow start has ended.
    pub left_slow_start: bool,
    /// See `decreases`.
    pub fallen: f64,
    /// Time of the first SYN, picoseconds.
    pub started: Time,
    /// Time from the first SYN to its answer, picoseconds.
    pub established: Option<Span>,
    /// Segments sent again.
    pub retransmissions: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
    /// Episodes of fast recovery.
    pub recoveries: u32,
    /// Segments whose congestion mark the receiver has reported.
    pub marked: f64,
    /// Reductions for congestion marks.
    pub reductions: u32,
    /// Reductions that were undone, and time-outs found spurious.
    pub undone: u32,
    /// See `undone`.
    pub spurious_timeouts: u32,
    /// The end of the first slow start.
    pub exit: SlowStartExit,
}

/// The end of the first slow start, and its losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowStartExit {
    /// Time from the first SYN, picoseconds.
    pub after: Span,
    /// The window before any reduction, segments.
    pub cwnd: f64,
    /// Retransmissions of segments below this one count as losses of slow start: those that were sent before
    /// its end or within one window after it.
    pub until: u32,
    /// Segments sent again up to `until`.
    pub resent: u32,
}

impl Stats {
    /// Returns the counts since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            rtt_sum_s: self.rtt_sum_s - before.rtt_sum_s,
            cwnd_sum: self.cwnd_sum - before.cwnd_sum,
            rtt_count: self.rtt_count - before.rtt_count,
            acks: self.acks - before.acks,
            decreases: self.decreases - before.decreases,
            fallen: self.fallen - before.fallen,
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
            marked: self.marked - before.marked,
            reductions: self.reductions - before.reductions,
            undone: self.undone - before.undone,
            spurious_timeouts: self.spurious_timeouts - before.spurious_timeouts,
            ..*self
        }
    }

    /// Counts a retransmission.
    pub(crate) fn count_resent(&mut self, seq: u32) {
        self.retransmissions += 1;
        self.exit.resent += u32::from(!self.left_slow_start || seq < self.exit.until);
    }

    /// Returns the end of the first slow start, if it has ended.
    #[must_use]
    pub fn slow_start_exit(&self) -> Option<SlowStartExit> {
        self.left_slow_start.then_some(self.exit)
    }

    /// Returns the repairs since the start of the flow.
    #[must_use]
    pub fn repairs(&self) -> Repairs {
        let Self { retransmissions, timeouts, recoveries, undone, spurious_timeouts, .. } = *self;
        Repairs { retransmissions, timeouts, recoveries, undone, spurious_timeouts }
    }
}

/// The repairs of a sender, and how many of them were needless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repairs {
    /// Segments sent again.
    pub retransmissions: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
    /// Episodes of fast recovery.
    pub recoveries: u32,
    /// Reductions that were undone.
    pub undone: u32,
    /// Time-outs found spurious.
    pub spurious_timeouts: u32,
}

impl Repairs {
    /// Returns the repairs since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
            undone: self.undone - before.undone,
            spurious_timeouts: self.spurious_timeouts - before.spurious_timeouts,
        }
    }
}
