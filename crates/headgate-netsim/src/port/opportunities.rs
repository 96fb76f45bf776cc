//! Service by opportunities: instants at which a line carries a fixed number of bytes, used or not.
//!
//! Traces of cellular links are recorded in this form, and mahimahi's `mm-link` replays them (Netravali et
//! al. 2015). An opportunity ends one packet and begins the next. Its unused rest is lost if the queue is
//! empty.

use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::outages::Outages;

/// Bytes of an opportunity: the largest IP packet of an Ethernet.
pub const BYTES: u64 = 1500;

/// Opportunity times in rising order. A repeating trace starts again after `period`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpportunityTrace {
    times: Arc<[Time]>,
    /// After this time the trace repeats; `NEVER` if it does not.
    period: Span,
}

impl OpportunityTrace {
    /// `times` must be non-empty and rising. The first one is after 0, the last one not after `period`.
    pub fn new(times: Arc<[Time]>, period: Span) -> Self {
        Self { times, period }
    }

    /// Returns the number of the first opportunity after `now`.
    fn first_after(&self, now: Time) -> u64 {
        let (rounds, rest) = (now / self.period, now % self.period);
        rounds * self.times.len() as u64 + self.times.partition_point(|&time| time <= rest) as u64
    }

    /// Returns the number of the first opportunity at or after `now`.
    fn first_from(&self, now: Time) -> u64 {
        now.checked_sub(1).map_or(0, |before| self.first_after(before))
    }

    /// Returns the number of the first opportunity from `number` on that no outage removes.
    fn usable(&self, mut number: u64, outages: &Outages) -> u64 {
        while let Some(outage) = outages.at(self.at(number)) {
            number = self.first_from(outage.until_ps);
        }
        number
    }

    /// Returns the time of an opportunity.
    fn at(&self, number: u64) -> Time {
        let many = self.times.len() as u64;
        let (round, place) = (number / many, (number % many) as usize);
        round.checked_mul(self.period).map_or(NEVER, |begins| begins.saturating_add(self.times[place]))
    }
}

/// The opportunities that a line has used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opportunities {
    trace: OpportunityTrace,
    /// Number of the next one.
    next: u64,
    /// Bytes left of the previous one, at its instant.
    left: u64,
}

impl Opportunities {
    /// A line that has used none of the trace.
    pub fn new(trace: OpportunityTrace) -> Self {
        Self { trace, next: 0, left: 0 }
    }

    /// Returns when a packet has been carried whose service begins at `now`; `NEVER` if the trace ends
    /// before. Only a packet that has `waited` can use the rest of an opportunity at this instant, and further
    /// opportunities of the same instant: others arrived too late for them.
    pub fn serve(&mut self, now: Time, bytes: u64, waited: bool, outages: &Outages) -> Time {
        let here = waited && self.next > 0 && self.trace.at(self.next - 1) == now;
        if !here {
            self.left = 0;
            self.next = self.next.max(self.trace.first_after(now));
        }
        let more = bytes.saturating_sub(self.left).div_ceil(BYTES);
        self.left = self.left + more * BYTES - bytes;
        (0..more).for_each(|_| self.next = self.trace.usable(self.next, outages) + 1);
        if more == 0 { now } else { self.trace.at(self.next - 1) }
    }

    /// Returns the opportunities that are used so far, for [`Self::release`].
    pub fn used(&self) -> (u64, u64) {
        (self.next, self.left)
    }

    /// Releases all opportunities that were used since [`Self::used`] returned `used`.
    pub fn release(&mut self, used: (u64, u64)) {
        (self.next, self.left) = used;
    }

