//! XCP: every router computes by how much every flow changes its rate.
//!
//! # Overview
//! A packet carries its flow's window and RTT; routers write the change of the flow's rate into it. One
//! controller determines the sum of all changes, so that the line fills and the queue empties. Another
//! divides the sum: an increase equally among flows, a decrease in proportion to their rates.
//!
//! # The rule
//! Once per mean RTT `d`: `F = alpha (C - y) - beta Q/d`; `y` is the rate of arrivals, `Q` the queue that
//! never left. In addition `h = max(0, gamma y - |F|)` is moved between flows. A packet that reports `X =
//! rtt/cwnd` gets `(h + max(F, 0)) X / sum X - (h + max(-F, 0)) size/(y d)`; a lower value of another router
//! stays. The sender adds `change rtt / size` segments to its window.
//!
//! # Differences from the paper
//! NOTE(Katabi, Handley, Rohrs 2002): `form = draft` follows the code of ns-2.35, which is the pseudocode of
//! draft-falk-xcp-spec: rates in the header instead of windows, and the queue's minimum over half a round
//! trip. `paper` uses the minimum over a whole one, and charges reductions by other routers as in the paper's
//! appendix.
//!
//! NOTE(ns-2.35 xcp/xcpq.cc): timers start equally at all ports; ns-2 draws the start times
//! (`first_interval`).
//!
//! A lost segment halves the window, and feedback continues. On a path without a router that answers, a flow
//! behaves as `reno`. The sender requests as much as it can get.
//!
//! # When to use it
//! To study full utilisation without loss and queues, and the cost for short flows.
//!
//! # References
//! Katabi, Handley, Rohrs 2002; draft-falk-xcp-spec; ns-2.35 `xcp/`.

use headgate_model::feedback::Words;

/// The words of the header.
pub mod word {
    /// Mean time between the flow's packets, RTT/cwnd, seconds.
    pub const SPACING: usize = 0;
    /// The sender's RTT, seconds; 0 if it has none.
    pub const RTT: usize = 1;
    /// The change of rate, bytes/s; infinite in the request.
    pub const CHANGE: usize = 2;
}

/// Merges two headers: both changes count.
pub fn fold(older: &Words, newer: &Words) -> Words {
    let mut words = *newer;
    words[word::CHANGE] += older[word::CHANGE];
    words
}

/// The router's part: each packet's share of the change.
pub mod router {
    use super::word;
    use headgate_model::chance::Stream;
    use headgate_model::feedback::{Feedback, PassingPacket, Words};
    use headgate_model::params::Card;
    use headgate_model::queue::Backlog;
    use headgate_model::units::{Time, picoseconds};

    headgate_model::choices! {
        /// The length of the first interval.
        pub enum FirstInterval {
            /// Equal to all others.
            Whole = "whole",
            /// Drawn around the others for each port.
            Drawn = "drawn",
        }
    }

    headgate_model::choices! {
        /// The texts that the router can follow.
        pub enum Form {
            /// The draft, as ns-2.35 `xcp/` implements it.
            Draft = "draft",
            /// Katabi et al. 2002.
            Paper = "paper",
        }
    }

    headgate_model::params! {
        /// Gain of the spare capacity.
        alpha: number(0.4, (0.0, 10.0), "1", "Katabi et al. 2002"),
        /// Gain of the queue.
        beta: number(0.226, (0.0, 10.0), "1", "Katabi et al. 2002"),
        /// Share of the traffic that is moved between flows.
        gamma: number(0.1, (0.0, 1.0), "1", "Katabi et al. 2002"),
        /// RTT assumed if no packet reports one.
        start_rtt_s: number(0.05, (1e-3, 1.0), "s", "ns-2.35 xcp/xcpq.h"),
        /// Longest RTT that is used.
        most_rtt_s: number(1.0, (1e-3, 100.0), "s", "ns-2.35 xcp/xcpq.cc", at_least ["start_rtt_s"]),
        /// First duration of the timers: that of the assumed RTT, or drawn around that for each port, so that
        /// no two routers are synchronised. Only with `whole` do the two directions of equal traffic mirror
        /// each other.
        first_interval: choice(FirstInterval, "derived; ns-2.35 xcp/xcpq.cc"),
        /// Which text is followed; the charge of `paper` for reductions by other routers is recalled, not
        /// verified.
        form: choice(Form, "ns-2.35 xcp/; Katabi et al. 2002"),
    }

    pub(crate) const CARD: Card = Card {
        name: "xcp",
        title: "XCP router",
        aliases: &[],
        family: "rate",
        rule: "F = alpha (C - y) - beta Q/d, shared by X and size",
        response: "y = C, Q = 0",
        references: &["Katabi, Handley, Rohrs 2002"],
        params: Params::TABLE,
    };

