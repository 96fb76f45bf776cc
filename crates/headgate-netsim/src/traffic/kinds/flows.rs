//! Single flows, each to a receiver at another router.

use headgate_model::check::{LONGEST_FLOW, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::Place;
use headgate_model::units::{NEVER, seconds};
use headgate_tcp::ENDLESS;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::packets::index::{FlowId, RouterIndex};
use crate::record::{FILE, LONG_LIVED};
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, MOST_NAMES};
use crate::traffic::flow_schedule::FlowSchedule;
use crate::traffic::flow_start::FlowStart;
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::mix::{ControllerShare, Mix, check_shares};
use crate::traffic::pairs::{Pairs, check_pairs};
use crate::traffic::spec::TrafficSpec;

/// Largest number of pauses.
const MOST_PAUSES: u64 = 1_000_000;

/// `count` single flows, which start `stagger_ps` apart. They use the sources in turn, and the receivers at
/// other routers in turn. If there are several, number 3 is called `name.3` in the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// Name in the results.
    pub name: String,
    /// Number of flows.
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
    /// Start of the first flow, picoseconds.
    pub start_ps: u64,
    /// Time between the starts of two flows, picoseconds.
    #[serde(default)]
    pub stagger_ps: u64,
    /// Size in packets; absent = no end.
    #[serde(default)]
    pub packets: Option<u64>,
    /// From this time on, the flows send nothing new, picoseconds; absent = never.
    #[serde(default)]
    pub stop_ps: Option<u64>,
    /// Shares of the flows with other algorithms; empty = all have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
    /// Times at which the applications of all flows send nothing new, in order.
    #[serde(default)]
    pub pauses: Vec<Pause>,
}

/// A time at which applications send nothing new. Their connections stay open.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Its start, picoseconds.
    pub at_ps: u64,
    /// Its end, picoseconds.
    pub until_ps: u64,
}

impl TrafficKind for Flows {
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
        at.count("count", self.count.into(), (1, MOST_NAMES), "flows")?;
        at.span("start_ps", self.start_ps, LONGEST_RUN_S)?;
        let last = self.stagger_ps.saturating_mul(u64::from(self.count) - 1).saturating_add(self.start_ps);
        at.span("stagger_ps", last, LONGEST_RUN_S)?;
        let packets = self.packets.unwrap_or(1);
        at.count("packets", packets, (1, LONGEST_FLOW), "packets (or absent: no end)")?;
        if let Some(stop_ps) = self.stop_ps {
            at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
            at.ensure(last < stop_ps, "stop_ps", || "a flow must stop after it starts".to_owned())?;
        }
        check_shares(&self.controllers, &check.context, at)?;
        self.check_pauses(at)?;
        check_pairs(self.count, (&self.sources, &self.receivers), check, at)
    }
}

impl Flows {
    fn check_pauses(&self, at: &PlanPath) -> Result {
        at.count("pauses", self.pauses.len() as u64, (0, MOST_PAUSES), "pauses")?;
        self.pauses.iter().try_for_each(|pause| at.span("pauses", pause.until_ps, LONGEST_RUN_S))?;
        let rise = self.pauses.iter().all(|pause| pause.at_ps < pause.until_ps)
            && self.pauses.windows(2).all(|pair| pair[0].until_ps <= pair[1].at_ps);
        at.ensure(rise, "pauses", || "pauses must be in order and must not overlap".to_owned())?;
        let starts = (0..u64::from(self.count)).map(|n| self.start_ps + n * self.stagger_ps);
        let within = |start: &u64| {
            let next = self.pauses.partition_point(|pause| pause.until_ps <= *start);
            self.pauses.get(next).is_some_and(|pause| pause.at_ps <= *start)
        };
        let wrong = if self.pauses.is_empty() { None } else { starts.into_iter().find(within) };
        at.ensure(wrong.is_none(), "pauses", || {
            format!("a flow starts at {} s, during a pause", seconds(wrong.unwrap_or(0)))
        })
    }
}

impl Populate for Flows {
    type Process = FlowSchedule;

    /// Each flow uses a separate source.
    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<FlowSchedule> {
        let size = self.packets.map_or(ENDLESS, |packets| packets as u32);
        let file = if self.packets.is_none() { LONG_LIVED } else { FILE };
        let pauses = self.pauses.iter().map(|pause| [pause.at_ps, pause.until_ps]).collect();
        let spec = TrafficSpec { file, pauses, ..TrafficSpec::new(first, self.controller, self.transport) };
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        let nodes: Vec<u32> = (0..self.count).map(|n| pairs.get(n).0.node).collect();
        let mix = Mix::new(&builder.context, &self.name, &self.controllers, self.controller);
        let controllers = mix.assign(&nodes);
        let mut schedules = BTreeMap::new();
        for n in 0..self.count {
            let (source, receiver) = pairs.get(n);
            let ends = [source, receiver].map(|place| builder.add_host(place).nth(0));
            let list = schedules
                .entry(RouterIndex(source.node))
                .or_insert_with(|| FlowSchedule::new(self.stop_ps.unwrap_or(NEVER)));
            let source = list.add_source();
            let start = self.start_ps + u64::from(n) * self.stagger_ps;
            let plain = FlowStart::between(FlowId(first.0 + n), &spec, source, ends, size);
            list.add(start, FlowStart { controller: controllers[n as usize], ..plain });
        }
        TrafficProcesses { spec, processes: schedules.into_iter().collect() }
    }
}
