//! CUBIC: a window that is a cubic function of the time since the last loss.
//!
//! # Overview
//! CUBIC returns quickly to near the window of the last loss, stays near it for a while, then probes at an
//! increasing rate. Growth depends on time, not on the RTT. If standard TCP would be faster, CUBIC grows as
//! fast.
//!
//! # The rule
//! `W(t) = c (t - K)^3 + w_max` with `K = cbrt((w_max - cwnd_epoch)/c)`. Per acknowledged segment `cwnd +=
//! (target - cwnd)/cwnd`, `target = W(t + srtt)` within `[cwnd, 1.5 cwnd]`. In parallel `w_est += alpha /
//! cwnd` from `cwnd_epoch`, `alpha = 3 (1-beta)/(1+beta)`, and 1 once `w_est >= cwnd_prior`; while `W(t) <
//! w_est`, `cwnd = w_est`. Loss: `ssthresh = max(beta in_flight, 2)`, `w_max = cwnd`, or `cwnd (1+beta)/2` if
//! `cwnd < w_max` (fast convergence). After a time-out or a first slow start without loss: `K = 0`, `w_max =
//! cwnd_epoch`. The clock stops while the window does not limit the flow.
//!
//! # Differences from the paper
//! NOTE(RFC 9438 section 4.3): `w_est` never lowers the window.
//!
//! NOTE(RFC 9438 section 4.6): a congestion mark leaves at least two segments; the RFC permits a window of
//! one after ECN-Echo.
//!
//! NOTE(RFC 9438 section 4.2): the variant `linux` counts whole segments. It uses `target = W(t + base_rtt)`,
//! with the distance from `w_max` truncated to an integer and computed once per segment or 1/32 s. It adds
//! one segment per `cwnd/(target - cwnd)` acknowledged, which is at least 2, at most 100 `cwnd`, and at most
//! 20 before the first loss or after a time-out. The truncation matters near `w_max`, because the curve is
//! flat there: a single flow reaches `w_max` a quarter sooner than by the RFC.
//!
//! NOTE(RFC 9438 section 4.3): in the variant `linux`, `alpha` never becomes 1.
//!
//! NOTE(RFC 9438 section 4.6): in the variant `linux`, a loss leaves `beta cwnd` instead of `beta` times the
//! flight.
//!
//! NOTE(RFC 9438 section 4.2): in the variant `linux`, only time with nothing in flight stops the clock.
//!
//! NOTE(Linux tcp_cubic.c): times are exact, not in ticks. `base_rtt`, which HyStart uses too, is the
//! smallest RTT of data. It excludes the handshake and the first second after a recovery, and a time-out
//! resets it.
//!
//! # When to use it
//! As the algorithm of most senders on the Internet.
//!
//! # References
//! RFC 9438 §4.2 to §4.8, §4.10; Ha, Rhee, Xu 2008; Linux `tcp_cubic.c` (6.x); for slow start Ha, Rhee 2011
//! and RFC 9406.

mod saved;
#[cfg(test)]
mod tests;

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Restart, Window};
use headgate_model::params::Card;

use self::saved::Saved;
use crate::parts::whole::{self, Count};
use crate::slow_start::classic::Classic;
use crate::slow_start::hystart::HyStart;
use crate::slow_start::hystart_pp::HyStartPlusPlus;
use crate::slow_start::{AnySlowStart, SlowStart};

headgate_model::choices! {
    /// The texts that CUBIC can follow.
    pub enum Variant {
        /// Linux `tcp_cubic.c`: whole segments.
        Linux = "linux",
        /// RFC 9438.
        Rfc = "rfc",
    }
}

headgate_model::choices! {
    /// The ways in which slow start can end before a loss.
    pub enum SlowStartExit {
        /// HyStart as in Linux `tcp_cubic.c`.
        HyStart = "hystart",
        /// HyStart++ (RFC 9406).
        HyStartPlusPlus = "hystart++",
        /// Only at `ssthresh` (RFC 5681).
        Classic = "classic",
    }
}

