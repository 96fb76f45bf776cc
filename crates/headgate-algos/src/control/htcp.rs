//! H-TCP: increases faster the longer no loss has come, and backs off no more than the queue asks for.
//!
//! # What it does
//! Is standard TCP for a second after each loss, then grows ever faster. A loss takes just what empties
//! the queue, as the RTTs tell; if the rate at losses has changed, it takes half.
//!
//! # The law
//! With `d` the seconds since the last loss: `cwnd += alpha/cwnd` per acknowledged segment, `alpha = 2
//! (1-beta) f`, `f = 1` up to `d = delta_l` = 1 s and `1 + 10 (d-1) + ((d-1)/2)^2` beyond; RTT scaling
//! divides `f` by `0.1 s/min_rtt` within 0.5 and 10, but leaves at least 1. Loss: `ssthresh = beta
//! in_flight` with `beta = min_rtt/max_rtt` within 0.5 and 0.8. `beta` = 0.5 if the greatest throughput
//! since the last loss differs by more than a fifth from the one before it (bandwidth switch), at the
//! loss after such a one, and if `min_rtt` is at most 10 ms.
//!
//! # Where it differs from the paper
//! It is the Linux module with fractional windows and exact times. The kernel counts RTTs in whole ticks,
//! rounded up, and cuts `f` to a whole number, and so does the law with `tick`: at 100 Hz 40.6 and 80.6 ms
//! are 5 and 9 ticks, and a loss leaves 0.55 in place of 0.5. `min_rtt` is that of data; the handshake's
//! is not seen. Throughput is a moving average (weight 1/4) of the rates of whole windows; until four
//! round trips after a loss each of them starts it anew, and recovery is not part of it. `max_rtt` rises
//! by at most 20 ms per sample and gives up a twentieth of its distance from `min_rtt` at each loss;
//! ns-2's older module leaves it alone for three round trips after a loss. `d` counts from the end of
//! recovery.
//!
//! # When to use it
//! On fast long paths where standard TCP should not be hurt: below a second between losses it is one.
//!
//! # References
//! Leith, Shorten 2004; draft-leith-tcp-htcp (alpha, beta, 1 s, 0.2); Linux `tcp_htcp.c` (6.x).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

headgate_model::params! {
    /// Time after a loss in which the law is standard TCP.
    delta_l: number(1.0, (0.0, 100.0), "s", "draft-leith-tcp-htcp"),
    /// Least share of the window that is kept on a loss.
    beta_min: number(0.5, (0.1, 0.95), "1", "draft-leith-tcp-htcp"),
    /// Greatest share of the window that is kept on a loss; not below `beta_min`.
    beta_max: number(0.8, (0.1, 0.95), "1", "draft-leith-tcp-htcp"),
    /// Change of throughput between losses, above which a loss takes the most.
    switch_share: number(0.2, (0.0, 10.0), "1", "draft-leith-tcp-htcp"),
    /// Keep `min_rtt/max_rtt` on a loss.
    adaptive_backoff: choice(["on", "off"], "Leith, Shorten 2004"),
    /// Make growth per second independent of the RTT.
    rtt_scaling: choice(["on", "off"], "Linux tcp_htcp.c (use_rtt_scaling)"),
    /// Tick of the kernel's clock, such as 10, 4 or 1 ms; 0 = exact.
    tick_s: number(0.0, (0.0, 0.1), "s", "Linux tcp_htcp.c (usecs_to_jiffies), CONFIG_HZ"),
    /// Take the most when throughput has changed.
    bandwidth_switch: choice(["on", "off"], "Linux tcp_htcp.c (use_bandwidth_switch)"),
}

pub(crate) const CARD: Card = Card {
    name: "htcp",
    title: "H-TCP",
    aliases: &[],
    family: "loss",
    law: "w += 2 (1-b) (1 + 10 (d-1) + ((d-1)/2)^2)/w per ACK, d s after a loss; w *= b = min/max RTT",
    response: "w = (2/rtt) (d + 5 (d-1)^2 + (d-1)^3/12) at a loss d s after the last",
    references: &["Leith, Shorten 2004, H-TCP", "draft-leith-tcp-htcp-06"],
    params: Params::TABLE,
};

/// RTT at which scaling changes nothing, seconds, and the bounds of its ratio (Linux).
const SCALE_RTT_S: f64 = 0.1;
const SCALE: (f64, f64) = (0.5, 10.0);

