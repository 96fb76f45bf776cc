//! VCP: routers tell how loaded they are, in two bits; senders rise fast, slowly, or fall accordingly.
//!
//! # What it does
//! A router measures its load factor, demand over capacity, and writes which of three regions it is in.
//! Senders of a path whose worst router has little load multiply their windows, for efficiency; with high
//! load they add, with overload they take an eighth away: AIMD, for fairness.
//!
//! # The law
//! `rho = (bytes arrived in t + kappa q)/(gamma C t)` every `t = 200 ms`. Below 80 %, for each ACK,
//! `w += (1 + xi)^(rtt/t) - 1`; below 100 % `w += alpha (rtt/t)^2/w`; else `w *= beta`, then nothing for
//! `t`, then one RTT of additive increase. With finer feedback both increases are added and
//! `xi = k (1/rho - 1)` falls below zero in overload: the fluid model of the authors.
//!
//! # Where it differs from the paper
//! The paper was read through its slides, the author's ns-2 code and an ns-3 model made from it; `variant`
//! selects where these differ. RTTs and timers are exact where the code has ticks of 10 ms. Of a queue in
//! which packets wait, the rest of the one in service counts too. The coding of the 8 bits is ours: steps
//! of 1/256 from 80 % up. Losses halve the window as `reno` does; where no router answers, so does all else.
//!
//! # When to use it
//! To see how far two bits go: long fat paths without losses or queues.
//!
//! # References
//! Xia, Subramanian, Stoica, Kalyanaraman 2005 (SIGCOMM, and its slides); Xia's ns-2 code; an ns-3 model by
//! Barenholtz and Hogan, 2021.

use headgate_model::feedback::Words;

/// What the words of a label mean.
mod word {
    /// What the field in the header holds: a [`super::Format`].
    pub const FORMAT: usize = 0;
    /// What routers have written; 0 as long as none has.
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

/// How finely the field in the header tells the load.
mod format {
    pub const TWO_BITS: f64 = 0.0;
    pub const EIGHT_BITS: f64 = 1.0;
}

/// Steps of the 8-bit field in a load of 1, and its last value; 1 is all load up to 80 %.
const STEPS: f64 = 256.0;
const LAST: f64 = 255.0;

/// What a router writes of its load, by the format.
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
    load.max(f64::MIN_POSITIVE) // 0 says that no router has written
}

/// The more loaded of two packets counts.
pub fn fold(older: &Words, newer: &Words) -> Words {
    let mut words = *newer;
    words[word::LOAD] = older[word::LOAD].max(newer[word::LOAD]);
    words
}

pub mod router {
    use super::{encoded, word};
    use headgate_model::chance::Stream;
    use headgate_model::feedback::{Feedback, Passing, Words};
    use headgate_model::params::Card;
    use headgate_model::queue::Backlog;
    use headgate_model::units::{Span, Time, picoseconds};

    headgate_model::params! {
        /// Share of the line that is aimed at.
        gamma: number(0.98, (0.01, 1.0), "1", "Xia et al. 2005, recalled, not verified; 0.95 in Xia's code"),
        /// Weight of the queue.
        kappa: number(0.5, (0.0, 10.0), "1", "Xia et al. 2005; queue_weight in Xia's code"),
        /// Time over which the load is measured.
        period_s: number(0.2, (1e-3, 100.0), "s", "Xia et al. 2005, slide 13"),
        /// Time between two looks at the queue.
        sample_s: number(0.01, (1e-4, 100.0), "s", "Xia et al. 2005; queue_sampling_interval in Xia's code"),
        /// The load behind the two bits: as it is, or the next whole per cent above.
        rounding: choice(["exact", "per-cent"], "Xia et al. 2005; Xia's code rounds up"),
    }

    pub const CARD: Card = Card {
        name: "vcp",
        title: "VCP router",
        aliases: &[],
        family: "load",
        law: "rho = (arrivals + kappa q)/(gamma C t); codes below 80 %, below 100 %, above",
        response: "",
        references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
        params: Params::TABLE,
    };

    /// Weight of the newest interval in the queue (Xia's code).
    const NEWEST: f64 = 0.25;

    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Router {
        params: Params,
        period: Span,
        sample: Span,
        /// When the interval ends, and when the queue is looked at next.
        ends: Time,
        looks: Time,
        /// Bytes that arrived in this interval.
        bytes: f64,
        /// Sum and number of the looks at the queue, bytes.
        seen: (f64, f64),
        /// Smoothed queue, bytes.
        queue: f64,
        load: f64,
    }

