//! The results of a run: the counts of each flow, and those of a group and of the bottleneck.

use headgate_netsim::record::Status;

use super::{Live, Run};
use crate::plan::Start;

/// The names that the traffic of live hosts has in the plan. Those of the simulated flows follow.
const LIVE_NAMES: usize = 1;

/// The results of a group of flows in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupResult {
    /// Mean goodput, bit/s.
    pub goodput_bps: f64,
    /// Mean completion time, seconds; NaN if a flow did not finish.
    pub completion_s: f64,
    /// Flows that finished.
    pub finished: u64,
    /// Share of the bytes of all flows.
    pub share: f64,
    /// Share of packets declared lost.
    pub retransmissions: f64,
}

/// Counts of the datagrams of stacks: sent + copied = delivered + lost + under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// Datagrams sent.
    pub sent: u64,
    /// Copies that the path delivered or lost in addition.
    pub copied: u64,
    /// Datagrams delivered, with copies.
    pub delivered: u64,
    /// Datagrams dropped or lost.
    pub lost: u64,
    /// Datagrams on the way at the end.
    pub under_way: u64,
}

/// The results of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The seed.
    pub seed: u64,
    /// The digest of every datagram of a stack (time, size and ECN field) and of every simulated packet.
    pub digest: u64,
    /// Results by group.
    pub groups: Vec<GroupResult>,
    /// Mean wait in the queue of the bottleneck, seconds.
    pub queue_mean_s: f64,
    /// 99th percentile of the sampled queue, seconds.
    pub queue_p99_s: f64,
    /// Jain's index of the goodputs.
    pub fairness: f64,
    /// Packets that the queue marked.
    pub marks: u64,
    /// Packets that the queue dropped.
    pub drops: u64,
    /// Datagrams of stacks.
    pub packets: Packets,
}

/// The counts of one flow after the run.
struct Counted {
    group: usize,
    bytes: f64,
    seconds: f64,
    /// When it finished, seconds.
    end_s: Option<f64>,
    completion_s: Option<f64>,
    sent: f64,
    lost: f64,
}

