//! What a sender puts into the network, and when: the window's allowance, pacing, segments.

use headgate_model::control::{Controller, Window};
use headgate_model::units::{NEVER, SECOND, Span, Time, picoseconds};

use crate::context::{Context, DataSegment, Event, Excess, MOST_AT_ONCE, SenderContext, Timer};
use crate::flags::Flags;
use crate::profile::Profile;
use crate::rtt::stamp;
use crate::sender::Sender;
use crate::state::Phase;

/// Time between questions for a new pace, at most (Dukkipati's ns-2 code).
const LONGEST_SILENCE: Span = SECOND / 2;

/// Linux paces from this data segment of a connection on (`tcp_update_skb_after_send`).
const FIRST_PACED: u32 = 10;

impl<C: Controller> Sender<C> {
    /// A paced sender's turn.
    pub(crate) fn on_pace(&mut self, at: Time, ctx: &mut impl SenderContext) {
        if at != self.pace_armed {
            return; // an earlier one was set since
        }
        self.pace_armed = NEVER;
        if !matches!(self.phase, Phase::SynSent | Phase::Closed) {
            if at == self.ask_at && at < self.pace_next {
                self.ask(0, ctx);
            }
            let before = self.next;
            self.pump(ctx);
            if self.next > before {
                self.postpone_probe(ctx);
            }
        }
    }

    /// Sends what the window allows: lost segments first.
    #[inline]
    pub(crate) fn pump(&mut self, ctx: &mut impl SenderContext) {
        if !self.window.is_sound() {
            return self.exceed(Excess::Window(self.window), ctx);
        }
        if !self.has_room(ctx) {
            return self.usage.note(true, self.una, self.next);
        }
        let (next, outstanding) = (self.next, self.next - self.una);
        self.send_allowed(ctx);
        if self.next > next {
            self.time_new(outstanding, ctx);
            let full = self.in_flight(ctx) >= self.allowance(ctx);
            self.usage.note(full, self.una, self.next);
        }
    }

    /// What there is room for leaves, all at once or at the flow's pace.
    #[inline]
    fn send_allowed(&mut self, ctx: &mut impl SenderContext) {
        let rate = self.pacing_rate(ctx.profile());
        if rate < f64::INFINITY {
            return self.pump_paced(rate, ctx);
        }
        let sent = self.send_burst(MOST_AT_ONCE, ctx);
        if sent == MOST_AT_ONCE && self.has_room(ctx) {
            self.exceed(Excess::Burst(self.window.cwnd), ctx);
        }
    }

    /// The flow sends nothing new until whoever drives it stops for it.
    #[cold]
    fn exceed(&mut self, excess: Excess, ctx: &mut impl SenderContext) {
        ctx.exceed(excess);
        self.stop();
    }

    /// A burst now if it is time, and the timer for the next one. What was sent pushes the next turn
    /// back by as long as it lasts at this rate.
    fn pump_paced(&mut self, rate: f64, ctx: &mut impl SenderContext) {
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

    /// Linux: no pause after the first segments; a turn that came late, most of all one that had to wait for
    /// the window, shortens the pause after it by as much, but leaves half.
    fn shortened(&self, pause: Span, now: Time) -> Span {
        if self.next + self.stats.retransmissions < FIRST_PACED {
            return 0;
        }
        let late = if self.pace_next > 0 { now - self.pace_next } else { 0 };
        (pause - late.min(pause / 2)).max(1)
    }

    /// A router has named another pace: the next turn is as long after the last as that one says.
    pub(crate) fn change_pace(&mut self, before: f64) {
        let pause = |rate: f64| if rate.is_finite() { (SECOND as f64 / rate) as Span } else { 0 };
        if self.pace_next > 0 && self.window.pace != before {
            let last = self.pace_next.saturating_sub(pause(before));
            self.pace_next = last.saturating_add(pause(self.window.pace));
        }
    }

    /// Segments of one turn.
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
        self.in_flight(ctx) < self.allowance(ctx) && !self.waits(ctx.now())
    }

    /// Its host tells it that the queue of its interface is full.
    pub fn wait_until(&mut self, at: Time) {
        self.host_busy_until = at;
    }

    /// A sender waits for its host's queue as long as an ACK will wake it: something is under way.
    #[inline]
    fn waits(&self, now: Time) -> bool {
        now < self.host_busy_until && self.next != self.una
    }

    /// Whether in the last round trip the host's interface was the limit, not the window (as Linux with
    /// its small queues below TCP).
    #[inline]
    pub(crate) fn host_limits(&self, now: Time) -> bool {
        self.host_busy_until > 0 && self.host_limited(now)
    }

    #[inline(never)]
    fn host_limited(&self, now: Time) -> bool {
        now < self.host_busy_until.saturating_add(picoseconds(self.rtt.path.srtt_s))
    }

    /// Sends up to so many segments, as the window allows, which has room for one; returns how many.
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

    /// The window has room, and there is nothing left to send.
    pub(crate) fn note_app_limited(&mut self) {
        let in_flight = self.flight();
        if let Some(sent) = self.sent.as_mut().filter(|_| self.next >= self.size) {
            sent.note_app_limited(in_flight);
        }
    }

    /// Segments/s; infinite when the flow is not paced.
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

    /// Whether its turn has come; else the timer is set for it.
    #[inline]
    fn may_send(&mut self, ctx: &mut impl SenderContext) -> bool {
        if ctx.now() >= self.pace_next {
            return true;
        }
        let turn = self.pace_next.min(self.next_question(ctx.now()));
        if turn < self.pace_armed {
            self.pace_armed = turn;
            ctx.set_timer(Timer::Pace, turn);
        }
        false
    }

    /// A flow that sends less than a packet per RTT at the routers' pace asks for a new one meanwhile.
    #[inline]
    fn next_question(&mut self, now: Time) -> Time {
        if self.scheme.is_none() { NEVER } else { self.next_question_to_routers(now) }
    }

    #[inline(never)]
    fn next_question_to_routers(&mut self, now: Time) -> Time {
        let min_rtt_s = self.rtt.path.min_rtt_s;
        if self.window.pace * min_rtt_s >= 1.0 {
            return NEVER;
        }
        if self.ask_at <= now {
            self.ask_at = now + picoseconds(min_rtt_s).clamp(1, LONGEST_SILENCE);
        }
        self.ask_at
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
        self.stats.retransmissions += u32::from(again);
        let in_flight = self.flight();
        let alone = !again && self.next - self.una == 1;
        if let Some(sent) = &mut self.sent {
            sent.note_sent(seq, ctx.now(), in_flight, alone);
        }
        self.sent_at = ctx.now();
        ctx.observe(Event::Sent { seq, again });
        let mut flags = self.data_flags(again);
        if self.writes.is_some() {
            flags = flags.with(Flags::PUSH, self.ends_write(seq));
        }
        let header = self.make_header();
        ctx.send_data(DataSegment { seq, stamp: stamp(ctx.now()), flags }, header);
    }
}
