//! Routers, links and host links: where a packet goes next, and when it gets there.

use headgate_model::control::ControllerRegistry;
use headgate_model::plan::Edge;
use headgate_model::queue::Discipline;
use headgate_model::units::{Busy, NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::packet::{INLINE, Packet};
use crate::port::analytic::AnalyticPort;
use crate::port::ticks::TickCache;
use crate::port::{Fate, Port};
use crate::prefetch::{prefetch, prefetch_all};
use crate::record::{Counters, Event, EventKind};
use crate::shared::Shared;
use crate::trace::describe;

/// Ports of a region that are fetched ahead of its turn: the cache holds as many.
const FEW_PORTS: usize = 8;

/// One direction of a host link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct HostLink {
    busy: Busy,
    edge: u32,
}

/// What is common to host links of a kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct EdgeLine {
    ticks: TickCache,
    delay: Span,
    /// Longest backlog that a router admits and a host wants, as time.
    limit: Span,
}

impl EdgeLine {
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

/// Where a packet is next, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// At a node: a router or its hosts. One case for both, as a branch between them would often be mispredicted.
    Node(u32, Time),
    /// At a host directly on this router: now.
    Here,
    /// Dropped or lost.
    Gone,
    /// In the hands of this port, which holds it or has dropped it.
    Held(u32),
}

/// Where a packet is sent from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub router: u32,
    pub host: u32,
}

/// What a region has of the network.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Fabric<L: ControllerRegistry> {
    /// Of the links from its routers, in the order of the plan.
    pub ports: Vec<Port<L>>,
    /// Of each port its link and the router at its end.
    pub links: Vec<u32>,
    ends: Vec<u32>,
    edges: Vec<EdgeLine>,
    /// Links from the hosts of each of its groups, and to the hosts of each of its routers.
    up: Vec<Vec<HostLink>>,
    down: Vec<Vec<HostLink>>,
}

impl<L: ControllerRegistry> Fabric<L> {
    pub fn new(edges: &[Edge]) -> Self {
        Self {
            ports: Vec::new(),
            links: Vec::new(),
            ends: Vec::new(),
            edges: edges.iter().map(EdgeLine::new).collect(),
            up: Vec::new(),
            down: Vec::new(),
        }
    }

    pub fn add_port(&mut self, link: u32, end: u32, port: Port<L>) {
        self.links.push(link);
        self.ends.push(end);
        self.ports.push(port);
    }

    /// A router joins, from which links of these kinds lead to hosts.
    pub fn add_router(&mut self, hosts: &[u32]) {
        self.down.push(hosts.iter().map(host_link).collect());
    }

    /// A group of hosts joins, with links of these kinds.
    pub fn add_hosts(&mut self, hosts: &[u32]) {
        self.up.push(hosts.iter().map(host_link).collect());
    }

    /// A host sends.
    #[inline]
    pub fn leave(&mut self, group: usize, at: Origin, packet: &mut Packet, shared: &mut Shared<L>) -> Step {
        if at.host == INLINE {
            return self.forward(at.router as usize, packet, shared);
        }
        let link = &mut self.up[group][at.host as usize];
        let edge = &mut self.edges[link.edge as usize];
        let time = edge.serve(&mut link.busy, packet.time, packet.size);
        if edge.is_full(&link.busy, packet.time) && packet.is_data() {
            shared.told_to_wait.push((packet.sender(), link.busy.until - edge.limit));
        }
        shared.counters.packet_hops += 1;
        Step::Node(at.router, time)
    }

    /// A foreign packet leaves its host: when it is at the router, unless there is no room in the host's link.
    pub fn enter(&mut self, group: usize, host: u32, packet: &Packet) -> Option<Time> {
        if host == INLINE {
            return Some(packet.time);
        }
        let link = &mut self.up[group][host as usize];
        let edge = &mut self.edges[link.edge as usize];
        let full = edge.is_full(&link.busy, packet.time);
        (!full).then(|| edge.serve(&mut link.busy, packet.time, packet.size))
    }

    /// A router sends a packet on its way.
    #[inline]
    pub fn forward(&mut self, router: usize, packet: &mut Packet, shared: &mut Shared<L>) -> Step {
        let goal = shared.split.group(packet.flow);
        if goal == router {
            return self.last_hop(router, packet, shared);
        }
        let port = shared.setup.routes.link(router, goal);
        match &mut self.ports[port as usize] {
            Port::Analytic(analytic) => {
                let link = self.links[port as usize];
                let (wait, fate) = if shared.trace.sees(packet, link) {
                    offer_and_note(analytic, link, packet, shared)
                } else {
                    (analytic.wait(packet.time), analytic.offer(packet.time, packet))
                };
                count(wait, fate, packet, &mut shared.counters);
                match fate {
                    Fate::Arrives(time) => Step::Node(self.ends[port as usize], time),
                    _ => Step::Gone,
                }
            }
            Port::Feedback(feedback) => {
                let (wait, link) = (feedback.analytic.wait(packet.time), self.links[port as usize]);
                let before = shared.trace.sees(packet, link).then(|| Before::at(&feedback.analytic, packet));
                let fate = feedback.offer(packet, &mut shared.port_context(link));
                count(wait, fate, packet, &mut shared.counters);
                if let Some(before) = before {
                    note_fate(&mut feedback.analytic, link, &before, (fate, wait), packet, shared);
                }
                if fate == Fate::Dropped {
                    shared.side_table.forget(packet);
                }
                Step::Held(port)
            }
            Port::Queued(queued) => {
                queued.arrive(packet.time, packet, &mut shared.port_context(self.links[port as usize]));
                Step::Held(port)
            }
        }
    }

