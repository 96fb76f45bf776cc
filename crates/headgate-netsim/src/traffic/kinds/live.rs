//! Live hosts: packets from outside are injected there during the run (see [`crate::packets::foreign`]).

use headgate_model::check::{PlanPath, Result, different};
use headgate_model::plan::Place;
use serde::Deserialize;

use crate::packets::foreign::SLOTS;
use crate::packets::index::FlowId;
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::flow_schedule::FlowSchedule;
use crate::traffic::kind::{Populate, TrafficKind, TrafficProcesses};
use crate::traffic::spec::TrafficSpec;

/// Named hosts and their places. They begin no flows, so `law` and `transport` are unused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Live {
    /// Name of the traffic.
    pub name: String,
    /// Unused.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Unused.
    pub transport: u32,
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// The place of each host.
    pub places: Vec<Place>,
}

impl TrafficKind for Live {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.controller_and_profile(self.controller, self.transport, at)?;
        check.places(&self.places, "places", at)?;
        different("hosts", self.hosts.iter().cloned())?;
        at.ensure(self.hosts.len() == self.places.len(), "hosts", || {
            format!(
                "{} names for {} places; each host must have one of each",
                self.hosts.len(),
                self.places.len()
            )
        })?;
        let nodes = || self.places.iter().map(|place| place.node);
        check.reach(nodes(), nodes(), at)?;
        nodes().try_for_each(|node| check.capacity.add(node, u64::from(SLOTS), at))
    }
}

impl Populate for Live {
    type Process = FlowSchedule;

    fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<FlowSchedule> {
        for &place in &self.places {
            let home = builder.add_host(place).nth(0);
            builder.live.push(home);
        }
        TrafficProcesses {
            spec: TrafficSpec::new(first, self.controller, self.transport),
            processes: Vec::new(),
        }
    }
}
