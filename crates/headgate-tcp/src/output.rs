//! The output of a sender: the allowance of the window, pacing, and segments.

use headgate_model::control::{Controller, Window};
use headgate_model::units::{NEVER, SECOND, Span, Time, picoseconds};

use crate::context::{Context, DataSegment, Event, LimitExceeded, MOST_AT_ONCE, SenderContext, Timer};
use crate::flags::Flags;
use crate::profile::Profile;
use crate::rtt::stamp;
use crate::sender::Sender;
use crate::state::Phase;

/// The longest time between two requests for a new pace (Dukkipati's ns-2 code).
const LONGEST_SILENCE: Span = SECOND / 2;

/// The data segment of a connection from which Linux paces (`tcp_update_skb_after_send`).
const FIRST_PACED: u32 = 10;

impl<C: Controller> Sender<C> {
    /// Handles the expiry of the pacing timer.
    pub(crate) fn on_pace(&mut self, at: Time, ctx: &mut impl SenderContext) {
        if at != self.pace_armed {
            return; // an earlier timer was set since
        }
        self.pace_armed = NEVER;
        if !matches!(self.phase, Phase::SynSent | Phase::Closed) {
            if at == self.request_at && at < self.pace_next {
                self.send_header_request(0, ctx);
            }
            let before = self.next;
            self.send_allowed(ctx);
            if self.next > before {
                self.postpone_probe(ctx);
            }
        }
    }

    /// Sends the segments that the window allows, lost segments first.
    #[inline]
    pub(crate) fn send_allowed(&mut self, ctx: &mut impl SenderContext) {
        if !self.window.is_sound() {
            return self.limit_exceeded(LimitExceeded::Window(self.window), ctx);
        }
        if self.quic.is_some() {
            return self.send_packets(ctx);
        }
        if !self.has_room(ctx) {
            return self.note_usage(true, ctx);
        }
        let (next, outstanding) = (self.next, self.next - self.una);
        self.send_within_window(ctx);
        if self.next > next {
            self.time_new_segments(outstanding, ctx);
            self.note_usage(false, ctx);
        }
    }

    /// Records how far the flow uses its window, if the profile asks for it. `full` is true if the window is
    /// known to be full.
    #[inline]
    fn note_usage(&mut self, full: bool, ctx: &impl Context) {
        if ctx.profile().window_validation {
            let full = full || self.in_flight(ctx) >= self.allowance(ctx);
            self.usage.note(full, self.una, self.next);
        }
    }

    /// Sends the segments that the window allows, all at once or at the pacing rate.
    #[inline]
    fn send_within_window(&mut self, ctx: &mut impl SenderContext) {
        let rate = self.pacing_rate(ctx.profile());
        if rate < f64::INFINITY {
            return self.send_paced(rate, ctx);
        }
        let sent = self.send_burst(MOST_AT_ONCE, ctx);
        if sent == MOST_AT_ONCE && self.has_room(ctx) {
            self.limit_exceeded(LimitExceeded::Burst(self.window.cwnd), ctx);
        }
    }

    /// Reports an exceeded limit. The flow sends nothing new afterwards.
    #[cold]
    pub(crate) fn limit_exceeded(&mut self, excess: LimitExceeded, ctx: &mut impl SenderContext) {
        ctx.limit_exceeded(excess);
        self.stop();
    }

    /// Sends a burst if it is due, and sets the timer for the next one. Each burst delays the next one by its
    /// duration at this rate.
    fn send_paced(&mut self, rate: f64, ctx: &mut impl SenderContext) {
        while self.may_send(ctx) {
            let sent = self.send_burst(self.burst(rate, ctx), ctx);
            let pause = (f64::from(sent) * SECOND as f64 / rate) as Span;
            let bursts = ctx.profile().burst_edge > 0;
            let pause = if bursts { self.shortened(pause, ctx.now()) } else { pause.max(1) };
            self.pace_next = ctx.now().saturating_add(pause);
            if sent == 0 || !self.has_room(ctx) {
                return;
            }
        }
    }

    /// Shortens a pause as Linux does: no pause after the first segments. A burst that was late, mostly
    /// because it waited for the window, shortens the next pause by its delay, at most by half.
    fn shortened(&self, pause: Span, now: Time) -> Span {
        if self.next + self.stats.retransmissions < FIRST_PACED {
            return 0;
        }
        let late = if self.pace_next > 0 { now - self.pace_next } else { 0 };
        (pause - late.min(pause / 2)).max(1)
    }

    /// Moves the next turn after routers changed the pace: it follows the last turn by the pause of the new
    /// pace.
    pub(crate) fn change_pace(&mut self, before: f64) {
        let pause = |rate: f64| if rate.is_finite() { (SECOND as f64 / rate) as Span } else { 0 };
        if self.pace_next > 0 && self.window.pace != before {
            let last = self.pace_next.saturating_sub(pause(before));
            self.pace_next = last.saturating_add(pause(self.window.pace));
        }
    }

    /// Returns the segments of one burst.
    fn burst(&self, rate: f64, ctx: &impl Context) -> u32 {
        let edge = ctx.profile().burst_edge;
        if edge == 0 {
            return 1;
        }
        let quantum = Window { pace: rate, ..self.window }.quantum(self.rtt.path.segment_bytes);
        (quantum as u32).min(edge - self.next % edge)
    }

    #[inline]
    fn has_room(&self, ctx: &impl Context) -> bool {
        self.in_flight(ctx) < self.allowance(ctx) && !self.waits_for_host(ctx.now())
    }

    /// Applies backpressure: the queue of the host's interface is full until `at`.
    pub fn apply_backpressure(&mut self, at: Time) {
        self.host_busy_until = at;
    }

