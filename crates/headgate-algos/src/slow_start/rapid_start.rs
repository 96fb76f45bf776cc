//! Rapid Start: triples the window per round trip until a queue builds up, then doubles it.
//!
//! # Overview
//! Rapid Start reaches the capacity of the path in fewer round trips than classic slow start. It sends its
//! first window evenly over a round trip. When it overshoots, it sets the window by the data that passed the
//! bottleneck, instead of by a fixed factor.
//!
//! # The rule
//! `cwnd += 2 acked` while the smallest RTT of the last round trip is at most `min(min_rtt + 4 ms, 1.1
//! min_rtt)`, else `cwnd += acked`. At the first loss of a window `W`, with the algorithm's factor `beta`
//! and `K = 11/18`: `cwnd = (beta + K (1 - beta)) W`. Then each delivered segment subtracts `K (1 - beta)`,
//! and each lost one `beta + K (1 - beta)`, down to `beta W / 3` and to `beta` initial windows. Of `W`
//! segments, of which a share `L` is lost, `beta (1 - L) W` remain.
//!
//! # Differences from the paper
//! NOTE(draft-kazuho-ccwg-rapid-start-02 section 3.3): a recovery of TCP lasts until all retransmissions are
//! acknowledged, one round trip longer than one of QUIC. Only the segments that were outstanding at the first
//! loss reduce the window.
//!
//! NOTE(draft-kazuho-ccwg-rapid-start-02 section 3.3): a congestion mark is no loss, so that `L = 0` and `beta
//! W` remains. The transport reduces the window to that by its own rule.
//!
//! # When to use it
//! For short files on paths with a large bandwidth-delay product.
//!
//! # References
//! draft-kazuho-ccwg-rapid-start-02.

use std::collections::VecDeque;

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::params! {
    /// Segments that one acknowledged segment adds while no queue builds up.
    gain: number(2.0, (1.0, 4.0), "1", "draft-kazuho-ccwg-rapid-start-02 §3.1"),
    /// Increase of the RTT that counts as a queue, seconds.
    margin_s: number(0.004, (0.0, 1.0), "s", "draft-kazuho-ccwg-rapid-start-02 §3.1"),
    /// Relative increase of the RTT that counts as a queue, if that is less.
    margin_share: number(0.1, (0.0, 1.0), "1", "draft-kazuho-ccwg-rapid-start-02 §3.1"),
    /// First window in initial windows of the transport. It is sent evenly over a round trip.
    first_window: number(2.0, (1.0, 2.0), "1", "draft-kazuho-ccwg-rapid-start-02 §3.2"),
}

pub(crate) const CARD: Card = Card {
    name: "rapid-start",
    title: "Rapid Start",
    aliases: &[],
    family: "slow-start",
    rule: "w += 2 acked while rtt <= min(min_rtt + 4 ms, 1.1 min_rtt), else acked",
    response: "after the first loss w = beta (1 - L) W, L of W segments lost",
    references: &["draft-kazuho-ccwg-rapid-start-02"],
    params: Params::TABLE,
};

/// Position of the silence between that of a small and that of a large loss (K).
const K: f64 = 11.0 / 18.0;

/// Smallest window, segments (RFC 5681 equation 4).
const LEAST_CWND: f64 = 2.0;

/// The smallest RTT of the last round trip.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Floor {
    /// Times and RTTs, seconds, both increasing; the first is the smallest.
    samples: VecDeque<(f64, f64)>,
}

impl Floor {
    /// Takes a sample. Returns the smallest one since `span_s` ago.
    fn update(&mut self, now_s: f64, rtt_s: f64, span_s: f64) -> f64 {
        while self.samples.back().is_some_and(|last| last.1 >= rtt_s) {
            self.samples.pop_back();
        }
        self.samples.push_back((now_s, rtt_s));
        while self.samples.front().is_some_and(|first| first.0 < now_s - span_s) {
            self.samples.pop_front();
        }
        self.samples.front().map_or(rtt_s, |first| first.1)
    }
}

/// The reduction of the window after the first loss.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Drain {
    /// Segments that a delivered one and a lost one subtract.
    per_delivered: f64,
    per_lost: f64,
    /// Segments outstanding at the loss whose fate is not yet known.
    unknown: f64,
    least_cwnd: f64,
}

