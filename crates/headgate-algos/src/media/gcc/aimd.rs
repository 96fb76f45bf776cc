//! Additive or multiplicative increase and multiplicative decrease of the rate that the delay permits.
//!
//! Sources: draft-ietf-rmcat-gcc-02 section 5.5; libwebrtc `aimd_rate_control.cc`.
//!
//! NOTE(draft-ietf-rmcat-gcc-02 section 5.5): after a decrease the state is Hold at once, as in libwebrtc. In
//! the draft it is Hold after the next signal that is not over-use, which decreases the rate at every report
//! of one over-use.

use super::Variant;
use super::arrivals::TIE_S;
use super::capacity::Capacity;
use super::detector::Usage;

/// Factor of a decrease (draft section 5.6: `beta`), and what libwebrtc subtracts beyond it, bit/s.
const DECREASE: f64 = 0.85;
const EXTRA_DECREASE_BPS: f64 = 5e3;
/// Factor of an increase far from the capacity, per second, and its least step, bit/s.
const INCREASE: f64 = 1.08;
const LEAST_STEP_BPS: f64 = 1e3;
/// Longest time of one increase, seconds.
const LONGEST_STEP_S: f64 = 1.0;
/// Largest rate as a multiple of the measured one, and what libwebrtc adds to it, bit/s.
const MOST_AHEAD: f64 = 1.5;
const EXTRA_AHEAD_BPS: f64 = 10e3;
/// Frames per second and bytes per packet of the stream that sets the additive increase (draft section 5.5).
const FRAMES_PER_S: f64 = 30.0;
const PACKET_BITS: f64 = 8.0 * 1200.0;
/// Time that the detector takes, seconds (draft section 5.5).
const DETECTION_S: f64 = 0.1;
/// Least slope of libwebrtc's additive increase, bit/s per second.
const LEAST_SLOPE_BPS: f64 = 4e3;
/// Round trip before the first measurement, and its range between decreases, seconds (`kDefaultRtt`,
/// `TimeToReduceFurther`).
const FIRST_RTT_S: f64 = 0.2;
const DECREASE_GAPS_S: (f64, f64) = (0.01, 0.2);
/// Share of the rate below which a measured rate permits a decrease at any time.
const FAR_BELOW: f64 = 0.5;

/// The change of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum State {
    Hold,
    Increase,
}

/// The rate that the delay permits.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Aimd {
    variant: Variant,
    state: State,
    rate_bps: f64,
    least_bps: f64,
    /// Time of the last change, seconds.
    changed_s: f64,
    /// The last measured rate, bit/s.
    measured_bps: f64,
    capacity: Capacity,
    rtt_s: f64,
}

impl Aimd {
    /// Creates a controller with a first rate, which never falls below `least_bps`.
    pub fn new(variant: Variant, start_bps: f64, least_bps: f64) -> Self {
        Self {
            variant,
            state: State::Hold,
            rate_bps: start_bps.max(least_bps),
            least_bps,
            changed_s: f64::NEG_INFINITY,
            measured_bps: start_bps,
            capacity: Capacity::default(),
            rtt_s: FIRST_RTT_S,
        }
    }

    /// The rate, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// Takes a round trip, seconds.
    pub fn take_rtt(&mut self, rtt_s: f64) {
        self.rtt_s = rtt_s;
    }

    /// Sets the rate, bit/s.
    pub fn set(&mut self, rate_bps: f64, now_s: f64) {
        self.rate_bps = rate_bps.max(self.least_bps);
        self.changed_s = now_s;
    }

    /// Whether over-use may decrease the rate now, with the measured rate, bit/s.
    pub fn may_decrease(&self, measured_bps: f64, now_s: f64) -> bool {
        let gap_s = self.rtt_s.clamp(DECREASE_GAPS_S.0, DECREASE_GAPS_S.1);
        now_s - self.changed_s >= gap_s - TIE_S || measured_bps < FAR_BELOW * self.rate_bps
    }

    /// Halves the rate, because nothing was measured yet.
    pub fn halve(&mut self, now_s: f64) {
        self.set(0.5 * self.rate_bps, now_s);
    }

    /// Adapts the rate to a judgement, with the measured rate if there is one, bit/s.
    pub fn update(&mut self, usage: Usage, measured_bps: Option<f64>, now_s: f64) {
        self.measured_bps = measured_bps.unwrap_or(self.measured_bps);
        match usage {
            Usage::Over => self.decrease(now_s),
            Usage::Under => self.state = State::Hold,
            Usage::Normal => {
                if self.state == State::Hold {
                    (self.state, self.changed_s) = (State::Increase, now_s);
                }
                self.increase(now_s);
            }
        }
    }

    fn decrease(&mut self, now_s: f64) {
        let mut rate_bps = DECREASE * self.measured_bps;
        if self.variant == Variant::Webrtc && rate_bps > EXTRA_DECREASE_BPS {
            rate_bps -= EXTRA_DECREASE_BPS;
        }
        if rate_bps > self.rate_bps {
            rate_bps = self.capacity.mean_bps().map_or(rate_bps, |mean_bps| DECREASE * mean_bps);
        }
        self.capacity.take(self.measured_bps);
        self.state = State::Hold;
        self.set(rate_bps.min(self.rate_bps), now_s);
    }

    fn increase(&mut self, now_s: f64) {
        self.capacity.forget_if_below(self.measured_bps);
        let extra_bps = if self.variant == Variant::Webrtc { EXTRA_AHEAD_BPS } else { 0.0 };
        let most_bps = MOST_AHEAD * self.measured_bps + extra_bps;
        if self.rate_bps < most_bps {
            let step_bps = self.step_bps(now_s - self.changed_s);
            self.rate_bps = (self.rate_bps + step_bps).min(most_bps).max(self.least_bps);
        }
        self.changed_s = now_s;
    }

