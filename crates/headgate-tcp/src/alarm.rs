//! The retransmission timer of a sender: SYN retries, RTO (RFC 6298), tail loss probes and the reordering
//! timer (RFC 8985).

use headgate_model::control::{Cause, Controller, Window};
use headgate_model::units::{NEVER, Time};

use crate::context::{Context, Event, SenderContext, Timer};
use crate::sender::Sender;
use crate::state::{Alarm, Phase};

impl<C: Controller> Sender<C> {
    /// Handles the expiry of a timer that the sender set. Returns false if the connection failed.
    pub fn on_timer(&mut self, timer: Timer, at: Time, ctx: &mut impl SenderContext) -> bool {
        match timer {
            Timer::Pace => {
                self.on_pace(at, ctx);
                true
            }
            _ => self.on_retransmit(at, ctx),
        }
    }

    fn on_retransmit(&mut self, at: Time, ctx: &mut impl SenderContext) -> bool {
        if at != self.armed || self.phase == Phase::Closed {
            return true; // an earlier timer was set since
        }
        self.armed = NEVER;
        if self.deadline > at {
            if self.deadline != NEVER {
                self.arm(ctx);
            }
            return true;
        }
        self.deadline = NEVER;
        if self.phase == Phase::SynSent {
            return self.on_syn_timeout(ctx);
        }
        if self.quic.is_some() {
            self.on_loss_timer(ctx);
            return true;
        }
        match self.alarm {
            Alarm::Timeout => self.on_timeout(ctx),
            Alarm::Probe => self.on_probe_alarm(ctx),
            Alarm::Reorder => self.on_reorder_alarm(ctx),
        }
        true
    }

    fn on_syn_timeout(&mut self, ctx: &mut impl SenderContext) -> bool {
        self.backoff += 1;
        if self.backoff >= ctx.profile().syn_tries {
            return false;
        }
        self.send_syn(ctx);
        true
    }

    fn on_timeout(&mut self, ctx: &mut impl SenderContext) {
        self.stats.timeouts += 1;
        ctx.observe(Event::Timeout);
        let flight = self.flight_for_controller(ctx);
        let (phase, before) = (self.phase, self.window);
        self.lose_all(ctx);
        self.window.cwnd = f64::from(self.scoreboard().pipe() + 1);
        self.note_fall(before.cwnd, self.window.cwnd);
        self.reduce_at_timeout(flight, phase, before, ctx);
        self.backoff = self.backoff.saturating_add(1);
        self.rtt.back_off(self.backoff, self.una);
        self.dupacks = 0;
        self.timed = None;
        self.probe = None;
        self.round_end = self.next;
        self.restart_timer(ctx);
        self.send_allowed(ctx);
    }

    /// Lowers `ssthresh` after a time-out, but not while the same segment times out again (RFC 5681 section
    /// 3.1).
    ///
    /// NOTE(RFC 5681 section 3.1): a time-out during fast recovery does not lower `ssthresh` again unless
    /// [`Profile::each_timeout`](crate::Profile) is set, as in Linux (`tcp_enter_loss`). The RFC lowers it
    /// for each segment that times out.
    fn reduce_at_timeout(&mut self, flight: u32, phase: Phase, before: Window, ctx: &impl Context) {
        let profile = ctx.profile();
        let each = profile.each_timeout;
        let again = std::mem::replace(&mut self.has_timed_out, true);
        let reduced = matches!(phase, Phase::Recovery | Phase::Reducing);
        if !again || each {
            if !reduced {
                self.begin_episode(Some(before), profile);
            }
            self.tell_controller(Cause::Timeout, flight, ctx);
        }
        if reduced && !each {
            self.window.ssthresh = before.ssthresh;
        }
        self.begin_timeout_test(again || phase != Phase::Recovery, profile);
    }

    /// Restarts the timer, or stops it if nothing is outstanding (RFC 6298 section 5).
    #[inline]
    pub(crate) fn restart_timer(&mut self, ctx: &mut impl SenderContext) {
        if self.una == self.next {
            self.deadline = NEVER;
            return;
        }
        let rto = self.rtt.rto(self.backoff, ctx.profile());
        let (alarm, wait) = match self.probe_timeout(ctx) {
            Some(probe) => (Alarm::Probe, probe.min(rto)), // instead of that time-out
            None => (Alarm::Timeout, rto),
        };
        self.set_alarm(alarm, ctx.now() + wait, ctx);
    }

    /// Starts the timer after new segments left, if it does not run. `outstanding` is the number of segments
    /// in flight before.
    #[inline]
    pub(crate) fn time_new_segments(&mut self, outstanding: u32, ctx: &mut impl SenderContext) {
        if self.deadline == NEVER {
            self.restart_timer(ctx);
        } else if outstanding == 1 {
            self.postpone_probe(ctx); // data that waited for the ACK of one segment no longer wait
        }
    }

    pub(crate) fn set_alarm(&mut self, alarm: Alarm, deadline: Time, ctx: &mut impl SenderContext) {
        self.alarm = alarm;
        self.set_deadline(deadline, ctx);
    }

    /// Sets the deadline. A timer that is armed for an earlier time is left alone and set again when it
    /// expires.
    #[inline]
    pub(crate) fn set_deadline(&mut self, deadline: Time, ctx: &mut impl SenderContext) {
        self.deadline = deadline;
        if deadline < self.armed {
            self.arm(ctx);
        }
    }

    fn arm(&mut self, ctx: &mut impl SenderContext) {
        self.armed = self.deadline;
        ctx.set_timer(Timer::Retransmit, self.deadline);
    }
}