    impl Router {
        pub fn new(params: Params, _line_bytes_s: f64, _chance: Stream) -> Self {
            let (period, sample) = (picoseconds(params.period_s), picoseconds(params.sample_s));
            Self {
                params,
                period,
                sample,
                ends: period,
                looks: sample,
                bytes: 0.0,
                seen: (0.0, 0.0),
                queue: 0.0,
                load: 0.0,
            }
        }

        fn look(&mut self, port: &Backlog) {
            let waiting_bytes = if port.packets > 0.0 { port.bytes } else { 0.0 };
            self.seen = (self.seen.0 + waiting_bytes, self.seen.1 + 1.0);
            self.looks += self.sample;
        }

        fn measure(&mut self, port: &Backlog) {
            if self.seen.1 > 0.0 {
                self.queue += NEWEST * (self.seen.0 / self.seen.1 - self.queue);
            }
            let Params { gamma, kappa, period_s, .. } = self.params;
            self.load = (self.bytes + kappa * self.queue) / (gamma * port.rate_bytes_s * period_s);
            (self.bytes, self.seen) = (0.0, (0.0, 0.0));
            self.ends += self.period;
        }

        /// The load behind the two bits.
        fn shown(&self) -> f64 {
            if self.params.rounding == 0.0 { self.load } else { (100.0 * self.load + 1.0).floor() / 100.0 }
        }
    }

    impl Feedback for Router {
        fn on_arrival(&mut self, packet: &Passing, _label: Option<&Words>, _port: &Backlog) {
            self.bytes += f64::from(packet.size_bytes);
        }

