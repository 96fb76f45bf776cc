//! TCP Vegas: keeps between `alpha` and `beta` packets in the queue.
//!
//! # Overview
//! Once per round trip, Vegas compares its rate with that of an empty path. The difference shows how many of
//! its packets are queued. It moves the window by one packet to keep a few packets in the queue.
//!
//! # The rule
//! `diff = w (1 - base_rtt/rtt)`, in whole packets. Congestion avoidance, once per round trip: `w += 1` if
//! `diff < alpha`, `w -= 1` if `diff > beta`, else unchanged; at least 2. Slow start ends when `diff >
//! gamma`. `base_rtt` is the smallest RTT of the connection.
//!
//! # Differences from the paper
//! NOTE(Brakmo, Peterson 1995): the variant `linux` uses alpha 2 and beta 4. `rtt` is the round's smallest,
//! and `diff` is divided by `base_rtt` instead of `rtt` (`w (rtt - base_rtt)/base_rtt`, truncated to whole
//! packets). Slow start doubles in each round trip and leaves at most `w base_rtt/rtt + 1`. A round of one or
//! two samples follows Reno, and so do losses. `base_rtt` is reset when a connection sends again after an
//! idle time.
//!
//! NOTE(Brakmo, Peterson 1995): the variant `ns2` uses alpha 1 and beta 3. `rtt` is the round's mean, `w` is
//! the flight, and `diff` is rounded. Slow start doubles in every other round trip, as in the paper, and at
//! its end gives back `w/8`. An increase is spread over the round. A loss leaves `w - w/4` (2 of up to 3), a
//! time-out 2.
//!
//! NOTE(ns-2 tcp-vegas.cc): in both variants `base_rtt` is that of data. ns-2 takes that of the handshake,
//! then that of the first packet alone.
//!
//! NOTE(ns-2 tcp-linux.cc): ns-2's TCP/Linux contains the older module of 2.6.22, which compares the segments
//! sent in a round.
//!
//! NOTE(Brakmo, Peterson 1995): mechanisms of the transport are not implemented here: the paper's
//! fine-grained timer, and the halving when a packet is lost twice.
//!
//! # When to use it
//! As the first delay-driven algorithm: a short queue alone, a small share beside loss-driven flows.
//!
//! # References
//! Brakmo, Peterson 1995; Linux 5.x `tcp_vegas.c` (2, 4, 1); ns-2.35 `tcp-vegas.cc` (1, 3, 1).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Restart, Window};
use headgate_model::params::Card;

use super::reno::{self, Reno};
use crate::round::RoundRtt;

headgate_model::choices! {
    /// The programs that Vegas can follow.
    pub enum Variant {
        /// Linux `tcp_vegas.c`.
        Linux = "linux",
        /// ns-2 `tcp-vegas.cc`.
        Ns2 = "ns2",
    }
}

headgate_model::params! {
    /// Queued packets below which the window grows; 0 = the variant's: 2 of linux, 1 of ns2.
    alpha: number(0.0, (0.0, 10000.0), "segments", "Linux tcp_vegas.c; ns-2 tcp-vegas.cc"),
    /// Queued packets above which the window shrinks; 0 = the variant's: 4 of linux, 3 of ns2.
    beta: number(0.0, (0.0, 10000.0), "segments", "Linux tcp_vegas.c; ns-2 tcp-vegas.cc", at_least ["alpha"]),
    /// Queued packets that end slow start.
    gamma: number(1.0, (0.0, 10000.0), "segments", "Linux tcp_vegas.c; ns-2 tcp-vegas.cc"),
    /// Which program is followed.
    variant: choice(Variant, "Linux tcp_vegas.c; ns-2 tcp-vegas.cc"),
}

