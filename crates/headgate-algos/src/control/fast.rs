//! FAST TCP: each flow keeps `alpha` packets in the queue.
//!
//! # What it does
//! Compares the RTT with the smallest one seen and moves the window towards the one at which the
//! flow has `alpha` packets waiting. It needs no losses; when one comes, it halves.
//!
//! # The law
//! Of four components, each for itself:
//!
//! *Estimation*: `rtt` is a moving average; `base_rtt` the smallest RTT of the connection, never reset;
//! `w'` the window at which the packet now acknowledged was sent.
//!
//! *Window control*: `w = min(2w, (1 - gamma) w + gamma (base_rtt/rtt w' + alpha))`, at least 2, in every
//! `update_rounds`-th round trip. While the average is less than `mi_threshold_s` above `base_rtt`: one
//! segment per acknowledged one, so that the window doubles each round trip. With `gamma` 1,
//! `update_rounds` 1, `mi_threshold_s` 0 and the variant `paper` this is `w = base_rtt/rtt w + alpha`.
//!
//! *Data and loss control*: which packet to send, again or for the first time, is the transport's. Of a
//! loss this law makes `w = w/2`, of a time-out `w = 2`; it rests while losses are repaired.
//!
//! *Burstiness control*: `spread` lets an increase out over the ACKs up to the next update, on paths of
//! 4 ms and more; `none` at once; `pace` spreads it too, and sends the packets 1.2 times as fast as a
//! window per `srtt`, twice as fast while the window doubles, so that the window stays the limit.
//!
//! # Where it differs from the paper
//! The variant `ns2` follows that agent: within an updating round trip it updates every 10 ms, and the
//! weight of an RTT sample is 1/max(256, w/3). The variant `paper` updates once in an updating round
//! trip and weighs samples by min(3/w, 1/4). Both double by the same threshold. `w'` is interpolated
//! between the windows at the starts of the last two round trips, which is exact while the window
//! doubles or rests; the agent remembers it for each packet. Windows are fractional, where the agent
//! drops increases below one packet. After a time-out the average starts anew, so that the window
//! doubles at once. `ssthresh` ends no slow start. The agent's dead band between `alpha` and a `beta`
//! is not here: the two are equal by its default. `base_rtt` is the connection's, the handshake's packets
//! included, as in the agent: with `alpha` 100 it rests at 97 packets, which by RTTs of data would be too few.
//!
//! # When to use it
//! As the law driven by delay: full use of a path at a queue of `alpha` packets per flow, if the buffer
//! holds them.
//!
//! # References
//! Wei, Jin, Low, Hegde 2006; Jin, Wei, Low 2004 (equation, gamma 0.5; weights recalled, not verified);
//! the FAST agent 1.1.3 of ns-2 by Cui and Andrew (alpha 100, threshold 0.75 ms, every other round trip,
//! 10 ms, 4 ms); Low 2005 (components); Linux `tcp_input.c` (pacing at 1.2 and 2).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;

headgate_model::params! {
    /// Packets that a flow keeps in the queue.
    alpha: number(100.0, (1.0, 100000.0), "segments", "ns-2 FAST agent 1.1.3"),
    /// Share of the way to its target that the window goes at an update.
    gamma: number(0.5, (0.01, 1.0), "", "Jin, Wei, Low 2004"),
    /// Queueing delay below which the window doubles each round trip; 0 = never.
    mi_threshold_s: number(0.00075, (0.0, 1.0), "s", "ns-2 FAST agent 1.1.3"),
    /// The window is updated in every so many-th round trip.
    update_rounds: number(2.0, (1.0, 16.0), "round trips", "ns-2 FAST agent 1.1.3"),
    /// Whose clock and RTT average: ns2, or paper with one update per updating round trip.
    variant: choice(["ns2", "paper"], "ns-2 FAST agent 1.1.3; Wei et al. 2006, recalled, not verified"),
    /// How an increase leaves: spread over ACKs, at once, or spread and with packets paced.
    burstiness: choice(["spread", "none", "pace"], "ns-2 FAST agent 1.1.3; Linux tcp_input.c"),
}

