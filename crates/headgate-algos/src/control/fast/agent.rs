//! FAST with the bookkeeping of the ns-2 agent, ACK by ACK (`tcp-fast.cc`, versions 1.1.2 and 1.1.3).

use std::collections::VecDeque;

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};
use headgate_model::whole::floor;

use super::{Burstiness, CLOCK_S, FLOOR, Goal, Params};

/// Number of times per flight that the flight is recorded when packets leave.
const NOTES: f64 = 64.0;

/// Increases up to this window are not spread.
const SMALL: f64 = 4.0;

/// The state of one flow in the agent.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Agent {
    pub goal: Goal,
    mi_threshold_s: f64,
    update_rounds: u8,
    burstiness: Burstiness,
    /// Average RTT, and the smallest one; 0 before the first sample.
    rtt_s: f64,
    base_rtt_s: f64,
    updated_s: f64,
    rounds: Rounds,
    spread: Spread,
    flights: Flights,
}

/// Round trips by the clock. One ends with the first ACK that arrives a round trip after its start.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Rounds {
    began_s: f64,
    /// Round trips since the last updating one.
    passed: u8,
    /// ACKs of this round trip and of the previous one.
    acks: f64,
    acks_before: f64,
}

impl Rounds {
    fn count(&mut self, now_s: f64, rtt_s: f64, every: u8) {
        if self.began_s + rtt_s < now_s {
            self.began_s = now_s;
            self.acks_before = std::mem::take(&mut self.acks);
            self.passed = (self.passed + 1) % every;
        }
        self.acks += 1.0;
    }
}

/// An increase that is released segment by segment.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Spread {
    left: f64,
    /// ACKs between two segments, and ACKs since the last segment.
    every: f64,
    since: f64,
}

impl Spread {
    fn begin(&mut self, increase: f64, acks: f64) {
        self.left = increase;
        self.every = floor(acks / increase);
        self.since = 0.0;
    }

    /// Returns the increase of the window by this ACK.
    fn step(&mut self, cwnd: f64) -> f64 {
        self.since += 1.0;
        if self.left <= 0.0 || (cwnd > SMALL && self.since < self.every) {
            return 0.0;
        }
        let step = if cwnd > SMALL { 1.0 } else { self.left.min(floor(cwnd)) };
        self.left -= step;
        self.since = 0.0;
        step
    }
}

/// The flight at the time when each outstanding packet left.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Flights {
    acked: f64,
    /// Numbers of packets, and the flight from each of them on.
    notes: VecDeque<(f64, f64)>,
    last: f64,
}

impl Flights {
    /// Returns the flight at the time when the acknowledged packet left.
    fn then(&mut self, acked: f64) -> f64 {
        self.acked += acked;
        while self.notes.len() > 1 && self.notes[1].0 < self.acked {
            self.notes.pop_front();
        }
        self.notes.front().map_or(self.last, |note| note.1)
    }

    /// Records the flight for the packets that leave next.
    fn note(&mut self, outstanding: f64) {
        self.last = outstanding + 1.0;
        let next = self.acked + outstanding;
        if self.notes.back().is_none_or(|note| next - note.0 >= self.last / NOTES) {
            self.notes.push_back((next, self.last));
        }
    }

    /// Discards the records, because outstanding packets left during recovery, when nothing was recorded.
    fn forget(&mut self) {
        self.notes.clear();
        self.notes.push_back((self.acked, self.last));
    }
}

impl Agent {
    pub fn new(params: &Params) -> Self {
        Self {
            goal: Goal { alpha: params.alpha, gamma: params.gamma },
            mi_threshold_s: params.mi_threshold_s,
            update_rounds: params.update_rounds as u8,
            burstiness: params.burstiness,
            rtt_s: 0.0,
            base_rtt_s: f64::INFINITY,
            updated_s: 0.0,
            rounds: Rounds::default(),
            spread: Spread::default(),
            flights: Flights::default(),
        }
    }

    /// Starts the connection. Round trips are counted from the SYN, whose RTT is the first sample.
    pub fn on_start(&mut self, now_s: f64, path: &Path, window: &Window) {
        if path.min_rtt_s < f64::INFINITY {
            self.rounds.began_s = now_s - path.min_rtt_s;
            self.rtt_s = path.min_rtt_s;
            self.base_rtt_s = path.min_rtt_s;
        }
        self.flights.last = window.cwnd;
    }

    pub fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let then = self.flights.then(ack.acked);
        let outstanding = if ack.after_timeout { window.cwnd } else { f64::from(ack.in_flight) - ack.acked };
        self.flights.note(outstanding.max(0.0));
        self.sample(ack.rate.rtt_s);
        let rtt_s = if ack.rate.rtt_s > 0.0 { ack.rate.rtt_s } else { self.rtt_s };
        self.rounds.count(ack.now_s, rtt_s, self.update_rounds);
        if ack.cwnd_limited {
            self.adjust(ack, then, window);
        }
        self.burstiness.pace(self.doubles(), path, window);
    }

    /// Takes an RTT sample. The agent times each packet, regardless of the transport's clock.
    fn sample(&mut self, rtt_s: f64) {
        if rtt_s <= 0.0 {
            return;
        }
        self.base_rtt_s = self.base_rtt_s.min(rtt_s);
        if self.rtt_s == 0.0 {
            self.rtt_s = rtt_s;
        } else {
            self.rtt_s += (rtt_s - self.rtt_s) / (self.flights.last / 3.0).max(256.0);
        }
    }

    fn doubles(&self) -> bool {
        self.rtt_s - self.base_rtt_s < self.mi_threshold_s
    }

    fn adjust(&mut self, ack: &Ack, then: f64, window: &mut Window) {
        if self.doubles() {
            window.cwnd += ack.acked;
            self.updated_s = ack.now_s;
            return;
        }
        if self.rounds.passed == 0 && ack.now_s >= self.updated_s + CLOCK_S {
            self.update(ack.now_s, then, window);
        }
        window.cwnd += self.spread.step(window.cwnd);
    }

    /// Applies the equation. The fraction of a segment in a spread increase is dropped.
    fn update(&mut self, now_s: f64, then: f64, window: &mut Window) {
        let goal = self.goal.of(window.cwnd, then, self.base_rtt_s / self.rtt_s).max(FLOOR);
        self.updated_s = now_s;
        self.spread.left = 0.0;
        if goal < window.cwnd || !self.burstiness.spreads(self.base_rtt_s) {
            window.cwnd = goal;
        } else if goal >= window.cwnd + 1.0 {
            let acks = self.rounds.acks_before * CLOCK_S / self.rtt_s;
            self.spread.begin(floor(goal - window.cwnd), acks);
        }
    }

    /// Halves the window, not the flight.
    pub fn on_congestion(&mut self, event: &Congestion, window: &mut Window) {
        if event.cause == Cause::Timeout {
            window.cwnd = FLOOR;
            self.flights.forget();
        } else {
            window.ssthresh = (window.cwnd / 2.0).max(FLOOR);
        }
    }

    pub fn on_recovered(&mut self, now_s: f64) {
        self.updated_s = now_s;
        self.flights.forget();
    }
}

#[cfg(test)]
mod tests;
