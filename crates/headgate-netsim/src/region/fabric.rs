//! The routers, links and host links of a region: the next hop of each packet, and its arrival there.

use headgate_model::control::ControllerRegistry;
use headgate_model::plan::Edge;
use headgate_model::queue::Discipline;
use headgate_model::units::{Busy, NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::packets::index::{HostIndex, LinkIndex, NodeIndex, PortIndex, RouterIndex};
use crate::packets::packet::Packet;
use crate::packets::prefetch::{prefetch, prefetch_all};
use crate::port::analytic::AnalyticPort;
use crate::port::ticks::TickCache;
use crate::port::{Fate, Port};
use crate::record::trace::with_packet;
use crate::record::{Counters, Event, EventKind};
use crate::region::shard_state::ShardState;

/// Most ports of a region that are loaded into the cache before its turn.
const FEW_PORTS: usize = 8;

/// One direction of a host link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct HostLink {
    busy: Busy,
    edge: u32,
}

/// The properties of a kind of host link.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct HostLinkKind {
    ticks: TickCache,
    delay: Span,
    /// Longest backlog that a router admits, and that a host wants, as time.
    limit: Span,
}

impl HostLinkKind {
    fn new(edge: &Edge) -> Self {
        let ticks = TickCache::new(edge.rate_bps);
        let limit = edge.buffer_bytes.map_or(Span::MAX, |bytes| ticks.span(bytes));
        Self { ticks, delay: edge.delay_ps, limit }
    }

    #[inline]
    fn serve(&mut self, busy: &mut Busy, now: Time, size: u16) -> Time {
        busy.serve(now, self.ticks.tick(size), self.ticks.den()).saturating_add(self.delay)
    }

    #[inline]
    fn is_full(&self, busy: &Busy, now: Time) -> bool {
        busy.until.saturating_sub(now) > self.limit
    }
}

/// The next place of a packet, and the time of its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextHop {
    /// At a node. Routers and hosts share this case because a branch between them would often be
    /// mispredicted.
    Node(NodeIndex, Time),
    /// At a host directly on this router, now.
    LocalHost,
    /// The packet was dropped or lost.
    Dropped,
    /// This port stores the packet, or has dropped it.
    InPort(PortIndex),
}

/// The host that sends a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its router.
    pub router: RouterIndex,
    /// Its index there.
    pub host: HostIndex,
}

/// The routers, links and host links of a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Fabric<L: ControllerRegistry> {
    /// Ports of the links from its routers, in the order of the plan.
    pub ports: Vec<Port<L>>,
    /// For each port its link.
    pub links: Vec<LinkIndex>,
    /// For each port the router at the end of its link.
    ends: Vec<NodeIndex>,
    edges: Vec<HostLinkKind>,
    /// Links from the hosts of each of its groups.
    up: Vec<Vec<HostLink>>,
    /// Links to the hosts of each of its routers.
    down: Vec<Vec<HostLink>>,
}

impl<L: ControllerRegistry> Fabric<L> {
    /// A fabric without routers, for these kinds of host link.
    pub fn new(edges: &[Edge]) -> Self {
        Self {
            ports: Vec::new(),
            links: Vec::new(),
            ends: Vec::new(),
            edges: edges.iter().map(HostLinkKind::new).collect(),
            up: Vec::new(),
            down: Vec::new(),
        }
    }

    /// Adds the port of a link to the router `end`.
    pub fn add_port(&mut self, link: LinkIndex, end: NodeIndex, port: Port<L>) {
        self.links.push(link);
        self.ends.push(end);
        self.ports.push(port);
    }

    /// Adds a router, with links of these kinds to its hosts.
    pub fn add_router(&mut self, hosts: &[u32]) {
        self.down.push(hosts.iter().map(host_link).collect());
    }

    /// Adds a group of hosts, with links of these kinds.
    pub fn add_hosts(&mut self, hosts: &[u32]) {
        self.up.push(hosts.iter().map(host_link).collect());
    }

    /// Sends a packet of a host. If the backlog of the host's link is long, the sender must wait.
    #[inline]
    pub fn send_from_host(
        &mut self,
        group: usize,
        at: Origin,
        packet: &mut Packet,
        state: &mut ShardState<L>,
    ) -> NextHop {
        if at.host == HostIndex::INLINE {
            return self.forward(at.router, packet, state);
        }
        let link = &mut self.up[group][at.host.index()];
        let edge = &mut self.edges[link.edge as usize];
        let time = edge.serve(&mut link.busy, packet.time, packet.size);
        if edge.is_full(&link.busy, packet.time) && packet.is_data() {
            state.backpressured.push((packet.sender(), link.busy.until - edge.limit));
        }
        state.counters.packet_hops += 1;
        NextHop::Node(at.router.node(), time)
    }

