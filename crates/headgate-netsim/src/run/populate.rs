//! From a validated plan to hosts, sources and ports before the first event.

use headgate_model::control::ControllerRegistry;
use headgate_model::media::RateControllers;
use std::sync::Arc;

use crate::devices::{Arrays, PortDevices, ResolvedController, ResolvedDevice, ResolvedDevices};
use crate::packets::address::HostLocation;
use crate::packets::index::{FlowId, RouterIndex};
use crate::packets::media::{MediaEnd, media_address};
use crate::plan::Plan;
use crate::port::Port;
use crate::region::hosts::host_group::HostGroup;
use crate::region::hosts::media::{Encoder, MediaEndpoint, MediaHosts, MediaReceiver, MediaSender};
use crate::region::setup::Setup;
use crate::region::shard_state::ShardState;
use crate::run::profiles::profile;
use crate::time::timers::{Purpose, Timer};
use crate::traffic::builder::Builder;
use crate::traffic::kind::TrafficProcesses;
use crate::traffic::media_stream::MediaFlow;
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
    let mut timers = first_timers(&mut sources, &specs);
    let count = sources.iter().map(|sources| u64::from(sources.count())).sum();
    let mut groups: Vec<_> = (0..)
        .map(RouterIndex)
        .zip(sources)
        .map(|(router, sources)| HostGroup::new(router, sources))
        .collect();
    let setup = Setup { live: std::mem::take(&mut builder.live), ..Setup::new(plan, specs, keys.clone()) };
    let state = shard_state(plan, &choices.controllers, setup);
    let media = std::mem::take(&mut builder.media);
    timers.extend(add_media(media, &state.setup, &choices.rate_controllers, &mut groups));
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

/// Adds the ends of streams of media to the groups of hosts. Returns the timers of their first frames.
fn add_media<L: ControllerRegistry>(
    streams: Vec<MediaFlow>,
    setup: &Setup,
    controllers: &[Option<ResolvedDevice>],
    groups: &mut [HostGroup<L>],
) -> Vec<Timer> {
    streams.into_iter().map(|stream| add_stream(stream, setup, controllers, groups)).collect()
}

fn add_stream<L: ControllerRegistry>(
    stream: MediaFlow,
    setup: &Setup,
    controllers: &[Option<ResolvedDevice>],
    groups: &mut [HostGroup<L>],
) -> Timer {
    let MediaFlow { flow_id, chance, from, to, options } = stream;
    let sender = media_hosts(groups, from).senders.len() as u32;
    let receiver = media_hosts(groups, to).receivers.len() as u32;
    let address = media_address(setup.split, from.router, MediaEnd::Sender, sender);
    let peer = media_address(setup.split, to.router, MediaEnd::Receiver, receiver);
    let endpoint = MediaEndpoint { flow_id, index: sender, address, home: from, peer, peer_home: to };
    let choice = controllers[setup.spec_index(flow_id)].as_ref().expect("the check has found it");
    let controller = <L::Media as RateControllers>::build(choice.index, &choice.values);
    let encoder = Encoder::new(&options, chance);
    let timer = Timer {
        time: options.start,
        group: from.router,
        purpose: Purpose::Capture,
        id: sender,
        generation: 0,
    };
    media_hosts(groups, from).senders.push(MediaSender::new(endpoint, options.clone(), encoder, controller));
    let other = MediaEndpoint {
        index: receiver,
        address: peer,
        home: to,
        peer: address,
        peer_home: from,
        ..endpoint
    };
    media_hosts(groups, to).receivers.push(MediaReceiver::new(other, options));
    timer
}

/// Returns the ends of streams at the router of a host.
fn media_hosts<L: ControllerRegistry>(
    groups: &mut [HostGroup<L>],
    at: HostLocation,
) -> &mut MediaHosts<L::Media> {
    groups[at.router.index()].media.get_or_insert_default()
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
