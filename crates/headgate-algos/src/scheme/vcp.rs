//! VCP: routers report their load in two bits, and senders increase fast, increase slowly, or decrease
//! accordingly.
//!
//! # Overview
//! A router measures its load factor, demand over capacity, and writes one of three regions. If the worst
//! router of a path has low load, senders multiply their windows, for efficiency. At high load they add; at
//! overload they reduce the window by an eighth: AIMD, for fairness.
//!
//! # The rule
//! `rho = (bytes arrived in t + kappa q)/(gamma C t)` every `t = 200 ms`. For each ACK: below 80 %,
//! `w += (1 + xi)^(rtt/t) - 1`; below 100 % `w += alpha (rtt/t)^2/w`; else `w *= beta`, then no change for
//! `t`, then one RTT of additive increase. With finer feedback both increases are added and `xi = k (1/rho - 1)` is
//! negative in overload: the fluid model of the authors.
//!
//! The author's release 0.1 has six further rules, on which the results of both the paper and the slides may
//! depend. At the router, `target = "moving"` changes gamma every ten periods by 0.001 to 0.02 towards a
//! measured utilisation of 80 to 99.3 %, by the line's class, and `average = "sixteenth"` counts a sixteenth
//! of the last period's mean queue. At senders (`variant = "released"`), a table by the window caps the
//! increase of an ACK and xi. As in the later `code`, an RTT adds `alpha (rtt/100 ms)^2`, any event ends the
//! rest after a first overload, and windows up to 64 are paced if gaps exceed 100 ms. Its ports send ACKs
//! before data: the queue `ack-priority`.
//!
//! # Differences from the paper
//! NOTE(Xia et al. 2005): the text of the paper was not available. The sources are its slides, the author's
//! ns-2 code, and an ns-3 model made from that code; `variant` selects between them.
//!
//! NOTE(Xia's ns-2 code): RTTs and timers are exact; the code uses ticks of 10 ms. If packets wait, the queue
//! includes the rest of the one in service.
//!
//! NOTE(Xia et al. 2005): the coding of the 8 bits is Headgate's: steps of 1/256 from 80 % up. Losses halve
//! the window as in `reno`. On a path without a router that answers, a flow behaves as `reno`.
//!
//! # When to use it
//! To study the limits of two bits: long fast paths without losses or queues.
//!
//! # References
//! Xia, Subramanian, Stoica, Kalyanaraman 2005 (SIGCOMM, and its slides); Xia's ns-2 code; an ns-3 model by
//! Barenholtz and Hogan, 2021.

use headgate_model::feedback::Words;

mod caps;
pub mod sender;
mod target;

/// The words of the header.
pub mod word {
    /// The format of the load: a [`super::format`].
    pub const FORMAT: usize = 0;
    /// The load that routers have written; 0 if none has.
    pub const LOAD: usize = 1;
}

/// Load factor from which load is high (Xia et al. 2005, slide 15).
const HIGH: f64 = 0.8;

/// The three codes (Xia et al. 2005, slide 12).
mod code {
    pub const LOW_LOAD: f64 = 1.0;
    pub const HIGH_LOAD: f64 = 2.0;
    pub const OVERLOAD: f64 = 3.0;
}

/// The resolution of the load in the header.
pub mod format {
    /// As three codes.
    pub const TWO_BITS: f64 = 0.0;
    /// In steps of 1/256.
    pub const EIGHT_BITS: f64 = 1.0;
    /// As a number.
    pub const EXACT: f64 = 2.0;
}

/// Steps of the 8-bit field per load of 1, and its last value; 1 covers all load up to 80 %.
const STEPS: f64 = 256.0;
const LAST: f64 = 255.0;

/// Encodes a router's load in a format.
fn encoded(kind: f64, load: f64, shown: f64) -> f64 {
    if kind == format::TWO_BITS {
        return match shown {
            low if low < HIGH => code::LOW_LOAD,
            high if high < 1.0 => code::HIGH_LOAD,
            _ => code::OVERLOAD,
        };
    }
    if kind == format::EIGHT_BITS {
        return (1.0 + ((load - HIGH) * STEPS).ceil()).clamp(1.0, LAST);
    }
    load.max(f64::MIN_POSITIVE) // 0: no router has written
}

/// Merges two headers: the larger load counts.
pub fn fold(older: &Words, newer: &Words) -> Words {
    let mut words = *newer;
    words[word::LOAD] = older[word::LOAD].max(newer[word::LOAD]);
    words
}

/// The router's part: the load of the link.
pub mod router {
    use super::target::Target;
    use super::{encoded, word};
    use headgate_model::chance::Stream;
    use headgate_model::feedback::{Feedback, PassingPacket, Words};
    use headgate_model::params::Card;
    use headgate_model::queue::Backlog;
    use headgate_model::units::{Span, Time, picoseconds};

    headgate_model::choices! {
        /// How the two bits round the load.
        pub enum Rounding {
            /// Not at all.
            Exact = "exact",
            /// Up to the next whole per cent.
            PerCent = "per-cent",
        }
    }

    headgate_model::choices! {
        /// Whether `gamma` moves.
        pub enum TargetRule {
            /// `gamma` is the parameter.
            Fixed = "fixed",
            /// `gamma` starts there and moves until the measured utilisation reaches its target.
            Moving = "moving",
        }
    }

