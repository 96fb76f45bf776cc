//! One run: stacks and simulated flows over the path, in simulated time.
//!
//! The engine advances in windows of at most 25 us. A stack learns of an arrival at the end of its window.
//! Its timers and the datagrams that these send are exact.

mod results;

use headgate_algos::control::AnyController;
use headgate_netsim::packets::foreign::ForeignPacket;
use headgate_netsim::run::engine::Engine;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::plan::{self, IP_AND_UDP, Planned, Start, mix};
use crate::scenario::{CheckedScenario, Sender};
use crate::stack::{Connect, Datagram, Endpoint, Stack, Stats};

pub use results::{GroupResult, Packets, RunResult};

/// Time after which a copied datagram is forgotten, picoseconds.
const COPY_LIFE_PS: u64 = 60_000_000_000_000;

/// The most datagrams of a flow at one instant.
const MOST_CALLS: usize = 100_000;

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
