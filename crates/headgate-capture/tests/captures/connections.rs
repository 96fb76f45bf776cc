//! Connections: the bytes that they carried, their start times, and their round trips.

use headgate_capture::connections::MOST_OPEN;

use crate::build::{
    ACK, CLIENT_ISN, FIN, File, MS, RAW, RST, SERVER_ISN, SYN, Tcp, exchange, ipv4, only_row, raw, read,
};

const C: u32 = CLIENT_ISN;
const S: u32 = SERVER_ISN;

#[test]
fn a_flow_is_opened_a_round_trip_before_its_data() {
    let row = only_row(&raw(&exchange()));
    assert_eq!(row.rtt_ns, Some(40 * MS));
    assert_eq!(row.start_ns, [Some(MS), Some(50 * MS)]);
    assert_eq!((row.client.1, row.server.1), (40_000, 443));
}

#[test]
fn the_round_trip_is_the_same_wherever_one_looks() {
    // at the client, in the middle, at the server: the times of SYN, SYN-ACK and ACK
    for times in [[0, 40, 40], [10, 30, 50], [20, 20, 60]] {
        let packets = [
            (times[0], Tcp::client(C, 0, SYN, 0)),
            (times[1], Tcp::server(S, C + 1, SYN | ACK, 0)),
            (times[2], Tcp::client(C + 1, S + 1, ACK, 500)),
        ];
        assert_eq!(only_row(&raw(&packets)).rtt_ns, Some(40 * MS), "{times:?}");
    }
}

#[test]
fn a_handshake_sent_again_has_no_round_trip() {
    let mut packets = exchange();
    packets.insert(1, (30, Tcp::client(C, 0, SYN, 0))); // a copy: too soon for any timer
    assert_eq!(only_row(&raw(&packets)).rtt_ns, Some(40 * MS));
    packets[1].0 = 0;
    packets.iter_mut().skip(2).for_each(|(time, _)| *time += 1000);
    packets.insert(2, (1000, Tcp::client(C, 0, SYN, 0)));
    let row = only_row(&raw(&packets));
    assert_eq!((row.rtt_ns, row.bytes), (None, [100, 3000]));
    assert_eq!(row.start_ns, [Some(0), Some(1090 * MS)], "by the SYN, by the first data");
    let mut packets = exchange();
    packets.insert(2, (400, Tcp::server(S, C + 1, SYN | ACK, 0)));
    assert_eq!(only_row(&raw(&packets)).rtt_ns, None);
}

#[test]
fn no_byte_counts_twice() {
    let mut packets = exchange();
    packets.insert(5, (90, Tcp::server(S + 1, C + 101, ACK, 1500)));
    packets.insert(6, (90, Tcp::server(S + 501, C + 101, ACK, 1000)));
    packets.swap(4, 7);
    let row = only_row(&raw(&packets));
    assert_eq!(row.bytes, [100, 3000]);
    assert_eq!(row.counts[1].packets, 7);
}

#[test]
fn sequence_numbers_wrap() {
    let isn = u32::MAX - 700;
    let segment = 1000u32;
    let mut packets = vec![(0, Tcp::client(isn, 0, SYN, 0))];
    packets.extend((0..6_000u32).map(|n| {
        let seq = isn.wrapping_add(1 + n * segment);
        (n + 1, Tcp::client(seq, 0, ACK, segment as usize))
    }));
    assert_eq!(only_row(&raw(&packets)).bytes, [6_000_000, 0]);
}

#[test]
fn more_than_four_gigabytes_are_counted() {
    let step = 60_000u32;
    let count = 80_000u64;
    let mut file = File::pcap(RAW, false, false);
    for n in 0..count {
        let seq = 7u32.wrapping_add((n as u32).wrapping_mul(step));
        let flags = if n == 0 { SYN } else { ACK };
        let mut data = Tcp::client(seq.wrapping_sub(u32::from(n == 0)), 0, flags, 0).ipv4();
        data[2..4].copy_from_slice(&(40 + step as u16).to_be_bytes());
        file.record((n as u32 / 1000, 0), &data, 40 + step as usize);
    }
    assert_eq!(only_row(&file).bytes[0], count * u64::from(step));
}

#[test]
fn captures_cut_to_headers_lose_nothing() {
    for captured in [40, 48, 54, 68] {
        let mut file = File::pcap(RAW, false, false);
        for (time_ms, segment) in exchange() {
            let data = segment.ipv4();
            file.record((0, time_ms * 1000), &data[..captured.min(data.len())], data.len());
        }
        let contents = read(&file);
        assert_eq!(contents.rows[0].bytes, [100, 3000]);
        assert_eq!(contents.rows[0].counts[1].bytes, 5 * 40 + 3000);
        assert!(contents.snapped >= 2);
    }
}

#[test]
fn what_the_capture_lost_is_known_by_the_fin() {
    let mut packets = exchange();
    packets.retain(|(_, segment)| segment.bytes != 1500);
    let row = only_row(&raw(&packets));
    assert_eq!(row.bytes, [100, 3000]);
    assert_eq!(row.start_ns[1], None, "nobody saw when they began");
}

