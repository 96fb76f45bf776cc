//! A sender without a network. It acknowledges each window that an algorithm sets to the same algorithm.

use headgate_algos::control::AnyController;
use headgate_model::control::{Ack, Cause, Congestion, Controller, ControllerRegistry, Path, Rate, Window};
use headgate_model::params::{Card, Param};

pub fn defaults(card: &Card) -> Vec<f64> {
    values(card.params, &[])
}

/// The defaults of a table, with some values changed by name.
pub fn values(table: &[Param], changes: &[(&str, f64)]) -> Vec<f64> {
    let mut all: Vec<f64> = table.iter().map(|param| param.default).collect();
    for (name, value) in changes {
        let place = table.iter().position(|param| param.name == *name).expect("a parameter");
        all[place] = *value;
    }
    all
}

/// The algorithm of this name, with some of its values changed.
pub fn controller(name: &str, changes: &[(&str, f64)]) -> AnyController {
    let index = AnyController::cards().iter().position(|card| card.name == name).expect("an algorithm");
    AnyController::build(index, &values(AnyController::cards()[index].params, changes))
}

pub fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

/// One flow: the algorithm, its window, and its round trips.
pub struct Flow {
    pub controller: AnyController,
    pub window: Window,
    pub path: Path,
    pub now_s: f64,
    /// Counts of the rate samples: segments delivered, lost, and lost since the last ACK.
    delivered: f64,
    lost: f64,
    newly_lost: f64,
    /// The current repair, and the number of ACKs that it still takes.
    repair: (Cause, u32),
    /// ACKs until the next round starts.
    left: u32,
}

impl Flow {
    pub fn new(controller: AnyController, cwnd: f64, ssthresh: f64, base_rtt_s: f64) -> Self {
        let path = Path { srtt_s: base_rtt_s, min_rtt_s: base_rtt_s, segment_bytes: 1500 };
        let window = Window { cwnd, ssthresh, pace: f64::INFINITY };
        let mut flow = Self {
            controller,
            window,
            path,
            now_s: 0.0,
            delivered: 0.0,
            lost: 0.0,
            newly_lost: 0.0,
            repair: (Cause::Loss, 0),
            left: cwnd as u32,
        };
        flow.controller.on_start(0.0, &flow.path, &mut flow.window);
        flow
    }

    pub fn in_flight(&self) -> u32 {
        self.window.cwnd as u32
    }

    /// Delivers one ACK of one segment. Time advances by its share of the round trip.
    pub fn ack(&mut self, rtt_s: f64) {
        self.now_s += rtt_s.max(1e-6) / self.window.cwnd;
        let round_start = self.left == 0;
        if round_start {
            self.left = self.in_flight().max(1);
        }
        self.left -= 1;
        let ack = Ack {
            now_s: self.now_s,
            acked: 1.0,
            rtt_s,
            in_flight: self.in_flight(),
            round_start,
            cwnd_limited: true,
            recovers: self.repairs(Cause::Loss),
            after_timeout: self.repairs(Cause::Timeout),
            rate: self.rate(rtt_s),
            ..Ack::default()
        };
        self.repair.1 = self.repair.1.saturating_sub(1);
        if ack.recovers {
            self.controller.on_recovery_ack(&ack, &self.path, &mut self.window);
        } else {
            self.controller.on_ack(&ack, &self.path, &mut self.window);
        }
    }

    fn repairs(&self, after: Cause) -> bool {
        self.repair.0 == after && self.repair.1 > 0
    }

    /// Returns the rate sample: a window per round trip.
    fn rate(&mut self, rtt_s: f64) -> Rate {
        let in_flight = f64::from(self.in_flight());
        self.delivered += 1.0;
        let newly_lost = std::mem::take(&mut self.newly_lost);
        Rate {
            per_s: if rtt_s > 0.0 { in_flight / rtt_s } else { 0.0 },
            interval_s: rtt_s,
            delivered: self.delivered,
            newly: 1.0,
            prior: (self.delivered - in_flight).max(0.0),
            then_in_flight: in_flight,
            lost: self.lost,
            lost_since: newly_lost,
            newly_lost,
            in_flight: in_flight - 1.0,
            rtt_s,
            ..Rate::default()
        }
    }

    fn suffer(&mut self, cause: Cause, in_flight: u32) {
        if cause != Cause::Mark {
            self.lose_segment(in_flight);
        }
        let event = Congestion { cause, now_s: self.now_s, in_flight };
        self.controller.on_congestion(&event, &self.path, &mut self.window);
    }

    fn lose_segment(&mut self, in_flight: u32) {
        (self.lost, self.newly_lost) = (self.lost + 1.0, self.newly_lost + 1.0);
        let (delivered, then_in_flight) = (self.delivered, f64::from(in_flight));
        let sent = Rate {
            delivered,
            prior: delivered,
            then_in_flight,
            lost: self.lost,
            lost_since: 1.0,
            ..Rate::default()
        };
        self.controller.on_segment_lost(&sent, &self.path, &mut self.window);
    }

    fn settle(&mut self) {
        if !self.controller.controls_cwnd_in_recovery() {
            self.window.cwnd = self.window.ssthresh;
        }
        self.controller.on_recovered(self.now_s, &self.path, &mut self.window);
    }

    /// Delivers a congestion mark.
    pub fn mark(&mut self) {
        self.suffer(Cause::Mark, self.in_flight());
        self.settle();
    }

    /// Delivers a loss, repaired at once, or within a window of ACKs for an algorithm that sets the window
    /// meanwhile.
    pub fn lose(&mut self) {
        let in_flight = self.in_flight();
        self.suffer(Cause::Loss, in_flight);
        if self.controller.controls_cwnd_in_recovery() {
            self.repair = (Cause::Loss, in_flight);
        }
        self.settle();
    }

    /// Delivers a time-out: the window is one segment before the algorithm is called.
    pub fn time_out(&mut self) {
        let in_flight = self.in_flight();
        self.window.cwnd = 1.0;
        self.suffer(Cause::Timeout, in_flight);
        self.repair = (Cause::Timeout, in_flight);
    }
}

/// A reproducible pseudo-random generator (Marsaglia's xorshift64).
pub struct Xorshift(pub u64);

impl Xorshift {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