    /// Shortest time between estimates, and between samples of the queue, seconds (ns-2.35).
    const SHORTEST_S: f64 = 1e-3;
    const SHORTEST_QUEUE_S: f64 = 2e-3;
    /// Shortest first duration of the timers, seconds (ns-2.35).
    const FIRST_S: f64 = 4e-3;

    /// The change that is still to be distributed before the next estimate, bytes/s.
    #[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
    struct Budget {
        gain: f64,
        cut: f64,
    }

    /// The router at one port.
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Router {
        params: Params,
        /// Mean RTT, seconds.
        rtt_s: f64,
        /// Length of this interval, seconds, and its end.
        span_s: f64,
        ends: Time,
        /// Time of the next sample of the queue's minimum, and the minimum since the last one.
        looks: Time,
        least_bytes: f64,
        queue_bytes: f64,
        /// Within this interval: bytes that arrived, and the sums of X and of X RTT.
        bytes: f64,
        spacing: f64,
        spacing_rtt: f64,
        /// The sum of changes, bytes/s; the rest of it; the changes per second of X and per byte.
        wanted: f64,
        budget: Budget,
        gain_rate: f64,
        cut_rate: f64,
    }

    impl Router {
        /// Creates a router in its initial state.
        pub fn new(params: Params, _line_bytes_s: f64, mut chance: Stream) -> Self {
            let span_s = params.start_rtt_s;
            let drawn = params.first_interval == FirstInterval::Drawn;
            let mut first = || {
                let off = if drawn { 0.2 * chance.normal() } else { 0.0 };
                picoseconds((span_s * (1.0 + off)).max(FIRST_S))
            };
            Self {
                params,
                rtt_s: span_s,
                span_s,
                looks: first(),
                ends: first(),
                least_bytes: 0.0,
                queue_bytes: 0.0,
                bytes: 0.0,
                spacing: 0.0,
                spacing_rtt: 0.0,
                wanted: 0.0,
                budget: Budget::default(),
                gain_rate: 0.0,
                cut_rate: 0.0,
            }
        }

        fn is_paper(&self) -> bool {
            self.params.form == Form::Paper
        }

        /// The efficiency controller.
        fn decide(&mut self, line_bytes_s: f64) {
            let Params { alpha, beta, gamma, start_rtt_s, .. } = self.params;
            let told = self.spacing > 0.0;
            self.rtt_s = if told { self.spacing_rtt / self.spacing } else { start_rtt_s };
            (self.wanted, self.budget, self.gain_rate, self.cut_rate) = (0.0, Budget::default(), 0.0, 0.0);
            if self.bytes > 0.0 {
                let arrivals = self.bytes / self.span_s;
                self.wanted = alpha * (line_bytes_s - arrivals) - beta * self.queue_bytes / self.rtt_s;
                let moved = (gamma * arrivals - self.wanted.abs()).max(0.0);
                self.budget.gain = self.wanted.max(0.0) + moved;
                self.budget.cut = (-self.wanted).max(0.0) + moved;
                self.gain_rate = self.budget.gain / if told { self.spacing } else { 1.0 };
                self.cut_rate = self.budget.cut / self.bytes;
            }
        }

        fn begin_interval(&mut self) {
            (self.bytes, self.spacing, self.spacing_rtt) = (0.0, 0.0, 0.0);
            self.span_s = self.rtt_s.max(SHORTEST_S);
            self.ends += picoseconds(self.span_s);
        }

        fn look(&mut self, port: &Backlog) {
            self.queue_bytes = if port.present > 0.0 { self.least_bytes } else { 0.0 };
            self.least_bytes = port.held_bytes;
            let empty_s = self.rtt_s - port.held_bytes / port.rate_bytes_s;
            let span_s = if self.is_paper() { empty_s } else { empty_s / 2.0 };
            self.looks += picoseconds(span_s.max(SHORTEST_QUEUE_S));
        }

        /// The fairness controller: determines the change of one packet's flow.
        fn share(&mut self, words: &mut Words, size: f64) {
            let gain = (self.gain_rate * words[word::SPACING]).min(self.budget.gain);
            let cut = (self.cut_rate * size).min(self.budget.cut);
            let told = words[word::CHANGE];
            if told >= gain - cut {
                words[word::CHANGE] = gain - cut;
                self.charge(gain, cut);
            } else if self.is_paper() {
                self.charge_as_paper(told, gain - cut);
            } else {
                // another router has already reduced the rate: the reduction counts here, or the increase is
                // smaller
                let cut = (gain - told).min(self.budget.cut);
                self.charge(told + cut, cut);
            }
        }