/// Smallest RTT up to which `beta` is not adapted, seconds (Linux).
const ADAPTED_RTT_S: f64 = 0.010;

/// Greatest rise of `max_rtt` by one sample, seconds, and what a loss leaves of its excess (Linux).
const RISE_S: f64 = 0.020;
const MEMORY: f64 = 0.95;

/// Throughput starts anew for this number of round trips after a loss, then is averaged with this weight.
const FRESH_ROUNDS: f64 = 4.0;
const WEIGHT: f64 = 0.25;

/// Throughput since the last loss.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Throughput {
    /// Segments acknowledged since `since_s`.
    acked: f64,
    since_s: f64,
    /// Segments/s: average, its maximum since the last loss, and the maximum before that.
    average: f64,
    most: f64,
    before: f64,
}

impl Throughput {
    fn restart(&mut self, now_s: f64) {
        (self.acked, self.since_s) = (0.0, now_s);
    }

    /// Counts; a sample is a window of segments that took at least the smallest RTT.
    fn count(&mut self, acked: f64, window: f64, fresh: bool, now_s: f64, min_rtt_s: f64) {
        self.acked += acked;
        let elapsed_s = now_s - self.since_s;
        if self.acked < window || elapsed_s < min_rtt_s || elapsed_s <= 0.0 {
            return;
        }
        let sample = self.acked / elapsed_s;
        if fresh {
            (self.average, self.most) = (sample, sample);
        } else {
            self.average += WEIGHT * (sample - self.average);
            self.most = self.most.max(self.average);
        }
        self.restart(now_s);
    }

    /// At a loss: whether the maximum has changed by more than `share` since the one before.
    fn has_changed(&mut self, share: f64) -> bool {
        let before = std::mem::replace(&mut self.before, self.most);
        (self.most - before).abs() > share * before
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    beta: f64,
    /// End of the last recovery, seconds.
    lost_s: f64,
    /// Smallest RTT of data, seconds; 0 = none yet. Greatest one of late.
    min_rtt_s: f64,
    max_rtt_s: f64,
    throughput: Throughput,
    /// Throughput was steady at the last loss: `beta` may adapt.
    steady: bool,
    recovering: bool,
}

/// One flow's H-TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Htcp {
    params: Params,
    state: Box<State>,
}

impl Htcp {
    /// A flow that has not begun.
    pub fn new(params: Params) -> Self {
        let state = State {
            beta: params.beta_min,
            lost_s: 0.0,
            min_rtt_s: 0.0,
            max_rtt_s: 0.0,
            throughput: Throughput::default(),
            steady: false,
            recovering: false,
        };
        Self { params, state: Box::new(state) }
    }

    fn note(&mut self, ack: &Ack, cwnd: f64) {
        if ack.rtt_s > 0.0 {
            self.note_rtt(self.ticks(ack.rtt_s));
        }
        let min_rtt_s = self.state.min_rtt_s;
        let window = cwnd - self.alpha(ack.now_s).max(1.0);
        let fresh = ack.now_s - self.state.lost_s < FRESH_ROUNDS * min_rtt_s;
        self.state.throughput.count(ack.acked, window, fresh, ack.now_s, min_rtt_s);
    }

    /// A time in whole ticks, rounded up.
    fn ticks(&self, rtt_s: f64) -> f64 {
        let tick_s = self.params.tick_s;
        if tick_s > 0.0 { (rtt_s / tick_s).ceil() * tick_s } else { rtt_s }
    }

    fn note_rtt(&mut self, rtt_s: f64) {
        let State { min_rtt_s, max_rtt_s, .. } = &mut *self.state;
        if *min_rtt_s == 0.0 || rtt_s < *min_rtt_s {
            *min_rtt_s = rtt_s;
        }
        let most_s = max_rtt_s.max(*min_rtt_s);
        *max_rtt_s = if rtt_s <= most_s + RISE_S { most_s.max(rtt_s) } else { most_s };
    }

    /// Segments per round trip.
    fn alpha(&self, now_s: f64) -> f64 {
        let late_s = (now_s - self.state.lost_s - self.params.delta_l).max(0.0);
        let raw = self.cut(1.0 + 10.0 * late_s + late_s * late_s / 4.0);
        2.0 * (1.0 - self.state.beta) * self.cut(self.scaled(raw))
    }

    /// What the kernel keeps of a factor.
    fn cut(&self, factor: f64) -> f64 {
        if self.params.tick_s > 0.0 { factor.floor() } else { factor }
    }

