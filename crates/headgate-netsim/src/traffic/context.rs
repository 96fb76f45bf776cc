//! What traffic is laid out on: the rest of the plan, and the columns beside it.

use headgate_model::plan::{Edge, Link, Node};

use crate::choices::Lists;

#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub seed: u64,
    pub nodes: &'a [Node],
    pub links: &'a [Link],
    pub edges: &'a [Edge],
    /// How many laws and transport profiles there are.
    pub laws: usize,
    pub transports: usize,
    /// Names of the kinds of file besides the ordinary ones.
    pub files: &'a [String],
    pub lists: &'a Lists,
}
