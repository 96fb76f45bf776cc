//! The parts of the plan that traffic depends on.

use headgate_model::plan::{Edge, Link, Node};

use crate::devices::Arrays;

/// The plan without its traffic, and the arrays that come with it.
#[derive(Clone, Copy, Debug)]
pub struct PlanContext<'a> {
    /// Seed of all random streams.
    pub seed: u64,
    /// Routers.
    pub nodes: &'a [Node],
    /// Links between routers.
    pub links: &'a [Link],
    /// Kinds of host link.
    pub edges: &'a [Edge],
    /// Number of congestion control algorithms.
    pub controllers: usize,
    /// Number of transport profiles.
    pub transports: usize,
    /// Names of the additional kinds of file.
    pub files: &'a [String],
    /// Arrays that come with the plan.
    pub arrays: &'a Arrays,
}
