//! Numbers that look random and are derived from a connection's state. The same flow always draws the same
//! numbers, and no stream of the run is used.

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Draw {
    seed: u64,
}

impl Draw {
    /// Creates a generator from the start time and the RTT of a connection, seconds.
    pub fn new(now_s: f64, rtt_s: f64) -> Self {
        Self { seed: now_s.to_bits() ^ rtt_s.to_bits().rotate_left(32) }
    }

    /// Returns a number in [0, 1); a different one for each `fact`, such as the segments delivered so far.
    pub fn uniform(&self, fact: f64) -> f64 {
        (mix(self.seed ^ fact.to_bits()) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns an integer in [0, n).
    pub fn below(&self, n: u32, fact: f64) -> u32 {
        (self.uniform(fact) * f64::from(n)) as u32
    }
}

/// The finaliser of MurmurHash3 (Appleby).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_numbers_come_equally_often() {
        let draw = Draw::new(1.5, 0.1);
        let mut seen = [0; 7];
        (0..7000).for_each(|fact| seen[draw.below(7, f64::from(fact)) as usize] += 1);
        // five standard deviations of sqrt(1000 * 6/7) = 29
        assert!(seen.iter().all(|count| (854..=1146).contains(count)), "{seen:?}");
    }
}
