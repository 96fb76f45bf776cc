//! What one port counts, and its row in the results.

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// What a port counts. Sums of waits give the mean queue by Little's law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub arrivals: u64,
    pub arrived_bytes: u64,
    pub drops: u64,
    pub dropped_bytes: u64,
    pub lost: u64,
    pub marks: u64,
    pub wait_ps: u128,
    /// Most packets that waited at once.
    pub max_queue: u64,
}

impl Tally {
    /// Bytes that have left and packets that were dropped.
    pub(crate) fn passed(&self, carried: (u64, u64), present: (u64, u64)) -> (u64, u64) {
        (self.left(carried, present).1, self.drops)
    }

    /// Packets and bytes that have left, if so many were here when the tally began and are now.
    pub(crate) fn left(&self, carried: (u64, u64), present: (u64, u64)) -> (u64, u64) {
        let packets = carried.0 + self.arrivals - self.drops - present.0;
        let bytes = carried.1 + self.arrived_bytes - self.dropped_bytes - present.1;
        (packets, bytes)
    }
}

/// What one link's port did from the end of warm-up to the end of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortRow {
    pub tally: Tally,
    pub departures: u64,
    pub sent_bytes: u64,
    /// What the line could have sent: bit/s x ps.
    pub capacity: u128,
    /// The rate at the end, bit/s.
    pub rate_bps: u64,
    pub elapsed: Span,
    pub early: Early,
}

impl PortRow {
    /// Mean over the time, bit/s.
    pub fn mean_rate_bps(&self) -> f64 {
        let elapsed = u128::from(self.elapsed);
        let Some(whole) = self.capacity.checked_div(elapsed) else { return self.rate_bps as f64 };
        whole as f64 + (self.capacity % elapsed) as f64 / elapsed as f64
    }
}

/// What the network's counters know of a port's data packets before it is so; below zero: not yet,
/// though it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Early {
    pub wait_ps: i128,
    pub lost: u64,
}

/// A chosen link at one instant; bytes and drops since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortSample {
    pub time: Time,
    pub link: u32,
    pub queue: u64,
    pub sent_bytes: u64,
    pub drops: u64,
    /// What its router or discipline shows of itself; NaN if nothing.
    pub gauge: f64,
}
