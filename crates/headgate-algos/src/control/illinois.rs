//! TCP-Illinois: the delay determines the sizes of increases and reductions, losses their times.
//!
//! # Overview
//! TCP-Illinois is additive increase and multiplicative decrease whose constants follow the queueing delay:
//! large steps and small reductions on an empty path, small steps and halving on a full one. The window's
//! curve between losses is concave, so that it stays near a full path for long.
//!
//! # The rule
//! Once per round trip, from its mean queueing delay `d` and the greatest of the connection, `m`, with `d1 =
//! eta1 m`, `d2 = eta2 m`, `d3 = eta3 m`:
//!
//! `alpha = alpha_max` if `d <= d1`, else `k1/(k2 + d)`, with `k1 = (m - d1) alpha_min alpha_max /
//! (alpha_max - alpha_min)` and `k2 = k1/alpha_max - d1`, so that it falls from `alpha_max` at `d1` to
//! `alpha_min` at `m`;
//!
//! `beta = beta_min` if `d <= d2`, `beta_max` if `d >= d3`, linear between.
//!
//! Once above `d1`, `alpha` returns to its maximum only after `theta` successive rounds below. Per ACK: `w +=
//! alpha acked / w`; loss: `w *= 1 - beta`. Below `low_window`, and after a time-out: `alpha` 1, `beta` 1/2.
//!
//! # Differences from the paper
//! NOTE(Linux tcp_illinois.c): the `theta` rounds must be successive, as in the paper. Linux does not restart
//! the count after a round above `d1`.
//!
//! The greatest delay is never reset, as in Linux. Delays count from the smallest RTT of data, without the
//! handshake. A time-out reduces the window by the `beta` before it.
//!
//! # When to use it
//! As the loss-driven algorithm that observes the delay: far more than Reno on an empty path, close to it on
//! a full one.
//!
//! # References
//! Liu, Basar, Srikant 2008 (curves); Linux `tcp_illinois.c` (constants, time-out).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use crate::round::RoundRtt;

headgate_model::params! {
    /// Increase per round trip on an empty path.
    alpha_max: number(10.0, (1.0, 1000.0), "segments", "Liu, Basar, Srikant 2008; Linux tcp_illinois.c"),
    /// Increase per round trip at the greatest delay.
    alpha_min: number(0.3, (0.01, 1.0), "segments",
        "Linux tcp_illinois.c; the paper's 0.1 is recalled, not verified"),
    /// Share of the window that a loss takes on an empty path.
    beta_min: number(0.125, (0.01, 0.5), "1", "Liu, Basar, Srikant 2008; Linux tcp_illinois.c"),
    /// Share of the window that a loss takes on a full path.
    beta_max: number(0.5, (0.5, 0.9), "1", "Liu, Basar, Srikant 2008; Linux tcp_illinois.c"),
    /// Share of the greatest delay up to which the increase is the largest.
    eta1: number(0.01, (0.0, 0.09), "1", "Linux tcp_illinois.c"),
    /// Share of the greatest delay up to which the cut is the smallest.
    eta2: number(0.1, (0.0, 0.5), "1", "Linux tcp_illinois.c", at_least ["eta1"]),
    /// Share of the greatest delay from which the cut is the largest.
    eta3: number(0.8, (0.5, 1.0), "1", "Linux tcp_illinois.c"),
    /// Successive rounds of little delay after which the increase is the largest again.
    theta: number(5.0, (1.0, 1000.0), "round trips", "Linux tcp_illinois.c"),
    /// Window below which the algorithm is Reno's.
    low_window: number(15.0, (0.0, 10000.0), "segments", "Linux tcp_illinois.c"),
}

pub(crate) const CARD: Card = Card {
    name: "illinois",
    title: "TCP-Illinois",
    aliases: &[],
    family: "hybrid",
    rule: "w += alpha/w per ACK, alpha from 10 to 0.3 as delay grows; w *= 7/8 to 1/2 on loss",
    response: "w = 8.66 / p^0.5 on an empty path, 0.67 / p^0.5 on a full one",
    references: &["Liu, Basar, Srikant 2008, TCP-Illinois"],
    params: Params::TABLE,
};

/// One flow's TCP-Illinois.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Illinois {
    /// On the heap, because it is read only once per round trip.
    params: Box<Params>,
    round: RoundRtt,
    /// Greatest RTT of the connection, seconds.
    max_rtt_s: f64,
    /// Increase per round trip, segments.
    alpha: f64,
    /// Share of the window that a loss takes.
    beta: f64,
    /// Successive rounds of little delay.
    calm_rounds: u32,
    /// Whether a round with more than little delay has occurred.
    queued: bool,
}

