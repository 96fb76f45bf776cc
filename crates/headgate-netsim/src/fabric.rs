//! Routers, links and host links: where a packet goes next, and when it gets there.

use headgate_model::control::Registry;
use headgate_model::plan::{Edge, Plan};
use headgate_model::units::{Busy, NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::packet::{INLINE, Packet, Split};
use crate::port::ticks::TickCache;
use crate::port::{Fate, Port};
use crate::prefetch::prefetch;
use crate::record::{Counters, PortRow};
use crate::routes::Routes;
use crate::setup::{self, Fitted};
use crate::shared::Shared;

/// A host link: its two serialisers.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct HostLink {
    up: Busy,
    down: Busy,
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
    /// At a router.
    Router(u32, Time),
    /// At the hosts of a router.
    Site(u32, Time),
    /// At a host directly on this router: now.
    Here,
    /// Dropped or lost.
    Gone,
    /// At the end of this link, whose router will write into its label before.
    Spoken(u32, Time),
    /// In the hands of this port, which holds it.
    Held(u32),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: Registry")]
pub struct Fabric<L: Registry> {
    split: Split,
    pub ports: Vec<Port<L>>,
    /// Router at the end of each link.
    ends: Vec<u32>,
    routes: Routes,
    edges: Vec<EdgeLine>,
    /// Host links of each router.
    hosts: Vec<Vec<HostLink>>,
}

impl<L: Registry> Fabric<L> {
    /// `hosts` gives the kind of link of every host of every router; `inline` says which routers have
    /// hosts directly on them.
    pub fn new(plan: &Plan, fitted: &[Fitted], split: Split, hosts: &[Vec<u32>], inline: &[bool]) -> Self {
        let goals = (0..hosts.len()).filter(|&router| inline[router] || !hosts[router].is_empty());
        let link = |&edge: &u32| HostLink { edge, ..HostLink::default() };
        Self {
            split,
            ports: setup::ports(plan, fitted),
            ends: plan.links.iter().map(|l| l.to).collect(),
            routes: Routes::new(plan.nodes.len(), &plan.links, goals),
            edges: plan.edges.iter().map(EdgeLine::new).collect(),
            hosts: hosts.iter().map(|h| h.iter().map(link).collect()).collect(),
        }
    }

    /// A host sends.
    #[inline]
    pub fn leave(&mut self, router: usize, host: u32, packet: &mut Packet, shared: &mut Shared<L>) -> Step {
        if host == INLINE {
            return self.forward(router, packet, shared);
        }
        let link = &mut self.hosts[router][host as usize];
        let edge = &mut self.edges[link.edge as usize];
        let time = edge.serve(&mut link.up, packet.time, packet.size);
        if edge.is_full(&link.up, packet.time) && packet.is_data() {
            shared.told_to_wait.push((packet.b, link.up.until - edge.limit));
        }
        shared.counters.packet_hops += 1;
        Step::Router(router as u32, time)
    }

    /// A router sends a packet on its way.
    #[inline]
    pub fn forward(&mut self, router: usize, packet: &mut Packet, shared: &mut Shared<L>) -> Step {
        let goal = self.split.site(packet.flow);
        if goal == router {
            return self.last_hop(router, packet, shared);
        }
        let link = self.routes.link(router, goal) as usize;
        let counters = &mut shared.counters;
        match &mut self.ports[link] {
            Port::Line(line) => {
                let (wait, fate) = (line.wait(packet.time), line.offer(packet.time, packet));
                hop(wait, fate, packet, counters, |time| Step::Router(self.ends[link], time))
            }
            Port::Spoken(port) => {
                let (wait, fate) = (port.line.wait(packet.time), port.offer(packet, &mut shared.papers));
                hop(wait, fate, packet, counters, |time| Step::Spoken(link as u32, time))
            }
            Port::Served(port) => {
                port.arrive(packet.time, packet, &mut shared.desk());
                Step::Held(link as u32)
            }
        }
    }

    /// Lets a port that acts at departures make up for those before `until`.
    pub fn catch_up(&mut self, link: u32, until: Time, shared: &mut Shared<L>) {
        match &mut self.ports[link as usize] {
            Port::Line(_) => {}
            Port::Spoken(port) => port.catch_up(until, &mut shared.papers),
            Port::Served(port) => port.catch_up(until, &mut shared.desk()),
        }
    }

    /// As [`Self::catch_up`], but so many things at most; true when all is made up for.
    pub fn catch_up_in_part(&mut self, link: u32, until: Time, most: usize, shared: &mut Shared<L>) -> bool {
        match &mut self.ports[link as usize] {
            Port::Line(_) => true,
            Port::Spoken(port) => !(0..most).all(|_| port.step(until, &mut shared.papers)),
            Port::Served(port) => !(0..most).all(|_| port.step(until, &mut shared.desk())),
        }
    }

    /// Packets that wait at a port.
    pub fn queue(&mut self, link: u32, now: Time, shared: &mut Shared<L>) -> u64 {
        self.catch_up(link, now, shared);
        self.ports[link as usize].queue(now) as u64
    }

    /// Bytes that a port has sent and packets that it has dropped since its tally began.
    pub fn passed(&mut self, link: u32, now: Time, shared: &mut Shared<L>) -> (u64, u64) {
        self.catch_up(link, now, shared);
        self.ports[link as usize].passed(now)
    }

    /// What happened at all ports since their tallies began.
    pub fn rows(&mut self, now: Time, shared: &mut Shared<L>) -> Vec<PortRow> {
        self.catch_up_all(now, shared);
        self.ports.iter_mut().map(|port| port.row(now)).collect()
    }

    /// All tallies begin afresh.
    pub fn reset(&mut self, now: Time, shared: &mut Shared<L>) {
        self.catch_up_all(now, shared);
        self.ports.iter_mut().for_each(|port| port.reset(now));
    }

    /// Between windows this is for ticks and rates only: all packets before `until` have left.
    fn catch_up_all(&mut self, until: Time, shared: &mut Shared<L>) {
        (0..self.ports.len() as u32).for_each(|link| self.catch_up(link, until, shared));
    }

    /// The next departure at which a port acts.
    pub fn next_departure(&self, link: u32) -> Time {
        match &self.ports[link as usize] {
            Port::Line(_) => NEVER,
            Port::Spoken(port) => port.next_departure(),
            Port::Served(port) => port.next_departure(),
        }
    }

    /// Whether a link's port acts at departures.
    pub fn catches_up(&self, link: u32) -> bool {
        !matches!(self.ports[link as usize], Port::Line(_))
    }

    /// Router at the end of a link.
    pub fn end(&self, link: u32) -> u32 {
        self.ends[link as usize]
    }

    /// A packet will soon be sent to, or come from, a host of this router.
    #[inline]
    pub fn expect(&self, router: usize, packet: &Packet) {
        prefetch(&self.hosts[router], packet.host as usize);
    }

    /// Whether a packet at this router is at its last one.
    #[inline]
    pub fn is_last(&self, router: usize, packet: &Packet) -> bool {
        self.split.site(packet.flow) == router
    }

    #[inline]
    fn last_hop(&mut self, router: usize, packet: &Packet, shared: &mut Shared<L>) -> Step {
        if packet.host == INLINE {
            return Step::Here;
        }
        let link = &mut self.hosts[router][packet.host as usize];
        let edge = &mut self.edges[link.edge as usize];
        if edge.is_full(&link.down, packet.time) {
            return gone(packet, &mut shared.counters);
        }
        shared.counters.packet_hops += 1;
        Step::Site(router as u32, edge.serve(&mut link.down, packet.time, packet.size))
    }

    pub fn bytes(&self) -> usize {
        self.ports.iter().map(Port::bytes).sum::<usize>()
            + self.hosts.iter().map(|h| h.capacity() * size_of::<HostLink>()).sum::<usize>()
    }
}

/// Counts a packet at an analytic port: where it is next.
#[inline]
fn hop(
    wait: Span,
    fate: Fate,
    packet: &Packet,
    counters: &mut Counters,
    next: impl FnOnce(Time) -> Step,
) -> Step {
    if fate == Fate::Dropped {
        return gone(packet, counters);
    }
    counters.packet_hops += 1;
    counters.wait_ps += if packet.is_data() { u128::from(wait) } else { 0 };
    match fate {
        Fate::Arrives(time) => next(time),
        _ => gone(packet, counters),
    }
}

fn gone(packet: &Packet, counters: &mut Counters) -> Step {
    counters.segments_dropped += u64::from(packet.is_data());
    Step::Gone
}
