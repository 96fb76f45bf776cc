//! Single flows: from sources in turn, each to a receiver at another router.

use headgate_model::check::{LONGEST_FLOW, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::Place;
use headgate_model::units::NEVER;
use headgate_tcp::ENDLESS;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::record::{FILE, LONG_LIVED};
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, MOST_NAMES};
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::list::List;
use crate::traffic::opening::Opening;
use crate::traffic::pairs::{Pairs, check_pairs};
use crate::traffic::spec::Spec;

/// Single flows, `count` of them, one each `stagger_ps`. They take the sources in turn, and of the
/// receivers at other routers one in turn. Without `packets` they do not end by themselves; from `stop_ps` on
/// they send nothing new. Of several, the one numbered 3 is called `name.3` in the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    pub name: String,
    pub count: u32,
    pub law: u32,
    pub transport: u32,
    pub sources: Vec<Place>,
    pub receivers: Vec<Place>,
    pub start_ps: u64,
    #[serde(default)]
    pub stagger_ps: u64,
    #[serde(default)]
    pub packets: Option<u64>,
    #[serde(default)]
    pub stop_ps: Option<u64>,
}

impl Kind for Flows {
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
        check.law_and_profile(self.law, self.transport, at)?;
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
        check_pairs(self.count, (&self.sources, &self.receivers), check, at)
    }
}

impl Populate for Flows {
    type Process = List;

    /// Each flow has a source of its own.
    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<List> {
        let size = self.packets.map_or(ENDLESS, |packets| packets as u32);
        let file = if self.packets.is_none() { LONG_LIVED } else { FILE };
        let spec = Spec { file, ..Spec::new(first, self.law, self.transport) };
        let pairs = Pairs::new(self.count, &self.sources, &self.receivers);
        let mut lists = BTreeMap::new();
        for n in 0..self.count {
            let (source, receiver) = pairs.get(n);
            let ends = [source, receiver].map(|place| builder.add_host(place).nth(0));
            let list = lists.entry(source.node).or_insert_with(|| List::new(self.stop_ps.unwrap_or(NEVER)));
            let source = list.add_source();
            let start = self.start_ps + u64::from(n) * self.stagger_ps;
            list.add(start, Opening::between(first + n, &spec, source, ends, size));
        }
        Populated { spec, processes: lists.into_iter().collect() }
    }
}
