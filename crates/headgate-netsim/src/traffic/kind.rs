//! The interface of a kind of traffic: its check, and its conversion into processes.

use headgate_model::check::{PlanPath, Result};
use headgate_model::plan::DeviceChoice;

use crate::packets::index::{FlowId, RouterIndex};

use super::builder::Builder;
use super::check::Check;
use super::process::Process;
use super::spec::TrafficSpec;

/// A kind of traffic, as the plan describes it.
pub trait TrafficKind {
    /// Returns its name in the results. The name also keys its random streams.
    fn name(&self) -> &str;

    /// Returns the number of its names in the results. If there are several, number 3 is called `name.3`.
    fn names(&self) -> u32 {
        1
    }

    /// Returns whether each name is one flow, which a series may follow.
    fn is_single_flows(&self) -> bool {
        false
    }

    /// Returns the rate controller of its streams, if it is media.
    fn rate_controller(&self) -> Option<&DeviceChoice> {
        None
    }

    /// Rejects traffic that cannot run.
    fn check(&self, check: &mut Check, at: &PlanPath) -> Result;
}

/// Converts checked traffic into hosts and processes.
pub trait Populate: TrafficKind {
    /// The process that begins its flows.
    type Process: Process;

    /// Adds the hosts and returns the processes. `first` is the id of the first flow.
    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<Self::Process>;
}

/// The processes of one kind of traffic.
pub struct TrafficProcesses<P> {
    /// The properties that all of them share.
    pub spec: TrafficSpec,
    /// The processes, and the routers of their sources.
    pub processes: Vec<(RouterIndex, P)>,
}
