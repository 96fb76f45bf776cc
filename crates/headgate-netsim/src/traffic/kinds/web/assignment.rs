//! Which law each Web user has, and who takes part in a surge: each drawn from a stream of its own, so
//! that neither moves when the other does, and no request does with either.

use headgate_model::chance::Stream;

use super::plan::Web;
use crate::traffic::context::Context;

/// Assigns the users of one kind of traffic.
pub struct Assignment<'a> {
    context: &'a Context<'a>,
    web: &'a Web,
}

impl<'a> Assignment<'a> {
    pub fn new(context: &'a Context<'a>, web: &'a Web) -> Self {
        Self { context, web }
    }

    fn draw(&self, purpose: &str, number: u64) -> f64 {
        Stream::new(self.context.seed, &format!("{purpose} {}", self.web.name), number).open01()
    }

    fn class(&self, node: u32) -> &str {
        &self.context.nodes[node as usize].class
    }

    /// The law of the user of that number at a router.
    pub fn law(&self, number: u64, node: u32) -> u32 {
        let Web { laws, law, .. } = self.web;
        if laws.is_empty() {
            return *law;
        }
        let own = self.class(node);
        let class = if laws.iter().any(|part| part.class == *own) { own } else { "" };
        let mut parts = laws.iter().filter(|part| part.class == class);
        let (at, mut upto) = (self.draw("law", number), 0.0);
        let part = parts.clone().find(|part| {
            upto += part.share;
            at <= upto
        });
        // the shares may add up to a little less than 1
        part.or_else(|| parts.next_back()).map_or(*law, |part| part.law)
    }

    /// Whether that user takes part in the surge.
    pub fn surges(&self, number: u64, node: u32) -> bool {
        let Some(surge) = &self.web.surge else { return false };
        let here = surge.class.is_empty() || self.class(node) == surge.class;
        here && self.draw("surge", number) <= surge.share
    }
}