    /// Whether the sender waits for the host's queue. It waits only while segments are in flight, whose ACK
    /// will wake it.
    #[inline]
    pub(crate) fn waits_for_host(&self, now: Time) -> bool {
        now < self.host_busy_until && self.next != self.una
    }

    /// Whether the host's interface, not the window, was the limit in the last round trip (Linux's small
    /// queues below TCP).
    #[inline]
    pub(crate) fn is_host_limited(&self, now: Time) -> bool {
        self.host_busy_until > 0 && self.was_host_limited(now)
    }

    #[inline(never)]
    fn was_host_limited(&self, now: Time) -> bool {
        now < self.host_busy_until.saturating_add(picoseconds(self.rtt.path.srtt_s))
    }

    /// Sends up to `most` segments while the window allows; the caller has checked that it allows one.
    /// Returns the number sent.
    #[inline]
    fn send_burst(&mut self, most: u32, ctx: &mut impl SenderContext) -> u32 {
        for sent in 0..most {
            if sent > 0 && !self.has_room(ctx) {
                return sent;
            }
            if !self.send_next(ctx) {
                self.note_app_limited();
                return sent;
            }
        }
        most
    }

    #[inline]
    fn send_next(&mut self, ctx: &mut impl SenderContext) -> bool {
        let resends = self.recovery.as_ref().is_some_and(|recovery| !recovery.sends_new);
        (resends && self.resend(ctx)) || self.send_new(ctx) || (resends && self.resend_early(ctx))
    }

    /// Records that the window allows a segment and no data is left to send.
    pub(crate) fn note_app_limited(&mut self) {
        let in_flight = self.flight();
        if let Some(sent) = self.sent.as_mut().filter(|_| self.next >= self.size) {
            sent.note_app_limited(in_flight);
        }
    }

    /// The pacing rate, segments/s; infinite if the flow is not paced.
    #[inline]
    pub fn pacing_rate(&self, profile: &Profile) -> f64 {
        if self.window.pace < f64::INFINITY {
            return self.window.pace;
        }
        profile.pacing.map_or(f64::INFINITY, |gains| self.window_rate(gains))
    }

    fn window_rate(&self, (slow_start, steady): (f64, f64)) -> f64 {
        let gain = if self.window.slow_starts() { slow_start } else { steady };
        let srtt_s = self.rtt.path.srtt_s;
        if srtt_s > 0.0 { gain * self.window.cwnd / srtt_s } else { f64::INFINITY }
    }

    /// Whether the next burst is due. If not, the timer is set for it.
    #[inline]
    fn may_send(&mut self, ctx: &mut impl SenderContext) -> bool {
        if ctx.now() >= self.pace_next {
            return true;
        }
        self.set_pace_timer(ctx);
        false
    }

    /// Sets the timer for the next turn, or for a request to routers before it.
    #[inline]
    pub(crate) fn set_pace_timer(&mut self, ctx: &mut impl SenderContext) {
        let turn = self.pace_next.min(self.next_header_request(ctx.now()));
        if turn < self.pace_armed {
            self.pace_armed = turn;
            ctx.set_timer(Timer::Pace, turn);
        }
    }

    /// Returns the time of the next request for a pace. A flow that sends less than a packet per RTT at the
    /// routers' pace requests a new one meanwhile.
    #[inline]
    fn next_header_request(&mut self, now: Time) -> Time {
        if self.scheme.is_none() { NEVER } else { self.next_request_to_routers(now) }
    }

    #[inline(never)]
    fn next_request_to_routers(&mut self, now: Time) -> Time {
        let min_rtt_s = self.rtt.path.min_rtt_s;
        if self.window.pace * min_rtt_s >= 1.0 {
            return NEVER;
        }
        if self.request_at <= now {
            self.request_at = now + picoseconds(min_rtt_s).clamp(1, LONGEST_SILENCE);
        }
        self.request_at
    }

    #[inline]
    fn in_flight(&self, ctx: &impl Context) -> u32 {
        match &self.recovery {
            None => self.next - self.una,
            Some(recovery) => self.flight_in_recovery(recovery, ctx.profile()),
        }
    }

    #[inline]
    fn allowance(&self, ctx: &impl Context) -> u32 {
        let allowed = match &self.recovery {
            None => self.window.cwnd as u32,
            Some(recovery) => self.allowance_in_recovery(recovery, ctx.profile()),
        };
        allowed.max(1)
    }

    #[inline]
    pub(crate) fn send_new(&mut self, ctx: &mut impl SenderContext) -> bool {
        let profile = ctx.profile();
        if self.next >= self.size || self.next - self.una >= profile.receive_window {
            return false;
        }
        let seq = self.next;
        self.next += 1;
        if self.timed.is_none() && !profile.timestamps {
            self.timed = Some((seq, ctx.now()));
        }
        if let Some(recovery) = &mut self.recovery {
            recovery.note_sent(self.next);
        }
        self.transmit(seq, false, ctx);
        true
    }

    #[inline]
    pub(crate) fn transmit(&mut self, seq: u32, again: bool, ctx: &mut impl SenderContext) {
        if again {
            self.stats.count_resent(seq);
        }
        let in_flight = self.flight();
        let alone = !again && self.next - self.una == 1;
        if let Some(sent) = &mut self.sent {
            sent.note_sent(seq, ctx.now(), in_flight, alone);
        }
        self.sent_at = ctx.now();
        ctx.observe(Event::Sent { seq, again });
        let mut flags = self.data_flags(again, ctx);
        if self.writes.is_some() {
            flags = flags.with(Flags::PUSH, self.ends_write(seq));
        }
        let header = self.make_header();
        ctx.send_data(DataSegment { seq, stamp: stamp(ctx.now()), flags }, header);
    }
}
