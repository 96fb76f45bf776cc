//! A slow, simple engine: one global heap, queues of packets, and a service-done event for each packet. It
//! shares the endpoints with the real engine, but no code that moves packets.

use headgate_model::chance::Stream;
use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::{Feedback, PassingPacket, Routers};
use headgate_model::plan::Outage;
use headgate_model::queue::{Discipline, Queues, Verdict};
use headgate_model::units::{NEVER, Time};
use headgate_netsim::devices::{Arrays, ResolvedDevices};
use headgate_netsim::packets::index::{HostIndex, LinkIndex, RouterIndex};
use headgate_netsim::packets::packet::Packet;
use headgate_netsim::packets::side_table::NO_HEADER;
use headgate_netsim::plan::Plan;
use headgate_netsim::port::Port;
use headgate_netsim::port::queued::QueuedPort;
use headgate_netsim::record;
use headgate_netsim::run::populate::{self, Population};
use headgate_netsim::time::timers::Timer;
use headgate_netsim::traffic::routes::Routes;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::event::{Event, Order, Place};
use crate::server::{Here, Server, longest_wait};
use crate::watch::Look;

pub struct HeapEngine<L: ControllerRegistry> {
    population: Population<L>,
    routes: Routes,
    servers: Vec<Server>,
    /// Ports that store packets, which replace their servers, and their next departure. Here each departure
    /// is an event.
    held: BTreeMap<usize, (Box<QueuedPort<L>>, Time)>,
    /// Disciplines that decide at arrival. Their ticks are events, too.
    guards: BTreeMap<usize, (L::Queue, Stream)>,
    /// Router feedback at ports that keep the order of packets.
    routers: BTreeMap<usize, L::Router>,
    links: usize,
    /// First server of each router's hosts: up and down alternate.
    hosts_from: Vec<usize>,
    events: BinaryHeap<Reverse<Event>>,
    duration: Time,
    /// Instants to look at the links, the next one last.
    looks: Vec<Time>,
    looked: Vec<Look>,
}