    /// Returns the increase after a time, bit/s.
    fn step_bps(&self, elapsed_s: f64) -> f64 {
        if self.capacity.mean_bps().is_none() {
            let factor = INCREASE.powf(elapsed_s.min(LONGEST_STEP_S));
            return (self.rate_bps * (factor - 1.0)).max(LEAST_STEP_BPS);
        }
        let response_s = self.rtt_s + DETECTION_S;
        match self.variant {
            Variant::Webrtc => {
                let slope_bps = 0.5 * self.packet_bits() / response_s;
                slope_bps.max(LEAST_SLOPE_BPS) * elapsed_s
            }
            Variant::Draft => {
                let share = 0.5 * (elapsed_s / response_s).min(1.0);
                (share * self.packet_bits()).max(LEAST_STEP_BPS)
            }
        }
    }

    /// Mean size of the packets of a frame at this rate, bits.
    fn packet_bits(&self) -> f64 {
        let frame_bits = self.rate_bps / FRAMES_PER_S;
        frame_bits / (frame_bits / PACKET_BITS).ceil()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aimd(variant: Variant) -> Aimd {
        let mut aimd = Aimd::new(variant, 1e6, 5e3);
        aimd.update(Usage::Normal, Some(1e6), 0.0); // leaves Hold; the step after no time is the least one
        aimd
    }

    #[test]
    fn far_from_the_capacity_it_grows_by_eight_percent_per_second() {
        let mut aimd = aimd(Variant::Webrtc);
        assert_eq!(aimd.rate_bps(), 1.001e6);
        aimd.update(Usage::Normal, Some(1e6), 1.0);
        assert!((aimd.rate_bps() - 1.08 * 1.001e6).abs() < 1.0);
        aimd.update(Usage::Normal, Some(1e6), 9.0); // more than a second counts as one
        assert!((aimd.rate_bps() - 1.08 * 1.08 * 1.001e6).abs() < 1.0);
    }

    #[test]
    fn over_use_leads_below_the_measured_rate() {
        let mut webrtc = aimd(Variant::Webrtc);
        webrtc.update(Usage::Over, Some(0.9e6), 1.0);
        assert!((webrtc.rate_bps() - (0.85 * 0.9e6 - 5e3)).abs() < 1e-6);
        let mut draft = aimd(Variant::Draft);
        draft.update(Usage::Over, Some(0.9e6), 1.0);
        assert!((draft.rate_bps() - 0.85 * 0.9e6).abs() < 1e-6);
    }

    #[test]
    fn near_the_capacity_it_adds_half_a_packet_per_response() {
        // 765 kbit/s: 25,500 bit a frame, 3 packets of 8,500 bit; response 0.1 + 0.2 s
        let mut webrtc = aimd(Variant::Webrtc);
        webrtc.update(Usage::Over, Some(0.9e6), 1.0);
        let before = webrtc.rate_bps();
        webrtc.update(Usage::Normal, Some(0.9e6), 2.0);
        assert_eq!(webrtc.rate_bps(), before); // the time begins when Hold ends
        webrtc.update(Usage::Normal, Some(0.9e6), 2.1);
        let bits = before / 30.0 / 3.0;
        assert!((webrtc.rate_bps() - before - 0.1 * 0.5 * bits / 0.3).abs() < 1e-6);
        let mut draft = aimd(Variant::Draft);
        draft.update(Usage::Over, Some(0.9e6), 1.0);
        draft.update(Usage::Normal, Some(0.9e6), 2.0);
        draft.update(Usage::Normal, Some(0.9e6), 2.2);
        let half = 0.5 * (0.2f64 / 0.3) * (766e3 / 30.0 / 3.0);
        assert!((draft.rate_bps() - 766e3 - half).abs() < 1.0); // 1,000 bit/s as Hold ended
    }

    #[test]
    fn a_rate_far_above_the_known_capacity_makes_it_grow_fast_again() {
        let mut aimd = aimd(Variant::Webrtc);
        aimd.update(Usage::Over, Some(0.9e6), 1.0);
        aimd.update(Usage::Normal, Some(1.2e6), 2.0); // 0.9 + 3 sqrt(0.4 * 900) / 1000 = 0.957
        let before = aimd.rate_bps();
        aimd.update(Usage::Normal, Some(1.2e6), 3.0);
        assert!((aimd.rate_bps() - 1.08 * before).abs() < 1e-6);
    }

    #[test]
    fn the_rate_stays_below_half_as_much_again_as_the_measured_one() {
        let mut aimd = aimd(Variant::Webrtc);
        for n in 1..100 {
            aimd.update(Usage::Normal, Some(0.8e6), f64::from(n));
        }
        assert_eq!(aimd.rate_bps(), 1.5 * 0.8e6 + 10e3);
    }

    #[test]
    fn under_use_holds_the_rate() {
        let mut aimd = aimd(Variant::Webrtc);
        let before = aimd.rate_bps();
        for n in 1..10 {
            aimd.update(Usage::Under, Some(1e6), f64::from(n));
        }
        assert_eq!(aimd.rate_bps(), before);
    }

    #[test]
    fn decreases_are_a_round_trip_apart_unless_the_measured_rate_is_far_below() {
        let mut aimd = aimd(Variant::Webrtc);
        aimd.take_rtt(0.15);
        aimd.update(Usage::Over, Some(0.9e6), 1.0);
        assert!(!aimd.may_decrease(0.9e6, 1.14));
        assert!(aimd.may_decrease(0.3e6, 1.14));
        assert!(aimd.may_decrease(0.9e6, 1.16));
        aimd.take_rtt(3.0);
        assert!(aimd.may_decrease(0.9e6, 1.21)); // 0.2 s at most
    }
}
