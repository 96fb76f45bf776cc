//! When to look at the running network, and what to note.

use headgate_model::control::ControllerRegistry;
use headgate_model::plan::Series;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::period::Period;
use crate::plan::Plan;
use crate::record::{FlowSample, NetworkSample, PortSample, Record};
use crate::world::World;

/// The agenda of a run: end of warm-up, periods, samples, series, the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meter {
    pub duration: Time,
    warmup: Time,
    interval: Span,
    /// Periods still to come or under way, the next one last.
    periods: Vec<[Time; 2]>,
    open: Option<Box<Period>>,
    next_sample: Time,
    next_series: Time,
    watch: Option<Watch>,
    done: bool,
    pub record: Record,
}

/// What the series follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Watch {
    interval: Span,
    links: Vec<u32>,
    /// Bytes sent and drops of each link before the tallies were reset.
    before: Vec<(u64, u64)>,
}

impl Watch {
    fn new(series: &Series) -> Self {
        let before = vec![(0, 0); series.links.len()];
        Self { interval: series.interval_ps, links: series.links.clone(), before }
    }
}

impl Meter {
    pub fn new(plan: &Plan, sources: u64) -> Self {
        let watch = plan.measure.series.as_ref().map(Watch::new);
        Self {
            duration: plan.duration_ps,
            warmup: plan.measure.warmup_ps,
            interval: plan.measure.interval_ps,
            periods: plan.measure.periods.iter().rev().copied().collect(),
            open: None,
            next_sample: NEVER,
            next_series: if watch.is_some() { 0 } else { NEVER },
            watch,
            done: false,
            record: Record { sources, keys: plan.flow_keys(), ..Record::default() },
        }
    }

    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The run is over at `time`, which lies ahead and before its end; so are its periods.
    pub fn end_at(&mut self, time: Time) {
        self.duration = self.duration.min(time);
        self.periods.retain(|period| period[0] < time);
        self.periods.iter_mut().for_each(|period| period[1] = period[1].min(time));
        self.open.iter_mut().for_each(|period| period.end_by(time));
    }

    /// The next instant to stop at: everything before it has happened, nothing at it.
    pub fn next(&self) -> Time {
        let period = self.periods.last().map_or(NEVER, |p| p[usize::from(self.open.is_some())]);
        let next = self.warmup.min(period).min(self.next_sample).min(self.next_series);
        next.min(self.duration)
    }

    pub fn visit<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        world.set_now(now);
        if now == self.next_series {
            self.trace(now, world);
        }
        if now == self.next_sample {
            self.sample(now, world);
        }
        self.end_period(now, world);
        if now == self.warmup {
            self.warmup = NEVER;
            self.end_warmup(now, world);
        }
        self.begin_period(now, world);
        if now >= self.duration {
            self.finish(now, world);
        }
    }

    fn end_warmup<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        if let Some(watch) = &mut self.watch {
            for (&link, before) in watch.links.iter().zip(&mut watch.before) {
                *before = world.port(link, now).passed(now);
            }
        }
        world.forget(now);
        if let Some(period) = &mut self.open {
            period.forget_ports(now, world);
        }
    }

    fn end_period<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        if let Some(period) = self.open.take_if(|period| period.end() == now) {
            period.close(now, world, &mut self.record);
            self.periods.pop();
            self.next_sample = NEVER;
        }
    }

    fn begin_period<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        let begins = self.periods.last().copied().filter(|p| self.open.is_none() && p[0] == now);
        if let Some(bounds) = begins {
            let number = self.record.periods.len() as u32;
            self.open = Some(Box::new(Period::begin(number, bounds, world)));
            self.next_sample = now + self.interval;
        }
    }

    fn sample<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        self.next_sample = now + self.interval;
        if let Some(period) = &mut self.open {
            period.sample(now, world);
        }
    }

    fn trace<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        let Some(watch) = &self.watch else { return };
        self.next_series = now + watch.interval;
        for (&link, before) in watch.links.iter().zip(&watch.before) {
            let port = world.port(link, now);
            let (sent_bytes, drops) = port.passed(now);
            let (sent_bytes, drops) = (before.0 + sent_bytes, before.1 + drops);
            let (queue, gauge) = (port.queue(now) as u64, port.gauge());
            let sample = PortSample { time: now, link, queue, sent_bytes, drops, gauge };
            self.record.port_samples.push(sample);
        }
        self.record.flow_samples.extend(flow_samples(now, world));
        let counters = world.counters();
        self.record.network_samples.push(NetworkSample {
            time: now,
            active: counters.active as u64,
            connecting: counters.connecting as u64,
            finished: counters.flows_completed,
        });
    }

    fn finish<L: ControllerRegistry>(&mut self, now: Time, world: &mut World<'_, L>) {
        self.done = true;
        let record = &mut self.record;
        record.flows = world.take_rows();
        if world.setup.keep_rows {
            record.flows.extend(world.groups().flat_map(|(group, shared)| group.open_rows(shared)));
        }
        record.flows.sort_by_key(|r| (r.start, r.traffic, r.address));
        record.ports = world.port_rows(now);
    }
}

/// The followed flows that are under way.
fn flow_samples<L: ControllerRegistry>(now: Time, world: &World<'_, L>) -> impl Iterator<Item = FlowSample> {
    let split = world.setup.split;
    (0..world.setup.follows.len() as u32).filter_map(move |flow| {
        let address = world.traced(flow as usize)?;
        let (group, shared) = world.group(split.group(address) as u32);
        let found = group.flow_of(split.slot(address), flow, shared)?;
        let sender = &found.tcp;
        let (receivers, _) = world.group(found.peer.router);
        Some(FlowSample {
            time: now,
            flow,
            cwnd: sender.window.cwnd,
            ssthresh: sender.window.ssthresh,
            srtt_s: sender.rtt.path.srtt_s,
            pace: sender.pacing_rate(&shared.profiles[found.end.profile as usize]),
            gauge: sender.gauge(),
            in_flight: sender.flight(),
            delivered: sender.una,
            arrived: receivers.arrived(address, found.end.generation),
        })
    })
}
