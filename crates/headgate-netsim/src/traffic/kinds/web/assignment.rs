//! The Web users who take part in a surge. They are drawn from a separate stream, so that a surge affects no
//! other draw.

use headgate_model::chance::Stream;

use super::plan::Web;
use crate::traffic::plan_context::PlanContext;

/// Assigns the users of one kind of traffic.
pub struct Assignment<'a> {
    context: &'a PlanContext<'a>,
    web: &'a Web,
}

impl<'a> Assignment<'a> {
    /// An assignment for this traffic.
    pub fn new(context: &'a PlanContext<'a>, web: &'a Web) -> Self {
        Self { context, web }
    }

    fn draw(&self, purpose: &str, number: u64) -> f64 {
        Stream::new(self.context.seed, &format!("{purpose} {}", self.web.name), number).open01()
    }

    fn class(&self, node: u32) -> &str {
        &self.context.nodes[node as usize].class
    }

    /// Returns whether a user at a router takes part in the surge.
    pub fn joins_surge(&self, number: u64, node: u32) -> bool {
        let Some(surge) = &self.web.surge else { return false };
        let here = surge.class.is_empty() || self.class(node) == surge.class;
        here && self.draw("surge", number) <= surge.share
    }
}
