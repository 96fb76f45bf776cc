//! Gains, pacing rate and window.

use super::*;
use crate::parts::order::smaller;
use headgate_model::whole::{ceil, floor};

impl Model {
    /// Bandwidth-delay product times a gain, whole segments.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt_s.is_finite() { ceil(gain * bw * self.min_rtt_s) } else { INITIAL }
    }

    /// Adds room for the packets in the end hosts: three quanta, an even number, and two segments while
    /// probing.
    pub(super) fn with_quanta(&self, segments: f64, path: &Path, window: &Window) -> f64 {
        let even = ceil((segments + 3.0 * window.quantum(path.segment_bytes)) / 2.0) * 2.0;
        if self.probes() { even + 2.0 } else { even }
    }

    fn probes(&self) -> bool {
        self.mode == Mode::ProbeBw && self.phase == 0
    }

    #[inline(never)]
    pub(super) fn inflight(&self, gain: f64, path: &Path, window: &Window) -> f64 {
        self.with_quanta(self.bdp(self.bw.get(), gain), path, window)
    }

    /// Returns how many of `in_flight` segments are still in the network when the next one leaves.
    #[inline(never)]
    pub(super) fn in_network(&self, in_flight: f64, rate: &Rate, path: &Path, window: &Window) -> f64 {
        let leaving = if self.pacing_gain > 1.0 { window.quantum(path.segment_bytes) } else { 0.0 };
        (in_flight + leaving - floor(self.bandwidth() * rate.wait_s)).max(0.0)
    }

    pub(super) fn gain(&self) -> f64 {
        if self.mode == Mode::ProbeBw {
            // nearly always, so tested first
            return if self.policer.rate().is_none() { CYCLE[self.phase] } else { 1.0 };
        }
        match self.mode {
            Mode::Startup => self.params.startup_gain,
            Mode::Drain => 1.0 / self.params.startup_gain,
            Mode::ProbeBw | Mode::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => self.params.startup_gain,
            Mode::ProbeBw => self.params.cwnd_gain,
            Mode::ProbeRtt => 1.0,
        }
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

    pub(super) fn set_cwnd(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.rate.newly > 0.0 {
            let (cwnd, begins) = self.repair.apply(ack, window.cwnd);
            if begins {
                self.rounds.begin(ack.rate.delivered);
            }
            window.cwnd = if self.repair.holds { cwnd } else { self.grown(cwnd, ack, path, window) };
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(FLOOR);
        }
    }

    pub(super) fn grown(&mut self, cwnd: f64, ack: &Ack, path: &Path, window: &Window) -> f64 {
        let target = self.target(path, window);
        let more = cwnd + ack.rate.newly;
        let cwnd = if self.pipe.full {
            smaller(more, target)
        } else if cwnd < target || ack.rate.delivered < INITIAL {
            more
        } else {
            cwnd
        };
        cwnd.max(FLOOR)
    }

    /// Returns the target of the window. It is computed again only if an input has changed.
    fn target(&mut self, path: &Path, window: &Window) -> f64 {
        let basis = Basis {
            bw: self.bandwidth(),
            min_rtt_s: self.min_rtt_s,
            extra: self.aggregation.extra(),
            pace: window.pace,
            mode: self.mode,
            probes: self.probes(),
            full: self.pipe.full,
        };
        if basis != self.basis {
            self.aim(basis, path, window);
        }
        self.target
    }

    #[inline(never)]
    fn aim(&mut self, basis: Basis, path: &Path, window: &Window) {
        let target = self.bdp(basis.bw, self.cwnd_gain()) + self.allowance(&basis);
        (self.basis, self.target) = (basis, self.with_quanta(target, path, window));
    }

    /// Returns the allowance for ACK aggregation, after the path was full.
    fn allowance(&self, basis: &Basis) -> f64 {
        let extra = self.params.extra_acked_gain * basis.extra;
        if basis.full { floor(extra.min(basis.bw * EXTRA_S)) } else { 0.0 }
    }
}