    /// Sends a foreign packet of a host. Returns when it reaches the router, or `None` if the host's link
    /// is full.
    pub fn inject_from_host(&mut self, group: usize, host: HostIndex, packet: &Packet) -> Option<Time> {
        if host == HostIndex::INLINE {
            return Some(packet.time);
        }
        let link = &mut self.up[group][host.index()];
        let edge = &mut self.edges[link.edge as usize];
        let full = edge.is_full(&link.busy, packet.time);
        (!full).then(|| edge.serve(&mut link.busy, packet.time, packet.size))
    }

    /// Forwards a packet that arrived at a router.
    #[inline]
    pub fn forward(
        &mut self,
        router: RouterIndex,
        packet: &mut Packet,
        state: &mut ShardState<L>,
    ) -> NextHop {
        let goal = state.split.router(packet.address);
        if goal == router {
            return self.last_hop(router, packet, state);
        }
        let port = state.setup.routes.port(router, goal);
        match &mut self.ports[port.index()] {
            Port::Analytic(analytic) => {
                let link = self.links[port.index()];
                let (wait, fate) = if state.trace.covers(packet, link) {
                    offer_and_note(analytic, link, packet, state)
                } else {
                    (analytic.wait(packet.time), analytic.offer(packet.time, packet))
                };
                count_packet(wait, fate, packet, &mut state.counters);
                match fate {
                    Fate::Arrives(time) => NextHop::Node(self.ends[port.index()], time),
                    _ => NextHop::Dropped,
                }
            }
            Port::Feedback(feedback) => {
                let (wait, link) = (feedback.analytic.wait(packet.time), self.links[port.index()]);
                let before =
                    state.trace.covers(packet, link).then(|| ArrivalSnapshot::at(&feedback.analytic, packet));
                let fate = feedback.offer(packet, &mut state.port_context(link));
                count_packet(wait, fate, packet, &mut state.counters);
                if let Some(before) = before {
                    note_fate(&mut feedback.analytic, link, &before, (fate, wait), packet, state);
                }
                if fate == Fate::Dropped {
                    state.side_table.forget(packet);
                }
                NextHop::InPort(port)
            }
            Port::Queued(queued) => {
                queued.arrive(packet.time, packet, &mut state.port_context(self.links[port.index()]));
                NextHop::InPort(port)
            }
        }
    }

    /// Processes the events before `until` at a port that acts at departures.
    pub fn catch_up(&mut self, port: PortIndex, until: Time, state: &mut ShardState<L>) {
        let link = self.links[port.index()];
        match &mut self.ports[port.index()] {
            Port::Analytic(_) => {}
            Port::Feedback(feedback) => feedback.catch_up(until, &mut state.port_context(link)),
            Port::Queued(queued) => queued.catch_up(until, &mut state.port_context(link)),
        }
    }

    /// Like [`Self::catch_up`], but processes at most `most` events. Returns true if none is left.
    pub fn catch_up_in_part(
        &mut self,
        port: PortIndex,
        until: Time,
        most: usize,
        state: &mut ShardState<L>,
    ) -> bool {
        let link = self.links[port.index()];
        match &mut self.ports[port.index()] {
            Port::Analytic(_) => true,
            Port::Feedback(feedback) => {
                !(0..most).all(|_| feedback.step(until, &mut state.port_context(link)))
            }
            Port::Queued(queued) => !(0..most).all(|_| queued.step(until, &mut state.port_context(link))),
        }
    }

    /// Returns the next departure at which a port acts, or `NEVER`.
    pub fn next_departure(&self, port: PortIndex) -> Time {
        match &self.ports[port.index()] {
            Port::Analytic(_) => NEVER,
            Port::Feedback(feedback) => feedback.next_departure(),
            Port::Queued(queued) => queued.next_departure(),
        }
    }

    /// Returns the router at the end of a port's link.
    pub fn far_end(&self, port: PortIndex) -> NodeIndex {
        self.ends[port.index()]
    }

    /// Loads the ports into the cache.
    #[inline]
    pub fn prefetch_ports(&self) {
        prefetch_all(&self.ports[..self.ports.len().min(FEW_PORTS)]);
    }

    /// Loads the link of the host that a packet is addressed to, for its answer.
    #[inline]
    pub fn prefetch_uplink(&self, group: usize, packet: &Packet) {
        prefetch(&self.up[group], packet.host.index());
    }

