//! Where the fields of records lie that users' own laws and disciplines meet, for other languages.

use crate::control::{Ack, Cause, Congestion, Path, Rate, Window};
use crate::queue::{Backlog, Decision, Draws, Packet};

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in Rust.
    pub name: &'static str,
    /// "f64", "u32", "u64", "bool", "Cause" (an u32), "Draws" (four f64), or a record.
    pub kind: &'static str,
    /// Bytes from the record's start.
    pub offset: usize,
}

/// A record, as C sees it.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its size.
    pub bytes: usize,
    /// In the order of their declaration.
    pub fields: &'static [Field],
}

/// Tells a record's fields; does not compile if one is missing or has another type.
macro_rules! record {
    ($Record:ident { $($field:ident: $kind:ident),+ $(,)? }) => {{
        const _: fn($Record) = |$Record { $($field),+ }| { $(let _: $kind = $field;)+ };
        Record {
            name: stringify!($Record),
            bytes: size_of::<$Record>(),
            fields: &[$(Field {
                name: stringify!($field),
                kind: stringify!($kind),
                offset: std::mem::offset_of!($Record, $field),
            }),+],
        }
    }};
}

/// Every record; one that is a field of another comes before it.
pub const RECORDS: &[Record] = &[
    record!(Window { cwnd: f64, ssthresh: f64, pace: f64 }),
    record!(Path { srtt_s: f64, min_rtt_s: f64, segment_bytes: u32 }),
    record!(Congestion { cause: Cause, now_s: f64, in_flight: u32 }),
    record!(Rate {
        per_s: f64,
        interval_s: f64,
        delivered: f64,
        newly: f64,
        prior: f64,
        then_in_flight: f64,
        lost: f64,
        lost_since: f64,
        newly_lost: f64,
        in_flight: f64,
        rtt_s: f64,
        wait_s: f64,
        app_limited: bool,
    }),
    record!(Ack {
        now_s: f64,
        acked: f64,
        rtt_s: f64,
        in_flight: u32,
        round_start: bool,
        cwnd_limited: bool,
        recovers: bool,
        after_timeout: bool,
        marked: f64,
        rate: Rate,
        paced: bool,
    }),
    record!(Backlog {
        now_s: f64,
        packets: f64,
        present: f64,
        bytes: f64,
        held_bytes: f64,
        wait_s: f64,
        idle_s: f64,
        rate_bytes_s: f64,
    }),
    record!(Packet { flow: u64, wait_s: f64, rank: f64, size_bytes: u32, capable: bool }),
    record!(Decision { verdict: u32, drawn: u32, rank: f64, draws: Draws }),
];
