//! Time as integer picoseconds, and a clock that serialises bytes without drift.

use serde::{Deserialize, Serialize};

/// Picoseconds per second.
pub const SECOND: u64 = 1_000_000_000_000;

/// A point in time, picoseconds since the start of the run. 213 days fit.
pub type Time = u64;

/// A duration in picoseconds.
pub type Span = u64;

/// A time later than every time of a run.
pub const NEVER: Time = u64::MAX;

/// Converts picoseconds to seconds.
pub fn seconds(ps: u64) -> f64 {
    ps as f64 / SECOND as f64
}

/// Converts seconds to picoseconds, rounded to the nearest.
pub fn picoseconds(s: f64) -> u64 {
    libm::round(s * SECOND as f64) as u64
}

/// A rate in lowest terms: `bytes` take `bytes * num / den` picoseconds, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    num: u64,
    den: u32,
}

/// The transmission time of one packet: whole picoseconds and a remainder in units of `1/den`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// Whole picoseconds.
    pub whole: u64,
    /// The remainder, in units of `1/den`.
    pub part: u32,
}

impl Pace {
    /// Creates the pace of a rate in bit/s. Rates whose reduced denominator exceeds 32 bits are rounded down
    /// to a multiple of 1 kbit/s or 1 Mbit/s; only odd rates above 4 Gbit/s are.
    ///
    /// # Panics
    /// If the rate is zero, because the scenario was not validated.
    pub fn new(rate: u64) -> Self {
        assert!(rate > 0, "a rate of zero");
        let rounded = |unit: u64| Self::reduced(rate / unit * unit);
        [1, 1_000, 1_000_000].into_iter().find_map(rounded).expect("fits up to 4 Ebit/s")
    }

    fn reduced(rate: u64) -> Option<Self> {
        let bits_ps = 8 * SECOND;
        let g = gcd(bits_ps, rate);
        Some(Self { num: bits_ps / g, den: u32::try_from(rate / g).ok()? })
    }

    /// The transmission time of a packet of this size, bytes.
    pub fn tick(&self, bytes: u32) -> Tick {
        let total = u128::from(bytes) * u128::from(self.num);
        let den = u128::from(self.den);
        Tick { whole: (total / den) as u64, part: (total % den) as u32 }
    }

    /// The transmission time of `bytes`, rounded up.
    pub fn span(&self, bytes: u64) -> Span {
        let span = (u128::from(bytes) * u128::from(self.num)).div_ceil(u128::from(self.den));
        Span::try_from(span).unwrap_or(Span::MAX)
    }

    /// The whole bytes that are sent in `span`.
    pub fn bytes(&self, span: Span) -> u64 {
        (u128::from(span) * u128::from(self.den) / u128::from(self.num)) as u64
    }

    /// The denominator of the remainders.
    pub fn den(&self) -> u32 {
        self.den
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The time at which a serialiser becomes free, as whole picoseconds and the carried remainder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// The serialiser is free from this time on.
    pub until: Time,
    part: u32,
}

impl Busy {
    /// Drops the remainder, because later packets use ticks of another pace. The backlog stays exact to the
    /// picosecond.
    pub fn change_pace(&mut self) {
        self.part = 0;
    }

    /// Whole bytes that remain to be sent at `from`, at the pace of the last packets.
    pub fn rest(&self, from: Time, pace: &Pace) -> u64 {
        if from >= self.until {
            return 0;
        }
        let fine = u128::from(self.until - from) * u128::from(pace.den) + u128::from(self.part);
        (fine / u128::from(pace.num)) as u64
    }

    /// Extends the current service by a pause.
    pub fn pause(&mut self, pause: Span) {
        self.until = self.until.saturating_add(pause);
    }

    /// Ends the current service at `now`, before its last bit has left.
    pub fn interrupt(&mut self, now: Time) {
        *self = Self { until: now, part: 0 };
    }

    /// Serves one packet that is present at `now`. Returns the time at which its last bit has left.
    #[inline]
    pub fn serve(&mut self, now: Time, tick: Tick, den: u32) -> Time {
        if now > self.until {
            *self = Self { until: now, part: 0 };
        }
        // part < den and tick.part < den, so the sum fits 33 bits
        let part = u64::from(self.part) + u64::from(tick.part);
        let carry = part >= u64::from(den);
        self.until = self.until.saturating_add(tick.whole + u64::from(carry));
        self.part = (part - if carry { u64::from(den) } else { 0 }) as u32;
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_small_packets_at_100_gbit_do_not_drift() {
        let pace = Pace::new(100_000_000_000);
        let mut busy = Busy::default();
        for _ in 0..1_000_000 {
            busy.serve(0, pace.tick(64), pace.den());
        }
        assert_eq!(busy.until, 5_120_000_000); // 64 B * 8 / 100e9 * 1e6 = 5.12 ms
    }

    #[test]
    fn every_rate_has_a_pace() {
        for rate in [1, 4_294_967_311, 99_999_999_999_999] {
            let exact = 1500.0 * 8e12 / rate as f64;
            assert!((Pace::new(rate).span(1500) as f64 - exact).abs() <= 1.0 + exact * 1e-6, "{rate}");
        }
        assert_eq!(Pace::new(1_000_000_000_000).span(12_500_000_000), SECOND / 10);
    }

    #[test]
    fn the_remainder_is_carried_exactly() {
        let pace = Pace::new(192_000_000_000); // 1500 B take 62 500 ps; 40 B take 1666 2/3 ps
        assert_eq!(pace.tick(1500), Tick { whole: 62_500, part: 0 });
        let mut busy = Busy::default();
        for _ in 0..3 {
            busy.serve(0, pace.tick(40), pace.den());
        }
        assert_eq!(busy.until, 5_000);
    }

    #[test]
    fn an_odd_rate_is_exact_over_a_second() {
        let pace = Pace::new(123_456_789);
        let mut busy = Busy::default();
        for _ in 0..123_456_789 / 8 / 100 {
            busy.serve(0, pace.tick(100), pace.den());
        }
        let bytes = u128::from(123_456_789u64 / 8 / 100 * 100);
        assert_eq!(u128::from(busy.until), bytes * 8 * u128::from(SECOND) / 123_456_789);
    }

    #[test]
    fn an_idle_serialiser_starts_at_once() {
        let pace = Pace::new(8_000_000_000_000); // 1 ps per byte
        let mut busy = Busy::default();
        assert_eq!(busy.serve(10, pace.tick(5), pace.den()), 15);
        assert_eq!(busy.serve(12, pace.tick(5), pace.den()), 20);
        assert_eq!(busy.serve(30, pace.tick(5), pace.den()), 35);
    }
}
