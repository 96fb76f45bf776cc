//! From a validated plan to hosts, sources and ports before the first event.

use headgate_model::chance::Stream;
use headgate_model::control::Registry;
use headgate_model::plan::{Flows, Place, Plan, Poisson, Pool, Replay, Traffic, Web};
use headgate_model::units::{NEVER, Time, picoseconds};
use std::sync::Arc;

use crate::cells::{Cells, FILE, LONG_LIVED, WEB_OBJECT};
use crate::choices::{Choice, Fitted, Lists};
use crate::packet::INLINE;
use crate::port::Port;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::site::Site;
use crate::timers::{Purpose, Timer};
use crate::traffic::Opening;
use crate::traffic::lots::Lots;
use crate::traffic::sources::{Arrivals, Listed, User};
use crate::traffic::turns::Turns;
use crate::traffic::{Habits, Home, Hosts, Receivers, Size, Sources, Spec};
use crate::transport::profile::{ENDLESS, Profile};

/// Everything but the links.
pub struct Population<L> {
    pub shared: Shared<L>,
    pub sites: Vec<Site<L>>,
    /// Kind of link of every host of every router.
    pub hosts: Vec<Vec<u32>>,
    /// Routers that have hosts directly on them.
    pub inline: Vec<bool>,
    pub timers: Vec<Timer>,
    pub sources: u64,
}

/// Ports of all links.
pub fn ports<L: Registry>(plan: &Plan, fitted: &[Fitted]) -> Vec<Port<L>> {
    plan.links.iter().zip(fitted).map(|(link, fitted)| Port::new(link, fitted, plan.seed)).collect()
}

/// Hosts, sources and what they share.
pub fn populate<L: Registry>(plan: &Plan, laws: &[Choice], lists: &Lists) -> Population<L> {
    let mut crowd = Crowd::new(plan);
    let specs = crowd.settle_all(lists);
    let shared = share(plan, laws, specs);
    for sources in &mut crowd.sources {
        sources.list.sort_by_key(|l| l.start);
    }
    let timers = first_timers(plan, &mut crowd.sources, &shared.setup.specs);
    let sites = crowd.sources.into_iter().enumerate().map(|(i, s)| Site::new(i as u32, s)).collect();
    Population { shared, sites, hosts: crowd.hosts, inline: crowd.inline, timers, sources: crowd.count }
}

fn share<L: Registry>(plan: &Plan, laws: &[Choice], specs: Vec<Spec>) -> Shared<L> {
    let built = laws.iter().map(|c| L::build(c.index, &c.values)).collect();
    let profiles = plan.transports.iter().map(Profile::from).collect();
    Shared::new(Arc::new(Setup::new(plan, specs)), profiles, built, Cells::new(plan.files.len(), laws.len()))
}

/// Hosts and sources as they settle, router by router.
struct Crowd<'a> {
    plan: &'a Plan,
    hosts: Vec<Vec<u32>>,
    inline: Vec<bool>,
    sources: Vec<Sources>,
    count: u64,
}

impl<'a> Crowd<'a> {
    fn new(plan: &'a Plan) -> Self {
        let n = plan.nodes.len();
        Self {
            plan,
            hosts: vec![Vec::new(); n],
            inline: vec![false; n],
            sources: vec![Sources::default(); n],
            count: 0,
        }
    }

    fn house(&mut self, pool: &Pool) -> Hosts {
        let homes = &mut self.hosts[pool.node as usize];
        let mut first = INLINE;
        if let Some(edge) = pool.edge {
            first = homes.len() as u32;
            homes.extend(std::iter::repeat_n(edge, pool.hosts as usize));
        } else {
            self.inline[pool.node as usize] = true;
        }
        let fast = pool.edge.is_some_and(|edge| self.plan.edges[edge as usize].name == "fast");
        Hosts { node: pool.node, first, count: pool.hosts, fast }
    }

    fn house_all(&mut self, pools: &[Pool]) -> Vec<Hosts> {
        pools.iter().map(|p| self.house(p)).collect()
    }

    fn house_one(&mut self, place: Place) -> Hosts {
        self.house(&Pool { node: place.node, edge: place.edge, hosts: 1 })
    }

    fn settle_all(&mut self, lists: &Lists) -> Vec<Spec> {
        let (plan, mut first) = (self.plan, 0);
        let settle = |(index, traffic): (u32, &Traffic)| {
            let spec = Spec { first, ..self.settle(index, first, traffic, lists) };
            first += traffic.names();
            spec
        };
        (0..).zip(&plan.traffic).map(settle).collect()
    }

    /// Settles the hosts and sources of one kind of traffic, whose first flow has this number.
    fn settle(&mut self, index: u32, first: u32, traffic: &Traffic, lists: &Lists) -> Spec {
        match traffic {
            Traffic::Flows(flows) => self.settle_flows(first, flows),
            Traffic::Poisson(poisson) => self.settle_poisson(index, poisson),
            Traffic::Web(web) => self.settle_web(index, web),
            Traffic::Replay(replay) => self.settle_replay(first, replay, lists),
        }
    }

    fn settle_flows(&mut self, first: u32, flows: &Flows) -> Spec {
        let size = flows.packets.map_or(ENDLESS, |p| p as u32);
        let file = if flows.packets.is_none() { LONG_LIVED } else { FILE };
        let spec = Spec { file, ends: flows.stop_ps.unwrap_or(NEVER), ..spec(flows.law, flows.transport) };
        let turns = Turns::new(flows);
        for n in 0..flows.count {
            let (source, receiver) = turns.pair(n);
            let ends = (self.house_one(source), self.house_one(receiver));
            let start = flows.start_ps + u64::from(n) * flows.stagger_ps;
            let owner = self.admit(ends.0);
            self.list(start, Opening::between(first + n, &spec, owner, self::ends(ends), size), ends.0);
        }
        spec
    }

