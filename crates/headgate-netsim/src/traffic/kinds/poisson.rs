//! Flows that arrive as a Poisson process, between random hosts.

use headgate_model::chance::Stream;
use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::{self, Pool};
use headgate_model::units::{Time, picoseconds};
use serde::{Deserialize, Serialize};

use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, check_size, check_span};
use crate::traffic::hosts::{Hosts, Receivers};
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::opening::Opening;
use crate::traffic::process::{Moment, Process, Turn, UnderWay};
use crate::traffic::size::{self, Size};
use crate::traffic::spec::Spec;

/// Arrivals: a mean gap of ten nanoseconds to one of a day or so.
const ARRIVALS_PER_S: (f64, f64) = (1e-5, 1e8);

/// Flows that arrive as a Poisson process; each picks a source and a receiver at random.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    pub name: String,
    pub law: u32,
    pub transport: u32,
    pub sources: Vec<Pool>,
    pub receivers: Vec<Pool>,
    pub flows_per_s: f64,
    pub size: plan::Size,
    pub start_ps: u64,
    pub stop_ps: u64,
}

impl Kind for Poisson {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.law_and_profile(self.law, self.transport, at)?;
        at.number("flows_per_s", self.flows_per_s, ARRIVALS_PER_S, "flows/s")?;
        check_span(self.start_ps, self.stop_ps, at)?;
        check_size(self.size, at)?;
        check.pools(&self.sources, &self.receivers, at)
    }
}

impl Populate for Poisson {
    type Process = Arrivals;

    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<Arrivals> {
        let pools = builder.add_pools(&self.sources);
        let hosts: f64 = pools.iter().map(|pool| f64::from(pool.count)).sum();
        let purpose = format!("arrivals {}", self.name);
        let process = |(n, pool): (u64, Hosts)| {
            let arrivals = Arrivals {
                stream: Stream::new(builder.context.seed, &purpose, n),
                hosts: pool,
                gap_s: hosts / (self.flows_per_s * f64::from(pool.count)),
                size: self.size.into(),
                start: self.start_ps,
                stop: self.stop_ps,
                under_way: UnderWay::new(pool.count),
            };
            (pool.node, arrivals)
        };
        let processes = (0..).zip(pools).map(process).collect();
        let receivers = Receivers::new(builder.add_pools(&self.receivers));
        Populated { spec: Spec { receivers, ..Spec::new(first, self.law, self.transport) }, processes }
    }
}

/// A Poisson process of new flows, one for each pool of sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrivals {
    stream: Stream,
    hosts: Hosts,
    /// Mean time between flows, seconds.
    gap_s: f64,
    size: Size,
    start: Time,
    /// No flow arrives after this.
    stop: Time,
    under_way: UnderWay,
}

impl Arrivals {
    /// The next arrival, unless the process has stopped by then.
    fn next(&mut self, now: Time) -> Option<Time> {
        let time = now.saturating_add(picoseconds(self.stream.exponential(self.gap_s)));
        (time <= self.stop).then_some(time)
    }
}

/// The timer is that of the first host.
impl Process for Arrivals {
    fn sources(&self) -> u32 {
        self.under_way.sources()
    }

    fn start(&mut self, _spec: &Spec) -> Vec<(u32, Time)> {
        self.next(self.start).map(|time| (0, time)).into_iter().collect()
    }

    fn wake(&mut self, _source: u32, at: &Moment) -> Turn {
        let host = self.stream.below(u64::from(self.hosts.count)) as u32;
        let to = at.spec.receivers.draw(&mut self.stream, at.router);
        let size = size::draw(self.size, &mut self.stream);
        let opening = Opening::between(at.spec.first, at.spec, host, [self.hosts.nth(host), to], size);
        Turn::open(opening, self.next(at.now))
    }

    fn begin(&mut self, source: u32) -> bool {
        self.under_way.begin(source)
    }

    fn end(&mut self, source: u32) -> bool {
        self.under_way.end(source)
    }

    fn bytes(&self) -> usize {
        self.under_way.bytes()
    }
}