#[test]
fn a_connection_may_have_begun_before_the_capture_and_end_after_it() {
    let packets = &exchange()[4..6];
    let row = only_row(&raw(packets));
    assert_eq!((row.bytes, row.rtt_ns), ([0, 3000], None));
    assert!(!row.has_syn && !row.has_fin);
    assert_eq!((row.client.1, row.start_ns[1]), (40_000, Some(90 * MS)));
}

#[test]
fn without_a_syn_bytes_that_come_late_count_too() {
    let packets = [
        (0, Tcp::server(S + 1501, C, ACK, 1500)),
        (1, Tcp::server(S + 1, C, ACK, 1500)),
        (2, Tcp::server(S + 3001, C, ACK, 10)),
    ];
    assert_eq!(only_row(&raw(&packets)).bytes[1], 3010);
}

#[test]
fn a_port_that_is_used_again_makes_another_connection() {
    let mut packets = exchange();
    let again = exchange().into_iter().map(|(time, segment)| {
        let shift = if segment.from_client { 77_777 } else { 99_999 };
        let ack = if segment.ack == 0 { 0 } else { segment.ack + 176_776 - shift - 77_777 + 77_777 };
        (time + 5000, Tcp { seq: segment.seq + shift, ack, ..segment })
    });
    packets.extend(again);
    let rows = read(&raw(&packets)).rows;
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.bytes == [100, 3000] && row.has_syn));
    assert_eq!(rows[1].first_ns, 5000 * MS);
}

#[test]
fn a_syn_that_was_captured_late_belongs_to_its_data() {
    let mut packets = exchange();
    packets.swap(0, 3);
    let row = only_row(&raw(&packets));
    assert_eq!(row.bytes, [100, 3000]);
    assert!(row.has_syn);
}

#[test]
fn a_reset_may_say_any_number() {
    let mut packets = exchange();
    packets.push((200, Tcp::client(123, 0, RST, 40)));
    let row = only_row(&raw(&packets));
    assert_eq!(row.bytes, [100, 3000]);
    assert!(row.has_rst);
}

#[test]
fn a_number_that_no_window_reaches_belongs_to_something_else() {
    let mut packets = exchange();
    packets.push((200, Tcp::server((S + 3002).wrapping_add(1 << 31), 0, ACK, 1000)));
    let contents = read(&raw(&packets));
    assert_eq!((contents.rows[0].bytes, contents.strays), ([100, 3000], 1));
}

#[test]
fn probes_and_fast_open_are_what_they_are() {
    let probe = (110, Tcp::client(C + 100, S + 3002, ACK, 1));
    let mut packets = exchange();
    packets.push(probe);
    assert_eq!(only_row(&raw(&packets)).bytes, [100, 3000]);
    let open = [(0, Tcp::client(C, 0, SYN, 80)), (9, Tcp::client(C + 81, 1, FIN | ACK, 20))];
    assert_eq!(only_row(&raw(&open)).bytes, [100, 0], "RFC 7413: data on the SYN");
}

#[test]
fn both_may_ask_at_once() {
    let packets = [
        (0, Tcp::client(C, 0, SYN, 0)),
        (1, Tcp::server(S, 0, SYN, 0)),
        (20, Tcp::client(C, S + 1, SYN | ACK, 0)),
        (21, Tcp::server(S, C + 1, SYN | ACK, 0)),
        (40, Tcp::client(C + 1, S + 1, ACK, 100)),
    ];
    let row = only_row(&raw(&packets));
    assert_eq!((row.bytes, row.client.1, row.rtt_ns), ([100, 0], 40_000, None));
}

#[test]
fn connections_without_data_are_counted_alone() {
    let mut packets = exchange();
    packets.retain(|(_, segment)| segment.bytes == 0);
    packets.iter_mut().for_each(|(_, segment)| {
        let isn = if segment.from_client { C } else { S };
        segment.seq = segment.seq.min(isn + 1);
    });
    let contents = read(&raw(&packets));
    assert!(contents.rows.is_empty());
    assert_eq!((contents.idle.0, contents.idle.1.packets), (1, packets.len() as u64));
}

#[test]
fn only_so_many_connections_are_looked_after_at_once() {
    let mut file = File::pcap(RAW, false, false);
    let mut syn = |n: u32, flags: u8, bytes: usize| {
        let [_, a, b, c] = n.to_be_bytes();
        let data = ipv4([10, a, b, c], [192, 0, 2, 7], 6, 0, &Tcp::client(n, 0, flags, bytes).segment());
        file.record((n / 1000, n % 1000 * 1000), &data, data.len());
    };
    let count = MOST_OPEN as u32 + 10;
    (0..count).for_each(|n| syn(n, SYN, 0));
    syn(count - 1, ACK, 10);
    let contents = read(&file);
    assert_eq!((contents.rows.len(), contents.idle.0), (1, u64::from(count) - 1));
    assert_eq!(contents.forgotten, MOST_OPEN as u64 / 2 + 1);
}
