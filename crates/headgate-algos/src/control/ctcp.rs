//! Compound TCP: Reno with a second window that depends on delay.
//!
//! # Overview
//! Compound TCP adds a second window to Reno's. It grows fast while few packets queue and shrinks as the
//! queue grows, so that a fast long path is filled soon and a full one is left to Reno.
//!
//! # The rule
//! `w = c + d`. The loss-driven part: `c += 1/w` per acknowledged segment. The delay-driven part, once per
//! round trip, from the packets that the flow queues, `diff = w (1 - base_rtt/rtt)`: `d += max(0, alpha w^k -
//! 1)` if `diff < gamma`, else `d = max(0, d - zeta diff)`. Loss: `c = c/2` and `d = max(0, w (1 - beta) -
//! c_old/2)`, so that `w` halves. Time-out and slow start: `d = 0`.
//!
//! Tuning by emulation: `c` is the window of a Reno flow on this path, and `c (1 - base_rtt/rtt)` is its
//! queue. At a loss, 3/4 of that queue in the previous round is a sample: `gamma = (1 - lambda) sample +
//! lambda gamma`, from `gamma_low` to the parameter `gamma`, which is the initial value and the value after a
//! time-out. The delay-driven part therefore also yields if the buffer is too small for 30 packets.
//!
//! # Differences from the paper
//! NOTE(draft-sridharan-tcpm-ctcp-02): `gamma` is fixed unless `tuning` is `emulated`. `lambda` comes from an
//! implementation; the draft gives no value.
//!
//! NOTE(Tan et al. 2006): `k` is 3/4, as in all implementations; 0.8 would match HighSpeed TCP's exponent.
//!
//! NOTE(Tan et al. 2006): no threshold enables `d`. `alpha w^k` exceeds 1 only above 16 segments;
//! `low_window` can set a threshold.
//!
//! NOTE(Tan et al. 2006): the RTT is the round's smallest of more than two samples, otherwise the round is
//! skipped. The base RTT is that of the connection, including the handshake.
//!
//! NOTE(ns-2 tcp_compound): `d` is zero in slow start; the ns-2 module already increases it there.
//!
//! # When to use it
//! As the hybrid of loss and delay: efficient on large empty paths, Reno on full ones.
//!
//! # References
//! Tan, Song, Zhang, Sridharan 2006 (alpha 1/8, beta 1/2, k 3/4, gamma 30); Tan, Song, Zhang 2006 (tuning by
//! emulation); draft-sridharan-tcpm-ctcp-02 (gamma from 5 to 30, 3/4); the `tcp_compound` module of ns-2
//! (zeta 1, smallest RTT, more than two samples).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;
use crate::round::RoundRtt;

headgate_model::choices! {
    /// How Compound TCP chooses `gamma`.
    pub enum Tuning {
        /// `gamma` is the parameter.
        Fixed = "fixed",
        /// `gamma` follows the queue of an emulated Reno flow.
        Emulated = "emulated",
    }
}

headgate_model::params! {
    /// Factor of the delay-driven increase, `alpha w^k` per round trip.
    alpha: number(0.125, (0.0, 1.0), "segments^(1-k)", "Tan et al. 2006"),
    /// Share of the window that a loss takes.
    beta: number(0.5, (0.05, 0.95), "1", "Tan et al. 2006"),
    /// Exponent of the delay-driven increase.
    k: number(0.75, (0.0, 0.99), "1", "Tan et al. 2006"),
    /// Share of the queued packets that the delay-driven window yields per round trip.
    zeta: number(1.0, (0.0, 10.0), "1", "ns-2 tcp_compound"),
    /// Queued packets from which the delay-driven window shrinks; with tuning, the upper bound.
    gamma: number(30.0, (0.0, 10000.0), "segments", "Tan et al. 2006"),
    /// Window below which the delay-driven part does not grow; 0 = none, it grows if `alpha w^k` exceeds 1.
    low_window: number(0.0, (0.0, 10000.0), "segments",
        "Tan et al. 2006 need none"),
    /// Whether gamma is fixed or follows the queue of an emulated Reno flow.
    tuning: choice(Tuning, "Tan et al. 2006; draft-sridharan-tcpm-ctcp-02"),
    /// Lower bound of a tuned gamma.
    gamma_low: number(5.0, (0.0, 10000.0), "segments", "draft-sridharan-tcpm-ctcp-02") used_with tuning ["emulated"],
    /// Share of the old gamma that tuning keeps at a loss.
    lambda: number(0.8, (0.0, 1.0), "",
        "an open implementation of draft-sridharan-tcpm-ctcp-02, which names none") used_with tuning ["emulated"],
}

