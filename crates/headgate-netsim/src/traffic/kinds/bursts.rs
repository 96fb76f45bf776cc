//! Bursts on persistent connections: an application sends, pauses, and sends again on the same connection.
//!
//! In a *closed* loop, a pause begins when all of a burst is acknowledged. HTTP keep-alive is an example: the client
//! reads a response before it asks for the next one. In an *open* loop, bursts begin at times that do not depend on
//! the network. The segments of a live video are an example. A burst that begins before the last one has ended waits
//! behind it.

use headgate_model::chance::Stream;
use headgate_model::check::{LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{self, Place};
use headgate_model::units::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::packets::address::HostLocation;
use crate::packets::index::{FlowId, RouterIndex, SourceIndex};
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, MOST_NAMES, check_size};
use crate::traffic::flow_start::FlowStart;
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::mix::{ControllerShare, Mix, check_shares};
use crate::traffic::pairs::{Pairs, check_pairs};
use crate::traffic::process::{ActiveFlows, Process, SourceAction, TimerContext};
use crate::traffic::size::{self, Size};
use crate::traffic::spec::TrafficSpec;
use crate::traffic::times::{DurationDistribution, Times};

/// `count` connections, which start `stagger_ps` apart. Each begins with a burst. If there are several,
/// number 3 is called `name.3` in the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Name in the results.
    pub name: String,
    /// Number of connections.
    pub count: u32,
    /// Congestion control algorithm, in the order of the plan.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Transport profile, in the order of the plan.
    pub transport: u32,
    /// Places that send, used in turn.
    pub sources: Vec<Place>,
    /// Places that receive, used in turn.
    pub receivers: Vec<Place>,
    /// Start of the first connection, picoseconds.
    pub start_ps: u64,
    /// Time between the starts of two connections, picoseconds.
    #[serde(default)]
    pub stagger_ps: u64,
    /// From this time on, no burst begins, picoseconds.
    pub stop_ps: u64,
    /// Sizes of the bursts.
    pub size: plan::Size,
    /// Time from the last ACK of a burst to the start of the next one.
    #[serde(default)]
    pub pause: Option<Times>,
    /// Time between the starts of two bursts. It replaces `pause`.
    #[serde(default)]
    pub interval: Option<Times>,
    /// Bursts of each connection; absent = no limit.
    #[serde(default)]
    pub bursts: Option<u32>,
    /// Shares of the connections with other algorithms; empty = all have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
}

impl TrafficKind for Bursts {
    fn name(&self) -> &str {
        &self.name
    }

    fn names(&self) -> u32 {
        self.count
    }

    fn is_single_flows(&self) -> bool {
        true
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        at.count("count", self.count.into(), (1, MOST_NAMES), "connections")?;
        at.span("start_ps", self.start_ps, LONGEST_RUN_S)?;
        let last = self.stagger_ps.saturating_mul(u64::from(self.count) - 1).saturating_add(self.start_ps);
        at.span("stagger_ps", last, LONGEST_RUN_S)?;
        at.span("stop_ps", self.stop_ps, LONGEST_RUN_S)?;
        check_size(self.size, at)?;
        at.count("bursts", self.bursts.unwrap_or(1).into(), (1, u64::from(u32::MAX)), "bursts")?;
        self.check_times(at)?;
        check_shares(&self.controllers, &check.context, at)?;
        check_pairs(self.count, (&self.sources, &self.receivers), check, at)
    }
}

impl Bursts {
    /// Checks that either a pause or an interval is given. An interval of 0 would begin all bursts at once.
    fn check_times(&self, at: &PlanPath) -> Result {
        let one = self.pause.is_some() != self.interval.is_some();
        at.ensure(one, "pause", || "either a pause or an interval is needed, and not both".to_owned())?;
        self.pause.map_or(Ok(()), |pause| pause.check("pause", at))?;
        self.interval.map_or(Ok(()), |interval| interval.check("interval", at))?;
        let begins_at_once = matches!(self.interval, Some(Times::Fixed { ps: 0 }));
        at.ensure(!begins_at_once, "interval.ps", || "0 s is not allowed; it must be above 0 s".to_owned())
    }
}

impl Populate for Bursts {
    type Process = Applications;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Applications> {
        let purpose = format!("bursts {}", self.name);
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        let nodes: Vec<u32> = (0..self.count).map(|n| pairs.get(n).0.node).collect();
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let controllers = mix.assign(&nodes);
        let mut processes = BTreeMap::new();
        for n in 0..self.count {
            let (source, receiver) = pairs.get(n);
            let ends = [source, receiver].map(|place| builder.add_host(place).nth(0));
            let process = processes.entry(RouterIndex(source.node)).or_insert_with(|| self.applications());
            process.connections.push(Connection {
                flow_id: FlowId(first.0 + n),
                controller: controllers[n as usize],
                ends,
                start: self.start_ps + u64::from(n) * self.stagger_ps,
                begun: 0,
                stream: Stream::new(builder.context.seed, &purpose, u64::from(n)),
            });
            process.active_flows.add();
        }
        let spec = TrafficSpec::new(first, self.controller, self.transport);
        TrafficProcesses { spec, processes: processes.into_iter().collect() }
    }
}

