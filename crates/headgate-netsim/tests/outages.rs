//! Outages of a single port, packet by packet, against a second program and by hand.

use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_model::chance::Stream;
use headgate_model::plan::{Buffer, Link, Outage, OutageFlight, OutageQueue};
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
const DELAY: Time = 3 * MS;
/// At 10 Mbit/s.
const PS_PER_BYTE: Time = 800_000;
const BUFFER: usize = 30;
const LATER: Time = 1000 * SECOND;

/// A packet that arrives: time and size.
type Arriving = (Time, u16);

/// The end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The last bit leaves, and the packet arrives.
    Left(Time),
    /// It left, and an outage loses it on the wire.
    LostOnWire,
    DroppedByOutage,
    NoRoom,
}

/// The second program. It stores no queue: it computes each packet's end from those of earlier ones.
fn second_program(arrivals: &[Arriving], outages: &[Outage]) -> Vec<End> {
    let (mut free_at, mut gone): (Time, Vec<Time>) = (0, Vec::new());
    let is_down = |now: Time| outages.iter().find(|span| (span.at_ps..span.until_ps).contains(&now));
    let mut end_of = |&(now, size): &Arriving| {
        if is_down(now).is_some_and(|span| span.queue == OutageQueue::Drop) {
            return End::DroppedByOutage;
        }
        if gone.iter().filter(|&&time| time > now).count() > BUFFER {
            return End::NoRoom;
        }
        let mut time = free_at.max(now);
        let mut rest = u64::from(size) * PS_PER_BYTE;
        for span in outages.iter().filter(|span| span.until_ps > now) {
            if time + rest <= span.at_ps && rest > 0 {
                break;
            }
            if span.queue == OutageQueue::Drop && span.at_ps > now {
                gone.push(span.at_ps);
                free_at = span.at_ps;
                return End::DroppedByOutage;
            }
            rest -= span.at_ps.saturating_sub(time).min(rest);
            time = time.max(span.until_ps);
        }
        free_at = time + rest;
        gone.push(free_at);
        let on_wire = |span: &&Outage| free_at <= span.at_ps && span.at_ps < free_at + DELAY;
        let is_cut = outages.iter().filter(on_wire).any(|span| span.in_flight == OutageFlight::Lose);
        if is_cut { End::LostOnWire } else { End::Left(free_at) }
    };
    arrivals.iter().map(&mut end_of).collect()
}

/// Sends the packets through a port. Returns the arrival times at the other end by packet, and the counts at `looks`.
fn through_port(
    queue: Option<&str>,
    arrivals: &[Arriving],
    outages: &[Outage],
    looks: &[Time],
) -> (Vec<Option<Time>>, Vec<PortRow>) {
    let link = Link {
        name: "link".into(),
        to: 1,
        rate_bps: 10_000_000,
        delay_ps: DELAY,
        buffer: Buffer::Packets(BUFFER as u64),
        outages: outages.to_vec(),
        ..Link::default()
    };
    let devices = PortDevices { queue: queue.map(discipline), ..PortDevices::default() };
    let Port::Queued(mut port) = Port::<AnyController>::new(&link, &devices, &Arrays::new(), 1) else {
        panic!("a port that stores packets")
    };
    let (mut counters, mut side_table) = (Counters::default(), SideTable::default());
    let (mut outgoing, mut occupancy) = (Vec::new(), PortOccupancy::default());
    let mut ctx = PortContext {
        counters: &mut counters,
        side_table: &mut side_table,
        outgoing: &mut outgoing,
        occupancy: &mut occupancy,
        split: AddressSplit::default(),
        trace: None,
    };
    let mut coming = arrivals.iter().zip(0..).peekable();
    let mut rows = Vec::new();
    for &look in looks.iter().chain([&LATER]) {
        while let Some((&(now, size), seq)) = coming.next_if(|((now, _), _)| *now < look) {
            let segment = DataSegment { seq, stamp: 0, flags: Flags::NONE };
            port.arrive(
                now,
                &Packet::data(CommonFields { size, ..CommonFields::default() }, segment, Address(0)),
                &mut ctx,
            );
        }
        port.catch_up(look, &mut ctx);
        rows.push(port.row(look));
    }
    let mut arrived = vec![None; arrivals.len()];
    outgoing.iter().for_each(|(time, packet)| arrived[packet.segment().seq as usize] = Some(*time));
    (arrived, rows)
}

fn discipline(name: &str) -> ResolvedDevice {
    let index = AnyQueue::cards().iter().position(|card| card.name == name).expect("a discipline");
    ResolvedDevice {
        index,
        values: AnyQueue::cards()[index].params.iter().map(|param| param.default).collect(),
    }
}

/// Packets at 0.9 times the rate of the line, some of them at the instants at which outages begin or end.
fn random_arrivals(outages: &[Outage], chance: &mut Stream) -> Vec<Arriving> {
    let mut now = 0;
    let mut times: Vec<Time> = (0..3000)
        .map(|_| {
            now += (chance.exponential(0.68e-3) * 1e12) as Time;
            now
        })
        .collect();
    times.extend(outages.iter().flat_map(|span| [span.at_ps, span.until_ps, span.until_ps - 1]));
    times.sort_unstable();
    times.into_iter().map(|time| (time, 40 + chance.below(1461) as u16)).collect()
}

