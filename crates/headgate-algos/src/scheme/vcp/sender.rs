//! The sender's part: a separate rule for each state of the load.

use super::caps::{most_added, most_xi};
use super::{HIGH, STEPS, code, format, word};
use crate::control::reno;
use crate::scheme::Index;
use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::feedback::Words;
use headgate_model::params::Card;

headgate_model::choices! {
    /// How finely routers report their load.
    pub enum Feedback {
        /// In two bits: low load, high load, overload.
        TwoBits = "2-bit",
        /// In eight bits.
        EightBits = "8-bit",
        /// As a number.
        Exact = "exact",
    }
}

headgate_model::choices! {
    /// The texts that the sender can follow.
    pub enum Variant {
        /// The paper, through the ns-3 model.
        Paper = "paper",
        /// A later revision of the author's ns-2 code.
        Code = "code",
        /// The author's release 0.1, whose increases the window caps.
        Released = "released",
    }
}

headgate_model::choices! {
    /// Whether increases are scaled to the RTT.
    pub enum Scaling {
        /// Scaled to the RTT.
        Rtt = "rtt",
        /// The same in every RTT.
        None = "none",
    }
}

headgate_model::params! {
    /// How finely routers report their load.
    feedback: choice(Feedback, "Xia et al. 2005; slides 7, 21 and 31"),
    /// Which text is followed: the paper (through the ns-3 model), a later revision of the author's ns-2
    /// code, or its release 0.1, whose increases the window caps.
    variant: choice(Variant, "Barenholtz, Hogan 2021; Xia's code"),
    /// Whether increases are scaled to the RTT, or are the same in every RTT.
    scaling: choice(Scaling, "Xia et al. 2005, slides 16 and 25"),
    /// Multiplicative increase in one period.
    xi: number(0.0625, (0.0, 1.0), "1", "Xia et al. 2005: k (1/0.8 - 1), 0.06 on slide 15; 1.0 of TCP, 0.01 of STCP"),
    /// Additive increase in one period.
    alpha: number(1.0, (0.0, 1000.0), "segments", "Xia et al. 2005, slide 15"),
    /// Share of the window that overload leaves.
    beta: number(0.875, (0.0, 1.0), "1", "Xia et al. 2005, slide 15"),
    /// Gain of finer feedback.
    k: number(0.25, (0.0, 1.0), "1", "Xia et al. 2005, slide 15"),
    /// Period of the routers.
    period_s: number(0.2, (1e-3, 100.0), "s", "Xia et al. 2005, slide 13"),
}

pub(crate) const CARD: Card = Card {
    name: "vcp",
    title: "VCP",
    aliases: &[],
    family: "explicit",
    rule: "w += (1+xi)^(rtt/t) - 1 | alpha (rtt/t)^2/w an ACK, w *= beta, by the load's region",
    response: "rate = gamma C/N + alpha/(k t) with exact feedback",
    references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
    params: Params::TABLE,
};

/// Largest ratio of RTT to period in the multiplicative increase (Xia's code).
const LONGEST: f64 = 2.5;

/// RTT at which the additive increase of the code is alpha, seconds, and the bounds in such RTTs between
/// which it is scaled by the square (Xia's code).
const TYPICAL_S: f64 = 0.1;
const SQUARE: (f64, f64) = (0.2, 5.0);

/// Largest window that is paced, if that leaves long enough gaps (Xia's code).
const SMALL: f64 = 64.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Multiply,
    Add,
    Decrease,
    Hold,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    params: Params,
    /// The load that routers have written; 0 if none has.
    said: f64,
    /// After a decrease: the time until which the window is constant, and the time until which it then only
    /// adds.
    rests_until_s: f64,
    adds_until_s: f64,
}

/// One flow's VCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sender(Box<State>);

impl Sender {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(State { params, said: 0.0, rests_until_s: 0.0, adds_until_s: 0.0 }))
    }
}

/// Returns the square between two bounds; beyond them a line, through zero below and with slope one above.
fn bounded_square(typical: f64) -> f64 {
    match typical {
        short if short <= SQUARE.0 => short * SQUARE.0,
        long if long > SQUARE.1 => long - SQUARE.1 + SQUARE.1 * SQUARE.1,
        other => other * other,
    }
}

impl State {
    /// Returns the RTT, or a period if there is none yet.
    fn rtt_s(&self, path: &Path) -> f64 {
        if path.srtt_s > 0.0 { path.srtt_s } else { self.params.period_s }
    }

