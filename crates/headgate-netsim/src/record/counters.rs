//! Sums over the whole network since the run began.

use serde::{Deserialize, Serialize};

use super::ports::PortRow;
use crate::exact::Exact;

/// Unordered pairs of router classes D, F, N.
pub const PAIRS: [&str; 6] = ["DD", "DF", "DN", "FF", "FN", "NN"];

/// Index into [`PAIRS`], if both routers have a class.
pub fn pair(a: u8, b: u8) -> Option<usize> {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    (high < 3).then(|| [0, 3, 5][low] + high - low)
}

/// Sums over the whole network since the run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Packets over links: the unit of simulation speed.
    pub packet_hops: u64,
    /// Data segments that sources sent, retransmissions included.
    pub segments_in: u64,
    /// Data segments that reached their receiver.
    pub segments_out: u64,
    /// Data segments dropped or lost on the way, those too that are lost when they leave their port.
    pub segments_dropped: u64,
    pub flows_started: u64,
    pub flows_completed: u64,
    pub connection_failures: u64,
    /// Flows that their users gave up.
    pub flows_abandoned: u64,
    pub retransmissions: u64,
    /// ACKs that raised a congestion window.
    pub cwnd_increases: u64,
    pub duplicate_acks: u64,
    pub timeouts: u64,
    pub rtt_sum_s: Exact,
    pub rtt_count: u64,
    /// Time data segments waited in router ports, or will have when they leave them.
    pub wait_ps: u128,
    /// Connections in the handshake now; in one shard below zero where they began in another.
    pub connecting: i64,
    /// Flows under way now, and sources that have one.
    pub active: i64,
    pub transmitting: i64,
    /// Finished flows of each class pair, and the sum of their rates (segments/s).
    pub pair_flows: [u64; 6],
    pub pair_rates: [Exact; 6],
}

impl Counters {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.packet_hops += other.packet_hops;
        self.segments_in += other.segments_in;
        self.segments_out += other.segments_out;
        self.segments_dropped += other.segments_dropped;
        self.flows_started += other.flows_started;
        self.flows_completed += other.flows_completed;
        self.connection_failures += other.connection_failures;
        self.flows_abandoned += other.flows_abandoned;
        self.retransmissions += other.retransmissions;
        self.cwnd_increases += other.cwnd_increases;
        self.duplicate_acks += other.duplicate_acks;
        self.timeouts += other.timeouts;
        self.rtt_sum_s += other.rtt_sum_s;
        self.rtt_count += other.rtt_count;
        self.wait_ps += other.wait_ps;
        self.connecting += other.connecting;
        self.active += other.active;
        self.transmitting += other.transmitting;
        (0..PAIRS.len()).for_each(|pair| self.pair_flows[pair] += other.pair_flows[pair]);
        (0..PAIRS.len()).for_each(|pair| self.pair_rates[pair] += other.pair_rates[pair]);
    }

    /// What has happened by now, if the ports are so.
    pub fn by_now(&self, ports: &[PortRow]) -> Self {
        let wait_ps: i128 = ports.iter().map(|port| port.early.wait_ps).sum();
        let lost: u64 = ports.iter().map(|port| port.early.lost).sum();
        Self {
            wait_ps: self.wait_ps.saturating_add_signed(-wait_ps),
            segments_dropped: self.segments_dropped - lost,
            ..self.clone()
        }
    }

    /// What was counted since `before`; gauges (`connecting`, `active`, `transmitting`) stay as they are.
    pub fn since(&self, before: &Self) -> Self {
        let pairs = std::array::from_fn(|i| self.pair_flows[i] - before.pair_flows[i]);
        let rates = std::array::from_fn(|i| self.pair_rates[i] - before.pair_rates[i]);
        Self {
            packet_hops: self.packet_hops - before.packet_hops,
            segments_in: self.segments_in - before.segments_in,
            segments_out: self.segments_out - before.segments_out,
            segments_dropped: self.segments_dropped - before.segments_dropped,
            flows_started: self.flows_started - before.flows_started,
            flows_completed: self.flows_completed - before.flows_completed,
            connection_failures: self.connection_failures - before.connection_failures,
            flows_abandoned: self.flows_abandoned - before.flows_abandoned,
            retransmissions: self.retransmissions - before.retransmissions,
            cwnd_increases: self.cwnd_increases - before.cwnd_increases,
            duplicate_acks: self.duplicate_acks - before.duplicate_acks,
            timeouts: self.timeouts - before.timeouts,
            rtt_sum_s: self.rtt_sum_s - before.rtt_sum_s,
            rtt_count: self.rtt_count - before.rtt_count,
            wait_ps: self.wait_ps - before.wait_ps,
            connecting: self.connecting,
            active: self.active,
            transmitting: self.transmitting,
            pair_flows: pairs,
            pair_rates: rates,
        }
    }

    /// The integers, for a digest.
    pub(super) fn words(&self) -> [u64; 14] {
        [
            self.packet_hops,
            self.segments_in,
            self.segments_out,
            self.segments_dropped,
            self.flows_started,
            self.flows_completed,
            self.connection_failures,
            self.retransmissions,
            self.cwnd_increases,
            self.duplicate_acks,
            self.timeouts,
            self.rtt_count,
            self.wait_ps as u64,
            self.active as u64,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_unordered() {
        let names: Vec<_> =
            [(0, 0), (1, 0), (0, 2), (1, 1), (2, 1), (2, 2)].map(|(a, b)| PAIRS[pair(a, b).unwrap()]).into();
        assert_eq!(names, PAIRS);
        assert_eq!(pair(0, 3), None);
    }
}
