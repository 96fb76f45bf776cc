//! RCP: every router assigns the same rate to all flows.
//!
//! # Overview
//! A flow's first packet requests a rate and receives, within a round trip, the smallest rate of the routers
//! on its path. The flow then sends at that rate, which every later packet renews. Routers choose the rate
//! that would fill the line and empty the queue if all flows obeyed: an approximation of processor sharing. A
//! flow that sends less than a packet per RTT requests a new rate in between, with empty packets.
//!
//! # The rule
//! `R <- R (1 + (T/d) (alpha (gamma C - y) - beta q/d) / (gamma C))` every `T = min(10 ms, d)`; `y` is the
//! rate of arrivals, `q` the queue, `d` the mean RTT of the packets. `R` stays between a hundredth of a
//! packet per RTT and `gamma C`. A sender paces at the smallest `R` of its path, without a window.
//!
//! # Differences from the paper
//! NOTE(Dukkipati, McKeown 2006): the form is that of the authors' ns-2 code, which bounds `R` and measures
//! `d` as below.
//!
//! NOTE(Dukkipati's ns-2 code): the transport's recovery detects and repairs losses; the code uses a time-out
//! after the last packet. A SYN is repeated every 0.5 s only if the transport is set so (`syn_timeout`,
//! `syn_backoff`).
//!
//! NOTE(Dukkipati's ns-2 code): the first intervals are equal at all ports; the code draws them
//! (`first_interval`).
//!
//! On a path without a router that answers, a flow behaves as `reno`.
//!
//! # When to use it
//! To study explicit rates with short flows, and the effect of a wrong initial rate on queues.
//!
//! # References
//! Dukkipati, Kobayashi, Zhang-Shen, McKeown 2005; Dukkipati, McKeown 2006; their ns-2 code of 2006.

use headgate_model::feedback::Words;

/// The words of the header.
pub mod word {
    /// The smallest rate so far, bytes/s; infinite in the request.
    pub const RATE: usize = 0;
    /// The sender's RTT, seconds; 0 if it has none.
    pub const RTT: usize = 1;
}

/// Returns the newer header, whose rate counts.
pub fn fold(_older: &Words, newer: &Words) -> Words {
    *newer
}

