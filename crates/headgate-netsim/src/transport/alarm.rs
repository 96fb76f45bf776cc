//! The retransmission timer of a sender: SYN retries, RTO (RFC 6298), probes and reordering (RFC 8985).

use headgate_model::control::{Cause, Registry};
use headgate_model::units::{NEVER, Time};

use super::sender::Sender;
use super::state::{Alarm, Phase};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};

impl<L: Registry> Sender<L> {
    /// The retransmission timer (or SYN timer) went off; false when the connection failed.
    pub fn on_timer(&mut self, at: Time, shared: &mut Shared<L>) -> bool {
        if at != self.armed || self.phase == Phase::Idle {
            return true; // an earlier one was set since
        }
        self.armed = NEVER;
        if self.deadline > at {
            if self.deadline != NEVER {
                self.arm(shared);
            }
            return true;
        }
        self.deadline = NEVER;
        if self.phase == Phase::Connecting {
            return self.on_syn_timeout(shared);
        }
        match self.alarm {
            Alarm::Timeout => self.on_timeout(shared),
            Alarm::Probe => self.on_probe_alarm(shared),
            Alarm::Reorder => self.on_reorder_alarm(shared),
        }
        true
    }

    fn on_syn_timeout(&mut self, shared: &mut Shared<L>) -> bool {
        self.backoff += 1;
        if self.backoff >= self.profile(shared).syn_tries {
            return false;
        }
        self.send_syn(shared);
        true
    }

    fn on_timeout(&mut self, shared: &mut Shared<L>) {
        self.tally.timeouts += 1;
        shared.counters.timeouts += 1;
        let flight = self.flight_for_law(shared);
        let recovered = self.phase == Phase::Recovery;
        self.note_fall(self.window.cwnd, 1.0);
        self.window.cwnd = 1.0;
        self.lose_all();
        self.reduce_at_timeout(flight, recovered, shared);
        self.backoff = self.backoff.saturating_add(1);
        self.dupacks = 0;
        self.timed = None;
        self.probe = None;
        self.round_end = self.next;
        self.restart_timer(shared);
        self.pump(shared);
    }

    /// Lowers the threshold: as a rule once for one window of losses (as Linux, tcp_enter_loss), and not while
    /// the same segment times out again (RFC 5681 §3.1).
    fn reduce_at_timeout(&mut self, flight: u32, recovered: bool, shared: &Shared<L>) {
        let each = self.profile(shared).each_timeout;
        let before = self.window.ssthresh;
        if !std::mem::replace(&mut self.retried, true) || each {
            self.tell_law(Cause::Timeout, flight, shared);
        }
        if recovered && !each {
            self.window.ssthresh = before;
        }
    }

    /// RFC 6298 §5: the timer runs while anything is outstanding.
    #[inline]
    pub(super) fn restart_timer(&mut self, shared: &mut Shared<L>) {
        if self.una == self.next {
            self.deadline = NEVER;
            return;
        }
        let rto = self.rtt.rto(self.backoff, self.profile(shared));
        let (alarm, wait) = match self.probe_timeout(shared) {
            Some(probe) if probe < rto => (Alarm::Probe, probe),
            _ => (Alarm::Timeout, rto),
        };
        self.set_alarm(alarm, shared.now + wait, shared);
    }

    pub(super) fn set_alarm(&mut self, alarm: Alarm, deadline: Time, shared: &mut Shared<L>) {
        self.alarm = alarm;
        self.set_deadline(deadline, shared);
    }

    /// Lazy: an armed timer that is early enough is left alone.
    #[inline]
    pub(super) fn set_deadline(&mut self, deadline: Time, shared: &mut Shared<L>) {
        self.deadline = deadline;
        if deadline < self.armed {
            self.arm(shared);
        }
    }

    fn arm(&mut self, shared: &mut Shared<L>) {
        self.armed = self.deadline;
        self.set_timer(self.deadline, Purpose::Retransmit, shared);
    }

    pub(super) fn set_timer(&self, time: Time, purpose: Purpose, shared: &mut Shared<L>) {
        let split = shared.split;
        shared.timers.push(Timer {
            time,
            site: split.site(self.address) as u32,
            purpose,
            id: split.slot(self.address) as u32,
            generation: self.generation,
        });
    }
}
