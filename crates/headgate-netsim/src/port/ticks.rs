//! Serialisation times without a division.

use headgate_model::units::{Pace, Span, Tick};
use serde::{Deserialize, Serialize};

/// The tick of the packet sizes seen last: serialisation times without a division.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TickCache {
    pace: Pace,
    sizes: [u16; 2],
    ticks: [Tick; 2],
}

impl TickCache {
    pub fn new(rate_bps: u64) -> Self {
        let pace = Pace::new(rate_bps);
        Self { pace, sizes: [0; 2], ticks: [Tick { whole: 0, part: 0 }; 2] }
    }

    #[inline]
    pub fn tick(&mut self, size: u16) -> Tick {
        // no branch between the two: data and ACKs come in no order that can be predicted
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

    #[inline]
    pub fn den(&self) -> u32 {
        self.pace.den()
    }

    /// Whole bytes that take `span`.
    pub fn bytes(&self, span: Span) -> u64 {
        self.pace.bytes(span)
    }

    pub fn span(&self, bytes: u64) -> Span {
        self.pace.span(bytes)
    }
}
