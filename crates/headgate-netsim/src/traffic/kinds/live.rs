//! Hosts from outside: what they send is injected during the run (see [`crate::foreign`]).

use headgate_model::check::{PlanPath, Result, different};
use headgate_model::plan::Place;
use serde::Deserialize;

use crate::foreign::SLOTS;
use crate::traffic::builder::Builder;
use crate::traffic::check::Check;
use crate::traffic::kind::{Kind, Populate, Populated};
use crate::traffic::list::List;
use crate::traffic::spec::Spec;

/// Named hosts and their places. They have no flows of their own, so law and transport say nothing of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Live {
    pub name: String,
    pub law: u32,
    pub transport: u32,
    pub hosts: Vec<String>,
    pub places: Vec<Place>,
}

impl Kind for Live {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self, check: &mut Check, at: &PlanPath) -> Result {
        check.law_and_profile(self.law, self.transport, at)?;
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
        nodes().try_for_each(|node| check.room.add(node, u64::from(SLOTS), at))
    }
}

impl Populate for Live {
    type Process = List;

    fn populate(&self, first: u32, builder: &mut Builder) -> Populated<List> {
        for &place in &self.places {
            let home = builder.add_host(place).nth(0);
            builder.live.push(home);
        }
        Populated { spec: Spec::new(first, self.law, self.transport), processes: Vec::new() }
    }
}
