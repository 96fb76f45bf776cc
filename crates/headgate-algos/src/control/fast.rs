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
//! `paper`, the default, is the equation once in an updating round trip, with samples weighed by min(3/w, 1/4). Doubling
//! is its slow start: it ends for good when the average first says that packets wait, or at the first loss,
//! and begins anew only after a time-out.
//!
//! `simple` has the clock and the average of the ns-2 agent, an update each 10 ms of an
//! updating round trip and samples weighed by 1/max(256, w/3), and doubles whenever the queue is empty,
//! however often, as the agent does. In a buffer that the overshoot of doubling overflows (1 Gbit/s, 100 ms,
//! a tenth of that in buffer: 20 % of use, 6 % of loss) neither ever settles; `paper` does. `w'` is
//! interpolated between the windows at the starts of the last two round trips. After a time-out the average
//! starts anew, so that the window doubles at once.
//!
//! `ns2` is that agent ACK by ACK. `w'` is what was in flight when the packet left; what left during a
//! recovery counts as sent before it, so that the window is drawn back to where it was. Increases leave
//! segment by segment, what is over a whole one is dropped, and round trips are the clock's. It takes the
//! agent's way of repair too, which is the transport's (`recovery = "sack1"`), to have the agent's figures.
//!
//! In none does `ssthresh` end doubling. The agent's dead band between `alpha` and a `beta` is not here:
//! the two are equal by its default. `base_rtt` is the connection's, the handshake's packets included, as in
//! the agent: with `alpha` 100 it settles at 97 packets, which by RTTs of data would be too few.
//!
//! # When to use it
//! As the law driven by delay: full use of a path at a queue of `alpha` packets per flow, if the buffer
//! holds them. `paper` for what its authors claim of it, `ns2` beside results of that agent; `simple` is
//! MesoNet's, and so that of NIST's experiments.
//!
//! # References
//! Wei, Jin, Low, Hegde 2006; Jin, Wei, Low 2004 (equation, gamma 0.5; weights and the end of doubling
//! recalled, not verified); the FAST agent 1.1.3 of ns-2 by Cui and Andrew (alpha 100, threshold 0.75 ms,
//! every other round trip, 10 ms, 4 ms); Low 2005 (components); Linux `tcp_input.c` (pacing at 1.2 and 2).

mod agent;
mod equation;

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use agent::Agent;
use equation::Equation;

headgate_model::params! {
    /// Packets that a flow keeps in the queue.
    alpha: number(100.0, (1.0, 100000.0), "segments", "ns-2 FAST agent 1.1.3"),
    /// Fraction of the distance to its target by which an update moves the window.
    gamma: number(0.5, (0.01, 1.0), "1", "Jin, Wei, Low 2004"),
    /// Queueing delay below which the window doubles each round trip; 0 = never.
    mi_threshold_s: number(0.00075, (0.0, 1.0), "s", "ns-2 FAST agent 1.1.3"),
    /// Round trips per update of the window.
    update_rounds: number(2.0, (1.0, 16.0), "round trips", "ns-2 FAST agent 1.1.3"),
    /// The paper's law, whose doubling ends; with the agent's clock and repeated doubling; the agent ACK by ACK.
    variant: choice(["paper", "simple", "ns2"], "Wei et al. 2006, recalled, not verified; ns-2 FAST agent 1.1.3"),
    /// Burstiness control: an increase spread over ACKs, at once, or spread with packets paced.
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
    Paper,
    Simple,
    Ns2,
}

impl Variant {
    fn of(choice: f64) -> Self {
        [Self::Paper, Self::Simple, Self::Ns2][choice as usize]
    }
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

    fn spreads(self, base_rtt_s: f64) -> bool {
        self != Self::None && base_rtt_s >= SPREAD_RTT_S
    }

    /// How fast packets leave, where they are paced.
    fn pace(self, doubles: bool, path: &Path, window: &mut Window) {
        if self == Self::Pace && path.srtt_s > 0.0 {
            let gain = if doubles { PACE_GAINS.0 } else { PACE_GAINS.1 };
            window.pace = gain * window.cwnd / path.srtt_s;
        }
    }
}

/// Where the window is drawn to.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Goal {
    alpha: f64,
    gamma: f64,
}

impl Goal {
    /// The equation: the window after `cwnd`, if it was `then` when the packet left that is acknowledged
    /// now, and `ratio` is `base_rtt/rtt`.
    fn of(&self, cwnd: f64, then: f64, ratio: f64) -> f64 {
        (1.0 - self.gamma) * cwnd + self.gamma * (ratio * then + self.alpha)
    }
}

/// One flow's FAST TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Fast(Form);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Form {
    Equation(Equation),
    Agent(Box<Agent>),
}

impl Fast {
    /// A flow that has not begun.
    pub fn new(params: Params) -> Self {
        Self(match Variant::of(params.variant) {
            Variant::Ns2 => Form::Agent(Box::new(Agent::new(&params))),
            _ => Form::Equation(Equation::new(&params)),
        })
    }

    /// From the next update on the flow keeps so many packets in the queue.
    pub fn set_alpha(&mut self, alpha: f64) {
        let goal = match &mut self.0 {
            Form::Equation(form) => &mut form.goal,
            Form::Agent(form) => &mut form.goal,
        };
        goal.alpha = alpha;
    }

    pub(crate) fn alpha(&self) -> f64 {
        match &self.0 {
            Form::Equation(form) => form.goal.alpha,
            Form::Agent(form) => form.goal.alpha,
        }
    }
}

impl Controller for Fast {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        match &mut self.0 {
            Form::Equation(form) => form.rest_at(window.cwnd),
            Form::Agent(form) => form.on_start(now_s, path, window),
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        match &mut self.0 {
            Form::Equation(form) => form.on_ack(ack, path, window),
            Form::Agent(form) => form.on_ack(ack, path, window),
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        match &mut self.0 {
            Form::Equation(form) => form.on_congestion(event, window),
            Form::Agent(form) => form.on_congestion(event, window),
        }
    }

    fn on_recovered(&mut self, now_s: f64, _path: &Path, window: &mut Window) {
        match &mut self.0 {
            Form::Equation(form) => form.on_recovered(now_s, window),
            Form::Agent(form) => form.on_recovered(now_s),
        }
    }

    /// The agent times every packet.
    fn wants_rate(&self) -> bool {
        matches!(self.0, Form::Agent(_))
    }
}

#[cfg(test)]
mod tests;
