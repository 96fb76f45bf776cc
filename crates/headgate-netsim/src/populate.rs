//! From a validated plan to hosts, sources and ports before the first event.

use headgate_model::control::ControllerRegistry;
use std::sync::Arc;

use crate::choices::{Choice, Choices, Fitted, Lists};
use crate::host_group::HostGroup;
use crate::plan::Plan;
use crate::port::Port;
use crate::profiles::profile;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::traffic::builder::Builder;
use crate::traffic::kind::Populated;
use crate::traffic::{Sources, Spec};

/// All that a run begins with.
pub struct Population<L: ControllerRegistry> {
    pub shared: Shared<L>,
    pub groups: Vec<HostGroup<L>>,
    /// Kind of link of every host of every router.
    pub hosts: Vec<Vec<u32>>,
    /// Routers that have hosts directly on them.
    pub inline: Vec<bool>,
    /// Of all links.
    pub ports: Vec<Port<L>>,
    pub timers: Vec<Timer>,
    pub sources: u64,
}

/// Ports of all links.
pub fn ports<L: ControllerRegistry>(plan: &Plan, fitted: &[Fitted], lists: &Lists) -> Vec<Port<L>> {
    let port = |(link, fitted)| Port::new(link, fitted, lists, plan.seed);
    plan.links.iter().zip(fitted).map(port).collect()
}

/// Hosts, sources and what they share.
pub fn populate<L: ControllerRegistry>(plan: &Plan, choices: &Choices, lists: &Lists) -> Population<L> {
    let keys = plan.flow_keys();
    let mut builder = Builder::new(plan.context(lists), &keys);
    let (specs, mut sources) = add_traffic(plan, &mut builder);
    let timers = first_timers(&mut sources, &specs);
    let count = sources.iter().map(|sources| u64::from(sources.count())).sum();
    let groups = (0..).zip(sources).map(|(router, sources)| HostGroup::new(router, sources)).collect();
    let setup = Setup { live: std::mem::take(&mut builder.live), ..Setup::new(plan, specs, keys.clone()) };
    let shared = share(plan, &choices.laws, setup);
    let ports = ports(plan, &choices.ports, lists);
    let (hosts, inline) = (builder.hosts, builder.inline);
    Population { shared, groups, hosts, inline, ports, timers, sources: count }
}

/// Adds all traffic, router by router.
fn add_traffic(plan: &Plan, builder: &mut Builder) -> (Vec<Spec>, Vec<Sources>) {
    let (mut specs, mut sources) = (Vec::new(), vec![Sources::default(); plan.nodes.len()]);
    let mut first = 0;
    for (index, traffic) in (0..).zip(&plan.traffic) {
        let Populated { spec, processes } = traffic.populate(first, builder);
        for (node, process) in processes {
            sources[node as usize].add(index, process);
        }
        specs.push(spec);
        first += traffic.names();
    }
    (specs, sources)
}

/// What wakes every source for the first time.
fn first_timers(sources: &mut [Sources], specs: &[Spec]) -> Vec<Timer> {
    let timers = |(group, sources): (u32, &mut Sources)| {
        let turns = sources.start(specs).into_iter();
        turns.map(move |(id, time)| Timer { time, group, purpose: Purpose::Source, id, generation: 0 })
    };
    (0..).zip(sources).flat_map(timers).collect()
}

fn share<L: ControllerRegistry>(plan: &Plan, laws: &[Choice], setup: Setup) -> Shared<L> {
    let built = laws.iter().map(|c| L::build(c.index, &c.values)).collect();
    let profiles = plan.transports.iter().map(profile).collect();
    Shared::new(Arc::new(setup), profiles, built)
}
