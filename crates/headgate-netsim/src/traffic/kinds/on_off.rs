//! Sources that alternate between on and off. While a source is on, it always has data to send.
//!
//! The times depend on nothing else: the same sources are on at the same moments with every congestion
//! control algorithm. Exponential times are those of Winstein and Balakrishnan 2013 (section 3.2). The sum
//! of many sources with Pareto times of a shape below 2 is self-similar (Willinger, Taqqu, Sherman, Wilson
//! 1997).

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::Pool;
use headgate_model::units::Time;
use headgate_tcp::ENDLESS;
use serde::{Deserialize, Serialize};
use std::iter::repeat_n;

use crate::packets::index::{FlowId, SourceIndex};
use crate::record::LONG_LIVED;
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, check_shape, check_span};
use crate::traffic::flow_start::FlowStart;
use crate::traffic::hosts::{HostPool, Receivers};
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::mix::{ControllerShare, Mix, check_shares};
use crate::traffic::process::{ActiveFlows, Process, SourceAction, TimerContext};
use crate::traffic::spec::TrafficSpec;
use crate::traffic::times::DurationDistribution;

/// Allowed mean times, seconds. Exponential times with the greatest mean still fit into 64 bits.
const MEANS_S: (f64, f64) = (1e-9, 100_000.0);

/// Each source begins with a time off. Whenever it turns on, it opens a connection to a random receiver, or
/// continues on its first connection; when it turns off, the connection sends nothing new.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Name in the results.
    pub name: String,
    /// Congestion control algorithm, in the order of the plan.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Transport profile, in the order of the plan.
    pub transport: u32,
    /// Hosts that send.
    pub sources: Vec<Pool>,
    /// Hosts that receive.
    pub receivers: Vec<Pool>,
    /// Mean time on, seconds.
    pub on_s: f64,
    /// Mean time off, seconds.
    pub off_s: f64,
    /// Shape of Pareto times; absent = exponential times.
    #[serde(default)]
    pub shape: Option<f64>,
    /// Whether a source keeps its first connection.
    #[serde(default)]
    pub keeps_connection: bool,
    /// When the first times off begin, picoseconds.
    pub start_ps: u64,
    /// After this time no source is on, picoseconds.
    pub stop_ps: u64,
    /// Shares of the sources with other algorithms; empty = all have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
}

impl TrafficKind for OnOff {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        at.number("on_s", self.on_s, MEANS_S, "s")?;
        at.number("off_s", self.off_s, MEANS_S, "s")?;
        self.shape.map_or(Ok(()), |shape| check_shape("shape", shape, at))?;
        check_span(self.start_ps, self.stop_ps, at)?;
        check_shares(&self.controllers, &check.context, at)?;
        check.pools(&self.sources, &self.receivers, at)
    }
}

impl Populate for OnOff {
    type Process = Switches;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Switches> {
        let purpose = format!("on and off {}", self.name);
        let mut numbers = 0..;
        let pools = builder.add_pools(&self.sources);
        let nodes: Vec<u32> =
            pools.iter().flat_map(|pool| repeat_n(pool.router.0, pool.count as usize)).collect();
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let mut controllers = mix.assign(&nodes).into_iter();
        let process = |hosts: HostPool| {
            let stream = |number| Stream::new(builder.context.seed, &purpose, number);
            let switches = Switches {
                hosts,
                controllers: controllers.by_ref().take(hosts.count as usize).collect(),
                streams: numbers.by_ref().take(hosts.count as usize).map(stream).collect(),
                on: DurationDistribution::with_mean(self.on_s, self.shape),
                off: DurationDistribution::with_mean(self.off_s, self.shape),
                begun: if self.keeps_connection { vec![0; hosts.count as usize] } else { Vec::new() },
                start: self.start_ps,
                stop: self.stop_ps,
                active_flows: ActiveFlows::new(hosts.count),
            };
            (hosts.router, switches)
        };
        let processes = pools.into_iter().map(process).collect();
        let receivers = Receivers::new(builder.add_pools(&self.receivers));
        let plain = TrafficSpec::new(first, self.controller, self.transport);
        TrafficProcesses { spec: TrafficSpec { file: LONG_LIVED, receivers, ..plain }, processes }
    }
}

/// The sources of one pool of hosts. A flow may still be active when its source turns on again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switches {
    hosts: HostPool,
    /// Algorithm of each source.
    controllers: Vec<u32>,
    streams: Vec<Stream>,
    on: DurationDistribution,
    off: DurationDistribution,
    /// Times on of each source that have begun; empty if each uses a separate connection.
    begun: Vec<u32>,
    start: Time,
    stop: Time,
    active_flows: ActiveFlows,
}

impl Switches {
    /// Returns when a source that turns off at `now` turns on again, if it does.
    fn next_on(&mut self, source: SourceIndex, now: Time) -> Option<Time> {
        let time = now.saturating_add(self.off.draw(&mut self.streams[source.index()]));
        (time < self.stop).then_some(time)
    }
}

impl Process for Switches {
    fn sources(&self) -> u32 {
        self.active_flows.sources()
    }

    fn start(&mut self, _spec: &TrafficSpec) -> Vec<(SourceIndex, Time)> {
        let (sources, start) = (self.sources(), self.start);
        (0..sources)
            .map(SourceIndex)
            .filter_map(|source| Some((source, self.next_on(source, start)?)))
            .collect()
    }

