//! The records of acknowledged segments that a controller receives, and the window that follows.

use headgate_model::control::{Ack, Controller, Echo, Rate};
use headgate_model::units::{picoseconds, seconds};
use headgate_model::whole::floor;

use crate::clock::by_stamps;
use crate::context::{Context, Event, SenderContext};
use crate::feedback::MarkedShare;
use crate::sender::Sender;
use crate::state::Phase;
use crate::stats::SlowStartExit;

impl<C: Controller> Sender<C> {
    /// Reports `newly` acknowledged segments to the controller.
    ///
    /// NOTE(RFC 3168 section 6.1.2): marked ACKs increase no window, except in the slow start after a
    /// time-out, because retransmitted segments cannot answer the mark. Linux makes the same exception. An
    /// algorithm that asks for the number of marks grows by the unmarked segments of an ACK itself.
    #[inline]
    pub(crate) fn on_new_ack(
        &mut self,
        newly: u32,
        flight: u32,
        rtt_s: f64,
        marked: Option<MarkedShare>,
        ctx: &mut impl SenderContext,
    ) {
        let profile = ctx.profile();
        let counted = if profile.count_segments { f64::from(newly) } else { 1.0 };
        let mut ack = self.ack_record(counted, flight, rtt_s, ctx);
        if let Some(share) = marked {
            ack.marked = share.among(counted);
            if share.is_all() || self.controller.echo() != Echo::Accurate {
                ack.cwnd_limited &= self.phase == Phase::Timeout && self.window.slow_starts();
            }
        }
        self.pass_to_controller(&ack, newly, ctx);
    }

    /// Lets the controller raise the window by an ACK of `newly` segments, and counts it.
    #[inline]
    pub(crate) fn pass_to_controller(&mut self, ack: &Ack, newly: u32, ctx: &mut impl SenderContext) {
        let before = self.window.cwnd;
        self.controller.on_ack(ack, &self.rtt.path, &mut self.window);
        self.keep_whole(ctx);
        if !self.stats.left_slow_start && !self.window.slow_starts() {
            self.note_slow_start_exit(self.window.cwnd, ctx);
        }
        self.stats.cwnd_sum += self.window.cwnd;
        self.stats.acks += 1;
        ctx.observe(Event::Acknowledged { segments: newly, before, cwnd: self.window.cwnd });
        self.note_fall(before, self.window.cwnd);
    }

    /// In whole-window mode, carries the fraction of a segment over to the next ACK.
    #[inline]
    fn keep_whole(&mut self, ctx: &impl Context) {
        if ctx.profile().whole_windows {
            (self.window.cwnd, self.grown) = to_whole_segments(self.window.cwnd + self.grown);
        }
    }

    /// Records the end of the first slow start, at this window.
    #[cold]
    pub(crate) fn note_slow_start_exit(&mut self, cwnd: f64, ctx: &impl Context) {
        let after = ctx.now() - self.stats.started;
        let until = self.next.saturating_add(cwnd as u32);
        self.stats.left_slow_start = true;
        self.stats.exit = SlowStartExit { after, cwnd, until, ..self.stats.exit };
    }

    /// Counts a reduction of the window.
    #[inline]
    pub(crate) fn note_fall(&mut self, before: f64, after: f64) {
        if after < before {
            self.stats.decreases += 1;
            self.stats.fallen += before - after;
        }
    }

    #[inline]
    pub(crate) fn ack_record(&mut self, acked: f64, flight: u32, rtt_s: f64, ctx: &impl Context) -> Ack {
        let round_start = self.una > self.round_end;
        if round_start {
            self.round_end = self.next;
        }
        Ack {
            now_s: seconds(ctx.now()),
            acked,
            rtt_s,
            in_flight: flight,
            round_start,
            cwnd_limited: (!ctx.profile().window_validation || self.usage.is_limited_by(&self.window))
                && !self.is_host_limited(ctx.now()),
            marked: 0.0,
            recovers: self.phase == Phase::Recovery,
            after_timeout: self.phase == Phase::Timeout,
            rate: if self.sent.is_some() { self.delivery_rate(rtt_s, ctx) } else { Rate::default() },
            paced: self.window.pace < f64::INFINITY || ctx.profile().pacing.is_some(),
        }
    }

    #[inline]
    pub(crate) fn delivery_rate(&mut self, sampled_s: f64, ctx: &impl Context) -> Rate {
        let (in_flight, wait) = (self.flight(), self.pace_next.saturating_sub(ctx.now()));
        let rate = self.sent.as_mut().map_or_else(Rate::default, |j| j.rate(in_flight));
        let rtt_s = if rate.rtt_s > 0.0 { rate.rtt_s } else { self.stamped_s(sampled_s, ctx) };
        Rate { wait_s: seconds(wait), rtt_s, ..rate }
    }

    /// Returns the RTT of a retransmitted segment, which only a time stamp can measure.
    #[cold]
    fn stamped_s(&self, sampled_s: f64, ctx: &impl Context) -> f64 {
        let profile = ctx.profile();
        if !profile.timestamps || sampled_s <= 0.0 {
            return 0.0;
        }
        seconds(by_stamps(picoseconds(sampled_s), ctx.now(), profile.timestamp_clock))
    }

    /// Returns the flight from which a reduction starts: FlightSize without the segments that limited
    /// transmit added (RFC 5681 section 3.2 step 1).
    ///
    /// NOTE(RFC 5681 section 3.1): with whole windows, as in Linux, a reduction starts from `cwnd` instead of
    /// FlightSize.
    pub(crate) fn flight_for_controller(&self, ctx: &impl Context) -> u32 {
        let window = self.window.cwnd as u32;
        if ctx.profile().whole_windows { window } else { window.min(self.next - self.una) }
    }
}

/// Splits a window into whole segments, at least one, and the remaining fraction. Steps that add up to a
/// segment may miss it by a rounding error.
#[inline]
fn to_whole_segments(window: f64) -> (f64, f64) {
    let whole = floor(window + 1e-9).max(1.0);
    (whole, (window - whole).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of ACKs until the window is larger by one: congestion avoidance by `1/cwnd` per
    /// segment, two segments per ACK.
    fn acks_to_grow(window: f64, left: f64) -> (u32, f64) {
        let (mut cwnd, mut left, mut acks) = (window, left, 0);
        while cwnd == window {
            (cwnd, left) = to_whole_segments(cwnd + 2.0 / cwnd + left);
            acks += 1;
        }
        (acks, left)
    }

    #[test]
    fn a_whole_window_grows_when_as_much_as_it_holds_is_acknowledged() {
        // tcp_cong_avoid_ai: 134 segments are exactly 67 ACKs; with 135 the 68th ACK leaves a remainder of
        // one segment
        assert_eq!(acks_to_grow(134.0, 0.0).0, 67);
        let (acks, left) = acks_to_grow(135.0, 0.0);
        assert_eq!((acks, (left * 135.0).round()), (68, 1.0));
        assert_eq!(acks_to_grow(137.0, 1.0 / 136.0).0, 68);
        for window in 2..1000 {
            assert_eq!(acks_to_grow(f64::from(window), 0.0).0, u32::div_ceil(window, 2));
        }
    }

    #[test]
    fn a_window_that_sinks_by_less_than_a_segment_rounds_down_once() {
        let (cwnd, left) = to_whole_segments(20.0 - 0.25);
        assert_eq!((cwnd, left), (19.0, 0.75));
        assert_eq!(to_whole_segments(cwnd + left - 0.25), (19.0, 0.5));
    }
}
