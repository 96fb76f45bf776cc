//! PCC Vivace: tries two rates, and moves towards the one of larger utility.
//!
//! # Overview
//! Vivace paces by a rate, and its window only limits overload. It sends at a slightly larger and at a
//! slightly smaller rate for an RTT each, and computes from losses and RTTs which one was better. It then
//! changes the rate in proportion to the difference.
//!
//! # The rule
//! Utility of an interval with the rate `x` (Mbit/s), the share of losses `L` and the slope `g` of the RTT
//! over the time of sending: `u = x^0.9 - 900 x g - 11.35 x L`; `g = 0` if `|g| < 0.01`.
//!
//! * Start: the rate doubles from interval to interval until the utility falls, and then returns to the one
//!   before.
//! * Then pairs of intervals at `r (1 + eps)` and `r (1 - eps)` in random order, and `r` until both are
//!   known. `gamma = (u+ - u-)/(2 eps r)`.
//! * Confidence: `change = m gamma` (Mbit/s) with `m = tau` for the first three changes of one sign and
//!   `2 tau - 3` for the `tau`-th one.
//! * Boundary: `|change| <= (omega + k step) r`. `k` grows by 1 at each change that reaches it, else it is the
//!   smallest that contains the change; 0 after a change of sign.
//!
//! A time-out halves the rate. At most two RTTs of data are in flight.
//!
//! # Differences from the paper
//! NOTE(Dong et al. 2018 section 4): an interval lasts an RTT and at least ten packets, so that slopes and
//! losses can be measured at low rates. It begins and ends at ACKs. Its packets are known by the segments
//! that were delivered when they were sent.
//!
//! NOTE(Dong et al. 2018 section 5): a pair whose larger rate had fewer losses or a smaller slope is not
//! measured again. An interval in which the sender had too little data is.
//!
//! NOTE(Dong et al. 2018 section 5): the first rate is that of the initial window; the smallest one is two
//! segments per RTT. The authors' program of 2018 sends at 1.3 Mbit/s or more, changes by 0.5 Mbit/s or more,
//! continues in one direction by single intervals, and ignores 3 % of losses. Their program of 2020 counts no
//! negative slope.
//!
//! NOTE(RFC 3168 section 5): marks change nothing. The paper's utility counts only losses.
//!
//! # When to use it
//! As the algorithm that learns its rate: it uses a path with random losses fully up to about 5 %, and holds
//! nearly no queue.
//!
//! # References
//! Dong, Meng, Zarchy, Arslan, Gilad, Godfrey, Schapira 2018 (NSDI), §4 (utility), §5 (rate control);
//! PCC-Uspace `pcc.h` (branch NSDI-2018), `pcc_utility_manager.cpp`, `pcc_vivace_sender.cpp`.

mod intervals;
mod rate;

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Rate, Window};
use headgate_model::params::Card;

use crate::parts::draw::Draw;
use intervals::{Intervals, Measured};
use rate::{Climb, Utility};

headgate_model::params! {
    /// Exponent of the rate in the utility.
    exponent: number(0.9, (0.1, 0.99), "1", "Dong et al. 2018"),
    /// Penalty of the slope of the RTT.
    latency: number(900.0, (0.0, 1e6), "1", "Dong et al. 2018"),
    /// Penalty of the share of lost packets.
    loss: number(11.35, (0.0, 1e6), "1", "Dong et al. 2018"),
    /// Slope of the RTT that counts as none.
    tolerance: number(0.01, (0.0, 1.0), "s/s", "Dong et al. 2018"),
    /// Distance of the two rates from the middle, as a share.
    eps: number(0.05, (0.001, 0.5), "1", "Dong et al. 2018"),
    /// Change of the rate per unit of utility gradient.
    theta: number(1.0, (0.001, 1000.0), "1", "Dong et al. 2018"),
    /// Largest first change, as a share of the rate.
    omega: number(0.05, (0.001, 1.0), "1", "Dong et al. 2018"),
    /// Growth of that share at each change that reaches it.
    step: number(0.1, (0.0, 1.0), "1", "Dong et al. 2018"),
}

pub(crate) const CARD: Card = Card {
    name: "vivace",
    title: "PCC Vivace",
    aliases: &["pcc", "pcc-vivace"],
    family: "model",
    rule: "rate += m du/drate, u = x^0.9 - 900 x dRTT/dt - 11.35 x p",
    response: "rate (Mbit/s) = (0.0793/p)^10",
    references: &["Dong et al. 2018, PCC Vivace: online-learning congestion control"],
    params: Params::TABLE,
};

/// The smallest window, segments, and the smallest rate in segments per RTT.
const FLOOR: f64 = 2.0;
/// Round trips of data that may be in flight.
const CWND_ROUNDS: f64 = 2.0;
/// RTT assumed before the first sample, seconds.
const NOMINAL_RTT_S: f64 = 0.001;
/// The largest rate, segments/s: more than any link of a scenario carries.
const MOST: f64 = 1e11;

