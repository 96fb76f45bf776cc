//! The line that sends a port's packets: at a rate, or at the opportunities of a trace.

use headgate_model::units::{Busy, NEVER, SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::opportunities::Opportunities;
use super::rates::Rates;
use super::ticks::TickCache;
use crate::record::{EarlyCounts, LinkUsage, PortRow, Tally};

/// A packet that the line is to send.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Size of the packet, bytes.
    pub size: u16,
    /// Time that the packet waited, picoseconds.
    pub waited: Span,
}

/// The line behind a port.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Line {
    /// Sends at a rate, which may change.
    Rate(RateLine),
    /// Sends at the opportunities of a trace.
    Trace(TraceLine),
}

impl Line {
    /// A line that sends at these rates.
    pub fn at_rates(rates: Rates) -> Self {
        Self::Rate(RateLine { busy: Busy::default(), ticks: TickCache::new(rates.bps), rates })
    }

    /// A line that sends at the opportunities of a trace, whose mean rate is `bps`, bit/s.
    pub fn from_trace(opportunities: Opportunities, bps: u64) -> Self {
        Self::Trace(TraceLine { opportunities, bps, until: 0, bytes: 0, carried: 0 })
    }

    /// Returns until when the line is busy.
    #[inline]
    pub fn until(&self) -> Time {
        match self {
            Self::Rate(line) => line.busy.until,
            Self::Trace(line) => line.until,
        }
    }

    /// Sends a packet. Returns when its last bit has left.
    pub fn send(&mut self, now: Time, job: Job) -> Time {
        match self {
            Self::Rate(line) => line.busy.serve(now, line.ticks.tick(job.size), line.ticks.den()),
            Self::Trace(line) => line.send(now, job),
        }
    }

    /// Returns when the rate changes next.
    pub fn next_change(&self) -> Time {
        match self {
            Self::Rate(line) => line.rates.next(),
            Self::Trace(_) => NEVER,
        }
    }

    /// Applies the rate change that is due at `now`.
    #[cold]
    pub fn change(&mut self, now: Time) {
        if let Self::Rate(line) = self {
            line.rates.change(now, line.busy.until);
            line.ticks = TickCache::new(line.rates.bps);
            line.busy.change_pace();
        }
    }

    /// Returns the rate for new arrivals, bytes/s. For a trace this is its mean rate.
    pub fn rate_bytes_s(&self) -> f64 {
        let bps = match self {
            Self::Rate(line) => line.rates.bps,
            Self::Trace(line) => line.bps,
        };
        bps as f64 / 8.0
    }

    /// Returns the unsent bytes of the packet in service, as a discipline sees them.
    pub fn backlog(&self, now: Time) -> f64 {
        match self {
            Self::Rate(line) => line.rates.backlog(now, line.busy.until),
            Self::Trace(line) => line.rest(now) as f64,
        }
    }

    /// Returns the unsent bytes of the packet in service, in whole bytes.
    pub fn rest(&self, now: Time) -> u64 {
        match self {
            Self::Rate(line) => line.rates.rest(now, &line.busy),
            Self::Trace(line) => line.rest(now),
        }
    }

    /// Restarts the tally at `now`.
    pub fn reset(&mut self, now: Time) {
        match self {
            Self::Rate(line) => line.rates.reset(now),
            Self::Trace(line) => line.carried = line.opportunities.carried(now),
        }
    }

    /// Returns the counts of the port since its tally began. `left` are the packets and bytes that have
    /// left.
    pub fn row(
        &mut self,
        tally: Tally,
        left: (u64, u64),
        (since, now): (Time, Time),
        early: EarlyCounts,
    ) -> PortRow {
        match self {
            Self::Rate(line) => line.rates.row(tally, left, (since, now), early),
            Self::Trace(line) => {
                let (departures, sent_bytes) = left;
                let sent =
                    LinkUsage { departures, sent_bytes, capacity: line.capacity(now), elapsed: now - since };
                PortRow { tally, sent, rate_bps: line.bps, early }
            }
        }
    }

    /// Returns the remaining time of the packet in service, and how long the line has been idle, seconds.
    pub fn times_s(&self, now: Time) -> (f64, f64) {
        let until = self.until();
        (seconds(until.saturating_sub(now)), seconds(now.saturating_sub(until)))
    }
}

/// A line that sends at a rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RateLine {
    busy: Busy,
    ticks: TickCache,
    rates: Rates,
}

/// A line that sends at the opportunities of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceLine {
    opportunities: Opportunities,
    /// Mean rate of the trace, bit/s.
    bps: u64,
    until: Time,
    /// Bytes of the packet in service. An opportunity is an instant, at which all of them leave.
    bytes: u64,
    /// Bytes that the trace could have carried when the tally began.
    carried: u64,
}

impl TraceLine {
    fn send(&mut self, now: Time, job: Job) -> Time {
        self.bytes = u64::from(job.size);
        self.until = self.opportunities.serve(now, self.bytes, job.waited > 0);
        self.until
    }

    fn rest(&self, now: Time) -> u64 {
        if self.until > now { self.bytes } else { 0 }
    }

    /// Returns what the line could have carried from the start of the tally until `now`, bit/s x ps.
    fn capacity(&self, now: Time) -> u128 {
        u128::from(self.opportunities.carried(now) - self.carried) * 8 * u128::from(SECOND)
    }
}
