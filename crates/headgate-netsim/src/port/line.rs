//! The line that sends a port's packets: at a rate, or at the opportunities of a trace.

use headgate_model::plan::OutageQueue;
use headgate_model::units::{Busy, NEVER, SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::opportunities::Opportunities;
use super::outages::Outages;
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

/// The end of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmission {
    /// The last bit leaves at this time.
    Leaves(Time),
    /// An outage interrupts it at this time, and the packet is lost.
    Interrupted(Time),
}

/// The line behind a port.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    service: Service,
    /// Times at which the line is down.
    pub outages: Outages,
}

/// The way in which a line sends.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Service {
    /// At a rate, which may change.
    Rate(RateLine),
    /// At the opportunities of a trace.
    Trace(TraceLine),
}

impl Line {
    /// A line that sends at these rates.
    pub fn at_rates(rates: Rates, outages: Outages) -> Self {
        let line = RateLine { busy: Busy::default(), ticks: TickCache::new(rates.bps), rates };
        Self { service: Service::Rate(line), outages }
    }

    /// A line that sends at the opportunities of a trace, whose mean rate is `bps`, bit/s.
    pub fn from_trace(opportunities: Opportunities, bps: u64, outages: Outages) -> Self {
        let line = TraceLine { opportunities, bps, until: 0, bytes: 0, carried: 0 };
        Self { service: Service::Trace(line), outages }
    }

    /// Returns until when a packet is in service.
    #[inline]
    pub fn until(&self) -> Time {
        match &self.service {
            Service::Rate(line) => line.busy.until,
            Service::Trace(line) => line.until,
        }
    }

    /// Returns from when on the next transmission may begin.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.until().max(self.outages.up_at())
    }

    /// Sends a packet, from `now` on. The line must be free.
    pub fn send(&mut self, now: Time, job: Job) -> Transmission {
        match &mut self.service {
            Service::Rate(line) => line.send(now, job, &self.outages),
            Service::Trace(line) => line.send(now, job, &self.outages),
        }
    }

    /// Returns when the rate changes next.
    pub fn next_change(&self) -> Time {
        match &self.service {
            Service::Rate(line) => line.rates.next(),
            Service::Trace(_) => NEVER,
        }
    }

    /// Applies the rate change that is due at `now`.
    #[cold]
    pub fn change(&mut self, now: Time) {
        if let Service::Rate(line) = &mut self.service {
            line.rates.change(now, line.busy.until);
            line.ticks = TickCache::new(line.rates.bps);
            line.busy.change_pace();
        }
    }

    /// Returns the rate for new arrivals, bytes/s. For a trace this is its mean rate.
    pub fn rate_bytes_s(&self) -> f64 {
        let bps = match &self.service {
            Service::Rate(line) => line.rates.bps,
            Service::Trace(line) => line.bps,
        };
        bps as f64 / 8.0
    }

    /// Returns the unsent bytes of the packet in service, as a discipline sees them.
    pub fn backlog(&self, now: Time) -> f64 {
        match &self.service {
            Service::Rate(line) => {
                line.rates.backlog(line.uninterrupted(now, &self.outages), line.busy.until)
            }
            Service::Trace(line) => line.rest(now) as f64,
        }
    }

    /// Returns the unsent bytes of the packet in service, in whole bytes.
    pub fn rest(&self, now: Time) -> u64 {
        match &self.service {
            Service::Rate(line) => line.rates.rest(line.uninterrupted(now, &self.outages), &line.busy),
            Service::Trace(line) => line.rest(now),
        }
    }

    /// Restarts the tally at `now`.
    pub fn reset(&mut self, now: Time) {
        match &mut self.service {
            Service::Rate(line) => line.rates.reset(now, &self.outages),
            Service::Trace(line) => line.carried = line.opportunities.carried(now, &self.outages),
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
        let outages = &self.outages;
        let mut row = match &mut self.service {
            Service::Rate(line) => line.rates.row(tally, left, (since, now), early, outages),
            Service::Trace(line) => {
                let capacity = line.capacity(now, outages);
                let sent = LinkUsage::new(left, capacity, now - since);
                PortRow { tally, sent, rate_bps: line.bps, early, queues: None }
            }
        };
        row.sent.down = outages.downtime(since, now);
        row
    }

    /// Returns how long an arrival waits until the packet in service has left and the line is up, and how
    /// long the line has been idle, seconds.
    pub fn times_s(&self, now: Time) -> (f64, f64) {
        (seconds(self.free_at().saturating_sub(now)), seconds(now.saturating_sub(self.until())))
    }
}

/// A line that sends at a rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RateLine {
    busy: Busy,
    ticks: TickCache,
    rates: Rates,
}

impl RateLine {
    fn send(&mut self, now: Time, job: Job, outages: &Outages) -> Transmission {
        let mut leaves = self.busy.serve(now, self.ticks.tick(job.size), self.ticks.den());
        for outage in outages.coming(NEVER) {
            if outage.at_ps >= leaves {
                break;
            }
            if outage.queue == OutageQueue::Drop {
                self.busy.interrupt(outage.at_ps);
                return Transmission::Interrupted(outage.at_ps);
            }
            self.busy.pause(outage.until_ps - outage.at_ps);
            leaves = self.busy.until;
        }
        Transmission::Leaves(leaves)
    }

    /// Returns the instant before the end of the service at which as much would be unsent as at `now` if
    /// there were no outages.
    fn uninterrupted(&self, now: Time, outages: &Outages) -> Time {
        now + outages.downtime(now, self.busy.until.max(now))
    }
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
    fn send(&mut self, now: Time, job: Job, outages: &Outages) -> Transmission {
        let before = self.opportunities.used();
        self.bytes = u64::from(job.size);
        self.until = self.opportunities.serve(now, self.bytes, job.waited > 0, outages);
        match outages.coming(self.until).find(|outage| outage.queue == OutageQueue::Drop) {
            Some(outage) => {
                self.opportunities.release(before);
                self.until = outage.at_ps;
                Transmission::Interrupted(outage.at_ps)
            }
            None => Transmission::Leaves(self.until),
        }
    }

    fn rest(&self, now: Time) -> u64 {
        if self.until > now { self.bytes } else { 0 }
    }

    /// Returns what the line could have carried from the start of the tally until `now`, bit/s x ps.
    fn capacity(&self, now: Time, outages: &Outages) -> u128 {
        u128::from(self.opportunities.carried(now, outages) - self.carried) * 8 * u128::from(SECOND)
    }
}
