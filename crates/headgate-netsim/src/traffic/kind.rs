//! The interface of a kind of traffic: what the plan says of it, checked, and made into what runs.

use headgate_model::check::{PlanPath, Result};

use super::builder::Builder;
use super::check::Check;
use super::process::Process;
use super::spec::Spec;

/// A kind of traffic, as the plan gives it.
pub trait Kind {
    /// Names it in the results, and its random streams.
    fn name(&self) -> &str;

    /// How many names it has in the results; of several, the one numbered 3 is called `name.3`.
    fn names(&self) -> u32 {
        1
    }

    /// Each of its names is one flow, which a series may follow.
    fn is_single_flows(&self) -> bool {
        false
    }

    /// Refuses what cannot run.
    fn check(&self, check: &mut Check, at: &PlanPath) -> Result;
}

/// A kind of traffic that was checked becomes hosts, and processes that begin its flows.
pub trait Populate: Kind {
    type Process: Process;

    /// `first` is the number of its first flow.
    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<Self::Process>;
}

/// What a kind of traffic becomes.
pub struct Populated<P> {
    /// What all of it shares.
    pub spec: Spec,
    /// Processes, and the routers of their sources.
    pub processes: Vec<(u32, P)>,
}
