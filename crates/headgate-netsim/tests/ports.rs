//! Every discipline of the registry at a single port: each packet that arrives leaves, is dropped, or is present.

use std::collections::BTreeSet;

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_model::feedback::Routers;
use headgate_model::params::Card;
use headgate_model::plan::{Buffer, Link};
use headgate_model::queue::Queues;
use headgate_model::units::{SECOND, Time};
use headgate_netsim::devices::{Arrays, PortDevices, ResolvedDevice};
use headgate_netsim::packets::address::AddressSplit;
use headgate_netsim::packets::index::Address;
use headgate_netsim::packets::packet::{CommonFields, Packet};
use headgate_netsim::packets::side_table::SideTable;
use headgate_netsim::port::context::PortContext;
use headgate_netsim::port::{Fate, Port, PortOccupancy};
use headgate_netsim::record::{Counters, PortRow};
use headgate_tcp::Flags;
use headgate_tcp::context::DataSegment;

const DELAY: Time = 3_000_000;

/// Long enough for all waiting packets to leave.
const LATER: Time = 1000 * SECOND;

/// The devices of a port, by their indices in the registries.
#[derive(Clone, Copy)]
struct Fit {
    queue: Option<usize>,
    router: Option<usize>,
    buffer: Buffer,
}

fn port(fit: Fit) -> Port<AnyController> {
    let (name, loss) = ("link".to_string(), 0.0);
    let link = Link {
        name,
        from: 0,
        to: 1,
        rate_bps: 10_000_000,
        delay_ps: DELAY,
        buffer: fit.buffer,
        loss,
        ..Link::default()
    };
    let choice = |cards: &[&Card], index: usize| {
        let values = cards[index].params.iter().map(|param| param.default).collect();
        ResolvedDevice { index, values }
    };
    let queue = fit.queue.map(|index| choice(AnyQueue::cards(), index));
    let feedback = fit.router.map(|index| choice(AnyRouter::cards(), index));
    Port::new(&link, &PortDevices { queue, feedback, ..PortDevices::default() }, &Arrays::new(), 7)
}

/// Packets of 40 to 1500 B from twenty flows, at 1.3 times the rate of the line, with pauses.
fn arrivals(seed: u64) -> Vec<(Time, Packet)> {
    let mut chance = Stream::new(seed, "arrivals", 0);
    let mut now = 0;
    (0..20_000)
        .map(|seq| {
            now += (chance.exponential(0.47e-3) * 1e12) as Time;
            if chance.chance(0.001) {
                now += SECOND / 2;
            }
            let flags = if chance.chance(0.5) { Flags::ECT0 } else { Flags::NONE };
            let size = 40 + chance.below(1461) as u16;
            let segment = DataSegment { seq, stamp: 0, flags };
            (
                now,
                Packet::data(
                    CommonFields { size, ..CommonFields::default() },
                    segment,
                    Address(chance.below(20) as u32),
                ),
            )
        })
        .collect()
}

/// The output of a port: packets with their departure times.
struct Seen {
    left: Vec<(Time, Packet)>,
    rows: [PortRow; 2],
    waiting: [usize; 2],
    last: Time,
    digest: u64,
    /// Bytes that left and packets that were dropped, as the port reports them.
    passed: (u64, u64),
    /// Growth of the port's memory, bytes.
    grown: usize,
}

impl Seen {
    fn of(fit: Fit, seed: u64) -> Self {
        Self::looked_at(fit, seed, None)
    }

    /// Reads the queue length this long before each arrival.
    fn looked_at(fit: Fit, seed: u64, before: Option<Time>) -> Self {
        let (mut port, mut left) = (port(fit), Vec::new());
        let (mut counters, mut side_table) = (Counters::default(), SideTable::default());
        let mut held = PortOccupancy::default();
        let (mut leaving, fresh) = (Vec::new(), port.bytes());
        let mut ctx = PortContext {
            counters: &mut counters,
            side_table: &mut side_table,
            outgoing: &mut leaving,
            occupancy: &mut held,
            split: AddressSplit::default(),
            trace: None,
        };
        let all = arrivals(seed);
        let last = all.last().expect("packets").0;
        for (now, mut packet) in all {
            if let Some(before) = before {
                port.queue(now.saturating_sub(before));
            }
            match &mut port {
                Port::Analytic(line) => {
                    if let Fate::Arrives(at) = line.offer(now, &mut packet) {
                        left.push((at, packet));
                    }
                }
                Port::Feedback(feedback) => {
                    packet.time = now;
                    feedback.offer(&mut packet, &mut ctx);
                }
                Port::Queued(queued) => queued.arrive(now, &packet, &mut ctx),
            }
        }
        let (rows, waiting) = [last, LATER]
            .map(|now| {
                match &mut port {
                    Port::Analytic(_) => {}
                    Port::Feedback(feedback) => feedback.catch_up(now + 1, &mut ctx),
                    Port::Queued(queued) => queued.catch_up(now + 1, &mut ctx),
                }
                (port.row(now), port.queue(now))
            })
            .into_iter()
            .unzip::<_, _, Vec<_>, Vec<_>>();
        left.append(&mut leaving);
        left.iter_mut().for_each(|(at, _)| *at -= DELAY);
        let (digest, passed, grown) = (port.digest(), port.sent_and_dropped(LATER), port.bytes() - fresh);
        let (rows, waiting) = ([rows[0], rows[1]], [waiting[0], waiting[1]]);
        Self { left, rows, waiting, last, digest, passed, grown }
    }