    /// Lets a port that acts at departures make up for those before `until`.
    pub fn catch_up(&mut self, port: u32, until: Time, shared: &mut Shared<L>) {
        let link = self.links[port as usize];
        match &mut self.ports[port as usize] {
            Port::Analytic(_) => {}
            Port::Feedback(feedback) => feedback.catch_up(until, &mut shared.port_context(link)),
            Port::Queued(queued) => queued.catch_up(until, &mut shared.port_context(link)),
        }
    }

    /// As [`Self::catch_up`], but so many things at most; true when all is made up for.
    pub fn catch_up_in_part(&mut self, port: u32, until: Time, most: usize, shared: &mut Shared<L>) -> bool {
        let link = self.links[port as usize];
        match &mut self.ports[port as usize] {
            Port::Analytic(_) => true,
            Port::Feedback(feedback) => {
                !(0..most).all(|_| feedback.step(until, &mut shared.port_context(link)))
            }
            Port::Queued(queued) => !(0..most).all(|_| queued.step(until, &mut shared.port_context(link))),
        }
    }

    /// The next departure at which a port acts.
    pub fn next_departure(&self, port: u32) -> Time {
        match &self.ports[port as usize] {
            Port::Analytic(_) => NEVER,
            Port::Feedback(feedback) => feedback.next_departure(),
            Port::Queued(queued) => queued.next_departure(),
        }
    }

    /// Router at the end of a port's link.
    pub fn end(&self, port: u32) -> u32 {
        self.ends[port as usize]
    }

    /// Packets will soon arrive at the ports.
    #[inline]
    pub fn expect_ports(&self) {
        prefetch_all(&self.ports[..self.ports.len().min(FEW_PORTS)]);
    }

    /// A packet will soon be sent by a host of a group.
    #[inline]
    pub fn expect_up(&self, group: usize, packet: &Packet) {
        prefetch(&self.up[group], packet.host as usize);
    }

    /// A packet will soon be sent to a host of a router.
    #[inline]
    pub fn expect_down(&self, router: usize, packet: &Packet) {
        prefetch(&self.down[router], packet.host as usize);
    }

    #[inline]
    fn last_hop(&mut self, router: usize, packet: &Packet, shared: &mut Shared<L>) -> Step {
        if packet.host == INLINE {
            return Step::Here;
        }
        let index = shared.setup.places[router].index;
        let link = &mut self.down[index as usize][packet.host as usize];
        let edge = &mut self.edges[link.edge as usize];
        if edge.is_full(&link.busy, packet.time) {
            shared.counters.segments_dropped += u64::from(packet.is_data());
            note_drop(router, packet, shared);
            return Step::Gone;
        }
        shared.counters.packet_hops += 1;
        let hosts = (shared.setup.routers() + router) as u32;
        Step::Node(hosts, edge.serve(&mut link.busy, packet.time, packet.size))
    }

    pub fn bytes(&self) -> usize {
        self.ports.iter().map(Port::bytes).sum::<usize>()
            + self.up.iter().chain(&self.down).map(|h| h.capacity() * size_of::<HostLink>()).sum::<usize>()
    }
}

fn host_link(&edge: &u32) -> HostLink {
    HostLink { edge, ..HostLink::default() }
}

/// A packet as it comes to an analytic port, and the marks that the port has made: it marks at once.
struct Before {
    packet: Packet,
    marks: u64,
}

impl Before {
    fn at<Q: Discipline>(analytic: &AnalyticPort<Q>, packet: &Packet) -> Self {
        Self { packet: *packet, marks: analytic.tally.marks }
    }
}

/// Offers a packet to an analytic port, for who follows it: how long it waits, and what becomes of it.
#[cold]
fn offer_and_note<Q: Discipline, L>(
    analytic: &mut AnalyticPort<Q>,
    link: u32,
    packet: &mut Packet,
    shared: &mut Shared<L>,
) -> (Span, Fate) {
    let before = Before::at(analytic, packet);
    let (wait, fate) = (analytic.wait(packet.time), analytic.offer(packet.time, packet));
    note_fate(analytic, link, &before, (fate, wait), packet, shared);
    (wait, fate)
}

/// Notes what an analytic port has decided, for who follows it: when the packet will have left, too. As the port counts
/// it, a packet is marked although it had a mark already.
#[cold]
fn note_fate<Q: Discipline, L>(
    analytic: &mut AnalyticPort<Q>,
    link: u32,
    before: &Before,
    (fate, wait): (Fate, Span),
    packet: &Packet,
    shared: &mut Shared<L>,
) {
    let (now, leaves) = (packet.time, analytic.clear_at());
    let queue = analytic.queue(now);
    let mut ctx = shared.port_context(link);
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

/// A router drops a packet at the link to its host, for who follows it.
#[cold]
fn note_drop<L>(router: usize, packet: &Packet, shared: &mut Shared<L>) {
    if packet.is_followed() && shared.trace.is_on() {
        let event = Event::new(packet.time, EventKind::Dropped, packet.connection(), router as u32);
        shared.trace.note(describe(event, packet, &shared.side_table));
    }
}

/// Counts a packet at an analytic port.
#[inline]
fn count(wait: Span, fate: Fate, packet: &Packet, counters: &mut Counters) {
    let data = packet.is_data();
    if fate != Fate::Dropped {
        counters.packet_hops += 1;
        // no branch: data and ACKs come in no order that can be predicted
        counters.wait_ps += u128::from(wait * u64::from(data));
    }
    counters.segments_dropped += u64::from(data & !matches!(fate, Fate::Arrives(_)));
}
