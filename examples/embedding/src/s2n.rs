//! The CUBIC of s2n-quic-core (RFC 8312, with hybrid slow start) as a controller of the simulator.
//!
//! s2n's CUBIC counts the bytes in flight itself, so it must learn of each packet sent. A [`Controller`] gets no such
//! call. Before an ACK outside recovery the adapter reports the difference as sent. This is exact for an ACK-clocked
//! sender. The pacer of s2n is not used, because the simulator's profile paces.

use headgate_algos::impairment::AnyImpairment;
use headgate_algos::media::AnyRateController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::control::{Ack, Cause, Congestion, Controller, ControllerRegistry, Path, Window};
use headgate_model::params::Card;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use serde::de::Error as _;
use serde::ser::Error as _;
use std::time::Duration;

/// The CUBIC of one flow.
#[derive(Clone, Debug)]
pub struct Cubic {
    cubic: CubicCongestionController,
    rtt: RttEstimator,
    segment_bytes: u32,
    /// Time at which the last ACK released packets.
    sent: Timestamp,
}

impl Cubic {
    /// Makes the controller of a new flow with datagrams of `segment_bytes`.
    #[must_use]
    pub fn new(segment_bytes: u16) -> Self {
        Self {
            cubic: CubicCongestionController::new(segment_bytes, Default::default()),
            rtt: RttEstimator::default(),
            segment_bytes: u32::from(segment_bytes),
            sent: timestamp(0.0),
        }
    }

    fn bytes(&self, segments: f64) -> u32 {
        (segments * f64::from(self.segment_bytes)) as u32
    }

    fn segments(&self, bytes: u32) -> f64 {
        f64::from(bytes) / f64::from(self.segment_bytes)
    }

    /// Reports the bytes sent since the last ACK.
    fn catch_up(&mut self, ack: &Ack) {
        let sent = self.bytes(f64::from(ack.in_flight)).saturating_sub(self.cubic.bytes_in_flight());
        let app_limited = Some(!ack.cwnd_limited);
        self.cubic.on_packet_sent(self.sent, sent as usize, app_limited, &self.rtt, &mut Silent);
    }

    fn take_rtt(&mut self, rtt_s: f64, now: Timestamp) {
        let rtt = Duration::from_secs_f64(rtt_s);
        self.rtt.update_rtt(Duration::ZERO, rtt, now, true, PacketNumberSpace::ApplicationData);
        self.cubic.on_rtt_update(now - rtt, now, &self.rtt, &mut Silent);
    }

    fn take_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let now = timestamp(ack.now_s);
        if ack.rtt_s > 0.0 {
            self.take_rtt(ack.rtt_s, now);
        }
        let rtt_s = if ack.rtt_s > 0.0 { ack.rtt_s } else { path.srtt_s };
        let newest = now - Duration::from_secs_f64(rtt_s);
        let acked = self.bytes(ack.acked).min(self.cubic.bytes_in_flight());
        self.cubic.on_ack(newest, acked as usize, (), &self.rtt, &mut Zeros, now, &mut Silent);
        self.sent = now;
        window.cwnd = self.segments(self.cubic.congestion_window());
    }
}

impl Controller for Cubic {
    fn on_start(&mut self, now_s: f64, _path: &Path, window: &mut Window) {
        self.sent = timestamp(now_s);
        window.cwnd = self.segments(self.cubic.congestion_window());
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.catch_up(ack);
        self.take_ack(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let recovering = window.cwnd;
        self.take_ack(ack, path, window);
        window.cwnd = recovering; // the transport sets the window during recovery
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let now = timestamp(event.now_s);
        let persistent = event.cause == Cause::Timeout;
        match event.cause {
            Cause::Mark => self.cubic.on_explicit_congestion(1, now, &mut Silent),
            _ if self.cubic.bytes_in_flight() < self.segment_bytes => {}
            _ => self.cubic.on_packet_lost(
                self.segment_bytes,
                (),
                persistent,
                true,
                &mut Zeros,
                now,
                &mut Silent,
            ),
        }
        window.ssthresh = self.segments(self.cubic.congestion_window());
    }
}

/// An instant of a run. The clock that gives time 0 always returns one microsecond.
fn timestamp(now_s: f64) -> Timestamp {
    NoopClock.get_time() + Duration::from_secs_f64(now_s)
}

/// Discards all events.
struct Silent;

impl Publisher for Silent {
    fn on_slow_start_exited(&mut self, _cause: SlowStartExitCause, _window: u32) {}

    fn on_delivery_rate_sampled(&mut self, _sample: RateSample) {}

    fn on_pacing_rate_updated(&mut self, _rate: Bandwidth, _burst: u32, _gain: num_rational::Ratio<u64>) {}

    fn on_bbr_state_changed(&mut self, _state: BbrState) {}
}

/// CUBIC uses no random numbers.
struct Zeros;

impl Generator for Zeros {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        dest.fill(0);
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        dest.fill(0);
    }
}

/// A registry with this controller only. Its single parameter is the size of a datagram in bytes.
impl ControllerRegistry for Cubic {
    type Queue = AnyQueue;
    type Router = AnyRouter;
    type Impairment = AnyImpairment;
    type Media = AnyRateController;

    fn cards() -> &'static [&'static Card] {
        &[]
    }

    fn build(_index: usize, values: &[f64]) -> Self {
        Self::new(values[0] as u16)
    }
}

/// The state of s2n's CUBIC is private, so a run with it cannot be written to a snapshot.
impl serde::Serialize for Cubic {
    fn serialize<S: serde::Serializer>(&self, _serializer: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("the state of s2n-quic-core's CUBIC cannot be written out"))
    }
}

impl<'de> serde::Deserialize<'de> for Cubic {
    fn deserialize<D: serde::Deserializer<'de>>(_deserializer: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the state of s2n-quic-core's CUBIC cannot be read back"))
    }
}
