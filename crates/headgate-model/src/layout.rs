//! The memory layout of the records that user-defined algorithms and disciplines receive, for other
//! languages.

use crate::control::{Ack, Cause, Congestion, Path, Rate, Window};
use crate::queue::{Backlog, Decision, Draws, Packet};

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's name in Rust.
    pub name: &'static str,
    /// "f64", "u32", "u64", "bool", "Cause" (a u32), "Draws" (four f64), or the name of a record.
    pub kind: &'static str,
    /// Offset from the start of the record, bytes.
    pub offset: usize,
}

/// A record with C's layout.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The record's name in Rust.
    pub name: &'static str,
    /// Size, bytes.
    pub bytes: usize,
    /// The fields in the order of declaration.
    pub fields: &'static [Field],
}

/// Lists a record's fields. Compilation fails if a field is missing or its type differs.
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

/// All records. A record that is a field of another one precedes it.
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
    record!(Packet { flow: u64, wait_s: f64, rank: f64, size_bytes: u32, capable: bool, ecn: u32 }),
    record!(Decision { verdict: u32, drawn: u32, rank: f64, draws: Draws }),
];