    fn departed(&self, by: Time) -> u64 {
        self.left.iter().filter(|(at, _)| *at <= by).count() as u64
    }
}

/// Every discipline, and none; with every router, and without.
fn cases() -> impl Iterator<Item = (Fit, String)> {
    let named = |cards: &[&Card], index: Option<usize>| index.map_or("none", |index| cards[index].name);
    all(AnyQueue::cards()).flat_map(move |queue| {
        all(AnyRouter::cards()).flat_map(move |router| {
            [Buffer::Packets(30), Buffer::Bytes(20_000), Buffer::Infinite].map(|buffer| {
                let names = (named(AnyQueue::cards(), queue), named(AnyRouter::cards(), router));
                (Fit { queue, router, buffer }, format!("{names:?}, {buffer:?}"))
            })
        })
    })
}

fn all(cards: &[&Card]) -> impl Iterator<Item = Option<usize>> + use<> {
    (0..cards.len()).map(Some).chain([None])
}

#[test]
fn what_arrives_leaves_or_is_dropped_or_is_here() {
    for (fit, name) in cases() {
        let seen = Seen::of(fit, 3);
        for (row, waiting, now) in
            [(seen.rows[0], seen.waiting[0], seen.last), (seen.rows[1], seen.waiting[1], LATER)]
        {
            let departed = seen.departed(now);
            let here = row.tally.arrivals - row.tally.drops - departed;
            assert_eq!((row.tally.arrivals, row.sent.departures), (20_000, departed), "{name}");
            // one of the present packets is in service
            assert_eq!(waiting as u64, here.saturating_sub(1), "{name}");
        }
        assert_eq!(seen.waiting[1], 0, "{name}");
        let bytes: u64 = seen.left.iter().map(|(_, packet)| u64::from(packet.size)).sum();
        let tally = seen.rows[1].tally;
        assert_eq!(
            (tally.arrived_bytes - tally.dropped_bytes, seen.rows[1].sent.sent_bytes),
            (bytes, bytes),
            "{name}"
        );
        assert_eq!(seen.passed, (bytes, tally.drops), "{name}");
    }
}

#[test]
fn a_packet_leaves_once_and_is_marked_only_if_it_can_be() {
    for (fit, name) in cases() {
        let seen = Seen::of(fit, 4);
        let once: BTreeSet<u32> = seen.left.iter().map(|(_, packet)| packet.segment().seq).collect();
        assert_eq!(once.len(), seen.left.len(), "{name}");
        let marked = seen.left.iter().filter(|(_, packet)| packet.ecn().is_marked());
        assert!(marked.clone().all(|(_, packet)| packet.ecn().is_capable()), "{name}");
        assert_eq!(marked.count() as u64, seen.rows[1].tally.marks, "{name}");
    }
}

#[test]
fn no_two_packets_are_sent_at_once() {
    for (fit, name) in cases() {
        let seen = Seen::of(fit, 5);
        let sizes: u64 = seen.left.iter().map(|(_, packet)| u64::from(packet.size)).sum();
        let mut times: Vec<_> = seen.left.iter().map(|(at, packet)| (*at, packet.size)).collect();
        times.sort_unstable();
        // 0.8 us a byte: between two departures lies at least the service of the second
        assert!(times.windows(2).all(|w| w[1].0 - w[0].0 >= u64::from(w[1].1) * 800_000), "{name}");
        assert_eq!(sizes, seen.rows[1].sent.sent_bytes, "{name}");
    }
}

#[test]
fn the_same_seed_is_the_same_digest() {
    for (fit, name) in cases() {
        let digest = |seed| Seen::of(fit, seed).digest;
        assert_eq!(digest(6), digest(6), "{name}");
        assert_ne!(digest(6), digest(7), "{name}");
    }
}

#[test]
fn looking_changes_nothing() {
    for (fit, name) in cases() {
        let looked_at = Seen::looked_at(fit, 8, Some(1)).digest;
        assert_eq!(looked_at, Seen::of(fit, 8).digest, "{name}");
    }
}

/// Routers write; they neither drop nor delay.
#[test]
fn what_leaves_is_the_same_whether_a_router_speaks_or_not() {
    for (fit, name) in cases() {
        assert_eq!(Seen::of(fit, 9).digest, Seen::of(Fit { router: None, ..fit }, 9).digest, "{name}");
    }
}

#[test]
fn what_waits_takes_memory() {
    for (fit, name) in cases() {
        let seen = Seen::of(fit, 10);
        // a word for a time, 96 bytes for a packet with its metadata; at most twice the capacity that is needed
        let most = seen.rows[1].tally.max_queue as usize;
        assert!((8 * most..=2 * 96 * (most + 16)).contains(&seen.grown), "{name}: {} for {most}", seen.grown);
    }
}

#[test]
fn a_port_shows_its_router_or_else_its_discipline() {
    let named = |cards: &[&Card], name| cards.iter().position(|card| card.name == name);
    let (codel, rcp) = (named(AnyQueue::cards(), "codel"), named(AnyRouter::cards(), "rcp"));
    let gauge = |queue, router| port(Fit { queue, router, buffer: Buffer::Infinite }).gauge();
    // RCP begins with a rate, CoDel without a drop
    assert!(gauge(None, rcp) > 0.0);
    assert_eq!((gauge(codel, rcp), gauge(codel, None)), (gauge(None, rcp), 0.0));
    assert!(gauge(None, None).is_nan());
}
