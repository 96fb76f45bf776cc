//! BIC: a binary search for the window of the last loss.
//!
//! # Overview
//! BIC moves half (or a quarter) of the way to the window of the last loss in each round trip, in bounded
//! steps. Beyond that window it probes slowly first and then faster. At small windows it is Reno.
//!
//! # The rule
//! Above `low_window` = 14 segments, per round trip, with `w_max` the window of the last loss:
//!
//! * Variant `linux`: below `w_max` a quarter of the distance, at most 16, and 4/20 if that is at most one;
//!   above it 4/20 up to `w_max + 4`, then a third of the distance, at most 16; before any loss at least
//!   `w/20`.
//! * Variant `paper`: half the distance to `w_max` below it, the whole distance above it, within 0.01 and 32.
//!
//! A loss leaves 819/1024 (`paper`: 7/8) of the window, and a half up to `low_window`. Then `w_max = w`, or
//! `w (1 + beta)/2` if `w < w_max` (fast convergence). A time-out resets `w_max`.
//!
//! # Differences from the paper
//! NOTE(Xu, Harfoush, Rhee 2004): the variant `linux` is the kernel's module, which ns-2 contains too. It
//! adds whole segments, one per count of acknowledged ones; the count is truncated to an integer and computed
//! once per segment or 1/32 s.
//!
//! NOTE(Xu, Harfoush, Rhee 2004): the variant `linux` assumes delayed ACKs. Its estimate starts at two
//! segments per ACK. Truncated to sixteenths, it settles at 31/16 if every segment is acknowledged, so that
//! growth is faster than above by this factor. With delayed ACKs it may settle anywhere from 32/16 to 47/16,
//! because stretched ACKs raise it permanently (`segments_per_ack`).
//!
//! NOTE(Xu, Harfoush, Rhee 2004): the variant `paper` applies the published equations per acknowledged
//! segment, with fractional windows. Its doubling steps beyond `w_max` are the whole distance per round trip.
//!
//! # When to use it
//! As the predecessor of CUBIC, fast and aggressive: Linux's default from 2.6.8 to 2.6.18.
//!
//! # References
//! Xu, Harfoush, Rhee 2004; Linux `tcp_bic.c` (2.6.22 to 6.x), constants.

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;
use crate::parts::whole::{self, Count};

headgate_model::choices! {
    /// The texts that BIC can follow.
    pub enum Variant {
        /// Linux `tcp_bic.c`.
        Linux = "linux",
        /// Xu, Harfoush, Rhee 2004.
        Paper = "paper",
    }
}

headgate_model::params! {
    /// Greatest step per round trip; 0 = the variant's default: 16, paper 32.
    max_increment: number(0.0, (0.0, 1000.0), "segments", "Linux tcp_bic.c; 32 recalled, not verified",
        at_least ["min_increment"]),
    /// Share of the window that is kept on a loss; 0 = the variant's default: 819/1024, paper 7/8.
    beta: number(0.0, (0.0, 0.95), "1", "Linux tcp_bic.c; 7/8 recalled, not verified"),
    /// Window up to which the algorithm is Reno's.
    low_window: number(14.0, (0.0, 10000.0), "segments", "Linux tcp_bic.c; Xu et al. 2004"),
    /// Round trips that the last four segments take together (variant linux, smooth_part).
    smooth_part: number(20.0, (1.0, 1000.0), "round trips", "Linux tcp_bic.c") used_with variant ["linux"],
    /// Segments that an ACK is assumed to cover (variant linux); 0 = estimated.
    segments_per_ack: number(0.0, (0.0, 64.0), "segments", "Linux tcp_bic.c, delayed_ack") used_with variant ["linux"],
    /// Least step per round trip (variant paper).
    min_increment: number(0.01, (1e-6, 1.0), "segments", "Xu et al. 2004 (recalled, not verified)") used_with variant ["paper"],
    /// Give up more when the window of the last loss was not reached.
    fast_convergence: switch(["on", "off"], "Linux tcp_bic.c; Xu et al. 2004"),
    /// Which text is followed: linux with whole segments, or paper.
    variant: choice(Variant, "Linux tcp_bic.c; Xu, Harfoush, Rhee 2004"),
}

pub(crate) const CARD: Card = Card {
    name: "bic",
    title: "BIC",
    aliases: &[],
    family: "loss",
    rule: "w += (w_max - w)/4 per RTT, 0.2 to 16, beyond w_max (w - w_max)/3; w *= 0.8 on loss",
    response: "w = 8.5 / p^0.5 where most steps are 16 (large windows); steeper below",
    references: &["Xu, Harfoush, Rhee 2004, Binary increase congestion control", "Linux tcp_bic.c"],
    params: Params::TABLE,
};

