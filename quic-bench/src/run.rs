//! One run: stacks and simulated flows over the path, in simulated time.
//!
//! The engine advances in windows of at most 25 us. A stack learns of an arrival at the end of its window. Its timers
//! and the datagrams that these send are exact.

use headgate_algos::control::AnyController;
use headgate_netsim::packets::foreign::ForeignPacket;
use headgate_netsim::record::Status;
use headgate_netsim::run::engine::Engine;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::plan::{self, IP_AND_UDP, Planned, Start, mix};
use crate::scenario::{CheckedScenario, Sender};
use crate::stack::{Connect, Datagram, Endpoint, Stack, Stats};

/// Time after which a copied datagram is forgotten, picoseconds.
const COPY_LIFE_PS: u64 = 60_000_000_000_000;

/// The names that the traffic of live hosts has in the plan. Those of the simulated flows follow.
const LIVE_NAMES: usize = 1;

/// The most datagrams of a flow at one instant.
const MOST_CALLS: usize = 100_000;

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

/// Runs a scenario with one seed.
///
/// # Errors
/// If the engine refuses the plan, or a stack fails.
pub fn run(scenario: &CheckedScenario, stacks: &[&dyn Stack], seed: u64) -> Result<RunResult> {
    let planned = plan::make(scenario, seed)?;
    let mut run = Run::new(scenario, stacks, seed, planned);
    run.go().map_err(|error| error.within(&format!("seed {seed}")))?;
    Ok(run.results())
}

/// A flow of a stack.
struct Live {
    start: Start,
    ends: Option<[Box<dyn Endpoint>; 2]>,
    /// Bytes to write in all.
    size: u64,
    written: u64,
    received: u64,
    /// Bytes received before the measurement began.
    before: Option<u64>,
    finished_ps: Option<u64>,
    stats: Stats,
    /// The next time at which it acts by itself, picoseconds.
    due_ps: u64,
}

/// A datagram on its way.
struct Sent {
    flow: usize,
    to_server: bool,
    datagram: Datagram,
    time_ps: u64,
}

