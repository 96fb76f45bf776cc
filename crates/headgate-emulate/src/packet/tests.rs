use super::*;
use etherparse::{Ipv4HeaderSlice, PacketBuilder};
use headgate_model::chance::Stream;

fn udp(source: [u8; 4], ecn: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let builder = PacketBuilder::ipv4(source, [10, 72, 0, 2], 64).udp(1000, 443);
    builder.write(&mut bytes, &[7; 100]).expect("a packet");
    bytes[1] = ecn;
    bytes[10..12].fill(0);
    let header = Ipv4HeaderSlice::from_slice(&bytes).expect("a header").to_header();
    bytes[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
    bytes
}

fn sum_is_right(bytes: &[u8]) -> bool {
    let header = Ipv4HeaderSlice::from_slice(bytes).expect("a header").to_header();
    header.header_checksum == header.calc_header_checksum()
}

#[test]
fn a_datagram_is_read() {
    let seen = parse(&udp([10, 72, 0, 1], 2)).expect("a packet");
    let key = FlowKey {
        source: [10, 72, 0, 1].into(),
        destination: [10, 72, 0, 2].into(),
        protocol: 17,
        ports: [1000, 443],
    };
    assert_eq!(seen, PacketSummary { key, size_bytes: 128, payload_bytes: 100, ecn: Ecn::Ect0 });
}

#[test]
fn ports_of_ipv6_are_behind_its_extensions() {
    let mut bytes = Vec::new();
    let (from, to) = ([0xfd; 16], [0xfe; 16]);
    PacketBuilder::ipv6(from, to, 64).tcp(80, 81, 1, 2).write(&mut bytes, &[0; 9]).expect("a packet");
    // a hop-by-hop header of 8 B with padding is inserted
    let mut extended = bytes[..40].to_vec();
    extended[4..6].copy_from_slice(&(20u16 + 9 + 8).to_be_bytes());
    extended[6] = 0;
    extended.extend([6, 0, 1, 4, 0, 0, 0, 0]);
    extended.extend(&bytes[40..]);
    for bytes in [bytes, extended] {
        let seen = parse(&bytes).expect("a packet");
        assert_eq!((seen.key.protocol, seen.key.ports, seen.payload_bytes), (6, [80, 81], 9));
    }
}

#[test]
fn a_new_field_keeps_the_checksum_right() {
    for last in 0..=255 {
        for (class, ecn) in [0, 1, 2, 3, 0x9e, 0xfd].into_iter().flat_map(|c| Ecn::ALL.map(|ecn| (c, ecn))) {
            let mut bytes = udp([10, 72, last, 1], class);
            assert!(sum_is_right(&bytes));
            set_ecn(&mut bytes, ecn);
            assert!(sum_is_right(&bytes) && parse(&bytes).expect("a packet").ecn == ecn, "{last} {class}");
            assert_eq!(bytes[1], class & !3 | ecn.bits());
        }
    }
}

#[test]
fn a_mark_of_ipv6_is_in_the_traffic_class() {
    let mut bytes = Vec::new();
    PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(1, 2).write(&mut bytes, &[0; 9]).expect("a packet");
    bytes[1] |= 2 << 4;
    let before = bytes.clone();
    assert!(parse(&bytes).is_some_and(|seen| seen.ecn == Ecn::Ect0));
    for ecn in Ecn::ALL {
        set_ecn(&mut bytes, ecn);
        assert!(parse(&bytes).is_some_and(|seen| seen.ecn == ecn));
    }
    set_ecn(&mut bytes, Ecn::Ect0);
    assert_eq!(bytes, before);
}

#[test]
fn what_is_no_whole_packet_is_none() {
    let whole = udp([1, 2, 3, 4], 0);
    for cut in 0..whole.len() {
        assert_eq!(parse(&whole[..cut]), None, "{cut}");
    }
    assert!(parse(&[&whole[..], &[1, 2, 3]].concat()).is_some_and(|seen| seen.size_bytes == 128));
    for version in [0, 1, 5, 7, 15] {
        let mut other = whole.clone();
        other[0] = version << 4 | 5;
        assert_eq!(parse(&other), None);
    }
}

#[test]
fn later_fragments_have_no_ports() {
    let mut bytes = udp([1, 2, 3, 4], 0);
    bytes[7] = 9; // fragment offset 72 B
    let seen = parse(&bytes).expect("a packet");
    assert_eq!((seen.key.ports, seen.payload_bytes), ([0, 0], 108));
}

/// Packets that are mutated: both versions, options and extensions, fragments, protocols with and without
/// ports.
fn seeds() -> Vec<Vec<u8>> {
    let four = || PacketBuilder::ipv4([10, 72, 0, 1], [10, 72, 0, 2], 64);
    let six = || PacketBuilder::ipv6([0xfd; 16], [0xfe; 16], 64);
    let mut packets = vec![Vec::new(); 4];
    four().tcp(80, 4000, 1, 2).write(&mut packets[0], &[1; 300]).expect("a packet");
    four().icmpv4_echo_request(1, 2).write(&mut packets[1], &[2; 56]).expect("a packet");
    six().tcp(80, 4000, 1, 2).write(&mut packets[2], &[3; 300]).expect("a packet");
    six().udp(1, 443).write(&mut packets[3], &[4; 40]).expect("a packet");
    let mut fragment = udp([10, 72, 0, 1], 2);
    fragment[6] = 0x20; // more of them follow
    let mut optional = udp([10, 72, 0, 1], 2);
    optional.splice(20..20, [7, 7, 4, 0, 0, 0, 0, 0]); // record route
    (optional[0], optional[3]) = (0x47, optional.len() as u8);
    let extended = |kind: u8, header: [u8; 8]| {
        let mut packet = packets[3].clone();
        let next = std::mem::replace(&mut packet[6], kind);
        packet[5] += 8;
        packet.splice(
            40..40,
            header.into_iter().enumerate().map(|(at, byte)| if at == 0 { next } else { byte }),
        );
        packet
    };
    let hop_by_hop = extended(0, [0, 0, 1, 4, 0, 0, 0, 0]);
    let fragment_of_six = extended(44, [0, 0, 0, 1, 0, 0, 0, 7]);
    packets.extend([udp([10, 72, 0, 1], 2), fragment, optional, hop_by_hop, fragment_of_six]);
    packets
}

fn mutate(bytes: &mut Vec<u8>, stream: &mut Stream) {
    const WORTH: [u8; 9] = [0, 1, 0x45, 0x46, 0x4f, 0x60, 0x7f, 0x80, 0xff];
    for _ in 0..=stream.below(6) {
        // headers more often than the bytes behind them
        let within = if stream.below(4) > 0 { 60.min(bytes.len()) } else { bytes.len() };
        let at = stream.below(within.max(1) as u64) as usize;
        match (stream.below(6), bytes.get_mut(at)) {
            (0, Some(byte)) => *byte ^= 1 << stream.below(8),
            (1, Some(byte)) => *byte = stream.below(256) as u8,
            (2, Some(byte)) => *byte = WORTH[stream.below(9) as usize],
            (3, _) => bytes.truncate(at),
            (4, _) => bytes.insert(at.min(bytes.len()), stream.below(256) as u8),
            _ => bytes.extend((0..stream.below(40)).map(|_| 0)),
        }
    }
}

/// Each mutant is read or rejected, and a new ECN field changes only the intended bytes.
fn try_mutants(count: usize, seed: u64) {
    let (seeds, mut stream, mut read) = (seeds(), Stream::new(seed, "hostile packets", 0), 0);
    for number in 0..count {
        let mut bytes = seeds[number % seeds.len()].clone();
        mutate(&mut bytes, &mut stream);
        let Some(seen) = parse(&bytes) else { continue };
        read += 1;
        assert!(usize::from(seen.size_bytes) <= bytes.len() && seen.payload_bytes <= seen.size_bytes);
        let before = bytes.clone();
        let ecn = Ecn::ALL[number % 4];
        set_ecn(&mut bytes, ecn);
        assert!(parse(&bytes).is_some_and(|after| after.ecn == ecn && after.key == seen.key));
        let changed: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != before[at]).collect();
        assert!(changed.iter().all(|at| [1, 10, 11].contains(at)), "{changed:?}");
    }
    assert!(read > count / 10 && read < count, "{read} of {count} were read");
}

#[test]
fn seeds_are_packets() {
    assert!(seeds().iter().all(|packet| parse(packet).is_some()));
}

#[test]
fn mutants_are_read_or_refused() {
    try_mutants(200_000, 1);
}

#[test]
#[ignore = "five million of them: `make validate`"]
fn many_mutants_are_read_or_refused() {
    try_mutants(5_000_000, 2);
}
