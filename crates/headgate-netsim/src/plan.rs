//! The plan: a scenario with all defaults filled in and all units converted.
//!
//! Python writes the plan as JSON, and this crate reads it. Times are integer picoseconds, rates bit/s,
//! sizes bytes; packet counts are counts of full segments. Long lists, such as flow lists, are arrays that
//! come with the JSON; the plan contains their names. The file of each kind of traffic defines that kind's
//! part of the plan.

use headgate_model::plan::{ControllerChoice, Edge, Link, Measure, Node, Transport};
use serde::Deserialize;

use crate::devices::Arrays;
use crate::record::FlowKeys;
use crate::traffic::Traffic;
use crate::traffic::plan_context::PlanContext;

/// One run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of all random streams.
    pub seed: u64,
    /// Duration, picoseconds.
    pub duration_ps: u64,
    /// Routers.
    pub nodes: Vec<Node>,
    /// Links between routers, one direction each.
    pub links: Vec<Link>,
    /// Kinds of host link. A place of traffic refers to one by index, or to none.
    #[serde(default)]
    pub edges: Vec<Edge>,
    /// Transport profiles.
    pub transports: Vec<Transport>,
    /// Congestion control algorithms.
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerChoice>,
    /// Traffic.
    pub traffic: Vec<Traffic>,
    /// Names of the kinds of file that Web users fetch in addition to ordinary ones.
    #[serde(default)]
    pub files: Vec<String>,
    /// Measurements.
    pub measure: Measure,
}

impl Plan {
    /// Returns the keys that its flows are counted by.
    pub fn flow_keys(&self) -> FlowKeys {
        FlowKeys::new(&self.nodes, &self.edges, self.files.len(), self.controllers.len())
    }

    /// Returns the parts that its traffic depends on.
    pub fn context<'a>(&'a self, arrays: &'a Arrays) -> PlanContext<'a> {
        PlanContext {
            seed: self.seed,
            nodes: &self.nodes,
            links: &self.links,
            edges: &self.edges,
            controllers: self.controllers.len(),
            transports: self.transports.len(),
            files: &self.files,
            arrays,
        }
    }
}