    fn list(&mut self, start: Time, opening: Opening, from: Hosts) {
        self.sources[from.node as usize].list.push(Listed { start, opening });
    }

    /// Hosts that are sources; the number of the first.
    fn admit(&mut self, hosts: Hosts) -> u32 {
        self.count += u64::from(hosts.count);
        self.sources[hosts.node as usize].admit(hosts.count)
    }

    fn settle_poisson(&mut self, index: u32, poisson: &Poisson) -> Spec {
        let pools = self.house_all(&poisson.sources);
        let total: f64 = pools.iter().map(|p| f64::from(p.count)).sum();
        let purpose = format!("arrivals {}", poisson.name);
        for (n, hosts) in (0..).zip(pools) {
            let stream = Stream::new(self.plan.seed, &purpose, n);
            let gap_s = total / (poisson.flows_per_s * f64::from(hosts.count));
            let source = self.admit(hosts);
            let arrivals = &mut self.sources[hosts.node as usize].arrivals;
            arrivals.push(Arrivals { stream, spec: index, hosts, source, gap_s });
        }
        let receivers = Receivers::new(self.house_all(&poisson.receivers));
        let plain = spec(poisson.law, poisson.transport);
        Spec { size: poisson.size.into(), stop: poisson.stop_ps, receivers, ..plain }
    }

    fn settle_web(&mut self, index: u32, web: &Web) -> Spec {
        let purpose = format!("user {}", web.name);
        let lots = Lots::new(self.plan, web);
        let mut number = 0;
        for hosts in self.house_all(&web.sources) {
            let users = &mut self.sources[hosts.node as usize].users;
            users.reserve_exact(hosts.count as usize);
            for n in 0..hosts.count {
                let stream = Stream::new(self.plan.seed, &purpose, number);
                let (host, fast) = (hosts.nth(n).host, hosts.fast);
                let (law, surges) = (lots.law(number, hosts.node), lots.surges(number, hosts.node));
                users.push(User { stream, spec: index, host, law, fast, surges });
                number += 1;
            }
        }
        self.count += number;
        let receivers = Receivers::new(self.house_all(&web.receivers));
        let plain = spec(web.law, web.transport);
        let (file, habits) = (WEB_OBJECT, Habits::from(web));
        Spec { file, size: web.size.into(), habits, think_s: web.think_s, receivers, ..plain }
    }

    fn settle_replay(&mut self, first: u32, replay: &Replay, lists: &Lists) -> Spec {
        let homes: Vec<Hosts> = replay.places.iter().map(|p| self.house_one(*p)).collect();
        let mut sources = vec![None; homes.len()];
        let column = |name: &str| lists.get(&format!("{}.{name}", replay.key));
        let pick = |name: &str, row: usize, other: u32| column(name).map_or(other, |c| c[row] as u32);
        let rows = column("start_ps").into_iter().flatten().zip(column("packets").into_iter().flatten());
        for (row, (&start, &size)) in rows.enumerate() {
            let place = pick("source", row, replay.source) as usize;
            let from = homes[place];
            let source = *sources[place].get_or_insert_with(|| self.admit(from));
            let to = homes[pick("receiver", row, replay.receiver) as usize];
            let law = pick("law", row, replay.law);
            let plain = spec(law, replay.transport);
            let opening = Opening::between(first, &plain, source, ends((from, to)), size as u32);
            self.list(start, opening, from);
        }
        spec(replay.law, replay.transport)
    }
}

/// The first host of either end.
fn ends((from, to): (Hosts, Hosts)) -> (Home, Home) {
    (from.nth(0), to.nth(0))
}

/// A kind of traffic that draws nothing.
fn spec(law: u32, transport: u32) -> Spec {
    Spec {
        first: 0,
        law,
        profile: transport as u8,
        file: FILE,
        habits: Habits::default(),
        size: Size::Fixed { packets: 1.0 },
        think_s: 0.0,
        stop: Time::MAX,
        ends: NEVER,
        receivers: Receivers::default(),
    }
}

/// What wakes every source for the first time.
fn first_timers(plan: &Plan, sources: &mut [Sources], specs: &[Spec]) -> Vec<Timer> {
    let mut timers = Vec::new();
    for (site, sources) in sources.iter_mut().enumerate() {
        let own = site as u32;
        for process in 0..sources.arrivals.len() as u32 {
            let start = first_arrival(plan, sources.arrivals[process as usize].spec);
            timers.extend(sources.next_arrival(process, start, specs, own));
        }
        for user in 0..sources.users.len() as u32 {
            timers.push(first_thought(plan, sources, user, specs, own));
        }
        timers.extend(sources.list_timer(own));
    }
    timers
}

fn first_arrival(plan: &Plan, spec: u32) -> Time {
    match &plan.traffic[spec as usize] {
        Traffic::Poisson(poisson) => poisson.start_ps,
        _ => 0,
    }
}

/// A share of the users asks within the first moments, the others begin by thinking.
fn first_thought(plan: &Plan, sources: &mut Sources, user: u32, specs: &[Spec], own: u32) -> Timer {
    let User { stream, spec, .. } = &mut sources.users[user as usize];
    let at_once = match &plan.traffic[*spec as usize] {
        Traffic::Web(web) => web.at_once,
        _ => 0.0,
    };
    if at_once > 0.0 && stream.chance(at_once) {
        let time = picoseconds(FIRST_MOMENT_S * stream.open01());
        return Timer { time, site: own, purpose: Purpose::Think, id: user, generation: 0 };
    }
    sources.think(user, 0, specs, own)
}

/// Users who ask at once do not all ask at the same picosecond.
const FIRST_MOMENT_S: f64 = 0.1;