/// One flow's PCC Vivace.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Vivace(Box<State>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// The rate doubles.
    Starts,
    /// The two rates of a pair are tried, or their results are awaited.
    Tries,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    utility: Utility,
    climb: Climb,
    eps: f64,
    phase: Phase,
    intervals: Intervals,
    /// The middle rate, segments/s.
    rate: f64,
    /// Utility of the last interval of the start.
    best: f64,
    /// Rates that are still to be tried in this pair, as multiples of the middle one; the next one last.
    plan: Vec<f64>,
    /// Results of this pair: the multiple and the utility.
    results: Vec<(f64, f64)>,
    draw: Draw,
}

impl Vivace {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(State {
            utility: Utility::new(&params),
            climb: Climb::new(&params),
            eps: params.eps,
            phase: Phase::Starts,
            intervals: Intervals::default(),
            rate: 0.0,
            best: f64::NEG_INFINITY,
            plan: Vec::new(),
            results: Vec::new(),
            draw: Draw::default(),
        }))
    }
}

impl State {
    fn start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        let rtt_s = if path.srtt_s > 0.0 { path.srtt_s } else { NOMINAL_RTT_S };
        self.draw = Draw::new(now_s, rtt_s);
        self.rate = window.cwnd.max(FLOOR) / rtt_s;
        window.ssthresh = f64::INFINITY;
        window.pace = self.rate;
    }

    #[inline]
    fn take(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.rate == 0.0 {
            self.start(ack.now_s, path, window);
        }
        self.intervals.record_ack(ack);
        if self.intervals.is_due(ack.now_s) {
            self.turn(ack, path, window);
        }
        window.cwnd = (CWND_ROUNDS * window.pace * path.srtt_s).clamp(FLOOR, MOST);
    }

    /// Uses what is known, and begins the next interval.
    #[inline(never)]
    fn turn(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        while let Some(measured) = self.intervals.take_measured() {
            self.learn(&measured, path);
        }
        self.rate = self.rate.clamp(FLOOR / path.srtt_s.max(NOMINAL_RTT_S), MOST);
        let share = self.next_share(ack);
        window.pace = self.rate * share.unwrap_or(1.0);
        self.intervals.begin(ack, share, window.pace, path.srtt_s);
    }

    /// The multiple of the rate to try now; `None` if results are awaited.
    fn next_share(&mut self, ack: &Ack) -> Option<f64> {
        if self.phase == Phase::Starts {
            return (!self.intervals.is_awaited()).then_some(1.0);
        }
        if self.plan.is_empty() && !self.intervals.is_awaited() {
            self.results.clear();
            let (up, down) = (1.0 + self.eps, 1.0 - self.eps);
            self.plan =
                if self.draw.below(2, ack.rate.delivered) == 0 { vec![up, down] } else { vec![down, up] };
        }
        self.plan.pop()
    }

    fn learn(&mut self, measured: &Measured, path: &Path) {
        let mbps = f64::from(path.segment_bytes) * 8.0 * 1e-6;
        if measured.app_limited {
            if self.phase == Phase::Tries {
                self.plan.push(measured.share);
            }
            return;
        }
        let utility = self.utility.of(measured.rate * mbps, measured.slope(), measured.loss());
        match self.phase {
            Phase::Starts if utility > self.best => {
                self.best = utility;
                self.rate *= 2.0;
            }
            Phase::Starts => {
                self.phase = Phase::Tries;
                self.rate *= 0.5;
            }
            Phase::Tries => {
                self.results.push((measured.share, utility));
                if let [first, second] = self.results[..] {
                    let gradient = (first.1 - second.1) / ((first.0 - second.0) * self.rate * mbps);
                    self.rate += self.climb.change(gradient, self.rate * mbps) / mbps;
                }
            }
        }
    }

    /// Gives up what was tried, and begins again at half of the rate.
    #[cold]
    fn time_out(&mut self, window: &mut Window) {
        self.phase = Phase::Tries;
        self.rate *= 0.5;
        self.intervals.forget();
        self.climb.forget();
        self.plan.clear();
        self.results.clear();
        window.pace = self.rate;
    }
}

impl Controller for Vivace {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.start(now_s, path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_segment_lost(&mut self, sent: &Rate, _path: &Path, _window: &mut Window) {
        self.0.intervals.record_loss(sent.prior);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        if event.cause == Cause::Timeout && self.0.rate > 0.0 {
            self.0.time_out(window);
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        true
    }

    fn wants_rate(&self) -> bool {
        true
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("rate", self.0.rate))
    }
}

#[cfg(test)]
mod tests;
