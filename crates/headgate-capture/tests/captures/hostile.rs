//! Arbitrary bytes are read as far as they are valid.

use headgate_capture::contents::MOST_ROWS;
use headgate_capture::rates::MOST_SPANS;
use headgate_capture::{CaptureError, Contents, Kind};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::build::{ETHERNET, File, RAW, SYN, Tcp, exchange, ipv4, ipv6, raw, try_read};

/// Files that are mutated: each format, many kinds of packet.
fn seeds() -> Vec<Vec<u8>> {
    let mut mixed = File::pcapng(true);
    mixed.interface(ETHERNET, 9, 0).interface(RAW, 0x80 | 30, -5);
    for (time_ms, segment) in exchange() {
        let (data, inside) = (segment.ethernet(), segment.segment());
        mixed.packet(0, u64::from(time_ms) * 1_000_000, &data[..data.len().min(70)], data.len());
        let extended = [&[6, 0, 1, 4, 0, 0, 0, 0][..], &inside].concat();
        let data = ipv6(segment.from_client, 0, &extended);
        mixed.packet(1, u64::from(time_ms) << 20, &data[..data.len().min(90)], data.len());
        let fragment = ipv4([10, 0, 0, 1], [10, 0, 0, 2], 6, 0x2000, &inside[..20]);
        mixed.packet(1, u64::from(time_ms) << 20, &fragment, fragment.len());
    }
    mixed.block(5, &[0; 20]).section().interface(0, 6, 0);
    vec![raw(&exchange()).bytes, mixed.bytes]
}

fn mutate(bytes: &mut Vec<u8>, chance: &mut Pcg64Mcg) {
    const WORTH: [u32; 8] = [0, 1, 0x7FFF_FFFF, u32::MAX, 0xFFFF_FFFC, 0x0A0D_0D0A, 12, 20];
    let many = 1 + chance.next_u32() % 8;
    for _ in 0..many {
        let at = chance.next_u32() as usize % bytes.len().max(1);
        match chance.next_u32() % 6 {
            0 => bytes[at] ^= 1 << (chance.next_u32() % 8),
            1 => bytes[at] = chance.next_u32() as u8,
            2 => {
                let worth = WORTH[chance.next_u32() as usize % WORTH.len()];
                let word = if at % 2 == 0 { worth.to_le_bytes() } else { worth.to_be_bytes() };
                let room = bytes.len().min(at + 4) - at;
                bytes[at..at + room].copy_from_slice(&word[..room]);
            }
            3 => bytes.truncate(at.max(1)),
            4 => bytes.insert(at, chance.next_u32() as u8),
            _ => {
                let end = bytes.len().min(at + chance.next_u32() as usize % 200);
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

/// Properties of any contents.
fn check(contents: &Contents) {
    let tcp = contents.counts[Kind::Tcp as usize];
    let rows = contents.rows.iter().flat_map(|row| row.counts);
    let packets: u64 = rows.map(|count| count.packets).sum();
    assert_eq!(packets + contents.idle.1.packets, tcp.packets, "every segment is somewhere, once");
    let all: u64 = contents.counts.iter().map(|count| count.bytes).sum();
    let timeless = contents.counts[Kind::Timeless as usize].bytes;
    let timed: u64 = contents.rates.spans.values().flatten().sum();
    assert_eq!(timed + timeless, all);
    assert!(contents.rates.spans.len() <= MOST_SPANS);
    for row in &contents.rows {
        assert!(row.first_ns <= row.last_ns && row.rtt_ns.is_none_or(|rtt_ns| rtt_ns > 0));
        assert!(row.bytes.iter().sum::<u64>() > 0);
    }
}

#[test]
fn mutants_are_read_or_refused() {
    try_mutants(20_000, 1);
}

#[test]
#[ignore = "two million of them: `make validate`"]
fn many_mutants_are_read_or_refused() {
    try_mutants(2_000_000, 2);
}

fn try_mutants(count: usize, seed: u64) {
    let (seeds, mut chance) = (seeds(), Pcg64Mcg::seed_from_u64(seed));
    let (mut read, mut taken) = (0, 0);
    for number in 0..count {
        let mut bytes = seeds[number % seeds.len()].clone();
        mutate(&mut bytes, &mut chance);
        match try_read(&bytes) {
            Ok(contents) => {
                check(&contents);
                read += 1;
                taken += contents.rows.len();
            }
            Err(CaptureError::Unreadable(error)) => assert!(!error.to_string().is_empty()),
            Err(CaptureError::TooMany) => panic!("so few bytes"),
        }
    }
    assert!(read > count / 2 && taken > count / 2, "{read} were read, with {taken} connections");
}

#[test]
fn times_from_end_to_end_of_all_time_take_no_memory() {
    let mut file = File::pcapng(false);
    file.interface(RAW, 0, 0);
    let mut chance = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..3 * MOST_SPANS {
        let data = Tcp::client(chance.next_u32(), 0, SYN, 9).ipv4();
        file.packet(0, chance.next_u64(), &data, data.len());
    }
    check(&try_read(&file.bytes).unwrap());
}

#[test]
fn more_connections_than_memory_is_meant_for_are_refused() {
    let mut file = File::pcap(RAW, false, false);
    for n in 0..=MOST_ROWS as u32 {
        let [_, a, b, c] = n.to_be_bytes();
        let data = ipv4([10, a, b, c], [192, 0, 2, 7], 6, 0, &Tcp::client(n, 0, SYN, 1).segment());
        file.record((n, 0), &data, data.len());
    }
    let Err(refused) = try_read(&file.bytes) else { panic!("they were taken") };
    assert!(refused.to_string().contains("more than 1000000 connections"), "{refused}");
}
