//! Estimates from ACKs: bandwidth, policer, RTT, aggregation.

use super::*;

impl Model {
    /// The bandwidth in use, segments/s.
    pub(super) fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.bw.get())
    }

    pub(super) fn take_rate(&mut self, ack: &Ack, path: &Path) {
        let rate = &ack.rate;
        self.rounds.starts = false;
        if rate.per_s <= 0.0 {
            return;
        }
        if self.rounds.take(rate) {
            self.repair.holds = false;
        }
        let (loses, limited) = (rate.newly_lost > 0.0, self.probe_rtt.limits(rate));
        self.heed_policer(ack.now_s, loses, limited, path);
        if !limited || rate.per_s >= self.bw.get() {
            self.bw.update(self.params.bw_window, self.rounds.count, rate.per_s);
        }
    }

    #[inline]
    pub(super) fn heed_policer(&mut self, now_s: f64, loses: bool, app_limited: bool, path: &Path) {
        if self.params.policer && (loses || self.policer.is_active()) {
            self.take_policer(now_s, loses, app_limited, path);
        }
    }

    #[inline(never)]
    fn take_policer(&mut self, now_s: f64, loses: bool, app_limited: bool, path: &Path) {
        if self.policer.rate().is_some() {
            if self.mode == Mode::ProbeBw && self.rounds.starts && self.policer.gives_up() {
                self.enter_probe_bw(now_s);
            }
            return;
        }
        self.policer.measure(&Counts {
            now_s,
            delivered: self.delivered,
            lost: self.lost,
            loses,
            round_start: self.rounds.starts,
            app_limited,
            segment_bits: f64::from(path.segment_bytes) * 8.0,
        });
        if self.policer.rate().is_some() {
            self.pacing_gain = 1.0;
        }
    }

    pub(super) fn take_aggregation(&mut self, ack: &Ack, cwnd: f64) {
        let rate = &ack.rate;
        if rate.per_s <= 0.0 || rate.newly <= 0.0 {
            return;
        }
        if self.rounds.starts {
            self.aggregation.next_round(EXTRA_ROUNDS);
        }
        self.aggregation.take(rate.newly, ack.now_s, self.bandwidth(), cwnd);
    }

    pub(super) fn take_rtt(&mut self, ack: &Ack, window: &mut Window) {
        let rtt_s = ack.rate.rtt_s;
        let expired = ack.now_s > self.min_rtt_at_s + self.params.min_rtt_window_s;
        if rtt_s > 0.0 && (rtt_s < self.min_rtt_s || expired) {
            (self.min_rtt_s, self.min_rtt_at_s) = (rtt_s, ack.now_s);
        }
        if expired && !self.restarts && self.mode != Mode::ProbeRtt {
            self.repair.save(window.cwnd, false);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt.begin(&ack.rate);
        }
        if self.mode == Mode::ProbeRtt {
            self.heed_probe_rtt(ack, window);
        }
        self.restarts &= ack.rate.newly <= 0.0;
    }

    pub(super) fn time_out(&mut self, now_s: f64, path: &Path) {
        self.repair.time_out();
        self.pipe.restart(0.0);
        self.rounds.starts = true;
        self.heed_policer(now_s, true, false, path);
    }
}