    /// Loads the link to the host that a packet is addressed to.
    #[inline]
    pub fn prefetch_downlink(&self, router: usize, packet: &Packet) {
        prefetch(&self.down[router], packet.host.index());
    }

    #[inline]
    fn last_hop(&mut self, router: RouterIndex, packet: &Packet, state: &mut ShardState<L>) -> NextHop {
        if packet.host == HostIndex::INLINE {
            return NextHop::LocalHost;
        }
        let index = state.setup.places[router.node().index()].index;
        let link = &mut self.down[index as usize][packet.host.index()];
        let edge = &mut self.edges[link.edge as usize];
        if edge.is_full(&link.busy, packet.time) {
            state.counters.segments_dropped += u64::from(packet.is_data());
            note_drop(router, packet, state);
            return NextHop::Dropped;
        }
        state.counters.packet_hops += 1;
        let hosts = state.setup.host_node(router);
        NextHop::Node(hosts, edge.serve(&mut link.busy, packet.time, packet.size))
    }

    /// Returns the memory of ports and host links, bytes.
    pub fn bytes(&self) -> usize {
        self.ports.iter().map(Port::bytes).sum::<usize>()
            + self.up.iter().chain(&self.down).map(|h| h.capacity() * size_of::<HostLink>()).sum::<usize>()
    }
}

fn host_link(&edge: &u32) -> HostLink {
    HostLink { edge, ..HostLink::default() }
}

/// A packet as it arrives at an analytic port, and the number of marks that the port has made: it marks at
/// once.
struct ArrivalSnapshot {
    packet: Packet,
    marks: u64,
}

impl ArrivalSnapshot {
    fn at<Q: Discipline>(analytic: &AnalyticPort<Q>, packet: &Packet) -> Self {
        Self { packet: *packet, marks: analytic.tally.marks }
    }
}

/// Offers a traced packet to an analytic port. Returns how long the packet waits and what happens to it.
#[cold]
fn offer_and_note<Q: Discipline, L>(
    analytic: &mut AnalyticPort<Q>,
    link: LinkIndex,
    packet: &mut Packet,
    state: &mut ShardState<L>,
) -> (Span, Fate) {
    let before = ArrivalSnapshot::at(analytic, packet);
    let (wait, fate) = (analytic.wait(packet.time), analytic.offer(packet.time, packet));
    note_fate(analytic, link, &before, (fate, wait), packet, state);
    (wait, fate)
}

/// Records what an analytic port decided about a traced packet, including its future departure. Like the
/// port's counter, this counts a mark on a packet that was already marked.
#[cold]
fn note_fate<Q: Discipline, L>(
    analytic: &mut AnalyticPort<Q>,
    link: LinkIndex,
    before: &ArrivalSnapshot,
    (fate, wait): (Fate, Span),
    packet: &Packet,
    state: &mut ShardState<L>,
) {
    let (now, leaves) = (packet.time, analytic.clear_at());
    let queue = analytic.queue(now);
    let mut ctx = state.port_context(link);
    if fate == Fate::Dropped {
        return ctx.note((now, EventKind::Dropped), packet, queue, None);
    }
    ctx.note((now, EventKind::Enqueued), &before.packet, queue, None);
    if analytic.tally.marks > before.marks {
        ctx.note((now, EventKind::Marked), packet, queue, None);
    }
    ctx.note((leaves, EventKind::Departed), packet, queue, Some(wait));
    if fate == Fate::Lost {
        ctx.note((leaves, EventKind::LinkLoss), packet, queue, Some(wait));
    }
}

/// Records that a router drops a traced packet at the link to its host.
#[cold]
fn note_drop<L>(router: RouterIndex, packet: &Packet, state: &mut ShardState<L>) {
    if packet.is_followed() && state.trace.is_on() {
        let event = Event::new(packet.time, EventKind::Dropped, packet.connection(), router.0);
        state.trace.record(with_packet(event, packet, &state.side_table));
    }
}

/// Counts a packet at an analytic port.
#[inline]
fn count_packet(wait: Span, fate: Fate, packet: &Packet, counters: &mut Counters) {
    let data = packet.is_data();
    if fate != Fate::Dropped {
        counters.packet_hops += 1;
        // No branch: the processor cannot predict the order of data and ACKs.
        counters.wait_ps += u128::from(wait * u64::from(data));
    }
    counters.segments_dropped += u64::from(data & !matches!(fate, Fate::Arrives(_)));
}
