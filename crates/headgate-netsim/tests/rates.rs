//! Lines whose rate changes repeatedly while a backlog drains, against a brute-force model.

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_model::feedback::Routers;
use headgate_model::params::Card;
use headgate_model::plan::{Buffer, Link, RateChange};
use headgate_model::queue::Queues;
use headgate_model::units::{SECOND, Time};
use headgate_netsim::devices::{Arrays, PortDevices, ResolvedDevice};
use headgate_netsim::packets::address::AddressSplit;
use headgate_netsim::packets::index::Address;
use headgate_netsim::packets::packet::{CommonFields, Packet};
use headgate_netsim::packets::side_table::SideTable;
use headgate_netsim::port::context::PortContext;
use headgate_netsim::port::{Port, PortOccupancy};
use headgate_netsim::record::{Counters, PortRow};
use headgate_tcp::Flags;
use headgate_tcp::context::DataSegment;

const MS: Time = SECOND / 1000;

/// One packet, as the model serves it.
#[derive(Clone, Copy, Debug)]
struct Service {
    arrives: f64,
    begins: f64,
    ends: f64,
    bps: f64,
}

/// First come, first served; a packet is sent at the rate that held when it came, or when it is sent.
struct Model {
    rates: Vec<(Time, u64)>,
    services: Vec<Service>,
}

impl Model {
    fn new(link: &Link, packets: &[(Time, u16)], at_departure: bool) -> Self {
        let changes = link.changes.iter().map(|change| (change.at_ps, change.rate_bps));
        let rates: Vec<_> = [(0, link.rate_bps)].into_iter().chain(changes).collect();
        let mut model = Self { rates, services: Vec::new() };
        let mut free = 0.0_f64;
        for &(arrives, size) in packets {
            let arrives = arrives as f64;
            let begins = arrives.max(free);
            let bps = model.rate(if at_departure { begins } else { arrives });
            free = begins + f64::from(size) * 8e12 / bps;
            model.services.push(Service { arrives, begins, ends: free, bps });
        }
        model
    }

    /// The rate that holds at an instant.
    fn rate(&self, at: f64) -> f64 {
        let held = self.rates.iter().take_while(|change| change.0 as f64 <= at + 0.5);
        held.last().expect("a rate").1 as f64
    }

    fn sum(&self, of: impl Fn(&Service) -> f64) -> f64 {
        self.services.iter().map(of).sum()
    }

    fn sent_bits(&self, from: f64, to: f64) -> f64 {
        self.sum(|service| service.bps * overlap([service.begins, service.ends], [from, to]) / 1e12)
    }

    fn waited_ps(&self, from: f64, to: f64) -> f64 {
        self.sum(|service| overlap([service.arrives, service.begins], [from, to]))
    }

    fn departures(&self, from: f64, to: f64) -> f64 {
        self.sum(|service| f64::from(u8::from(from < service.ends && service.ends <= to)))
    }

    /// Busy at the packets' rates, idle at the rate that holds.
    fn capacity_bits(&self, from: f64, to: f64) -> f64 {
        let next = self.rates.iter().skip(1).map(|change| change.0 as f64).chain([f64::MAX]);
        let spans = self.rates.iter().zip(next).map(|(&(at, bps), end)| (at as f64, end, bps as f64));
        let idle = |(at, end, bps): (f64, f64, f64)| {
            let span = [at.max(from), end.min(to)];
            let busy = self.sum(|service| overlap([service.begins, service.ends], span));
            bps * (overlap(span, [from, to]) - busy) / 1e12
        };
        self.sent_bits(from, to) + spans.map(idle).sum::<f64>()
    }
}

fn overlap(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[1].min(other[1]) - one[0].max(other[0])).max(0.0)
}

/// An analytic port, and a port that stores packets in order of arrival. Neither drops packets.
fn ports(link: &Link) -> [(Port<AnyController>, bool); 3] {
    let choice = |cards: &[&Card], name: &str, given: &[(&str, f64)]| {
        let index = cards.iter().position(|card| card.name == name).expect("a card");
        let known = |name| given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let values = cards[index].params.iter().map(|param| known(param.name).unwrap_or(param.default));
        Some(ResolvedDevice { index, values: values.collect() })
    };
    let feedback = choice(AnyRouter::cards(), "xcp", &[]);
    let queue = choice(AnyQueue::cards(), "codel", &[("target_s", 10.0)]);
    let port = |queue, feedback| {
        Port::new(link, &PortDevices { queue, feedback, ..PortDevices::default() }, &Arrays::new(), 7)
    };
    [(port(None, None), false), (port(None, feedback), false), (port(queue, None), true)]
}

fn link(chance: &mut Stream) -> Link {
    let rate = |chance: &mut Stream| [300_007, 2_000_000, 9_999_991, 1_000_000_000][chance.below(4) as usize];
    let mut at = 0;
    let changes = (0..12).map(|_| {
        at += 1 + chance.below(60 * MS);
        RateChange { at_ps: at, rate_bps: rate(chance) }
    });
    Link {
        name: "link".into(),
        from: 0,
        to: 1,
        changes: changes.collect(),
        rate_bps: rate(chance),
        delay_ps: MS,
        buffer: Buffer::Infinite,
        ..Link::default()
    }
}