    fn scaled(&self, raw: f64) -> f64 {
        if self.params.rtt_scaling != 0.0 || self.state.min_rtt_s == 0.0 {
            return raw;
        }
        (raw / (SCALE_RTT_S / self.state.min_rtt_s).clamp(SCALE.0, SCALE.1)).max(1.0)
    }

    fn adapt(&mut self) {
        let min_rtt_s = self.state.min_rtt_s;
        let Params { beta_min, beta_max, switch_share, .. } = self.params;
        let changed = self.state.throughput.has_changed(switch_share);
        let switched = self.params.bandwidth_switch == 0.0 && changed;
        let wide = min_rtt_s > ADAPTED_RTT_S && self.state.max_rtt_s > 0.0;
        let adapts = self.params.adaptive_backoff == 0.0 && wide && self.state.steady && !switched;
        let ratio = min_rtt_s / self.state.max_rtt_s;
        self.state.beta = if adapts { ratio.min(beta_max).max(beta_min) } else { beta_min };
        self.state.steady = !switched;
    }

    /// Lets the greatest RTT fade, so that routes may change.
    fn fade(&mut self) {
        let min_rtt_s = self.state.min_rtt_s;
        let excess_s = self.state.max_rtt_s - min_rtt_s;
        if excess_s > 0.0 {
            self.state.max_rtt_s = min_rtt_s + self.ticks(MEMORY * excess_s - self.params.tick_s);
        }
    }

    fn begin(&mut self, now_s: f64) {
        self.state.lost_s = now_s;
        self.state.throughput.restart(now_s);
        self.state.recovering = false;
    }
}

