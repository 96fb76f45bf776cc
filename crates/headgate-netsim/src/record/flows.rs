//! What one flow counts, and its row in the results.

use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

/// What one flow counts: first what every ACK touches, in one line of the cache.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct FlowTally {
    pub rtt_sum_s: f64,
    pub cwnd_sum: f64,
    pub rtt_count: u32,
    pub acks: u32,
    /// Times that the window shrank, and by how many segments in all.
    pub decreases: u32,
    /// `una` at the end of warm-up.
    pub base: u32,
    pub fallen: f64,
    pub started: Time,
    pub established: Option<Span>,
    /// When the receiver had everything.
    pub received: Option<Span>,
    pub retransmissions: u32,
    pub timeouts: u32,
    pub recoveries: u32,
    /// Reductions on congestion marks.
    pub reductions: u32,
    /// What it had repaired at the end of warm-up.
    pub before: Repairs,
}

impl FlowTally {
    /// What was repaired from the start of the flow on.
    pub fn repairs(&self) -> Repairs {
        let Self { retransmissions, timeouts, recoveries, .. } = *self;
        Repairs { retransmissions, timeouts, recoveries }
    }

    /// Warm-up is over: what was delivered and repaired so far does not count.
    pub fn forget(&mut self, una: u32) {
        self.base = una;
        self.before = self.repairs();
    }
}

/// Segments sent again, time-outs, episodes of fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repairs {
    pub retransmissions: u32,
    pub timeouts: u32,
    pub recoveries: u32,
}

impl Repairs {
    pub fn since(self, before: Self) -> Self {
        Self {
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
        }
    }
}

/// Where a flow stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    Connecting,
    Running,
    Finished,
    Failed,
    /// Its user gave it up.
    Abandoned,
}

/// One flow, as the tables give it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowRow {
    pub traffic: u32,
    pub law: u32,
    /// See [`crate::cells`].
    pub cell: u32,
    pub source: u32,
    pub receiver: u32,
    pub address: u32,
    pub start: Time,
    pub size: u32,
    pub status: Status,
    pub fct_sender: Option<Span>,
    pub fct_receiver: Option<Span>,
    pub established: Option<Span>,
    pub delivered: u32,
    pub delivered_total: u32,
    pub active: Span,
    pub repairs: Repairs,
    pub repairs_total: Repairs,
    pub min_rtt_s: f64,
    pub mean_rtt_s: f64,
    pub mean_cwnd: f64,
}

impl FlowRow {
    pub(super) fn words(&self) -> [u64; 8] {
        [
            self.start,
            u64::from(self.traffic) << 32 | u64::from(self.address),
            u64::from(self.size) << 32 | u64::from(self.delivered_total),
            self.fct_sender.unwrap_or(NEVER),
            self.fct_receiver.unwrap_or(NEVER),
            self.established.unwrap_or(NEVER),
            u64::from(self.repairs_total.retransmissions) << 32 | u64::from(self.repairs_total.timeouts),
            self.mean_cwnd.to_bits(),
        ]
    }
}

/// A chosen flow at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSample {
    pub time: Time,
    /// Index in `measure.series.flows`.
    pub flow: u32,
    pub cwnd: f64,
    pub ssthresh: f64,
    pub srtt_s: f64,
    /// Pacing rate, segments/s; infinite when unpaced.
    pub pace: f64,
    /// What the law shows of itself; NaN if nothing.
    pub gauge: f64,
    pub in_flight: u32,
    pub delivered: u32,
}
