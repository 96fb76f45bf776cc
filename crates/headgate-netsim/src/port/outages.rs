//! Outages of a link: spans of time during which it sends nothing.

use headgate_model::plan::{Outage, OutageFlight, OutageQueue};
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

/// The outages of a link, in order. All of them are known when the run begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outages {
    spans: Vec<Outage>,
    /// Number of outages that have begun.
    begun: usize,
    /// End of the last outage that has begun.
    up_at: Time,
    /// Until then, arrivals are dropped.
    drops_until: Time,
}

/// A link that is always up.
pub static NO_OUTAGES: Outages = Outages { spans: Vec::new(), begun: 0, up_at: 0, drops_until: 0 };

impl Outages {
    /// `spans` must be in order and must not overlap.
    pub fn new(spans: &[Outage]) -> Self {
        Self { spans: spans.to_vec(), begun: 0, up_at: 0, drops_until: 0 }
    }

    /// Returns when the next outage begins.
    #[inline]
    pub fn next_start(&self) -> Time {
        self.spans.get(self.begun).map_or(NEVER, |span| span.at_ps)
    }

    /// Begins the next outage. Returns its effect on the queue.
    pub fn begin(&mut self) -> OutageQueue {
        let span = self.spans[self.begun];
        self.begun += 1;
        self.up_at = span.until_ps;
        if span.queue == OutageQueue::Drop {
            self.drops_until = span.until_ps;
        }
        span.queue
    }

    /// Returns the end of the last outage that has begun. Until then, no transmission begins.
    #[inline]
    pub fn up_at(&self) -> Time {
        self.up_at
    }

    /// Returns whether a packet that arrives at `now` is dropped.
    #[inline]
    pub fn drops_arrivals(&self, now: Time) -> bool {
        now < self.drops_until
    }

    /// Returns the outages that are still to come and begin before `end`.
    pub fn coming(&self, end: Time) -> impl Iterator<Item = &Outage> {
        self.spans[self.begun..].iter().take_while(move |span| span.at_ps < end)
    }

    /// Returns whether an outage loses a packet that is on the wire from `leaves` to `arrives`.
    pub fn cuts(&self, leaves: Time, arrives: Time) -> bool {
        let on_wire = self.coming(arrives).filter(|span| span.at_ps >= leaves);
        on_wire.into_iter().any(|span| span.in_flight == OutageFlight::Lose)
    }

    /// Returns whether an outage can lose packets on the wire.
    pub fn has_cuts(&self) -> bool {
        self.spans.iter().any(|span| span.in_flight == OutageFlight::Lose)
    }

    /// Returns the outages that overlap the time from `from` to `to`.
    pub fn within(&self, from: Time, to: Time) -> impl Iterator<Item = &Outage> {
        let first = self.spans.partition_point(|span| span.until_ps <= from);
        self.spans[first..].iter().take_while(move |span| span.at_ps < to)
    }

    /// Returns how long the link is down from `from` to `to`.
    pub fn downtime(&self, from: Time, to: Time) -> Span {
        self.within(from, to).map(|span| span.until_ps.min(to) - span.at_ps.max(from)).sum()
    }

    /// Returns the outage that contains an instant.
    pub fn at(&self, now: Time) -> Option<&Outage> {
        self.within(now, now.saturating_add(1)).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outage(at_ps: Time, until_ps: Time, in_flight: OutageFlight) -> Outage {
        Outage { at_ps, until_ps, queue: OutageQueue::Drop, in_flight }
    }

    fn two() -> Outages {
        Outages::new(&[outage(10, 20, OutageFlight::Deliver), outage(30, 35, OutageFlight::Lose)])
    }

    #[test]
    fn the_time_down_is_that_of_the_overlap() {
        let spans = [(0, 10), (0, 11), (12, 15), (15, 32), (20, 30), (0, 100)];
        assert_eq!(spans.map(|(from, to)| two().downtime(from, to)), [0, 1, 3, 7, 0, 15]);
        assert_eq!(
            [9, 10, 19, 20, 34, 35].map(|now| two().at(now).is_some()),
            [false, true, true, false, true, false]
        );
    }

    #[test]
    fn an_outage_loses_what_is_on_the_wire_as_it_begins() {
        let on_wire = [(8, 12), (25, 30), (25, 31), (30, 40), (31, 40), (36, 50)];
        let cut = on_wire.map(|(leaves, arrives)| two().cuts(leaves, arrives));
        assert_eq!(cut, [false, false, true, true, false, false]);
        assert!(two().has_cuts());
    }

    #[test]
    fn each_outage_begins_once() {
        let mut outages = two();
        assert_eq!((outages.next_start(), outages.up_at()), (10, 0));
        assert_eq!(outages.begin(), OutageQueue::Drop);
        assert_eq!((outages.next_start(), outages.up_at()), (30, 20));
        assert_eq!([19, 20].map(|now| outages.drops_arrivals(now)), [true, false]);
        outages.begin();
        assert_eq!((outages.next_start(), outages.up_at()), (NEVER, 35));
    }
}
