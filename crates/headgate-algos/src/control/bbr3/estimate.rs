//! Estimates from ACKs: bandwidth, RTT, aggregation, losses, marks.

use super::*;
use crate::parts::order::{larger, smaller};
use headgate_model::whole::floor;

impl Model {
    pub(super) fn sampled(&self, rate: &Rate) -> bool {
        rate.per_s > 0.0 && rate.newly > 0.0
    }

    /// The largest bandwidth, segments/s.
    pub(super) fn max_bw(&self) -> f64 {
        larger(self.bw[0], self.bw[1])
    }

    pub(super) fn bandwidth(&self) -> f64 {
        smaller(self.max_bw(), self.bounds.bw_short)
    }

    pub(super) fn take_round(&mut self, rate: &Rate, cwnd: f64) {
        let starts = rate.per_s > 0.0 && self.rounds.take(rate);
        self.rounds.starts = starts;
        if starts {
            self.rounds_since_probe += 1.0;
            self.full_window = [self.full_window[1], false];
        }
        self.full_window[1] |= rate.in_flight_before() >= floor(cwnd);
    }

    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.full_window[0] || self.full_window[1]
    }

    pub(super) fn take_bandwidth(&mut self, rate: &Rate, cwnd: f64) {
        self.latest.starts = false;
        if !self.sampled(rate) {
            return;
        }
        self.latest.take(rate);
        if !self.probe_rtt.limits(rate) || rate.per_s >= self.max_bw() {
            self.bw[1] = larger(self.bw[1], rate.per_s);
        }
        self.latest.loses |= self.is_linux() && rate.newly_lost > 0.0;
        if self.latest.starts {
            self.adapt_lower_bounds(cwnd);
            self.latest.loses = false;
            self.echoed.in_round = false;
            if let Some(marks) = &mut self.marks {
                marks.begin_round();
            }
        }
    }

    #[inline(never)]
    pub(super) fn adapt_lower_bounds(&mut self, cwnd: f64) {
        if self.accelerates() {
            return;
        }
        let short = self.bounds.inflight_short;
        let in_flight = if short.is_finite() { short } else { cwnd };
        let reduced = self.marks.as_ref().and_then(|marks| marks.reduce(in_flight));
        if self.latest.loses {
            let latest = (self.latest.bw, self.delivered_volume());
            self.bounds.cut(latest, (self.max_bw(), cwnd), self.params.beta);
        }
        if let Some(reduced) = reduced {
            self.bounds.inflight_short = smaller(self.bounds.inflight_short, reduced);
        }
    }

    /// Counts the marks of an ACK.
    #[inline]
    pub(super) fn heed_marks(&mut self, event: &Event<'_>) {
        let Some(marks) = &mut self.marks else { return };
        let are_many = marks.take(event.ack, self.rounds.starts, self.min_rtt_s);
        if are_many && !self.pipe.full {
            self.end_startup(event);
        }
    }

    pub(super) fn has_too_many_marks(&self, rate: &Rate) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.are_too_many(rate))
    }

    pub(super) fn take_aggregation(&mut self, event: &Event<'_>) {
        let rate = &event.ack.rate;
        if !self.sampled(rate) {
            return;
        }
        let (now_s, bw, cwnd) = (self.now_s, self.bandwidth(), event.window.cwnd);
        if self.is_linux() {
            if self.rounds.starts {
                self.aggregation.next_round(if self.pipe.full { EXTRA_SLOT } else { 1 });
            }
            self.aggregation.take(rate.newly, now_s, bw, cwnd);
        } else {
            let extra = self.epoch.excess(rate.newly, now_s, bw, cwnd);
            let window = if self.pipe.full { EXTRA_ROUNDS } else { 1.0 };
            self.extra.update(window, self.rounds.count, extra);
        }
    }

    /// Whether more than the tolerated share of the segments in flight with the sampled one was lost.
    pub(super) fn loses_too_much(&self, rate: &Rate) -> bool {
        rate.lost_since > 0.0
            && rate.then_in_flight > 0.0
            && rate.lost_since > self.params.loss_threshold * rate.then_in_flight
    }

    #[inline]
    pub(super) fn heed_startup_losses(&mut self, event: &Event<'_>) {
        if !self.pipe.full {
            self.count_startup_losses(event);
        }
    }

    #[cold]
    fn count_startup_losses(&mut self, event: &Event<'_>) {
        self.startup_losses += u32::from(event.ack.rate.newly_lost > 0.0);
        if !self.latest.starts {
            return;
        }
        let many = self.startup_losses >= STARTUP_LOSSES;
        let rate = &event.ack.rate;
        let too_much = self.loses_too_much(rate) || self.has_too_many_marks(rate);
        if self.ends_marked() || (many && event.ack.recovers && too_much) {
            self.end_startup(event);
        }
        self.startup_losses = 0;
    }

    /// Ends STARTUP because of losses or marks.
    #[cold]
    fn end_startup(&mut self, event: &Event<'_>) {
        (self.pipe.full, self.pipe.now) = (true, true);
        self.before.left = Some(Mode::Startup);
        let safe = self.product(self.max_bw(), event.path, event.window);
        self.bounds.inflight_long = safe.max(self.latest.inflight);
    }

    pub(super) fn check_full(&mut self, rate: &Rate) {
        let counts = self.rounds.starts;
        if !self.pipe.now && !self.probe_rtt.limits(rate) && (counts || self.is_linux()) {
            self.pipe.take(rate.per_s, counts);
        }
    }

    pub(super) fn take_rtt(&mut self, event: &mut Event<'_>) {
        let rtt_s = event.ack.rate.rtt_s;
        let due = self.now_s > self.least_rtt_at_s + self.params.probe_rtt_interval_s;
        if rtt_s > 0.0 && (rtt_s < self.least_rtt_s || due) {
            (self.least_rtt_s, self.least_rtt_at_s) = (rtt_s, self.now_s);
        }
        let expired = self.now_s > self.min_rtt_at_s + MIN_RTT_WINDOW_S;
        let as_small = self.is_linux() && self.least_rtt_s == self.min_rtt_s;
        if self.least_rtt_s < self.min_rtt_s || as_small || expired {
            (self.min_rtt_s, self.min_rtt_at_s) = (self.least_rtt_s, self.least_rtt_at_s);
        }
        if due && self.mode != Mode::ProbeRtt && !self.restarts {
            self.enter_probe_rtt(event);
        }
        if self.mode == Mode::ProbeRtt {
            self.heed_probe_rtt(event);
        }
        self.restarts &= event.ack.rate.newly <= 0.0;
    }

    /// Handles the loss of a segment of a probe. The flight that was too large is that before the segment;
    /// its tolerated part is less than a segment.
    pub(super) fn lose(&mut self, sent: &Rate, path: &Path, window: &Window) {
        self.delivered = sent.delivered;
        self.save_at_loss();
        self.latest.note_loss(sent.delivered);
        if let Some(marks) = &mut self.marks {
            marks.note_loss();
        }
        if self.probes && self.loses_too_much(sent) {
            let limited = self.probe_rtt.limits(sent);
            self.answer_loss((sent.then_in_flight - 1.0, limited), path, window);
        }
    }
}
