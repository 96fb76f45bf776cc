//! The rate that losses permit, by the two thresholds of the draft.
//!
//! Source: draft-ietf-rmcat-gcc-02 section 6.
//!
//! NOTE(draft-ietf-rmcat-gcc-02 section 6): losses are counted for at least a second and 20 packets, as in
//! libwebrtc (`kLossUpdateInterval`, `kLimitNumPackets`). The draft counts them per report of the receiver; a
//! report of every frame contains so few packets that one loss would exceed 10 %.

use super::arrivals::TIE_S;

/// Least time and packets of a count, seconds.
const COUNT_S: f64 = 1.0;
const COUNT_PACKETS: f64 = 20.0;
/// Share of losses below which the rate grows, its factor, and the share above which it falls.
const LOW: f64 = 0.02;
const INCREASE: f64 = 1.05;
const HIGH: f64 = 0.10;

/// The state of the control.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Thresholds {
    range_bps: (f64, f64),
    rate_bps: f64,
    packets: f64,
    lost: f64,
    counted_s: f64,
}

impl Thresholds {
    /// Creates a control with the largest rate, for rates in a range, bit/s.
    pub fn new(range_bps: (f64, f64)) -> Self {
        let rate_bps = range_bps.1;
        Self { range_bps, rate_bps, packets: 0.0, lost: 0.0, counted_s: f64::NEG_INFINITY }
    }

    /// The rate, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// Takes the packets of a report and the rate of the stream so far, bit/s.
    pub fn take(&mut self, packets: f64, lost: f64, rate_bps: f64, now_s: f64) {
        self.packets += packets;
        self.lost += lost;
        if now_s - self.counted_s < COUNT_S - TIE_S || self.packets < COUNT_PACKETS {
            return;
        }
        let loss = self.lost / self.packets;
        if loss > HIGH {
            self.rate_bps = rate_bps * (1.0 - 0.5 * loss);
        } else if loss < LOW {
            self.rate_bps *= INCREASE;
        }
        self.rate_bps = self.rate_bps.clamp(self.range_bps.0, self.range_bps.1);
        (self.packets, self.lost, self.counted_s) = (0.0, 0.0, now_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lost: f64) -> f64 {
        let mut thresholds = Thresholds::new((5e3, 1e9));
        thresholds.rate_bps = 1e6;
        thresholds.take(100.0, lost, 1e6, 1.0);
        thresholds.rate_bps()
    }

    #[test]
    fn the_rate_grows_stays_or_falls() {
        assert_eq!(after(1.0), 1.05e6);
        assert_eq!(after(2.0), 1e6);
        assert_eq!(after(10.0), 1e6);
        assert_eq!(after(20.0), 0.9e6);
    }

    #[test]
    fn a_decrease_begins_at_the_rate_of_the_stream() {
        let mut thresholds = Thresholds::new((5e3, 1e9));
        thresholds.take(100.0, 20.0, 1e6, 1.0); // the rate was the largest one, which never limited
        assert_eq!(thresholds.rate_bps(), 0.9e6);
    }

    #[test]
    fn a_count_needs_a_second_and_twenty_packets() {
        let mut thresholds = Thresholds::new((5e3, 1e9));
        thresholds.take(19.0, 19.0, 1e6, 1.0);
        assert_eq!(thresholds.rate_bps(), 1e9);
        thresholds.take(1.0, 1.0, 1e6, 1.1);
        assert_eq!(thresholds.rate_bps(), 0.5e6);
        thresholds.take(100.0, 100.0, 0.5e6, 2.0);
        assert_eq!(thresholds.rate_bps(), 0.5e6);
    }
}
