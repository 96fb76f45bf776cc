//! Checks that several kinds of traffic share.

mod reach;
mod room;

use headgate_model::check::{LONGEST_FLOW, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{Place, Pool, Size};

use self::reach::{Groups, no_route_message};
pub use self::room::no_link_message;
use self::room::{HostCapacity, check_paths};
use crate::packets::foreign::SLOTS;
use crate::packets::media::MOST_STREAMS;
use crate::traffic::plan_context::PlanContext;

/// Most names of flows and other traffic: they are numbered in 32 bits.
pub const MOST_NAMES: u64 = u32::MAX as u64;

/// Greatest Pareto shape. Above it all sizes are practically equal.
const STEEPEST: f64 = 1000.0;

/// The state of a check of a plan's traffic.
pub struct Check<'a> {
    /// The plan without its traffic.
    pub context: PlanContext<'a>,
    groups: Groups,
    /// Hosts at each router so far.
    pub capacity: HostCapacity,
    /// Ends of streams of media at each router so far.
    streams: Vec<u32>,
}

impl<'a> Check<'a> {
    /// A check of traffic in this plan.
    pub fn new(context: PlanContext<'a>) -> Self {
        let routers = context.nodes.len();
        Self {
            context,
            groups: Groups::new(&context),
            capacity: HostCapacity::new(routers),
            streams: vec![0; routers],
        }
    }

    /// Adds an end of a stream of media to a router. Rejects more than have addresses there. The first one
    /// takes the addresses of all, and of live hosts.
    pub fn add_stream(&mut self, node: u32, at: &PlanPath) -> Result {
        let count = &mut self.streams[node as usize];
        *count += 1;
        let is_first = *count == 1;
        at.holds(*count <= MOST_STREAMS, || {
            format!("with it router {node} has {count} ends of streams of media; a router may have at most {MOST_STREAMS}")
        })?;
        let taken = if is_first { 2 * MOST_STREAMS + SLOTS } else { 0 };
        self.capacity.add(node, taken.into(), at)
    }

    /// Rejects an algorithm or transport profile that does not exist.
    pub fn controller_and_profile(&self, controller: u32, transport: u32, at: &PlanPath) -> Result {
        at.index("law", controller, self.context.controllers, "algorithm")?;
        at.index("transport", transport, self.context.transports, "transport")
    }

    /// Rejects an empty list, and places that do not exist.
    pub fn places(&self, places: &[Place], key: &str, at: &PlanPath) -> Result {
        at.ensure(!places.is_empty(), key, || format!("there are no {key}; at least one place is needed"))?;
        let mut places = places.iter().enumerate();
        places.try_for_each(|(i, &place)| self.place(place, at, &format!("{key}[{i}]")))
    }

    /// Rejects a place that does not exist.
    pub fn place(&self, place: Place, at: &PlanPath, key: &str) -> Result {
        at.index(&format!("{key}.node"), place.node, self.context.nodes.len(), "router")?;
        let edge = place.edge.unwrap_or(0);
        let edges = self.context.edges.len();
        if place.edge.is_some() { at.index(&format!("{key}.edge"), edge, edges, "edge") } else { Ok(()) }
    }

    /// Rejects two hosts without a route between them, or without any link between them.
    pub fn pair(&self, source: Place, receiver: Place, at: &PlanPath) -> Result {
        let (from, to) = (source.node, receiver.node);
        at.holds(self.groups.are_connected(from, to), || no_route_message(self.context.nodes, (from, to)))?;
        let direct = source.edge.is_none() && receiver.edge.is_none();
        at.holds(from != to || !direct, || no_link_message(self.context.nodes, from))
    }

    /// Rejects routers if no route connects some of them.
    pub fn reach<N: Iterator<Item = u32> + Clone>(&self, sources: N, receivers: N, at: &PlanPath) -> Result {
        let apart = self.groups.find_unconnected(sources, receivers);
        at.holds(apart.is_none(), || no_route_message(self.context.nodes, apart.unwrap_or_default()))
    }

    /// Rejects hosts that do not exist, or that cannot reach each other.
    pub fn pools(&mut self, sources: &[Pool], receivers: &[Pool], at: &PlanPath) -> Result {
        self.each_pool(sources, receivers, at)?;
        self.reach(nodes(sources), nodes(receivers), at)?;
        check_paths(self.context.nodes, sources, receivers, at)
    }

    /// Like [`Self::pools`]; `receivers_of` lists the pool of receivers of each pool of sources, unless it is
    /// empty.
    pub fn paired_pools(
        &mut self,
        (sources, receivers): (&[Pool], &[Pool]),
        receivers_of: &[u32],
        at: &PlanPath,
    ) -> Result {
        if receivers_of.is_empty() {
            return self.pools(sources, receivers, at);
        }
        self.each_pool(sources, receivers, at)?;
        at.ensure(receivers_of.len() == sources.len(), "receivers_of", || {
            format!(
                "there are {}; there must be one for each of the {} pools",
                receivers_of.len(),
                sources.len()
            )
        })?;
        let place = |pool: &Pool| Place { node: pool.node, edge: pool.edge };
        sources.iter().zip(receivers_of).enumerate().try_for_each(|(i, (source, &of))| {
            at.index(&format!("receivers_of[{i}]"), of, receivers.len(), "pool of receivers")?;
            self.pair(place(source), place(&receivers[of as usize]), at)
        })
    }

    fn each_pool(&mut self, sources: &[Pool], receivers: &[Pool], at: &PlanPath) -> Result {
        for (key, pools) in [("sources", sources), ("receivers", receivers)] {
            at.ensure(!pools.is_empty(), key, || format!("there are no {key}; at least one host is needed"))?;
            for (i, pool) in pools.iter().enumerate() {
                self.pool(pool, at, &format!("{key}[{i}]"))?;
            }
        }
        Ok(())
    }

    fn pool(&mut self, pool: &Pool, at: &PlanPath, key: &str) -> Result {
        self.place(Place { node: pool.node, edge: pool.edge }, at, key)?;
        at.ensure(pool.hosts >= 1, &format!("{key}.hosts"), || {
            "a pool must have at least one host".to_owned()
        })?;
        self.capacity.add(pool.node, pool.hosts.into(), at)
    }
}

fn nodes(pools: &[Pool]) -> impl Iterator<Item = u32> + Clone {
    pools.iter().map(|pool| pool.node)
}

/// Rejects arrivals that stop before they start.
pub fn check_span(start_ps: u64, stop_ps: u64, at: &PlanPath) -> Result {
    at.span("start_ps", start_ps, LONGEST_RUN_S)?;
    at.span("stop_ps", stop_ps, LONGEST_RUN_S)?;
    at.ensure(start_ps <= stop_ps, "stop_ps", || "arrivals must not stop before they start".to_owned())
}

/// Rejects sizes that cannot be drawn.
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

/// Rejects a Pareto distribution without a mean.
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
