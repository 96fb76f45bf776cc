//! What one flow counts, and its row in the results.

use headgate_model::column::{Duration, Figure, Finite, Index, Instant, Optional, Small};
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::transport::profile::ENDLESS;

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

headgate_model::columns! {
    /// One flow, as the tables give it.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct FlowRow {
        traffic: Index [HIDDEN], "", "Its number among the flows that have names.";
        law: Index [HIDDEN], "", "Its law's number in the plan.";
        source: Index [HIDDEN], "", "Router of the sending host.";
        receiver: Index [HIDDEN], "", "Router of the receiving host.";
        start as start_s: Instant, "s", "When the first SYN was sent.";
        fct_receiver as fct_receiver_s: Optional, "s", "Completion time as the receiver sees it, from the first SYN sent to the last packet arrived; missing unless finished, and where `stop` ended the flow.";
        fct_sender as fct_sender_s: Optional, "s", "Completion time as the sender sees it, from the first SYN sent to the last ACK; missing unless finished.";
        established as established_s: Optional, "s", "Duration of the handshake; missing unless established.";
        delivered as delivered_packets: Small, "packets", "Packets acknowledged in order, after the warm-up.";
        delivered_total as delivered_total_packets: Small, "packets", "Packets acknowledged in order, from the start of the flow on.";
        active as active_s: Duration, "s", "Time between start and end of the flow, after the warm-up.";
        retransmissions: Small, "packets", "Packets sent again, after the warm-up.";
        timeouts: Small, "1", "Retransmission time-outs, after the warm-up.";
        recoveries: Small, "1", "Episodes of fast recovery, after the warm-up.";
        retransmissions_total: Small, "packets", "Packets sent again, from the start of the flow on.";
        timeouts_total: Small, "1", "Retransmission time-outs, from the start of the flow on.";
        recoveries_total: Small, "1", "Episodes of fast recovery, from the start of the flow on.";
        min_rtt_s: Finite, "s", "Least round trip measured, from the start of the flow on.";
        mean_rtt_s: Finite, "s", "Mean of the round trips measured, from the start of the flow on.";
        mean_cwnd as mean_cwnd_packets: Finite, "packets", "Mean congestion window at its ACKs, from the start of the flow on.";
    }
    beside {
        /// What it is counted by: see [`super::FlowKeys`].
        pub key: u32,
        pub address: u32,
        pub size: u32,
        pub status: Status,
    }
    derived {
        size_packets = |row| if row.size == ENDLESS { 0 } else { u64::from(row.size) }, "packets", "Size of the file; 0 = endless.";
        status [HIDDEN] = |row| row.status as u64, "", "In the order of `Status`.";
    }
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
            u64::from(self.retransmissions_total) << 32 | u64::from(self.timeouts_total),
            self.mean_cwnd.to_bits(),
        ]
    }
}

headgate_model::columns! {
    /// A chosen flow at one instant.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct FlowSample {
        time as t_s: Instant, "s", "Time since the start of the run.";
        flow: Index [HIDDEN], "", "Index in `measure.series.flows`.";
        cwnd as cwnd_packets: Figure, "packets", "Congestion window (flows).";
        ssthresh as ssthresh_packets: Figure, "packets", "Slow-start threshold; inf = unset (flows).";
        srtt_s: Figure, "s", "Smoothed round trip (flows).";
        pace: Figure [HIDDEN], "packets/s", "Pacing rate; infinite when unpaced.";
        gauge: Figure, "1", "What the law (flows), the router or else the discipline (ports) shows of itself, in its own unit; missing if nothing.";
        in_flight as in_flight_packets: Small, "packets", "Packets sent and not acknowledged (flows).";
        delivered as delivered_packets: Small, "packets", "Packets acknowledged since the start (flows).";
    }
}
