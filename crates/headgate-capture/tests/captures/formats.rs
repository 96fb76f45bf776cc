//! pcap and pcapng, in both byte orders, with every unit of time.

use headgate_capture::Kind;
use headgate_capture::source::End;

use crate::build::{ETHERNET, File, MS, RAW, exchange, only_row, raw, read, try_read};

/// The result of every form of the exchange.
fn check(file: &File) {
    let contents = read(file);
    assert_eq!(contents.end, End::Whole);
    let row = contents.rows[0];
    assert_eq!((contents.rows.len(), row.bytes), (1, [100, 3000]));
    assert_eq!((row.rtt_ns, row.last_ns - row.first_ns), (Some(40 * MS), 136 * MS));
    assert_eq!(row.counts.map(|count| count.packets), [5, 5]);
    assert!(row.has_syn && row.has_fin && !row.has_rst);
}

#[test]
fn pcap_has_two_byte_orders_and_two_units() {
    for is_big in [false, true] {
        for is_nano in [false, true] {
            let mut file = File::pcap(RAW, is_big, is_nano);
            for (time_ms, segment) in exchange() {
                let (data, unit) = (segment.ipv4(), if is_nano { 1_000_000 } else { 1000 });
                file.record((1_700_000_000, time_ms * unit), &data, data.len());
            }
            check(&file);
            assert_eq!(only_row(&file).first_ns, 1_700_000_000_000_000_000);
        }
    }
}

#[test]
fn pcapng_has_any_unit_and_offset() {
    // seconds by the millisecond, microsecond, nanosecond, picosecond, and 2^-20 s
    for (resolution, ticks_per_s) in
        [(3, 1e3), (6, 1e6), (9, 1e9), (12, 1e12), (0x80 | 20, f64::from(1 << 20))]
    {
        for (is_big, offset_s) in [(false, 0), (true, 0), (false, 3600), (true, -2)] {
            let mut file = File::pcapng(is_big);
            file.interface(RAW, resolution, offset_s);
            for (time_ms, segment) in exchange() {
                let data = segment.ipv4();
                let ticks = (f64::from(time_ms) / 1e3 * ticks_per_s).round() as u64;
                file.packet(0, ticks, &data, data.len());
            }
            let row = only_row(&file);
            let error_ns = (row.rtt_ns.unwrap() - 40 * MS).abs();
            assert!(error_ns <= 1000, "{resolution:x}: {error_ns}");
            assert_eq!(row.first_ns, offset_s * 1000 * MS, "{is_big}");
            assert_eq!(row.bytes, [100, 3000]);
        }
    }
}

#[test]
fn interfaces_differ_in_link_and_unit() {
    let mut file = File::pcapng(false);
    file.interface(ETHERNET, 9, 0).interface(RAW, 6, 0);
    for (number, (time_ms, segment)) in exchange().into_iter().enumerate() {
        let time_ms = u64::from(time_ms);
        if number % 2 == 0 {
            let data = segment.ethernet();
            file.packet(0, time_ms * 1_000_000, &data, data.len());
        } else {
            let data = segment.ipv4();
            file.packet(1, time_ms * 1000, &data, data.len());
        }
    }
    check(&file);
}

#[test]
fn a_section_may_have_another_byte_order_and_other_interfaces() {
    let segments = exchange();
    let mut file = File::pcapng(false);
    file.interface(ETHERNET, 6, 0).interface(ETHERNET, 6, 0);
    for (time_ms, segment) in &segments[..4] {
        let data = segment.ethernet();
        file.packet(1, u64::from(*time_ms) * 1000, &data, data.len());
    }
    file.is_big = true;
    file.section().interface(RAW, 9, 0);
    for (time_ms, segment) in &segments[4..] {
        let data = segment.ipv4();
        file.packet(0, u64::from(*time_ms) * 1_000_000, &data, data.len());
    }
    check(&file);
}

#[test]
fn other_blocks_are_passed_over_and_obsolete_packets_read() {
    for is_big in [false, true] {
        let mut file = File::pcapng(is_big);
        file.interface(RAW, 6, 0).block(5, &[0; 12]).block(0x0BAD, &[1, 2, 3]).block(4, &[0; 4]);
        for (time_ms, segment) in exchange() {
            let data = segment.ipv4();
            let mut body = File { bytes: Vec::new(), is_big };
            body.half(0).half(u16::MAX).word(0).word(time_ms * 1000);
            body.word(data.len() as u32).word(data.len() as u32).put(&data);
            file.block(2, &body.bytes);
        }
        check(&file);
    }
}

#[test]
fn packets_without_a_time_are_counted_only() {
    let mut file = File::pcapng(false);
    file.interface(RAW, 6, 0);
    for (_, segment) in exchange() {
        let data = segment.ipv4();
        let mut body = File { bytes: Vec::new(), is_big: false };
        body.word(data.len() as u32).put(&data);
        file.block(3, &body.bytes);
    }
    let contents = read(&file);
    assert!(contents.rows.is_empty());
    assert_eq!(contents.counts[Kind::Timeless as usize].packets, 10);
    assert_eq!(contents.span_ns, None);
}

#[test]
fn what_is_no_capture_is_said() {
    for (bytes, says) in [
        (&b""[..], "is empty"),
        (b"hello, world, this is text and no capture", "is neither pcap nor pcapng"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "is compressed (gzip); unpack it first: gunzip -c"),
        (b"\x28\xb5\x2f\xfd\0\0", "is compressed (zstd)"),
        (b"\xd4\xc3\xb2\xa1\x02\0", "cut off"),
    ] {
        let Err(refused) = try_read(bytes) else { panic!("{bytes:?} was read") };
        assert!(refused.to_string().contains(says), "{refused}");
    }
}

#[test]
fn a_file_that_is_cut_is_used_up_to_there() {
    let whole = raw(&exchange());
    let mut seen = 0;
    for length in 24..whole.bytes.len() {
        let contents = try_read(&whole.bytes[..length]).unwrap();
        let packets = contents.counts[Kind::Tcp as usize].packets;
        assert!(packets >= seen);
        seen = packets;
        let is_between = whole_records(&whole.bytes).contains(&length);
        assert_eq!(contents.end == End::Whole, is_between, "{length}");
    }
    assert_eq!(seen, 9);
}

/// Offsets of the records of a little-endian pcap file.
fn whole_records(bytes: &[u8]) -> Vec<usize> {
    let mut at = 24;
    let mut places = Vec::new();
    while at < bytes.len() {
        places.push(at);
        let captured = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap());
        at += 16 + captured as usize;
    }
    places
}

#[test]
fn a_packet_that_is_too_long_to_be_one_ends_the_file() {
    let mut file = raw(&exchange());
    let at = file.bytes.len();
    file.word(1).word(0).word(u32::MAX - 8).word(60);
    file.bytes.resize(at + (80 << 20), 0);
    let contents = read(&file);
    assert_eq!(contents.end, End::Damaged(at));
    assert_eq!(contents.rows.len(), 1);
}

#[test]
fn a_long_packet_finds_room() {
    let mut file = File::pcap(RAW, false, false);
    let data = vec![0; 5 << 20];
    file.record((0, 0), &data, data.len());
    for (time_ms, segment) in exchange() {
        let data = segment.ipv4();
        file.record((1, time_ms * 1000), &data, data.len());
    }
    assert_eq!(only_row(&file).bytes, [100, 3000]);
}
