//! The retransmission timer of a sender: SYN retries, RTO (RFC 6298), probes and reordering (RFC 8985).

use headgate_model::control::{Cause, Controller, Window};
use headgate_model::units::{NEVER, Time};

use crate::context::{Context, Event, SenderContext, Timer};
use crate::sender::Sender;
use crate::state::{Alarm, Phase};

impl<C: Controller> Sender<C> {
    /// A timer that it had asked for went off; false when the connection failed.
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
            return true; // an earlier one was set since
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
        self.window.cwnd = f64::from(self.board().pipe() + 1);
        self.note_fall(before.cwnd, self.window.cwnd);
        self.reduce_at_timeout(flight, phase, before, ctx);
        self.backoff = self.backoff.saturating_add(1);
        self.rtt.back_off(self.backoff, self.una);
        self.dupacks = 0;
        self.timed = None;
        self.probe = None;
        self.round_end = self.next;
        self.restart_timer(ctx);
        self.pump(ctx);
    }

    /// Lowers the threshold: as a rule once for one window of losses (as Linux, tcp_enter_loss), and not while
    /// the same segment times out again (RFC 5681 §3.1).
    fn reduce_at_timeout(&mut self, flight: u32, phase: Phase, before: Window, ctx: &impl Context) {
        let profile = ctx.profile();
        let each = profile.each_timeout;
        let again = std::mem::replace(&mut self.retried, true);
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

    /// RFC 6298 §5: the timer runs while anything is outstanding.
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

    /// New segments left, where so many were outstanding: the timer runs from now on, if it did not.
    #[inline]
    pub(crate) fn time_new(&mut self, outstanding: u32, ctx: &mut impl SenderContext) {
        if self.deadline == NEVER {
            self.restart_timer(ctx);
        } else if outstanding == 1 {
            self.postpone_probe(ctx); // what waited for the ACK of one segment waits no longer
        }
    }

    pub(crate) fn set_alarm(&mut self, alarm: Alarm, deadline: Time, ctx: &mut impl SenderContext) {
        self.alarm = alarm;
        self.set_deadline(deadline, ctx);
    }

    /// Lazy: an armed timer that is early enough is left alone.
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
