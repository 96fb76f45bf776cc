use headgate_tcp::Feedback;

use super::*;
use crate::packets::address::AddressSplit;
use crate::packets::index::RouterIndex;

const COMMON: CommonFields =
    CommonFields { time: 5, address: Address(6), host: HostIndex(7), size: 40, generation: 8 };

#[test]
fn fields_are_read_back_as_written() {
    let home = (HostIndex::INLINE, 3);
    for (tries, ecn) in (0..4).zip(Ecn::ALL) {
        let ask =
            [Feedback::None, Feedback::Classic, Feedback::Exact, Feedback::Accurate][usize::from(tries)];
        let flags = ask.request().with_ecn(ecn);
        let request = Syn { segments: 9, flags, tries };
        let syn = Packet::syn(COMMON, request, Address(10), home);
        assert_eq!((syn.kind(), syn.request(), syn.sender()), (PacketKind::Syn, request, Address(10)));
        assert_eq!((syn.segments(), syn.origin(), syn.ecn()), (9, home, ecn));
        let flags = ask.grant(ecn).with_ecn(ecn);
        let answer = SynAck { tries, flags };
        let syn_ack = Packet::syn_ack(COMMON, Address(11), answer);
        assert_eq!((syn_ack.kind(), syn_ack.receiver()), (PacketKind::SynAck, Address(11)));
        assert_eq!((syn_ack.answer(), syn_ack.ecn()), (answer, ecn));
    }
    let segment = DataSegment { seq: 12, stamp: 13, flags: Flags::ECT1 };
    let data = Packet::data(COMMON, segment, Address(14));
    assert_eq!((data.segment(), data.sender(), data.ecn()), (segment, Address(14), Ecn::Ect1));
    let ack = Packet::ack(COMMON, Flags::NONE, 15, 16, Some(17));
    assert_eq!((ack.ack_number(), ack.echoed_timestamp(), ack.sack_record()), (15, 16, Some(17)));
    assert_eq!(Packet::ack(COMMON, Flags::NONE, 15, 16, None).sack_record(), None);
}

#[test]
fn the_ace_field_of_an_ack_leaves_its_options_alone() {
    for (ace, record) in (0..8).flat_map(|ace| [None, Some(0), Some(17)].map(|record| (ace, record))) {
        let flags = Flags::ace(ace).with_ecn(Ecn::Ect1);
        let mut ack = Packet::ack(COMMON, flags, 15, 16, record);
        assert_eq!((ack.flags(), ack.ack_flags(), ack.sack_record()), (flags, flags, record));
        ack.set_sack_record(Some(18));
        assert_eq!((ack.flags(), ack.sack_record(), ack.header()), (flags, Some(18), None));
        let word = ack.put_header(5);
        assert_eq!((ack.header(), ack.sack_record().is_some()), (Some(5), true));
        ack.take_header(word);
        assert_eq!((ack.flags(), ack.sack_record()), (flags, Some(18)));
    }
}

#[test]
fn the_ecn_field_changes_nothing_else() {
    let flags = Flags::ECHO.with(Flags::REDUCED, true);
    let mut packet = Packet::data(COMMON, DataSegment { seq: 1, stamp: 2, flags }, Address(3));
    packet.follow(true);
    for ecn in Ecn::ALL {
        packet.set_ecn(ecn);
        assert_eq!((packet.ecn(), packet.flags(), packet.arrival().ecn), (ecn, flags.with_ecn(ecn), ecn));
        assert!(packet.is_data() && packet.is_followed());
        let mut marked = packet;
        marked.mark(false);
        assert_eq!(marked.ecn(), ecn);
        marked.mark(true);
        assert_eq!((marked.ecn(), marked.flags()), (Ecn::Ce, flags.with_ecn(Ecn::Ce)));
    }
}

#[test]
fn hosts_are_told_apart_as_far_as_packets_name_them() {
    let split = AddressSplit::for_routers(4);
    let address = |router, slot| split.join(RouterIndex(router), slot);
    let hosts = |router, slot, host, forward: bool| {
        let common = CommonFields { address: address(router, slot), host, ..COMMON };
        let segment = DataSegment { seq: 1, stamp: 2, flags: Flags::NONE };
        let data = Packet::data(common, segment, address(1, slot));
        if forward { data } else { Packet::ack(common, Flags::NONE, 3, 4, None) }.hosts(split)
    };
    // on a router all endpoints are one host; the source of an ACK is not known
    let [one, other] = [5, 6].map(|slot| hosts(2, slot, HostIndex::INLINE, true));
    assert_eq!(one, other);
    assert_ne!(one.destination, hosts(3, 5, HostIndex::INLINE, true).destination);
    assert_eq!(hosts(1, 5, HostIndex::INLINE, false).destination, one.source);
    assert_ne!(hosts(1, 5, HostIndex::INLINE, false).source, hosts(1, 6, HostIndex::INLINE, false).source);
    // behind host links, the receiver's host is known, and each sender is a host
    let [one, other] = [5, 6].map(|slot| hosts(2, slot, HostIndex(7), true));
    assert!(one.destination == other.destination && one.source != other.source);
    assert_ne!(one.destination, hosts(2, 5, HostIndex(8), true).destination);
}

#[test]
fn a_header_replaces_a_word_until_it_is_detached() {
    let segment = DataSegment { seq: 1, stamp: 2, flags: Flags::ECT0 };
    let mut packet = Packet::data(COMMON, segment, Address(3));
    let word = packet.put_header(4);
    packet.mark(true);
    assert_eq!((packet.header(), packet.flags()), (Some(4), Flags::CE));
    packet.take_header(word);
    assert_eq!(packet.header(), None);
    assert_eq!(packet.segment(), DataSegment { flags: Flags::CE, ..segment });
}
