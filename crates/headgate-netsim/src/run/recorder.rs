//! The recorder: when to stop the network, and what to measure then.

use headgate_model::control::ControllerRegistry;
use headgate_model::plan::Series;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::packets::index::LinkIndex;
use crate::plan::Plan;
use crate::record::{FlowSample, NetworkSample, PortSample, Record};
use crate::run::all_shards::AllShards;
use crate::run::media_rows::media_samples;
use crate::run::period::Period;

/// The instants at which a run stops for measurements: end of warm-up, periods, samples, series, and the
/// end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorder {
    /// Duration of the run, picoseconds.
    pub duration: Time,
    warmup: Time,
    interval: Span,
    /// Current and future periods, the next one last.
    periods: Vec<[Time; 2]>,
    open: Option<Box<Period>>,
    next_sample: Time,
    next_series: Time,
    series: Option<SeriesSampler>,
    done: bool,
    /// The record so far.
    pub record: Record,
}

/// The links that the series follow. The flows are in [`crate::region::setup::Setup`].
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeriesSampler {
    interval: Span,
    links: Vec<LinkIndex>,
    /// Bytes sent and packets dropped on each link before the tallies restarted.
    before: Vec<(u64, u64)>,
}

impl SeriesSampler {
    fn new(series: &Series) -> Self {
        let before = vec![(0, 0); series.links.len()];
        Self {
            interval: series.interval_ps,
            links: series.links.iter().copied().map(LinkIndex).collect(),
            before,
        }
    }
}

impl Recorder {
    /// The measurements of a plan with this many sources.
    pub fn new(plan: &Plan, sources: u64) -> Self {
        let series = plan.measure.series.as_ref().map(SeriesSampler::new);
        Self {
            duration: plan.duration_ps,
            warmup: plan.measure.warmup_ps,
            interval: plan.measure.interval_ps,
            periods: plan.measure.periods.iter().rev().copied().collect(),
            open: None,
            next_sample: NEVER,
            next_series: if series.is_some() { 0 } else { NEVER },
            series,
            done: false,
            record: Record { sources, keys: plan.flow_keys(), ..Record::default() },
        }
    }

    /// Returns whether the run has ended.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Ends the run and its periods at `time`, which is in the future and before the planned end.
    pub fn end_at(&mut self, time: Time) {
        self.duration = self.duration.min(time);
        self.periods.retain(|period| period[0] < time);
        self.periods.iter_mut().for_each(|period| period[1] = period[1].min(time));
        self.open.iter_mut().for_each(|period| period.end_by(time));
    }

    /// Returns the next instant to stop at. All events before it have happened then, and none at it.
    pub fn next_stop(&self) -> Time {
        let period = self.periods.last().map_or(NEVER, |p| p[usize::from(self.open.is_some())]);
        let next_stop = self.warmup.min(period).min(self.next_sample).min(self.next_series);
        next_stop.min(self.duration)
    }

    /// Measures at an instant returned by [`Self::next_stop`].
    pub fn visit<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        all_shards.set_now(now);
        if now == self.next_series {
            self.sample_series(now, all_shards);
        }
        if now == self.next_sample {
            self.sample(now, all_shards);
        }
        self.end_period(now, all_shards);
        if now == self.warmup {
            self.warmup = NEVER;
            self.end_warmup(now, all_shards);
        }
        self.begin_period(now, all_shards);
        if now >= self.duration {
            self.finish(now, all_shards);
        }
    }

    fn end_warmup<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        if let Some(series) = &mut self.series {
            for (&link, before) in series.links.iter().zip(&mut series.before) {
                *before = all_shards.port(link, now).sent_and_dropped(now);
            }
        }
        all_shards.end_warmup(now);
        if let Some(period) = &mut self.open {
            period.reset_ports(now, all_shards);
        }
    }

    fn end_period<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        if let Some(period) = self.open.take_if(|period| period.end() == now) {
            period.close(now, all_shards, &mut self.record);
            self.periods.pop();
            self.next_sample = NEVER;
        }
    }

    fn begin_period<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        let begins = self.periods.last().copied().filter(|p| self.open.is_none() && p[0] == now);
        if let Some(bounds) = begins {
            let number = self.record.periods.len() as u32;
            self.open = Some(Box::new(Period::begin(number, bounds, all_shards)));
            self.next_sample = now + self.interval;
        }
    }

    fn sample<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        self.next_sample = now + self.interval;
        if let Some(period) = &mut self.open {
            period.sample(now, all_shards);
        }
    }

    /// Samples the series.
    fn sample_series<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        let Some(series) = &self.series else { return };
        self.next_series = now + series.interval;
        for (&link, before) in series.links.iter().zip(&series.before) {
            let port = all_shards.port(link, now);
            let (sent_bytes, drops) = port.sent_and_dropped(now);
            let (sent_bytes, drops) = (before.0 + sent_bytes, before.1 + drops);
            let (queue, gauge) = (port.queue(now) as u64, port.gauge());
            let sample = PortSample { time: now, link: link.0, queue, sent_bytes, drops, gauge };
            self.record.port_samples.push(sample);
        }
        self.record.flow_samples.extend(flow_samples(now, all_shards));
        self.record.media_samples.extend(media_samples(now, all_shards));
        let counters = all_shards.counters();
        self.record.network_samples.push(NetworkSample {
            time: now,
            active: counters.active as u64,
            connecting: counters.connecting as u64,
            finished: counters.flows_completed,
        });
    }

    fn finish<L: ControllerRegistry>(&mut self, now: Time, all_shards: &mut AllShards<'_, L>) {
        self.done = true;
        let record = &mut self.record;
        record.flows = all_shards.take_flow_rows();
        if all_shards.setup.keep_rows {
            record.flows.extend(all_shards.groups().flat_map(|(group, state)| group.active_rows(state)));
        }
        record.flows.sort_by_key(|r| (r.start, r.traffic, r.address));
        record.ports = all_shards.port_rows(now);
    }
}

/// Samples the active flows of the series.
fn flow_samples<L: ControllerRegistry>(
    now: Time,
    all_shards: &AllShards<'_, L>,
) -> impl Iterator<Item = FlowSample> {
    let split = all_shards.setup.split;
    (0..all_shards.setup.series_index.len() as u32).filter_map(move |flow| {
        let address = all_shards.series_address(flow as usize)?;
        let (group, state) = all_shards.group(split.router(address));
        let found = group.series_flow(split.slot(address), flow, state)?;
        let sender = &found.tcp;
        let (receivers, _) = all_shards.group(found.peer.router);
        Some(FlowSample {
            time: now,
            flow,
            cwnd: sender.window.cwnd,
            ssthresh: sender.window.ssthresh,
            srtt_s: sender.rtt.path.srtt_s,
            pace: sender.pacing_rate(&state.profiles[found.endpoint.profile as usize]),
            gauge: sender.gauge(),
            in_flight: sender.flight(),
            delivered: sender.una,
            arrived: receivers.arrived(found.endpoint.sender_connection()),
        })
    })
}
