//! A measurement period in progress: the counts at its beginning, and its samples.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;
use headgate_tcp::Phase;
use serde::{Deserialize, Serialize};

use crate::packets::index::LinkIndex;
use crate::record::flow_stats::StatsByKey;
use crate::record::{BUCKETS, ClassRow, ControllerRow, Counters, LinkRow, PeriodRow, PortRow, Record};
use crate::run::all_shards::AllShards;
use crate::run::media_rows::{StreamCounts, count_streams, media_rows};

/// A measurement period in progress.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Period {
    row: PeriodRow,
    counters: Counters,
    flow_stats: StatsByKey,
    controllers: Vec<ControllerRow>,
    ports: Vec<PortRow>,
    links: Vec<LinkRow>,
    streams: Vec<StreamCounts>,
}

impl Period {
    /// Begins the period with this number at `start`.
    pub fn begin<L: ControllerRegistry>(
        number: u32,
        [start, end]: [Time; 2],
        all_shards: &mut AllShards<'_, L>,
    ) -> Self {
        let controller = |controller| ControllerRow {
            period: number,
            controller,
            least: f64::INFINITY,
            ..ControllerRow::default()
        };
        let link = |link| LinkRow { period: number, link, ..LinkRow::default() };
        let ports = all_shards.port_rows(start);
        Self {
            row: PeriodRow { start, end, ..PeriodRow::default() },
            counters: all_shards.counters().without_early(&ports),
            flow_stats: flow_stats(start, all_shards),
            controllers: (0..all_shards.controllers() as u32).map(controller).collect(),
            ports,
            links: (0..all_shards.links() as u32).map(link).collect(),
            streams: count_streams(all_shards),
        }
    }

    /// Returns the end of the period, picoseconds.
    pub fn end(&self) -> Time {
        self.row.end
    }

    /// Ends the period at `time` if that is earlier.
    pub fn end_by(&mut self, time: Time) {
        self.row.end = self.row.end.min(time);
    }

    /// Restarts the counts of ports, because the ports restarted theirs.
    pub fn reset_ports<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        self.ports = all_shards.port_rows(now);
        for link in &mut self.links {
            *link = LinkRow { period: link.period, link: link.link, ..LinkRow::default() };
        }
    }

    /// Samples the state of the network. Called once per interval.
    pub fn sample<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        let counters = all_shards.counters();
        self.row.samples += 1;
        self.row.transmitting_sum += counters.transmitting as u64;
        self.row.active_sum += counters.active as u64;
        self.row.connecting_sum += counters.connecting as u64;
        self.sample_windows(all_shards);
        for (row, link) in self.links.iter_mut().zip((0..).map(LinkIndex)) {
            let queue = all_shards.port(link, now).queue(now) as u64;
            row.samples += 1;
            row.queue_sum += queue;
            row.queue_max = row.queue_max.max(queue);
        }
    }

    fn sample_windows<L: ControllerRegistry>(&mut self, all_shards: &AllShards<'_, L>) {
        let mut now = vec![(0u64, 0.0); self.controllers.len()];
        let mut sum = 0.0;
        for flow in all_shards.groups().flat_map(|(group, _)| group.active()) {
            let (controller, cwnd) = (flow.controller as usize, flow.tcp.window.cwnd);
            sum += cwnd;
            let row = &mut self.controllers[controller];
            row.active_sum += 1;
            if flow.tcp.phase == Phase::SynSent {
                row.connecting_sum += 1;
                continue;
            }
            row.buckets[bucket(cwnd)] += 1;
            now[controller].0 += 1;
            now[controller].1 += cwnd;
        }
        self.row.cwnd_sum += sum;
        for (row, (flows, cwnd)) in self.controllers.iter_mut().zip(now) {
            row.add_sample(flows, cwnd);
        }
    }

    /// Ends the period and records its rows.
    pub fn close<L: ControllerRegistry>(
        self,
        now: Time,
        all_shards: &mut AllShards<'_, L>,
        record: &mut Record,
    ) {
        let ports = all_shards.port_rows(now);
        let span = [self.row.start, self.row.end];
        let counters = all_shards.counters().without_early(&ports).since(&self.counters);
        record.periods.push(PeriodRow { counters, sources: record.sources, ..self.row });
        record.controllers.extend(self.controllers.into_iter().filter(|row| row.active_sum > 0));
        let period = record.periods.len() as u32 - 1;
        record.media.extend(media_rows(period, span, &self.streams, all_shards));
        let after = flow_stats(now, all_shards);
        let row = |(index, stats)| ClassRow { period, key: record.keys.key(index), stats };
        record.classes.extend(after.since(&self.flow_stats).map(row));
        let links = self.links.iter().zip(ports.iter().zip(&self.ports));
        record.links.extend(links.map(|(link, (after, before))| link.difference(before, after)));
    }
}

/// Returns the statistics of all flows by key, with those of active flows.
fn flow_stats<L: ControllerRegistry>(now: Time, all_shards: &AllShards<'_, L>) -> StatsByKey {
    let mut stats = all_shards.flow_stats();
    for flow in all_shards.groups().flat_map(|(group, _)| group.active()) {
        flow.add_to(&mut stats.all[flow.key as usize], now);
    }
    stats
}

impl ControllerRow {
    /// Adds a sample: the number of flows and the sum of their windows. Mean and squares follow Welford
    /// (1962).
    fn add_sample(&mut self, flows: u64, cwnd: f64) {
        self.samples += 1;
        if flows == 0 {
            return;
        }
        self.cwnd_sum += cwnd;
        let value = cwnd / flows as f64;
        self.seen += 1;
        let deviation = value - self.mean;
        self.mean += deviation / self.seen as f64;
        self.squares += deviation * (value - self.mean);
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }
}

impl LinkRow {
    /// Returns the row of the period, from the port's counts before and after.
    fn difference(&self, before: &PortRow, after: &PortRow) -> Self {
        Self { tally: after.tally.since(&before.tally), sent: after.sent.since(&before.sent), ..*self }
    }
}

/// Returns the bucket of a window. Windows double from bucket to bucket.
fn bucket(cwnd: f64) -> usize {
    let exponent = (cwnd.max(1.0).to_bits() >> 52) as usize - 1023;
    exponent.min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_at_powers_of_two() {
        let found = [0.3, 1.0, 1.99, 2.0, 3.9, 4.0, 1000.0, 1024.0, 1e9].map(bucket);
        assert_eq!(found, [0, 0, 0, 1, 1, 2, 9, 10, 23]);
    }

    #[test]
    fn the_mean_window_over_time_has_its_variance() {
        let mut row = ControllerRow { least: f64::INFINITY, ..ControllerRow::default() };
        for (flows, cwnd) in [(2, 20.0), (0, 0.0), (1, 40.0), (4, 100.0)] {
            row.add_sample(flows, cwnd); // means of 10, none, 40 and 25
        }
        assert_eq!((row.samples, row.seen, row.mean), (4, 3, 25.0));
        assert_eq!((row.squares, row.least, row.greatest), (450.0, 10.0, 40.0)); // 15² + 15² + 0²
    }
}