    headgate_model::choices! {
        /// How the queue is averaged.
        pub enum Average {
            /// Over periods, with a weight of 1/4.
            Smoothed = "smoothed",
            /// A sixteenth of the last period's mean.
            Sixteenth = "sixteenth",
        }
    }

    headgate_model::params! {
        /// Target utilisation of the line.
        gamma: number(0.98, (0.01, 1.0), "1", "Xia et al. 2005, recalled, not verified; 0.95 in Xia's code"),
        /// Weight of the queue.
        kappa: number(0.5, (0.0, 10.0), "1", "Xia et al. 2005; queue_weight in Xia's code"),
        /// Time over which the load is measured.
        period_s: number(0.2, (1e-3, 100.0), "s", "Xia et al. 2005, slide 13", at_least ["sample_s"]),
        /// Time between two samples of the queue.
        sample_s: number(0.01, (1e-4, 100.0), "s", "Xia et al. 2005; queue_sampling_interval in Xia's code"),
        /// Rounding of the load behind the two bits: exact, or the next whole per cent above.
        rounding: choice(Rounding, "Xia et al. 2005; Xia's code rounds up"),
        /// Whether gamma is fixed, or starts there and moves until the measured utilisation reaches a target.
        target: choice(TargetRule, "Xia et al. 2005; Xia's code, release 0.1"),
        /// Average of the queue: smoothed over periods, or a sixteenth of the last one's mean.
        average: choice(Average, "Xia et al. 2005; Xia's code, release 0.1, by the precedence of >>"),
    }

    pub(crate) const CARD: Card = Card {
        name: "vcp",
        title: "VCP router",
        aliases: &[],
        family: "load",
        rule: "rho = (arrivals + kappa q)/(gamma C t); codes below 80 %, below 100 %, above",
        response: "",
        references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
        params: Params::TABLE,
    };

    /// Weight of the newest interval in the queue (Xia's code), and its share if no other interval counts.
    const NEWEST: f64 = 0.25;
    const SIXTEENTH: f64 = 1.0 / 16.0;

    /// The router at one port.
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Router {
        params: Params,
        period: Span,
        sample: Span,
        /// End of the interval, and time of the next sample of the queue.
        ends: Time,
        looks: Time,
        /// Bytes that arrived in this interval.
        bytes: f64,
        /// Sum and number of the samples of the queue, bytes.
        seen: (f64, f64),
        /// The averaged queue, bytes.
        queue: f64,
        target: Target,
        load: f64,
    }

    impl Router {
        /// Creates a router in its initial state.
        pub fn new(params: Params, _line_bytes_s: f64, _chance: Stream) -> Self {
            let (period, sample) = (picoseconds(params.period_s), picoseconds(params.sample_s));
            let (ends, looks, seen, target) = (period, sample, (0.0, 0.0), Target::new(params.gamma));
            Self { params, period, sample, ends, looks, bytes: 0.0, seen, queue: 0.0, target, load: 0.0 }
        }

        fn look(&mut self, port: &Backlog) {
            let waiting_bytes = if port.packets > 0.0 { port.bytes } else { 0.0 };
            self.seen = (self.seen.0 + waiting_bytes, self.seen.1 + 1.0);
            self.looks += self.sample;
        }

        fn measure(&mut self, port: &Backlog) {
            if self.seen.1 > 0.0 {
                self.average(self.seen.0 / self.seen.1);
            }
            let Params { kappa, period_s, target, .. } = self.params;
            let (demand, room) = (self.bytes + kappa * self.queue, port.rate_bytes_s * period_s);
            self.load = demand / (self.target.gamma * room);
            if target == TargetRule::Moving {
                self.target.take(demand / room, port.rate_bytes_s);
            }
            (self.bytes, self.seen) = (0.0, (0.0, 0.0));
            self.ends += self.period;
        }

        fn average(&mut self, newest: f64) {
            self.queue = match self.params.average {
                Average::Smoothed => self.queue + NEWEST * (newest - self.queue),
                Average::Sixteenth => SIXTEENTH * newest,
            };
        }

        /// Returns the load behind the two bits.
        fn shown(&self) -> f64 {
            match self.params.rounding {
                Rounding::Exact => self.load,
                Rounding::PerCent => (100.0 * self.load + 1.0).floor() / 100.0,
            }
        }
    }

    impl Feedback for Router {
        fn on_arrival(&mut self, packet: &PassingPacket, _label: Option<&Words>, _port: &Backlog) {
            self.bytes += f64::from(packet.size_bytes);
        }

        fn on_departure(&mut self, _packet: &PassingPacket, header: Option<&mut Words>, _port: &Backlog) {
            if let Some(words) = header {
                let own = encoded(words[word::FORMAT], self.load, self.shown());
                words[word::LOAD] = words[word::LOAD].max(own);
            }
        }

        fn next_tick(&self) -> Time {
            self.looks.min(self.ends)
        }

        fn on_tick(&mut self, port: &Backlog) {
            let now = self.next_tick();
            if self.looks == now {
                self.look(port);
            }
            if self.ends == now {
                self.measure(port);
            }
        }

        fn gauge(&self) -> Option<(&'static str, f64)> {
            Some(("load", self.load))
        }
    }
}
