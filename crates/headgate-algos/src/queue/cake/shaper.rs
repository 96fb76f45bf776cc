//! The shaper: a clock that each packet advances by the time that it takes at the bandwidth. There is no burst.

use headgate_model::units::{SECOND, Time, picoseconds};

use super::Params;
use super::options::Framing;

/// Least bandwidth, bytes/s (Linux `sch_cake.c`).
const LEAST_BYTES_S: f64 = 64.0;

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Shaper {
    /// Time that a byte takes, picoseconds; 0 without a shaper.
    byte_ps: f64,
    overhead_bytes: f64,
    mpu_bytes: f64,
    framing: Framing,
    /// Time before which no packet leaves.
    pub next: Time,
}

impl Shaper {
    pub fn new(params: &Params) -> Self {
        let Params { bandwidth_bytes_s, overhead_bytes, mpu_bytes, framing, .. } = *params;
        let shapes = bandwidth_bytes_s > 0.0;
        let byte_ps = if shapes { SECOND as f64 / bandwidth_bytes_s.max(LEAST_BYTES_S) } else { 0.0 };
        Self { byte_ps, overhead_bytes, mpu_bytes, framing, next: 0 }
    }

    /// Returns the bytes that a packet takes on the line behind.
    #[inline]
    pub fn size(&self, size_bytes: u32) -> f64 {
        let bytes = (f64::from(size_bytes) + self.overhead_bytes).max(self.mpu_bytes).max(1.0);
        match self.framing {
            Framing::Plain => bytes,
            Framing::Atm => libm::ceil(bytes / 48.0) * 53.0,
            Framing::Ptm => bytes + libm::ceil(bytes / 64.0),
        }
    }

    /// Returns the time that bytes take, seconds; 0 without a shaper.
    pub fn time_s(&self, bytes: f64) -> f64 {
        bytes * self.byte_ps / SECOND as f64
    }

    /// A packet arrives and finds no other: time without packets is not made up for.
    #[inline]
    pub fn begin(&mut self, now_s: f64) {
        if self.byte_ps > 0.0 {
            self.next = self.next.max(picoseconds(now_s));
        }
    }

    /// Charges a packet of this size on the line.
    #[inline]
    pub fn charge(&mut self, bytes: f64) {
        self.next += libm::round(bytes * self.byte_ps) as Time;
    }
}