impl<L: ControllerRegistry> HeapEngine<L> {
    pub fn new(plan: &Plan, choices: &ResolvedDevices) -> Self {
        let mut population = populate::populate::<L>(plan, choices, &Arrays::new());
        let mut servers: Vec<Server> = plan.links.iter().map(|l| Server::port(l, plan.seed)).collect();
        let (mut held, mut guards, mut routers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (at, (port, devices)) in
            std::mem::take(&mut population.ports).into_iter().zip(&choices.ports).enumerate()
        {
            if let Port::Queued(port) = port {
                held.insert(at, (port, NEVER));
                continue;
            }
            let link = &plan.links[at];
            let bytes_s = link.rate_bps as f64 / 8.0;
            if let Some(choice) = &devices.feedback {
                let chance = Stream::new(plan.seed, &format!("feedback {}", link.name), 0);
                routers.insert(at, L::Router::build(choice.index, &choice.values, bytes_s, chance));
            }
            if let Some(queue) = &devices.queue {
                let chance = Stream::new(plan.seed, &format!("queue {}", link.name), 0);
                let queue = L::Queue::build(queue.index, &queue.values, bytes_s);
                guards.insert(at, (queue, chance));
            }
        }
        let mut hosts_from = Vec::new();
        for (router, hosts) in population.hosts.iter().enumerate() {
            hosts_from.push(servers.len());
            for &edge in hosts {
                let edge = &plan.edges[edge as usize];
                let server = |to| Server::new(edge.rate_bps, edge.delay_ps, to);
                let bytes = edge.buffer_bytes;
                let wants = bytes.map(|bytes| longest_wait(bytes, u128::from(edge.rate_bps)));
                servers.push(Server { wants, ..server(Place::Router(router)) });
                servers.push(Server { bytes, ..server(Place::HostGroup(router)) });
            }
        }
        let routes = Routes::new(plan.nodes.len(), &plan.links, 0..plan.nodes.len());
        let (links, duration) = (plan.links.len(), plan.duration_ps);
        let mut engine = Self {
            population,
            routes,
            servers,
            held,
            guards,
            routers,
            links,
            hosts_from,
            events: BinaryHeap::new(),
            duration,
            looks: looks(plan),
            looked: Vec::new(),
        };
        let timers = std::mem::take(&mut engine.population.timers);
        timers.into_iter().for_each(|t| engine.set_timer(t));
        (0..engine.links).for_each(|at| engine.set_tick(at));
        for (at, link) in plan.links.iter().enumerate() {
            let begins =
                |outage: &Outage| Event { time: outage.at_ps, order: Order::Departure(at), what: None };
            engine.events.extend(link.outages.iter().map(|outage| Reverse(begins(outage))));
        }
        engine
    }

    /// Runs to the end. Returns the digest that the real engine must give, and the observations of the links.
    pub fn run(mut self) -> (u64, Vec<Look>) {
        while let Some(Reverse(event)) = self.events.pop() {
            self.look_until(event.time);
            if event.time >= self.duration {
                break;
            }
            assert!(event.time >= self.population.state.now, "time goes back");
            self.population.state.now = event.time;
            match (event.order, event.what) {
                (Order::Departure(server), _) => self.depart(server),
                (Order::Tick(server), _) => self.tick(server),
                (Order::Timer(timer), _) => {
                    let group = timer.group.index();
                    self.population.groups[group].on_timer(&timer, &mut self.population.state);
                    self.flush(group);
                }
                (_, Some((Place::Router(router), packet))) => self.forward(router, packet),
                (_, Some((Place::HostGroup(group), packet))) => self.deliver(group, packet),
                _ => unreachable!("a packet is somewhere"),
            }
        }
        self.look_until(self.duration);
        let looked = std::mem::take(&mut self.looked);
        (self.digest(), looked)
    }

    /// Reads the links before anything happens at that instant.
    fn look_until(&mut self, until: Time) {
        while let Some(&at) = self.looks.last().filter(|at| **at <= until) {
            self.looks.pop();
            self.population.state.now = at;
            (0..self.links).for_each(|link| self.pass_held(link));
            let servers = &mut self.servers[..self.links];
            let doomed: usize = servers.iter().map(|server| server.doomed(at)).sum();
            let gone = self.population.state.counters.segments_dropped - doomed as u64;
            let links = servers.iter_mut().map(|server| server.seen_by(at)).collect();
            self.looked.push(Look { at, links, gone });
        }
    }

    /// Counts the packets that have waited until now at a port that stores packets.
    fn pass_held(&mut self, link: usize) {
        if let Some((port, _)) = self.held.get(&link) {
            self.servers[link].watch.pass(self.population.state.now, port.queue(), port.waiting_data());
        }
    }

    fn depart(&mut self, at: usize) {
        if self.held.contains_key(&at) {
            return self.serve(at, None);
        }
        let server = &mut self.servers[at];
        let (packet, lost) = server.finish_first();
        let to = server.to;
        if let Some(next) = server.queue.front() {
            let waited = u128::from(self.population.state.now - next.since);
            if server.counts_wait && next.packet.is_data() {
                self.population.state.counters.wait_ps += waited;
            }
            self.begin(at);
        }
        if !lost {
            self.file(to, packet);
        }
    }

    /// The service of a server's first packet begins.
    fn begin(&mut self, at: usize) {
        let (server, state) = (&mut self.servers[at], &mut self.population.state);
        let (time, order) = (server.next_end(), Order::Departure(at));
        self.events.push(Reverse(Event { time, order, what: None }));
        server.change_rates(state.now);
        if let Some(router) = self.routers.get_mut(&at) {
            let &Here { packet, lost, header, .. } = &server.queue[0];
            let seen = server.seen(state.now, true);
            router.on_departure(&passing(&packet), state.side_table.header_words(header), &seen);
            if lost {
                state.side_table.discard(header);
            }
        }
    }

    fn set_tick(&mut self, at: usize) {
        let aqm = self.guards.get(&at).map_or(NEVER, |(queue, _)| queue.next_tick());
        let tick = self.routers.get(&at).map_or(NEVER, Feedback::next_tick).min(aqm);
        if tick < self.duration {
            self.events.push(Reverse(Event { time: tick, order: Order::Tick(at), what: None }));
        }
    }

    fn tick(&mut self, at: usize) {
        let (server, now) = (&mut self.servers[at], self.population.state.now);
        server.change_rates(now);
        if let Some((queue, _)) = self.guards.get_mut(&at).filter(|(queue, _)| queue.next_tick() == now) {
            queue.on_tick(&server.backlog(now));
        }
        if let Some(router) = self.routers.get_mut(&at).filter(|router| router.next_tick() == now) {
            router.on_tick(&server.seen(now, false));
        }
        self.set_tick(at);
    }

    fn file(&mut self, to: Place, packet: Packet) {
        let row = match to {
            Place::Router(r) => r,
            Place::HostGroup(r) => self.hosts_from.len() + r,
        };
        let order = Order::Packet(packet.address, packet.kind(), packet.rank().2, row);
        self.events.push(Reverse(Event { time: packet.time, order, what: Some((to, packet)) }));
    }

    fn forward(&mut self, router: usize, packet: Packet) {
        let goal = self.population.state.split.router(packet.address).index();
        if goal != router {
            let link = self
                .routes
                .next(RouterIndex::from_index(router), RouterIndex::from_index(goal))
                .expect("a route");
            return self.offer(link.index(), packet);
        }
        match packet.host {
            HostIndex::INLINE => self.deliver(router, packet),
            host => self.offer(self.hosts_from[router] + 2 * host.index() + 1, packet),
        }
    }

    fn offer(&mut self, at: usize, mut packet: Packet) {
        if self.held.contains_key(&at) {
            return self.serve(at, Some(packet));
        }
        let now = self.population.state.now;
        let server = &mut self.servers[at];
        server.change_rates(now);
        let mut header = NO_HEADER;
        if let Some(router) = self.routers.get_mut(&at) {
            let side_table = &mut self.population.state.side_table;
            header = side_table.header_number(&packet, router.scheme());
            let words = side_table.header_words(header).map(|words| &*words);
            router.on_arrival(&passing(&packet), words, &server.seen(now, false));
        }
        if !server.admits(now) {
            self.population.state.counters.segments_dropped += u64::from(packet.is_data());
            self.population.state.side_table.forget(&packet);
            return;
        }
        let verdict = self.guards.get_mut(&at).map_or(Verdict::Keep, |(queue, chance)| {
            queue.admit(&packet.arrival(), &server.backlog(now), chance)
        });
        if verdict == Verdict::Drop {
            self.population.state.counters.segments_dropped += u64::from(packet.is_data());
            self.population.state.side_table.forget(&packet);
            return;
        }
        packet.mark(verdict == Verdict::Mark);
        self.population.state.counters.packet_hops += 1;
        server.entered += 1;
        let listed = server.lose.contains(&server.entered);
        server.enter(now, Here { since: now, packet, lost: false, header });
        if listed || server.loses_last() {
            let last = server.queue.back_mut().expect("it came");
            last.lost = true;
            self.population.state.counters.segments_dropped += u64::from(packet.is_data());
            if header != NO_HEADER {
                self.population.state.side_table.detach(&mut last.packet);
            }
            self.population.state.side_table.forget(&last.packet);
        }
        if server.queue.len() == 1 {
            self.begin(at);
        }
    }

    /// A packet arrives at a port that stores packets, or one is due to leave it.
    fn serve(&mut self, at: usize, packet: Option<Packet>) {
        self.pass_held(at);
        let state = &mut self.population.state;
        let now = state.now;
        let (port, awaited) = self.held.get_mut(&at).expect("looked up");
        match packet {
            Some(packet) => port.arrive(now, &packet, &mut state.port_context(LinkIndex::from_index(at))),
            None => port.catch_up(now + 1, &mut state.port_context(LinkIndex::from_index(at))),
        }
        let time = port.next_departure();
        if time != NEVER && time != *awaited {
            *awaited = time;
            self.events.push(Reverse(Event { time, order: Order::Departure(at), what: None }));
        }
        let to = self.servers[at].to;
        for (time, packet) in std::mem::take(&mut self.population.state.outgoing) {
            self.file(to, packet.arriving(time));
        }
    }

    fn deliver(&mut self, group: usize, packet: Packet) {
        self.population.groups[group].on_packet(&packet, &mut self.population.state);
        self.flush(group);
    }

    fn flush(&mut self, group: usize) {
        for (host, packet) in std::mem::take(&mut self.population.state.outbox) {
            match host {
                HostIndex::INLINE => self.forward(group, packet),
                host => self.leave(self.hosts_from[group] + 2 * host.index(), packet),
            }
        }
        for timer in std::mem::take(&mut self.population.state.timers) {
            self.set_timer(timer);
        }
        for (connection, below) in std::mem::take(&mut self.population.state.completed) {
            let split = self.population.state.split;
            let flow = &mut self.population.groups[split.router(connection.sender).index()].flows
                [split.slot(connection.sender)];
            if flow.endpoint.generation == connection.generation {
                flow.note_received(below, self.population.state.now);
            }
        }
    }

    /// A host sends. If its queue is too long, the sender must wait.
    fn leave(&mut self, server: usize, packet: Packet) {
        let now = self.population.state.now;
        self.offer(server, packet);
        let server = &self.servers[server];
        if let Some(longest) = server.wants.filter(|_| packet.is_data()) {
            let clear = server.clear_at();
            if clear - now > longest {
                let Population { state, groups, .. } = &mut self.population;
                let group = &mut groups[state.split.router(packet.sender()).index()];
                group.apply_backpressure(packet.sender(), clear - longest, state);
            }
        }
    }

    fn set_timer(&mut self, timer: Timer) {
        self.events.push(Reverse(Event { time: timer.time, order: Order::Timer(timer), what: None }));
    }

    /// Packets that wait at the end count as served, because the real engine counts them at arrival.
    fn digest(mut self) -> u64 {
        let duration = self.duration;
        let state = &mut self.population.state;
        state.now = duration;
        for server in &mut self.servers {
            let mut first = true;
            while let Some(&Here { since, packet, .. }) = server.queue.front() {
                let starts = server.starts_at();
                if !first && server.counts_wait && packet.is_data() {
                    state.counters.wait_ps += u128::from(starts - since);
                }
                server.finish_first();
                first = false;
            }
        }
        let mut rows = std::mem::take(&mut state.flow_rows);
        rows.extend(self.population.groups.iter().flat_map(|s| s.active_rows(&self.population.state)));
        rows.sort_by_key(|r| (r.start, r.traffic, r.address));
        let held = &self.held;
        let digest =
            |(at, server): (usize, &Server)| held.get(&at).map_or(server.digest, |held| held.0.digest());
        let ports = self.servers[..self.links].iter().enumerate().map(digest);
        record::digest(ports, &self.population.state.counters, &rows)
    }
}

/// The instants at which a count begins or ends, the last one first.
fn looks(plan: &Plan) -> Vec<Time> {
    let measure = &plan.measure;
    let bounds = measure.periods.iter().flatten().copied();
    let mut all: Vec<_> = bounds.chain([measure.warmup_ps, plan.duration_ps]).collect();
    all.sort_unstable_by_key(|&at| Reverse(at));
    all.dedup();
    all
}

fn passing(packet: &Packet) -> PassingPacket {
    PassingPacket { size_bytes: u32::from(packet.size), data: packet.is_data(), ecn: packet.ecn() }
}
