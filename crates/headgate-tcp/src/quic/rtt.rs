//! RTT estimates of QUIC (RFC 9002 section 5).

use headgate_model::control::Path;
use headgate_model::units::{Span, picoseconds, seconds};
use serde::{Deserialize, Serialize};

use super::{GRANULARITY, Quic};

/// The estimates beside those of [`Path`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RttState {
    /// The last sample, seconds.
    latest_s: f64,
    /// Mean deviation, seconds.
    var_s: f64,
}

impl RttState {
    /// Takes a sample. Returns it without the delay of the ACK, which is subtracted unless the result would be
    /// below the smallest RTT (RFC 9002 section 5.3).
    pub(crate) fn sample(&mut self, latest: Span, ack_delay: Span, path: &mut Path) -> f64 {
        let latest_s = seconds(latest);
        self.latest_s = latest_s;
        path.min_rtt_s = path.min_rtt_s.min(latest_s);
        if path.srtt_s == 0.0 {
            (path.srtt_s, self.var_s) = (latest_s, latest_s / 2.0);
            return latest_s;
        }
        let delay_s = seconds(ack_delay);
        let rtt_s = if latest_s >= path.min_rtt_s + delay_s { latest_s - delay_s } else { latest_s };
        self.var_s = 0.75 * self.var_s + 0.25 * (path.srtt_s - rtt_s).abs();
        path.srtt_s = 0.875 * path.srtt_s + 0.125 * rtt_s;
        rtt_s
    }

    /// Returns the age at which an overtaken packet is lost (RFC 9002 section 6.1.2).
    pub(crate) fn loss_delay(&self, path: &Path, quic: &Quic) -> Span {
        picoseconds(quic.time_threshold * self.latest_s.max(path.srtt_s)).max(GRANULARITY)
    }

    /// Returns the probe timeout without back-off (RFC 9002 section 6.2.1).
    pub(crate) fn pto(&self, path: &Path, quic: &Quic) -> Span {
        picoseconds(path.srtt_s) + picoseconds(4.0 * self.var_s).max(GRANULARITY) + quic.max_ack_delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = GRANULARITY;

    fn path() -> Path {
        Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: 1200 }
    }

    fn ms(value_s: f64) -> f64 {
        (value_s * 1e9).round() / 1e6
    }

    #[test]
    fn estimates_follow_section_5_3() {
        let (mut path, mut rtt, quic) = (path(), RttState::default(), Quic::default());
        rtt.sample(100 * MS, 0, &mut path);
        assert_eq!((ms(path.srtt_s), ms(rtt.var_s), ms(path.min_rtt_s)), (100.0, 50.0, 100.0));
        assert_eq!(rtt.pto(&path, &quic), 325 * MS); // 100 + 4 * 50 + 25
        rtt.sample(140 * MS, 20 * MS, &mut path); // 120 without the delay
        assert_eq!((ms(path.srtt_s), ms(rtt.var_s)), (102.5, 42.5)); // 37.5 + 20/4
        assert_eq!(rtt.loss_delay(&path, &quic), 157_500_000_000); // 9/8 of 140 ms
        assert_eq!(ms(rtt.sample(110 * MS, 20 * MS, &mut path)), 110.0); // 90 would be below the least
        assert_eq!(ms(path.srtt_s), 103.4375);
    }

    #[test]
    fn timers_are_not_shorter_than_the_granularity() {
        let (mut path, mut rtt) = (path(), RttState::default());
        for _ in 0..200 {
            rtt.sample(MS / 10, 0, &mut path);
        }
        let quic = Quic { max_ack_delay: 0, ..Quic::default() };
        assert_eq!(rtt.loss_delay(&path, &quic), MS);
        assert_eq!(rtt.pto(&path, &quic), MS + MS / 10);
    }
}
