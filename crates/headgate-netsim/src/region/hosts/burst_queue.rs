//! Bursts on a persistent connection, and the properties of a flow or burst that results record.

use headgate_model::units::{Span, Time};
use headgate_tcp::{ENDLESS, Stats};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The end of a burst without an end: the segment after the last one of a connection.
const LAST: u32 = ENDLESS - 1;

/// One burst, from its write to its last ACK.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Burst {
    /// Its number among those of its source, from 1.
    pub number: u32,
    /// Its first segment.
    pub from: u32,
    /// The segment after its last one.
    pub end: u32,
    /// When the application wrote it, picoseconds.
    pub started: Time,
    /// Time until the receiver got the last segment, picoseconds.
    pub received: Option<Span>,
}

/// The unacknowledged bursts of one connection, the oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BurstQueue {
    bursts: VecDeque<Burst>,
    /// Its source will begin another burst.
    pub expects_more: bool,
    /// The sender's statistics when the last burst ended.
    baseline: Stats,
}

/// A flow or burst, as results count it.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Number of the burst on its connection, from 1; 0 for a flow.
    pub burst: u32,
    /// Its first segment.
    pub from: u32,
    /// Number of its segments.
    pub size: u32,
    /// Time until the receiver got the last segment, picoseconds.
    pub received: Option<Span>,
    /// The sender's statistics for this flow or burst.
    pub stats: Stats,
}

impl Transfer {
    /// Returns how many of the segments from `base` on are acknowledged if all below `una` are.
    pub fn delivered(&self, base: u32, una: u32) -> u32 {
        let within = |seq: u32| seq.clamp(self.from, self.from.saturating_add(self.size));
        within(una) - within(base).min(within(una))
    }
}

impl BurstQueue {
    /// Adds a burst of the segments from `from` up to, but not including, `end`.
    pub fn begin(&mut self, number: u32, (from, end): (u32, u32), started: Time) {
        self.bursts.push_back(Burst { number, from, end, started, received: None });
    }

    /// Ends the last burst before segment `end`.
    pub fn stop(&mut self, end: u32) {
        if let Some(last) = self.bursts.back_mut() {
            last.end = end.min(last.end);
        }
    }

    /// Returns whether no burst is active.
    pub fn is_idle(&self) -> bool {
        self.bursts.is_empty()
    }

    /// Returns whether the oldest burst ends before segment `next`.
    pub fn oldest_ends_by(&self, next: u32) -> bool {
        self.bursts.front().is_some_and(|burst| burst.end <= next)
    }

    /// Notes that the receiver got all segments below `below`.
    pub fn note_received(&mut self, below: u32, at: Time) {
        let complete = self.bursts.iter_mut().take_while(|burst| burst.end <= below);
        complete.for_each(|burst| burst.received = burst.received.or(Some(at - burst.started)));
    }

    /// Returns the active bursts. The sender's statistics belong to the oldest one.
    pub fn transfers<'a>(&'a self, stats: &'a Stats) -> impl Iterator<Item = Transfer> + 'a {
        self.bursts.iter().enumerate().map(move |(place, burst)| {
            let counted = if place == 0 { stats.since(&self.baseline) } else { Stats::default() };
            let established = stats.established.filter(|_| burst.from == 0);
            Transfer {
                burst: burst.number,
                from: burst.from,
                size: if burst.end == LAST { ENDLESS } else { burst.end - burst.from },
                received: burst.received,
                stats: Stats { started: burst.started, established, ..counted },
            }
        })
    }

    /// Removes the oldest burst.
    pub fn end(&mut self, stats: &Stats) {
        self.bursts.pop_front();
        self.baseline = *stats;
    }

    /// Returns the memory of the queue, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.bursts.capacity() * size_of::<Burst>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_received_when_all_segments_below_its_end_are() {
        let mut bursts = BurstQueue::default();
        bursts.begin(1, (0, 10), 100);
        bursts.begin(2, (10, 30), 200);
        bursts.note_received(29, 250);
        bursts.note_received(30, 300);
        let stats = Stats::default();
        let received: Vec<_> = bursts.transfers(&stats).map(|t| t.received).collect();
        assert_eq!(received, [Some(150), Some(100)]);
    }

    #[test]
    fn the_senders_statistics_belong_to_the_oldest_burst() {
        let mut bursts = BurstQueue::default();
        bursts.begin(1, (0, 10), 0);
        bursts.begin(2, (10, 30), 5);
        let counted = |retransmissions| Stats { retransmissions, established: Some(7), ..Stats::default() };
        let seen = |bursts: &BurstQueue, stats: &Stats| -> Vec<_> {
            bursts.transfers(stats).map(|t| (t.burst, t.stats.retransmissions, t.stats.established)).collect()
        };
        assert_eq!(seen(&bursts, &counted(3)), [(1, 3, Some(7)), (2, 0, None)]);
        bursts.end(&counted(4));
        assert_eq!(seen(&bursts, &counted(9)), [(2, 5, None)]);
    }

    #[test]
    fn a_burst_counts_only_its_segments() {
        let burst = Transfer { burst: 2, from: 10, size: 20, received: None, stats: Stats::default() };
        let delivered = [(0, 5), (0, 10), (0, 15), (12, 15), (0, 40), (40, 40)];
        assert_eq!(delivered.map(|(base, una)| burst.delivered(base, una)), [0, 0, 5, 3, 20, 0]);
    }
}
