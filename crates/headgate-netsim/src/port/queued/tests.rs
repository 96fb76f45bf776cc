use super::*;
use crate::packets::address::AddressSplit;
use crate::packets::index::Address;
use crate::packets::packet::CommonFields;
use crate::packets::side_table::SideTable;
use crate::port::loss::Loss;
use crate::port::outages::Outages;
use crate::port::rates::Rates;
use crate::record::Counters;
use headgate_algos::control::AnyController;
use headgate_algos::queue::AnyQueue;
use headgate_model::params::Param;
use headgate_model::plan::Buffer;
use headgate_model::plan::Link;
use headgate_model::queue::Queues;
use headgate_model::units::SECOND;
use headgate_tcp::Flags;
use headgate_tcp::context::DataSegment;

/// A discipline at 1 Gbit/s (1500 B take 12 us); packets of these numbers are lost.
fn empty(name: &str, buffer: Buffer, lost: &[u64]) -> QueuedPort<AnyController> {
    changed(name, &[], buffer, lost)
}

/// The same with some values changed.
fn changed(name: &str, changes: &[(&str, f64)], buffer: Buffer, lost: &[u64]) -> QueuedPort<AnyController> {
    let index = AnyQueue::cards().iter().position(|card| card.name == name).expect("a discipline");
    let value = |param: &Param| {
        let change = changes.iter().find(|(name, _)| *name == param.name);
        change.map_or(param.default, |(_, value)| *value)
    };
    let values: Vec<_> = AnyQueue::cards()[index].params.iter().map(value).collect();
    let link = Link { lose: lost.to_vec(), ..Link::default() };
    let loss = Loss::new(&link, Stream::new(1, "loss", 0));
    let wire = Wire::new(5, &[], Vec::new(), loss);
    let beside = BuiltDevices { wire, ingress: Vec::new(), router: None };
    let line = Line::at_rates(Rates::new(1_000_000_000, &[]), Outages::new(&[]));
    let queue = AnyQueue::build(index, &values, 1.25e8);
    QueuedPort::new(buffer, line, Some(queue), beside, Stream::new(1, "queue", 0))
}

/// CoDel's port, at which this number of packets arrived at once.
fn with(packets: u32, buffer: Buffer, lost: &[u64]) -> QueuedPort<AnyController> {
    let mut port = empty("codel", buffer, lost);
    let common = CommonFields { size: 1500, ..CommonFields::default() };
    let packet = Packet::ack(common, Flags::NONE, 0, 0, None);
    at_port(|ctx| (0..packets).for_each(|_| port.arrive(0, &packet, ctx)));
    port
}

fn at_port(work: impl FnOnce(&mut PortContext)) {
    let (counters, side_table, leaving) =
        (&mut Counters::default(), &mut SideTable::default(), &mut Vec::new());
    work(&mut PortContext {
        counters,
        side_table,
        outgoing: leaving,
        occupancy: &mut PortOccupancy { packets: 100, ..PortOccupancy::default() },
        split: AddressSplit::for_routers(2),
        trace: None,
    });
}

#[test]
fn a_discipline_sees_what_is_held_and_the_rest_of_the_packet_in_service() {
    let mut port = with(3, Buffer::Infinite, &[]);
    let seen = port.backlog(6_000_000); // half of the first has been sent
    assert_eq!((seen.packets, seen.present, seen.held_bytes), (2.0, 3.0, 3000.0));
    assert!((seen.bytes - 3750.0).abs() < 1e-6 && (seen.wait_s - 30e-6).abs() < 1e-15);
    assert_eq!((seen.now_s, seen.idle_s, seen.rate_bytes_s), (6e-6, 0.0, 1.25e8));
    at_port(|ctx| port.catch_up(40_000_000, ctx));
    let seen = port.backlog(40_000_000);
    assert_eq!((seen.packets, seen.present, seen.bytes, seen.wait_s), (0.0, 0.0, 0.0, 0.0));
    assert!((seen.idle_s - 4e-6).abs() < 1e-15);
}

#[test]
fn the_buffer_counts_what_waits() {
    for (buffer, held) in [(Buffer::Packets(2), 2), (Buffer::Bytes(3000), 3), (Buffer::Infinite, 9)] {
        let mut port = with(10, buffer, &[]);
        let row = port.row(0);
        // one in service; bytes are admitted up to the first that exceeds the limit
        assert_eq!(
            (port.queue(), row.tally.max_queue, row.tally.drops),
            (held, held as u64, 9 - held as u64)
        );
    }
}

#[test]
fn acks_leave_first_and_the_buffer_counts_them_with_the_data() {
    let mut port = empty("ack-priority", Buffer::Packets(3), &[]);
    let common = |address| CommonFields { size: 1500, address: Address(address), ..CommonFields::default() };
    let segment = DataSegment { seq: 0, stamp: 0, flags: Flags::NONE };
    let mut left = Vec::new();
    let mut held = PortOccupancy::default();
    let (counters, side_table) = (&mut Counters::default(), &mut SideTable::default());
    let mut ctx = PortContext {
        counters,
        side_table,
        outgoing: &mut left,
        occupancy: &mut held,
        split: AddressSplit::default(),
        trace: None,
    };
    // the first is in service; three wait, and there is room for no more, whether data or ACK
    for (name, data) in [(0, true), (1, true), (2, false), (3, true), (4, false), (5, true)] {
        let packet = match data {
            true => Packet::data(common(name), segment, Address(0)),
            false => Packet::ack(common(name), Flags::NONE, 0, 0, None),
        };
        port.arrive(0, &packet, &mut ctx);
    }
    assert_eq!((port.queue(), port.row(0).tally.drops), (3, 2));
    port.catch_up(SECOND, &mut ctx);
    let order: Vec<_> = left.iter().map(|(_, packet)| packet.address.0).collect();
    assert_eq!(order, [0, 2, 1, 3]);
}

#[test]
fn a_packet_is_lost_when_it_has_left() {
    let mut port = with(2, Buffer::Infinite, &[1]);
    assert_eq!([0, 11_999_999, 12_000_000].map(|now| port.row(now).tally.lost), [0, 0, 1]);
}

#[test]
fn packets_wait_for_the_shaper_though_the_line_is_free() {
    // 1500 B take 12 us on the line, and 100 us at the shaper's 15 MB/s
    let mut port = changed("cake", &[("bandwidth_bytes_s", 1.5e7)], Buffer::Infinite, &[]);
    let common = CommonFields { size: 1500, ..CommonFields::default() };
    let packet = Packet::ack(common, Flags::NONE, 0, 0, None);
    let us = SECOND / 1_000_000;
    at_port(|ctx| {
        (0..3).for_each(|_| port.arrive(0, &packet, ctx));
        assert_eq!((port.queue(), port.next_departure()), (2, 100 * us));
        port.arrive(150 * us, &packet, ctx);
        assert_eq!((port.queue(), port.next_departure()), (2, 200 * us));
        port.catch_up(SECOND, ctx);
        let left: Vec<_> = ctx.outgoing.iter().map(|(time, _)| *time).collect();
        assert_eq!(left, [0, 100, 200, 300].map(|at| (at + 12) * us + 5));
        ctx.outgoing.clear();
        port.arrive(SECOND, &packet, ctx);
        assert_eq!((port.queue(), ctx.outgoing[0].0), (0, SECOND + 12 * us + 5));
    });
    assert_eq!(port.row(SECOND).tally.max_queue, 2);
}