        fn on_departure(&mut self, _packet: &Passing, label: Option<&mut Words>, _port: &Backlog) {
            if let Some(words) = label {
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

pub mod sender {
    use super::{HIGH, STEPS, code, format, word};
    use headgate_model::control::{Ack, Congestion, Law, Path, Window};
    use headgate_model::feedback::Words;
    use headgate_model::params::Card;

    headgate_model::params! {
        /// How finely routers tell their load.
        feedback: choice(["2-bit", "8-bit", "exact"], "Xia et al. 2005; slides 7, 21 and 31"),
        /// What follows the paper (through the ns-3 model), and what the author's ns-2 code.
        variant: choice(["paper", "code"], "Barenholtz, Hogan 2021; Xia's code"),
        /// Whether increases are scaled to the RTT, or are those of every RTT.
        scaling: choice(["rtt", "none"], "Xia et al. 2005, slides 16 and 25"),
        /// Multiplicative increase in one period.
        xi: number(0.0625, (0.0, 1.0), "1", "Xia et al. 2005: k (1/0.8 - 1), 0.06 on slide 15; 1.0 of TCP, 0.01 of STCP"),
        /// Additive increase in one period.
        alpha: number(1.0, (0.0, 1000.0), "segments", "Xia et al. 2005, slide 15"),
        /// What overload leaves of the window.
        beta: number(0.875, (0.0, 1.0), "1", "Xia et al. 2005, slide 15"),
        /// Gain of finer feedback.
        k: number(0.25, (0.0, 1.0), "1", "Xia et al. 2005, slide 15"),
        /// Period of the routers.
        period_s: number(0.2, (1e-3, 100.0), "s", "Xia et al. 2005, slide 13"),
    }

    pub const CARD: Card = Card {
        name: "vcp",
        title: "VCP",
        aliases: &[],
        family: "explicit",
        law: "w += (1+xi)^(rtt/t) - 1 | alpha (rtt/t)^2/w an ACK, w *= beta, by the load's region",
        response: "rate = gamma C/N + alpha/(k t) with exact feedback",
        references: &["Xia, Subramanian, Stoica, Kalyanaraman 2005"],
        params: Params::TABLE,
    };

    const PAPER: f64 = 0.0;
    const UNSCALED: f64 = 1.0;

    /// Longest RTT over the period in the multiplicative increase (Xia's code).
    const LONGEST: f64 = 2.5;

    /// RTT in which the additive increase of the code is alpha, seconds; the bounds between which it is
    /// scaled with the square, in such RTTs (Xia's code).
    const TYPICAL_S: f64 = 0.1;
    const SQUARE: (f64, f64) = (0.2, 5.0);

    /// Windows up to this are paced where that leaves long enough gaps (Xia's code).
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
        /// What the routers have written; 0 where none has.
        said: f64,
        /// After a decrease: until when the window rests, and until when it then only adds.
        rests_until_s: f64,
        adds_until_s: f64,
    }

    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
    pub struct Sender(Box<State>);

    impl Sender {
        pub fn new(params: Params) -> Self {
            Self(Box::new(State { params, said: 0.0, rests_until_s: 0.0, adds_until_s: 0.0 }))
        }
    }

    impl State {
        /// The RTT; a period as long as there is none.
        fn rtt_s(&self, path: &Path) -> f64 {
            if path.srtt_s > 0.0 { path.srtt_s } else { self.params.period_s }
        }

        /// Multiplicative increase by a segment's ACK, of one that is `gain` in a period.
        fn multiplied(&self, gain: f64, rtt_s: f64) -> f64 {
            let Params { variant, scaling, period_s, .. } = self.params;
            if scaling == UNSCALED {
                return gain;
            }
            let periods = rtt_s / period_s;
            let power = if variant == PAPER { periods } else { periods.min(LONGEST) };
            libm::expm1(power * libm::log1p(gain)).min(1.0) // no faster than slow start
        }

        /// Additive increase in an RTT.
        fn added(&self, rtt_s: f64) -> f64 {
            let Params { variant, scaling, period_s, alpha, .. } = self.params;
            if scaling == UNSCALED {
                return alpha;
            }
            let (periods, typical) = (rtt_s / period_s, rtt_s / TYPICAL_S);
            alpha
                * match typical {
                    _ if variant == PAPER => periods * periods,
                    short if short <= SQUARE.0 => short * SQUARE.0,
                    long if long > SQUARE.1 => long - SQUARE.1 + SQUARE.1 * SQUARE.1,
                    _ => typical * typical,
                }
        }

        /// What to do on an ACK with two bits. By the paper nothing moves a window that rests, and a code
        /// counts only after the additions; by the code that is so for overload alone.
        fn action(&self, now_s: f64) -> Action {
            let (rests, adds) = (now_s < self.rests_until_s, now_s < self.adds_until_s);
            let free = match self.said {
                code::LOW_LOAD => Action::Multiply,
                code::HIGH_LOAD => Action::Add,
                _ => Action::Decrease,
            };
            if self.params.variant != PAPER && free != Action::Decrease {
                return free;
            }
            match (rests, adds) {
                (true, _) => Action::Hold,
                (false, true) => Action::Add,
                (false, false) => free,
            }
        }

        /// How far one segment's ACK moves a window by two bits.
        fn step(&mut self, now_s: f64, rtt_s: f64, cwnd: f64) -> f64 {
            match self.action(now_s) {
                Action::Multiply => self.multiplied(self.params.xi, rtt_s),
                Action::Add => self.added(rtt_s) / cwnd,
                Action::Hold => 0.0,
                Action::Decrease => {
                    self.rests_until_s = now_s + self.params.period_s;
                    self.adds_until_s = self.rests_until_s + rtt_s;
                    (self.params.beta - 1.0) * cwnd
                }
            }
        }

        /// The same by the load itself.
        fn fine_step(&self, rtt_s: f64, cwnd: f64) -> f64 {
            let Params { feedback, xi, k, .. } = self.params;
            let load = if feedback == format::EIGHT_BITS { HIGH + (self.said - 1.0) / STEPS } else { self.said };
            let gain = if load <= HIGH { xi } else { k * (1.0 / load - 1.0) };
            self.multiplied(gain, rtt_s) + self.added(rtt_s) / cwnd
        }

        /// Small windows of long RTTs leave evenly, a power of two an RTT.
        fn pace(&self, cwnd: f64, rtt_s: f64) -> f64 {
            let whole = cwnd.floor();
            if !(2.0..=SMALL).contains(&whole) {
                return f64::INFINITY;
            }
            let rate = f64::from((whole as u32).next_power_of_two()) / rtt_s;
            if rate * self.params.period_s / 2.0 < 1.0 { rate } else { f64::INFINITY }
        }
    }

    impl Law for Sender {
        fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
            let state = &mut self.0;
            if state.said == 0.0 {
                if ack.cwnd_limited {
                    window.cwnd += window.slow_start(ack.acked) / window.cwnd;
                }
                return;
            }
            let rtt_s = state.rtt_s(path);
            let step = match state.params.feedback {
                format::TWO_BITS => state.step(ack.now_s, rtt_s, window.cwnd),
                _ => state.fine_step(rtt_s, window.cwnd),
            };
            if step < 0.0 && state.params.feedback == format::TWO_BITS {
                window.cwnd = (window.cwnd + step).max(1.0); // once, however much the ACK is for
            } else if step < 0.0 || ack.cwnd_limited {
                window.cwnd = (window.cwnd + ack.acked * step).max(1.0);
            }
        }

        fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
            window.ssthresh = (f64::from(event.in_flight) / 2.0).max(2.0);
        }

        fn label(&mut self, _path: &Path, _window: &Window) -> Words {
            let mut words = Words::default();
            words[word::FORMAT] = self.0.params.feedback;
            words
        }

        fn on_label(&mut self, label: &Words, _now_s: f64, path: &Path, window: &mut Window) {
            let state = &mut self.0;
            state.said = label[word::LOAD];
            if state.said > 0.0 {
                window.pace = state.pace(window.cwnd, state.rtt_s(path));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss, starting};
    use headgate_model::chance::Stream;
    use headgate_model::control::{Ack, Law, Path, Window};
    use headgate_model::feedback::{Feedback, Passing};
    use headgate_model::params::Param;
    use headgate_model::queue::Backlog;

    fn values(table: &[Param], own: &[(&str, f64)]) -> Vec<f64> {
        let value = |param: &Param| own.iter().find(|(name, _)| *name == param.name).map(|(_, v)| *v);
        table.iter().map(|param| value(param).unwrap_or(param.default)).collect()
    }

    fn sender(own: &[(&str, f64)]) -> sender::Sender {
        sender::Sender::new(sender::Params::from_values(&values(sender::Params::TABLE, own)))
    }

    fn router(own: &[(&str, f64)]) -> router::Router {
        let params = router::Params::from_values(&values(router::Params::TABLE, own));
        router::Router::new(params, LINE, Stream::new(1, "router", 0))
    }

    /// 8 Mbit/s: 200 000 bytes in a period, 196 000 of which are aimed at.
    const LINE: f64 = 1e6;
    const AIM: f64 = 196_000.0;

    /// A period in which so many bytes come, with that queue at every look.
    fn period(router: &mut router::Router, bytes: f64, waiting: f64) {
        let packets = if waiting > 0.0 { 1.0 } else { 0.0 };
        let port = Backlog { bytes: waiting, packets, rate_bytes_s: LINE, ..Backlog::default() };
        router.on_arrival(&Passing { size_bytes: bytes as u32, data: true }, None, &port);
        (0..20).for_each(|_| router.on_tick(&port));
    }

    fn load(router: &router::Router) -> f64 {
        router.gauge().expect("a load").1
    }

    /// What a packet takes along.
    fn written(router: &mut router::Router, format: f64, before: f64) -> f64 {
        let mut words = [format, before, 0.0, 0.0];
        router.on_departure(&Passing { size_bytes: 1000, data: true }, Some(&mut words), &Backlog::default());
        words[word::LOAD]
    }

    #[test]
    fn the_load_is_what_came_over_what_is_aimed_at() {
        let mut router = router(&[]);
        period(&mut router, 98_000.0, 0.0);
        assert_eq!(load(&router), 0.5);
        period(&mut router, 0.0, 0.0);
        assert_eq!(load(&router), 0.0);
    }

    #[test]
    fn the_queue_counts_half_and_is_smoothed() {
        let mut router = router(&[]);
        period(&mut router, 0.0, 16_000.0);
        assert!((load(&router) - 0.5 * 4_000.0 / AIM).abs() < 1e-12);
        period(&mut router, 0.0, 16_000.0); // 3/4 of 4000 and 1/4 of 16 000
        assert!((load(&router) - 0.5 * 7_000.0 / AIM).abs() < 1e-12);
    }

    #[test]
    fn a_packet_in_service_is_no_queue() {
        let mut router = router(&[]);
        let port = Backlog { bytes: 500.0, rate_bytes_s: LINE, ..Backlog::default() };
        (0..20).for_each(|_| router.on_tick(&port));
        assert_eq!(load(&router), 0.0);
    }

    #[test]
    fn ticks_come_every_10_ms_and_the_measure_every_200() {
        let mut router = router(&[]);
        let port = Backlog { rate_bytes_s: LINE, ..Backlog::default() };
        router.on_arrival(&Passing { size_bytes: 1000, data: true }, None, &port);
        for tick in 1..=20u64 {
            assert_eq!((router.next_tick(), load(&router)), (tick * 10_000_000_000, 0.0));
            router.on_tick(&port);
        }
        assert!(load(&router) > 0.0);
    }

    /// The code of a router at that load.
    fn code_at(load: f64, own: &[(&str, f64)]) -> f64 {
        let mut router = router(own);
        period(&mut router, (load * AIM).round(), 0.0);
        written(&mut router, format::TWO_BITS, 0.0)
    }

    #[test]
    fn codes_change_at_80_and_100_per_cent() {
        for (load, code) in [(0.0, 1.0), (0.7999, 1.0), (0.8, 2.0), (0.9999, 2.0), (1.0, 3.0), (1.7, 3.0)] {
            assert_eq!(code_at(load, &[]), code, "{load}");
        }
    }

    #[test]
    fn the_authors_code_rounds_up_to_the_next_per_cent() {
        for (load, code) in [(0.7899, 1.0), (0.7901, 2.0), (0.9899, 2.0), (0.9901, 3.0)] {
            assert_eq!(code_at(load, &[("rounding", 1.0)]), code, "{load}");
        }
    }

    #[test]
    fn codes_are_raised_only() {
        let mut router = router(&[]);
        period(&mut router, 0.9 * AIM, 0.0);
        let after = [0.0, 1.0, 2.0, 3.0].map(|before| written(&mut router, format::TWO_BITS, before));
        assert_eq!(after, [2.0, 2.0, 2.0, 3.0]);
    }

    #[test]
    fn eight_bits_have_steps_of_a_256th_above_80_per_cent() {
        let at = |load| encoded(format::EIGHT_BITS, load, load);
        assert_eq!([0.0, 0.8, 0.8 + 1.0 / 300.0, 0.9, 5.0].map(at), [1.0, 1.0, 2.0, 27.0, LAST]);
    }

    #[test]
    fn a_router_without_load_has_still_answered() {
        for format in [0.0, 1.0, 2.0] {
            assert!(written(&mut router(&[]), format, 0.0) > 0.0);
        }
    }

    #[test]
    fn an_ack_for_two_packets_tells_of_the_worse() {
        assert_eq!(fold(&[0.0, 3.0, 0.0, 0.0], &[0.0, 1.0, 0.0, 0.0])[word::LOAD], 3.0);
    }

    fn at_rtt(rtt_s: f64) -> Path {
        Path { srtt_s: rtt_s, min_rtt_s: rtt_s, ..PATH }
    }

    /// One ACK at a time, after a label.
    fn hear(law: &mut sender::Sender, said: f64, now_s: f64, path: &Path, window: &mut Window) {
        law.on_label(&[0.0, said, 0.0, 0.0], now_s, path, window);
        law.on_ack(&Ack { now_s, ..ack(path.srtt_s) }, path, window);
    }

    fn change(own: &[(&str, f64)], said: f64, rtt_s: f64) -> f64 {
        let mut window = avoiding(100.0);
        hear(&mut sender(own), said, 1.0, &at_rtt(rtt_s), &mut window);
        window.cwnd - 100.0
    }

    fn close(ours: f64, expected: f64) {
        assert!((ours - expected).abs() < 1e-9, "{ours} for {expected}");
    }

    #[test]
    fn low_load_multiplies_by_one_and_a_sixteenth_in_a_period() {
        close(change(&[], 1.0, 0.2), 0.0625);
        close(change(&[], 1.0, 0.1), 1.0625f64.sqrt() - 1.0);
        close(change(&[], 1.0, 0.4), 1.0625 * 1.0625 - 1.0);
        close(change(&[("scaling", 1.0)], 1.0, 0.4), 0.0625);
        close(change(&[("xi", 1.0)], 1.0, 0.2), 1.0);
    }

    #[test]
    fn the_increase_of_long_rtts_is_bounded() {
        close(change(&[], 1.0, 10.0), 1.0);
        close(change(&[("variant", 1.0)], 1.0, 10.0), 1.0625f64.powf(2.5) - 1.0);
    }

    #[test]
    fn high_load_adds_with_the_square_of_the_rtt() {
        close(change(&[], 2.0, 0.2), 0.01);
        close(change(&[], 2.0, 0.1), 0.01 / 4.0);
        close(change(&[("scaling", 1.0)], 2.0, 0.1), 0.01);
    }

    #[test]
    fn the_authors_code_scales_to_100_ms_between_20_and_500() {
        for (rtt_s, added) in [(0.01, 0.02), (0.02, 0.04), (0.1, 1.0), (0.2, 4.0), (0.5, 25.0), (1.0, 30.0)] {
            close(change(&[("variant", 1.0)], 2.0, rtt_s), added / 100.0);
        }
    }

    #[test]
    fn overload_takes_an_eighth_and_leaves_one() {
        close(change(&[], 3.0, 0.1), -12.5);
        let mut window = avoiding(1.0);
        hear(&mut sender(&[]), 3.0, 1.0, &PATH, &mut window);
        assert_eq!(window.cwnd, 1.0);
    }

    /// Windows after an overload at 1 s and then one code at each of these times; the RTT is 100 ms.
    fn after_overload(own: &[(&str, f64)], said: f64, times_s: [f64; 4]) -> [f64; 4] {
        let (mut law, mut window) = (sender(own), avoiding(100.0));
        hear(&mut law, 3.0, 1.0, &PATH, &mut window);
        times_s.map(|now_s| {
            let before = window.cwnd;
            hear(&mut law, said, now_s, &PATH, &mut window);
            (window.cwnd - before) / before
        })
    }

    #[test]
    fn after_a_decrease_it_rests_for_a_period_then_adds_for_an_rtt() {
        let [at_once, late, adds, free] = after_overload(&[], 3.0, [1.01, 1.19, 1.21, 1.31]);
        assert_eq!((at_once, late), (0.0, 0.0));
        close(adds, 0.25 / 87.5 / 87.5);
        close(free, -0.125);
    }

    #[test]
    fn by_the_code_other_codes_count_at_once() {
        let [first, ..] = after_overload(&[("variant", 1.0)], 1.0, [1.01, 1.19, 1.21, 1.31]);
        assert!(first > 0.0);
        let [first, _, adds, _] = after_overload(&[], 1.0, [1.01, 1.19, 1.21, 1.31]);
        assert_eq!(first, 0.0);
        close(adds, 0.25 / 87.5 / 87.5);
    }

    #[test]
    fn finer_feedback_adds_and_multiplies_at_any_load() {
        let exact = [("feedback", 2.0)];
        close(change(&exact, 0.5, 0.2), 0.0625 + 0.01);
        close(change(&exact, 1.0, 0.2), 0.01);
        close(change(&exact, 1.25, 0.2), -0.05 + 0.01);
        close(change(&exact, 1.25, 0.4), 0.95 * 0.95 - 1.0 + 0.04);
        close(change(&[("feedback", 1.0)], 1.0, 0.2), 0.0625 + 0.01);
        close(change(&[("feedback", 1.0)], 65.0, 0.2), 0.25 * (1.0 / 1.05 - 1.0) + 0.01);
    }

    #[test]
    fn a_window_that_does_not_limit_falls_but_does_not_grow() {
        let (mut law, mut window) = (sender(&[]), avoiding(100.0));
        for (said, cwnd) in [(1.0, 100.0), (2.0, 100.0), (3.0, 87.5)] {
            law.on_label(&[0.0, said, 0.0, 0.0], 1.0, &PATH, &mut window);
            law.on_ack(&Ack { cwnd_limited: false, ..ack(0.1) }, &PATH, &mut window);
            assert_eq!(window.cwnd, cwnd);
        }
    }

    #[test]
    fn small_windows_of_long_rtts_are_paced() {
        let pace = |cwnd, rtt_s| {
            let (mut law, mut window) = (sender(&[]), starting(cwnd));
            law.on_label(&[0.0, 1.0, 0.0, 0.0], 1.0, &at_rtt(rtt_s), &mut window);
            window.pace
        };
        assert_eq!((pace(5.0, 1.0), pace(2.0, 1.0)), (8.0, 2.0));
        assert!(pace(1.0, 1.0).is_infinite() && pace(9.0, 1.0).is_infinite());
        assert!(pace(2.0, 0.2).is_infinite() && pace(65.0, 100.0).is_infinite());
    }

    #[test]
    fn a_loss_halves() {
        let mut window = avoiding(100.0);
        sender(&[]).on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }

    #[test]
    fn where_no_router_answers_it_is_tcp() {
        let (mut law, mut window) = (sender(&[]), starting(10.0));
        hear(&mut law, 0.0, 1.0, &PATH, &mut window);
        assert_eq!(window.cwnd, 11.0);
        window.ssthresh = 11.0;
        hear(&mut law, 0.0, 1.0, &PATH, &mut window);
        close(window.cwnd, 11.0 + 1.0 / 11.0);
    }
}