pub(crate) const CARD: Card = Card {
    name: "ctcp",
    title: "Compound TCP",
    aliases: &["compound"],
    family: "hybrid",
    rule: "w = c + d; c as Reno; d += w^0.75/8 - 1 per RTT while fewer than 30 queue; w *= 1/2 on loss",
    response: "w = 0.255 / p^0.8",
    references: &["Tan, Song, Zhang, Sridharan 2006", "draft-sridharan-tcpm-ctcp-02"],
    params: Params::TABLE,
};

/// Share of an emulated Reno flow's queue at a loss that becomes a sample of gamma.
const SAMPLE: f64 = 0.75;

/// One flow's Compound TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ctcp {
    /// On the heap, because it is read only once per round trip.
    params: Box<Params>,
    /// The delay-driven part of the window, segments.
    dwnd: f64,
    round: RoundRtt,
    /// Queued packets from which the delay-driven window shrinks.
    gamma: f64,
    /// Packets that Reno would have queued in the last round.
    reno_queue: Option<f64>,
}

impl Ctcp {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let (gamma, params) = (params.gamma, Box::new(params));
        Self { params, dwnd: 0.0, round: RoundRtt::new(), gamma, reno_queue: None }
    }

    /// Returns the delay-driven window after a round at `win` segments of which `diff` were queued.
    fn steered(&self, win: f64, diff: f64) -> f64 {
        let Params { alpha, k, zeta, low_window, .. } = *self.params;
        if diff >= self.gamma {
            (self.dwnd - zeta * diff).max(0.0)
        } else if win >= low_window {
            self.dwnd + (alpha * libm::pow(win, k) - 1.0).max(0.0)
        } else {
            self.dwnd
        }
    }

    fn steer(&mut self, base_rtt_s: f64, window: &mut Window) {
        if self.round.has_enough_samples() {
            let share = 1.0 - base_rtt_s / self.round.least_s;
            self.reno_queue = Some((window.cwnd - self.dwnd) * share);
            let diff = window.cwnd * share;
            let dwnd = self.steered(window.cwnd, diff);
            window.cwnd += dwnd - self.dwnd;
            self.dwnd = dwnd;
        }
    }

    /// Updates gamma at a loss, which shows how much an emulated Reno flow may queue here.
    fn tune(&mut self) {
        let Params { tuning, lambda, gamma, gamma_low, .. } = *self.params;
        if let Some(queue) = self.reno_queue.take().filter(|_| tuning == Tuning::Emulated) {
            let tuned = (1.0 - lambda) * SAMPLE * queue + lambda * self.gamma;
            self.gamma = tuned.max(gamma_low).min(gamma);
        }
    }

    fn avoid(&mut self, acked: f64, ack: &Ack, path: &Path, window: &mut Window) {
        // the transport may have left less than the sum of both parts
        if self.dwnd > window.cwnd - 1.0 {
            self.dwnd = 0.0;
        }
        reno::avoid(acked, window);
        if ack.round_start {
            self.steer(path.min_rtt_s, window);
        }
    }
}