struct Run<'a> {
    scenario: &'a CheckedScenario,
    stacks: &'a [&'a dyn Stack],
    seed: u64,
    planned: Planned,
    engine: Engine<AnyController>,
    /// Instant of time 0.
    begun: Instant,
    flows: Vec<Live>,
    under_way: BTreeMap<u64, Sent>,
    next_id: u64,
    digest: u64,
    packets: Packets,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a CheckedScenario, stacks: &'a [&'a dyn Stack], seed: u64, planned: Planned) -> Self {
        let engine = Engine::new(&planned.plan.plan, &planned.plan.choices, &Default::default());
        let live = |start: &Start| Live {
            due_ps: start.start_ps,
            size: scenario.flows[start.group].size.unwrap_or(u64::MAX),
            start: start.clone(),
            ends: None,
            written: 0,
            received: 0,
            before: None,
            finished_ps: None,
            stats: Stats::default(),
        };
        let flows = planned.live.iter().map(live).collect();
        let (begun, under_way, packets) = (Instant::now(), BTreeMap::new(), Packets::default());
        Self {
            scenario,
            stacks,
            seed,
            planned,
            engine,
            begun,
            flows,
            under_way,
            next_id: 0,
            digest: seed,
            packets,
        }
    }

    fn instant(&self, time_ps: u64) -> Instant {
        self.begun + Duration::from_nanos(time_ps / 1000)
    }

    /// Runs window by window to the end.
    fn go(&mut self) -> Result {
        let duration = self.scenario.duration_ps;
        loop {
            let end = self.engine.window_end().min(duration);
            self.act_before(end)?;
            let next = self.next_due();
            let until = if self.under_way.is_empty() { next.clamp(end, duration) } else { end };
            let is_over = self.engine.advance_to(until, &mut || true);
            if self.engine.now() < end && !is_over {
                return Err(Error::new("", format!("the run stopped: {:?}", self.engine.limit_exceeded())));
            }
            self.take_outcomes()?;
            if is_over {
                return Ok(());
            }
        }
    }

    fn next_due(&self) -> u64 {
        self.flows.iter().map(|flow| flow.due_ps).min().unwrap_or(u64::MAX)
    }

    /// Lets flows act whose time comes before the end of the window, in order of time.
    fn act_before(&mut self, end: u64) -> Result {
        loop {
            let next = self.flows.iter().enumerate().map(|(n, flow)| (flow.due_ps, n)).min();
            let Some((due, n)) = next.filter(|(due, _)| *due < end) else { return Ok(()) };
            let now = due.max(self.engine.now());
            self.act(n, now)?;
            // A timer that has not moved would hold up the run.
            let flow = &mut self.flows[n];
            flow.due_ps = flow.due_ps.max(now + 1_000);
        }
    }

    /// Lets one flow begin, or handle its timers.
    fn act(&mut self, n: usize, now_ps: u64) -> Result {
        let now = self.instant(now_ps);
        if self.flows[n].ends.is_none() {
            let ends = self.connect(n, now)?;
            self.flows[n].ends = Some(ends);
        }
        for end in self.flows[n].ends.iter_mut().flatten() {
            if end.next_timeout().is_some_and(|due| due <= now) {
                end.handle_timeout(now);
            }
        }
        self.settle(n, now_ps)
    }

    fn connect(&self, n: usize, now: Instant) -> Result<[Box<dyn Endpoint>; 2]> {
        let flow = &self.scenario.flows[self.flows[n].start.group];
        let Sender::Stack(stack) = flow.sender else { unreachable!("flows of the engine are not live") };
        let connect = Connect {
            controller: &flow.controller,
            now,
            datagram_bytes: self.scenario.datagram_bytes,
            window_bytes: self.scenario.path.ample_window(),
            seed: mix(self.seed, (n as u64) << 32),
        };
        self.stacks[stack].connect(&connect).map_err(|error| error.within(&flow.name))
    }

    /// Writes, reads and sends all that a flow can at this time.
    fn settle(&mut self, n: usize, now_ps: u64) -> Result {
        let now = self.instant(now_ps);
        let flow = &mut self.flows[n];
        let Some([client, server]) = &mut flow.ends else { return Ok(()) };
        let left = flow.size - flow.written;
        flow.written += client.write(left, flow.size != u64::MAX);
        flow.received += server.read();
        if let Some(error) = client.error().or_else(|| server.error()) {
            let name = &self.scenario.flows[flow.start.group].name;
            return Err(Error::new(
                name,
                format!("the connection ended at {} s: {error}", now_ps as f64 / 1e12),
            ));
        }
        let mut sent = Vec::new();
        for (to_server, end) in [(true, client), (false, server)] {
            while let Some(datagram) = end.poll_transmit(now) {
                sent.push((to_server, datagram));
                if sent.len() > MOST_CALLS {
                    return Err(Error::new(
                        flow_name(self.scenario, &flow.start),
                        "it sends without end at one instant",
                    ));
                }
            }
        }
        if flow.received >= flow.size {
            flow.finished_ps = Some(now_ps);
        }
        for (to_server, datagram) in sent {
            self.send(n, to_server, datagram, now_ps)?;
        }
        self.set_due(n, now_ps);
        Ok(())
    }

    /// Finds when a flow acts next. A flow that finished is dropped.
    fn set_due(&mut self, n: usize, now_ps: u64) {
        let begun = self.begun;
        let flow = &mut self.flows[n];
        let Some(ends) = &mut flow.ends else { return };
        flow.stats = ends[0].stats();
        if flow.finished_ps.is_some() {
            flow.ends = None;
            flow.due_ps = u64::MAX;
            return;
        }
        let due = ends.iter_mut().filter_map(|end| end.next_timeout()).min();
        let time = |due: Instant| due.saturating_duration_since(begun).as_nanos() as u64 * 1000;
        flow.due_ps = due.map_or(u64::MAX, time).max(now_ps);
    }

    fn send(&mut self, n: usize, to_server: bool, datagram: Datagram, now_ps: u64) -> Result {
        let (sender, receiver) = (self.flows[n].start.host, self.planned.receiver);
        let (from, to) = if to_server { (sender, receiver) } else { (receiver, sender) };
        let size = datagram.bytes.len() as u64 + IP_AND_UDP;
        let name = || flow_name(self.scenario, &self.flows[n].start);
        let size_bytes = u16::try_from(size)
            .map_err(|_| Error::new(name(), format!("a datagram of {size} B is too large")))?;
        let flow = 2 * n as u32 + u32::from(!to_server);
        let packet = ForeignPacket { id: self.next_id, from, to, flow, size_bytes, ecn: datagram.ecn };
        self.engine.inject(now_ps, &packet).map_err(|error| Error::new(name(), error.to_string()))?;
        self.note([1, now_ps, u64::from(flow), (size << 2) | u64::from(datagram.ecn.bits())]);
        self.under_way.insert(self.next_id, Sent { flow: n, to_server, datagram, time_ps: now_ps });
        self.next_id += 1;
        self.packets.sent += 1;
        Ok(())
    }

    /// Hands over the datagrams that arrived in the last window.
    fn take_outcomes(&mut self) -> Result {
        let (outcomes, now) = (self.engine.take_outcomes(), self.engine.now());
        self.mark_start(now);
        for loss in &outcomes.lost {
            self.note([2, loss.time, loss.id, 0]);
            self.packets.lost += 1;
            self.take(loss.id, now);
        }
        let mut touched = Vec::new();
        for delivery in &outcomes.delivered {
            self.note([3, delivery.time, delivery.id, u64::from(delivery.ecn.bits())]);
            self.packets.delivered += 1;
            let Some((n, to_server, datagram)) = self.take(delivery.id, now) else { continue };
            let at = self.instant(now);
            if let Some(ends) = &mut self.flows[n].ends {
                ends[usize::from(to_server)].handle_datagram(at, Datagram { ecn: delivery.ecn, ..datagram });
                touched.push(n);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().try_for_each(|n| self.settle(n, now))
    }

    /// Notes what flows have received when the measurement begins.
    fn mark_start(&mut self, now: u64) {
        if now >= self.scenario.from_ps {
            self.flows.iter_mut().for_each(|flow| _ = flow.before.get_or_insert(flow.received));
        }
    }

    /// Takes a datagram that arrived or was lost. A path with copies needs it again.
    fn take(&mut self, id: u64, now: u64) -> Option<(usize, bool, Datagram)> {
        if !self.scenario.path.has_copies {
            return self.under_way.remove(&id).map(|sent| (sent.flow, sent.to_server, sent.datagram));
        }
        let old = |entry: &std::collections::btree_map::OccupiedEntry<'_, u64, Sent>| {
            entry.get().time_ps + COPY_LIFE_PS < now
        };
        while let Some(entry) = self.under_way.first_entry().filter(old) {
            entry.remove();
        }
        self.under_way.get(&id).map(|sent| (sent.flow, sent.to_server, sent.datagram.clone()))
    }

    /// Adds an event to the digest (FNV-1a over words).
    fn note(&mut self, words: [u64; 4]) {
        let fold =
            |digest: u64, word: u64| (digest ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        self.digest = words.into_iter().fold(self.digest, fold);
    }
}

fn flow_name(scenario: &CheckedScenario, start: &Start) -> String {
    scenario.flows[start.group].name.clone()
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
    fn results(mut self) -> RunResult {
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