/// Linux: the divisor of the distance per round trip (BICTCP_B).
const PART: f64 = 4.0;

/// Linux: the greatest count before any loss, 5 % per round trip.
const FIRST_COUNT: f64 = 20.0;

/// Linux: sixteenths of a segment per ACK, in which delayed ACKs are estimated (ACK_RATIO_SHIFT).
const SIXTEENTHS: f64 = 16.0;

/// The differences between Linux and the paper: greatest step, segments, and the share kept on a loss.
const LINUX: (f64, f64) = (16.0, 819.0 / 1024.0);
const PAPER: (f64, f64) = (32.0, 0.875);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    /// Window of the last loss, segments; 0 = none.
    w_max: f64,
    /// Segments per ACK, in whole sixteenths.
    ratio: f64,
    count: Count,
}

impl State {
    fn new() -> Self {
        Self { w_max: 0.0, ratio: 2.0 * SIXTEENTHS, count: Count::default() }
    }
}

/// One flow's BIC.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Bic {
    params: Params,
    state: Box<State>,
}

impl Bic {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let (step, beta) = match params.variant {
            Variant::Linux => LINUX,
            Variant::Paper => PAPER,
        };
        let or = |given: f64, own: f64| if given == 0.0 { own } else { given };
        let max_increment = or(params.max_increment, step);
        let params = Params { max_increment, beta: or(params.beta, beta), ..params };
        Self { params, state: Box::new(State::new()) }
    }

    /// Segments per ACK, in sixteenths.
    fn ratio(&self) -> f64 {
        let given = self.params.segments_per_ack * SIXTEENTHS;
        if given > 0.0 { given } else { self.state.ratio }
    }

    fn is_linux(&self) -> bool {
        self.params.variant == Variant::Linux
    }

    fn avoid(&mut self, acked: f64, now_s: f64, window: &mut Window) {
        if self.is_linux() {
            self.step_whole(acked, now_s, window);
        } else if window.cwnd <= self.params.low_window {
            reno::avoid(acked, window);
        } else {
            window.cwnd += self.increment(window.cwnd) * (acked / window.cwnd).min(1.0);
        }
    }

    /// The paper: increase per round trip, segments.
    fn increment(&self, cwnd: f64) -> f64 {
        let beyond = cwnd - self.state.w_max;
        let wanted = if beyond < 0.0 { -beyond / 2.0 } else { beyond };
        wanted.min(self.params.max_increment).max(self.params.min_increment)
    }

    fn step_whole(&mut self, acked: f64, now_s: f64, window: &mut Window) {
        let cwnd = window.cwnd.floor();
        if self.state.count.is_stale(cwnd, now_s) {
            let per_segment = self.per_segment(cwnd);
            self.state.count.renew(per_segment, cwnd, now_s);
        }
        window.cwnd += self.state.count.take(acked);
    }

    /// Linux: acknowledged segments per added one, adjusted for delayed ACKs.
    fn per_segment(&self, cwnd: f64) -> f64 {
        if cwnd <= self.params.low_window {
            return cwnd;
        }
        let searched = self.searched(cwnd).floor();
        let count = if self.state.w_max == 0.0 { searched.min(FIRST_COUNT) } else { searched };
        (count * SIXTEENTHS / self.ratio()).floor().max(1.0)
    }

    fn searched(&self, cwnd: f64) -> f64 {
        let Params { max_increment, smooth_part, .. } = self.params;
        let (beyond, slowest) = (cwnd - self.state.w_max, cwnd * smooth_part / PART);
        if beyond < 0.0 {
            let step = (-beyond / PART).floor();
            return if step <= 1.0 { slowest } else { cwnd / step.min(max_increment) };
        }
        if beyond < PART { slowest } else { cwnd / (beyond / (PART - 1.0)).min(max_increment) }
    }

    /// Linux: a moving average over 16 ACKs, in whole sixteenths.
    fn estimate_ratio(&mut self, acked: f64) {
        let ratio = &mut self.state.ratio;
        *ratio = (*ratio + acked.round() - (*ratio / SIXTEENTHS).floor()).max(1.0);
    }

    /// The window before a loss, segments.
    fn before(&self, event: &Congestion, window: &Window) -> f64 {
        if self.is_linux() { whole::before(event, window) } else { f64::from(event.in_flight) }
    }

    fn left(&self, before: f64) -> f64 {
        let share = if before <= self.params.low_window { 0.5 } else { self.params.beta };
        if self.is_linux() { (share * before).floor() } else { share * before }
    }

    fn remember(&mut self, before: f64) {
        let gives_up = self.params.fast_convergence && before < self.state.w_max;
        self.state.w_max = if gives_up { before * (1.0 + self.params.beta) / 2.0 } else { before };
        if self.is_linux() {
            self.state.w_max = self.state.w_max.floor();
        }
    }
}

