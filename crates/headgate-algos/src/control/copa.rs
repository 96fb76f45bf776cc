//! Copa: moves the window towards a target rate that is inversely proportional to the queueing delay.
//!
//! # Overview
//! Copa aims at the rate `1/(delta dq)` with the queueing delay `dq`, so that each flow keeps about `1/delta`
//! packets in the queue. Its steps are such that the queue is empty once in about five round trips.
//! If it is not, another flow fills the buffer, and Copa competes by a smaller `delta`.
//!
//! # The rule
//! `standing` is the smallest RTT of the last `srtt/2`, `min` that of the last 10 s, `dq = standing - min`.
//! Per ACK: `w += v acked / (delta w)` if `w/standing <= 1/(delta dq)`, else `w -=` the same; at least 2.
//! `pace = 2 w / standing`.
//!
//! * Velocity: once per round trip the window is compared with that of the round trip before. If it moved in
//!   the same direction for three round trips, `v` doubles in each further one; else `v = 1`. It is 1 again
//!   as soon as the rate crosses the target.
//! * Start: the window doubles each round trip until its rate exceeds the target.
//! * Competitive mode: if no RTT of the last five round trips was above `min` by less than a tenth of `max -
//!   min`; `max` is the largest RTT of the last four. `1/delta` then grows by 1 per round trip and halves on a loss, but
//!   is never below that of the default mode. Losses change nothing else.
//!
//! # Differences from the paper
//! NOTE(Arun, Balakrishnan 2018 section 2.1): `v <= delta w`, so that the window at most doubles in a round
//! trip, as in the authors' program. The paper states no bound. `v` becomes 1 as soon as the target is
//! crossed, as in mvfst. The paper's `v` lasts until the end of the round trip: on 500 Mbit/s and 50 ms, a
//! window of the bandwidth-delay product then swings so far that a flow alone uses a third of the link.
//!
//! NOTE(Arun, Balakrishnan 2018 section 2.1): moving minima are those of K. Nichols's estimator in constant
//! memory, as in mvfst. After a rise, the standing RTT may be up to `srtt/4` too young.
//!
//! NOTE(Arun, Balakrishnan 2018 section 2.2): RTTs of the mode are kept by whole round trips. Both modes
//! treat a mark (ECN) as a loss. The paper does not mention marks.
//!
//! NOTE(genericCC `markoviancc.cc`): the authors' program also multiplies the window by 0.7 if more than 30 %
//! of the packets of two round trips are lost, and doubles `v` from the first round trip on. The paper does
//! neither. A time-out, of which the paper does not speak, leads back to the start phase here.
//!
//! NOTE(mvfst `Copa.cpp`): mvfst omits the competitive mode, and by default takes the last RTT instead of the
//! standing one for the queueing delay.
//!
//! # When to use it
//! As a delay-driven algorithm whose queue is a few packets, and that competes with loss-driven flows. On a
//! path that holds hardly more packets than its swing (6 Mbit/s, 20 ms) the queue rarely empties, so that it
//! takes itself for another flow and fills the buffer.
//!
//! # References
//! Arun, Balakrishnan 2018 (NSDI), §2 (rule), §3 (swing of the queue); genericCC `markoviancc.cc`,
//! `rtt-window.cc` (smallest window, windows of RTTs); mvfst `Copa.cpp`.

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use crate::parts::order::{larger, smaller};
use crate::parts::windowed::WindowedMin;

headgate_model::params! {
    /// Inverse of the packets that a flow keeps in the queue.
    delta: number(0.5, (0.01, 10.0), "1/packets", "Arun, Balakrishnan 2018"),
    /// Time over which the smallest RTT is taken.
    min_rtt_window_s: number(10.0, (0.1, 1000.0), "s", "Arun, Balakrishnan 2018"),
    /// Whether delta shrinks beside flows that fill the buffer.
    competes: switch(["yes", "no"], "Arun, Balakrishnan 2018"),
}

pub(crate) const CARD: Card = Card {
    name: "copa",
    title: "Copa",
    aliases: &[],
    family: "delay",
    rule: "w += or -= v/(delta w) per ACK, towards the rate 1/(delta queueing delay); pace = 2 w/rtt",
    response: "0 to 2.5/delta packets queued per flow",
    references: &["Arun, Balakrishnan 2018, Copa: practical delay-based congestion control"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 2.0;
/// Round trips in one direction before the velocity doubles.
const STEADY: u32 = 3;
/// Round trips within which the queue should be nearly empty, and those whose largest RTT it is compared with.
const EMPTY_ROUNDS: usize = 5;
const FULL_ROUNDS: usize = 4;
/// Share of the largest queueing delay below which the queue is nearly empty.
const NEARLY_EMPTY: f64 = 0.1;
/// Ratio of the pace to the window per standing RTT.
const PACE: f64 = 2.0;

/// Smallest and largest RTT of a round trip, seconds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Extremes {
    least_s: f64,
    most_s: f64,
}

impl Extremes {
    const NONE: Self = Self { least_s: f64::INFINITY, most_s: 0.0 };

    #[inline]
    fn take(&mut self, rtt_s: f64) {
        self.least_s = smaller(self.least_s, rtt_s);
        self.most_s = larger(self.most_s, rtt_s);
    }
}

/// The RTTs of the last round trips, by which the mode is chosen.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Buffer {
    now: Extremes,
    /// The last round trips, the latest first.
    past: [Extremes; EMPTY_ROUNDS],
}

impl Buffer {
    fn new() -> Self {
        // an empty queue, so that five round trips must pass first
        Self { now: Extremes::NONE, past: [Extremes { least_s: 0.0, most_s: 0.0 }; EMPTY_ROUNDS] }
    }

