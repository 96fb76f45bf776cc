//! SEARCH: ends slow start when less is delivered than was sent one round trip before.
//!
//! # Overview
//! While the path has room, everything that was sent in some interval is delivered one RTT later. Once the
//! bottleneck is full, deliveries stop growing and the window does not. SEARCH compares the two over several
//! round trips, so that the jitter of a wireless link does not end slow start.
//!
//! # The rule
//! Time is divided into bins of 0.35 initial RTTs, and ten bins form a window. At the end of a bin, `D` is
//! the number of segments delivered in the last window, and `S` the number sent in the window that ended one
//! RTT before. Slow start ends if `(S - D) / S >= threshold`. `exit` "keep" then sets `ssthresh = cwnd`.
//! "rollback" first subtracts the segments that were delivered in the last two initial RTTs, down to the
//! initial window.
//!
//! # Differences from the paper
//! NOTE(draft-chung-ccwg-search-09): the RTT before is rarely a whole number of bins, so that `S` is
//! interpolated. Version 09 interpolates with the next bin, which looks back by too short a time. The default
//! interpolates with the previous bin, as the authors' FreeBSD code and neqo do. `interpolation` "forward" is
//! the draft's formula.
//!
//! NOTE(draft-chung-ccwg-search-09): the drain phase after the exit, in which the window approaches the
//! delivery of one initial RTT, is not implemented. neqo omits it too.
//!
//! NOTE(draft-chung-ccwg-search-09): as the draft permits, a sender that was silent for more than ten bins
//! begins again.
//!
//! NOTE(draft-chung-ccwg-search-09): it applies to the first slow start only, as in neqo.
//!
//! # When to use it
//! On wireless and satellite paths, whose RTT varies before the bottleneck is full.
//!
//! # References
//! draft-chung-ccwg-search-09; Ataei Kachooei, Chung, Li, Peters, Chung, Claypool 2024.

use headgate_model::control::{Ack, Congestion, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::choices! {
    /// The window after the exit.
    pub enum Exit {
        /// The window at the exit.
        Keep = "keep",
        /// The window at the exit less the deliveries of two initial RTTs.
        Rollback = "rollback",
    }
}

headgate_model::choices! {
    /// The bin with which a time between two ends of bins is interpolated.
    pub enum Interpolation {
        /// The previous one: the time that was asked for.
        Backward = "backward",
        /// The next one: the formula of version 09 of the draft.
        Forward = "forward",
    }
}

headgate_model::params! {
    /// Normalised difference of segments sent and delivered from which slow start ends.
    threshold: number(0.26, (0.01, 1.0), "1", "draft-chung-ccwg-search-09 (THRESH)"),
    /// Length of the window of comparison, in initial RTTs.
    window_rtts: number(3.5, (0.5, 20.0), "1", "draft-chung-ccwg-search-09 (WINDOW_SIZE)"),
    /// The window after the exit: keep, or rollback by the deliveries of two initial RTTs.
    exit: choice(Exit, "neqo search.rs; draft-chung-ccwg-search-02 (exit_slow_start)"),
    /// How a time between two ends of bins is interpolated: backward, or forward as in version 09.
    interpolation: choice(Interpolation, "the authors' FreeBSD code; draft-chung-ccwg-search-09"),
}

pub(crate) const CARD: Card = Card {
    name: "search",
    title: "SEARCH",
    aliases: &[],
    family: "slow-start",
    rule: "exit if 1 - delivered / sent one RTT before >= 0.26, over 3.5 RTTs",
    response: "exit 1.5 RTTs after deliveries stop growing, at unchanged RTT",
    references: &["draft-chung-ccwg-search-09", "Ataei Kachooei, Chung, Li, Peters, Chung, Claypool 2024"],
    params: Params::TABLE,
};

/// Bins of a window (W).
const WINDOW: usize = 10;

/// Most bins by which one RTT may look back (EXTRA_BINS).
const EXTRA: usize = 15;

/// Bins that are kept: two windows' ends, one RTT apart, and the bin before the earlier one.
const KEPT: usize = WINDOW + EXTRA + 1;

/// Counts at the ends of bins, since the start of the connection.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Bins {
    sent: [f64; KEPT],
    delivered: [f64; KEPT],
    /// Number of the last bin that has ended.
    last: usize,
    /// Length of a bin, and the end of the current one, seconds.
    length_s: f64,
    end_s: f64,
    initial_rtt_s: f64,
}

