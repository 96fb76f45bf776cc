//! LEDBAT++: a background transfer with a smaller target than LEDBAT that empties the queue at intervals.
//!
//! # Overview
//! LEDBAT++ grows by `gain` per round trip while the queueing delay is below `target_s`, and shrinks in
//! proportion to its window above it. At most a tenth of the time it sends nearly nothing, so that all flows
//! see the path without a queue. A late flow then no longer takes the queue of the others for its path.
//!
//! # The rule
//! `gain = 1/min(16, ceil(2 target/base))`; `queueing = min(last filter RTTs) - base`; `base` is the
//! smallest RTT of the last base_minutes minutes. Per round trip: `w += gain` if `queueing <= target`, else
//! `w += max(gain - decrease w (queueing/target - 1), -w/2)`; at least 2. Slow start: `w += gain` per
//! acknowledged segment, the first time until `queueing > 3/4 target`. Loss: `w = max(w/2, 2)`; time-out:
//! `ssthresh` as after a loss, and `w = 1`.
//!
//! Slowdown: `ssthresh = w`, `w = 2` for two round trips, then slow start up to `ssthresh`. The first one
//! comes two round trips after the end of the first slow start, each further one after nine times the duration
//! of the last.
//!
//! # Differences from the paper
//! NOTE(draft-irtf-iccrg-ledbat-plus-plus): steps per round trip are spread over its ACKs, in proportion to the
//! acknowledged segments.
//!
//! NOTE(draft-irtf-iccrg-ledbat-plus-plus): a loss or a time-out during a slowdown halves the window to which
//! the flow returns, and ends the two round trips of small window, because recovery sets the window. The
//! duration counts until that window is reached.
//!
//! NOTE(draft-irtf-iccrg-ledbat-plus-plus): an ACK that echoes a mark, and one of a flow that its window does
//! not limit, do not increase the window, as in all algorithms here. An idle time does not move the next
//! slowdown.
//!
//! NOTE(ns3-tcp-ledbatpp): it computes the gain by integer division, which makes it 0 on paths shorter than
//! twice the target, and applies a step of a round trip to each ACK. The module of the authors of the draft's
//! measurements counts halves of RTTs in milliseconds. Neither is followed.
//!
//! # When to use it
//! As background traffic in place of LEDBAT, whose flows take each other's queue for the path.
//!
//! # References
//! draft-irtf-iccrg-ledbat-plus-plus-06 (rule, all constants); RFC 6817 §2.4.2 (history, filter);
//! ns3-tcp-ledbatpp `tcp-ledbatpp.cc`.

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;
use headgate_model::whole::floor;

use super::reno;
use crate::parts::delays::Delays;

headgate_model::params! {
    /// Queueing delay that the flow aims for.
    target_s: number(0.06, (0.001, 0.1), "s", "draft-irtf-iccrg-ledbat-plus-plus"),
    /// Decrease of the window per round trip at twice the target, as a share of it.
    decrease: number(1.0, (0.01, 10.0), "1", "draft-irtf-iccrg-ledbat-plus-plus"),
    /// Largest divisor of the gain.
    most_divisor: number(16.0, (1.0, 64.0), "1", "draft-irtf-iccrg-ledbat-plus-plus"),
    /// Minutes over which the base delay is the minimum.
    base_minutes: number(10.0, (2.0, 60.0), "min", "RFC 6817"),
    /// Number of samples whose minimum is the current delay.
    filter: number(4.0, (1.0, 64.0), "samples", "RFC 6817; ns3-tcp-ledbatpp"),
    /// Time between slowdowns, in durations of the last one; 0 = no slowdowns.
    apart: number(9.0, (0.0, 1000.0), "1", "draft-irtf-iccrg-ledbat-plus-plus"),
}

pub(crate) const CARD: Card = Card {
    name: "ledbat-pp",
    title: "LEDBAT++",
    aliases: &["ledbat++"],
    family: "delay",
    rule: "w += gain per RTT below the target, w -= w (queueing delay/target - 1) above; slowdowns to 2",
    response: "queueing delay = 60 ms for nine tenths of the time, however many flows",
    references: &["draft-irtf-iccrg-ledbat-plus-plus-06", "RFC 6817"],
    params: Params::TABLE,
};

/// The smallest window, and that of a slowdown, segments.
const FLOOR: f64 = 2.0;
/// Share of the target above which the first slow start ends.
const SLOW_START_SHARE: f64 = 0.75;
/// Round trips from the end of the first slow start to the first slowdown, and those of small window.
const FIRST_ROUNDS: f64 = 2.0;
const FROZEN_ROUNDS: f64 = 2.0;

