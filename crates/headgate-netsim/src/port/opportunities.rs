//! Service by opportunities: instants at which a line carries a fixed number of bytes, used or not.
//!
//! Traces of cellular links are recorded in this form, and mahimahi's `mm-link` replays them (Netravali et
//! al. 2015). An opportunity ends one packet and begins the next. Its unused rest is lost if the queue is
//! empty.

use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    /// before. Only a packet that has `waited` can use the rest of an opportunity at this instant: others
    /// arrived too late for it.
    pub fn serve(&mut self, now: Time, bytes: u64, waited: bool) -> Time {
        let here = waited && self.next > 0 && self.trace.at(self.next - 1) == now;
        self.left = if here { self.left } else { 0 };
        self.next = self.next.max(self.trace.first_after(now));
        let more = bytes.saturating_sub(self.left).div_ceil(BYTES);
        self.left = self.left + more * BYTES - bytes;
        self.next += more;
        if more == 0 { now } else { self.trace.at(self.next - 1) }
    }

    /// Returns the bytes that the line could have carried until `now`.
    pub fn carried(&self, now: Time) -> u64 {
        self.trace.first_after(now) * BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(times: &[Time], period: Span) -> Opportunities {
        Opportunities::new(OpportunityTrace::new(times.into(), period))
    }

    #[test]
    fn a_full_packet_takes_an_opportunity_after_it_came() {
        let mut line = line(&[5, 10, 20], 20);
        assert_eq!(line.serve(0, 1500, false), 5);
        assert_eq!(line.serve(5, 1500, true), 10);
        // it came at the very instant: too late for it
        assert_eq!(line.serve(20, 1500, false), 25);
        // those in between were lost
        assert_eq!(line.serve(71, 1500, false), 80);
    }

    #[test]
    fn small_packets_share_one_and_large_ones_take_several() {
        let mut small = line(&[5, 10], 10);
        let ends: Vec<_> = (0..4).map(|k| small.serve(if k == 0 { 0 } else { 5 }, 500, k > 0)).collect();
        assert_eq!(ends, [5, 5, 5, 10]);
        assert_eq!(line(&[5, 10], 10).serve(0, 3001, false), 15);
    }

    #[test]
    fn what_is_left_is_for_those_that_wait() {
        let mut line = line(&[5, 10], 10);
        assert_eq!(line.serve(0, 100, false), 5);
        assert_eq!(line.serve(5, 100, false), 10);
    }

    #[test]
    fn several_at_one_instant_carry_as_many() {
        let mut line = line(&[5, 5, 5, 9], 9);
        assert_eq!((line.serve(0, 4500, false), line.serve(5, 1500, true)), (5, 9));
        assert_eq!(
            (line.carried(4), line.carried(5), line.carried(9), line.carried(14)),
            (0, 4500, 6000, 10_500)
        );
    }

    #[test]
    fn a_trace_without_repetition_ends() {
        let mut line = line(&[5, 10], NEVER);
        assert_eq!((line.serve(0, 1500, false), line.serve(5, 1500, true)), (5, 10));
        assert_eq!(line.serve(10, 1500, true), NEVER);
        assert_eq!(line.serve(50, 40, false), NEVER);
    }
}