        fn charge_as_paper(&mut self, told: f64, here: f64) {
            if told > 0.0 {
                self.charge(told, here - told);
            } else {
                self.charge(0.0, here.max(0.0) - told);
            }
        }

        /// A budget that is used up must not become positive again by rounding.
        fn charge(&mut self, gain: f64, cut: f64) {
            self.budget.gain = (self.budget.gain - gain).max(0.0);
            self.budget.cut = (self.budget.cut - cut).max(0.0);
            self.gain_rate = if self.budget.gain > 0.0 { self.gain_rate } else { 0.0 };
            self.cut_rate = if self.budget.cut > 0.0 { self.cut_rate } else { 0.0 };
        }
    }

    impl Feedback for Router {
        fn on_arrival(&mut self, packet: &PassingPacket, header: Option<&Words>, port: &Backlog) {
            self.bytes += f64::from(packet.size_bytes);
            if port.present <= 0.0 {
                self.least_bytes = 0.0;
            }
            if let Some(words) = header.filter(|words| words[word::RTT] > 0.0) {
                self.spacing += words[word::SPACING];
                self.spacing_rtt += words[word::SPACING] * words[word::RTT].min(self.params.most_rtt_s);
            }
        }

        fn on_departure(&mut self, packet: &PassingPacket, header: Option<&mut Words>, port: &Backlog) {
            let size = f64::from(packet.size_bytes);
            self.least_bytes = self.least_bytes.min(port.held_bytes + size); // it waited until now
            match header {
                Some(words) if words[word::RTT] > 0.0 => self.share(words, size),
                Some(words) => words[word::CHANGE] = 0.0,
                None => {}
            }
        }

        fn next_tick(&self) -> Time {
            self.ends.min(self.looks)
        }

        fn on_tick(&mut self, port: &Backlog) {
            if self.looks <= self.ends {
                self.look(port);
            } else {
                self.decide(port.rate_bytes_s);
                self.begin_interval();
            }
        }

        fn gauge(&self) -> Option<(&'static str, f64)> {
            Some(("change", self.wanted * 8.0))
        }
    }
}

/// The sender's part: it applies the change that the routers allow.
pub mod sender {
    use super::word;
    use crate::control::reno;
    use crate::scheme::Index;
    use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
    use headgate_model::feedback::Words;
    use headgate_model::params::Card;

    headgate_model::params! {
        /// The price that the flow pays: flows share a bottleneck in this proportion.
        price: number(1.0, (1e-3, 1e3), "1", "Katabi et al. 2002 (prices); that X takes it is derived"),
    }

    pub(crate) const CARD: Card = Card {
        name: "xcp",
        title: "XCP",
        aliases: &[],
        family: "explicit",
        rule: "cwnd += change srtt/size per ACK; cwnd *= 1/2 on loss",
        response: "rate = C/N",
        references: &["Katabi, Handley, Rohrs 2002"],
        params: Params::TABLE,
    };

    /// One flow's XCP.
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Sender {
        price: f64,
        /// Whether a router has written into the last header. If none has, the flow is Reno.
        answered: bool,
        /// Whether the window goes to `ssthresh` when all lost segments are repaired.
        repairs: bool,
    }

    impl Sender {
        /// Creates a flow in its initial state.
        pub fn new(params: Params) -> Self {
            Self { price: params.price, answered: false, repairs: false }
        }
    }

    impl Controller for Sender {
        fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
            if !self.answered {
                reno::grow(ack, window);
            }
        }

        fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
            self.repairs = event.cause != headgate_model::control::Cause::Timeout;
            reno::halve(event.in_flight, window);
        }

        fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {
            self.repairs = false;
        }

        fn scheme(&self) -> Option<u8> {
            Some(Index::Xcp as u8)
        }

        fn header(&mut self, path: &Path, window: &Window) -> Words {
            let mut words = Words::default();
            // increases are proportional to X, decreases to the rate: a flow that reports a larger X gets a
            // larger share
            words[word::SPACING] = self.price * path.srtt_s / window.cwnd;
            words[word::RTT] = path.srtt_s;
            words[word::CHANGE] = f64::INFINITY;
            words
        }

        fn on_header(&mut self, header: &Words, _now_s: f64, path: &Path, window: &mut Window) {
            self.answered = header[word::CHANGE].is_finite();
            if self.answered {
                let step = header[word::CHANGE] * path.srtt_s / f64::from(path.segment_bytes);
                window.cwnd = (window.cwnd + step).max(1.0);
                if self.repairs {
                    window.ssthresh = (window.ssthresh + step).max(1.0);
                }
            }
        }
    }
}
