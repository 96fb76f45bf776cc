//! How many bytes there were when: of TCP to clients, to servers, and of all else.

use std::collections::BTreeMap;

/// The most spans of time; where there are more, two become one.
pub const MOST_SPANS: usize = 4096;
const NARROWEST_NS: i64 = 100_000_000;

/// Whose bytes: TCP to clients, TCP to servers, anything else.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    ToClients,
    ToServers,
    Other,
}

/// Bytes of each share by spans of time.
#[derive(Debug)]
pub struct Rates {
    pub width_ns: i64,
    /// By the number of the span since 1970.
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
