//! The phases of BBRv3's cycle, and the estimates that each phase provides.

use super::*;
use crate::parts::order::larger;

impl Model {
    pub(super) fn check_drained(&mut self, event: &mut Event<'_>) {
        if self.mode == Mode::Startup && self.pipe.full {
            self.mode = Mode::Drain;
            self.drain_round = self.rounds.count;
            event.window.ssthresh = self.inflight(self.max_bw(), event.path, event.window);
            if self.is_linux() {
                self.forget_signals();
            }
        }
        if self.mode == Mode::Drain && self.is_drained(event) {
            self.enter_down();
        }
    }

    #[cold]
    pub(super) fn is_drained(&self, event: &Event<'_>) -> bool {
        let rate = &event.ack.rate;
        if self.is_linux() {
            let target = self.inflight(self.max_bw(), event.path, event.window);
            return self.in_network(rate.in_flight, event) <= target;
        }
        let target = self.inflight(self.bandwidth(), event.path, event.window);
        rate.in_flight <= target || self.rounds.count > self.drain_round + DRAIN_ROUNDS
    }

    /// Whether the phase is DOWN, CRUISE, REFILL or UP.
    pub(super) fn cycles(&self) -> bool {
        matches!(self.mode, Mode::Down | Mode::Cruise | Mode::Refill | Mode::Up)
    }

    pub(super) fn accelerates(&self) -> bool {
        matches!(self.mode, Mode::Startup | Mode::Refill | Mode::Up)
    }

    pub(super) fn advance_cycle(&mut self, event: &mut Event<'_>) {
        if self.adapt_upper_bounds(event) {
            return;
        }
        match self.mode {
            Mode::Down | Mode::Cruise => self.settle(event),
            Mode::Refill if self.rounds.starts => {
                self.probes = true;
                self.enter_up(event);
            }
            Mode::Up => self.go_up(event),
            _ => {}
        }
    }

    /// Starts a probe if it is due, else cruises once the queue is empty.
    pub(super) fn settle(&mut self, event: &Event<'_>) {
        let probes = self.probes_again(event);
        if !probes && self.mode == Mode::Down && self.may_cruise(event) {
            self.enter_cruise();
        }
    }

    /// Adapts the upper bounds. Returns true if the next phase is decided.
    pub(super) fn adapt_upper_bounds(&mut self, event: &Event<'_>) -> bool {
        let rate = &event.ack.rate;
        if self.feedback == Feedback::Starting && self.rounds.starts {
            self.feedback = Feedback::Running;
        }
        if self.feedback == Feedback::Stopping && self.rounds.starts && self.probe_is_over(rate) {
            return true;
        }
        if self.loses_too_much(rate) || self.has_too_many_marks(rate) {
            if self.is_linux() && self.probes {
                let sent = (rate.then_in_flight, self.probe_rtt.limits(rate));
                self.answer_loss(sent, event.path, event.window);
            }
        } else if self.bounds.inflight_long.is_finite() {
            self.raise_long(event);
        }
        false
    }

    /// Handles the end of a probe, when everything that it sent is acknowledged. Returns true if it is
    /// repeated at once.
    #[cold]
    pub(super) fn probe_is_over(&mut self, rate: &Rate) -> bool {
        self.probes = false;
        self.feedback = Feedback::None;
        if self.cycles() && !self.probe_rtt.limits(rate) && self.bw[1] > 0.0 {
            self.bw = [self.bw[1], 0.0];
        }
        let again = self.cycles() && self.cautious && !self.too_high;
        if again {
            self.enter_refill(0);
        }
        again
    }

    pub(super) fn raise_long(&mut self, event: &Event<'_>) {
        let rate = &event.ack.rate;
        self.bounds.inflight_long = larger(self.bounds.inflight_long, rate.then_in_flight);
        if self.mode == Mode::Up && self.fills_long(event.window) {
            self.bounds.grow(rate.newly);
            if self.rounds.starts {
                self.bounds.steepen(event.window.cwnd);
            }
        }
    }

    pub(super) fn fills_long(&self, window: &Window) -> bool {
        self.is_cwnd_limited() && window.cwnd >= self.bounds.inflight_long
    }

    /// Handles excessive losses or marks in a probe, once per probe; the arguments are the segments in flight and
    /// whether the sender limited them.
    #[cold]
    pub(super) fn answer_loss(&mut self, (in_flight, limited): (f64, bool), path: &Path, window: &Window) {
        self.too_high = true;
        self.probes = false;
        if !limited {
            let least = self.params.beta * self.target(path, window);
            self.bounds.inflight_long = in_flight.max(least).floor();
        }
        if self.mode == Mode::Up {
            self.before.left = Some(Mode::Up);
            self.enter_down();
        }
    }

    /// Whether a probe is due.
    pub(super) fn probes_again(&mut self, event: &Event<'_>) -> bool {
        let rounds = self.target(event.path, event.window).min(PROBE_ROUNDS);
        if self.marks.as_ref().is_some_and(|marks| marks.have_ceased(event.ack)) {
            self.enter_refill(marks::count_doublings(self.bounds.inflight_long));
            return true;
        }
        let due = self.now_s > self.cycle_at_s + self.wait_s || self.rounds_since_probe >= rounds;
        if due {
            self.enter_refill(0);
        }
        due
    }

