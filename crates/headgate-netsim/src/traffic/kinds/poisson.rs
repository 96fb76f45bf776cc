//! Flows that arrive as a Poisson process, between random hosts.

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::{self, Pool};
use headgate_model::units::{Time, picoseconds};
use serde::{Deserialize, Serialize};

use crate::packets::index::{FlowId, SourceIndex};
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, check_size, check_span};
use crate::traffic::flow_start::FlowStart;
use crate::traffic::hosts::{HostPool, Receivers};
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::process::{ActiveFlows, Process, SourceAction, TimerContext};
use crate::traffic::size::{self, Size};
use crate::traffic::spec::TrafficSpec;

/// Allowed rates, flows/s: mean gaps of ten nanoseconds to about a day.
const ARRIVALS_PER_S: (f64, f64) = (1e-5, 1e8);

/// Flows that arrive as a Poisson process. The source and the receiver of each are random.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
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
    /// Mean rate of arrivals, flows/s.
    pub flows_per_s: f64,
    /// Sizes of the flows.
    pub size: plan::Size,
    /// When arrivals start, picoseconds.
    pub start_ps: u64,
    /// When arrivals stop, picoseconds.
    pub stop_ps: u64,
}

impl TrafficKind for Poisson {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        at.number("flows_per_s", self.flows_per_s, ARRIVALS_PER_S, "flows/s")?;
        check_span(self.start_ps, self.stop_ps, at)?;
        check_size(self.size, at)?;
        check.pools(&self.sources, &self.receivers, at)
    }
}

impl Populate for Poisson {
    type Process = Arrivals;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Arrivals> {
        let pools = builder.add_pools(&self.sources);
        let hosts: f64 = pools.iter().map(|pool| f64::from(pool.count)).sum();
        let purpose = format!("arrivals {}", self.name);
        let process = |(n, pool): (u64, HostPool)| {
            let arrivals = Arrivals {
                stream: Stream::new(builder.context.seed, &purpose, n),
                hosts: pool,
                gap_s: hosts / (self.flows_per_s * f64::from(pool.count)),
                size: self.size.into(),
                start: self.start_ps,
                stop: self.stop_ps,
                active_flows: ActiveFlows::new(pool.count),
            };
            (pool.router, arrivals)
        };
        let processes = (0..).zip(pools).map(process).collect();
        let receivers = Receivers::new(builder.add_pools(&self.receivers));
        TrafficProcesses {
            spec: TrafficSpec { receivers, ..TrafficSpec::new(first, self.controller, self.transport) },
            processes,
        }
    }
}

/// The arrivals at one pool of sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrivals {
    stream: Stream,
    hosts: HostPool,
    /// Mean time between flows, seconds.
    gap_s: f64,
    size: Size,
    start: Time,
    /// After this time no flow arrives.
    stop: Time,
    active_flows: ActiveFlows,
}

impl Arrivals {
    /// Returns the next arrival, unless the process has stopped by then.
    fn next(&mut self, now: Time) -> Option<Time> {
        let time = now.saturating_add(picoseconds(self.stream.exponential(self.gap_s)));
        (time <= self.stop).then_some(time)
    }
}

/// All arrivals share the timer of the first source.
impl Process for Arrivals {
    fn sources(&self) -> u32 {
        self.active_flows.sources()
    }

    fn start(&mut self, _spec: &TrafficSpec) -> Vec<(SourceIndex, Time)> {
        self.next(self.start).map(|time| (SourceIndex(0), time)).into_iter().collect()
    }

    fn wake(&mut self, _source: SourceIndex, at: &TimerContext) -> SourceAction {
        let host = self.stream.below(u64::from(self.hosts.count)) as u32;
        let to = at.spec.receivers.draw(&mut self.stream, at.router);
        let size = size::draw(self.size, &mut self.stream);
        let flow =
            FlowStart::between(at.spec.first, at.spec, SourceIndex(host), [self.hosts.nth(host), to], size);
        SourceAction::open(flow, self.next(at.now))
    }

    fn begin(&mut self, source: SourceIndex) -> bool {
        self.active_flows.begin(source)
    }

    fn end(&mut self, source: SourceIndex) -> bool {
        self.active_flows.end(source)
    }

    fn bytes(&self) -> usize {
        self.active_flows.bytes()
    }
}
