//! The slow engine's counts of each link, which never run ahead of time.

use headgate_model::units::{SECOND, Time};

/// Counts since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// Time that packets waited, and that data packets waited, picoseconds.
    pub wait_ps: u128,
    pub data_wait_ps: u128,
    pub departures: u64,
    /// Bytes of sent packets, with the sent part of the packet in service.
    pub sent_bytes: f64,
    pub lost: u64,
}

impl Seen {
    pub fn since(&self, before: &Self) -> Self {
        Self {
            wait_ps: self.wait_ps - before.wait_ps,
            data_wait_ps: self.data_wait_ps - before.data_wait_ps,
            departures: self.departures - before.departures,
            sent_bytes: self.sent_bytes - before.sent_bytes,
            lost: self.lost - before.lost,
        }
    }
}

/// Counts as time passes, from one reading to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    looked: Time,
    seen: Seen,
}

impl Watch {
    pub fn pass(&mut self, now: Time, waiting: usize, data: usize) {
        let span = u128::from(now - self.looked);
        self.seen.wait_ps += span * waiting as u128;
        self.seen.data_wait_ps += span * data as u128;
        self.looked = now;
    }

    pub fn depart(&mut self, bytes: u16, lost: bool) {
        self.seen.departures += 1;
        self.seen.sent_bytes += f64::from(bytes);
        self.seen.lost += u64::from(lost);
    }

    /// Returns the counts, with the part that a packet in service has sent at its rate.
    pub fn seen(&self, now: Time, in_service: Option<(Time, u128)>) -> Seen {
        let part = in_service.map_or(0.0, |(since, rate_bps)| {
            (u128::from(now - since) * rate_bps) as f64 / (8.0 * SECOND as f64)
        });
        Seen { sent_bytes: self.seen.sent_bytes + part, ..self.seen }
    }
}

/// The state of all links at one instant, and the data packets that were dropped or lost by then.
#[derive(Clone, Debug)]
pub struct Look {
    pub at: Time,
    pub links: Vec<Seen>,
    pub gone: u64,
}
