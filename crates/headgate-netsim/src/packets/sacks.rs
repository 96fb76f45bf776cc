//! Options of ACKs in flight: SACK blocks (RFC 2018; three blocks, as with time stamps), and the byte counts of
//! the AccECN option (RFC 9768). Of QUIC these are further ranges, the ECN counts and the ACK delay. An ACK with
//! options carries the number of its record here.

use headgate_model::units::Span;
use headgate_tcp::ByteCounts;
use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

/// The options of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AckOptions {
    /// SACK blocks, if a segment is missing.
    pub blocks: Option<Blocks>,
    /// Byte counts of the AccECN option.
    pub counts: Option<ByteCounts>,
    /// Delay of an ACK of QUIC, picoseconds; `None` for an ACK of TCP.
    pub delay: Option<Span>,
}

/// Records of options, whose numbers are reused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SackPool {
    records: Vec<AckOptions>,
    free: Vec<u32>,
}

impl SackPool {
    /// Stores a record. Returns its number.
    pub fn store(&mut self, options: AckOptions) -> u32 {
        if let Some(index) = self.free.pop() {
            self.records[index as usize] = options;
            return index;
        }
        self.records.push(options);
        (self.records.len() - 1) as u32
    }

    /// Returns a record, which stays stored.
    pub fn read(&self, index: u32) -> AckOptions {
        self.records[index as usize]
    }

    /// Removes a record and returns it.
    pub fn take(&mut self, index: u32) -> AckOptions {
        self.free.push(index);
        self.records[index as usize]
    }

    /// Removes a record.
    pub fn free(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Returns the number of stored records.
    pub fn held(&self) -> usize {
        self.records.len() - self.free.len()
    }
}