headgate_model::params! {
    /// Scale `c` of the cubic function.
    c: number(0.4, (0.001, 100.0), "segments/s^3", "RFC 9438 §4.1.3"),
    /// Share of the window that is kept on a loss.
    beta: number(0.7, (0.1, 0.95), "1", "RFC 9438 §4.6"),
    /// Yield more if the window of the last loss was not reached.
    fast_convergence: switch(["on", "off"], "RFC 9438 §4.7"),
    /// Grow at least as fast as standard TCP.
    reno_friendly: switch(["on", "off"], "RFC 9438 §4.3"),
    /// How slow start ends before a loss: hystart as in Linux, hystart++ of RFC 9406, or not.
    slow_start: choice(SlowStartExit, "Linux tcp_cubic.c; RFC 9406; RFC 5681"),
    /// Which text is followed: linux with whole segments, or rfc.
    variant: choice(Variant, "Linux tcp_cubic.c; RFC 9438"),
}

pub(crate) const CARD: Card = Card {
    name: "cubic",
    title: "CUBIC",
    aliases: &[],
    family: "loss",
    rule: "w = 0.4 (t - K)^3 + w_max, at least Reno's; w *= 0.7 on loss",
    response: "w = 1.054 (rtt/p)^0.75, or Reno's if that is more",
    references: &["RFC 9438", "Ha, Rhee, Xu 2008", "Ha, Rhee 2011 (HyStart)", "RFC 9406 (HyStart++)"],
    params: Params::TABLE,
};

/// A window grows by at most half per round trip (RFC 9438 §4.2).
const MOST_GROWTH: f64 = 1.5;

/// Linux: acknowledged segments per added one, least, and most before any loss (5 % per RTT).
const COUNT: (f64, f64) = (2.0, 20.0);

/// Silence that counts as idle, seconds. Linux's clock uses ticks of 1 ms.
const IDLE_S: f64 = 0.001;

/// Time after a recovery in which RTT samples are ignored, seconds (Linux).
const DISCARD_S: f64 = 1.0;

/// The curve since the last loss.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Epoch {
    start_s: f64,
    k_s: f64,
    /// Window at `k_s`, segments.
    origin: f64,
    /// The window of standard TCP at this time, segments.
    w_est: f64,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    slow_start: AnySlowStart,
    epoch: Option<Epoch>,
    /// Window of the last loss, segments; 0 = none.
    w_max: f64,
    /// Window before the last reduction, segments; 0 = none.
    prior: f64,
    /// Time of the last ACK or of a restart after it, and the send time of the segment that it acknowledged.
    acked_s: f64,
    sent_s: f64,
    /// Smallest RTT of data, seconds; 0 = none yet.
    base_rtt_s: f64,
    count: Count,
    saved: Saved,
}

fn slow_start(exit: SlowStartExit) -> AnySlowStart {
    match exit {
        SlowStartExit::HyStart => AnySlowStart::HyStart(HyStart::default()),
        SlowStartExit::HyStartPlusPlus => AnySlowStart::HyStartPlusPlus(HyStartPlusPlus::default()),
        SlowStartExit::Classic => AnySlowStart::Classic(Classic),
    }
}

/// One flow's CUBIC.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Cubic {
    params: Params,
    state: Box<State>,
}

