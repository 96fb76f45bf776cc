//! One capture written by hand, byte by byte, and its expected contents.

use headgate_capture::Kind;

use crate::build::try_read;

/// pcap, big-endian, microseconds, Ethernet, cut to 54 bytes per packet: a client requests 5 bytes and
/// receives 7.
const CAPTURE: &str = "
a1b2c3d4 0002 0004 00000000 00000000 00000036 00000001
  65000000 00000000 00000036 00000036
    020000000001 020000000002 0800
    45 00 0028 0000 4000 40 06 0000 0a000001 0a000002
    9c40 0050 00000064 00000000 50 02 ffff 0000 0000
  65000000 00007530 00000036 00000036
    020000000002 020000000001 0800
    45 00 0028 0000 4000 40 06 0000 0a000002 0a000001
    0050 9c40 fffffffe 00000065 50 12 ffff 0000 0000
  65000000 00007594 00000036 0000003b
    020000000001 020000000002 0800
    45 00 002d 0000 4000 40 06 0000 0a000001 0a000002
    9c40 0050 00000065 ffffffff 50 18 ffff 0000 0000
  65000000 0000ea60 00000036 0000003d
    020000000002 020000000001 0800
    45 00 002f 0000 4000 40 06 0000 0a000002 0a000001
    0050 9c40 ffffffff 0000006a 50 19 ffff 0000 0000
";

#[test]
fn the_file_by_hand_is_read_as_it_was_meant() {
    let digits: Vec<u8> = CAPTURE.bytes().filter(u8::is_ascii_hexdigit).collect();
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect();
    assert_eq!(bytes.len(), 24 + 4 * (16 + 54));
    let contents = try_read(&bytes).unwrap();
    let [row] = contents.rows[..] else { panic!("{contents:?}") };
    // 0x65000000 s = 1694498816 s; 0x7530 us = 30 ms; 0x7594 us = 30.1 ms; 0xea60 us = 60 ms
    assert_eq!(row.first_ns, 1_694_498_816_000_000_000);
    assert_eq!(row.last_ns - row.first_ns, 60_000_000);
    assert_eq!(row.rtt_ns, Some(30_100_000), "SYN to the ACK of the SYN-ACK");
    assert_eq!(row.bytes, [5, 7], "0x2d - 40 and 0x2f - 40; the server's numbers wrap");
    assert_eq!(row.start_ns.map(|start| start.unwrap() - row.first_ns), [0, 29_900_000]);
    assert_eq!(row.counts.map(|count| (count.packets, count.bytes)), [(2, 54 + 59), (2, 54 + 61)]);
    assert_eq!((row.client.1, row.server.1), (40_000, 80));
    assert!(row.has_syn && row.has_fin && !row.has_rst);
    assert_eq!(contents.counts[Kind::Tcp as usize].packets, 4);
    assert_eq!(contents.snapped, 2);
}
