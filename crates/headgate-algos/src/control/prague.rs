//! TCP Prague: DCTCP for the Internet, with a share that depends little on the round trip.
//!
//! # Overview
//! Prague sends ECT(1), so that queues of L4S mark its packets early and often. Its window shrinks in
//! proportion to the share of marks, as DCTCP's does. A flow with a short round trip grows more slowly, as if
//! its round trip were 25 ms, so that flows of different round trips share a queue of L4S.
//!
//! # The rule
//! Each segment that is acknowledged without a mark adds `s^2/w`, also in a window with marks; `s` is the
//! smoothed round trip over `target_s`, at most 1. Once per `max(RTT, target_s)`: `alpha += gain (share of
//! marks - alpha)`, and at a mark `w *= 1 - alpha/2`. A loss halves the window. Segments are paced over a
//! round trip, in slow start over half of one.
//!
//! # Variants
//! `linux`: `alpha` is 1 until the first mark; `s` is 1 during slow start and `transition` round trips after
//! it. `udp-prague`: `alpha` starts at 0, there is no slow start, and no transition. `2020`, the Linux of
//! 2019 and 2020: `alpha` starts at 0, `s` is always 1, a marked ACK adds nothing, and the window shrinks by
//! whole segments at the end of a round trip with marks.
//!
//! # Differences from Linux
//! NOTE(tcp_prague.c 0.6): the kernel moves its window by one segment per ACK towards the fractional one.
//! Here a reduction acts at once.
//!
//! NOTE(tcp_prague.c 0.6): the detection of classic ECN queues is off in the kernel, and absent here.
//!
//! # When to use it
//! With a queue that marks ECT(1) early. In a single queue that marks as RFC 3168 says, Prague takes
//! most of the rate from classic flows.
//!
//! # References
//! draft-briscoe-iccrg-prague-congestion-control-04 §2.3 (alpha, reductions, growth), §2.4 (round trips);
//! RFC 9331 §4.3 (requirements); Linux `tcp_prague.c` 0.6 (L4STeam/linux); `prague_cc.cpp`
//! (L4STeam/udp_prague).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Echo, Path, Window};
use headgate_model::ecn::Ecn;
use headgate_model::params::Card;
use headgate_model::whole::floor;

headgate_model::choices! {
    /// The programs that Prague can follow.
    pub enum Variant {
        /// Linux `tcp_prague.c` 0.6.
        Linux = "linux",
        /// `prague_cc.cpp` of udp_prague.
        Udp = "udp-prague",
        /// Linux of 2019 and 2020, before the share was made independent of the round trip.
        Of2020 = "2020",
    }
}

headgate_model::params! {
    /// Weight g of the newest round trip in the estimate of the marked share.
    gain: number(0.0625, (0.001, 1.0), "1", "draft-briscoe-iccrg-prague-congestion-control-04 §2.3.2"),
    /// Round trip below which flows have equal rates; 0 = none.
    target_s: number(0.025, (0.0, 0.1), "s", "draft-briscoe-iccrg-prague-congestion-control-04 §2.4.4"),
    /// Round trips after slow start until that begins (variant linux).
    transition: number(500.0, (0.0, 1e6), "1", "draft-briscoe-iccrg-prague-congestion-control-04 §2.4.4"),
    /// Which program is followed: linux, udp-prague or 2020.
    variant: choice(Variant, "Linux tcp_prague.c; L4STeam/udp_prague"),
}

pub(crate) const CARD: Card = Card {
    name: "prague",
    title: "TCP Prague",
    aliases: &["tcp-prague"],
    family: "loss",
    rule: "w += s^2/w per unmarked segment; w *= 1 - alpha/2 once per max(RTT, 25 ms) with marks",
    response: "rate = 2 (1 - p)/(p max(RTT, 25 ms)) segments/s at a random share p of marks",
    references: &["draft-briscoe-iccrg-prague-congestion-control-04", "RFC 9331"],
    params: Params::TABLE,
};

/// The smallest window, segments (Linux `MIN_CWND`).
const FLOOR: f64 = 2.0;
/// Longest round trip at which Linux scales growth, seconds (`MAX_SCALED_RTT`).
const MOST_SCALED_S: f64 = 0.1;

/// One flow's Prague.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Prague(Box<State>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    params: Params,
    /// Estimated share of marked segments.
    alpha: f64,
    /// Segments since the last update of `alpha`, and the marked ones among them.
    seen: f64,
    marked: f64,
    has_seen_marks: bool,
    /// The window with its fraction of a segment.
    exact: f64,
    /// Round trips since slow start.
    rounds: f64,
    /// Times of the last update of `alpha` and of the last reduction by marks, seconds.
    updated_s: f64,
    reduced_s: f64,
}

impl Prague {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let alpha = if params.variant == Variant::Linux { 1.0 } else { 0.0 };
        Self(Box::new(State {
            params,
            alpha,
            seen: 0.0,
            marked: 0.0,
            has_seen_marks: false,
            exact: 0.0,
            rounds: 0.0,
            updated_s: f64::NEG_INFINITY,
            reduced_s: f64::NEG_INFINITY,
        }))
    }
}

impl State {
    fn is(&self, variant: Variant) -> bool {
        self.params.variant == variant
    }