impl Bursts {
    fn applications(&self) -> Applications {
        Applications {
            connections: Vec::new(),
            size: self.size.into(),
            pause: self.pause.map(DurationDistribution::from),
            interval: self.interval.map(DurationDistribution::from),
            bursts: self.bursts.unwrap_or(u32::MAX),
            stop: self.stop_ps,
            active_flows: ActiveFlows::default(),
        }
    }
}

/// The applications at one router, one for each connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Applications {
    connections: Vec<Connection>,
    size: Size,
    pause: Option<DurationDistribution>,
    interval: Option<DurationDistribution>,
    bursts: u32,
    stop: Time,
    active_flows: ActiveFlows,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Connection {
    flow_id: FlowId,
    controller: u32,
    ends: [HostLocation; 2],
    start: Time,
    /// Bursts that have begun.
    begun: u32,
    stream: Stream,
}

impl Applications {
    /// Returns when the next burst begins, a time after `now`, if there is one.
    fn next(&mut self, times: Option<DurationDistribution>, source: SourceIndex, now: Time) -> Option<Time> {
        let connection = &mut self.connections[source.index()];
        if connection.begun >= self.bursts {
            return None;
        }
        let time = now.saturating_add(times?.draw(&mut connection.stream));
        (time < self.stop).then_some(time)
    }
}

impl Process for Applications {
    fn sources(&self) -> u32 {
        self.active_flows.sources()
    }

    fn start(&mut self, _spec: &TrafficSpec) -> Vec<(SourceIndex, Time)> {
        let starts = (0..).map(SourceIndex).zip(self.connections.iter().map(|connection| connection.start));
        starts.filter(|&(_, start)| start < self.stop).collect()
    }

    fn wake(&mut self, source: SourceIndex, at: &TimerContext) -> SourceAction {
        let connection = &mut self.connections[source.index()];
        connection.begun += 1;
        let size = size::draw(self.size, &mut connection.stream);
        let plain = FlowStart::between(connection.flow_id, at.spec, source, connection.ends, size);
        let flow = FlowStart { controller: connection.controller, ..plain };
        let burst = connection.begun;
        let next = self.next(self.interval, source, at.now);
        SourceAction { flow, ends: NEVER, next, burst }
    }

    fn begin(&mut self, source: SourceIndex) -> bool {
        self.active_flows.begin(source)
    }

    fn end(&mut self, source: SourceIndex) -> bool {
        self.active_flows.end(source)
    }

    fn next_after_flow(&mut self, source: SourceIndex, now: Time) -> Option<Time> {
        self.next(self.pause, source, now)
    }

    fn bytes(&self) -> usize {
        self.connections.capacity() * size_of::<Connection>() + self.active_flows.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::index::HostIndex;
    use headgate_model::units::SECOND;

    const SOURCE: SourceIndex = SourceIndex(0);

    fn spec() -> TrafficSpec {
        TrafficSpec::new(FlowId(5), 0, 0)
    }

    const HOME: HostLocation = HostLocation { router: RouterIndex(0), host: HostIndex(0), interface: 0 };

    fn applications(
        pause: Option<DurationDistribution>,
        interval: Option<DurationDistribution>,
    ) -> Applications {
        let connection = Connection {
            flow_id: FlowId(5),
            controller: 0,
            ends: [HOME; 2],
            start: SECOND,
            begun: 0,
            stream: Stream::new(1, "x", 0),
        };
        let mut active_flows = ActiveFlows::default();
        active_flows.add();
        Applications {
            connections: vec![connection],
            size: Size::Fixed { packets: 10.0 },
            pause,
            interval,
            bursts: 3,
            stop: 10 * SECOND,
            active_flows,
        }
    }

    fn wake(applications: &mut Applications, now: Time) -> (u32, u32, Option<Time>) {
        let action = applications.wake(SOURCE, &TimerContext { now, router: RouterIndex(0), spec: &spec() });
        (action.flow.flow_id.0, action.burst, action.next)
    }

    #[test]
    fn in_an_open_loop_bursts_begin_at_equal_intervals() {
        let mut video = applications(None, Some(DurationDistribution::Fixed { ps: 2 * SECOND }));
        assert_eq!(video.start(&spec()), [(SOURCE, SECOND)]);
        assert_eq!(wake(&mut video, SECOND), (5, 1, Some(3 * SECOND)));
        assert_eq!(video.next_after_flow(SOURCE, 2 * SECOND), None); // the end of a burst begins no other
        assert_eq!(wake(&mut video, 3 * SECOND), (5, 2, Some(5 * SECOND)));
        assert_eq!(wake(&mut video, 5 * SECOND), (5, 3, None)); // three in all
    }

    #[test]
    fn in_a_closed_loop_a_pause_begins_when_a_burst_ends() {
        let mut web = applications(Some(DurationDistribution::Fixed { ps: 4 * SECOND }), None);
        assert_eq!(wake(&mut web, SECOND), (5, 1, None));
        assert_eq!(web.next_after_flow(SOURCE, 2 * SECOND), Some(6 * SECOND));
        assert_eq!(wake(&mut web, 6 * SECOND), (5, 2, None));
        assert_eq!(web.next_after_flow(SOURCE, 6 * SECOND), None); // it would begin after the stop
    }
}
