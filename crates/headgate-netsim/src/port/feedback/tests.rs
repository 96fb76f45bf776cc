use super::*;
use crate::packets::address::AddressSplit;
use crate::packets::packet::CommonFields;
use crate::packets::side_table::SideTable;
use crate::port::PortOccupancy;
use crate::port::sample_link;
use crate::record::Counters;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::chance::Stream;
use headgate_tcp::Flags;

type Port = FeedbackPort<AnyQueue, AnyRouter>;

/// RCP at 1 Gbit/s, to which that many packets came at once.
fn with(packets: u32) -> Port {
    let index = AnyRouter::cards().iter().position(|card| card.name == "rcp").expect("a router");
    let values: Vec<_> = AnyRouter::cards()[index].params.iter().map(|param| param.default).collect();
    let router = AnyRouter::build(index, &values, 1.25e8, Stream::new(1, "feedback", 0));
    let mut port = Port::new(AnalyticPort::new(&sample_link(1_000_000_000, 5), None), router);
    let packet = Packet::ack(CommonFields { size: 1500, ..CommonFields::default() }, Flags::NONE, 0, 0, None);
    let mut ctx = PortContext {
        counters: &mut Counters::default(),
        side_table: &mut SideTable::default(),
        outgoing: &mut Vec::new(),
        occupancy: &mut PortOccupancy { packets: usize::MAX / 2, ..PortOccupancy::default() },
        split: AddressSplit::default(),
        trace: None,
    };
    (0..packets).for_each(|_| {
        port.offer(&mut packet.clone(), &mut ctx);
    });
    port
}

#[test]
fn its_memory_is_its_fields_those_of_its_line_and_what_waits() {
    let (empty, full) = (with(0), with(1000));
    let fields = size_of::<Port>() - size_of::<AnalyticPort<AnyQueue>>();
    assert_eq!(empty.bytes(), fields + empty.analytic.bytes());
    assert_eq!(full.pending.len(), 999); // the first is in service
    let waiting = full.pending.capacity() * size_of::<Transmission>();
    assert!(waiting >= 999 * size_of::<Transmission>());
    assert_eq!(full.bytes(), fields + full.analytic.bytes() + waiting);
}
