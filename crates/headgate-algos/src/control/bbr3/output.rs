//! Gains, pacing rate and window.

use super::*;
use crate::parts::order::smaller;
use headgate_model::whole::{ceil, floor};

/// Quanta that the end hosts hold with TCP's offload (draft-ietf-ccwg-bbr section 5.5.8.1).
pub(super) const TCP_QUANTA: f64 = 3.0;

impl Model {
    /// Bandwidth-delay product times a gain, whole segments.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt_s.is_finite() { ceil(gain * bw * self.min_rtt_s) } else { self.first_cwnd }
    }

    /// Uses the offload budget of QUIC, which is one quantum (draft-ietf-ccwg-bbr section 5.5.8.2). The Linux
    /// module knows only TCP.
    pub(super) fn heed_quic(&mut self) {
        if !self.is_linux() {
            self.quanta = 1.0;
        }
    }

    /// Ensures the quanta that the end hosts hold, and two more segments in UP.
    pub(super) fn with_quanta(&self, segments: f64, path: &Path, window: &Window) -> f64 {
        let quantum = window.quantum(path.segment_bytes).max(2.0);
        let probe = if self.mode == Mode::Up { 2.0 } else { 0.0 };
        segments.max(self.quanta * quantum).max(FLOOR) + probe
    }

    #[inline(never)]
    pub(super) fn inflight(&self, bw: f64, path: &Path, window: &Window) -> f64 {
        self.with_quanta(self.bdp(bw, 1.0), path, window)
    }

    /// Returns the bandwidth-delay product as a target. Linux includes quanta.
    pub(super) fn product(&self, bw: f64, path: &Path, window: &Window) -> f64 {
        if self.is_linux() { self.inflight(bw, path, window) } else { self.bdp(bw, 1.0) }
    }

    pub(super) fn target(&self, path: &Path, window: &Window) -> f64 {
        smaller(self.product(self.bandwidth(), path, window), window.cwnd)
    }

    /// Returns the flight that ends a phase. Linux uses the flight before the ACK, and only what is in the
    /// network.
    pub(super) fn in_flight(&self, event: &Event<'_>) -> f64 {
        let rate = &event.ack.rate;
        if self.is_linux() { self.in_network(rate.in_flight_before(), event) } else { rate.in_flight }
    }

    /// Linux: returns how many of `in_flight` segments are still in the network when the next one leaves.
    #[inline(never)]
    pub(super) fn in_network(&self, in_flight: f64, event: &Event<'_>) -> f64 {
        let quantum = event.window.quantum(event.path.segment_bytes).max(2.0);
        let leaving = if self.pacing_gain > 1.0 { quantum } else { 0.0 };
        (in_flight + leaving - floor(self.bandwidth() * event.ack.rate.wait_s)).max(0.0)
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(self.bandwidth(), PROBE_RTT_GAIN).max(FLOOR)
    }

    pub(super) fn gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => self.params.startup_gain,
            Mode::Drain if self.is_linux() => 1.0 / 2.885,
            Mode::Drain => 0.5,
            Mode::Down if self.is_linux() => 0.91,
            Mode::Down => 0.9,
            Mode::Up => UP_GAIN,
            Mode::Cruise | Mode::Refill | Mode::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Up => self.params.cwnd_gain + UP_CWND,
            Mode::ProbeRtt if self.is_linux() => 1.0,
            Mode::ProbeRtt => PROBE_RTT_GAIN,
            _ => self.params.cwnd_gain,
        }
    }

    pub(super) fn start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        let srtt_s = if path.srtt_s > 0.0 { path.srtt_s } else { f64::INFINITY };
        self.min_rtt_s = if self.is_linux() { path.min_rtt_s } else { srtt_s };
        (self.least_rtt_s, self.min_rtt_at_s, self.least_rtt_at_s) = (self.min_rtt_s, now_s, now_s);
        (self.epoch, self.aggregation) = (Epoch::new(now_s), Aggregation::new(now_s));
        self.draw = Draw::new(now_s, path.srtt_s);
        (self.first_cwnd, self.cwnd, self.now_s) = (window.cwnd, window.cwnd, now_s);
        window.ssthresh = f64::INFINITY;
        self.pace_from_rtt(path, window);
    }

    #[cold]
    pub(super) fn pace_from_rtt(&mut self, path: &Path, window: &mut Window) {
        self.seen_rtt = path.srtt_s > 0.0;
        let rtt_s = if self.seen_rtt { path.srtt_s } else { NOMINAL_RTT_S };
        let margin = if self.is_linux() { self.params.pacing_margin } else { 0.0 };
        window.pace = self.params.startup_gain * (1.0 - margin) * window.cwnd / rtt_s;
    }

    /// Sets the pacing rate. It decreases only after the path was full.
    pub(super) fn set_pace(&mut self, path: &Path, window: &mut Window) {
        if !self.seen_rtt && path.srtt_s > 0.0 {
            self.pace_from_rtt(path, window);
        }
        let pace = self.pacing_gain * (1.0 - self.params.pacing_margin) * self.bandwidth();
        if pace > window.pace || (self.pipe.full && pace > 0.0) {
            window.pace = pace;
        }
    }

    pub(super) fn set_cwnd(&mut self, event: &mut Event<'_>) {
        let window = &mut *event.window;
        if event.ack.rate.newly > 0.0 {
            window.cwnd = self.grown(event.ack, event.path, window);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
        window.cwnd = smaller(window.cwnd, self.cap());
    }

    pub(super) fn grown(&mut self, ack: &Ack, path: &Path, window: &Window) -> f64 {
        let target = self.window_target(path, window);
        let more = window.cwnd + ack.rate.newly;
        let begins = if self.is_linux() {
            window.cwnd < 2.0 * self.first_cwnd
        } else {
            ack.rate.delivered < self.first_cwnd
        };
        let cwnd = if self.pipe.full {
            smaller(more, target)
        } else if window.cwnd < target || begins {
            more
        } else {
            window.cwnd
        };
        cwnd.max(FLOOR)
    }

    /// Returns the target of the window. It is computed again only if an input has changed.
    fn window_target(&mut self, path: &Path, window: &Window) -> f64 {
        let basis = Basis {
            bw: self.bandwidth(),
            min_rtt_s: self.min_rtt_s,
            extra: self.extra_acked(),
            pace: window.pace,
            mode: self.mode,
        };
        if basis != self.basis {
            self.aim(basis, path, window);
        }
        self.window_target
    }

    #[inline(never)]
    fn aim(&mut self, basis: Basis, path: &Path, window: &Window) {
        let target = self.bdp(basis.bw, self.cwnd_gain()) + self.allowance(basis.bw);
        (self.basis, self.window_target) = (basis, self.with_quanta(target, path, window));
    }

    /// Returns the allowance for ACK aggregation, segments.
    pub(super) fn allowance(&self, bw: f64) -> f64 {
        let extra = self.extra_acked();
        if self.is_linux() { floor(extra.min(bw * EXTRA_S)) } else { extra }
    }

    fn extra_acked(&self) -> f64 {
        if self.is_linux() { self.aggregation.extra() } else { self.extra.get() }
    }

    /// Returns the bound that applies in this phase, segments.
    pub(super) fn cap(&self) -> f64 {
        let long = match self.mode {
            Mode::Down | Mode::Refill | Mode::Up => self.bounds.inflight_long,
            Mode::Cruise | Mode::ProbeRtt => self.bounds.with_headroom(self.params.headroom, FLOOR),
            Mode::Startup | Mode::Drain => f64::INFINITY,
        };
        floor(smaller(long, self.bounds.inflight_short)).max(FLOOR)
    }
}
