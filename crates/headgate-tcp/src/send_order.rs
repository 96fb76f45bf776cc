//! The order of transmissions, and the observed reordering, as RACK (RFC 8985) needs them.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The largest reordering distance that is recorded (Linux `tcp_max_reordering`).
const MOST_REORDERING: u32 = 300;

/// The smallest capacity that a ring keeps.
pub(crate) const ROOM: usize = 16;

/// Number of recoveries for which the reordering window keeps its size (RFC 8985 section 6.2 step 4).
const KEPT_RECOVERIES: u8 = 16;

/// Transmissions in order of time. Entries that were repeated or acknowledged are stale.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SendOrder {
    pub(crate) sent: VecDeque<(Time, u32)>,
    /// The newest transmission among all that were delivered, and its round trip.
    pub(crate) newest: (Time, u32),
    pub(crate) newest_rtt: Span,
    /// All delivered segments are below `end`; before this ACK they were below `end_before`.
    pub(crate) end: u32,
    pub(crate) end_before: u32,
    /// Whether a segment that was sent once arrived after a later one (RFC 8985 section 6.2 step 3).
    pub(crate) reordered: bool,
    /// The largest distance of such an arrival, segments (Linux `tp->reordering`).
    pub(crate) degree: u32,
    pub(crate) window: ReorderWindow,
}

impl SendOrder {
    /// Records an arrival. The order of arrivals within one ACK is unknown.
    #[inline]
    pub(crate) fn note_arrival(&mut self, seq: u32, again: bool) {
        self.end = self.end.max(seq + 1);
        if !again && seq < self.end_before {
            self.note_reordering(self.end_before - seq);
        }
    }

    #[cold]
    pub(crate) fn note_reordering(&mut self, distance: u32) {
        self.reordered = true;
        self.degree = self.degree.max(distance).min(MOST_REORDERING);
    }

    pub(crate) fn note_delivered(&mut self, at: Time, seq: u32, rtt: Span) {
        if (at, seq) > self.newest {
            (self.newest, self.newest_rtt) = ((at, seq), rtt);
        }
    }

    pub(crate) fn advance(&mut self, una: u32) {
        self.end_before = self.end;
        while self.sent.front().is_some_and(|sent| sent.1 < una) {
            self.sent.pop_front();
        }
        tighten(&mut self.sent);
    }
}

/// The reordering window, in quarters of the smallest RTT (RFC 8985 section 6.2 step 4,
/// `tcp_rack_update_reo_wnd`). It grows by one per round trip while duplicates are reported, and returns to
/// one after 16 recoveries without any.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ReorderWindow {
    pub(crate) quarters: u8,
    /// Number of recoveries for which the window keeps its size.
    kept: u8,
    /// Whether a duplicate was reported that has not yet changed the window.
    pub(crate) reported: bool,
    /// Segments delivered when the window last changed.
    changed_at: u32,
}

impl Default for ReorderWindow {
    fn default() -> Self {
        Self { quarters: 1, kept: 0, reported: false, changed_at: 0 }
    }
}

impl ReorderWindow {
    /// Updates the window by an ACK of a segment that was sent when `prior` segments were delivered;
    /// `delivered` are delivered now. Duplicates of the round trip in which the window changed do not count.
    pub(crate) fn update(&mut self, prior: u32, delivered: u32) {
        if prior >= self.changed_at {
            self.quarters = self.quarters.saturating_add(1);
            (self.changed_at, self.kept) = (delivered, KEPT_RECOVERIES);
        }
        self.reported = false;
    }

    /// Records the end of a recovery whose reduction was `undone`, or stays.
    pub(crate) fn end_recovery(&mut self, undone: bool) {
        if undone {
            self.kept = (self.kept + 1).min(KEPT_RECOVERIES);
            return;
        }
        self.kept = self.kept.saturating_sub(1);
        if self.kept == 0 {
            self.quarters = 1;
        }
    }
}

/// Releases capacity that has been unused for long. A ring is traversed up to its capacity however few
/// entries it holds, and would displace other data from the cache.
#[inline]
pub(crate) fn tighten<T>(ring: &mut VecDeque<T>) {
    if ring.capacity() > 4 * ring.len().max(ROOM) {
        ring.shrink_to(2 * ring.len().max(ROOM));
    }
}

/// The result of [`SentPackets::next_loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossVerdict {
    None,
    Pending(Time),
    Lost(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reordering_window_grows_once_a_round_trip_and_is_forgotten_after_sixteen_recoveries() {
        let mut window = ReorderWindow::default();
        window.update(0, 100);
        window.update(60, 150); // for transmissions before the growth
        assert_eq!(window.quarters, 2);
        window.update(100, 200);
        assert_eq!(window.quarters, 3);
        (0..15).for_each(|_| window.end_recovery(false));
        assert_eq!(window.quarters, 3);
        window.end_recovery(false);
        assert_eq!(window.quarters, 1);
    }
}
