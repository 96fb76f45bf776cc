//! Kinds of link, VLANs, IPv6 with extension headers, fragments, and other protocols.

use headgate_capture::{Contents, Kind};

use crate::build::{
    CLIENT, ETHERNET, File, MS, RAW, SERVER, Tcp, ethernet, exchange, ipv4, ipv6, only_row, read,
};

/// The exchange in frames that `frame` builds.
fn framed(link: u16, frame: impl Fn(&Tcp) -> Vec<u8>) -> File {
    let mut file = File::pcap(link, false, false);
    for (time_ms, segment) in exchange() {
        let data = frame(&segment);
        file.record((0, time_ms * 1000), &data, data.len());
    }
    file
}

#[test]
fn every_kind_of_link_leads_to_the_same_connection() {
    let tag =
        |kind: u16, vlan: u16, inside: &[u8]| [&kind.to_be_bytes()[..], &vlan.to_be_bytes(), inside].concat();
    let type_and = |inside: Vec<u8>| [&0x0800u16.to_be_bytes()[..], &inside].concat();
    let macs = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    let sll = |segment: &Tcp| {
        let head = [0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0];
        [&head[..], &segment.ipv4()].concat()
    };
    let sll2 = |segment: &Tcp| {
        let head = [8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
        [&head[..], &segment.ipv4()].concat()
    };
    let padded = |segment: &Tcp| {
        let mut made = segment.ethernet();
        made.resize(made.len().max(60), 0xEE);
        made
    };
    let vlan = |segment: &Tcp| [&macs[..], &tag(0x8100, 7, &type_and(segment.ipv4()))].concat();
    let double = |segment: &Tcp| {
        let inner = tag(0x8100, 8, &type_and(segment.ipv4()));
        [&macs[..], &tag(0x88A8, 7, &inner)].concat()
    };
    let files = [
        framed(ETHERNET, |segment| segment.ethernet()),
        framed(ETHERNET, padded),
        framed(ETHERNET, vlan),
        framed(ETHERNET, double),
        framed(RAW, |segment| segment.ipv4()),
        framed(228, |segment| segment.ipv4()),
        framed(0, |segment| [&[2, 0, 0, 0][..], &segment.ipv4()].concat()),
        framed(0, |segment| [&[0, 0, 0, 2][..], &segment.ipv4()].concat()),
        framed(108, |segment| [&[0, 0, 0, 2][..], &segment.ipv4()].concat()),
        framed(113, sll),
        framed(276, sll2),
    ];
    for file in files {
        let row = only_row(&file);
        assert_eq!((row.bytes, row.rtt_ns), ([100, 3000], Some(40 * MS)));
        assert_eq!((row.client.0.to_string(), row.client.1), ("10.0.0.1".into(), 40_000));
        assert_eq!((row.server.0.to_string(), row.server.1), ("192.0.2.7".into(), 443));
    }
}

#[test]
fn ipv6_has_extension_headers() {
    let hop_by_hop = |next: u8| [next, 0, 1, 4, 0, 0, 0, 0];
    let options = |next: u8| [next, 0, 1, 4, 0, 0, 0, 0];
    let whole = |next: u8| [next, 0, 0, 0, 0, 0, 0, 9]; // a fragment that is all (RFC 6946)
    let plain = framed(RAW, |segment| ipv6(segment.from_client, 6, &segment.segment()));
    let extended = framed(RAW, |segment| {
        let inside = [&hop_by_hop(60)[..], &options(44), &whole(6), &segment.segment()].concat();
        ipv6(segment.from_client, 0, &inside)
    });
    let tagged =
        framed(ETHERNET, |segment| ethernet(0x86DD, &ipv6(segment.from_client, 6, &segment.segment())));
    for file in [plain, extended, tagged] {
        let row = only_row(&file);
        assert_eq!((row.bytes, row.rtt_ns), ([100, 3000], Some(40 * MS)));
        assert_eq!(row.client.0.to_string(), "2001:db8::1");
    }
}

#[test]
fn ipv4_may_have_options_or_no_length() {
    let with_options = |segment: &Tcp| {
        let mut made = segment.ipv4();
        made[0] = 0x46;
        let length = (made.len() + 4) as u16;
        made[2..4].copy_from_slice(&length.to_be_bytes());
        made.splice(20..20, [1, 1, 1, 0]);
        made
    };
    assert_eq!(only_row(&framed(RAW, with_options)).bytes, [100, 3000]);
    let without_length = |segment: &Tcp| {
        let mut made = segment.ipv4();
        made[2..4].copy_from_slice(&[0, 0]);
        made
    };
    assert_eq!(only_row(&framed(RAW, without_length)).bytes, [100, 3000]);
}

#[test]
fn a_segment_in_fragments_counts_whole_where_the_next_one_or_the_fin_tells() {
    let mut file = File::pcap(RAW, false, false);
    for (time_ms, segment) in exchange() {
        let inside = segment.segment();
        let [from, to] = segment.ends().map(|(host, _)| host);
        let parts = if segment.bytes == 1500 {
            let (one, other) = inside.split_at(800);
            vec![ipv4(from, to, 6, 0x2000, one), ipv4(from, to, 6, 100, other)]
        } else {
            vec![segment.ipv4()]
        };
        for data in parts {
            file.record((0, time_ms * 1000), &data, data.len());
        }
    }
    let contents = read(&file);
    assert_eq!(contents.rows[0].bytes, [100, 3000]);
    assert_eq!(contents.counts[Kind::Fragment as usize].packets, 2);
}

fn count_one(link: u16, data: &[u8], wire: usize) -> Contents {
    let mut file = File::pcap(link, false, false);
    file.record((0, 0), data, wire);
    let contents = read(&file);
    assert!(contents.rows.is_empty());
    contents
}

#[test]
fn what_is_not_tcp_is_counted_by_its_kind() {
    let (from, to) = (CLIENT.0, SERVER.0);
    let udp =
        |port: u16| [&5000u16.to_be_bytes()[..], &port.to_be_bytes(), &[0, 12, 0, 0, 1, 2, 3, 4]].concat();
    let syn = exchange()[0].1;
    let cases: [(u16, Vec<u8>, Kind); 13] = [
        (RAW, ipv4(from, to, 17, 0, &udp(443)), Kind::Quic),
        (RAW, ipv4(from, to, 17, 0, &udp(53)), Kind::Udp),
        (RAW, ipv6(true, 17, &udp(443)), Kind::Quic),
        (RAW, ipv4(from, to, 1, 0, &[8, 0, 0, 0, 0, 0, 0, 0]), Kind::Icmp),
        (RAW, ipv6(true, 58, &[128, 0, 0, 0, 0, 0, 0, 0]), Kind::Icmp),
        (RAW, ipv4(from, to, 47, 0, &[0; 8]), Kind::OtherIp),
        (RAW, ipv4(from, to, 6, 64, &[0; 8]), Kind::Fragment),
        (ETHERNET, ethernet(0x0806, &[0; 28]), Kind::NotIp),
        (ETHERNET, ethernet(0x88CC, &[0; 28]), Kind::NotIp),
        (RAW, vec![0x45; 8], Kind::Damaged),
        (RAW, vec![0xF0; 40], Kind::Damaged),
        (105, vec![0; 60], Kind::OtherLink),
        (RAW, ipv4(from, to, 6, 0, &syn.segment()[..12]), Kind::CutTcp),
    ];
    for (link, data, kind) in cases {
        let contents = count_one(link, &data, data.len());
        let found: Vec<&str> = Kind::ALL
            .iter()
            .zip(&contents.counts)
            .filter_map(|((_, name), count)| (count.packets > 0).then_some(*name))
            .collect();
        assert_eq!(found, [Kind::ALL[kind as usize].1], "{data:?}");
        assert_eq!(contents.counts[kind as usize].bytes, data.len() as u64);
    }
    assert_eq!(count_one(105, &[0; 60], 60).other_links, [(105, 1)]);
}

#[test]
fn a_header_that_is_longer_than_its_packet_is_damaged() {
    let mut data = exchange()[0].1.ipv4();
    data[32] = 15 << 4;
    assert_eq!(count_one(RAW, &data, data.len()).counts[Kind::Damaged as usize].packets, 1);
    data[32] = 4 << 4;
    assert_eq!(count_one(RAW, &data, data.len()).counts[Kind::Damaged as usize].packets, 1);
}
