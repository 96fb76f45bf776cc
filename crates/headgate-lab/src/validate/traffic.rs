//! Who sends what, when.

use headgate_model::plan::{Flows, Place, Plan, Poisson, Pool, Size, Traffic, Web};
use headgate_netsim::choices::Lists;
use headgate_netsim::traffic::turns::Turns;

use std::collections::BTreeMap;

use super::habits;
use super::hosts::{self, Hosts};
use super::range::{LONGEST_FLOW, LONGEST_RUN_S, Spot, different};
use super::reach::{Groups, no_way};
use super::replay;
use crate::error::Checked;

/// Mean thinking times; exponential ones still end within 64 bits.
const THINKING_S: (f64, f64) = (1e-9, 100_000.0);

/// Arrivals: a mean gap of ten nanoseconds to one of a day or so.
const ARRIVALS_PER_S: (f64, f64) = (1e-5, 1e8);

/// Flows that have a name of their own are numbered in 32 bits, with all other traffic.
const MOST_NAMES: u64 = u32::MAX as u64;

/// A Pareto mean exists above shape 1; beyond 1000 all sizes are equal.
const STEEPEST: f64 = 1000.0;

pub fn check(plan: &Plan, lists: &Lists) -> Checked {
    names(plan)?;
    habits::files(plan)?;
    let mut check = Check { plan, lists, groups: Groups::new(plan), hosts: Hosts::new(plan) };
    plan.traffic.iter().enumerate().try_for_each(|(i, item)| check.item(item, &Spot::item("traffic", i)))
}

/// Random streams are keyed by names: two traffics of one name would have the same luck.
fn names(plan: &Plan) -> Checked {
    let all: u64 = plan.traffic.iter().map(|item| u64::from(item.names())).sum();
    Spot::top().count("traffic", all, (0, MOST_NAMES), "single flows and other traffic")?;
    different("traffic", plan.traffic.iter().map(|item| item.name().to_owned()))?;
    let counts: BTreeMap<&str, u32> = plan.traffic.iter().map(|item| (item.name(), item.names())).collect();
    for (i, item) in plan.traffic.iter().enumerate().filter(|(_, item)| item.names() == 1) {
        let (of, number) = item.name().rsplit_once('.').unwrap_or_default();
        let taken = number.parse().is_ok_and(|n: u32| n.to_string() == number && n < several(&counts, of));
        let says = || format!("'{}' is the name of one of the flows '{of}'; names differ", item.name());
        Spot::item("traffic", i).ensure(!taken, "name", says)?;
    }
    Ok(())
}

/// How many flows share a name, told apart by their number.
fn several(counts: &BTreeMap<&str, u32>, name: &str) -> u32 {
    counts.get(name).copied().filter(|&count| count > 1).unwrap_or(0)
}

/// What the checks of all traffic share.
pub struct Check<'a> {
    pub plan: &'a Plan,
    pub lists: &'a Lists,
    pub groups: Groups,
    pub hosts: Hosts,
}