    /// Ends a round trip with samples.
    fn turn(&mut self) {
        if self.now.most_s > 0.0 {
            self.past.rotate_right(1);
            self.past[0] = std::mem::replace(&mut self.now, Extremes::NONE);
        }
    }

    /// Whether another flow fills the buffer.
    fn is_filled(&self, min_rtt_s: f64) -> bool {
        let least_s = self.past.iter().fold(f64::INFINITY, |least_s, round| least_s.min(round.least_s));
        let most_s = self.past[..FULL_ROUNDS].iter().fold(0.0f64, |most_s, round| most_s.max(round.most_s));
        least_s - min_rtt_s >= NEARLY_EMPTY * (most_s - min_rtt_s)
    }
}

/// The step of the window and the direction in which it moved.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Velocity {
    value: f64,
    rises: bool,
    /// Round trips in this direction.
    steady: u32,
    /// Window at the start of the round trip, segments.
    cwnd: f64,
}

impl Velocity {
    fn new(cwnd: f64) -> Self {
        Self { value: 1.0, rises: true, steady: 0, cwnd }
    }

    /// Begins a round trip. `most` is the largest velocity.
    fn turn(&mut self, cwnd: f64, most: f64) {
        let rises = cwnd > self.cwnd;
        self.steady = if rises == self.rises { self.steady.saturating_add(1) } else { 1 };
        self.value = if self.steady > STEADY { smaller(2.0 * self.value, larger(most, 1.0)) } else { 1.0 };
        (self.rises, self.cwnd) = (rises, cwnd);
    }

    /// Gives up a velocity above 1 in the other direction.
    #[inline]
    fn head(&mut self, rises: bool, cwnd: f64) {
        if self.value > 1.0 && rises != self.rises {
            *self = Self { rises, ..Self::new(cwnd) };
        }
    }
}

/// One flow's Copa.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Copa(Box<State>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    params: Params,
    /// Packets to keep in the queue: 1/delta.
    packets: f64,
    min_rtt: WindowedMin,
    standing: WindowedMin,
    buffer: Buffer,
    velocity: Velocity,
    /// Whether the window doubles each round trip.
    starts: bool,
    /// Whether a loss occurred in this round trip.
    lost: bool,
}

impl Copa {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(State {
            params,
            packets: 1.0 / params.delta,
            min_rtt: WindowedMin::new(),
            standing: WindowedMin::new(),
            buffer: Buffer::new(),
            velocity: Velocity::new(0.0),
            starts: true,
            lost: false,
        }))
    }
}

impl State {
    #[inline]
    fn take(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.rtt_s > 0.0 {
            self.min_rtt.update(self.params.min_rtt_window_s, ack.now_s, ack.rtt_s);
            self.standing.update(0.5 * path.srtt_s, ack.now_s, ack.rtt_s);
            self.buffer.now.take(ack.rtt_s);
        }
        let (standing_s, min_rtt_s) = (self.standing.get(), self.min_rtt.get());
        if standing_s.is_infinite() {
            return;
        }
        if ack.round_start {
            self.turn(min_rtt_s, window);
        }
        let queueing_s = larger(standing_s - min_rtt_s, 0.0);
        let is_slow = window.cwnd * queueing_s <= self.packets * standing_s;
        self.step(is_slow, ack, window);
        window.pace = PACE * window.cwnd / standing_s;
    }

    /// Begins a round trip.
    fn turn(&mut self, min_rtt_s: f64, window: &Window) {
        self.buffer.turn();
        self.choose_mode(min_rtt_s);
        if self.starts {
            self.velocity = Velocity::new(window.cwnd);
        } else {
            self.velocity.turn(window.cwnd, window.cwnd / self.packets);
        }
    }

    fn choose_mode(&mut self, min_rtt_s: f64) {
        let lost = std::mem::take(&mut self.lost);
        if !self.params.competes || !self.buffer.is_filled(min_rtt_s) {
            self.packets = 1.0 / self.params.delta;
        } else if !lost {
            self.packets += 1.0;
        }
    }

    #[inline]
    fn step(&mut self, is_slow: bool, ack: &Ack, window: &mut Window) {
        if self.starts && is_slow {
            window.cwnd += if ack.cwnd_limited { ack.acked } else { 0.0 };
            return;
        }
        if self.starts {
            self.starts = false;
            self.velocity = Velocity::new(window.cwnd);
            window.ssthresh = larger(window.cwnd, FLOOR);
        }
        self.velocity.head(is_slow, window.cwnd);
        let step = smaller(self.velocity.value * self.packets / window.cwnd, 1.0) * ack.acked;
        if !is_slow {
            window.cwnd = larger(window.cwnd - step, FLOOR);
        } else if ack.cwnd_limited {
            window.cwnd = larger(window.cwnd + step, FLOOR);
        }
    }
}

impl Controller for Copa {
    fn on_start(&mut self, _now_s: f64, path: &Path, window: &mut Window) {
        window.ssthresh = f64::INFINITY;
        if path.srtt_s > 0.0 {
            window.pace = PACE * window.cwnd / path.srtt_s;
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let state = &mut self.0;
        state.packets = larger(0.5 * state.packets, 1.0 / state.params.delta);
        state.lost = true;
        if event.cause == Cause::Timeout {
            state.starts = true;
            window.ssthresh = f64::INFINITY;
        }
    }

    /// Only the competitive mode reduces anything for a mark or a loss.
    fn answers_marks(&self) -> bool {
        self.0.params.competes
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        true
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("delta", 1.0 / self.0.packets))
    }
}

#[cfg(test)]
mod tests;