/// Bursts and pauses, so that queues grow over several changes and are empty at others.
fn packets(chance: &mut Stream) -> Vec<(Time, u16)> {
    let mut now = 0;
    let packet = |_| {
        let pause = if chance.chance(0.9) { 3 * MS } else { 80 * MS };
        now += chance.below(pause);
        (now, 40 + chance.below(1461) as u16)
    };
    (0..200).map(packet).collect()
}

/// Offers the packets, reads the port at the given instants, and restarts the tally at the first of them.
fn rows(mut port: Port<AnyController>, packets: &[(Time, u16)], looks: &[Time]) -> Vec<PortRow> {
    let (mut counters, mut side_table, mut leaving) = (Counters::default(), SideTable::default(), Vec::new());
    let mut held = PortOccupancy::default();
    let mut ctx = PortContext {
        counters: &mut counters,
        side_table: &mut side_table,
        outgoing: &mut leaving,
        occupancy: &mut held,
        split: AddressSplit::default(),
        trace: None,
    };
    let mut coming = packets.iter().peekable();
    let mut rows = Vec::new();
    for &look in looks {
        while let Some(&(now, size)) = coming.next_if(|packet| packet.0 < look) {
            let segment = DataSegment { seq: 0, stamp: 0, flags: Flags::NONE };
            let mut packet = Packet::data(
                CommonFields { time: now, size, ..CommonFields::default() },
                segment,
                Address(0),
            );
            match &mut port {
                Port::Analytic(line) => drop(line.offer(now, &mut packet)),
                Port::Feedback(feedback) => drop(feedback.offer(&mut packet, &mut ctx)),
                Port::Queued(queued) => queued.arrive(now, &packet, &mut ctx),
            }
        }
        match &mut port {
            Port::Analytic(_) => {}
            Port::Feedback(feedback) => feedback.catch_up(look, &mut ctx),
            Port::Queued(queued) => queued.catch_up(look, &mut ctx),
        }
        if rows.is_empty() {
            port.reset(look);
        }
        rows.push(port.row(look));
    }
    rows
}

#[test]
fn rates_that_change_while_a_backlog_drains_lose_nothing() {
    for seed in 0..300 {
        let mut chance = Stream::new(seed, "rates", 0);
        let (link, packets) = (link(&mut chance), packets(&mut chance));
        let mut looks: Vec<_> = (0..40).map(|_| chance.below(2 * SECOND)).collect();
        looks.sort_unstable();
        for (port, at_departure) in ports(&link) {
            let model = Model::new(&link, &packets, at_departure);
            let rows = rows(port, &packets, &looks);
            let begin = looks[0] as f64;
            for ((row, &look), before) in rows.iter().zip(&looks).skip(1).zip(&rows) {
                let now = look as f64;
                let says = format!("seed {seed}, {now} ps, held {at_departure}: {row:?}");
                let off = |ours: f64, theirs: f64, by: f64| (ours - theirs).abs() <= by;
                let (sent, capacity) = (8.0 * row.sent.sent_bytes as f64, row.sent.capacity as f64 / 1e12);
                // a picosecond for each change and each packet, and whole bytes for each rate
                assert!(off(sent, model.sent_bits(begin, now), 8.0 * 14.0 + 2.0), "sent {says}");
                assert!(off(capacity, model.capacity_bits(begin, now), 2.0), "capacity {says}");
                assert!(sent <= capacity + 8.0 * 14.0, "more than the line carries {says}");
                let waited = model.waited_ps(begin, now);
                assert!(off(row.tally.wait_ps as f64, waited, 1e-9 * waited + 1e4), "waits {says}");
                assert!(off(row.sent.departures as f64, model.departures(begin, now), 0.1), "{says}");
                assert!(
                    row.sent.sent_bytes >= before.sent.sent_bytes
                        && row.sent.capacity >= before.sent.capacity,
                    "{says}"
                );
                let most = u128::from(row.tally.max_queue) * u128::from(row.sent.elapsed);
                assert!(row.tally.wait_ps <= most, "the mean exceeds the most {says}");
            }
        }
    }
}

/// A rate change in an idle period affects all later readings, at any kind of port.
#[test]
fn a_change_while_idle_is_seen_by_the_tally() {
    let change = RateChange { at_ps: 10 * MS, rate_bps: 500_000 };
    let base = link(&mut Stream::new(1, "rates", 0));
    let link = Link { rate_bps: 2_000_000, changes: vec![change], ..base };
    for (port, _) in ports(&link) {
        let rows = rows(port, &[(0, 1000)], &[20 * MS, 30 * MS]);
        assert_eq!((rows[1].rate_bps, rows[1].mean_rate_bps()), (500_000, 500_000.0));
    }
}