impl Check<'_> {
    fn item(&mut self, item: &Traffic, at: &Spot) -> Checked {
        match item {
            Traffic::Flows(flows) => self.flows(flows, at),
            Traffic::Poisson(poisson) => self.poisson(poisson, at),
            Traffic::Web(web) => self.web(web, at),
            Traffic::Replay(list) => {
                self.law_and_profile(list.law, list.transport, at)?;
                replay::check(self, list, at)
            }
        }
    }

    fn law_and_profile(&self, law: u32, transport: u32, at: &Spot) -> Checked {
        at.index("law", law, self.plan.laws.len(), "law")?;
        at.index("transport", transport, self.plan.transports.len(), "transport")
    }

    fn flows(&mut self, flows: &Flows, at: &Spot) -> Checked {
        self.law_and_profile(flows.law, flows.transport, at)?;
        at.count("count", flows.count.into(), (1, MOST_NAMES), "flows")?;
        at.span("start_ps", flows.start_ps, LONGEST_RUN_S)?;
        let last = flows.stagger_ps.saturating_mul(u64::from(flows.count) - 1).saturating_add(flows.start_ps);
        at.span("stagger_ps", last, LONGEST_RUN_S)?;
        let packets = flows.packets.unwrap_or(1);
        at.count("packets", packets, (1, LONGEST_FLOW), "packets (or absent: no end)")?;
        if let Some(stop_ps) = flows.stop_ps {
            at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
            at.ensure(last < stop_ps, "stop_ps", || "a flow stops after it starts".to_owned())?;
        }
        self.turns(flows, at)
    }

    fn turns(&mut self, flows: &Flows, at: &Spot) -> Checked {
        for (key, places) in [("sources", &flows.sources), ("receivers", &flows.receivers)] {
            at.ensure(!places.is_empty(), key, || {
                format!("there are no {key}; at least one place is needed")
            })?;
            for (i, &place) in places.iter().enumerate() {
                self.place(place, at, &format!("{key}[{i}]"))?;
            }
        }
        let ends = |places: &'_ [Place]| places.iter().map(|place| place.node).collect::<Vec<_>>();
        let (from, to) = (ends(&flows.sources), ends(&flows.receivers));
        let apart = self.groups.apart(from.into_iter(), to.into_iter());
        at.holds(apart.is_none(), || no_way(self.plan, apart.unwrap_or_default()))?;
        let turns = Turns::new(flows);
        let stuck = turns.stuck();
        at.holds(stuck.is_none(), || hosts::no_link(self.plan, stuck.unwrap_or_default()))?;
        (0..flows.count).try_for_each(|n| {
            let (source, receiver) = turns.pair(n);
            self.hosts.add(source.node, 1, at)?;
            self.hosts.add(receiver.node, 1, at)
        })
    }

    fn poisson(&mut self, poisson: &Poisson, at: &Spot) -> Checked {
        self.law_and_profile(poisson.law, poisson.transport, at)?;
        at.number("flows_per_s", poisson.flows_per_s, ARRIVALS_PER_S, "flows/s")?;
        times(poisson.start_ps, poisson.stop_ps, at)?;
        sizes(poisson.size, at)?;
        self.pools(&poisson.sources, &poisson.receivers, at)
    }

    fn web(&mut self, web: &Web, at: &Spot) -> Checked {
        self.law_and_profile(web.law, web.transport, at)?;
        at.number("think_s", web.think_s, THINKING_S, "s")?;
        at.number("at_once", web.at_once, (0.0, 1.0), "")?;
        sizes(web.size, at)?;
        habits::check(self.plan, web, at)?;
        self.pools(&web.sources, &web.receivers, at)
    }

    pub fn place(&self, place: Place, at: &Spot, key: &str) -> Checked {
        at.index(&format!("{key}.node"), place.node, self.plan.nodes.len(), "router")?;
        let edge = place.edge.unwrap_or(0);
        let edges = self.plan.edges.len();
        if place.edge.is_some() { at.index(&format!("{key}.edge"), edge, edges, "edge") } else { Ok(()) }
    }

    /// Refuses two hosts that have no way to each other, or no link at all between them.
    pub fn pair(&self, source: Place, receiver: Place, at: &Spot) -> Checked {
        let (from, to) = (source.node, receiver.node);
        at.holds(self.groups.together(from, to), || no_way(self.plan, (from, to)))?;
        let direct = source.edge.is_none() && receiver.edge.is_none();
        at.holds(from != to || !direct, || hosts::no_link(self.plan, from))
    }

    fn pools(&mut self, sources: &[Pool], receivers: &[Pool], at: &Spot) -> Checked {
        for (key, pools) in [("sources", sources), ("receivers", receivers)] {
            at.ensure(!pools.is_empty(), key, || format!("there are no {key}; at least one host is needed"))?;
            for (i, pool) in pools.iter().enumerate() {
                self.pool(pool, at, &format!("{key}[{i}]"))?;
            }
        }
        let apart = self.groups.apart(nodes(sources), nodes(receivers));
        at.holds(apart.is_none(), || no_way(self.plan, apart.unwrap_or_default()))?;
        hosts::none_stays_inside(self.plan, sources, receivers, at)
    }

    fn pool(&mut self, pool: &Pool, at: &Spot, key: &str) -> Checked {
        self.place(Place { node: pool.node, edge: pool.edge }, at, key)?;
        at.ensure(pool.hosts >= 1, &format!("{key}.hosts"), || "a pool has at least one host".to_owned())?;
        self.hosts.add(pool.node, pool.hosts.into(), at)
    }
}

fn nodes(pools: &[Pool]) -> impl Iterator<Item = u32> + Clone {
    pools.iter().map(|pool| pool.node)
}

fn times(start_ps: u64, stop_ps: u64, at: &Spot) -> Checked {
    at.span("start_ps", start_ps, LONGEST_RUN_S)?;
    at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
    at.ensure(start_ps <= stop_ps, "stop_ps", || "arrivals stop before they start".to_owned())
}

pub fn sizes(size: Size, at: &Spot) -> Checked {
    let longest = LONGEST_FLOW as f64;
    match size {
        Size::Fixed { packets } => at.number("size.packets", packets, (1.0, longest), "packets"),
        Size::Exponential { mean_packets } => mean(mean_packets, at),
        Size::Pareto { mean_packets, shape } => {
            mean(mean_packets, at)?;
            at.ensure(shape > 1.0 && shape <= STEEPEST, "size.shape", || {
                format!("{shape} is not allowed; a Pareto shape is above 1, at most {STEEPEST}")
            })
        }
    }
}

fn mean(packets: f64, at: &Spot) -> Checked {
    let longest = LONGEST_FLOW as f64;
    at.ensure(packets > 0.0 && packets <= longest, "size.mean_packets", || {
        format!("{packets} is not allowed; a mean size is above 0, at most {longest} packets")
    })
}