pub(crate) const CARD: Card = Card {
    name: "fast",
    title: "FAST TCP",
    aliases: &[],
    family: "delay",
    law: "w = min(2w, (1-gamma) w + gamma (base_rtt/rtt w + alpha)) every other RTT; w *= 1/2 on loss",
    response: "alpha packets queued per flow: rate = alpha / queueing delay",
    references: &["Jin, Wei, Low 2004", "Wei, Jin, Low, Hegde 2006"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 2.0;

/// From this base RTT on, increases are spread over ACKs.
const SPREAD_RTT_S: f64 = 0.004;

/// The ns-2 agent updates at most this often.
const CLOCK_S: f64 = 0.010;

/// Pacing rates as shares of a window per RTT: while the window doubles, and else.
const PACE_GAINS: (f64, f64) = (2.0, 1.2);

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Variant {
    Ns2,
    Paper,
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Burstiness {
    Spread,
    None,
    Pace,
}

impl Burstiness {
    fn of(choice: f64) -> Self {
        [Self::Spread, Self::None, Self::Pace][choice as usize]
    }
}

/// One flow's FAST TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Fast {
    alpha: f64,
    gamma: f64,
    mi_threshold_s: f64,
    /// Average RTT; 0 before the first sample.
    rtt_s: f64,
    /// Window when the round before this one began, segments.
    before: f64,
    /// Window when this round began, segments.
    began: f64,
    /// Segments acknowledged in this round.
    passed: f64,
    /// Where the window is going, segments.
    goal: f64,
    /// How far it goes there per acknowledged segment.
    slope: f64,
    updated_s: f64,
    update_rounds: u8,
    /// Rounds since the last updating one.
    round: u8,
    variant: Variant,
    burstiness: Burstiness,
}

impl Fast {
    /// A flow that has not begun.
    pub fn new(params: Params) -> Self {
        let variant = if params.variant == 1.0 { Variant::Paper } else { Variant::Ns2 };
        Self {
            alpha: params.alpha,
            gamma: params.gamma,
            mi_threshold_s: params.mi_threshold_s,
            rtt_s: 0.0,
            before: FLOOR,
            began: FLOOR,
            passed: 0.0,
            goal: FLOOR,
            slope: 0.0,
            updated_s: 0.0,
            update_rounds: params.update_rounds as u8,
            round: 0,
            variant,
            burstiness: Burstiness::of(params.burstiness),
        }
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// From the next update on the flow keeps so many packets in the queue.
    pub fn set_alpha(&mut self, alpha: f64) {
        self.alpha = alpha;
    }

    /// Forgets where the window was and was going: the rounds to come start from `cwnd`.
    fn rest_at(&mut self, cwnd: f64) {
        (self.before, self.began, self.goal) = (cwnd, cwnd, cwnd);
        (self.passed, self.slope, self.round) = (0.0, 0.0, 0);
    }

    fn weight(&self, cwnd: f64) -> f64 {
        match self.variant {
            Variant::Ns2 => 1.0 / (cwnd / 3.0).max(256.0),
            Variant::Paper => (3.0 / cwnd).min(0.25),
        }
    }

    fn sample(&mut self, rtt_s: f64, cwnd: f64) {
        if self.rtt_s == 0.0 {
            self.rtt_s = rtt_s;
        } else if rtt_s > 0.0 {
            self.rtt_s += self.weight(cwnd) * (rtt_s - self.rtt_s);
        }
    }

    fn open_round(&mut self, cwnd: f64) {
        (self.before, self.began) = (self.began, cwnd);
        self.passed = 0.0;
        self.round = (self.round + 1) % self.update_rounds;
    }

    /// The window at which the packet now acknowledged was sent.
    fn sent_at(&self) -> f64 {
        let share = (self.passed / self.began).min(1.0);
        self.before + (self.began - self.before) * share
    }

    fn due(&self, ack: &Ack) -> bool {
        let clock = match self.variant {
            Variant::Ns2 => ack.now_s >= self.updated_s + CLOCK_S,
            Variant::Paper => ack.round_start,
        };
        self.round == 0 && clock
    }

    /// The equation: where the window goes from `cwnd`.
    fn target(&self, cwnd: f64, base_rtt_s: f64) -> f64 {
        let equilibrium = base_rtt_s / self.rtt_s * self.sent_at() + self.alpha;
        let next = (1.0 - self.gamma) * cwnd + self.gamma * equilibrium;
        next.min(2.0 * cwnd).max(FLOOR)
    }

    /// Segments acknowledged until the next update.
    fn span(&self, cwnd: f64) -> f64 {
        let rounds = match self.variant {
            Variant::Ns2 => (CLOCK_S / self.rtt_s).min(1.0),
            Variant::Paper => 1.0,
        };
        (cwnd * rounds).max(1.0)
    }

    fn update(&mut self, ack: &Ack, base_rtt_s: f64, window: &mut Window) {
        self.goal = self.target(window.cwnd, base_rtt_s);
        self.updated_s = ack.now_s;
        let spread = self.burstiness != Burstiness::None && base_rtt_s >= SPREAD_RTT_S;
        if spread && self.goal > window.cwnd {
            self.slope = (self.goal - window.cwnd) / self.span(window.cwnd);
        } else {
            window.cwnd = self.goal;
        }
    }

    fn approach(&mut self, acked: f64, window: &mut Window) {
        if window.cwnd < self.goal {
            window.cwnd = (window.cwnd + self.slope * acked).min(self.goal);
        }
    }

    fn double(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += ack.acked;
        (self.goal, self.updated_s) = (window.cwnd, ack.now_s);
    }

    fn doubles(&self, base_rtt_s: f64) -> bool {
        self.rtt_s == 0.0 || self.rtt_s - base_rtt_s < self.mi_threshold_s
    }

    /// Moves the window: by doubling while the queue is empty, else by the equation.
    fn adjust(&mut self, ack: &Ack, base_rtt_s: f64, window: &mut Window) {
        if self.doubles(base_rtt_s) {
            self.double(ack, window);
            return;
        }
        if self.due(ack) {
            self.update(ack, base_rtt_s, window);
        }
        self.approach(ack.acked, window);
    }

    fn pace(&self, path: &Path, window: &mut Window) {
        let gain = if self.doubles(path.min_rtt_s) { PACE_GAINS.0 } else { PACE_GAINS.1 };
        if path.srtt_s > 0.0 {
            window.pace = gain * window.cwnd / path.srtt_s;
        }
    }
}

impl Controller for Fast {
    fn on_start(&mut self, _now_s: f64, _path: &Path, window: &mut Window) {
        self.rest_at(window.cwnd);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.sample(ack.rtt_s, window.cwnd);
        if ack.round_start {
            self.open_round(window.cwnd);
        }
        self.passed += ack.acked;
        if ack.cwnd_limited {
            self.adjust(ack, path.min_rtt_s, window);
        }
        if self.burstiness == Burstiness::Pace {
            self.pace(path, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        reno::halve(event.in_flight, window);
        if event.cause == Cause::Timeout {
            window.cwnd = FLOOR;
            self.rtt_s = 0.0;
            self.rest_at(FLOOR);
        } else {
            self.rest_at(window.ssthresh);
        }
    }

    fn on_recovered(&mut self, now_s: f64, _path: &Path, window: &mut Window) {
        self.rest_at(window.cwnd.max(FLOOR));
        self.updated_s = now_s;
    }
}

#[cfg(test)]
mod tests;