impl Run<'_> {
    pub(super) fn results(mut self) -> RunResult {
        let engine_digest = self.engine.digest();
        self.note([4, engine_digest, 0, 0]);
        let counted: Vec<Counted> = self.count_live().into_iter().chain(self.count_simulated()).collect();
        let total: f64 = counted.iter().map(|flow| flow.bytes).sum();
        let groups = (0..self.scenario.flows.len()).map(|group| summarise(group, &counted, total)).collect();
        let rates: Vec<f64> = counted.iter().map(|flow| flow.bytes / flow.seconds).collect();
        let [queue_mean_s, queue_p99_s] = self.queue(&counted);
        let port = &self.engine.record().ports[0].tally;
        let mut packets = self.packets;
        let balance = &self.engine.record().balance;
        packets.copied = balance.counters.segments_copied;
        packets.under_way = self.under_way.len() as u64;
        RunResult {
            seed: self.seed,
            digest: self.digest,
            groups,
            queue_mean_s,
            queue_p99_s,
            fairness: jain(&rates),
            marks: port.marks,
            drops: port.drops,
            packets,
        }
    }

    fn count_live(&self) -> Vec<Counted> {
        let (from, duration) = (self.scenario.from_ps, self.scenario.duration_ps);
        let count = |flow: &Live| {
            let (start, end) = (flow.start.start_ps, flow.finished_ps);
            let seconds = end.unwrap_or(duration).saturating_sub(start.max(from)) as f64 / 1e12;
            Counted {
                group: flow.start.group,
                bytes: (flow.received - flow.before.unwrap_or(0)) as f64,
                seconds,
                end_s: end.map(|end| end as f64 / 1e12),
                completion_s: end.map(|end| (end - start) as f64 / 1e12),
                sent: flow.stats.sent as f64,
                lost: flow.stats.lost as f64,
            }
        };
        self.flows.iter().map(count).collect()
    }

    fn count_simulated(&self) -> Vec<Counted> {
        let (from, duration) = (self.scenario.from_ps, self.scenario.duration_ps);
        let record = self.engine.record();
        let count = |(n, start): (usize, &Start)| {
            let row = record.flows.iter().find(|row| row.traffic as usize == LIVE_NAMES + n);
            let finished = row.filter(|row| row.status == Status::Finished);
            let took = finished.and_then(|row| row.fct_receiver);
            let end = took.map_or(duration, |took| start.start_ps + took);
            let words = row.map(|row| [row.delivered, row.delivered_total, row.retransmissions_total]);
            let [delivered, total, resent] = words.unwrap_or_default().map(f64::from);
            Counted {
                group: start.group,
                bytes: delivered * self.planned.segment_bytes as f64,
                seconds: end.saturating_sub(start.start_ps.max(from)) as f64 / 1e12,
                end_s: took.map(|_| end as f64 / 1e12),
                completion_s: took.map(|took| took as f64 / 1e12),
                sent: total + resent,
                lost: resent,
            }
        };
        self.planned.simulated.iter().enumerate().map(count).collect()
    }

    /// Mean wait of packets by Little's law, and the 99th percentile of the samples while flows ran, seconds.
    fn queue(&self, counted: &[Counted]) -> [f64; 2] {
        let record = self.engine.record();
        let port = &record.ports[0];
        let mean = port.tally.wait_ps as f64 / 1e12 / port.sent.departures as f64;
        let last = counted.iter().map(|flow| flow.end_s).try_fold(0.0, |last: f64, end| Some(last.max(end?)));
        let last_ps = last.map_or(u64::MAX, |last| (last * 1e12) as u64);
        let bits = 8.0 * port.tally.arrived_bytes as f64 / port.tally.arrivals as f64;
        let mut waits: Vec<f64> = record
            .port_samples
            .iter()
            .filter(|sample| {
                sample.link == 0 && sample.time >= self.scenario.from_ps && sample.time <= last_ps
            })
            .map(|sample| sample.queue as f64 * bits / self.scenario.path.rate_at(sample.time) as f64)
            .collect();
        waits.sort_by(f64::total_cmp);
        let p99 = waits.get((waits.len() * 99 / 100).min(waits.len().saturating_sub(1)));
        [mean, p99.copied().unwrap_or(f64::NAN)]
    }
}

fn summarise(group: usize, counted: &[Counted], total: f64) -> GroupResult {
    let flows: Vec<&Counted> = counted.iter().filter(|flow| flow.group == group).collect();
    let n = flows.len() as f64;
    let sum = |of: &dyn Fn(&Counted) -> f64| flows.iter().map(|flow| of(flow)).sum::<f64>();
    GroupResult {
        goodput_bps: sum(&|flow| 8.0 * flow.bytes / flow.seconds) / n,
        completion_s: sum(&|flow| flow.completion_s.unwrap_or(f64::NAN)) / n,
        finished: flows.iter().filter(|flow| flow.completion_s.is_some()).count() as u64,
        share: sum(&|flow| flow.bytes) / total,
        retransmissions: sum(&|flow| flow.lost) / sum(&|flow| flow.sent),
    }
}

/// Jain's index: 1 if all are equal, 1/n if one flow gets all (Jain, Chiu, Hawe 1984).
fn jain(rates: &[f64]) -> f64 {
    let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|rate| rate * rate).sum::<f64>());
    sum * sum / (rates.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::jain;

    #[test]
    fn jains_index_by_hand() {
        assert_eq!(jain(&[1.0, 1.0]), 1.0);
        assert_eq!(jain(&[1.0, 0.0]), 0.5);
        assert!((jain(&[1.0, 3.0]) - 0.8).abs() < 1e-12); // 16 / (2 * 10)
    }
}