impl Controller for Bic {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.estimate_ratio(ack.acked);
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            self.avoid(left, ack.now_s, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let before = self.before(event, window);
        window.ssthresh = self.left(before).max(2.0);
        if event.cause == Cause::Timeout {
            *self.state = State::new();
        } else {
            self.remember(before);
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("w_max", self.state.w_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss, timeout};

    const LINUX: Variant = Variant::Linux;
    const PAPER: Variant = Variant::Paper;

    /// An algorithm whose last loss was at `w_max`, on a path without delayed ACKs.
    fn controller(variant: Variant, w_max: f64) -> Bic {
        let mut controller = Bic::new(Params { variant, ..Params::default() });
        (controller.state.w_max, controller.state.ratio) = (w_max, SIXTEENTHS);
        controller
    }

    #[test]
    fn linux_searches_by_quarters_and_probes_by_thirds() {
        let controller = controller(LINUX, 1000.0);
        // steps per round trip: 16 of 200/4 = 50; 40/4 = 10; 4/20; 4/20; 30/3 = 10; 16 of 60/3
        let steps =
            [800.0, 960.0, 996.0, 1003.0, 1030.0, 1060.0].map(|cwnd| cwnd / controller.searched(cwnd));
        for (step, expected) in steps.into_iter().zip([16.0, 10.0, 0.2, 0.2, 10.0, 16.0]) {
            assert!((step - expected).abs() < 1e-9, "{steps:?}");
        }
    }

    #[test]
    fn linux_grows_by_a_twentieth_before_any_loss_and_as_reno_at_small_windows() {
        assert_eq!(controller(LINUX, 0.0).per_segment(4000.0), 20.0);
        assert_eq!(controller(LINUX, 0.0).per_segment(100.0), 6.0); // 100/16
        assert_eq!(controller(LINUX, 100.0).per_segment(14.0), 14.0);
    }

    #[test]
    fn linux_never_forgets_that_acks_may_be_delayed() {
        let mut controller = controller(LINUX, 1000.0);
        controller.state.ratio = 32.0;
        (0..100).for_each(|_| controller.estimate_ratio(1.0));
        assert_eq!(controller.state.ratio, 31.0); // 31/16 cut is 1, the sample
        assert_eq!(controller.per_segment(800.0), 25.0); // 50 * 16/31 = 25.8
        (0..100).for_each(|_| controller.estimate_ratio(3.0));
        assert_eq!(controller.state.ratio, 48.0);
    }

    #[test]
    fn the_paper_halves_the_distance() {
        let controller = controller(PAPER, 1000.0);
        let steps = [900.0, 960.0, 1000.0, 1010.0, 1060.0].map(|cwnd| controller.increment(cwnd));
        assert_eq!(steps, [32.0, 20.0, 0.01, 10.0, 32.0]);
    }

    #[test]
    fn one_ack_of_the_paper() {
        let (mut controller, mut window) = (controller(PAPER, 1000.0), avoiding(960.0));
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 960.0 + 20.0 / 960.0);
        window.cwnd = 8.0;
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 8.125);
    }

    #[test]
    fn a_loss_leaves_four_fifths_or_half_and_is_remembered() {
        let (mut controller, mut window) = (controller(LINUX, 0.0), avoiding(1000.0));
        controller.on_congestion(&loss(1000), &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.state.w_max), (799.0, 1000.0)); // 799.8
        window.cwnd = 900.0;
        controller.on_congestion(&loss(900), &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.state.w_max), (719.0, 809.0)); // 900 * 1843/2048 = 809.9
        window.cwnd = 14.0;
        controller.on_congestion(&loss(14), &PATH, &mut window);
        assert_eq!(window.ssthresh, 7.0);
    }

    #[test]
    fn a_timeout_forgets_the_last_loss() {
        let (mut controller, mut window) = (controller(PAPER, 1000.0), avoiding(1.0));
        controller.on_congestion(&timeout(800), &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.state.w_max), (700.0, 0.0));
    }

    #[test]
    fn a_loss_at_the_last_maximum_gives_nothing_up() {
        let mut controller = controller(PAPER, 1000.0);
        controller.on_congestion(&loss(1000), &PATH, &mut avoiding(1000.0));
        assert_eq!(controller.state.w_max, 1000.0);
    }
}