impl Controller for Ctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.round.sample(ack.rtt_s);
        if ack.cwnd_limited {
            if window.slow_starts() {
                self.dwnd = 0.0;
                let left = window.slow_start(ack.acked);
                reno::avoid(left, window);
            } else {
                self.avoid(ack.acked, ack, path, window);
            }
        }
        if ack.round_start {
            self.round.restart();
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        reno::halve(event.in_flight, window);
        if event.cause == Cause::Timeout {
            self.dwnd = 0.0;
            self.gamma = self.params.gamma;
            self.reno_queue = None;
            return;
        }
        self.tune();
        let win = f64::from(event.in_flight);
        let half = (win - self.dwnd).max(0.0) / 2.0;
        self.dwnd = (win * (1.0 - self.params.beta) - half).max(0.0);
        window.ssthresh = (half + self.dwnd).max(2.0);
    }

    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {
        self.round.restart();
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("dwnd", self.dwnd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss, timeout};

    fn controller() -> Ctcp {
        Ctcp::new(Params::default())
    }

    /// A round of `samples` ACKs whose last one ends it.
    fn round(controller: &mut Ctcp, samples: u32, rtt_s: f64, window: &mut Window) {
        for i in 1..=samples {
            controller.on_ack(&Ack { round_start: i == samples, ..ack(rtt_s) }, &PATH, window);
        }
    }

    #[test]
    fn an_empty_path_adds_a_power_of_the_window() {
        let (mut controller, mut window) = (controller(), avoiding(256.0));
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 256.0 + 1.0 / 256.0);
        window.cwnd = 256.0 - 2.0 / 256.0;
        round(&mut controller, 2, 0.1, &mut window);
        // 256^0.75 / 8 - 1 = 64/8 - 1 = 7, and 1/256 twice brings the Reno part back to 256
        assert!((controller.dwnd - 7.0).abs() < 1e-6 && (window.cwnd - 263.0).abs() < 1e-3);
    }

    #[test]
    fn a_queue_is_given_back() {
        let (mut controller, mut window) = (controller(), avoiding(300.0 - 1e-2));
        controller.dwnd = 100.0;
        round(&mut controller, 3, 0.125, &mut window);
        // diff = 300 (1 - 0.1/0.125) = 60 >= 30: 100 - 60 = 40
        assert!((controller.dwnd - 40.0).abs() < 1e-3 && (window.cwnd - 240.0).abs() < 1e-3);
    }

    #[test]
    fn nothing_is_added_up_to_sixteen_segments_or_on_two_samples() {
        let (mut controller, mut window) = (controller(), avoiding(15.0));
        round(&mut controller, 3, 0.1, &mut window);
        assert_eq!(controller.dwnd, 0.0);
        window.cwnd = 256.0;
        round(&mut controller, 2, 0.1, &mut window);
        assert_eq!(controller.dwnd, 0.0);
    }

    #[test]
    fn the_low_window_can_be_set() {
        let (mut controller, mut window) = (controller(), avoiding(256.0));
        controller.params.low_window = 300.0;
        round(&mut controller, 3, 0.1, &mut window);
        assert_eq!(controller.dwnd, 0.0);
    }

    #[test]
    fn tuning_takes_three_quarters_of_what_reno_queues() {
        let (mut controller, mut window) = (controller(), avoiding(100.0 - 3e-2));
        (controller.params.tuning, controller.dwnd) = (Tuning::Emulated, 40.0);
        round(&mut controller, 3, 0.125, &mut window);
        // Reno's part of 60 queues 60 (1 - 0.1/0.125) = 12: 0.2 * 9 + 0.8 * 30 = 25.8
        controller.on_congestion(&loss(100), &PATH, &mut window);
        assert!((controller.gamma - 25.8).abs() < 1e-3);
        controller.on_congestion(&loss(50), &PATH, &mut window); // no round trip since: nothing is known
        assert!((controller.gamma - 25.8).abs() < 1e-3);
        controller.on_congestion(&timeout(50), &PATH, &mut window);
        assert_eq!(controller.gamma, 30.0);
    }

    #[test]
    fn tuning_stays_within_its_bounds_and_fixed_is_fixed() {
        for (tuning, queue, gamma) in
            [(Tuning::Emulated, 4.0, 5.0), (Tuning::Emulated, 90.0, 30.0), (Tuning::Fixed, 4.0, 30.0)]
        {
            let mut controller = controller();
            (controller.params.tuning, controller.params.lambda, controller.reno_queue) =
                (tuning, 0.0, Some(queue));
            controller.tune();
            assert_eq!(controller.gamma, gamma); // 3 and 67.5 are outside 5 to 30
        }
    }

    #[test]
    fn a_loss_halves_both_parts() {
        let (mut controller, mut window) = (controller(), avoiding(100.0));
        controller.dwnd = 40.0;
        controller.on_congestion(&loss(100), &PATH, &mut window);
        // c 60 -> 30, d = 100/2 - 30 = 20
        assert_eq!((window.ssthresh, controller.dwnd), (50.0, 20.0));
    }

    #[test]
    fn a_timeout_and_slow_start_leave_no_delay_part() {
        let (mut controller, mut window) = (controller(), avoiding(1.0));
        controller.dwnd = 40.0;
        controller.on_congestion(&timeout(100), &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.dwnd), (50.0, 0.0));
        round(&mut controller, 5, 0.1, &mut window);
        assert_eq!((window.cwnd, controller.dwnd), (6.0, 0.0));
    }
}
