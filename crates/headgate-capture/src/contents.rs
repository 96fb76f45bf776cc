//! The contents of a capture: its connections, and counts of all packets.

use crate::connection::{Connection, Row};
use crate::connections::Ends;
use crate::kind::{Count, Kind};
use crate::rates::Rates;
use crate::source::End;

/// Largest number of connections with data in a capture; their rows are kept in memory.
pub const MOST_ROWS: usize = 1_000_000;

/// Clocks of a capture's interfaces may differ by less than this. More is a clock that was set back, or
/// another capture.
const STEP_NS: i64 = 1_000_000_000;

/// The contents of a capture.
#[derive(Debug)]
pub struct Contents {
    /// Connections that carried data, ordered by their first packets.
    pub rows: Vec<Row>,
    /// Connections without data, and their packets.
    pub idle: (u64, Count),
    /// All packets, by the index of their kind in `Kind::ALL`.
    pub counts: [Count; Kind::ALL.len()],
    /// TCP packets whose sequence number no window of their connection reaches.
    pub strays: u64,
    /// Connections that were considered ended to save memory.
    pub forgotten: u64,
    /// Packets of which only the beginning was captured.
    pub snapped: u64,
    /// Kinds of link that cannot be read, and packets of each.
    pub other_links: Vec<(u16, u64)>,
    /// Times of the first and last packet, if any packet is time-stamped.
    pub span_ns: Option<(i64, i64)>,
    /// Packets that are more than a second earlier than the previous one in the file.
    pub steps_back: u64,
    previous_ns: Option<i64>,
    pub rates: Rates,
    pub end: End,
}

impl Default for Contents {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            idle: (0, Count::default()),
            counts: Default::default(),
            strays: 0,
            forgotten: 0,
            snapped: 0,
            other_links: Vec::new(),
            span_ns: None,
            steps_back: 0,
            previous_ns: None,
            rates: Rates::default(),
            end: End::Whole,
        }
    }
}

impl Contents {
    /// Counts a packet.
    pub fn count(&mut self, kind: Kind, wire_bytes: u32) {
        self.counts[kind as usize].add(wire_bytes);
    }

    /// Records the time of a packet.
    pub fn extend_to(&mut self, time_ns: i64) {
        let (first, last) = self.span_ns.unwrap_or((time_ns, time_ns));
        self.span_ns = Some((first.min(time_ns), last.max(time_ns)));
        let previous = self.previous_ns.replace(time_ns).unwrap_or(time_ns);
        self.steps_back += u64::from(previous.saturating_sub(time_ns) > STEP_NS);
    }

    /// Records a packet of a kind of link that cannot be read.
    pub fn note_link(&mut self, link: u16) {
        match self.other_links.iter_mut().find(|(known, _)| *known == link) {
            Some((_, packets)) => *packets += 1,
            None => self.other_links.push((link, 1)),
        }
    }

    /// Takes a connection that has ended.
    pub fn take(&mut self, ends: &Ends, connection: &Connection) {
        if connection.has_data() {
            self.rows.push(connection.row(ends));
        } else {
            self.idle.0 += 1;
            connection.halves.iter().for_each(|half| self.idle.1 += half.count);
        }
    }

    /// Sorts the connections by their start times.
    pub fn sort(&mut self) {
        self.rows.sort_unstable_by_key(|row| (row.first_ns, row.client, row.server, row.last_ns));
    }
}