    /// Whether the flow behaves as if its round trip were at least `target_s`.
    fn is_independent(&self, window: &Window) -> bool {
        match self.params.variant {
            Variant::Linux => !window.slow_starts() && self.rounds >= self.params.transition,
            Variant::Udp => true,
            Variant::Of2020 => false,
        }
    }

    /// Whether a target round trip has passed since a time, if the flow waits for one.
    fn has_waited(&self, since_s: f64, now_s: f64, window: &Window) -> bool {
        !self.is_independent(window) || now_s - since_s >= self.params.target_s
    }

    /// Adopts a window that the transport or a slow start has set.
    #[inline]
    fn adopt(&mut self, window: &Window) {
        if window.cwnd != to_sent(self.exact) {
            self.exact = window.cwnd;
        }
    }

    #[inline]
    fn take(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.adopt(window);
        self.observe(ack);
        if ack.cwnd_limited {
            self.grow(ack.acked - ack.marked, path, window);
        }
        if ack.round_start {
            self.end_round(ack.now_s, window);
        }
        self.pace(path, window);
    }

    fn observe(&mut self, ack: &Ack) {
        self.seen += ack.acked;
        self.marked += ack.marked;
        self.has_seen_marks |= ack.marked > 0.0;
    }

    #[inline]
    fn grow(&mut self, unmarked: f64, path: &Path, window: &mut Window) {
        if unmarked <= 0.0 {
            return;
        }
        let left = window.slow_start(unmarked);
        if left < unmarked {
            self.exact = window.cwnd;
        }
        if left > 0.0 {
            self.exact += left * self.share_of_growth(path, window) / self.exact.max(1.0);
            window.cwnd = to_sent(self.exact);
        }
    }

    /// Returns `s^2`: the growth of a flow with this round trip, over that of one with the target's.
    fn share_of_growth(&self, path: &Path, window: &Window) -> f64 {
        let is_too_long = self.is(Variant::Linux) && path.srtt_s > MOST_SCALED_S;
        if is_too_long || path.srtt_s >= self.params.target_s || !self.is_independent(window) {
            return 1.0;
        }
        let share = path.srtt_s / self.params.target_s;
        share * share
    }

    /// Updates `alpha` at the end of a round trip, if a target round trip has passed too.
    #[inline]
    fn end_round(&mut self, now_s: f64, window: &mut Window) {
        if !window.slow_starts() {
            self.rounds += 1.0;
        }
        if self.seen <= 0.0 || !self.has_waited(self.updated_s, now_s, window) {
            return;
        }
        if self.has_seen_marks || !self.is(Variant::Linux) {
            self.alpha += self.params.gain * (self.marked / self.seen - self.alpha);
        }
        if self.is(Variant::Of2020) && self.marked > 0.0 {
            let left = window.cwnd - floor(self.alpha * window.cwnd / 2.0 + 0.5);
            self.reduce_to(left, window);
        }
        (self.seen, self.marked) = (0.0, 0.0);
        self.updated_s = now_s;
    }

    fn reduce_to(&mut self, cwnd: f64, window: &mut Window) {
        self.exact = cwnd.max(FLOOR);
        window.cwnd = to_sent(self.exact);
        window.ssthresh = window.cwnd;
    }

    #[cold]
    fn on_mark(&mut self, now_s: f64, window: &mut Window) {
        if self.is(Variant::Of2020) || !self.has_waited(self.reduced_s, now_s, window) {
            return;
        }
        self.has_seen_marks = true;
        self.reduced_s = now_s;
        self.reduce_to(self.exact * (1.0 - self.alpha / 2.0), window);
    }

    #[inline]
    fn pace(&self, path: &Path, window: &mut Window) {
        if path.srtt_s <= 0.0 {
            return;
        }
        let extra = if self.is(Variant::Of2020) { 2.0 } else { 0.0 };
        let starts = window.cwnd < window.ssthresh / 2.0;
        let sent = if starts { 2.0 * window.cwnd } else { self.exact.max(FLOOR) + extra };
        window.pace = sent / path.srtt_s;
    }
}

/// Returns the window in whole segments, rounded up.
#[inline]
fn to_sent(exact: f64) -> f64 {
    let whole = floor(exact);
    (whole + f64::from(u8::from(whole < exact))).max(FLOOR)
}

impl Controller for Prague {
    fn on_start(&mut self, _now_s: f64, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        state.exact = window.cwnd;
        if state.is(Variant::Udp) {
            window.ssthresh = window.cwnd;
        }
        state.pace(path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(&Ack { cwnd_limited: false, ..*ack }, path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        state.adopt(window);
        match event.cause {
            Cause::Mark => state.on_mark(event.now_s, window),
            Cause::Loss => state.reduce_to(state.exact / 2.0, window),
            Cause::Timeout => window.ssthresh = (state.exact / 2.0).max(FLOOR),
        }
        state.pace(path, window);
    }

    fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        state.adopt(window);
        state.exact = state.exact.max(before);
        window.cwnd = to_sent(state.exact);
        state.pace(path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        true
    }

    fn echo(&self) -> Echo {
        Echo::Accurate
    }

    fn codepoint(&self) -> Ecn {
        Ecn::Ect1
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.0.alpha))
    }
}

#[cfg(test)]
mod tests;
