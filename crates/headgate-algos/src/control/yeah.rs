//! YeAH-TCP: fast while the path is empty, Reno while it is not.
//!
//! # Overview
//! YeAH estimates how many of its packets are queued. While they are few, it grows as Scalable TCP. When they
//! are many, it empties the queue itself before a loss does. While the delay shows that other flows fill the
//! queue, it is Reno, so that it does not yield to them.
//!
//! # The rule
//! Once per round trip `queue = w (1 - base_rtt/rtt)`, with the smallest `rtt` of the round. *Fast* mode if
//! `queue <= q_max` and `rtt - base_rtt <= base_rtt/phi`: `w += acked / min(w, 1/increase)`; else *slow*
//! mode: `w += acked/w`. If `queue > q_max`, and `w` above `w_reno`: `w -= min(queue, epsilon w)`, at least
//! `w_reno`. `w_reno` is the window of an emulated Reno flow: `w/2` when slow mode begins, one more in each
//! of its rounds, half at a loss, reset after more than `zeta` fast rounds. Loss: `w -= min(max(queue, delta
//! w), w/2)`, but `w/2` after at least `rho` successive slow rounds, which show competition.
//!
//! # Differences from the paper
//! NOTE(Baiocchi, Castellani, Vacirca 2007): the rules are those of the Linux module by one of the authors.
//!
//! NOTE(Linux tcp_yeah.c): windows and queues are fractional, so that thresholds are crossed without
//! rounding. A round of one or two samples is skipped. A window that does not limit the flow is unchanged,
//! and is not reduced to empty the queue either.
//!
//! The base RTT is that of data, without the handshake, as in Linux; an idle time resets it.
//!
//! # When to use it
//! As a hybrid that keeps large paths full with a short queue and still competes with Reno.
//!
//! # References
//! Baiocchi, Castellani, Vacirca 2007; Linux `tcp_yeah.c` (all constants).

use headgate_model::control::{Ack, Congestion, Controller, Path, Restart, Window};
use headgate_model::params::Card;

use super::reno;
use crate::round::RoundRtt;

headgate_model::params! {
    /// Number of queued packets above which the queue is too long.
    q_max: number(80.0, (1.0, 100000.0), "segments", "Linux tcp_yeah.c"),
    /// Divisor of the base RTT that gives the largest queueing delay of fast mode.
    phi: number(8.0, (1.0, 1000.0), "1", "Linux tcp_yeah.c"),
    /// Successive slow rounds from which a loss halves.
    rho: number(16.0, (1.0, 10000.0), "round trips", "Linux tcp_yeah.c"),
    /// Fast rounds after which the emulated Reno flow is reset.
    zeta: number(50.0, (1.0, 10000.0), "round trips", "Linux tcp_yeah.c"),
    /// Smallest share of the window that a loss takes.
    delta: number(0.125, (0.01, 0.5), "1", "Linux tcp_yeah.c"),
    /// Greatest share of the window that emptying the queue takes.
    epsilon: number(0.5, (0.01, 0.9), "1", "Linux tcp_yeah.c", at_least ["delta"]),
    /// Increase per acknowledged segment in fast mode.
    increase: number(0.01, (1e-6, 1.0), "segments", "Linux tcp_yeah.c; Kelly 2003"),
}

pub(crate) const CARD: Card = Card {
    name: "yeah",
    title: "YeAH-TCP",
    aliases: &[],
    family: "hybrid",
    rule: "w += 0.01 per ACK while few packets queue, else 1/w; w -= queue above 80; w *= 1/2 to 7/8 on loss",
    response: "w = 0.075 / p on an empty path, as scalable",
    references: &["Baiocchi, Castellani, Vacirca 2007, YeAH-TCP: yet another highspeed TCP"],
    params: Params::TABLE,
};

/// The smallest window of the emulated Reno flow, segments.
const FLOOR: f64 = 2.0;

/// One flow's YeAH-TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Yeah {
    /// On the heap except for `increase`, because it is read only once per round trip.
    params: Box<Params>,
    increase: f64,
    round: RoundRtt,
    /// Packets in the queue in the last round.
    queue: f64,
    /// Window of an emulated Reno flow, segments.
    reno: f64,
    /// Successive rounds of slow mode.
    slow_rounds: u32,
    /// Rounds of fast mode since the last loss, or since the emulated Reno flow was reset.
    fast_rounds: u32,
}

impl Yeah {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self {
            params: Box::new(params),
            increase: params.increase,
            round: RoundRtt::new(),
            queue: 0.0,
            reno: FLOOR,
            slow_rounds: 0,
            fast_rounds: 0,
        }
    }

    fn grow(&self, acked: f64, window: &mut Window) {
        if window.slow_starts() {
            window.slow_start(acked);
        } else if self.slow_rounds == 0 {
            window.cwnd += acked * self.increase.max(1.0 / window.cwnd);
        } else {
            reno::avoid(acked, window);
        }
    }

    fn close_round(&mut self, window: &mut Window) {
        let (base_rtt_s, rtt_s) = (self.round.base_s, self.round.least_s);
        self.queue = window.cwnd * (1.0 - base_rtt_s / rtt_s);
        if self.queue > self.params.q_max || rtt_s - base_rtt_s > base_rtt_s / self.params.phi {
            self.go_slow(window);
        } else {
            self.go_fast();
        }
    }

    fn go_slow(&mut self, window: &mut Window) {
        if self.queue > self.params.q_max && window.cwnd > self.reno {
            let excess = self.queue.min(self.params.epsilon * window.cwnd);
            window.cwnd = (window.cwnd - excess).max(self.reno);
            window.ssthresh = window.cwnd;
        }
        self.reno = if self.reno <= FLOOR { (window.cwnd / 2.0).max(FLOOR) } else { self.reno + 1.0 };
        self.slow_rounds = self.slow_rounds.saturating_add(1);
    }

    fn go_fast(&mut self) {
        self.slow_rounds = 0;
        self.fast_rounds += 1;
        if f64::from(self.fast_rounds) > self.params.zeta {
            self.reno = FLOOR;
            self.fast_rounds = 0;
        }
    }

    /// Returns the reduction of a flight by a loss.
    fn loss_of(&self, flight: f64) -> f64 {
        let half = (flight / 2.0).max(FLOOR);
        if f64::from(self.slow_rounds) < self.params.rho {
            self.queue.min(half).max(self.params.delta * flight)
        } else {
            half
        }
    }
}