impl Drain {
    fn reduce(&mut self, delivered: f64, lost: f64, window: &mut Window) {
        let delivered = delivered.min(self.unknown);
        let lost = lost.min(self.unknown - delivered);
        self.unknown -= delivered + lost;
        let left = window.cwnd - self.per_delivered * delivered - self.per_lost * lost;
        window.cwnd = left.max(self.least_cwnd.min(window.cwnd));
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// The first window is sent at this pace, segments/s.
    First(f64),
    Growing(Floor),
    Draining(Drain),
    Over,
}

/// The state of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct RapidStart {
    params: Params,
    phase: Box<Phase>,
    initial_cwnd: f64,
    /// Segments that one acknowledged segment adds now.
    gain: f64,
}

impl RapidStart {
    /// Creates the slow start of a flow.
    pub fn new(params: Params) -> Self {
        Self { params, phase: Box::new(Phase::Growing(Floor::default())), initial_cwnd: 1.0, gain: 1.0 }
    }

    fn note_rtt(&mut self, ack: &Ack, min_rtt_s: f64) {
        let Phase::Growing(floor) = &mut *self.phase else { return };
        let floor_s = floor.update(ack.now_s, ack.rtt_s, min_rtt_s);
        let margin_s = self.params.margin_s.min(self.params.margin_share * min_rtt_s);
        self.gain = if floor_s <= min_rtt_s + margin_s { self.params.gain } else { 1.0 };
    }

    /// A transport that paces at two windows per RTT would slow the growth by more.
    fn set_pace(&self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.paced {
            let grows_fast = self.gain > 1.0 && path.srtt_s > 0.0;
            let rate = (1.0 + self.gain) * window.cwnd / path.srtt_s;
            window.pace = if grows_fast { rate } else { f64::INFINITY };
        }
    }

    fn drain(&self, event: &Congestion, window: &mut Window) -> Drain {
        let flight = f64::from(event.in_flight).min(window.cwnd).max(1.0);
        let beta = (window.ssthresh / flight).min(1.0);
        let silence = beta + K * (1.0 - beta);
        window.cwnd = (flight * silence).max(LEAST_CWND);
        let least_cwnd = (beta * flight / 3.0).max(beta * self.initial_cwnd).max(LEAST_CWND);
        Drain { per_delivered: K * (1.0 - beta), per_lost: silence, unknown: flight, least_cwnd }
    }
}

impl SlowStart for RapidStart {
    fn on_start(&mut self, _now_s: f64, path: &Path, window: &mut Window) {
        self.initial_cwnd = window.cwnd;
        if path.srtt_s > 0.0 {
            window.cwnd = (self.params.first_window * window.cwnd).floor();
            window.pace = window.cwnd / path.srtt_s;
            *self.phase = Phase::First(window.pace);
        }
    }

    fn on_ack(&mut self, ack: &Ack, _base_rtt_s: f64, path: &Path, window: &mut Window) {
        if let Phase::First(pace) = *self.phase {
            if window.pace == pace {
                window.pace = f64::INFINITY;
            }
            *self.phase = Phase::Growing(Floor::default());
        } else if matches!(*self.phase, Phase::Growing(_)) {
            self.set_pace(ack, path, window);
        }
        if ack.rtt_s > 0.0 {
            self.note_rtt(ack, path.min_rtt_s);
        }
    }

    fn growth(&self, ack: &Ack) -> f64 {
        self.gain * ack.acked
    }

    fn on_exit(&mut self, window: &mut Window) {
        if !matches!(*self.phase, Phase::Over) {
            window.pace = f64::INFINITY;
            *self.phase = Phase::Over;
        }
    }

    fn on_congestion(&mut self, event: &Congestion, window: &mut Window) {
        let is_first = matches!(*self.phase, Phase::First(_) | Phase::Growing(_));
        if !matches!(*self.phase, Phase::Over) {
            window.pace = f64::INFINITY;
        }
        self.gain = 1.0;
        *self.phase = match event.cause {
            Cause::Loss if is_first => Phase::Draining(self.drain(event, window)),
            _ => Phase::Over,
        };
    }

    fn on_repair(&mut self, ack: &Ack, window: &mut Window) {
        if let Phase::Draining(drain) = &mut *self.phase {
            drain.reduce(ack.rate.newly, ack.rate.newly_lost, window);
        }
    }

    fn on_recovered(&mut self, window: &mut Window) {
        window.ssthresh = window.cwnd;
        *self.phase = Phase::Over;
    }

    fn on_undo(&mut self) {
        *self.phase = Phase::Over;
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        matches!(*self.phase, Phase::Draining(_))
    }

    fn wants_rate(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
