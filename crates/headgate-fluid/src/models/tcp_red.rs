//! TCP over RED: one sender and one link, as in a mathematical model of 2016.
//!
//! # Overview
//! The sender's window `W` grows with what is acknowledged and shrinks with what is dropped, one round trip
//! late; RED drops by the moving average `x` of the queue `q`. The system oscillates, as the study `tcp-red`
//! shows.
//!
//! # The equations
//! `R = D + q/C`, `S = W/R`, `q' = S - C` with `q` bounded by `[0, Qmax]`, `x' = ln(1 - alpha)/delta (x -
//! q)`, `p = (x - Tmin)/(Tmax - Tmin)` bounded by `[0, 1]`. A reply that returns at `t` answers what was sent
//! at `s` with `s + R(s) = t`; ACKs return at the rate `a(t) = min(C, S(s))`, and none returns before the end
//! of the first round trip. With `p_s = p(s)`: in slow start, `W < SST`, `W' = a (1 - p_s) - beta W p_s a`;
//! above, `W' = a (1 - p_s)/W - beta W p_s a`.
//!
//! # Differences from the source
//! NOTE(TCP reloaded part 5, 2016): the source gives figures and rows of its results, not the equations. They
//! are reconstructed from the rows, whose program uses Euler steps of 0.02 s, looks up whole rows of the past
//! and receives its first ACK after half a round trip. The settings `euler`, a step of 0.02 s, `rows`,
//! `p_lag_s = 0.02` and `first_ack_s = 0.1` reproduce the printed rows at the printed times. The equations
//! themselves are solved without such a lag, and ACKs begin at the end of the first round trip. `red = queue`
//! is the source's second simulation. `increase = round` is a remedy that it names: one packet per round
//! trip at any rate of ACKs, so `W' = (1 - p_s)/R - ...`.
//!
//! # When to use it
//! To see how delay and averaging make TCP over RED oscillate. One sender without time-outs is not a network.
//!
//! # References
//! "TCP reloaded (part 5)", 29 May 2016; Misra, Gong, Towsley 2000 (the family of models); Floyd, Jacobson
//! 1993 (RED).

use headgate_model::params::Card;

use crate::history::Moment;
use crate::model::{Class, Link, LinkConstants, Model, Now};
use crate::past::Past;

headgate_model::choices! {
    /// The queue length from which RED computes its probability.
    pub enum RedQueue {
        /// The moving average.
        Mean = "mean",
        /// The present queue.
        Queue = "queue",
    }
}

headgate_model::choices! {
    /// The unit of time of additive increase.
    pub enum Increase {
        /// ACKs.
        Ack = "ack",
        /// Round trips.
        Round = "round",
    }
}

headgate_model::params! {
    /// Window at the start.
    initial_window: number(2.0, (1.0, 1e6), "packets", "TCP reloaded 5: W0"),
    /// Slow-start threshold.
    ssthresh: number(10.0, (1.0, 1e9), "packets", "TCP reloaded 5: SST"),
    /// Rate of the link.
    rate_packets_s: number(30.0, (1e-3, 1e12), "packets/s", "TCP reloaded 5: C"),
    /// Round trip without queues.
    rtt_s: number(0.2, (1e-6, 1e3), "s", "TCP reloaded 5: D"),
    /// Buffer.
    buffer_packets: number(80.0, (1.0, 1e12), "packets", "TCP reloaded 5: Qmax"),
    /// Fraction by which a loss reduces the window.
    beta: number(0.5, (0.0, 1.0), "1", "TCP reloaded 5"),
    /// Weight of a sample in the moving average of the queue.
    alpha: number(1e-4, (1e-12, 0.999_999), "1", "TCP reloaded 5"),
    /// Time between two samples of the queue.
    delta_s: number(0.000266, (1e-12, 1e3), "s", "TCP reloaded 5: delta"),
    /// Queue length at which drops begin.
    min_packets: number(20.0, (0.0, 1e12), "packets", "TCP reloaded 5: Tmin; 13.26 in its simulation 2"),
    /// Queue length from which every packet is dropped.
    max_packets: number(60.0, (0.0, 1e12), "packets", "TCP reloaded 5: Tmax", at_least ["min_packets"]),
    /// Input of the drop probability: the moving average, or the present queue.
    red: choice(RedQueue, "TCP reloaded 5: simulations 1 and 2"),
    /// Unit of time of congestion avoidance: an ACK, or a round trip.
    increase: choice(Increase, "TCP reloaded 5, last remedy; Alizadeh 2010 (DCTCP)"),
    /// Delay from the queue to the drop probability; 0 = none. One step of an Euler run.
    p_lag_s: number(0.0, (0.0, 1e3), "s", "TCP reloaded 5: its program lags by one row of 0.02 s"),
    /// Time of the first ACK; 0 = at the end of the first round trip. The reply to what was sent before time
    /// 0 is that of the initial window.
    first_ack_s: number(0.0, (0.0, 1e3), "s", "INFERRED: the rows of TCP reloaded 5 fit D/2 alone"),
    /// Size of a packet, for rates in bit/s.
    packet_bytes: number(1500.0, (1.0, 65535.0), "bytes", "free: the model counts packets"),
}

