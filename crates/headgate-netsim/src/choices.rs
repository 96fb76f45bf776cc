//! What was chosen from the registries, by index and parameters, and columns beside the plan.

use std::collections::BTreeMap;

/// A law, discipline or scheme of its registry, with all its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub index: usize,
    /// In the order of its card.
    pub values: Vec<f64>,
}

/// What stands at a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    pub queue: Option<Choice>,
    pub feedback: Option<Choice>,
    /// What arrivals meet before the queue, and what packets meet on the link.
    pub ingress: Vec<Choice>,
    pub impairments: Vec<Choice>,
}

/// For each of the plan's laws, and for each of its links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    pub laws: Vec<Choice>,
    pub ports: Vec<Fitted>,
}

/// Columns beside the plan, by name.
pub type Lists = BTreeMap<String, Vec<u64>>;
