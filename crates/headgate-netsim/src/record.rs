//! What a run counts and keeps: facts only, ratios are made elsewhere.

use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::exact::Exact;
use crate::period::{ClassRow, LawRow, LinkRow};
use crate::port::Tally;
use crate::transport::flow::Repairs;

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
    fn words(&self) -> [u64; 14] {
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

/// One number for all that happened: every port's departures, the counts, and each flow's row.
pub fn digest(ports: impl Iterator<Item = u64>, counters: &Counters, flows: &[FlowRow]) -> u64 {
    let fold = |h: u64, word: u64| (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let rows = flows.iter().flat_map(FlowRow::words);
    ports.chain(counters.words()).chain(rows).fold(flows.len() as u64, fold)
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
    fn words(&self) -> [u64; 8] {
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

/// The whole network at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkSample {
    pub time: Time,
    pub active: u64,
    pub connecting: u64,
    pub finished: u64,
}

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

/// What must add up at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// Counts of the whole run.
    pub counters: Counters,
    /// Data packets between hosts at the end, found in the calendar and at the ports that hold packets.
    pub under_way: u64,
}

/// Everything a run leaves behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// In the order of start, traffic, address.
    pub flows: Vec<FlowRow>,
    /// One for each link of the plan.
    pub ports: Vec<PortRow>,
    pub flow_samples: Vec<FlowSample>,
    pub port_samples: Vec<PortSample>,
    pub network_samples: Vec<NetworkSample>,
    pub periods: Vec<PeriodRow>,
    pub laws: Vec<LawRow>,
    pub classes: Vec<ClassRow>,
    pub links: Vec<LinkRow>,
    pub balance: Balance,
    /// All sources of the plan: users, hosts of Poisson pools and of flow lists, single flows.
    pub sources: u64,
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
