//! The rate that the delay permits: groups of packets, a filter, the detector and the rate control in a row.
//!
//! Sources: draft-ietf-rmcat-gcc-02 section 5; libwebrtc `delay_based_bwe.cc`.
//!
//! NOTE(libwebrtc `aimd_rate_control.cc`): over-use before any rate is measured halves the rate at every
//! report, as its program does. Its comment says every 200 ms.

use super::Variant;
use super::aimd::Aimd;
use super::arrivals::{Arrivals, Gap};
use super::detector::{Detector, Gains, Usage};
use super::kalman::Kalman;
use super::trendline::Trendline;

/// Time without reports after which the filter starts again, seconds (`kStreamTimeOut`).
const SILENCE_S: f64 = 2.0;

/// The filter of the delay.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Filter {
    Trendline(Trendline),
    Kalman(Kalman),
}

impl Filter {
    fn new(variant: Variant) -> Self {
        match variant {
            Variant::Webrtc => Self::Trendline(Trendline::default()),
            Variant::Draft => Self::Kalman(Kalman::default()),
        }
    }

    /// Takes a gap. Returns the signal, in milliseconds, and its trend.
    fn take(&mut self, gap: &Gap, arrived_ms: f64) -> (f64, f64) {
        match self {
            Self::Trendline(trendline) => {
                let slope = trendline.take(gap, arrived_ms);
                (trendline.strength_ms(), slope)
            }
            Self::Kalman(kalman) => {
                let change_ms = kalman.take(gap);
                (kalman.strength_ms(), change_ms)
            }
        }
    }
}

/// Packets that arrived, and rates that were measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Rate of the arrivals, bit/s.
    pub arriving_bps: Option<f64>,
    /// Result of a probe, bit/s.
    pub probe_bps: Option<f64>,
}

/// The delay-based control.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Delay {
    variant: Variant,
    arrivals: Arrivals,
    filter: Filter,
    detector: Detector,
    aimd: Aimd,
    /// Time of the last report, seconds.
    reported_s: f64,
}

impl Delay {
    /// Creates a control with a first rate, which never falls below `least_bps`.
    pub fn new(variant: Variant, start_bps: f64, least_bps: f64) -> Self {
        Self {
            variant,
            arrivals: Arrivals::default(),
            filter: Filter::new(variant),
            detector: new_detector(variant),
            aimd: Aimd::new(variant, start_bps, least_bps),
            reported_s: f64::NEG_INFINITY,
        }
    }

    /// The rate, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.aimd.rate_bps()
    }

    /// The last judgement.
    pub fn usage(&self) -> Usage {
        self.detector.usage()
    }

    /// The threshold of the detector, milliseconds.
    pub fn threshold_ms(&self) -> f64 {
        self.detector.threshold_ms()
    }

    /// Takes a round trip, seconds.
    pub fn take_rtt(&mut self, rtt_s: f64) {
        self.aimd.take_rtt(rtt_s);
    }

    /// Takes the packets of a report that arrived, as (sent, arrived) in seconds, in the order of arrivals.
    pub fn take(&mut self, packets: impl Iterator<Item = (f64, f64)>, measured: &Measured, now_s: f64) {
        let mut has_packets = false;
        for (sent_s, arrived_s) in packets {
            has_packets = true;
            let is_judged = self.take_packet(sent_s, arrived_s, now_s);
            // section 5.5: as soon as over-use is detected; the end of a frame may hide it until the report
            // ends
            if is_judged && self.variant == Variant::Draft && self.usage() == Usage::Over {
                self.change_rate(measured, now_s);
            }
        }
        if has_packets {
            self.change_rate(measured, now_s);
        }
    }

    /// Takes a packet that arrived. Returns whether a group ended with it.
    fn take_packet(&mut self, sent_s: f64, arrived_s: f64, now_s: f64) -> bool {
        if now_s - self.reported_s > SILENCE_S {
            self.arrivals = Arrivals::default();
            self.filter = Filter::new(self.variant);
            self.detector = new_detector(self.variant);
        }
        self.reported_s = now_s;
        let Some(gap) = self.arrivals.take(sent_s, arrived_s) else {
            return false;
        };
        let arrived_ms = 1e3 * arrived_s;
        let (signal_ms, trend) = self.filter.take(&gap, arrived_ms);
        self.detector.judge(signal_ms, trend, gap.sent_ms, arrived_ms);
        true
    }

    fn change_rate(&mut self, measured: &Measured, now_s: f64) {
        let usage = self.usage();
        match (usage, measured.arriving_bps, measured.probe_bps) {
            (Usage::Over, Some(arriving_bps), _) => {
                // the draft sets no time between decreases
                if self.variant == Variant::Draft || self.aimd.may_decrease(arriving_bps, now_s) {
                    self.aimd.update(usage, measured.arriving_bps, now_s);
                }
            }
            (Usage::Over, None, _) if self.variant == Variant::Webrtc => self.aimd.halve(now_s),
            (Usage::Over, None, _) => {} // the draft knows no rate to decrease to
            (_, _, Some(probe_bps)) => self.aimd.set(probe_bps, now_s),
            (_, arriving_bps, None) => self.aimd.update(usage, arriving_bps, now_s),
        }
    }
}

