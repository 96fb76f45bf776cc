//! The pacer (RFC 9002 section 7.7): a bucket of packets that fills at the pacing rate.

use headgate_model::units::{SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

/// A bucket of packets. Each packet that leaves takes one out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pacer {
    packets: f64,
    filled_at: Time,
}

/// A sum of steps may miss a whole packet by a rounding error.
const ALMOST_ONE: f64 = 1.0 - 1e-9;

impl Pacer {
    /// Fills the bucket.
    pub(crate) fn fill(&mut self, depth: f64, now: Time) {
        *self = Self { packets: depth, filled_at: now };
    }

    /// Returns the time until a packet may leave at this rate, packets/s; 0 if one may leave now. The bucket
    /// contains at most `depth` packets.
    pub(crate) fn wait(&mut self, rate: f64, depth: f64, now: Time) -> Span {
        if rate == f64::INFINITY {
            self.fill(depth, now);
            return 0;
        }
        self.packets = (self.packets + rate * seconds(now - self.filled_at)).min(depth);
        self.filled_at = now;
        if self.packets >= ALMOST_ONE {
            return 0;
        }
        (((1.0 - self.packets) / rate * SECOND as f64) as Span).max(1)
    }

    /// Takes out a packet. A probe may leave the bucket with less than none.
    pub(crate) fn take(&mut self) {
        self.packets -= 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_as_large_as_the_bucket_and_the_rest_is_even() {
        let mut pacer = Pacer::default();
        pacer.fill(10.0, 0);
        let mut now = 0;
        for number in 0..30 {
            let wait = pacer.wait(1000.0, 10.0, now);
            assert_eq!(wait / (SECOND / 1_000_000), if number < 10 { 0 } else { 1000 }, "{number}");
            now += wait;
            assert_eq!(pacer.wait(1000.0, 10.0, now), 0);
            pacer.take();
        }
        assert_eq!(pacer.wait(1000.0, 10.0, now + SECOND), 0);
        assert_eq!(pacer.packets, 10.0);
    }
}