impl Bins {
    fn new(initial_rtt_s: f64, window_rtts: f64, counts: (f64, f64), now_s: f64) -> Self {
        let length_s = initial_rtt_s * window_rtts / WINDOW as f64;
        let mut bins = Self {
            sent: [0.0; KEPT],
            delivered: [0.0; KEPT],
            last: 0,
            length_s,
            end_s: now_s + length_s,
            initial_rtt_s,
        };
        bins.put(0, counts);
        bins
    }

    fn put(&mut self, bin: usize, (sent, delivered): (f64, f64)) {
        (self.sent[bin % KEPT], self.delivered[bin % KEPT]) = (sent, delivered);
    }

    /// Ends all bins up to now. Returns false if more than a window of bins has passed since the last ACK.
    fn advance(&mut self, counts: (f64, f64), now_s: f64) -> bool {
        let passed = ((now_s - self.end_s) / self.length_s).floor() + 1.0;
        if passed > WINDOW as f64 {
            return false;
        }
        let before = (self.sent[self.last % KEPT], self.delivered[self.last % KEPT]);
        for bin in self.last + 1..self.last + passed as usize {
            self.put(bin, before);
        }
        self.last += passed as usize;
        self.end_s += passed * self.length_s;
        self.put(self.last, counts);
        true
    }

    /// Segments delivered in the last `bins` bins.
    fn delivered_in(&self, bins: usize) -> f64 {
        self.delivered[self.last % KEPT] - self.delivered[self.last.saturating_sub(bins) % KEPT]
    }

    /// Segments sent in the window that ended one RTT ago; `None` if the bins do not reach that far.
    fn sent_before(&self, rtt_s: f64, interpolation: Interpolation) -> Option<f64> {
        let ago = (rtt_s / self.length_s).floor();
        if ago >= EXTRA as f64 || self.last <= WINDOW + ago as usize {
            return None;
        }
        let (end, fraction) = (self.last - ago as usize, rtt_s / self.length_s - ago);
        let beside = |bin: usize| match interpolation {
            Interpolation::Backward => bin - 1,
            Interpolation::Forward => (bin + 1).min(self.last),
        };
        let until =
            |bin: usize| self.sent[bin % KEPT] * (1.0 - fraction) + self.sent[beside(bin) % KEPT] * fraction;
        Some(until(end) - until(end - WINDOW))
    }
}

/// The state of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Search {
    params: Params,
    bins: Option<Box<Bins>>,
    initial_cwnd: f64,
    is_over: bool,
}

impl Search {
    /// Creates the slow start of a flow.
    pub fn new(params: Params) -> Self {
        Self { params, bins: None, initial_cwnd: 1.0, is_over: false }
    }

    /// Whether slow start should end.
    fn is_full(&self, bins: &Bins, rtt_s: f64) -> bool {
        let sent = bins.sent_before(rtt_s, self.params.interpolation).unwrap_or(0.0);
        sent > 0.0 && (sent - bins.delivered_in(WINDOW)) / sent >= self.params.threshold
    }

    fn leave(&mut self, bins: &Bins, window: &mut Window) {
        self.is_over = true;
        if self.params.exit == Exit::Rollback {
            let overshoot = bins.delivered_in((2.0 * bins.initial_rtt_s / bins.length_s) as usize);
            window.cwnd = (window.cwnd - overshoot).max(self.initial_cwnd);
        }
        window.ssthresh = window.cwnd;
    }
}

impl SlowStart for Search {
    fn on_start(&mut self, _now_s: f64, _path: &Path, window: &mut Window) {
        self.initial_cwnd = window.cwnd;
    }

    fn on_ack(&mut self, ack: &Ack, _base_rtt_s: f64, _path: &Path, window: &mut Window) {
        if self.is_over || ack.rtt_s <= 0.0 {
            return;
        }
        let (delivered, now_s) = (ack.rate.delivered, ack.now_s);
        let counts = (delivered + ack.rate.in_flight + ack.rate.lost, delivered);
        let Some(mut bins) = self.bins.take() else {
            self.bins = Some(Box::new(Bins::new(ack.rtt_s, self.params.window_rtts, counts, now_s)));
            return;
        };
        if now_s > bins.end_s {
            if !bins.advance(counts, now_s) {
                return; // the next ACK begins again
            }
            if self.is_full(&bins, ack.rtt_s) {
                return self.leave(&bins, window);
            }
        }
        self.bins = Some(bins);
    }

    fn on_congestion(&mut self, _event: &Congestion, _window: &mut Window) {
        (self.bins, self.is_over) = (None, true);
    }

    fn wants_rate(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
