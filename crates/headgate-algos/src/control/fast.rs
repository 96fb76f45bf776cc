//! FAST TCP: each flow keeps `alpha` packets in the queue.
//!
//! # Overview
//! FAST compares the RTT with the smallest one observed, and moves the window towards the value at which the
//! flow queues `alpha` packets. It needs no losses; a loss halves the window.
//!
//! # The rule
//! Four independent components:
//!
//! *Estimation*: `rtt` is a moving average; `base_rtt` is the smallest RTT of the connection and is never
//! reset; `w'` is the window at which the acknowledged packet was sent.
//!
//! *Window control*: `w = min(2w, (1 - gamma) w + gamma (base_rtt/rtt w' + alpha))`, at least 2, in every
//! `update_rounds`-th round trip. While the average is less than `mi_threshold_s` above `base_rtt`, each
//! acknowledged segment adds one, so that the window doubles in each round trip. With `gamma` 1,
//! `update_rounds` 1, `mi_threshold_s` 0 and the variant `paper` this is `w = base_rtt/rtt w + alpha`.
//!
//! *Data and loss control*: the transport decides which packet to send or to send again. A loss sets `w =
//! w/2`, a time-out `w = 2`; the window is constant during recovery.
//!
//! *Burstiness control*: `spread` releases an increase over the ACKs up to the next update, on paths of at
//! least 4 ms; `none` releases it at once; `pace` spreads it too, and paces packets at 1.2 windows per
//! `srtt`, or 2 while the window doubles, so that the window remains the limit.
//!
//! # Differences from the paper
//! NOTE(Wei, Jin, Low, Hegde 2006): `paper`, the default, applies the equation once in an updating round
//! trip, with samples weighted by min(3/w, 1/4). Doubling is its slow start. It ends permanently when the
//! average first shows queueing, or at the first loss, and restarts only after a time-out.
//!
//! NOTE(Wei, Jin, Low, Hegde 2006): `simple` uses the clock and the average of the ns-2 agent: an update
//! every 10 ms of an updating round trip, and samples weighted by 1/max(256, w/3). It doubles whenever the
//! queue is empty, however often, as the agent does. If the overshoot of doubling overflows the buffer (1
//! Gbit/s, 100 ms, a tenth of that in buffer: 20 % utilisation, 6 % loss), neither `simple` nor the agent
//! settles; `paper` does. `w'` is interpolated between the windows at the starts of the last two round trips.
//! After a time-out the average restarts, so that the window doubles at once.
//!
//! NOTE(Wei, Jin, Low, Hegde 2006): `ns2` is the ns-2 agent, ACK by ACK. `w'` is the flight when the packet
//! left. Packets sent during a recovery count as sent before it, so that the window returns to its earlier
//! value. Increases are released segment by segment, fractions of a segment are dropped, and round trips
//! follow the clock. To reproduce the agent's figures, the transport must also use its recovery (`recovery =
//! "sack1"`).
//!
//! NOTE(ns-2 FAST agent 1.1.3): the agent's dead band between `alpha` and `beta` is not implemented, because
//! the two are equal by default. In no variant does `ssthresh` end doubling. `base_rtt` is that of the
//! connection, including the handshake, as in the agent: with `alpha` 100 it settles at 97 packets, which
//! would be too few by RTTs of data.
//!
//! # When to use it
//! As the delay-driven algorithm: full use of a path with a queue of `alpha` packets per flow, if the buffer
//! is large enough. Use `paper` for the authors' claims, `ns2` beside results of that agent, and `simple` for
//! MesoNet's form, which the NIST experiments used.
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

headgate_model::choices! {
    /// The forms of FAST.
    pub enum Variant {
        /// Wei, Jin, Low, Hegde 2006: the equation once in an updating round trip.
        Paper = "paper",
        /// The equation with the clock and the average of the ns-2 agent.
        Simple = "simple",
        /// The ns-2 FAST agent 1.1.3.
        Ns2 = "ns2",
    }
}

headgate_model::choices! {
    /// How an increase of the window is released.
    pub enum Burstiness {
        /// Over the ACKs up to the next update, on paths of at least 4 ms.
        Spread = "spread",
        /// At once.
        None = "none",
        /// As `Spread`, with packets paced.
        Pace = "pace",
    }
}

headgate_model::params! {
    /// Packets that a flow keeps in the queue.
    alpha: number(100.0, (1.0, 100000.0), "segments", "ns-2 FAST agent 1.1.3"),
    /// Fraction of the distance to its target by which an update moves the window.
    gamma: number(0.5, (0.01, 1.0), "1", "Jin, Wei, Low 2004"),
    /// Queueing delay below which the window doubles each round trip; 0 = never.
    mi_threshold_s: number(0.00075, (0.0, 1.0), "s", "ns-2 FAST agent 1.1.3"),
    /// Round trips per update of the window.
    update_rounds: number(2.0, (1.0, 16.0), "round trips", "ns-2 FAST agent 1.1.3"),
    /// The form: the paper's, whose doubling ends; one with the agent's clock and repeated doubling; the
    /// agent ACK by ACK.
    variant: choice(Variant, "Wei et al. 2006, recalled, not verified; ns-2 FAST agent 1.1.3"),
    /// Burstiness control: an increase is spread over ACKs, released at once, or spread with packets paced.
    burstiness: choice(Burstiness, "ns-2 FAST agent 1.1.3; Linux tcp_input.c"),
}

pub(crate) const CARD: Card = Card {
    name: "fast",
    title: "FAST TCP",
    aliases: &[],
    family: "delay",
    rule: "w = min(2w, (1-gamma) w + gamma (base_rtt/rtt w + alpha)) every other RTT; w *= 1/2 on loss",
    response: "alpha packets queued per flow: rate = alpha / queueing delay",
    references: &["Jin, Wei, Low 2004", "Wei, Jin, Low, Hegde 2006"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 2.0;

/// Smallest base RTT at which increases are spread over ACKs, seconds.
const SPREAD_RTT_S: f64 = 0.004;

/// Shortest time between updates of the ns-2 agent, seconds.
const CLOCK_S: f64 = 0.010;

/// Pacing rates in windows per RTT: while the window doubles, and otherwise.
const PACE_GAINS: (f64, f64) = (2.0, 1.2);

impl Burstiness {
    fn spreads(self, base_rtt_s: f64) -> bool {
        self != Self::None && base_rtt_s >= SPREAD_RTT_S
    }

    /// Sets the pacing rate, if packets are paced.
    fn pace(self, doubles: bool, path: &Path, window: &mut Window) {
        if self == Self::Pace && path.srtt_s > 0.0 {
            let gain = if doubles { PACE_GAINS.0 } else { PACE_GAINS.1 };
            window.pace = gain * window.cwnd / path.srtt_s;
        }
    }
}

/// The target of the window.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Goal {
    alpha: f64,
    gamma: f64,
}

impl Goal {
    /// Applies the equation: returns the window after `cwnd`, if it was `then` when the acknowledged packet
    /// left, and `ratio` is `base_rtt/rtt`.
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
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(match params.variant {
            Variant::Ns2 => Form::Agent(Box::new(Agent::new(&params))),
            _ => Form::Equation(Equation::new(&params)),
        })
    }

    /// Sets the number of queued packets from the next update on.
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