impl Illinois {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let (alpha, beta) = (params.alpha_max, params.beta_max);
        let (params, round) = (Box::new(params), RoundRtt::new());
        Self { params, round, max_rtt_s: 0.0, alpha, beta, calm_rounds: 0, queued: false }
    }

    fn be_reno(&mut self) {
        (self.alpha, self.beta) = (1.0, 0.5);
    }

    /// Returns `alpha(d)`. `d` is the mean and `most_s` the greatest queueing delay.
    fn increase(&mut self, delay_s: f64, most_s: f64) -> f64 {
        let Params { alpha_max, alpha_min, eta1, .. } = *self.params;
        let low_s = eta1 * most_s;
        if delay_s <= low_s {
            return self.calm(alpha_max);
        }
        (self.queued, self.calm_rounds) = (true, 0);
        // k1 / (k2 + d), in a form that is also valid for alpha_max = alpha_min
        let share = (delay_s - low_s) / (most_s - low_s);
        alpha_max / (1.0 + share * (alpha_max / alpha_min - 1.0))
    }

    fn calm(&mut self, alpha_max: f64) -> f64 {
        self.calm_rounds += 1;
        if self.queued && f64::from(self.calm_rounds) < self.params.theta {
            return self.alpha;
        }
        (self.queued, self.calm_rounds) = (false, 0);
        alpha_max
    }

    /// Returns `beta(d)`.
    fn decrease(&self, delay_s: f64, most_s: f64) -> f64 {
        let Params { beta_min, beta_max, eta2, eta3, .. } = *self.params;
        let (low_s, high_s) = (eta2 * most_s, eta3 * most_s);
        if delay_s <= low_s {
            beta_min
        } else if delay_s >= high_s {
            beta_max
        } else {
            beta_min + (beta_max - beta_min) * (delay_s - low_s) / (high_s - low_s)
        }
    }

    fn close_round(&mut self, cwnd: f64) {
        if cwnd < self.params.low_window {
            self.be_reno();
        } else if let Some(mean_s) = self.round.mean_s() {
            let base_s = self.round.base_s;
            let most_s = self.max_rtt_s - base_s;
            let delay_s = (mean_s - base_s).min(most_s); // the mean of equal RTTs may round to more than them
            self.alpha = self.increase(delay_s, most_s);
            self.beta = self.decrease(delay_s, most_s);
        }
        self.round.restart();
    }
}

impl Controller for Illinois {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.round.sample(ack.rtt_s);
        self.max_rtt_s = self.max_rtt_s.max(ack.rtt_s);
        if ack.round_start {
            self.close_round(window.cwnd);
        }
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        window.cwnd += self.alpha * left / window.cwnd;
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        window.ssthresh = (f64::from(event.in_flight) * (1.0 - self.beta)).max(2.0);
        if event.cause == Cause::Timeout {
            self.be_reno();
            (self.queued, self.calm_rounds) = (false, 0);
            self.round.restart();
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.alpha))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss, timeout};

    fn controller() -> Illinois {
        let mut controller = Illinois::new(Params::default());
        controller.round.base_s = PATH.min_rtt_s;
        controller
    }

    /// Returns `alpha` and `beta` after a round of this queueing delay; the greatest is 100 ms.
    fn constants(controller: &mut Illinois, delay_s: f64) -> (f64, f64) {
        controller.max_rtt_s = 0.2;
        controller.round.restart();
        controller.round.sample(0.1 + delay_s);
        controller.close_round(100.0);
        (controller.alpha, controller.beta)
    }

    #[test]
    fn alpha_falls_along_a_hyperbola_and_beta_rises_along_a_line() {
        // k1 = 99 * 3 / 9.7 = 30.619 ms, k2 = 3.0619 - 1 = 2.0619 ms; 45 ms is in the middle between 10 and
        // 80
        for (delay_s, alpha, beta) in [
            (0.0009, 10.0, 0.125),
            (0.010, 30.6186 / 12.0619, 0.125),
            (0.045, 30.6186 / 47.0619, 0.3125),
            (0.080, 30.6186 / 82.0619, 0.5),
            (0.100, 0.3, 0.5),
        ] {
            let (a, b) = constants(&mut controller(), delay_s);
            assert!((a - alpha).abs() < 1e-4 && (b - beta).abs() < 1e-9, "{delay_s}: {a} {b}");
        }
    }

    #[test]
    fn alpha_returns_to_its_maximum_after_five_calm_rounds_in_a_row() {
        let mut controller = controller();
        let (queued, _) = constants(&mut controller, 0.045);
        (0..4).for_each(|_| assert_eq!(constants(&mut controller, 0.0).0, queued));
        let (queued, _) = constants(&mut controller, 0.045);
        (0..4).for_each(|_| assert_eq!(constants(&mut controller, 0.0).0, queued));
        assert_eq!(constants(&mut controller, 0.0).0, 10.0);
    }

    #[test]
    fn an_rtt_that_never_changes_is_no_delay() {
        let mut controller = controller();
        controller.round.base_s = 0.003;
        controller.max_rtt_s = 0.003;
        for _ in 0..3 {
            (0..3).for_each(|_| controller.round.sample(0.003)); // a third of their sum is above 3 ms
            controller.close_round(100.0);
            assert_eq!((controller.alpha, controller.beta), (10.0, 0.125));
        }
    }

    #[test]
    fn a_small_window_is_reno() {
        let mut controller = controller();
        controller.close_round(14.9);
        let mut window = avoiding(10.0);
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 10.1); // 1/10
        controller.on_congestion(&loss(10), &PATH, &mut window);
        assert_eq!(window.ssthresh, 5.0);
    }

    #[test]
    fn an_ack_adds_alpha_and_a_loss_takes_beta() {
        let (mut controller, mut window) = (controller(), avoiding(100.0));
        constants(&mut controller, 0.0);
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 100.1); // 10/100
        controller.on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 87.5);
    }

    #[test]
    fn a_timeout_cuts_by_beta_and_leaves_reno() {
        let (mut controller, mut window) = (controller(), avoiding(1.0));
        constants(&mut controller, 0.0);
        controller.on_congestion(&timeout(100), &PATH, &mut window);
        assert_eq!((window.ssthresh, controller.alpha, controller.beta), (87.5, 1.0, 0.5));
    }
}