fn random_outages(chance: &mut Stream) -> Vec<Outage> {
    let mut until_ps = 0;
    let outage = |_| {
        let at_ps = until_ps + [0, 7 * MS, 100 * MS][chance.below(3) as usize] + chance.below(40 * MS);
        let most = [MS / 10, 5 * MS, 60 * MS][chance.below(3) as usize];
        until_ps = at_ps + 1 + chance.below(most);
        let queue = [OutageQueue::Drop, OutageQueue::Keep][chance.below(2) as usize];
        let in_flight = [OutageFlight::Deliver, OutageFlight::Lose][chance.below(2) as usize];
        Outage { at_ps, until_ps, queue, in_flight }
    };
    (0..20).map(outage).collect()
}

#[test]
fn each_packet_ends_as_in_the_second_program() {
    let mut seen = [0; 4];
    for seed in 0..100 {
        let mut chance = Stream::new(seed, "outages", 0);
        let outages = random_outages(&mut chance);
        let arrivals = random_arrivals(&outages, &mut chance);
        let ends = second_program(&arrivals, &outages);
        let (arrived, rows) = through_port(None, &arrivals, &outages, &[]);
        for ((end, arrives), arrival) in ends.iter().zip(&arrived).zip(&arrivals) {
            let expected = if let End::Left(leaves) = end { Some(leaves + DELAY) } else { None };
            assert_eq!(*arrives, expected, "seed {seed}, packet {arrival:?}: {end:?}");
        }
        let count = |is: fn(&End) -> bool| ends.iter().filter(|end| is(end)).count() as u64;
        let by_outage = count(|end| *end == End::DroppedByOutage);
        let (cut, no_room) = (count(|end| *end == End::LostOnWire), count(|end| *end == End::NoRoom));
        let row = rows[0];
        assert_eq!((row.tally.drops, row.tally.lost), (by_outage + no_room, cut), "seed {seed}");
        assert_eq!(row.sent.outage_losses, by_outage + cut, "seed {seed}");
        assert_eq!(row.sent.down, outages.iter().map(|span| span.until_ps - span.at_ps).sum::<Time>());
        for (seen, now) in seen.iter_mut().zip([by_outage, cut, no_room, row.sent.departures]) {
            *seen += now;
        }
    }
    assert!(seen.iter().all(|&many| many > 1000), "{seen:?}");
}

/// Under every discipline, at random times: packets and bytes are conserved, the link sends no more than it could, and
/// losses by outages are among the drops and losses.
#[test]
fn counts_are_conserved_at_any_time() {
    let disciplines = AnyQueue::cards().iter().map(|card| Some(card.name)).chain([None]);
    for (queue, seed) in disciplines.zip(0..) {
        let mut chance = Stream::new(seed, "conservation", 0);
        let outages = random_outages(&mut chance);
        let arrivals = random_arrivals(&outages, &mut chance);
        let mut looks: Vec<Time> = (0..200).map(|_| chance.below(2 * SECOND)).collect();
        looks.extend(outages.iter().flat_map(|span| [span.at_ps, span.at_ps + 1, span.until_ps]));
        looks.sort_unstable();
        let (arrived, rows) = through_port(queue, &arrivals, &outages, &looks);
        let mut before = PortRow::default();
        for (row, look) in rows.iter().zip(looks.iter().chain([&LATER])) {
            let (tally, sent) = (row.tally, row.sent);
            assert!(tally.arrivals >= tally.drops + sent.departures, "{queue:?} at {look}");
            assert!(
                u128::from(sent.sent_bytes) * 8 * u128::from(SECOND) <= sent.capacity,
                "{queue:?} at {look}"
            );
            assert!(sent.sent_bytes >= before.sent.sent_bytes && sent.departures >= before.sent.departures);
            assert!(sent.outage_losses <= tally.drops + tally.lost, "{queue:?} at {look}");
            assert!(sent.outage_losses >= before.sent.outage_losses, "{queue:?} at {look}");
            before = *row;
        }
        let delivered = arrived.iter().flatten().count() as u64;
        assert_eq!(before.tally.arrivals, before.tally.drops + before.tally.lost + delivered, "{queue:?}");
    }
}

/// Packets of 1500 B, which take 1.2 ms each, arrive at 0, 1, 2, 3 ms. The link is down from 3 to 10 ms.
#[test]
fn four_packets_by_hand() {
    let arrivals = [0, 1, 2, 3].map(|n| (n * MS, 1500));
    let ends = |queue, in_flight| {
        let outage = Outage { at_ps: 3 * MS, until_ps: 10 * MS, queue, in_flight };
        through_port(None, &arrivals, &[outage], &[]).0
    };
    let at = |us: u64| Some(us * (MS / 1000) + DELAY);
    // Two leave at 1.2 and 2.4 ms. The third has sent 0.6 ms of 1.2 ms, and the fourth arrives during the outage.
    let keep = ends(OutageQueue::Keep, OutageFlight::Deliver);
    assert_eq!(keep, [at(1200), at(2400), at(10_600), at(11_800)]);
    let drop = ends(OutageQueue::Drop, OutageFlight::Deliver);
    assert_eq!(drop, [at(1200), at(2400), None, None]);
    // Both packets on the wire would arrive at 4.2 and 5.4 ms.
    assert_eq!(ends(OutageQueue::Drop, OutageFlight::Lose), [None; 4]);
    assert_eq!(ends(OutageQueue::Keep, OutageFlight::Lose), [None, None, at(10_600), at(11_800)]);
}