/// The router's part: one rate for all flows.
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
        /// The packets that make up the queue.
        pub enum QueueScope {
            /// Those that wait (Dukkipati's ns-2 code).
            Waiting = "waiting",
            /// Those that wait and the one in service (Dukkipati, McKeown 2006).
            Present = "present",
        }
    }

    headgate_model::params! {
        /// Gain of the spare capacity.
        alpha: number(0.4, (0.0, 10.0), "1", "Dukkipati's ns-2 code; the run of figure 6 has 0.1"),
        /// Gain of the queue.
        beta: number(0.4, (0.0, 10.0), "1", "Dukkipati's ns-2 code; the run of figure 6 has 1"),
        /// Target utilisation of the line.
        gamma: number(1.0, (0.01, 1.0), "1", "Dukkipati's ns-2 code"),
        /// Longest time between updates.
        period_s: number(0.01, (1e-6, 10.0), "s", "Dukkipati's ns-2 code"),
        /// Rate at the start, as a share of the line.
        start: number(0.05, (1e-9, 1.0), "1", "Dukkipati's ns-2 code"),
        /// RTT assumed at the start.
        start_rtt_s: number(0.2, (1e-6, 100.0), "s", "Dukkipati's ns-2 code"),
        /// Length of the first interval: as the others, or drawn around that for each port, so that no two
        /// routers are synchronised. Only with `whole` do the two directions of equal traffic mirror each
        /// other.
        first_interval: choice(FirstInterval, "derived; Dukkipati's ns-2 code"),
        /// Whether the packet in service belongs to the queue.
        queue: choice(QueueScope, "Dukkipati's ns-2 code; Dukkipati, McKeown 2006"),
        /// Smallest rate, packets of 1000 bytes per RTT; a rate of zero would never recover.
        least: number(0.01, (1e-6, 100.0), "packets/RTT", "Dukkipati's ns-2 code; 0.1 in the NetFPGA's"),
    }

    pub(crate) const CARD: Card = Card {
        name: "rcp",
        title: "RCP router",
        aliases: &[],
        family: "rate",
        rule: "R <- R (1 + T/d (alpha (gamma C - y) - beta q/d)/(gamma C))",
        response: "R = C/N",
        references: &["Dukkipati, McKeown 2006"],
        params: Params::TABLE,
    };

    /// The shortest time between updates, seconds, for paths with a tiny RTT.
    const SHORTEST_S: f64 = 1e-5;

    /// Size of the packets in which the smallest rate is counted, bytes.
    const LEAST_BYTES: f64 = 1000.0;

    /// The router at one port.
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Router {
        params: Params,
        rate_bytes_s: f64,
        /// Mean RTT, seconds.
        rtt_s: f64,
        /// Length of this interval, seconds, and its end.
        span_s: f64,
        ends: Time,
        /// Bytes that arrived in the interval, and those that belong to the next one.
        bytes: f64,
        spill: f64,
        /// For packets with an RTT: bytes, and the sum of RTT times bytes.
        known_bytes: f64,
        rtt_bytes: f64,
    }

    impl Router {
        /// Creates a router in its initial state.
        pub fn new(params: Params, line_bytes_s: f64, mut chance: Stream) -> Self {
            let span_s = params.period_s.min(params.start_rtt_s);
            let off = if params.first_interval == FirstInterval::Drawn { 0.2 * chance.normal() } else { 0.0 };
            let first_s = span_s * (1.0 + off).max(0.0);
            Self {
                params,
                rate_bytes_s: params.start * line_bytes_s,
                rtt_s: params.start_rtt_s,
                span_s,
                ends: picoseconds(first_s),
                bytes: 0.0,
                spill: 0.0,
                known_bytes: 0.0,
                rtt_bytes: 0.0,
            }
        }

        /// Updates the mean RTT. It rises fast, and falls the more slowly the fewer flows there are.
        fn learn_rtt(&mut self, line_bytes_s: f64) {
            if self.known_bytes <= 0.0 {
                return;
            }
            let sample_s = self.rtt_bytes / self.known_bytes;
            let mut gain = (self.span_s / self.rtt_s).min(1.0); // an RTT may be below the shortest interval
            if sample_s < self.rtt_s {
                gain *= self.rate_bytes_s / line_bytes_s * sample_s / self.rtt_s;
            }
            self.rtt_s += gain * (sample_s - self.rtt_s);
        }

        fn learn_rate(&mut self, port: &Backlog, waiting_bytes: f64) {
            let Params { alpha, beta, gamma, least, .. } = self.params;
            let target = gamma * port.rate_bytes_s;
            let spare = target - self.bytes / self.span_s;
            let change = (alpha * spare - beta * waiting_bytes / self.rtt_s) / target;
            let rate = self.rate_bytes_s * (1.0 + self.span_s / self.rtt_s * change);
            self.rate_bytes_s = rate.max(least * LEAST_BYTES / self.rtt_s).min(target);
        }
    }

    impl Feedback for Router {
        fn on_arrival(&mut self, packet: &PassingPacket, header: Option<&Words>, port: &Backlog) {
            let size = f64::from(packet.size_bytes);
            let left = (self.ends as f64 / 1e12 - port.now_s) * port.rate_bytes_s;
            let now = size.min(left.max(0.0)); // arrivals after the end of the interval belong to the next one
            self.bytes += now;
            self.spill += size - now;
            if let Some(words) = header.filter(|words| words[word::RTT] > 0.0) {
                self.known_bytes += size;
                self.rtt_bytes += size * words[word::RTT];
            }
        }

        fn on_departure(&mut self, _packet: &PassingPacket, header: Option<&mut Words>, _port: &Backlog) {
            if let Some(words) = header {
                words[word::RATE] = words[word::RATE].min(self.rate_bytes_s);
            }
        }

        fn next_tick(&self) -> Time {
            self.ends
        }

        fn on_tick(&mut self, port: &Backlog) {
            self.learn_rtt(port.rate_bytes_s);
            let waiting = self.params.queue == QueueScope::Waiting;
            self.learn_rate(port, if waiting { port.held_bytes } else { port.bytes });
            (self.bytes, self.spill) = (self.spill, 0.0);
            (self.known_bytes, self.rtt_bytes) = (0.0, 0.0);
            self.span_s = self.params.period_s.min(self.rtt_s).max(SHORTEST_S);
            self.ends += picoseconds(self.span_s);
        }

        fn gauge(&self) -> Option<(&'static str, f64)> {
            Some(("rate", self.rate_bytes_s * 8.0))
        }
    }
}

/// The sender's part: it paces at the rate of the routers.
pub mod sender {
    use super::word;
    use crate::control::reno;
    use crate::scheme::Index;
    use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
    use headgate_model::feedback::Words;
    use headgate_model::params::Card;

    headgate_model::params! {}

    pub(crate) const CARD: Card = Card {
        name: "rcp",
        title: "RCP",
        aliases: &[],
        family: "explicit",
        rule: "pace = the least R of the routers",
        response: "rate = C/N",
        references: &["Dukkipati, McKeown 2006"],
        params: Params::TABLE,
    };

    /// The substitute for a window: more segments than any path can hold.
    const NO_WINDOW: f64 = 1e9;

    /// The state of one flow. Until a router has assigned a rate, the flow is Reno.
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Sender {
        answered: bool,
    }

    impl Sender {
        /// Creates a flow in its initial state.
        pub fn new(_params: Params) -> Self {
            Self { answered: false }
        }
    }

    impl Controller for Sender {
        fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
            if !self.answered {
                reno::grow(ack, window);
            }
        }

        fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
            if !self.answered {
                reno::halve(event.in_flight, window);
            }
        }

        fn controls_cwnd_in_recovery(&self) -> bool {
            self.answered
        }

        fn scheme(&self) -> Option<u8> {
            Some(Index::Rcp as u8)
        }

        fn header(&mut self, path: &Path, _window: &Window) -> Words {
            let mut words = Words::default();
            (words[word::RATE], words[word::RTT]) = (f64::INFINITY, path.srtt_s);
            words
        }

        fn on_header(&mut self, header: &Words, _now_s: f64, path: &Path, window: &mut Window) {
            if header[word::RATE].is_infinite() {
                return;
            }
            self.answered = true;
            (window.cwnd, window.ssthresh) = (NO_WINDOW, NO_WINDOW);
            window.pace = header[word::RATE] / f64::from(path.segment_bytes);
        }
    }
}
