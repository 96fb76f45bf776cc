//! Serialisation times without a division.

use headgate_model::units::{Pace, Span, Tick};
use serde::{Deserialize, Serialize};

/// Caches the serialisation time of the last two packet sizes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TickCache {
    pace: Pace,
    sizes: [u16; 2],
    ticks: [Tick; 2],
}

impl TickCache {
    /// A cache for this rate, bit/s.
    pub fn new(rate_bps: u64) -> Self {
        let pace = Pace::new(rate_bps);
        Self { pace, sizes: [0; 2], ticks: [Tick { whole: 0, part: 0 }; 2] }
    }

    /// Returns the serialisation time of a packet of `size` bytes.
    #[inline]
    pub fn tick(&mut self, size: u16) -> Tick {
        // No branch between the two: the processor cannot predict the order of data and ACKs.
        let place = usize::from(size != self.sizes[0]);
        if size == self.sizes[place] { self.ticks[place] } else { self.miss(size) }
    }

    #[cold]
    fn miss(&mut self, size: u16) -> Tick {
        self.sizes.swap(0, 1);
        self.ticks.swap(0, 1);
        self.sizes[0] = size;
        self.ticks[0] = self.pace.tick(u32::from(size));
        self.ticks[0]
    }

    /// Returns the denominator of the fractions of all ticks.
    #[inline]
    pub fn den(&self) -> u32 {
        self.pace.den()
    }

    /// Returns the whole bytes that are sent in `span`.
    pub fn bytes(&self, span: Span) -> u64 {
        self.pace.bytes(span)
    }

    /// Returns the time that `bytes` take.
    pub fn span(&self, bytes: u64) -> Span {
        self.pace.span(bytes)
    }
}
