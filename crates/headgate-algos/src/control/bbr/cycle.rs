//! The phases of BBR's cycle.

use super::*;

impl Model {
    pub(super) fn phase_is_over(&self, ack: &Ack, path: &Path, window: &Window) -> bool {
        let lasted = ack.now_s - self.phase_at_s > self.min_rtt_s;
        if self.pacing_gain == 1.0 {
            return lasted;
        }
        let in_network = || self.in_network(ack.rate.in_flight_before(), &ack.rate, path, window);
        if self.pacing_gain > 1.0 {
            let filled = || in_network() >= self.inflight(self.pacing_gain, path, window);
            return lasted && (ack.rate.newly_lost > 0.0 || filled());
        }
        lasted || in_network() <= self.inflight(1.0, path, window)
    }

    pub(super) fn next_phase(&mut self, now_s: f64) {
        self.phase = (self.phase + 1) % CYCLE.len();
        self.phase_at_s = now_s;
    }

    /// Starts the cycle in any phase except the one that drains.
    #[cold]
    pub(super) fn enter_probe_bw(&mut self, now_s: f64) {
        self.mode = Mode::ProbeBw;
        let drawn = self.draw.below(7, self.delivered);
        self.phase = CYCLE.len() - 1 - drawn as usize;
        self.next_phase(now_s);
    }

    #[inline]
    pub(super) fn check_drained(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.mode == Mode::Startup || self.mode == Mode::Drain {
            self.drain(ack, path, window);
        }
    }

    #[cold]
    fn drain(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.mode == Mode::Startup && self.pipe.full {
            self.mode = Mode::Drain;
            window.ssthresh = self.inflight(1.0, path, window);
        }
        if self.mode == Mode::Drain {
            let in_network = self.in_network(ack.rate.in_flight, &ack.rate, path, window);
            if in_network <= self.inflight(1.0, path, window) {
                self.enter_probe_bw(ack.now_s);
            }
        }
    }

    #[cold]
    pub(super) fn heed_probe_rtt(&mut self, ack: &Ack, window: &mut Window) {
        let empty = ack.rate.in_flight <= FLOOR;
        if self.probe_rtt.ends(empty, self.params.probe_rtt_s, ack, &mut self.rounds) {
            self.leave_probe_rtt(ack.now_s, window);
        }
    }

    pub(super) fn leave_probe_rtt(&mut self, now_s: f64, window: &mut Window) {
        self.min_rtt_at_s = now_s;
        window.cwnd = window.cwnd.max(self.repair.saved());
        if self.pipe.full {
            self.enter_probe_bw(now_s);
        } else {
            self.mode = Mode::Startup;
        }
    }
}