    /// Returns the multiplicative increase by a segment's ACK, for an increase of `gain` per period.
    fn multiplied(&self, gain: f64, rtt_s: f64) -> f64 {
        let Params { variant, scaling, period_s, .. } = self.params;
        if scaling == Scaling::None {
            return gain;
        }
        let periods = rtt_s / period_s;
        let power = if variant == Variant::Paper { periods } else { periods.min(LONGEST) };
        libm::expm1(power * libm::log1p(gain)).min(1.0) // no faster than slow start
    }

    /// Returns the additive increase per RTT, segments.
    fn added(&self, rtt_s: f64) -> f64 {
        let Params { variant, scaling, period_s, alpha, .. } = self.params;
        if scaling == Scaling::None {
            return alpha;
        }
        let periods = rtt_s / period_s;
        alpha * if variant == Variant::Paper { periods * periods } else { bounded_square(rtt_s / TYPICAL_S) }
    }

    /// Returns the action of an ACK with two bits. By the paper, nothing moves a window during its rest, and
    /// a code counts only after the additions; in the code that applies to overload only.
    fn action(&self, now_s: f64) -> Action {
        let free = match self.said {
            code::LOW_LOAD => Action::Multiply,
            code::HIGH_LOAD => Action::Add,
            _ => Action::Decrease,
        };
        if self.params.variant != Variant::Paper && free != Action::Decrease {
            return free;
        }
        if now_s < self.rests_until_s {
            Action::Hold
        } else if now_s < self.adds_until_s {
            Action::Add
        } else {
            free
        }
    }

    /// Applies a table's limit for this window; only the released code has tables.
    fn cap(&self, most: fn(f64) -> f64, cwnd: f64) -> f64 {
        if self.params.variant == Variant::Released { most(cwnd) } else { f64::INFINITY }
    }

    /// Returns the change of the window by one segment's ACK with two bits.
    fn step(&mut self, now_s: f64, rtt_s: f64, cwnd: f64) -> f64 {
        match self.action(now_s) {
            Action::Multiply => self.multiplied(self.params.xi.min(self.cap(most_xi, cwnd)), rtt_s),
            Action::Add => (self.added(rtt_s) / cwnd).min(self.cap(most_added, cwnd)),
            Action::Hold => 0.0,
            Action::Decrease => {
                self.rests_until_s = now_s + self.params.period_s;
                self.adds_until_s = self.rests_until_s + rtt_s;
                (self.params.beta - 1.0) * cwnd
            }
        }
    }

    /// Returns the change of the window by one segment's ACK with the load itself.
    fn fine_step(&self, rtt_s: f64, cwnd: f64) -> f64 {
        let Params { feedback, xi, k, .. } = self.params;
        let load = if feedback == Feedback::EightBits { HIGH + (self.said - 1.0) / STEPS } else { self.said };
        let gain = if load <= HIGH { xi } else { k * (1.0 / load - 1.0) };
        self.multiplied(gain, rtt_s) + self.added(rtt_s) / cwnd
    }

    /// Returns the pacing rate of small windows at long RTTs: a power of two per RTT.
    fn pace(&self, cwnd: f64, rtt_s: f64) -> f64 {
        let whole = cwnd.floor();
        if !(2.0..=SMALL).contains(&whole) {
            return f64::INFINITY;
        }
        let rate = f64::from((whole as u32).next_power_of_two()) / rtt_s;
        if rate * self.params.period_s / 2.0 < 1.0 { rate } else { f64::INFINITY }
    }
}

impl Controller for Sender {
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        if state.said == 0.0 {
            return reno::grow(ack, window);
        }
        let (rtt_s, two_bits) = (state.rtt_s(path), state.params.feedback == Feedback::TwoBits);
        let step = match two_bits {
            true => state.step(ack.now_s, rtt_s, window.cwnd),
            false => state.fine_step(rtt_s, window.cwnd),
        };
        if step < 0.0 || ack.cwnd_limited {
            // the reduction by two bits is applied once, however many segments the ACK covers
            let times = if two_bits && step < 0.0 { 1.0 } else { ack.acked };
            window.cwnd = (window.cwnd + times * step).max(1.0);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        reno::halve(event.in_flight, window);
    }

    fn scheme(&self) -> Option<u8> {
        Some(Index::Vcp as u8)
    }

    fn header(&mut self, _path: &Path, _window: &Window) -> Words {
        let mut words = Words::default();
        words[word::FORMAT] = match self.0.params.feedback {
            Feedback::TwoBits => format::TWO_BITS,
            Feedback::EightBits => format::EIGHT_BITS,
            Feedback::Exact => format::EXACT,
        };
        words
    }

    fn on_header(&mut self, header: &Words, _now_s: f64, path: &Path, window: &mut Window) {
        let state = &mut self.0;
        state.said = header[word::LOAD];
        if state.said > 0.0 {
            window.pace = state.pace(window.cwnd, state.rtt_s(path));
        }
    }
}