impl Cubic {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let state = State {
            slow_start: slow_start(params.slow_start),
            epoch: None,
            w_max: 0.0,
            prior: 0.0,
            acked_s: 0.0,
            sent_s: 0.0,
            base_rtt_s: 0.0,
            count: Count::default(),
            saved: Saved::default(),
        };
        Self { params, state: Box::new(state) }
    }

    fn is_linux(&self) -> bool {
        self.params.variant == Variant::Linux
    }

    /// Stops the clock for the time in which the window was not used.
    fn keep_clock(&mut self, ack: &Ack) {
        let unused_s = if self.is_linux() { self.idle_s(ack) } else { self.unlimited_s(ack) };
        self.skip(unused_s, ack.now_s);
        if ack.rtt_s > 0.0 {
            self.state.sent_s = ack.now_s - ack.rtt_s;
        }
    }

    /// Excludes a time that ends now from the clock.
    fn skip(&mut self, unused_s: f64, now_s: f64) {
        let State { epoch, acked_s, .. } = &mut *self.state;
        if let Some(epoch) = epoch {
            epoch.start_s = (epoch.start_s + unused_s).min(now_s);
        }
        *acked_s = now_s;
    }

    /// RFC 9438 §4.2: the time before an ACK of a flow that the window does not limit.
    fn unlimited_s(&self, ack: &Ack) -> f64 {
        if ack.cwnd_limited { 0.0 } else { ack.now_s - self.state.acked_s }
    }

    /// Linux: the time from the last transmission to one with nothing in flight.
    fn idle_s(&self, ack: &Ack) -> f64 {
        let sent_s = ack.now_s - ack.rtt_s;
        let idle = ack.rtt_s > 0.0 && sent_s > self.state.acked_s + IDLE_S;
        if idle { sent_s - self.state.sent_s } else { 0.0 }
    }

    fn note_rtt(&mut self, ack: &Ack) {
        let State { epoch, base_rtt_s, .. } = &mut *self.state;
        let fresh = epoch.as_ref().is_some_and(|epoch| ack.now_s - epoch.start_s < DISCARD_S);
        let less = *base_rtt_s == 0.0 || ack.rtt_s < *base_rtt_s;
        if ack.rtt_s > 0.0 && less && !fresh {
            *base_rtt_s = ack.rtt_s;
        }
    }

    fn open_epoch(&self, now_s: f64, cwnd: f64) -> Epoch {
        let origin = self.state.w_max.max(cwnd);
        let k_s = libm::cbrt((origin - cwnd) / self.params.c);
        Epoch { start_s: now_s, k_s, origin, w_est: cwnd }
    }

    fn avoid(&mut self, acked: f64, now_s: f64, path: &Path, window: &mut Window) {
        let mut epoch = self.state.epoch.take().unwrap_or_else(|| {
            self.state.count = Count::default();
            self.open_epoch(now_s, window.cwnd)
        });
        if self.state.prior == 0.0 {
            self.state.prior = window.cwnd;
        }
        epoch.w_est += self.alpha(epoch.w_est) * acked / window.cwnd;
        if self.is_linux() {
            self.step_whole(&epoch, acked, now_s, window);
        } else {
            self.step(&epoch, acked, now_s, path.srtt_s, window);
        }
        self.state.epoch = Some(epoch);
    }

    /// Growth of `w_est` per round trip, segments (RFC 9438 §4.3).
    fn alpha(&self, w_est: f64) -> f64 {
        if !self.is_linux() && w_est >= self.state.prior {
            return 1.0;
        }
        let beta = self.params.beta;
        3.0 * (1.0 - beta) / (1.0 + beta)
    }

    fn curve(&self, epoch: &Epoch, t_s: f64) -> f64 {
        let d = t_s - epoch.k_s;
        self.params.c * d * d * d
    }

    fn is_reno_friendly(&self) -> bool {
        self.params.reno_friendly
    }

    fn step(&self, epoch: &Epoch, acked: f64, now_s: f64, srtt_s: f64, window: &mut Window) {
        let (t_s, cwnd) = (now_s - epoch.start_s, window.cwnd);
        if self.is_reno_friendly() && epoch.origin + self.curve(epoch, t_s) < epoch.w_est {
            window.cwnd = cwnd.max(epoch.w_est);
            return;
        }
        let target = (epoch.origin + self.curve(epoch, t_s + srtt_s)).clamp(cwnd, MOST_GROWTH * cwnd);
        window.cwnd += (target - cwnd) * (acked / cwnd).min(1.0);
    }

    /// Variant `linux`: [`Self::step`] in whole segments.
    fn step_whole(&mut self, epoch: &Epoch, acked: f64, now_s: f64, window: &mut Window) {
        let cwnd = window.cwnd.floor();
        if self.state.count.is_stale(cwnd, now_s) {
            let ahead = self.curve(epoch, now_s - epoch.start_s + self.state.base_rtt_s).trunc();
            let per_segment = self.per_segment(cwnd, epoch.origin.floor() + ahead);
            self.state.count.renew(per_segment, cwnd, now_s);
        }
        let (friendly, lead) = (self.is_reno_friendly(), epoch.w_est.floor() - cwnd);
        let count = &mut self.state.count;
        if friendly && lead > 0.0 {
            count.per_segment = count.per_segment.min((cwnd / lead).floor());
        }
        count.per_segment = count.per_segment.max(COUNT.0);
        window.cwnd += count.take(acked);
    }

    fn per_segment(&self, cwnd: f64, target: f64) -> f64 {
        let count = if target > cwnd { (cwnd / (target - cwnd)).floor() } else { 100.0 * cwnd };
        if self.state.w_max == 0.0 { count.min(COUNT.1) } else { count }
    }

    /// Remembers the window of a loss (RFC 9438 §4.7).
    fn remember(&mut self, cwnd: f64) {
        let gives_up = self.params.fast_convergence && cwnd < self.state.w_max;
        self.state.w_max = if gives_up { cwnd * (1.0 + self.params.beta) / 2.0 } else { cwnd };
        if self.is_linux() {
            self.state.w_max = self.state.w_max.floor();
        }
    }

    /// Returns the window after a loss, segments (RFC 9438 §4.6; Linux starts from `cwnd`, in whole
    /// segments).
    fn left(&self, event: &Congestion, window: &Window) -> f64 {
        if self.is_linux() {
            (self.params.beta * whole::before(event, window)).floor()
        } else {
            self.params.beta * f64::from(event.in_flight)
        }
    }
}

