//! The algorithm of each Web user, and the users who take part in a surge. Each is drawn from a separate
//! stream, so that neither affects the other or any request.

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

    /// Returns the algorithm of a user at a router.
    pub fn controller(&self, number: u64, node: u32) -> u32 {
        let Web { controllers, controller, .. } = self.web;
        if controllers.is_empty() {
            return *controller;
        }
        let own = self.class(node);
        let class = if controllers.iter().any(|part| part.class == *own) { own } else { "" };
        let mut parts = controllers.iter().filter(|part| part.class == class);
        let (at, mut upto) = (self.draw("law", number), 0.0);
        let part = parts.clone().find(|part| {
            upto += part.share;
            at <= upto
        });
        // Rounded shares may add up to slightly less than 1.
        part.or_else(|| parts.next_back()).map_or(*controller, |part| part.controller)
    }

    /// Returns whether a user at a router takes part in the surge.
    pub fn joins_surge(&self, number: u64, node: u32) -> bool {
        let Some(surge) = &self.web.surge else { return false };
        let here = surge.class.is_empty() || self.class(node) == surge.class;
        here && self.draw("surge", number) <= surge.share
    }
}
