//! Rows of a measurement period.

use headgate_model::units::{Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::counters::Counters;
use super::flows::{FlowTally, Status};
use crate::exact::Exact;

/// Buckets of windows: the first is below 2 segments, each next one twice as wide, the last has no end.
pub const BUCKETS: usize = 24;

/// One measurement period: differences of the counters, and sums over the samples taken in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeriodRow {
    pub start: Time,
    pub end: Time,
    pub samples: u64,
    pub transmitting_sum: u64,
    pub active_sum: u64,
    pub connecting_sum: u64,
    pub cwnd_sum: f64,
    pub counters: Counters,
}

/// The windows of all flows of one law, over the samples of a period. Flows in their handshake are
/// counted apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LawRow {
    pub period: u32,
    pub law: u32,
    pub samples: u64,
    /// Sums over the samples: of flows, of those in their handshake, of the windows of the others.
    pub active_sum: u64,
    pub connecting_sum: u64,
    pub cwnd_sum: f64,
    /// Over the samples with a window: their number, the mean of the samples' mean windows, the sum of
    /// squared differences from it, the least and the greatest.
    pub seen: u64,
    pub mean: f64,
    pub squares: f64,
    pub least: f64,
    pub greatest: f64,
    /// Windows from 2^k segments on.
    pub buckets: [u64; BUCKETS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub started: u64,
    pub completed: u64,
    pub failed: u64,
    pub abandoned: u64,
    /// Flows whose receiver had everything, their segments, the time that took, and their rates.
    pub timed: u64,
    pub timed_segments: u64,
    pub fct_sum_s: Exact,
    pub rate_sum: Exact,
    /// Of all flows, those under way too: the time since each was asked for, segments acknowledged in
    /// order.
    pub active_ps: u128,
    pub delivered: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    pub decreases: u64,
    pub fallen: Exact,
    pub rtt_sum_s: Exact,
    pub rtt_count: u64,
}

impl Cell {
    /// Adds what a flow has done until `now`.
    pub fn add(&mut self, now: Time, delivered: u32, tally: &FlowTally) {
        self.active_ps += u128::from(now - tally.started);
        self.delivered += u64::from(delivered);
        self.retransmissions += u64::from(tally.retransmissions);
        self.timeouts += u64::from(tally.timeouts);
        self.decreases += u64::from(tally.decreases);
        self.fallen += tally.fallen;
        self.rtt_sum_s += tally.rtt_sum_s;
        self.rtt_count += u64::from(tally.rtt_count);
    }

    /// Adds how a flow of so many segments ended.
    pub fn end(&mut self, status: Status, segments: u32, received: Option<Span>) {
        match status {
            Status::Failed => self.failed += 1,
            Status::Abandoned => self.abandoned += 1,
            _ => self.complete(segments, received),
        }
    }

    fn complete(&mut self, segments: u32, received: Option<Span>) {
        self.completed += 1;
        let Some(fct) = received else { return };
        self.timed += 1;
        self.timed_segments += u64::from(segments);
        self.fct_sum_s += seconds(fct);
        self.rate_sum += f64::from(segments) / seconds(fct);
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.abandoned += other.abandoned;
        self.timed += other.timed;
        self.timed_segments += other.timed_segments;
        self.fct_sum_s += other.fct_sum_s;
        self.rate_sum += other.rate_sum;
        self.active_ps += other.active_ps;
        self.delivered += other.delivered;
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
        self.decreases += other.decreases;
        self.fallen += other.fallen;
        self.rtt_sum_s += other.rtt_sum_s;
        self.rtt_count += other.rtt_count;
    }

    /// What came after `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            started: self.started - before.started,
            completed: self.completed - before.completed,
            failed: self.failed - before.failed,
            abandoned: self.abandoned - before.abandoned,
            timed: self.timed - before.timed,
            timed_segments: self.timed_segments - before.timed_segments,
            fct_sum_s: self.fct_sum_s - before.fct_sum_s,
            rate_sum: self.rate_sum - before.rate_sum,
            active_ps: self.active_ps - before.active_ps,
            delivered: self.delivered - before.delivered,
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            decreases: self.decreases - before.decreases,
            fallen: self.fallen - before.fallen,
            rtt_sum_s: self.rtt_sum_s - before.rtt_sum_s,
            rtt_count: self.rtt_count - before.rtt_count,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a cell's flows have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub file: u8,
    /// Index into [`PAIRS`], if both routers have a class.
    pub pair: Option<usize>,
    pub fast: bool,
    pub law: u32,
}

/// What flows of one sort did in a period.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    pub period: u32,
    pub sort: Sort,
    pub cell: Cell,
}

/// What one link's port did in a period (from the end of warm-up on, if that is within).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkRow {
    pub period: u32,
    pub link: u32,
    pub arrivals: u64,
    pub drops: u64,
    pub departures: u64,
    pub sent_bytes: u64,
    /// What it could have sent: bit/s x ps.
    pub capacity: u128,
    pub wait_ps: u128,
    pub elapsed: Span,
    /// Samples, and packets seen waiting in them, in all and at most.
    pub samples: u64,
    pub queue_sum: u64,
    pub queue_max: u64,
}