impl Controller for Cubic {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.state.slow_start.on_start(now_s, path, window);
        (self.state.acked_s, self.state.sent_s) = (now_s, now_s);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.keep_clock(ack);
        self.note_rtt(ack);
        if window.slow_starts() {
            let State { slow_start, base_rtt_s, .. } = &mut *self.state;
            slow_start.on_ack(ack, *base_rtt_s, path, window);
        }
        if !ack.cwnd_limited {
            return;
        }
        let slow_start = &self.state.slow_start;
        let left = if window.slow_starts() { slow_start.grow(ack, window) } else { ack.acked };
        if left > 0.0 {
            self.avoid(left, ack.now_s, path, window);
        }
    }

    /// ACKs of segments that overtook others can end slow start too.
    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.keep_clock(ack);
        self.note_rtt(ack);
        if window.slow_starts() && !ack.recovers && !ack.after_timeout {
            let State { slow_start, base_rtt_s, .. } = &mut *self.state;
            slow_start.on_ack(ack, *base_rtt_s, path, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        window.ssthresh = self.left(event, window).max(2.0);
        self.state.save();
        if event.cause == Cause::Timeout {
            self.state.prior = f64::from(event.in_flight);
            (self.state.w_max, self.state.base_rtt_s) = (0.0, 0.0);
        } else {
            self.state.prior = window.cwnd;
            self.remember(window.cwnd);
        }
        self.state.slow_start.on_congestion(event, window);
    }

    fn on_undo(&mut self, before: f64, _path: &Path, window: &mut Window) {
        if !self.is_linux() && window.cwnd < before {
            self.state.restore();
        }
        window.cwnd = window.cwnd.max(before);
    }

    /// Excludes an idle time from the clock, from its last ACK on (RFC 9438 §4.2, §5.8). Linux does so at the
    /// next ACK.
    fn on_restart(&mut self, restart: &Restart, _path: &Path, _window: &mut Window) {
        if !self.is_linux() {
            self.skip(restart.now_s - self.state.acked_s, restart.now_s);
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("w_max", self.state.w_max))
    }
}