pub(crate) const CARD: Card = Card {
    name: "vegas",
    title: "TCP Vegas",
    aliases: &[],
    family: "delay",
    rule: "w += 1, 0 or -1 per RTT as w (1 - base_rtt/rtt) is below alpha, between, above beta",
    response: "alpha to beta packets queued per flow",
    references: &["Brakmo, Peterson 1995, TCP Vegas: end to end congestion avoidance on a global Internet"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 2.0;

/// One flow's TCP Vegas.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Vegas {
    alpha: f64,
    beta: f64,
    gamma: f64,
    round: RoundRtt,
    /// Increase per acknowledged segment in this round (ns2).
    step: f64,
    /// Whether this round of slow start only measures (ns2).
    rests: bool,
    linux: bool,
}

fn or_default(value: f64, default: f64) -> f64 {
    if value == 0.0 { default } else { value }
}

impl Vegas {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let linux = params.variant == Variant::Linux;
        let (alpha, beta) = if linux { (2.0, 4.0) } else { (1.0, 3.0) };
        Self {
            alpha: or_default(params.alpha, alpha),
            beta: or_default(params.beta, beta),
            gamma: params.gamma,
            round: RoundRtt::new(),
            step: 0.0,
            rests: false,
            linux,
        }
    }

    fn linux_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.round.sample(ack.rtt_s);
        if !ack.round_start {
            if ack.cwnd_limited {
                window.slow_start(ack.acked);
            }
            return;
        }
        if self.round.has_enough_samples() {
            self.steer(ack, window);
        } else {
            Reno.on_ack(ack, path, window);
        }
        self.round.restart();
    }

    /// Linux: decides by the smallest RTT of the round.
    fn steer(&self, ack: &Ack, window: &mut Window) {
        let (base_rtt_s, rtt_s) = (self.round.base_s, self.round.least_s);
        let diff = (window.cwnd * (rtt_s / base_rtt_s - 1.0)).floor();
        if window.slow_starts() && diff <= self.gamma {
            if ack.cwnd_limited {
                window.slow_start(ack.acked);
            }
        } else if window.slow_starts() {
            window.cwnd = window.cwnd.min((window.cwnd * base_rtt_s / rtt_s).floor() + 1.0);
            window.ssthresh = window.cwnd;
        } else if diff > self.beta {
            window.cwnd -= 1.0;
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if diff < self.alpha && ack.cwnd_limited {
            window.cwnd += 1.0;
        }
        window.cwnd = window.cwnd.max(FLOOR);
        // Linux keeps three quarters of a window that no loss has reached
        window.ssthresh = window.ssthresh.max(0.75 * window.cwnd).max(FLOOR);
    }

    fn ns2_ack(&mut self, ack: &Ack, window: &mut Window) {
        if ack.round_start {
            self.plan(ack, window);
            self.round.restart();
        }
        if self.step == 1.0 && !window.slow_starts() {
            self.step = 0.0;
        }
        if ack.cwnd_limited {
            window.cwnd += self.step * ack.acked;
        }
        self.round.sample(ack.rtt_s);
    }

    /// ns-2: decides by the mean RTT of the round.
    fn plan(&mut self, ack: &Ack, window: &mut Window) {
        let share = self.round.mean_s().map_or(1.0, |rtt_s| self.round.base_s / rtt_s);
        let diff = (f64::from(ack.in_flight) * (1.0 - share) + 0.5).floor();
        if window.slow_starts() {
            self.plan_start(diff, window);
        } else if diff > self.beta {
            self.step = 0.0;
            window.cwnd = (window.cwnd - 1.0).max(FLOOR);
        } else {
            self.step = if diff < self.alpha { 1.0 / window.cwnd } else { 0.0 };
        }
    }

    /// Doubles in one round trip, and measures the resulting window in the next.
    fn plan_start(&mut self, diff: f64, window: &mut Window) {
        self.rests = !self.rests;
        if self.rests {
            self.step = 0.0;
        } else if diff > self.gamma {
            self.step = 0.0;
            window.ssthresh = FLOOR;
            window.cwnd = (window.cwnd * 0.875).max(FLOOR);
        } else {
            self.step = 1.0;
        }
    }

    fn ns2_congestion(&mut self, event: &Congestion, window: &mut Window) {
        self.step = 0.0;
        if event.cause == Cause::Timeout {
            reno::halve(event.in_flight, window);
            window.cwnd = FLOOR;
        } else {
            let kept = event.in_flight - event.in_flight / 4;
            window.ssthresh = if event.in_flight <= 3 { FLOOR } else { f64::from(kept) };
        }
    }
}