pub const CARD: Card = Card {
    name: "tcp-red",
    title: "TCP over RED, one class",
    aliases: &[],
    family: "loss",
    rule: "W' = a (1 - p)/W - beta W p a; q' = W/R - C; x' = ln(1 - alpha)/delta (x - q)",
    response: "W = ((1 - p)/(beta p))^0.5",
    references: &["TCP reloaded (part 5), 2016", "Misra, Gong, Towsley 2000", "Floyd, Jacobson 1993"],
    params: Params::TABLE,
};

/// Indices in the state.
const W: usize = 0;
const Q: usize = 1;
const X: usize = 2;
const P: usize = 3;

/// The only lag: the sending time of the reply that returns now.
const SENT: usize = 0;

/// Switches at which a slope jumps: ACKs have begun to return; the window is above its threshold, or held
/// there; there is a queue; the buffer is full.
const BEGUN: usize = 0;
const ABOVE: usize = 1;
const HELD: usize = 2;
const BUSY: usize = 3;
const FULL: usize = 4;
/// Switches at which a slope only bends: RED's profile, and the rate of ACKs.
const ABOVE_MIN: usize = 5;
const ABOVE_MAX: usize = 6;
const LIMITED: usize = 7;

/// Relative hysteresis of a level: a quantity that stays at one (in equilibrium S = C) would otherwise cross
/// it repeatedly by rounding. A window that reaches its threshold is above it at once.
const BAND: f64 = 1e-9;

pub struct TcpRed {
    params: Params,
    /// The decay rate of the moving average, 1/s.
    forgets: f64,
}

impl TcpRed {
    pub fn new(params: Params) -> Self {
        Self { forgets: -libm::log1p(-params.alpha) / params.delta_s, params }
    }

    fn rtt_s(&self, queue: f64) -> f64 {
        self.params.rtt_s + queue / self.params.rate_packets_s
    }

    fn rate(&self, window: f64, queue: f64) -> f64 {
        window / self.rtt_s(queue)
    }

    /// The queue length that RED uses.
    fn seen(&self, queue: f64, mean: f64) -> f64 {
        match self.params.red {
            RedQueue::Mean => mean,
            RedQueue::Queue => queue,
        }
    }

    /// RED's drop probability.
    fn profile(&self, seen: f64) -> f64 {
        let Params { min_packets, max_packets, .. } = self.params;
        if seen > max_packets {
            return 1.0;
        }
        if seen <= min_packets { 0.0 } else { (seen - min_packets) / (max_packets - min_packets) }
    }

    fn lags_p(&self) -> bool {
        self.params.p_lag_s > 0.0
    }

    fn drop_probability(&self, value: impl Fn(usize) -> f64) -> f64 {
        if self.lags_p() { value(P) } else { self.profile(self.seen(value(Q), value(X))) }
    }

    fn sent<'a>(&self, now: &Now<'_>, past: &mut Past<'a>) -> Moment<'a> {
        past.sent(SENT, now.t_s, &|moment| self.rtt_s(moment.value(Q)))
    }

    /// Time since the first ACK.
    fn acks_begun(&self, now: &Now<'_>, sent: &Moment<'_>) -> f64 {
        let first_ack_s = self.params.first_ack_s;
        if first_ack_s > 0.0 { now.t_s - first_ack_s } else { sent.t_s }
    }

    /// The slopes of the window in slow start and in congestion avoidance.
    fn window_slopes(&self, now: &Now<'_>, sent: &Moment<'_>) -> (f64, f64) {
        let window = now.state[W];
        let acks = self.rate(sent.value(W), sent.value(Q)).min(self.params.rate_packets_s);
        let p = self.drop_probability(|index| sent.value(index));
        let growth = match self.params.increase {
            Increase::Ack => acks / window,
            Increase::Round => 1.0 / self.rtt_s(now.state[Q]),
        };
        let loss = self.params.beta * window * p * acks;
        (acks * (1.0 - p) - loss, growth * (1.0 - p) - loss)
    }

