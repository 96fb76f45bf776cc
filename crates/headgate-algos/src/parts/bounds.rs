//! Bounds from past losses: a short-term bound of rate and volume, and a long-term bound of volume that
//! probing raises (draft-ietf-ccwg-bbr §5.3.3, §5.5.10; Linux's bbr, version 3).

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Bounds {
    /// Bounds since the last probe, segments/s and segments in flight; infinite without a loss.
    pub bw_short: f64,
    pub inflight_short: f64,
    /// Largest flight whose loss was tolerated, segments; infinite before the first bound.
    pub inflight_long: f64,
    /// Acknowledged segments per added one, and those acknowledged since the last one.
    per_step: f64,
    acked: f64,
    rounds: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        let none = f64::INFINITY;
        let (bw_short, inflight_short, inflight_long) = (none, none, none);
        Self { bw_short, inflight_short, inflight_long, per_step: none, acked: 0.0, rounds: 0 }
    }
}

impl Bounds {
    /// Reduces the short-term bounds after a round trip with losses outside a probe: to what it delivered,
    /// but not below `beta`.
    pub fn cut(&mut self, latest: (f64, f64), now: (f64, f64), beta: f64) {
        let or = |bound: f64, now| if bound.is_finite() { bound } else { now };
        self.bw_short = latest.0.max(beta * or(self.bw_short, now.0));
        self.inflight_short = latest.1.max(beta * or(self.inflight_short, now.1));
    }

    pub fn forget_short(&mut self) {
        (self.bw_short, self.inflight_short) = (f64::INFINITY, f64::INFINITY);
    }

    /// Returns the long-term bound less a share that is left to others, at least one segment.
    pub fn with_headroom(&self, headroom: f64, floor: f64) -> f64 {
        if self.inflight_long.is_infinite() {
            return self.inflight_long;
        }
        (self.inflight_long - (headroom * self.inflight_long).max(1.0)).max(floor)
    }

    /// Prepares a probe, which grows by `2^doublings` segments in its first round trip.
    pub fn prepare(&mut self, doublings: u32) {
        (self.acked, self.rounds) = (0.0, doublings);
    }

    /// Doubles the growth per round trip.
    pub fn steepen(&mut self, cwnd: f64) {
        self.per_step = (cwnd / f64::from(1u32 << self.rounds)).floor().max(1.0);
        self.rounds = (self.rounds + 1).min(30);
    }

    pub fn stop(&mut self) {
        self.per_step = f64::INFINITY;
    }

    /// Takes `newly` segments that were acknowledged while the bound limited the flow.
    pub fn grow(&mut self, newly: f64) {
        self.acked += newly;
        let steps = (self.acked / self.per_step).floor();
        if steps > 0.0 {
            self.acked -= steps * self.per_step;
            self.inflight_long += steps;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_beta_but_never_less_than_was_delivered() {
        let mut bounds = Bounds::default();
        bounds.cut((500.0, 90.0), (1000.0, 100.0), 0.7);
        assert_eq!((bounds.bw_short, bounds.inflight_short), (700.0, 90.0));
        bounds.cut((600.0, 10.0), (1000.0, 100.0), 0.7);
        assert_eq!(bounds.bw_short, 600.0); // 0.7 * 700 is less
        assert!((bounds.inflight_short - 63.0).abs() < 1e-12);
    }

    #[test]
    fn growth_is_one_two_four_segments_a_round_trip() {
        let mut bounds = Bounds { inflight_long: 64.0, ..Bounds::default() };
        bounds.prepare(0);
        for expected in [65.0, 67.0, 71.0, 79.0] {
            bounds.steepen(64.0);
            (0..64).for_each(|_| bounds.grow(1.0));
            assert_eq!(bounds.inflight_long, expected);
        }
    }

    #[test]
    fn headroom_is_a_share_or_one_segment() {
        let bounds = |inflight_long| Bounds { inflight_long, ..Bounds::default() };
        assert_eq!(bounds(100.0).with_headroom(0.15, 4.0), 85.0);
        assert_eq!(bounds(6.0).with_headroom(0.15, 4.0), 5.0);
        assert_eq!(bounds(4.0).with_headroom(0.15, 4.0), 4.0);
        assert!(bounds(f64::INFINITY).with_headroom(0.15, 4.0).is_infinite());
    }
}