impl Controller for Htcp {
    fn on_start(&mut self, now_s: f64, _path: &Path, _window: &mut Window) {
        self.begin(now_s);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.note(ack, window.cwnd);
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            window.cwnd += self.alpha(ack.now_s) * (left / window.cwnd).min(1.0);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if self.state.recovering {
            self.state.throughput.restart(ack.now_s);
        } else {
            self.note(ack, window.cwnd);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        self.adapt();
        self.fade();
        window.ssthresh = (self.state.beta * f64::from(event.in_flight)).max(2.0);
        self.begin(event.now_s);
        self.state.recovering = event.cause != Cause::Timeout;
    }

    fn on_recovered(&mut self, now_s: f64, _path: &Path, _window: &mut Window) {
        self.begin(now_s);
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("beta", self.state.beta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss};

    fn law() -> Htcp {
        let mut law = Htcp::new(Params::default());
        law.state.min_rtt_s = 0.1;
        law
    }

    /// A law at its next loss of 100 segments: what is left of them.
    fn after_loss(law: &mut Htcp, most: f64, max_rtt_s: f64) -> f64 {
        (law.state.throughput.most, law.state.max_rtt_s) = (most, max_rtt_s);
        let mut window = avoiding(100.0);
        law.on_congestion(&loss(100), &PATH, &mut window);
        window.ssthresh
    }

    #[test]
    fn the_increase_starts_after_a_second() {
        let law = law();
        assert_eq!([0.5, 1.0].map(|d| law.alpha(d)), [1.0, 1.0]);
        assert_eq!([3.0, 4.0].map(|d| law.alpha(d)), [22.0, 33.25]); // 1 + 10 * 3 + 9/4
    }

    #[test]
    fn rtt_scaling_divides_by_the_smallest_rtt() {
        let mut law = law();
        let mut alpha = |now_s, min_rtt_s| {
            law.state.min_rtt_s = min_rtt_s;
            law.alpha(now_s)
        };
        assert_eq!([0.2, 1.0].map(|min_rtt_s| alpha(3.0, min_rtt_s)), [44.0, 44.0]);
        assert!((alpha(3.0, 0.005) - 2.2).abs() < 1e-12);
        assert_eq!(alpha(0.0, 0.005), 1.0); // not below standard TCP
        law.params.rtt_scaling = 1.0;
        assert_eq!(law.alpha(3.0), 22.0);
    }

    #[test]
    fn a_kernel_counts_rtts_in_ticks_and_whole_factors() {
        let mut law = law();
        (law.params.tick_s, law.state.min_rtt_s) = (0.01, 0.0);
        let mut window = avoiding(100.0);
        for rtt_s in [0.0406, 0.0606, 0.0806] {
            law.on_ack(&ack(rtt_s), &PATH, &mut window);
        }
        assert!((law.state.min_rtt_s - 0.05).abs() < 1e-12 && (law.state.max_rtt_s - 0.09).abs() < 1e-12);
        assert_eq!(law.alpha(1.55), 3.0); // 1 + 5.5 + 0.07, cut to 6; over 2
        law.on_congestion(&loss(100), &PATH, &mut window);
        assert!((law.state.max_rtt_s - 0.08).abs() < 1e-12); // 5 + 0.95 * 4 = 8.8 ticks
    }

    #[test]
    fn the_backoff_follows_the_rtts_once_throughput_is_steady() {
        let mut law = law();
        assert_eq!(after_loss(&mut law, 1000.0, 0.16), 50.0); // the first
        assert_eq!(after_loss(&mut law, 1190.0, 0.16), 50.0); // steady for the first time
        assert_eq!(after_loss(&mut law, 1000.0, 0.16), 62.5); // 0.1/0.16
        assert_eq!(law.alpha(1.5), 0.75); // 2 * 0.375 after the loss at 1 s
    }

    #[test]
    fn a_change_by_more_than_a_fifth_halves() {
        let mut law = law();
        for left in [50.0, 50.0, 62.5] {
            assert_eq!(after_loss(&mut law, 1000.0, 0.16), left);
        }
        assert_eq!(after_loss(&mut law, 1210.0, 0.16), 50.0);
        assert_eq!(after_loss(&mut law, 1210.0, 0.16), 50.0);
        assert_eq!(after_loss(&mut law, 1210.0, 0.11), 80.0); // 0.91, but at most 0.8
        assert_eq!(after_loss(&mut law, 1210.0, 0.3), 50.0);
    }

    #[test]
    fn the_backoff_of_ten_milliseconds_or_less_does_not_adapt() {
        for (min_rtt_s, left) in [(0.01, 50.0), (0.0101, 80.0)] {
            let mut law = law();
            law.state.min_rtt_s = min_rtt_s;
            after_loss(&mut law, 1000.0, 0.012);
            after_loss(&mut law, 1000.0, 0.012);
            assert_eq!(after_loss(&mut law, 1000.0, 0.012), left);
        }
    }

    #[test]
    fn the_greatest_rtt_rises_by_steps_and_fades() {
        let mut law = law();
        let mut window = avoiding(10.0);
        for (rtt_s, greatest_s) in [(0.115, 0.115), (0.5, 0.115), (0.134, 0.134)] {
            law.on_ack(&ack(rtt_s), &PATH, &mut window);
            assert_eq!(law.state.max_rtt_s, greatest_s);
        }
        law.on_congestion(&loss(10), &PATH, &mut window);
        assert!((law.state.max_rtt_s - 0.1323).abs() < 1e-12); // 0.1 + 0.95 * 0.034
    }

    #[test]
    fn throughput_is_the_rate_of_whole_windows() {
        let mut rate = Throughput::default();
        for (now_s, fresh) in [(0.1, true), (0.2, false)] {
            rate.count(5.0, 10.0, fresh, now_s - 0.05, 0.1);
            rate.count(if fresh { 5.0 } else { 25.0 }, 10.0, fresh, now_s, 0.1);
        }
        // 100/s, then 300/s with weight 1/4
        assert!((rate.average - 150.0).abs() < 1e-9 && (rate.most - 150.0).abs() < 1e-9);
    }

    #[test]
    fn throughput_starts_anew_within_four_round_trips_of_a_loss() {
        // round trips of 125 ms, nine segments in all of the time: 24/s after three, 18/s after four
        for (now_s, average) in [(0.375, 24.0), (0.5, 79.5)] {
            let mut law = law();
            law.state.min_rtt_s = 0.125;
            (law.state.throughput.average, law.state.throughput.most) = (100.0, 100.0);
            law.on_ack(&Ack { now_s, acked: 9.0, ..ack(0.125) }, &PATH, &mut avoiding(10.0));
            assert_eq!(law.state.throughput.average, average); // then 100 - (100 - 18)/4
        }
    }

    #[test]
    fn a_sample_of_throughput_is_a_window_less_an_increase() {
        for (acked, average) in [(8.0, 0.0), (9.0, 45.0)] {
            let mut law = law();
            law.on_ack(&Ack { now_s: 0.2, acked, ..ack(0.1) }, &PATH, &mut avoiding(10.0));
            assert_eq!(law.state.throughput.average, average); // 9 in 0.2 s
        }
    }
}