/// The phases between slowdowns and in one; times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// The first slow start.
    Starts,
    /// The next slowdown begins at this time.
    Runs { until_s: f64 },
    /// The window is small until `until_s`.
    Frozen { since_s: f64, until_s: f64 },
    /// The window returns to `ssthresh`.
    Returns { since_s: f64 },
}

/// One flow's LEDBAT++.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct LedbatPp(Box<State>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    params: Params,
    delays: Delays,
    phase: Phase,
    /// The base delay for which the gain was computed, seconds.
    base_s: f64,
    gain: f64,
}

impl LedbatPp {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(State {
            params,
            delays: Delays::new(params.base_minutes as usize, params.filter as usize),
            phase: Phase::Starts,
            base_s: f64::INFINITY,
            gain: 1.0,
        }))
    }
}

impl State {
    #[inline]
    fn take(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.rtt_s > 0.0 {
            self.delays.sample(ack.now_s, ack.rtt_s);
            if self.delays.base_s != self.base_s {
                self.set_gain();
            }
        }
        let queueing_s = self.delays.queueing_s().unwrap_or(0.0);
        self.advance(ack.now_s, queueing_s, path, window);
        if let Phase::Frozen { .. } = self.phase {
            window.cwnd = FLOOR;
        } else if window.slow_starts() {
            if ack.cwnd_limited {
                window.slow_start(self.gain * ack.acked);
            }
        } else {
            self.aim(queueing_s, ack, window);
        }
    }

    #[cold]
    fn set_gain(&mut self) {
        self.base_s = self.delays.base_s;
        let divisor = (2.0 * self.params.target_s / self.base_s).ceil();
        self.gain = 1.0 / divisor.clamp(1.0, self.params.most_divisor);
    }

    /// Moves to the next phase when it is due.
    #[inline]
    fn advance(&mut self, now_s: f64, queueing_s: f64, path: &Path, window: &mut Window) {
        match self.phase {
            Phase::Starts => self.leave_start(now_s, queueing_s, path, window),
            Phase::Runs { until_s } if now_s >= until_s => self.slow_down(now_s, path, window),
            Phase::Frozen { since_s, until_s } if now_s >= until_s => self.phase = Phase::Returns { since_s },
            Phase::Returns { since_s } if !window.slow_starts() => {
                let until_s = self.next_s(now_s, self.params.apart * (now_s - since_s));
                self.phase = Phase::Runs { until_s };
            }
            _ => {}
        }
    }

    fn next_s(&self, now_s: f64, wait_s: f64) -> f64 {
        if self.params.apart > 0.0 { now_s + wait_s } else { f64::INFINITY }
    }

    fn leave_start(&mut self, now_s: f64, queueing_s: f64, path: &Path, window: &mut Window) {
        if queueing_s > SLOW_START_SHARE * self.params.target_s {
            window.ssthresh = window.ssthresh.min(window.cwnd).max(FLOOR);
        }
        if !window.slow_starts() {
            self.phase = Phase::Runs { until_s: self.next_s(now_s, FIRST_ROUNDS * path.srtt_s) };
        }
    }

    #[cold]
    fn slow_down(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        window.ssthresh = window.cwnd.max(FLOOR);
        self.phase = Phase::Frozen { since_s: now_s, until_s: now_s + FROZEN_ROUNDS * path.srtt_s };
    }

    /// Congestion avoidance.
    #[inline]
    fn aim(&self, queueing_s: f64, ack: &Ack, window: &mut Window) {
        let over = queueing_s / self.params.target_s - 1.0;
        let mut step = self.gain;
        if over > 0.0 {
            step = (step - self.params.decrease * window.cwnd * over).max(-0.5 * window.cwnd);
        }
        if step < 0.0 || ack.cwnd_limited {
            let share = (ack.acked / window.cwnd).min(1.0);
            window.cwnd = (window.cwnd + step * share).max(FLOOR);
        }
        // whole, so that a window of whole segments does not fall below it
        window.ssthresh = window.ssthresh.min(floor(window.cwnd));
    }
}

impl Controller for LedbatPp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let state = &mut self.0;
        match state.phase {
            Phase::Frozen { since_s, .. } | Phase::Returns { since_s } => {
                window.ssthresh = (window.ssthresh / 2.0).max(FLOOR);
                state.phase = Phase::Returns { since_s };
            }
            Phase::Starts | Phase::Runs { .. } => reno::halve(event.in_flight, window),
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("gain", self.0.gain))
    }
}

#[cfg(test)]
mod tests;
