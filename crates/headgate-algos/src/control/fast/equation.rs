//! FAST in round trips of packets: the paper's form and the simple one.

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};

use super::{Burstiness, CLOCK_S, FLOOR, Goal, Params, Variant};
use crate::control::reno;

/// The state of one flow that counts round trips by acknowledged segments.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Equation {
    pub goal: Goal,
    pub mi_threshold_s: f64,
    /// Average RTT; 0 before the first sample.
    pub rtt_s: f64,
    /// ACKs since the last sample.
    unsampled: i32,
    /// Window at the start of the previous round, segments.
    before: f64,
    /// Window at the start of this round, segments.
    began: f64,
    /// Segments acknowledged in this round.
    passed: f64,
    /// Target of the window, segments.
    pub to: f64,
    /// Change towards the target per acknowledged segment.
    slope: f64,
    pub updated_s: f64,
    update_rounds: u8,
    /// Rounds since the last updating one.
    round: u8,
    /// Whether doubling has ended.
    pub settled: bool,
    variant: Variant,
    pub burstiness: Burstiness,
}

impl Equation {
    pub fn new(params: &Params) -> Self {
        Self {
            goal: Goal { alpha: params.alpha, gamma: params.gamma },
            mi_threshold_s: params.mi_threshold_s,
            rtt_s: 0.0,
            unsampled: 0,
            before: FLOOR,
            began: FLOOR,
            passed: 0.0,
            to: FLOOR,
            slope: 0.0,
            updated_s: 0.0,
            update_rounds: params.update_rounds as u8,
            round: 0,
            settled: false,
            variant: params.variant,
            burstiness: params.burstiness,
        }
    }

    /// Resets the target and the history of the window to `cwnd`.
    pub fn rest_at(&mut self, cwnd: f64) {
        (self.before, self.began, self.to) = (cwnd, cwnd, cwnd);
        (self.passed, self.slope, self.round) = (0.0, 0.0, 0);
    }

    pub fn weight(&self, cwnd: f64) -> f64 {
        match self.variant {
            Variant::Paper => (3.0 / cwnd).min(0.25),
            _ => 1.0 / (cwnd / 3.0).max(256.0),
        }
    }

    /// Takes the sample of an ACK. If the transport times one segment per round trip, a sample counts for all
    /// ACKs since the last one. Otherwise the average would lag by hundreds of round trips.
    fn sample(&mut self, rtt_s: f64, cwnd: f64) {
        self.unsampled += 1;
        if rtt_s <= 0.0 {
            return;
        }
        if self.rtt_s == 0.0 {
            self.rtt_s = rtt_s;
        } else {
            self.rtt_s += self.share(cwnd) * (rtt_s - self.rtt_s);
        }
        self.unsampled = 0;
    }

    /// Weight of a sample after this number of ACKs.
    fn share(&self, cwnd: f64) -> f64 {
        let weight = self.weight(cwnd);
        if self.unsampled == 1 { weight } else { 1.0 - libm::pow(1.0 - weight, f64::from(self.unsampled)) }
    }

    fn open_round(&mut self, cwnd: f64) {
        (self.before, self.began) = (self.began, cwnd);
        self.passed = 0.0;
        self.round = (self.round + 1) % self.update_rounds;
    }

    /// The window at the time when the acknowledged packet was sent.
    pub fn sent_at(&self) -> f64 {
        let share = (self.passed / self.began).min(1.0);
        self.before + (self.began - self.before) * share
    }

    fn due(&self, ack: &Ack) -> bool {
        let clock = match self.variant {
            Variant::Paper => ack.round_start,
            _ => ack.now_s >= self.updated_s + CLOCK_S,
        };
        self.round == 0 && clock
    }

    /// Returns the target of the equation for a window `cwnd`.
    pub fn target(&self, cwnd: f64, base_rtt_s: f64) -> f64 {
        let next = self.goal.of(cwnd, self.sent_at(), base_rtt_s / self.rtt_s);
        next.min(2.0 * cwnd).max(FLOOR)
    }

    /// Number of segments acknowledged until the next update.
    fn span(&self, cwnd: f64) -> f64 {
        let rounds = match self.variant {
            Variant::Paper => 1.0,
            _ => (CLOCK_S / self.rtt_s).min(1.0),
        };
        (cwnd * rounds).max(1.0)
    }

    fn update(&mut self, ack: &Ack, base_rtt_s: f64, window: &mut Window) {
        self.to = self.target(window.cwnd, base_rtt_s);
        self.updated_s = ack.now_s;
        if self.burstiness.spreads(base_rtt_s) && self.to > window.cwnd {
            self.slope = (self.to - window.cwnd) / self.span(window.cwnd);
        } else {
            window.cwnd = self.to;
        }
    }

    fn approach(&mut self, acked: f64, window: &mut Window) {
        if window.cwnd < self.to {
            window.cwnd = (window.cwnd + self.slope * acked).min(self.to);
        }
    }

    fn double(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += ack.acked;
        (self.to, self.updated_s) = (window.cwnd, ack.now_s);
    }

    fn doubles(&self, base_rtt_s: f64) -> bool {
        !self.settled && (self.rtt_s == 0.0 || self.rtt_s - base_rtt_s < self.mi_threshold_s)
    }

    /// Moves the window: by doubling while the queue is empty, else by the equation.
    fn adjust(&mut self, ack: &Ack, base_rtt_s: f64, window: &mut Window) {
        if self.doubles(base_rtt_s) {
            self.double(ack, window);
            return;
        }
        self.settled = self.variant == Variant::Paper;
        if self.due(ack) {
            self.update(ack, base_rtt_s, window);
        }
        self.approach(ack.acked, window);
    }

    #[inline]
    pub fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.sample(ack.rtt_s, window.cwnd);
        if ack.round_start {
            self.open_round(window.cwnd);
        }
        self.passed += ack.acked;
        if ack.cwnd_limited {
            self.adjust(ack, path.min_rtt_s, window);
        }
        self.burstiness.pace(self.doubles(path.min_rtt_s), path, window);
    }

    /// Handles a congestion event. A loss ends doubling in the variants in which doubling ends; after a
    /// time-out doubling restarts.
    pub fn on_congestion(&mut self, event: &Congestion, window: &mut Window) {
        reno::halve(event.in_flight, window);
        if event.cause == Cause::Timeout {
            window.cwnd = FLOOR;
            self.rtt_s = 0.0;
            self.settled = false;
            self.rest_at(FLOOR);
        } else {
            self.settled = self.variant == Variant::Paper;
            self.rest_at(window.ssthresh);
        }
    }

    pub fn on_recovered(&mut self, now_s: f64, window: &Window) {
        self.rest_at(window.cwnd.max(FLOOR));
        self.updated_s = now_s;
    }
}
