//! From a validated plan to hosts, sources and ports before the first event.

use headgate_model::control::ControllerRegistry;
use std::sync::Arc;

use crate::devices::{Arrays, PortDevices, ResolvedController, ResolvedDevices};
use crate::packets::index::{FlowId, RouterIndex};
use crate::plan::Plan;
use crate::port::Port;
use crate::region::hosts::host_group::HostGroup;
use crate::region::setup::Setup;
use crate::region::shard_state::ShardState;
use crate::run::profiles::profile;
use crate::time::timers::{Purpose, Timer};
use crate::traffic::builder::Builder;
use crate::traffic::kind::TrafficProcesses;
use crate::traffic::{Sources, TrafficSpec};

/// Everything that a run begins with.
pub struct Population<L: ControllerRegistry> {
    /// The state of the only shard.
    pub state: ShardState<L>,
    /// Host groups, by router.
    pub groups: Vec<HostGroup<L>>,
    /// For each router the kind of link of each of its hosts.
    pub hosts: Vec<Vec<u32>>,
    /// For each router whether hosts are directly on it.
    pub inline: Vec<bool>,
    /// For each link its port.
    pub ports: Vec<Port<L>>,
    /// The first timers of all sources.
    pub timers: Vec<Timer>,
    /// Number of sources.
    pub sources: u64,
}

/// Creates the ports of all links.
pub fn ports<L: ControllerRegistry>(plan: &Plan, devices: &[PortDevices], arrays: &Arrays) -> Vec<Port<L>> {
    let port = |(link, devices)| Port::new(link, devices, arrays, plan.seed);
    plan.links.iter().zip(devices).map(port).collect()
}

/// Creates hosts, sources and ports.
pub fn populate<L: ControllerRegistry>(
    plan: &Plan,
    choices: &ResolvedDevices,
    arrays: &Arrays,
) -> Population<L> {
    let keys = plan.flow_keys();
    let mut builder = Builder::new(plan.context(arrays), &keys);
    let (specs, mut sources) = add_traffic(plan, &mut builder);
    let timers = first_timers(&mut sources, &specs);
    let count = sources.iter().map(|sources| u64::from(sources.count())).sum();
    let groups = (0..)
        .map(RouterIndex)
        .zip(sources)
        .map(|(router, sources)| HostGroup::new(router, sources))
        .collect();
    let setup = Setup { live: std::mem::take(&mut builder.live), ..Setup::new(plan, specs, keys.clone()) };
    let state = shard_state(plan, &choices.controllers, setup);
    let ports = ports(plan, &choices.ports, arrays);
    let (hosts, inline) = (builder.hosts, builder.inline);
    Population { state, groups, hosts, inline, ports, timers, sources: count }
}

/// Adds all traffic. Returns the kinds of traffic, and the sources of each router.
fn add_traffic(plan: &Plan, builder: &mut Builder) -> (Vec<TrafficSpec>, Vec<Sources>) {
    let (mut specs, mut sources) = (Vec::new(), vec![Sources::default(); plan.nodes.len()]);
    let mut first = 0;
    for (index, traffic) in (0..).zip(&plan.traffic) {
        let TrafficProcesses { spec, processes } = traffic.populate(FlowId(first), builder);
        for (router, process) in processes {
            sources[router.index()].add(index, process);
        }
        specs.push(spec);
        first += traffic.names();
    }
    (specs, sources)
}

/// Returns the first timers of all sources.
fn first_timers(sources: &mut [Sources], specs: &[TrafficSpec]) -> Vec<Timer> {
    let timers = |(group, sources): (RouterIndex, &mut Sources)| {
        let timers = sources.start(specs).into_iter();
        timers.map(move |(id, time)| Timer { time, group, purpose: Purpose::Source, id: id.0, generation: 0 })
    };
    (0..).map(RouterIndex).zip(sources).flat_map(timers).collect()
}

fn shard_state<L: ControllerRegistry>(
    plan: &Plan,
    controllers: &[ResolvedController],
    setup: Setup,
) -> ShardState<L> {
    let built = controllers.iter().map(ResolvedController::build).collect();
    let profiles = plan.transports.iter().map(profile).collect();
    ShardState::new(Arc::new(setup), profiles, built)
}
