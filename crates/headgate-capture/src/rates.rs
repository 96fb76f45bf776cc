//! Bytes over time: of TCP to clients, of TCP to servers, and of other packets.

use std::collections::BTreeMap;

/// Largest number of intervals. Beyond it, each two are merged.
pub const MOST_SPANS: usize = 4096;
const NARROWEST_NS: i64 = 100_000_000;

/// The direction of bytes: TCP to clients, TCP to servers, other packets.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    ToClients,
    ToServers,
    Other,
}

/// Bytes of each direction per interval.
#[derive(Debug)]
pub struct Rates {
    pub width_ns: i64,
    /// By the number of the interval since 1970.
    pub spans: BTreeMap<i64, [u64; 3]>,
}

impl Default for Rates {
    fn default() -> Self {
        Self { width_ns: NARROWEST_NS, spans: BTreeMap::new() }
    }
}

impl Rates {
    /// Counts a packet.
    pub fn add(&mut self, time_ns: i64, share: Share, wire_bytes: u32) {
        self.spans.entry(time_ns.div_euclid(self.width_ns)).or_default()[share as usize] +=
            u64::from(wire_bytes);
        while self.spans.len() > MOST_SPANS {
            self.widen();
        }
    }

    fn widen(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        let mut wide = BTreeMap::<i64, [u64; 3]>::new();
        for (number, bytes) in &self.spans {
            let sum = wide.entry(number.div_euclid(2)).or_default();
            sum.iter_mut().zip(bytes).for_each(|(sum, bytes)| *sum += bytes);
        }
        self.spans = wide;
    }
}
