//! Headgate's controllers behind quinn-proto's [`congestion::Controller`].
//!
//! A segment is a datagram of the path's MTU. quinn acknowledges single packets and reports the end of a batch. The
//! adapter makes one [`Ack`] per batch. quinn reports a loss for each batch of lost packets. As with TCP, a controller
//! gets one congestion event per window. A recovery ends with the ACK of a packet that was sent after its loss
//! (RFC 9002 §7.3.2). quinn paces by its window and RTT whatever the controller sets. The controller's pace appears
//! only in the metrics.

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{self, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Initial window, segments (RFC 9002 §7.2).
const INITIAL_WINDOW: f64 = 10.0;

/// Minimum window, segments (RFC 9002 §7.2).
const LEAST_WINDOW: f64 = 2.0;

/// Bytes acknowledged since the end of the last batch.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    bytes: u64,
    /// Time at which its newest packet was sent.
    newest: Option<Instant>,
}

/// The controller of one path.
#[derive(Clone, Debug)]
pub struct Embedded<C> {
    controller: C,
    window: Window,
    path: Path,
    /// Time 0 of the controller's clock.
    epoch: Instant,
    batch: Batch,
    /// The last packet sent, and the one whose acknowledgement ends the round trip.
    last_sent: u64,
    round_end: u64,
    /// Bytes in flight after the last batch, plus the bytes sent since.
    in_flight: u64,
    /// Time of the last reduction, as long as packets sent before it are being acknowledged.
    recovery: Option<Instant>,
}

impl<C: Controller> Embedded<C> {
    fn new(controller: C, now: Instant, mtu: u16) -> Self {
        let window = Window { cwnd: INITIAL_WINDOW, ssthresh: f64::INFINITY, pace: f64::INFINITY };
        let path = Path { srtt_s: 0.0, min_rtt_s: f64::INFINITY, segment_bytes: u32::from(mtu) };
        let (batch, recovery) = (Batch::default(), None);
        let mut new = Self {
            controller,
            window,
            path,
            epoch: now,
            batch,
            last_sent: 0,
            round_end: 0,
            in_flight: 0,
            recovery,
        };
        new.controller.on_start(0.0, &new.path, &mut new.window);
        new
    }

    fn seconds(&self, now: Instant) -> f64 {
        now.duration_since(self.epoch).as_secs_f64()
    }

    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.path.segment_bytes)
    }

    fn bytes(&self, segments: f64) -> u64 {
        (segments * f64::from(self.path.segment_bytes)) as u64
    }

    /// Whether packets sent before the last reduction are being acknowledged. The first packet sent later ends it.
    fn recovers(&mut self, now: Instant, sent: Instant) -> bool {
        let Some(since) = self.recovery else { return false };
        if sent > since {
            self.recovery = None;
            self.controller.on_recovered(self.seconds(now), &self.path, &mut self.window);
        }
        self.recovery.is_some()
    }

    /// Makes the record of a batch.
    fn describe(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, newest: u64) -> Ack {
        let round_start = newest > self.round_end;
        if round_start {
            self.round_end = self.last_sent;
        }
        Ack {
            now_s: self.seconds(now),
            acked: self.segments(bytes),
            rtt_s: now.duration_since(sent).as_secs_f64(),
            in_flight: self.segments(self.in_flight) as u32,
            round_start,
            cwnd_limited: !app_limited,
            paced: true,
            ..Ack::default()
        }
    }

    fn reduce(&mut self, now: Instant, cause: Cause) {
        let event =
            Congestion { cause, now_s: self.seconds(now), in_flight: self.segments(self.in_flight) as u32 };
        self.controller.on_congestion(&event, &self.path, &mut self.window);
        if !self.controller.controls_cwnd_in_recovery() {
            self.window.cwnd = if cause == Cause::Timeout { LEAST_WINDOW } else { self.window.ssthresh };
        }
    }
}

impl<C: Controller + Sync + 'static> congestion::Controller for Embedded<C> {
    fn on_sent(&mut self, _now: Instant, bytes: u64, last_packet_number: u64) {
        self.in_flight += bytes;
        self.last_sent = last_packet_number;
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, rtt: &RttEstimator) {
        self.path.srtt_s = rtt.get().as_secs_f64();
        self.path.min_rtt_s = rtt.min().as_secs_f64();
        self.batch.bytes += bytes;
        self.batch.newest = self.batch.newest.max(Some(sent));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, newest: Option<u64>) {
        let Batch { bytes, newest: sent } = std::mem::take(&mut self.batch);
        if let Some(sent) = sent {
            let ack = self.describe(now, sent, bytes, app_limited, newest.unwrap_or_default());
            if self.recovers(now, sent) {
                let ack = Ack { recovers: true, ..ack };
                self.controller.on_recovery_ack(&ack, &self.path, &mut self.window);
            } else {
                self.controller.on_ack(&ack, &self.path, &mut self.window);
            }
        }
        self.in_flight = in_flight;
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost_bytes: u64) {
        if self.recovery.is_none_or(|since| sent > since) {
            self.recovery = Some(now);
            self.reduce(now, if lost_bytes == 0 { Cause::Mark } else { Cause::Loss });
        }
        if persistent {
            self.reduce(now, Cause::Timeout);
        }
        self.in_flight = self.in_flight.saturating_sub(lost_bytes);
    }

    /// Keeps the window in bytes.
    fn on_mtu_update(&mut self, new_mtu: u16) {
        let ratio = f64::from(self.path.segment_bytes) / f64::from(new_mtu);
        let Window { cwnd, ssthresh, pace } = self.window;
        self.window = Window { cwnd: cwnd * ratio, ssthresh: ssthresh * ratio, pace: pace * ratio };
        self.path.segment_bytes = u32::from(new_mtu);
    }

    fn window(&self) -> u64 {
        self.bytes(self.window.cwnd.max(LEAST_WINDOW))
    }

    fn metrics(&self) -> ControllerMetrics {
        let Window { ssthresh, pace, .. } = self.window;
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = ssthresh.is_finite().then(|| self.bytes(ssthresh));
        metrics.pacing_rate = pace.is_finite().then(|| 8 * self.bytes(pace));
        metrics
    }

    fn clone_box(&self) -> Box<dyn congestion::Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.bytes(INITIAL_WINDOW)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Gives each path a fresh copy of a controller.
#[derive(Clone, Debug)]
pub struct Factory<C>(C);

impl<C: Controller> Factory<C> {
    /// Makes a factory that copies this unused controller.
    ///
    /// # Errors
    /// Returns the controller if it needs data that quinn does not provide: delivery rates
    /// ([`Controller::wants_rate`]), or headers that routers read ([`Controller::scheme`]).
    pub fn new(fresh: C) -> Result<Self, C> {
        if fresh.wants_rate() || fresh.scheme().is_some() { Err(fresh) } else { Ok(Self(fresh)) }
    }
}

impl<C: Controller + Sync + 'static> ControllerFactory for Factory<C> {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn congestion::Controller> {
        Box::new(Embedded::new(self.0.clone(), now, current_mtu))
    }
}