impl Controller for Yeah {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.round.sample(ack.rtt_s);
        if ack.cwnd_limited {
            self.grow(ack.acked, window);
            if ack.round_start && self.round.has_enough_samples() {
                self.close_round(window);
            }
        }
        if ack.round_start {
            self.round.restart();
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let flight = f64::from(event.in_flight);
        window.ssthresh = (flight - self.loss_of(flight)).max(FLOOR);
        self.fast_rounds = 0;
        self.reno = (self.reno / 2.0).max(FLOOR);
    }

    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {
        self.round.restart();
    }

    /// Resets the base RTT, because the path may have changed during the idle time (`tcp_vegas_cwnd_event`).
    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {
        self.round = RoundRtt::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss};

    fn controller() -> Yeah {
        let mut controller = Yeah::new(Params::default());
        controller.round.base_s = PATH.min_rtt_s;
        controller
    }

    /// A round at this RTT, ended by an ACK that acknowledges nothing.
    fn round(controller: &mut Yeah, rtt_s: f64, window: &mut Window) {
        (0..3).for_each(|_| controller.round.sample(rtt_s));
        controller.on_ack(&Ack { acked: 0.0, round_start: true, ..ack(rtt_s) }, &PATH, window);
    }

    #[test]
    fn fast_mode_is_scalable_and_slow_mode_reno() {
        for (slow_rounds, cwnd, after) in [(0, 200.0, 200.01), (0, 50.0, 50.02), (1, 200.0, 200.005)] {
            let (mut controller, mut window) = (controller(), avoiding(cwnd));
            controller.slow_rounds = slow_rounds;
            controller.on_ack(&ack(0.1), &PATH, &mut window);
            assert_eq!(window.cwnd, after); // 1/100, 1/50, 1/200
        }
    }

    #[test]
    fn a_long_queue_is_emptied_but_for_the_share_of_reno() {
        let (mut controller, mut window) = (controller(), avoiding(1000.0));
        round(&mut controller, 0.111, &mut window);
        // 1000 (1 - 0.1/0.111) = 99.1 > 80
        assert!((window.cwnd - 900.9009).abs() < 1e-3 && window.ssthresh == window.cwnd);
        assert!((controller.reno - 450.45).abs() < 1e-2 && controller.slow_rounds == 1);
        (window.cwnd, controller.reno) = (1000.0, 950.0);
        round(&mut controller, 0.111, &mut window);
        assert_eq!((window.cwnd, controller.reno, controller.slow_rounds), (950.0, 951.0, 2));
    }

    #[test]
    fn a_long_delay_alone_only_slows() {
        let (mut controller, mut window) = (controller(), avoiding(100.0));
        round(&mut controller, 0.113, &mut window); // 11.5 packets, but 13 ms > 100/8 ms
        assert_eq!((window.cwnd, controller.slow_rounds, controller.reno), (100.0, 1, 50.0));
        round(&mut controller, 0.112, &mut window);
        assert_eq!((controller.slow_rounds, controller.fast_rounds), (0, 1));
    }

    #[test]
    fn reno_is_forgotten_after_more_than_fifty_fast_rounds() {
        let (mut controller, mut window) = (controller(), avoiding(100.0));
        controller.reno = 40.0;
        (0..50).for_each(|_| round(&mut controller, 0.1, &mut window));
        assert_eq!(controller.reno, 40.0);
        round(&mut controller, 0.1, &mut window);
        assert_eq!((controller.reno, controller.fast_rounds), (2.0, 0));
    }

    #[test]
    fn a_loss_takes_the_queue_from_an_eighth_to_a_half() {
        // 400: 400/8 = 50 at least, 200 at most; competition: half
        let cases = [(10.0, 0, 350.0), (90.0, 15, 310.0), (300.0, 0, 200.0), (10.0, 16, 200.0)];
        for (queue, slow_rounds, left) in cases {
            let (mut controller, mut window) = (controller(), avoiding(400.0));
            (controller.queue, controller.slow_rounds, controller.reno) = (queue, slow_rounds, 100.0);
            controller.on_congestion(&loss(400), &PATH, &mut window);
            assert_eq!((window.ssthresh, controller.reno), (left, 50.0));
        }
    }

    #[test]
    fn a_delay_of_just_an_eighth_does_not_slow() {
        let (mut controller, mut window) = (controller(), avoiding(50.0));
        controller.round.base_s = 0.125;
        round(&mut controller, 0.125 + 0.125 / 8.0, &mut window);
        assert_eq!(controller.slow_rounds, 0);
    }
}
