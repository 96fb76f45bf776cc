//! Rows and samples of flows.

use headgate_model::column::{Duration, Figure, Finite, Index, Instant, NonZero, Optional, Small};
use headgate_model::units::NEVER;
use headgate_tcp::ENDLESS;
use serde::{Deserialize, Serialize};

/// The status of a flow. Tables contain its position in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// In its handshake.
    Connecting,
    /// Established and not finished.
    Running,
    /// All segments are acknowledged.
    Finished,
    /// No SYN was answered.
    Failed,
    /// The user gave it up.
    Abandoned,
}

headgate_model::columns! {
    /// One flow or burst.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct FlowRow {
        traffic: Index [HIDDEN], "", "Its number among the flows that have names.";
        controller as cca: Index [HIDDEN], "", "The algorithm's number in the plan.";
        source: Index [HIDDEN], "", "Router of the sending host.";
        receiver: Index [HIDDEN], "", "Router of the receiving host.";
        start as start_s: Instant, "s", "When the first SYN was sent; for later bursts, when the application wrote them.";
        fct_receiver as fct_receiver_s: Optional, "s", "Completion time as the receiver sees it, from the start of the flow or burst to the last packet arrived; missing unless finished, and where `stop` ended the flow.";
        fct_sender as fct_sender_s: Optional, "s", "Completion time as the sender sees it, from the start of the flow or burst to the last ACK; missing unless finished.";
        established as established_s: Optional, "s", "Duration of the handshake; missing unless established, and for bursts after the first.";
        delivered as delivered_packets: Small, "packets", "Packets acknowledged in order, after the warm-up.";
        delivered_total as delivered_total_packets: Small, "packets", "Packets acknowledged in order, from the start of the flow on.";
        active as active_s: Duration, "s", "Time between start and end of the flow, after the warm-up.";
        retransmissions: Small, "packets", "Packets sent again, after the warm-up.";
        timeouts: Small, "1", "Retransmission time-outs, after the warm-up.";
        recoveries: Small, "1", "Episodes of fast recovery, after the warm-up.";
        undone: Small, "1", "Reductions of the window that were undone, as nothing was lost, after the warm-up.";
        spurious_timeouts: Small, "1", "Time-outs found spurious, after the warm-up.";
        retransmissions_total: Small, "packets", "Packets sent again, from the start of the flow on.";
        timeouts_total: Small, "1", "Retransmission time-outs, from the start of the flow on.";
        recoveries_total: Small, "1", "Episodes of fast recovery, from the start of the flow on.";
        undone_total: Small, "1", "Reductions of the window that were undone, from the start of the flow on.";
        spurious_timeouts_total: Small, "1", "Time-outs found spurious, from the start of the flow on.";
        marked_total as marked_total_packets: Finite, "packets", "Packets whose mark the receiver has reported, as the sender understands it, from the start of the flow on.";
        min_rtt_s: Finite, "s", "Least round trip measured, from the start of the flow on.";
        mean_rtt_s: Finite, "s", "Mean of the round trips measured, from the start of the flow on.";
        mean_cwnd as mean_cwnd_packets: Finite, "packets", "Mean congestion window at its ACKs, from the start of the flow on.";
        slow_start as slow_start_s: Optional, "s", "Time from the first SYN to the end of the first slow start; missing if it has not ended.";
        slow_start_cwnd as slow_start_cwnd_packets: Finite, "packets", "Congestion window at the end of the first slow start from the start of the flow on, before a reduction; missing if it has not ended.";
        slow_start_resent as slow_start_resent_packets: Small, "packets", "Packets sent again of those sent from the start of the flow until one window after the end of its first slow start.";
        burst: NonZero, "1", "Number of the burst on its connection, from 1; missing for a flow.";
    }
    beside {
        /// The key that it is counted by (see [`super::FlowKeys`]).
        pub key: u32,
        /// Address of its sender.
        pub address: u32,
        /// Size in segments, or `ENDLESS`.
        pub size: u32,
        /// Status at the end of the flow or run.
        pub status: Status,
    }
    derived {
        size_packets = |row| if row.size == ENDLESS { 0 } else { u64::from(row.size) }, "packets", "Size of the file; 0 = endless.";
        status [HIDDEN] = |row| row.status as u64, "", "In the order of `Status`.";
    }
}

impl FlowRow {
    /// Returns what belongs to the digest.
    pub(super) fn digest_words(&self) -> [u64; 8] {
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
        gauge: Figure, "1", "Internal quantity of the algorithm (flows), or of the router feedback or discipline (ports), in its own unit; missing if it has none.";
        in_flight as in_flight_packets: Small, "packets", "Packets sent and not acknowledged (flows).";
        delivered as delivered_packets: Small, "packets", "Packets acknowledged since the start (flows).";
        arrived as arrived_packets: Small, "packets", "Packets that reached the receiver since the start, each counted once (flows).";
    }
}
