//! What sends a port's packets: a line at a rate, or one that follows a trace of opportunities.

use headgate_model::units::{Busy, NEVER, SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::opportunities::Opportunities;
use super::rates::Rates;
use super::ticks::TickCache;
use crate::record::{Early, PortRow, Sent, Tally};

/// A packet that the line is to send.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub size: u16,
    /// How long it has waited.
    pub waited: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Line {
    Paced(Paced),
    Traced(Traced),
}

impl Line {
    pub fn paced(rates: Rates) -> Self {
        Self::Paced(Paced { busy: Busy::default(), ticks: TickCache::new(rates.bps), rates })
    }

    pub fn traced(opportunities: Opportunities, bps: u64) -> Self {
        Self::Traced(Traced { opportunities, bps, until: 0, bytes: 0, carried: 0 })
    }

    /// Busy until then.
    #[inline]
    pub fn until(&self) -> Time {
        match self {
            Self::Paced(line) => line.busy.until,
            Self::Traced(line) => line.until,
        }
    }

    /// Sends a packet; returns when its last bit has left.
    pub fn send(&mut self, now: Time, job: Job) -> Time {
        match self {
            Self::Paced(line) => line.busy.serve(now, line.ticks.tick(job.size), line.ticks.den()),
            Self::Traced(line) => line.send(now, job),
        }
    }

    /// When the rate changes next.
    pub fn next_change(&self) -> Time {
        match self {
            Self::Paced(line) => line.rates.next(),
            Self::Traced(_) => NEVER,
        }
    }

    /// It is that time.
    #[cold]
    pub fn change(&mut self, now: Time) {
        if let Self::Paced(line) = self {
            line.rates.change(now, line.busy.until);
            line.ticks = TickCache::new(line.rates.bps);
            line.busy.change_pace();
        }
    }

    /// The rate for what comes, bytes/s; that of a trace is its mean.
    pub fn rate_bytes_s(&self) -> f64 {
        let bps = match self {
            Self::Paced(line) => line.rates.bps,
            Self::Traced(line) => line.bps,
        };
        bps as f64 / 8.0
    }

    /// Bytes still to be sent of the packet in service, as a discipline sees them.
    pub fn backlog(&self, now: Time) -> f64 {
        match self {
            Self::Paced(line) => line.rates.backlog(now, line.busy.until),
            Self::Traced(line) => line.rest(now) as f64,
        }
    }

    /// Whole bytes still to be sent of the packet in service.
    pub fn rest(&self, now: Time) -> u64 {
        match self {
            Self::Paced(line) => line.rates.rest(now, &line.busy),
            Self::Traced(line) => line.rest(now),
        }
    }

    /// The tally begins at `now`.
    pub fn reset(&mut self, now: Time) {
        match self {
            Self::Paced(line) => line.rates.reset(now),
            Self::Traced(line) => line.carried = line.opportunities.carried(now),
        }
    }

    /// What happened at the port since its tally began, of which so many packets and bytes have left.
    pub fn row(
        &mut self,
        tally: Tally,
        left: (u64, u64),
        (since, now): (Time, Time),
        early: Early,
    ) -> PortRow {
        match self {
            Self::Paced(line) => line.rates.row(tally, left, (since, now), early),
            Self::Traced(line) => {
                let (departures, sent_bytes) = left;
                let sent =
                    Sent { departures, sent_bytes, capacity: line.capacity(now), elapsed: now - since };
                PortRow { tally, sent, rate_bps: line.bps, early }
            }
        }
    }

    /// How long the packet in service still takes, and how long the line has been idle, seconds.
    pub fn times_s(&self, now: Time) -> (f64, f64) {
        let until = self.until();
        (seconds(until.saturating_sub(now)), seconds(now.saturating_sub(until)))
    }
}

/// A line at a rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Paced {
    busy: Busy,
    ticks: TickCache,
    rates: Rates,
}

/// A line that follows a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Traced {
    opportunities: Opportunities,
    /// Mean rate of the trace.
    bps: u64,
    until: Time,
    /// Bytes of the packet in service: an opportunity has no length, so they leave at once, at its end.
    bytes: u64,
    /// Bytes that could have been carried when the tally began.
    carried: u64,
}

impl Traced {
    fn send(&mut self, now: Time, job: Job) -> Time {
        self.bytes = u64::from(job.size);
        self.until = self.opportunities.serve(now, self.bytes, job.waited > 0);
        self.until
    }

    fn rest(&self, now: Time) -> u64 {
        if self.until > now { self.bytes } else { 0 }
    }

    /// What the line could have carried until `now`, since the tally began: bit/s x ps.
    fn capacity(&self, now: Time) -> u128 {
        u128::from(self.opportunities.carried(now) - self.carried) * 8 * u128::from(SECOND)
    }
}
