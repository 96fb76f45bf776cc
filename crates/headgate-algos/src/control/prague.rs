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
//! marks - alpha)`, and at a mark `w *= 1 - alpha/2`. A loss halves the window, and nothing grows until it is
//! repaired. Segments are paced over a round trip, in slow start over half of one.
//!
//! Variants of Linux move the window by one segment per ACK towards the fractional one, and pace 1500/1448
//! times as fast, so that the window remains the limit.
//!
//! Variant `linux`: `alpha` is 1 until the first mark; `s` is 1 in slow start and for `transition` round
//! trips after it. `linux-0.7`: `alpha` starts at 0, the first mark halves the window, `s` is 1 for 4 round
//! trips, and a window below two segments is paced, down to 100 kbit/s. `udp-prague`: `alpha` starts at 0, no
//! slow start, no transition, and growth by 1 ms of its rate per round trip after a time without marks.
//! `2020`: as `linux`, but `s` is always 1. `2019`: `alpha` starts at 0, `s` is 1, an ACK with marks adds
//! nothing, and the window shrinks by whole segments at the end of a round trip with marks.
//!
//! Without exact feedback of marks, every variant but `udp-prague` is Reno without ECN.
//!
//! # Differences from the paper
//! NOTE(tcp_prague.c 0.6): the detection of classic ECN queues is off in the kernel, and absent here.
//!
//! NOTE(tcp_prague.c 0.6): after a time-out the kernel adds one segment per ACK up to half of the window,
//! here one per acknowledged segment.
//!
//! NOTE(tcp_prague.c 0.7): segments keep their size. The kernel and udp_prague send smaller ones below
//! 1 Mbit/s, and compute in rates instead of windows if the window or the round trip is very small.
//!
//! NOTE(prague_cc.cpp): udp_prague always grows. Here it grows if at least half of its window is in flight.
//!
//! # When to use it
//! With a queue that marks ECT(1) early. In a single queue that marks as RFC 3168 says, Prague takes
//! most of the rate from classic flows.
//!
//! # References
//! draft-briscoe-iccrg-prague-congestion-control-00 §2.3 (feedback, alpha), §2.4 (reductions, growth, round
//! trips), §2.5 (pacing); RFC 9331 §4.2, §4.3 (requirements); Linux `tcp_prague.c` 0.5, 0.6 and 0.7
//! (L4STeam/linux); `prague_cc.cpp` (L4STeam/udp_prague). docs/reference/prague.md compares them.

use headgate_model::control::{Ack, Cause, Congestion, Controller, Echo, Path, Window};
use headgate_model::ecn::Ecn;
use headgate_model::params::Card;
use headgate_model::whole::floor;

use super::reno;

headgate_model::choices! {
    /// The programs that Prague can follow.
    pub enum Variant {
        /// Linux `tcp_prague.c` 0.6.
        Linux = "linux",
        /// Linux `tcp_prague.c` 0.7.
        Linux07 = "linux-0.7",
        /// `prague_cc.cpp` of udp_prague.
        Udp = "udp-prague",
        /// Linux `tcp_prague.c` 0.5 of August 2020, whose shares depend on the round trip.
        Of2020 = "2020",
        /// Linux of 2019.
        Of2019 = "2019",
    }
}

headgate_model::params! {
    /// Weight g of the newest round trip in the estimate of the marked share.
    gain: number(0.0625, (0.001, 1.0), "1", "draft-briscoe-iccrg-prague-congestion-control-00 §2.3.2"),
    /// Round trip below which flows have equal rates; 0 = none.
    target_s: number(0.025, (0.0, 0.1), "s", "draft-briscoe-iccrg-prague-congestion-control-00 §2.4.4"),
    /// Round trips after slow start until that begins (variant linux).
    transition: number(500.0, (0.0, 1e6), "1", "draft-briscoe-iccrg-prague-congestion-control-00 §2.4.4") used_with variant ["linux"],
    /// Which program is followed: linux, linux-0.7, udp-prague, 2020 or 2019.
    variant: choice(Variant, "Linux tcp_prague.c; L4STeam/udp_prague"),
}

pub(crate) const CARD: Card = Card {
    name: "prague",
    title: "TCP Prague",
    aliases: &["tcp-prague"],
    family: "loss",
    rule: "w += s^2/w per unmarked segment; w *= 1 - alpha/2 once per max(RTT, 25 ms) with marks",
    response: "rate = x/(p max(RTT, 25 ms)) segments/s at a random share p of marks; x^2 = 2 (1 - p)(1 + x)",
    references: &["draft-briscoe-iccrg-prague-congestion-control-00", "RFC 9331"],
    params: Params::TABLE,
};

