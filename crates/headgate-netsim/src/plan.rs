//! The plan: a scenario with every default filled in and every unit resolved.
//!
//! Python writes it as JSON, this crate reads it. Times are integer picoseconds, rates bit/s, sizes
//! bytes; a packet count is a count of full segments. Large columns (flow lists) come beside the
//! JSON as arrays, and the plan names them. What a kind of traffic says in it is in the file of that kind.

use headgate_model::plan::{Edge, LawChoice, Link, Measure, Node, Transport};
use serde::Deserialize;

use crate::choices::Lists;
use crate::record::FlowKeys;
use crate::traffic::Traffic;
use crate::traffic::context::Context;

/// One run, whole.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub seed: u64,
    pub duration_ps: u64,
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    /// Kinds of host link; a traffic place names one by index, or none at all.
    #[serde(default)]
    pub edges: Vec<Edge>,
    pub transports: Vec<Transport>,
    pub laws: Vec<LawChoice>,
    pub traffic: Vec<Traffic>,
    /// Names of the kinds of file that Web users fetch besides their ordinary ones.
    #[serde(default)]
    pub files: Vec<String>,
    pub measure: Measure,
}

impl Plan {
    /// What its flows are counted by.
    pub fn flow_keys(&self) -> FlowKeys {
        FlowKeys::new(&self.nodes, &self.edges, self.files.len(), self.laws.len())
    }

    /// What its traffic is laid out on.
    pub fn context<'a>(&'a self, lists: &'a Lists) -> Context<'a> {
        Context {
            seed: self.seed,
            nodes: &self.nodes,
            links: &self.links,
            edges: &self.edges,
            laws: self.laws.len(),
            transports: self.transports.len(),
            files: &self.files,
            lists,
        }
    }
}
