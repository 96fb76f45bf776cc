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
use crate::traffic::mix::{ControllerDraws, ControllerShare, Mix, check_shares};
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
    /// For each pool of sources the pool of receivers that its flows go to; empty = all.
    #[serde(default)]
    pub receivers_of: Vec<u32>,
    /// Mean rate of arrivals, flows/s.
    pub flows_per_s: f64,
    /// For each pool of sources its rate, flows/s, which add up to `flows_per_s`; empty = by the number of
    /// its hosts.
    #[serde(default)]
    pub rates_per_s: Vec<f64>,
    /// Shares of the flows with other algorithms; empty = all flows have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
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
        check_shares(&self.controllers, &check.context, at)?;
        self.check_rates(at)?;
        check.paired_pools((&self.sources, &self.receivers), &self.receivers_of, at)
    }
}

impl Poisson {
    fn check_rates(&self, at: &PlanPath) -> Result {
        let (found, pools) = (self.rates_per_s.len(), self.sources.len());
        at.ensure(found == 0 || found == pools, "rates_per_s", || {
            format!("there are {found} rates; there must be one for each of the {pools} pools of sources")
        })?;
        let mut rates = self.rates_per_s.iter().enumerate();
        rates.try_for_each(|(i, &rate)| {
            at.number(&format!("rates_per_s[{i}]"), rate, ARRIVALS_PER_S, "flows/s")
        })
    }
}

impl Populate for Poisson {
    type Process = Arrivals;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Arrivals> {
        let pools = builder.add_pools(&self.sources);
        let hosts: f64 = pools.iter().map(|pool| f64::from(pool.count)).sum();
        let purpose = format!("arrivals {}", self.name);
        let receivers = builder.add_pools(&self.receivers);
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let process = |(n, pool): (usize, HostPool)| {
            let by_hosts = hosts / (self.flows_per_s * f64::from(pool.count));
            let receivers_of = self.receivers_of.get(n).map(|&of| vec![receivers[of as usize]]);
            let arrivals = Arrivals {
                stream: Stream::new(builder.context.seed, &purpose, n as u64),
                hosts: pool,
                receivers: receivers_of.map(Receivers::new),
                controllers: mix.draws(n as u64, pool.router.0),
                gap_s: self.rates_per_s.get(n).map_or(by_hosts, |rate| 1.0 / rate),
                size: self.size.into(),
                start: self.start_ps,
                stop: self.stop_ps,
                active_flows: ActiveFlows::new(pool.count),
            };
            (pool.router, arrivals)
        };
        let processes = pools.into_iter().enumerate().map(process).collect();
        let receivers = Receivers::new(receivers);
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
    /// The receivers of these flows; `None` = those of all flows of the item.
    receivers: Option<Receivers>,
    /// The algorithms of the flows; `None` = that of the item.
    controllers: Option<ControllerDraws>,
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
        let receivers = self.receivers.as_ref().unwrap_or(&at.spec.receivers);
        let to = receivers.draw(&mut self.stream, at.router);
        let size = size::draw(self.size, &mut self.stream);
        let plain =
            FlowStart::between(at.spec.first, at.spec, SourceIndex(host), [self.hosts.nth(host), to], size);
        let controller = self.controllers.as_mut().map_or(plain.controller, ControllerDraws::draw);
        SourceAction::open(FlowStart { controller, ..plain }, self.next(at.now))
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