/// One flow's Prague.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Prague(Box<State>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    params: Params,
    /// Whether the receiver reports no exact marks, so that the flow is Reno.
    is_reno: bool,
    /// Estimated share of marked segments, now and before the current ACK.
    alpha: f64,
    alpha_before: f64,
    /// Segments since the last update of `alpha`, and the marked ones among them.
    seen: f64,
    marked: f64,
    has_seen_marks: bool,
    /// The window with its fraction of a segment, now and before the last loss.
    exact: f64,
    exact_before: f64,
    /// The window in whole segments as this flow left it.
    whole: f64,
    /// Round trips since slow start.
    rounds: f64,
    /// Target round trips without marks until growth is faster (udp-prague).
    quiet: f64,
    /// Times of the last update of `alpha`, reduction by marks, and loss, seconds.
    updated_s: f64,
    reduced_s: f64,
    lost_s: f64,
}

impl Prague {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let alpha = params.variant.first_alpha();
        Self(Box::new(State {
            params,
            is_reno: false,
            alpha,
            alpha_before: alpha,
            seen: 0.0,
            marked: 0.0,
            has_seen_marks: false,
            exact: 0.0,
            exact_before: 0.0,
            whole: 0.0,
            rounds: 0.0,
            quiet: program::quiet_after(0.0),
            updated_s: f64::NEG_INFINITY,
            reduced_s: f64::NEG_INFINITY,
            lost_s: f64::NEG_INFINITY,
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
            Variant::Linux07 => !window.slow_starts() && self.rounds >= program::TRANSITION_07,
            Variant::Udp => true,
            Variant::Of2020 | Variant::Of2019 => false,
        }
    }

    /// Whether a target round trip has passed since a time, if the flow waits for one.
    fn has_waited(&self, since_s: f64, now_s: f64, window: &Window) -> bool {
        !self.is_independent(window) || now_s - since_s >= self.params.target_s
    }

    /// The round trip that the flow acts as if it had, seconds.
    fn virtual_rtt_s(&self, path: &Path) -> f64 {
        path.srtt_s.max(self.params.target_s)
    }

    #[inline]
    fn take(&mut self, ack: &Ack, repairs: bool, path: &Path, window: &mut Window) {
        self.adopt(window);
        self.alpha_before = self.alpha;
        self.observe(ack, path, window);
        if !repairs && self.is_used(ack) {
            self.grow(self.counted(ack), ack.now_s, path, window);
        }
        if ack.round_start {
            self.end_round(ack.now_s, path, window);
        }
        self.step(window);
        self.whole = window.cwnd;
        self.pace(ack.now_s, path, window);
    }

    /// Whether the flow uses its window, so that it may grow. Pacing limits udp_prague, not the window.
    #[inline]
    fn is_used(&self, ack: &Ack) -> bool {
        ack.cwnd_limited || (self.is(Variant::Udp) && 2.0 * f64::from(ack.in_flight) >= self.exact)
    }

    fn observe(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.seen += ack.acked;
        self.marked += ack.marked;
        if ack.marked > 0.0 && !self.has_seen_marks {
            self.has_seen_marks = true;
            if self.is(Variant::Linux07) {
                self.reduce_to(self.exact / 2.0, path, window);
            }
        }
    }

    /// Returns the segments of an ACK that raise the window.
    fn counted(&self, ack: &Ack) -> f64 {
        let is_refused = self.is(Variant::Of2019) && ack.marked > 0.0;
        if is_refused { 0.0 } else { ack.acked - ack.marked }
    }

    #[inline]
    fn grow(&mut self, unmarked: f64, now_s: f64, path: &Path, window: &mut Window) {
        let repairs = self.is(Variant::Udp) && now_s - self.lost_s < self.virtual_rtt_s(path);
        if unmarked <= 0.0 || repairs {
            return;
        }
        let left = window.slow_start(unmarked);
        if left < unmarked {
            self.exact = window.cwnd;
        }
        if left > 0.0 {
            let share = self.share_of_growth(path, window);
            let step = if self.is(Variant::Udp) { self.step_after_quiet(path) } else { 1.0 };
            let divisor = if self.params.variant.counts_fractions() { self.exact } else { window.cwnd };
            self.exact += left * share * step / divisor.max(1.0);
            self.follow(window);
        }
    }

    /// Returns `s^2`: the growth of a flow with this round trip, over that of one with the target's.
    fn share_of_growth(&self, path: &Path, window: &Window) -> f64 {
        if path.srtt_s >= self.params.target_s || !self.is_independent(window) {
            return 1.0;
        }
        let share = path.srtt_s / self.params.target_s;
        share * share
    }

    /// Updates `alpha` at the end of a round trip, if a target round trip has passed too.
    #[inline]
    fn end_round(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        if !window.slow_starts() {
            self.rounds += 1.0;
        }
        if self.seen <= 0.0 || !self.has_waited(self.updated_s, now_s, window) {
            return;
        }
        if self.has_seen_marks || !self.params.variant.waits_for_marks() {
            self.alpha += self.params.gain * (self.marked / self.seen - self.alpha);
        }
        if self.is(Variant::Of2019) && self.marked > 0.0 {
            self.reduce_to(self.whole_reduction(self.alpha, window), path, window);
        }
        self.quiet = (self.quiet - 1.0).max(0.0);
        (self.seen, self.marked) = (0.0, 0.0);
        self.updated_s = now_s;
    }

    /// Returns the window less `alpha/2` of it, in whole segments (2019).
    fn whole_reduction(&self, alpha: f64, window: &Window) -> f64 {
        window.cwnd - floor(alpha * window.cwnd / 2.0 + 0.5)
    }

    fn reduce_to(&mut self, cwnd: f64, path: &Path, window: &mut Window) {
        self.exact = cwnd.max(self.params.variant.least_window(path));
        self.follow(window);
        window.ssthresh = window.cwnd.max(program::FLOOR);
    }

    #[cold]
    fn on_mark(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        if self.is(Variant::Of2019) {
            window.ssthresh = self.whole_reduction(self.alpha_before, window).max(program::FLOOR);
            return;
        }
        let repairs = self.is(Variant::Udp) && now_s - self.lost_s < self.virtual_rtt_s(path);
        if repairs || !self.has_waited(self.reduced_s, now_s, window) {
            return;
        }
        self.reduced_s = now_s;
        self.quiet = program::quiet_after(self.rate_bytes_s(path));
        // Linux reduces before it updates alpha, udp_prague afterwards.
        let alpha = if self.is(Variant::Udp) { self.alpha } else { self.alpha_before };
        let reduced = if self.is(Variant::Of2020) { window.cwnd } else { self.exact };
        self.reduce_to(self.exact - reduced * alpha / 2.0, path, window);
        self.step(window); // Linux moves the window after this, by the same ACK
    }

    #[cold]
    fn on_loss(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        if self.is(Variant::Udp) {
            if now_s - self.lost_s < self.virtual_rtt_s(path) {
                return;
            }
            self.quiet = self.rounds_to_regrow(path);
        }
        (self.lost_s, self.exact_before) = (now_s, self.exact);
        self.reduce_to(self.exact / 2.0, path, window);
    }

    #[cold]
    fn on_timeout(&mut self, window: &mut Window) {
        self.exact_before = self.exact;
        if self.is(Variant::Udp) {
            (self.alpha, self.quiet) = (0.0, program::quiet_after(0.0));
            window.ssthresh = program::FLOOR;
        } else {
            window.ssthresh = (self.exact / 2.0).max(program::FLOOR);
        }
    }
}

impl Controller for Prague {
    fn on_feedback(&mut self, granted: Echo) {
        self.0.is_reno = granted != Echo::Accurate && !self.0.is(Variant::Udp);
    }

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        (state.exact, state.whole) = (window.cwnd, window.cwnd);
        if state.is(Variant::Udp) {
            window.ssthresh = window.cwnd;
        }
        if !state.is_reno {
            state.pace(now_s, path, window);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.0.is_reno {
            reno::grow(ack, window);
        } else {
            self.0.take(ack, false, path, window);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.0.is_reno {
            self.0.take(ack, true, path, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        if state.is_reno {
            return reno::halve(event.in_flight, window);
        }
        state.adopt(window);
        match event.cause {
            Cause::Mark => state.on_mark(event.now_s, path, window),
            Cause::Loss => state.on_loss(event.now_s, path, window),
            Cause::Timeout => state.on_timeout(window),
        }
        state.whole = window.cwnd;
        state.pace(event.now_s, path, window);
    }

    fn on_undo(&mut self, before: f64, _path: &Path, window: &mut Window) {
        let state = &mut self.0;
        if state.is_reno {
            window.cwnd = window.cwnd.max(before);
            return;
        }
        state.adopt(window);
        state.exact = state.exact.max(state.exact_before);
        window.cwnd = state.whole_window(window.cwnd);
        state.whole = window.cwnd;
        state.lost_s = f64::NEG_INFINITY;
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        !self.0.is_reno
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

mod program;
#[cfg(test)]
mod tests;
