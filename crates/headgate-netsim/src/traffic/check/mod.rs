//! What the checks of all kinds of traffic share.

mod reach;
mod room;

use headgate_model::check::{LONGEST_FLOW, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{Place, Pool, Size};

use self::reach::{Groups, no_way};
pub use self::room::no_link;
use self::room::{Room, check_paths};
use crate::traffic::context::Context;

/// Flows that have a name of their own are numbered in 32 bits, with all other traffic.
pub const MOST_NAMES: u64 = u32::MAX as u64;

/// A Pareto mean exists above shape 1; beyond 1000 all sizes are equal.
const STEEPEST: f64 = 1000.0;

/// What is known while the traffic of a plan is checked.
pub struct Check<'a> {
    pub context: Context<'a>,
    groups: Groups,
    pub room: Room,
}

impl<'a> Check<'a> {
    pub fn new(context: Context<'a>) -> Self {
        Self { context, groups: Groups::new(&context), room: Room::new(context.nodes.len()) }
    }

    pub fn law_and_profile(&self, law: u32, transport: u32, at: &PlanPath) -> Result {
        at.index("law", law, self.context.laws, "law")?;
        at.index("transport", transport, self.context.transports, "transport")
    }

    /// Refuses places that do not exist, and none at all.
    pub fn places(&self, places: &[Place], key: &str, at: &PlanPath) -> Result {
        at.ensure(!places.is_empty(), key, || format!("there are no {key}; at least one place is needed"))?;
        let mut places = places.iter().enumerate();
        places.try_for_each(|(i, &place)| self.place(place, at, &format!("{key}[{i}]")))
    }

    pub fn place(&self, place: Place, at: &PlanPath, key: &str) -> Result {
        at.index(&format!("{key}.node"), place.node, self.context.nodes.len(), "router")?;
        let edge = place.edge.unwrap_or(0);
        let edges = self.context.edges.len();
        if place.edge.is_some() { at.index(&format!("{key}.edge"), edge, edges, "edge") } else { Ok(()) }
    }

    /// Refuses two hosts that have no way to each other, or no link at all between them.
    pub fn pair(&self, source: Place, receiver: Place, at: &PlanPath) -> Result {
        let (from, to) = (source.node, receiver.node);
        at.holds(self.groups.together(from, to), || no_way(self.context.nodes, (from, to)))?;
        let direct = source.edge.is_none() && receiver.edge.is_none();
        at.holds(from != to || !direct, || no_link(self.context.nodes, from))
    }

    /// Refuses routers of which some have no way to others.
    pub fn reach<N: Iterator<Item = u32> + Clone>(&self, sources: N, receivers: N, at: &PlanPath) -> Result {
        let apart = self.groups.apart(sources, receivers);
        at.holds(apart.is_none(), || no_way(self.context.nodes, apart.unwrap_or_default()))
    }

    /// Refuses hosts that do not exist, or cannot talk.
    pub fn pools(&mut self, sources: &[Pool], receivers: &[Pool], at: &PlanPath) -> Result {
        for (key, pools) in [("sources", sources), ("receivers", receivers)] {
            at.ensure(!pools.is_empty(), key, || format!("there are no {key}; at least one host is needed"))?;
            for (i, pool) in pools.iter().enumerate() {
                self.pool(pool, at, &format!("{key}[{i}]"))?;
            }
        }
        self.reach(nodes(sources), nodes(receivers), at)?;
        check_paths(self.context.nodes, sources, receivers, at)
    }

    fn pool(&mut self, pool: &Pool, at: &PlanPath, key: &str) -> Result {
        self.place(Place { node: pool.node, edge: pool.edge }, at, key)?;
        at.ensure(pool.hosts >= 1, &format!("{key}.hosts"), || {
            "a pool must have at least one host".to_owned()
        })?;
        self.room.add(pool.node, pool.hosts.into(), at)
    }
}

fn nodes(pools: &[Pool]) -> impl Iterator<Item = u32> + Clone {
    pools.iter().map(|pool| pool.node)
}

/// Refuses arrivals that stop before they start.
pub fn check_span(start_ps: u64, stop_ps: u64, at: &PlanPath) -> Result {
    at.span("start_ps", start_ps, LONGEST_RUN_S)?;
    at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
    at.ensure(start_ps <= stop_ps, "stop_ps", || "arrivals must not stop before they start".to_owned())
}

pub fn check_size(size: Size, at: &PlanPath) -> Result {
    let longest = LONGEST_FLOW as f64;
    match size {
        Size::Fixed { packets } => at.number("size.packets", packets, (1.0, longest), "packets"),
        Size::Exponential { mean_packets } => mean(mean_packets, at),
        Size::Pareto { mean_packets, shape } => {
            mean(mean_packets, at)?;
            check_shape("size.shape", shape, at)
        }
    }
}

/// Refuses a Pareto distribution without a mean.
pub fn check_shape(key: &str, shape: f64, at: &PlanPath) -> Result {
    at.ensure(shape > 1.0 && shape <= STEEPEST, key, || {
        format!("{shape} is not allowed; a Pareto shape must be above 1, at most {STEEPEST}")
    })
}

fn mean(packets: f64, at: &PlanPath) -> Result {
    let longest = LONGEST_FLOW as f64;
    at.ensure(packets > 0.0 && packets <= longest, "size.mean_packets", || {
        format!("{packets} is not allowed; a mean size must be above 0, at most {longest} packets")
    })
}
