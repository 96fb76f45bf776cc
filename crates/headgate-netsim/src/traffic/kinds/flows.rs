//! Single flows: from sources in turn, each to a receiver at another router.

use headgate_model::check::{Checked, LONGEST_FLOW, LONGEST_RUN_S, Spot};
use headgate_model::plan::Place;
use headgate_model::units::NEVER;
use headgate_tcp::ENDLESS;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::record::{FILE, LONG_LIVED};
use crate::traffic::builder::Builder;
use crate::traffic::check::{Check, MOST_NAMES, no_link};
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::list::List;
use crate::traffic::opening::Opening;
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

    fn check(&self, check: &mut Check, at: &Spot) -> Checked {
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
        self.check_ends(check, at)
    }
}

impl Flows {
    fn check_ends(&self, check: &mut Check, at: &Spot) -> Checked {
        check.places(&self.sources, "sources", at)?;
        check.places(&self.receivers, "receivers", at)?;
        let nodes = |places: &[Place]| places.iter().map(|place| place.node).collect::<Vec<_>>();
        check.reach(nodes(&self.sources).into_iter(), nodes(&self.receivers).into_iter(), at)?;
        let turns = Turns::new(self);
        let stuck = turns.stuck();
        at.holds(stuck.is_none(), || no_link(check.context.nodes, stuck.unwrap_or_default()))?;
        (0..self.count).try_for_each(|n| {
            let (source, receiver) = turns.pair(n);
            check.room.add(source.node, 1, at)?;
            check.room.add(receiver.node, 1, at)
        })
    }
}

impl Populate for Flows {
    type Process = List;

    /// Each flow has a source of its own.
    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<List> {
        let size = self.packets.map_or(ENDLESS, |packets| packets as u32);
        let file = if self.packets.is_none() { LONG_LIVED } else { FILE };
        let spec = Spec { file, ..Spec::new(first, self.law, self.transport) };
        let turns = Turns::new(self);
        let mut lists = BTreeMap::new();
        for n in 0..self.count {
            let (source, receiver) = turns.pair(n);
            let ends = [source, receiver].map(|place| builder.add_host(place).nth(0));
            let list = lists.entry(source.node).or_insert_with(|| List::new(self.stop_ps.unwrap_or(NEVER)));
            let source = list.add_source();
            let start = self.start_ps + u64::from(n) * self.stagger_ps;
            list.add(start, Opening::between(first + n, &spec, source, ends, size));
        }
        Populated { spec, processes: lists.into_iter().collect() }
    }
}

/// Flows take the sources in turn, and of the receivers at other routers one in turn.
struct Turns<'a> {
    sources: &'a [Place],
    /// By the router of a source.
    elsewhere: BTreeMap<u32, Vec<Place>>,
}

impl<'a> Turns<'a> {
    fn new(flows: &'a Flows) -> Self {
        let used = flows.sources.len().min(flows.count as usize);
        let sources = &flows.sources[..used];
        let elsewhere = |node| flows.receivers.iter().copied().filter(|r| r.node != node).collect();
        Self { sources, elsewhere: sources.iter().map(|s| (s.node, elsewhere(s.node))).collect() }
    }

    /// A router whose flows would have to stay there.
    fn stuck(&self) -> Option<u32> {
        self.elsewhere.iter().find(|(_, receivers)| receivers.is_empty()).map(|(&node, _)| node)
    }

    /// Source and receiver of a flow; none is stuck.
    fn pair(&self, n: u32) -> (Place, Place) {
        let source = self.sources[n as usize % self.sources.len()];
        let receivers = &self.elsewhere[&source.node];
        (source, receivers[n as usize % receivers.len()])
    }
}
