//! What a law hears of acknowledged segments, and what becomes of the window then.

use headgate_model::control::{Ack, Controller, Rate};
use headgate_model::units::{picoseconds, seconds};
use headgate_model::whole::floor;

use crate::clock::by_stamps;
use crate::context::{Context, Event, SenderContext};
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Lets the law see `newly` acknowledged segments. Marked ones raise no window (RFC 3168 §6.1.2), but
    /// for the slow start after a time-out, whose repeated segments cannot answer the mark (as Linux).
    #[inline]
    pub(crate) fn grow(
        &mut self,
        newly: u32,
        flight: u32,
        rtt_s: f64,
        marked: bool,
        ctx: &mut impl SenderContext,
    ) {
        let profile = ctx.profile();
        let before = self.window.cwnd;
        let counted = if profile.count_segments { f64::from(newly) } else { 1.0 };
        let mut ack = self.describe(counted, flight, rtt_s, ctx);
        if marked {
            ack.marked = counted;
            ack.cwnd_limited &= self.phase == Phase::Timeout && self.window.slow_starts();
        }
        self.controller.on_ack(&ack, &self.rtt.path, &mut self.window);
        self.keep_whole(ctx);
        self.stats.cwnd_sum += self.window.cwnd;
        self.stats.acks += 1;
        ctx.observe(Event::Acknowledged { segments: newly, before, cwnd: self.window.cwnd });
        self.note_fall(before, self.window.cwnd);
    }

    /// Where windows are whole segments, what is over waits until it makes one.
    #[inline]
    fn keep_whole(&mut self, ctx: &impl Context) {
        if ctx.profile().whole_windows {
            (self.window.cwnd, self.grown) = to_whole(self.window.cwnd + self.grown);
        }
    }

    /// Counts a window that shrank.
    #[inline]
    pub(crate) fn note_fall(&mut self, before: f64, after: f64) {
        if after < before {
            self.stats.decreases += 1;
            self.stats.fallen += before - after;
        }
    }

    #[inline]
    pub(crate) fn describe(&mut self, acked: f64, flight: u32, rtt_s: f64, ctx: &impl Context) -> Ack {
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
                && !self.host_limits(ctx.now()),
            marked: 0.0,
            recovers: self.phase == Phase::Recovery,
            after_timeout: self.phase == Phase::Timeout,
            rate: if self.sent.is_some() { self.delivery_rate(rtt_s, ctx) } else { Rate::default() },
            paced: self.window.pace < f64::INFINITY || ctx.profile().pacing.is_some(),
        }
    }

    #[inline]
    fn delivery_rate(&mut self, sampled_s: f64, ctx: &impl Context) -> Rate {
        let (in_flight, wait) = (self.flight(), self.pace_next.saturating_sub(ctx.now()));
        let rate = self.sent.as_mut().map_or_else(Rate::default, |j| j.rate(in_flight));
        let rtt_s = if rate.rtt_s > 0.0 { rate.rtt_s } else { self.stamped_s(sampled_s, ctx) };
        Rate { wait_s: seconds(wait), rtt_s, ..rate }
    }

    /// The RTT of what was sent again, which only time stamps can tell.
    #[cold]
    fn stamped_s(&self, sampled_s: f64, ctx: &impl Context) -> f64 {
        let profile = ctx.profile();
        if !profile.timestamps || sampled_s <= 0.0 {
            return 0.0;
        }
        seconds(by_stamps(picoseconds(sampled_s), ctx.now(), profile.timestamp_clock))
    }

    /// What a reduction starts from: FlightSize without what limited transmit added (RFC 5681 §3.2 step 1),
    /// and in Linux the window.
    pub(crate) fn flight_for_controller(&self, ctx: &impl Context) -> u32 {
        let window = self.window.cwnd as u32;
        if ctx.profile().whole_windows { window } else { window.min(self.next - self.una) }
    }
}

/// A window in whole segments, one at least, and what is over. Steps that add up to a segment may miss it by
/// a rounding error.
#[inline]
fn to_whole(window: f64) -> (f64, f64) {
    let whole = floor(window + 1e-9).max(1.0);
    (whole, (window - whole).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Congestion avoidance by `1/cwnd` a segment, two to an ACK: ACKs until the window is one more.
    fn acks_to_grow(window: f64, left: f64) -> (u32, f64) {
        let (mut cwnd, mut left, mut acks) = (window, left, 0);
        while cwnd == window {
            (cwnd, left) = to_whole(cwnd + 2.0 / cwnd + left);
            acks += 1;
        }
        (acks, left)
    }

    #[test]
    fn a_whole_window_grows_when_as_much_as_it_holds_is_acknowledged() {
        // tcp_cong_avoid_ai: 134 are 67 ACKs exactly; of 135 the 68th leaves one segment over
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
        let (cwnd, left) = to_whole(20.0 - 0.25);
        assert_eq!((cwnd, left), (19.0, 0.75));
        assert_eq!(to_whole(cwnd + left - 0.25), (19.0, 0.5));
    }
}