    /// Returns the bytes that the line could have carried until `now`.
    pub fn carried(&self, now: Time, outages: &Outages) -> u64 {
        let lost = outages.within(0, now.saturating_add(1)).map(|outage| {
            self.trace.first_from(outage.until_ps.min(now.saturating_add(1)))
                - self.trace.first_from(outage.at_ps)
        });
        (self.trace.first_after(now) - lost.sum::<u64>()) * BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::outages::NO_OUTAGES;
    use headgate_model::plan::{Outage, OutageFlight, OutageQueue};

    fn line(times: &[Time], period: Span) -> Opportunities {
        Opportunities::new(OpportunityTrace::new(times.into(), period))
    }

    #[test]
    fn a_full_packet_takes_an_opportunity_after_it_came() {
        let mut line = line(&[5, 10, 20], 20);
        assert_eq!(line.serve(0, 1500, false, &NO_OUTAGES), 5);
        assert_eq!(line.serve(5, 1500, true, &NO_OUTAGES), 10);
        // it came at the very instant: too late for it
        assert_eq!(line.serve(20, 1500, false, &NO_OUTAGES), 25);
        // those in between were lost
        assert_eq!(line.serve(71, 1500, false, &NO_OUTAGES), 80);
    }

    #[test]
    fn small_packets_share_one_and_large_ones_take_several() {
        let mut small = line(&[5, 10], 10);
        let ends: Vec<_> =
            (0..4).map(|k| small.serve(if k == 0 { 0 } else { 5 }, 500, k > 0, &NO_OUTAGES)).collect();
        assert_eq!(ends, [5, 5, 5, 10]);
        assert_eq!(line(&[5, 10], 10).serve(0, 3001, false, &NO_OUTAGES), 15);
    }

    #[test]
    fn what_is_left_is_for_those_that_wait() {
        let mut line = line(&[5, 10], 10);
        assert_eq!(line.serve(0, 100, false, &NO_OUTAGES), 5);
        assert_eq!(line.serve(5, 100, false, &NO_OUTAGES), 10);
    }

    #[test]
    fn several_at_one_instant_carry_as_many() {
        let mut line = line(&[5, 5, 5, 9], 9);
        assert_eq!((line.serve(0, 4500, false, &NO_OUTAGES), line.serve(5, 1500, true, &NO_OUTAGES)), (5, 9));
        assert_eq!(
            (
                line.carried(4, &NO_OUTAGES),
                line.carried(5, &NO_OUTAGES),
                line.carried(9, &NO_OUTAGES),
                line.carried(14, &NO_OUTAGES)
            ),
            (0, 4500, 6000, 10_500)
        );
    }

    /// A queue of full packets gets every opportunity, also several of one instant.
    #[test]
    fn packets_that_wait_use_all_opportunities_of_an_instant() {
        let times = [5, 5, 5, 9, 9];
        let mut line = line(&times, 9);
        let mut now = 0;
        for round in 0..3 {
            for (place, time) in times.iter().enumerate() {
                let waited = round + place > 0;
                now = line.serve(now, 1500, waited, &NO_OUTAGES);
                assert_eq!(now, 9 * round as Time + time, "round {round}, place {place}");
            }
        }
        assert_eq!(line.carried(now, &NO_OUTAGES), 15 * BYTES);
        // two small packets share an opportunity, and the third one is at the same instant
        let mut small = self::line(&[5, 5, 9], 9);
        let ends = [(0, false), (5, true), (5, true), (5, true), (5, true)];
        let ends = ends.map(|(now, waited)| small.serve(now, 750, waited, &NO_OUTAGES));
        assert_eq!(ends, [5, 5, 5, 5, 9]);
    }

    #[test]
    fn a_trace_without_repetition_ends() {
        let mut line = line(&[5, 10], NEVER);
        assert_eq!(
            (line.serve(0, 1500, false, &NO_OUTAGES), line.serve(5, 1500, true, &NO_OUTAGES)),
            (5, 10)
        );
        assert_eq!(line.serve(10, 1500, true, &NO_OUTAGES), NEVER);
        assert_eq!(line.serve(50, 40, false, &NO_OUTAGES), NEVER);
    }

    #[test]
    fn an_outage_removes_the_opportunities_that_fall_into_it() {
        let (queue, in_flight) = (OutageQueue::Keep, OutageFlight::Deliver);
        let outages = Outages::new(&[Outage { at_ps: 10, until_ps: 25, queue, in_flight }]);
        let mut line = line(&[5, 10], 10); // opportunities at 5, 10, 15, ...
        assert_eq!(line.serve(0, 1500, false, &outages), 5);
        assert_eq!(line.serve(5, 3000, true, &outages), 30); // not 10, 15 and 20
        let carried = [9, 10, 24, 25, 30].map(|now| line.carried(now, &outages) / BYTES);
        assert_eq!(carried, [1, 1, 1, 2, 3]);
    }
}