    fn wake(&mut self, source: SourceIndex, at: &TimerContext) -> SourceAction {
        let stream = &mut self.streams[source.index()];
        let to = at.spec.receivers.draw(stream, at.router);
        let off = at.now.saturating_add(self.on.draw(stream));
        let ends = [self.hosts.nth(source.0), to];
        let plain = FlowStart::between(at.spec.first, at.spec, source, ends, ENDLESS);
        let flow = FlowStart { controller: self.controllers[source.index()], ..plain };
        let burst = self.begun.get_mut(source.index()).map_or(0, |begun| {
            *begun += 1;
            *begun
        });
        let next = self.next_on(source, off);
        SourceAction { flow, ends: off.min(self.stop), next, burst }
    }

    fn begin(&mut self, source: SourceIndex) -> bool {
        self.active_flows.begin(source)
    }

    fn end(&mut self, source: SourceIndex) -> bool {
        self.active_flows.end(source)
    }

    fn bytes(&self) -> usize {
        let begun = self.begun.capacity() * size_of::<u32>();
        self.streams.capacity() * size_of::<Stream>()
            + 4 * self.controllers.capacity()
            + begun
            + self.active_flows.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::index::{HostIndex, RouterIndex};
    use headgate_model::units::{SECOND, picoseconds, seconds};

    const STOP: Time = 200_000 * SECOND;

    fn switches(shape: Option<f64>) -> Switches {
        Switches {
            hosts: HostPool { router: RouterIndex(0), first: HostIndex(0), count: 2, interface: 0 },
            controllers: vec![0; 2],
            streams: (0..2).map(|n| Stream::new(1, "on and off test", n)).collect(),
            on: DurationDistribution::with_mean(2.0, shape),
            off: DurationDistribution::with_mean(6.0, shape),
            begun: Vec::new(),
            start: SECOND,
            stop: STOP,
            active_flows: ActiveFlows::new(2),
        }
    }

    fn spec() -> TrafficSpec {
        let receivers = Receivers::new(vec![HostPool {
            router: RouterIndex(1),
            first: HostIndex(0),
            count: 3,
            interface: 0,
        }]);
        TrafficSpec { file: LONG_LIVED, receivers, ..TrafficSpec::new(FlowId(7), 0, 0) }
    }

    /// Returns all times at which a source is on.
    fn times(switches: &mut Switches, source: SourceIndex) -> Vec<(Time, Time)> {
        let (spec, mut times) = (spec(), Vec::new());
        let mut next =
            switches.start(&spec).into_iter().find(|action| action.0 == source).map(|action| action.1);
        while let Some(now) = next {
            let action = switches.wake(source, &TimerContext { now, router: RouterIndex(0), spec: &spec });
            times.push((now, action.ends));
            next = action.next;
        }
        times
    }

    #[test]
    fn a_source_is_on_for_the_share_of_time_that_the_means_say() {
        for shape in [None, Some(2.5)] {
            let times = times(&mut switches(shape), SourceIndex(1));
            // 200,000 s of cycles of 8 s. The standard deviation of each time is at most its mean. That of a cycle
            // is therefore at most (2² + 6²)^0.5 = 6.3 s, that of the number of cycles 6.3 / 8 * 25,000^0.5 = 125.
            assert!((times.len() as f64 - 25_000.0).abs() < 500.0, "{}", times.len());
            let on_s: f64 = times.iter().map(|&(on, off)| seconds(off - on)).sum();
            // the standard deviation of one time is at most 2 s, so that of their mean is 2 / 158 s
            assert!((on_s / times.len() as f64 - 2.0).abs() < 0.05, "{on_s}");
        }
    }

    #[test]
    fn times_on_follow_each_other_and_end_with_the_traffic() {
        let times = times(&mut Switches { stop: 100 * SECOND, ..switches(None) }, SourceIndex(0));
        assert!(times[0].0 >= SECOND && times.last().unwrap().1 <= 100 * SECOND);
        assert!(times.iter().all(|(on, off)| on <= off));
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    #[test]
    fn times_on_of_a_kept_connection_are_the_same_and_have_numbers() {
        let bursts = |switches: &mut Switches| -> Vec<(Time, u32)> {
            let (spec, mut now) = (spec(), switches.start(&spec())[0].1);
            let mut wake = || {
                let at = TimerContext { now, router: RouterIndex(0), spec: &spec };
                let action = switches.wake(SourceIndex(0), &at);
                now = action.next.expect("another time on");
                (action.ends, action.burst)
            };
            (0..4).map(|_| wake()).collect()
        };
        let kept = bursts(&mut Switches { begun: vec![0; 2], ..switches(None) });
        let new = bursts(&mut switches(None));
        assert_eq!(kept.iter().map(|burst| burst.1).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(kept.iter().zip(&new).all(|(kept, new)| kept.0 == new.0 && new.1 == 0));
    }

    #[test]
    fn a_pareto_time_has_its_least() {
        // shape 2.5: the least is 3/5 of the mean
        let times = times(&mut switches(Some(2.5)), SourceIndex(0));
        let whole = times.iter().filter(|&&(_, off)| off < STOP);
        assert!(whole.clone().all(|(on, off)| off - on >= picoseconds(1.2)));
        assert!(whole.clone().any(|(on, off)| off - on < picoseconds(1.21)));
    }

    #[test]
    fn sources_are_on_apart_from_each_other() {
        let mut both = switches(None);
        let alone = times(&mut switches(None), SourceIndex(0));
        let other = times(&mut both, SourceIndex(1));
        assert_ne!(alone, other);
        // the draws of one source do not affect the other
        let spec = spec();
        let action = switches(None).start(&spec)[0].1;
        assert_eq!(action, alone[0].0);
    }
}