    fn window_slope(&self, now: &Now<'_>, sent: &Moment<'_>) -> f64 {
        let (start, avoidance) = self.window_slopes(now, sent);
        match (now.sides[BEGUN], now.sides[ABOVE], now.sides[HELD]) {
            (false, ..) | (true, true, true) => 0.0,
            (true, false, _) => start,
            (true, true, false) => avoidance,
        }
    }

    /// The gap functions of "above the threshold" and "held there"; see the head of the file.
    fn threshold_gaps(&self, now: &Now<'_>, sent: &Moment<'_>) -> (f64, f64) {
        let (start, avoidance) = self.window_slopes(now, sent);
        let (window, ssthresh) = (now.state[W], self.params.ssthresh);
        match (now.sides[ABOVE], now.sides[HELD]) {
            (false, _) => (window - ssthresh, -1.0),
            (true, false) => (1.0, ssthresh * (1.0 - BAND) - window),
            (true, true) => (start, -avoidance),
        }
    }

    fn queue_slope(&self, now: &Now<'_>) -> f64 {
        let free = !now.sides[FULL] && now.sides[BUSY];
        if free { self.rate(now.state[W], now.state[Q]) - self.params.rate_packets_s } else { 0.0 }
    }
}

impl Model for TcpRed {
    fn dimension(&self) -> usize {
        if self.lags_p() { 4 } else { 3 }
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        if index == W { self.params.initial_window } else { 0.0 }
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        slope[W] = self.window_slope(now, &self.sent(now, past));
        slope[Q] = self.queue_slope(now);
        slope[X] = self.forgets * (now.state[Q] - now.state[X]);
        if self.lags_p() {
            let profile = self.profile(self.seen(now.state[Q], now.state[X]));
            slope[P] = (profile - now.state[P]) / self.params.p_lag_s;
        }
    }

    fn lags(&self) -> usize {
        1
    }

    fn switches(&self) -> usize {
        8
    }

    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        let (window, queue) = (now.state[W], now.state[Q]);
        let Params { rate_packets_s, buffer_packets, min_packets, max_packets, .. } = self.params;
        let sent = self.sent(now, past);
        let growing = self.rate(window, queue) - rate_packets_s;
        let seen = self.seen(queue, now.state[X]);
        gaps[BEGUN] = self.acks_begun(now, &sent);
        (gaps[ABOVE], gaps[HELD]) = self.threshold_gaps(now, &sent);
        gaps[BUSY] = if now.sides[BUSY] { queue } else { growing };
        gaps[FULL] = if now.sides[FULL] { growing } else { queue - buffer_packets };
        let beyond = |switch: usize, value: f64, level: f64| {
            value - level + if now.sides[switch] { BAND } else { -BAND } * level.max(1.0)
        };
        gaps[ABOVE_MIN] = beyond(ABOVE_MIN, seen, min_packets);
        gaps[ABOVE_MAX] = beyond(ABOVE_MAX, seen, max_packets);
        gaps[LIMITED] = beyond(LIMITED, self.rate(sent.value(W), sent.value(Q)), rate_packets_s);
    }

    fn edge(&self, state: &mut [f64], switch: usize, side: bool) {
        match (switch, side) {
            (BUSY, false) => state[Q] = 0.0,
            (FULL, true) => state[Q] = self.params.buffer_packets,
            _ => (),
        }
    }

    fn confine(&self, state: &mut [f64]) {
        state[Q] = state[Q].clamp(0.0, self.params.buffer_packets);
        state[W] = state[W].max(0.0);
    }

    fn classes(&self) -> usize {
        1
    }

    fn links(&self) -> usize {
        1
    }

    fn class(&self, state: &[f64], _index: usize) -> Class {
        let (window_packets, rtt_s) = (state[W], self.rtt_s(state[Q]));
        Class { window_packets, rtt_s, rate_packets_s: window_packets / rtt_s }
    }

    fn link(&self, state: &[f64], _index: usize) -> Link {
        Link {
            queue_packets: state[Q],
            mean_queue_packets: state[X],
            drop_probability: self.drop_probability(|index| state[index]).clamp(0.0, 1.0),
            arrival_packets_s: self.rate(state[W], state[Q]),
        }
    }

    fn link_constants(&self, _index: usize) -> LinkConstants {
        LinkConstants {
            rate_packets_s: self.params.rate_packets_s,
            buffer_packets: self.params.buffer_packets,
            delay_s: self.params.rtt_s / 2.0,
        }
    }

    fn packet_bytes(&self) -> f64 {
        self.params.packet_bytes
    }
}