impl Controller for Vegas {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if self.linux {
            self.linux_ack(ack, path, window);
        } else {
            self.ns2_ack(ack, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        self.round.restart();
        if self.linux {
            reno::halve(event.in_flight, window);
        } else {
            self.ns2_congestion(event, window);
        }
    }

    fn on_recovered(&mut self, _now_s: f64, _path: &Path, window: &mut Window) {
        self.round.restart();
        if !self.linux {
            // no slow start after a loss, even if the window shrinks further
            window.ssthresh = FLOOR;
        }
    }

    /// Resets the base RTT, because the path may have changed during the idle time (`tcp_vegas_cwnd_event`).
    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {
        if self.linux {
            self.round = RoundRtt::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, RESTART, ack, avoiding, loss, starting, timeout};

    const LINUX: Variant = Variant::Linux;
    const NS2: Variant = Variant::Ns2;

    fn controller(variant: Variant) -> Vegas {
        Vegas::new(Params { alpha: 0.0, beta: 0.0, gamma: 1.0, variant })
    }

    #[test]
    fn an_idle_time_makes_the_module_of_linux_forget_the_base_rtt() {
        for (variant, base_s) in [(LINUX, 0.3), (NS2, 0.1)] {
            let (mut controller, mut window) = (controller(variant), avoiding(20.0));
            controller.round.sample(0.1);
            controller.on_restart(&RESTART, &PATH, &mut window);
            controller.round.sample(0.3);
            assert_eq!((controller.round.base_s, window), (base_s, avoiding(20.0)));
        }
    }

    /// A round of `samples` ACKs; the first one ends the previous round.
    fn round(controller: &mut Vegas, samples: u32, rtt_s: f64, window: &mut Window) {
        let in_flight = window.cwnd as u32;
        for i in 0..samples {
            controller.on_ack(&Ack { round_start: i == 0, in_flight, ..ack(rtt_s) }, &PATH, window);
        }
    }

    /// Returns the window after two rounds at this RTT. The first round only provides samples for the second.
    fn moved(variant: Variant, cwnd: f64, rtt_s: f64) -> f64 {
        let (mut controller, mut window) = (controller(variant), avoiding(cwnd));
        round(&mut controller, 5, PATH.min_rtt_s, &mut window);
        window.cwnd = cwnd;
        round(&mut controller, cwnd as u32, rtt_s, &mut window);
        window.cwnd = cwnd;
        round(&mut controller, cwnd as u32, rtt_s, &mut window);
        window.cwnd
    }

    #[test]
    fn linux_moves_by_one_packet() {
        assert_eq!(moved(LINUX, 20.0, 0.109), 21.0); // 20 * 0.09 = 1.8: 1 < 2
        assert_eq!(moved(LINUX, 20.0, 0.111), 20.0); // 2.2: 2
        assert_eq!(moved(LINUX, 20.0, 0.124), 20.0); // 4.8: 4 is not above 4
        assert_eq!(moved(LINUX, 20.0, 0.126), 19.0); // 5.2: 5 > 4
    }

    #[test]
    fn ns2_moves_by_one_packet_a_round() {
        let grown = moved(NS2, 20.0, 0.102); // 20 (1 - 1/1.02) = 0.39 rounds to 0 < 1: 20 times 1/20
        assert!((grown - 21.0).abs() < 1e-12);
        assert_eq!(moved(NS2, 20.0, 0.104), 20.0); // 0.77 rounds to 1
        assert_eq!(moved(NS2, 20.0, 0.120), 20.0); // 3.33 rounds to 3
        assert_eq!(moved(NS2, 20.0, 0.123), 19.0); // 3.74 rounds to 4 > 3
    }

    #[test]
    fn the_handshake_is_no_base_for_ns2() {
        let (mut controller, mut window) = (controller(NS2), avoiding(20.0));
        // data takes 110 ms and the handshake took 100: no packet is queued
        (0..3).for_each(|_| round(&mut controller, 20, 0.110, &mut window));
        assert!(window.cwnd > 21.9);
    }

    #[test]
    fn linux_is_reno_in_a_round_of_few_samples() {
        let (mut controller, mut window) = (controller(LINUX), avoiding(20.0));
        round(&mut controller, 1, 0.2, &mut window);
        assert_eq!(window.cwnd, 20.05);
        controller.on_ack(&ack(0.2), &PATH, &mut window);
        assert_eq!(window.cwnd, 20.05);
    }

    #[test]
    fn linux_doubles_each_round_and_leaves_slow_start_at_the_rate_of_an_empty_path() {
        let (mut controller, mut window) = (controller(LINUX), starting(10.0));
        round(&mut controller, 10, 0.1, &mut window);
        assert_eq!(window.cwnd, 20.0);
        round(&mut controller, 20, 0.112, &mut window);
        assert_eq!(window.cwnd, 40.0);
        round(&mut controller, 1, 0.112, &mut window);
        // 40 * 0.12 = 4.8 > 1: 40/1.12 = 35.7, truncated to 35, plus one
        assert_eq!((window.cwnd, window.ssthresh), (36.0, 36.0));
    }

    #[test]
    fn ns2_doubles_every_other_round_and_gives_back_an_eighth() {
        let (mut controller, mut window) = (controller(NS2), starting(10.0));
        round(&mut controller, 10, 0.1, &mut window);
        assert_eq!(window.cwnd, 10.0);
        round(&mut controller, 10, 0.1, &mut window);
        assert_eq!(window.cwnd, 20.0);
        round(&mut controller, 20, 0.12, &mut window);
        assert_eq!(window.cwnd, 20.0);
        round(&mut controller, 20, 0.12, &mut window);
        // 20 (1 - 1/1.2) = 3.3 > 1: 20 * 7/8
        assert_eq!((window.cwnd, window.ssthresh), (17.5, 2.0));
    }

    #[test]
    fn a_loss_leaves_half_in_linux_and_three_quarters_in_ns2() {
        for (variant, in_flight, left) in [(LINUX, 50, 25.0), (NS2, 50, 38.0), (NS2, 3, 2.0)] {
            let mut window = avoiding(50.0);
            controller(variant).on_congestion(&loss(in_flight), &PATH, &mut window);
            assert_eq!(window.ssthresh, left); // 50 - 12 = 38: whole packets
        }
    }

    #[test]
    fn a_timeout_halves_the_threshold() {
        for (variant, cwnd) in [(LINUX, 1.0), (NS2, 2.0)] {
            let mut window = avoiding(1.0);
            controller(variant).on_congestion(&timeout(50), &PATH, &mut window);
            assert_eq!((window.ssthresh, window.cwnd), (25.0, cwnd));
        }
    }

    #[test]
    fn ns2_goes_on_doubling_at_a_queue_of_gamma() {
        for (diff, step, cwnd) in [(1.0, 1.0, 16.0), (2.0, 0.0, 14.0)] {
            let (mut controller, mut window) = (controller(NS2), starting(16.0));
            controller.rests = true;
            controller.plan_start(diff, &mut window);
            assert_eq!((controller.step, window.cwnd), (step, cwnd)); // 7/8 of 16
        }
    }
}