    pub(super) fn may_cruise(&self, event: &Event<'_>) -> bool {
        let in_flight = self.in_flight(event);
        in_flight <= self.bounds.with_headroom(self.params.headroom, FLOOR)
            && in_flight <= self.inflight(self.max_bw(), event.path, event.window)
    }

    #[inline(never)]
    pub(super) fn go_up(&mut self, event: &Event<'_>) {
        if self.too_high && self.in_flight(event) >= self.bounds.inflight_long {
            self.cautious = true;
        } else if self.fills_long(event.window) {
            self.pipe.restart(event.ack.rate.per_s);
            return;
        } else if !self.pipe.now {
            return;
        }
        self.too_high = false;
        self.enter_down();
    }

    #[cold]
    pub(super) fn enter_down(&mut self) {
        self.forget_signals();
        self.bounds.stop();
        self.rounds_since_probe = f64::from(self.draw.below(2, -self.delivered));
        self.wait_s = self.params.probe_wait_s + WAIT_SPREAD_S * self.draw.uniform(self.delivered);
        self.cycle_at_s = self.now_s;
        self.feedback = Feedback::Stopping;
        self.rounds.begin(self.delivered);
        self.mode = Mode::Down;
    }

    /// Forgets the deliveries, losses and marks of the last round trip.
    fn forget_signals(&mut self) {
        self.latest.forget();
        self.echoed.in_round = false;
        if let Some(marks) = &mut self.marks {
            marks.forget();
        }
    }

    pub(super) fn enter_cruise(&mut self) {
        if self.is_linux() && self.bounds.inflight_short.is_finite() {
            self.bounds.inflight_short = self.bounds.inflight_short.min(self.bounds.inflight_long);
        }
        self.mode = Mode::Cruise;
    }

    /// Begins a probe whose growth has already doubled `doublings` times.
    #[cold]
    pub(super) fn enter_refill(&mut self, doublings: u32) {
        self.bounds.forget_short();
        self.bounds.prepare(doublings);
        self.cautious = false;
        self.feedback = Feedback::Refilling;
        self.rounds.begin(self.delivered);
        self.mode = Mode::Refill;
    }

    #[cold]
    pub(super) fn enter_up(&mut self, event: &Event<'_>) {
        self.feedback = Feedback::Starting;
        self.rounds.begin(self.delivered);
        self.pipe.restart(event.ack.rate.per_s);
        self.mode = Mode::Up;
        self.bounds.steepen(event.window.cwnd);
    }

    #[cold]
    pub(super) fn enter_probe_rtt(&mut self, event: &Event<'_>) {
        self.mode = Mode::ProbeRtt;
        self.repair.save(event.window.cwnd, true);
        self.feedback = Feedback::Stopping;
        self.rounds.begin(self.delivered);
        self.probe_rtt.begin(&event.ack.rate);
    }

    #[cold]
    pub(super) fn heed_probe_rtt(&mut self, event: &mut Event<'_>) {
        let empty = event.ack.rate.in_flight <= self.probe_rtt_cwnd();
        if self.probe_rtt.ends(empty, PROBE_RTT_S, event.ack, &mut self.rounds) {
            self.end_probe_rtt(event.window);
        }
    }

    pub(super) fn end_probe_rtt(&mut self, window: &mut Window) {
        self.least_rtt_at_s = self.now_s;
        window.cwnd = window.cwnd.max(self.repair.saved());
        self.leave_probe_rtt();
    }

    /// Leaves PROBE_RTT. The path is not full, so that CRUISE may begin at once.
    pub(super) fn leave_probe_rtt(&mut self) {
        self.bounds.forget_short();
        self.mode = Mode::Startup;
        if self.pipe.full {
            self.enter_down();
            self.enter_cruise();
        }
    }

    /// Handles the first transmission after an idle time (draft-ietf-ccwg-bbr, BBRHandleRestartFromIdle).
    pub(super) fn restart(&mut self, restart: &Restart, window: &mut Window) {
        self.restarts = true;
        (self.now_s, self.delivered) = (restart.now_s, restart.delivered);
        self.epoch = Epoch::new(restart.now_s);
        self.aggregation.begin_epoch(restart.now_s);
        match self.mode {
            Mode::Down | Mode::Cruise | Mode::Refill | Mode::Up => {
                window.pace = (1.0 - self.params.pacing_margin) * self.bandwidth();
            }
            Mode::ProbeRtt if self.probe_rtt.has_lasted(restart.now_s) => self.end_probe_rtt(window),
            Mode::Startup | Mode::Drain | Mode::ProbeRtt => {}
        }
    }

    pub(super) fn time_out(&mut self) {
        self.repair.time_out();
        if self.is_linux() {
            self.pipe.restart(0.0);
            if !self.accelerates() && self.bounds.inflight_short.is_infinite() {
                self.bounds.inflight_short = self.repair.saved();
            }
        }
    }
}
