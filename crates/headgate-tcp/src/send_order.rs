//! The order in which segments were sent, and by how much later ones may overtake earlier ones: what RACK asks
//! (RFC 8985).

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The largest distance that counts (Linux `tcp_max_reordering`).
const MOST_REORDERING: u32 = 300;

/// Entries for which there is always room.
const ROOM: usize = 16;

/// Recoveries for which the reordering window keeps its size (RFC 8985 §6.2 step 4).
const KEPT_RECOVERIES: u8 = 16;

/// Transmissions in order of time; those that were repeated or acknowledged are stale.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) sent: VecDeque<(Time, u32)>,
    /// The transmission sent last among all that were delivered, and its round trip.
    pub(crate) newest: (Time, u32),
    pub(crate) newest_rtt: Span,
    /// Delivered segments are below this one; and were before this ACK.
    pub(crate) end: u32,
    pub(crate) end_before: u32,
    /// A segment that was sent once arrived after a later one (RFC 8985 §6.2 step 3).
    pub(crate) reordered: bool,
    /// The largest distance at which that happened, segments (Linux `tp->reordering`).
    pub(crate) degree: u32,
    pub(crate) window: ReorderWindow,
}

impl Order {
    /// Within one ACK nothing is known of the order of arrivals.
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

/// The reordering window, in quarters of the least RTT (RFC 8985 §6.2 step 4, `tcp_rack_update_reo_wnd`). It grows
/// by one a round trip while duplicates are reported, and is one again after 16 recoveries without any.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ReorderWindow {
    pub(crate) quarters: u8,
    /// Recoveries for which it keeps its size.
    kept: u8,
    /// A duplicate was reported that has not changed it yet.
    pub(crate) reported: bool,
    /// Segments delivered when it last changed.
    changed_at: u32,
}

impl Default for ReorderWindow {
    fn default() -> Self {
        Self { quarters: 1, kept: 0, reported: false, changed_at: 0 }
    }
}

impl ReorderWindow {
    /// An ACK came of a segment that left when so many were `prior` delivered; `delivered` are now. Duplicates of
    /// the round trip in which the window changed do not count.
    pub(crate) fn update(&mut self, prior: u32, delivered: u32) {
        if prior >= self.changed_at {
            self.quarters = self.quarters.saturating_add(1);
            (self.changed_at, self.kept) = (delivered, KEPT_RECOVERIES);
        }
        self.reported = false;
    }

    /// A recovery ended; its reduction was `undone`, or stays.
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

/// Gives back room that is long unused: a ring is walked through to its end, however little is in it,
/// and drives everything else out of the cache.
#[inline]
pub(crate) fn tighten<T>(ring: &mut VecDeque<T>) {
    if ring.capacity() > 4 * ring.len().max(ROOM) {
        ring.shrink_to(2 * ring.len().max(ROOM));
    }
}

/// See [`SentPackets::overtaken`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overtaken {
    None,
    Maybe(Time),
    Lost(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reordering_window_grows_once_a_round_trip_and_is_forgotten_after_sixteen_recoveries() {
        let mut window = ReorderWindow::default();
        window.update(0, 100);
        window.update(60, 150); // of what left before it had grown
        assert_eq!(window.quarters, 2);
        window.update(100, 200);
        assert_eq!(window.quarters, 3);
        (0..15).for_each(|_| window.end_recovery(false));
        assert_eq!(window.quarters, 3);
        window.end_recovery(false);
        assert_eq!(window.quarters, 1);
    }
}