fn new_detector(variant: Variant) -> Detector {
    Detector::new(match variant {
        Variant::Webrtc => Gains::WEBRTC,
        Variant::Draft => Gains::DRAFT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports a 1200-byte packet every 10 ms (960 kbit/s) whose delay grows by `growth` per second; returns
    /// the time at which the rate falls, seconds.
    fn falls_at(variant: Variant, growth: f64) -> Option<f64> {
        let mut delay = Delay::new(variant, 960e3, 5e3);
        let mut rate_bps = delay.rate_bps();
        for n in 0..3000 {
            let sent_s = 0.01 * f64::from(n);
            let arrived_s = sent_s + 0.05 + growth * sent_s;
            let measured = Measured { arriving_bps: Some(960e3 / (1.0 + growth)), probe_bps: None };
            delay.take([(sent_s, arrived_s)].into_iter(), &measured, arrived_s + 0.05);
            if delay.rate_bps() < rate_bps {
                return Some(sent_s);
            }
            rate_bps = delay.rate_bps();
        }
        None
    }

    #[test]
    fn a_growing_delay_lowers_the_rate_within_a_second() {
        // slope 1/11: 60 groups of 10 ms are known after 0.6 s, and 240/11 ms is above any threshold
        for variant in [Variant::Webrtc, Variant::Draft] {
            let at_s = falls_at(variant, 0.1).expect("over-use");
            assert!((0.2..=1.0).contains(&at_s), "{variant:?}: {at_s}");
        }
    }

    #[test]
    fn a_constant_delay_never_lowers_the_rate() {
        for variant in [Variant::Webrtc, Variant::Draft] {
            assert_eq!(falls_at(variant, 0.0), None);
        }
    }

    #[test]
    fn a_probe_sets_the_rate_unless_the_delay_grows() {
        let mut delay = Delay::new(Variant::Webrtc, 300e3, 5e3);
        let measured = Measured { arriving_bps: Some(300e3), probe_bps: Some(1.2e6) };
        delay.take([(0.0, 0.05)].into_iter(), &measured, 0.1);
        assert_eq!(delay.rate_bps(), 1.2e6);
    }

    #[test]
    fn two_seconds_of_silence_start_the_filter_again() {
        let mut delay = Delay::new(Variant::Webrtc, 300e3, 5e3);
        let measured = Measured { arriving_bps: Some(300e3), probe_bps: None };
        for n in 0..100 {
            let sent_s = 0.01 * f64::from(n);
            delay.take([(sent_s, 1.1 * sent_s)].into_iter(), &measured, 1.2 * sent_s);
        }
        assert!(delay.threshold_ms() != 12.5);
        delay.take([(4.0, 4.1)].into_iter(), &measured, 4.2);
        assert_eq!((delay.threshold_ms(), delay.usage()), (12.5, Usage::Normal));
    }
}
