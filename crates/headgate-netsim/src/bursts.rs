//! Bursts on a persistent connection, and the facts of a flow or burst that results record.

use headgate_model::units::{Span, Time};
use headgate_tcp::Stats;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One burst, from its write to its last ACK.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Burst {
    /// Its number among those of its source, from 1.
    pub number: u32,
    /// Its first segment; `end` is the segment after its last one.
    pub from: u32,
    pub end: u32,
    pub begun: Time,
    /// When the receiver had all of it, after it began.
    pub received: Option<Span>,
}

/// The bursts of one connection that are not acknowledged yet, the oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BurstQueue {
    under_way: VecDeque<Burst>,
    /// Its source will begin another burst.
    pub goes_on: bool,
    /// The sender's counters when the last burst ended.
    before: Stats,
}

/// A flow, or a burst, as results count it.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Number of the burst on its connection, from 1; 0 for a flow.
    pub burst: u32,
    /// Its first segment; `size` counts its segments.
    pub from: u32,
    pub size: u32,
    pub received: Option<Span>,
    /// The sender's counters for this flow or burst.
    pub stats: Stats,
}

impl Transfer {
    /// Of the segments from `base` on, how many are acknowledged when all below `una` are.
    pub fn delivered(&self, base: u32, una: u32) -> u32 {
        let within = |seq: u32| seq.clamp(self.from, self.from.saturating_add(self.size));
        within(una) - within(base).min(within(una))
    }
}

impl BurstQueue {
    /// The application writes a burst, whose last segment is before `end`.
    pub fn begin(&mut self, number: u32, (from, end): (u32, u32), begun: Time) {
        self.under_way.push_back(Burst { number, from, end, begun, received: None });
    }

    /// Whether no burst is under way.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Whether the oldest burst ends by this segment.
    pub fn oldest_ends_by(&self, next: u32) -> bool {
        self.under_way.front().is_some_and(|burst| burst.end <= next)
    }

    /// The receiver has all segments below this one.
    pub fn note_received(&mut self, below: u32, at: Time) {
        let complete = self.under_way.iter_mut().take_while(|burst| burst.end <= below);
        complete.for_each(|burst| burst.received = burst.received.or(Some(at - burst.begun)));
    }

    /// Returns the bursts under way. The sender's counters belong to the oldest one.
    pub fn transfers<'a>(&'a self, stats: &'a Stats) -> impl Iterator<Item = Transfer> + 'a {
        self.under_way.iter().enumerate().map(move |(place, burst)| {
            let counted = if place == 0 { stats.since(&self.before) } else { Stats::default() };
            let established = stats.established.filter(|_| burst.from == 0);
            Transfer {
                burst: burst.number,
                from: burst.from,
                size: burst.end - burst.from,
                received: burst.received,
                stats: Stats { started: burst.begun, established, ..counted },
            }
        })
    }

    /// Ends the oldest burst.
    pub fn end(&mut self, stats: &Stats) {
        self.under_way.pop_front();
        self.before = *stats;
    }

    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.under_way.capacity() * size_of::<Burst>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_received_when_all_below_their_end_is() {
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
    fn what_a_sender_counts_belongs_to_the_oldest_burst() {
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
    fn a_burst_counts_its_own_segments_only() {
        let burst = Transfer { burst: 2, from: 10, size: 20, received: None, stats: Stats::default() };
        let delivered = [(0, 5), (0, 10), (0, 15), (12, 15), (0, 40), (40, 40)];
        assert_eq!(delivered.map(|(base, una)| burst.delivered(base, una)), [0, 0, 5, 3, 20, 0]);
    }
}
