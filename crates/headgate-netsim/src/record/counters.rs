//! Sums over the whole network since the run began.

use headgate_model::column::{Count, Durations, Gauge};
use serde::{Deserialize, Serialize};

use super::ports::PortRow;
use crate::record::exact::Sum;

headgate_model::counters! {
    /// Sums over the whole network since the run began.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Counters {
        packet_hops: Count [DIGEST, HIDDEN], "packets", "Packets over links: the unit of simulation speed.";
        segments_in: Count [DIGEST], "packets", "Data packets sent, retransmissions among them.";
        segments_out: Count [DIGEST], "packets", "Data packets that reached their receivers.";
        segments_marked: Count, "packets", "Data packets that reached their receivers marked (CE).";
        segments_dropped: Count [DIGEST], "packets", "Data packets dropped, or lost once a link had sent them.";
        segments_copied: Count, "packets", "Data packets that links delivered once more.";
        flows_started: Count [DIGEST, HIDDEN], "1", "Flows started.";
        flows_completed: Count [DIGEST], "1", "Flows finished.";
        connection_failures: Count [DIGEST], "1", "Connections that failed: no SYN was answered.";
        flows_abandoned: Count [DIGEST], "1", "Flows that their users gave up.";
        retransmissions: Count [DIGEST], "packets", "Data packets sent again.";
        cwnd_increases: Count [DIGEST], "1", "Times that a window grew.";
        duplicate_acks: Count [DIGEST], "1", "Duplicate ACKs that reached senders.";
        timeouts: Count [DIGEST], "1", "Retransmission time-outs.";
        undone: Count, "1", "Reductions of a window that were undone, as later ACKs showed that nothing was lost.";
        spurious_timeouts: Count, "1", "Time-outs that later ACKs showed to be spurious.";
        rtt_sum_s: Sum, "s", "Sum of the round-trip samples.";
        rtt_count: Count [DIGEST], "1", "Round-trip samples.";
        wait_ps as wait_sum_s: Durations [DIGEST], "s", "Time that data packets waited at router ports within the period, in all.";
        connecting as connecting_now: Gauge [HIDDEN], "1", "Connections in the handshake now.";
        active as active_now: Gauge [DIGEST, HIDDEN], "1", "Flows under way now.";
        transmitting as transmitting_now: Gauge [HIDDEN], "1", "Sources that have a flow under way now.";
    }
}

impl Counters {
    /// Returns the counts without the waits and losses that the ports booked ahead of time.
    pub fn without_early(&self, ports: &[PortRow]) -> Self {
        let wait_ps: i128 = ports.iter().map(|port| port.early.wait_ps).sum();
        let lost: u64 = ports.iter().map(|port| port.early.lost).sum();
        Self {
            wait_ps: self.wait_ps.saturating_add_signed(-wait_ps),
            segments_dropped: self.segments_dropped - lost,
            ..self.clone()
        }
    }
}
