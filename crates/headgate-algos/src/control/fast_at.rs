//! FAST TCP with alpha tuning: the number of packets kept in the queue follows the throughput.
//!
//! # Overview
//! FAST-AT is FAST except that `alpha` takes three values, small for a slow flow and large for a fast one.
//! Slow paths then need little buffer, and fast paths still queue enough packets to be measured.
//!
//! # The rule
//! FAST's. Once per round trip, the throughput is the number of acknowledged segments since the last time,
//! per second. Above `up_mid` (`up_high`), `alpha` changes from the smallest (middle) value to the next;
//! below `down_high` (`down_mid`), from the largest (middle) value to the previous one. The lower thresholds
//! are below the upper ones, so that a throughput near a threshold does not oscillate. The initial `alpha` is
//! the smallest.
//!
//! # Differences from the paper
//! NOTE(Mills et al. 2010, NIST SP 500-282): the text of the report was not available. Its three values and
//! four thresholds, and the change by one value at a time, are recalled, not verified. The time at which the
//! study measured the throughput is unknown; here it is measured in each round trip without a loss.
//!
//! # When to use it
//! As "FAST-AT" of the NIST study, beside FAST with one `alpha` for all paths.
//!
//! # References
//! Mills, Filliben, Cho, Schwartz, Genin 2010 (NIST SP 500-282, chapter 5); and those of FAST.

use headgate_model::control::{Ack, Congestion, Controller, Echo, Path, Rate, Restart, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Words;
use headgate_model::params::Card;

use super::fast::{self, Burstiness, Fast, Variant};

headgate_model::params! {
    /// Packets that a slow flow keeps in the queue.
    alpha_low: number(8.0, (1.0, 100000.0), "segments", "ours; NIST's is not known"),
    /// Packets that a flow of middle throughput keeps in the queue.
    alpha_mid: number(20.0, (1.0, 100000.0), "segments", "ours; NIST's is not known", at_least ["alpha_low"]),
    /// Packets that a fast flow keeps in the queue.
    alpha_high: number(200.0, (1.0, 100000.0), "segments", "ours; NIST's is not known",
        at_least ["alpha_mid"]),
    /// Throughput above which alpha changes from the smallest value to the middle one.
    up_mid: number(1500.0, (0.0, 1e9), "segments/s", "ours; NIST's is not known", at_least ["down_mid"]),
    /// Throughput above which alpha changes from the middle value to the largest.
    up_high: number(15000.0, (0.0, 1e9), "segments/s", "ours; NIST's is not known",
        at_least ["up_mid", "down_high"]),
    /// Throughput below which alpha changes from the middle value to the smallest.
    down_mid: number(1250.0, (0.0, 1e9), "segments/s", "ours; NIST's is not known"),
    /// Throughput below which alpha changes from the largest value to the middle one.
    down_high: number(12500.0, (0.0, 1e9), "segments/s", "ours; NIST's is not known", at_least ["down_mid"]),
    /// Fraction of the distance to its target by which an update moves the window.
    gamma: number(0.5, (0.01, 1.0), "1", "Jin, Wei, Low 2004"),
    /// Queueing delay below which the window doubles each round trip; 0 = never.
    mi_threshold_s: number(0.00075, (0.0, 1.0), "s", "ns-2 FAST agent 1.1.3"),
    /// Round trips per update of the window.
    update_rounds: number(2.0, (1.0, 16.0), "round trips", "ns-2 FAST agent 1.1.3"),
    /// The form, as in FAST.
    variant: choice(Variant, "Wei et al. 2006, recalled, not verified; ns-2 FAST agent 1.1.3"),
    /// How an increase is released, as in FAST.
    burstiness: choice(Burstiness, "ns-2 FAST agent 1.1.3; Linux tcp_input.c"),
}

pub(crate) const CARD: Card = Card {
    name: "fast-at",
    title: "FAST TCP with alpha tuning",
    aliases: &[],
    family: "delay",
    rule: "as fast, with alpha = 8, 20 or 200 by throughput",
    response: "alpha packets queued per flow: rate = alpha / queueing delay",
    references: &["Mills, Filliben, Cho, Schwartz, Genin 2010, NIST SP 500-282", "Jin, Wei, Low 2004"],
    params: Params::TABLE,
};

/// On the heap, because FAST alone fills the size of the enum of algorithms.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct FastAt(Box<Tuned>);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Tuned {
    fast: Fast,
    tuning: Tuning,
    meter: Meter,
}

/// The three values of `alpha`, and the current one.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Tuning {
    alphas: [f64; 3],
    /// Segments/s above which value 0 (1) changes to the next.
    up: [f64; 2],
    /// Segments/s below which value 1 (2) changes to the previous one.
    down: [f64; 2],
    value: usize,
}

impl Tuning {
    fn of(params: &Params) -> Self {
        Self {
            alphas: [params.alpha_low, params.alpha_mid, params.alpha_high],
            up: [params.up_mid, params.up_high],
            down: [params.down_mid, params.down_high],
            value: 0,
        }
    }

    fn follow(&mut self, per_s: f64) -> f64 {
        if self.value < 2 && per_s > self.up[self.value] {
            self.value += 1;
        } else if self.value > 0 && per_s < self.down[self.value - 1] {
            self.value -= 1;
        }
        self.alphas[self.value]
    }
}

/// The acknowledged segments of the current round.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Meter {
    began_s: Option<f64>,
    acked: f64,
}

impl Meter {
    /// Returns the throughput of the round that ends with this ACK, segments/s; `None` if no round ends.
    fn round(&mut self, ack: &Ack) -> Option<f64> {
        self.acked += ack.acked;
        if !ack.round_start {
            return None;
        }
        let (acked, began_s) = (self.acked, self.began_s);
        *self = Self { began_s: Some(ack.now_s), acked: 0.0 };
        began_s.filter(|began_s| ack.now_s > *began_s).map(|began_s| acked / (ack.now_s - began_s))
    }
}

impl FastAt {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let fast = Fast::new(fast::Params {
            alpha: params.alpha_low,
            gamma: params.gamma,
            mi_threshold_s: params.mi_threshold_s,
            update_rounds: params.update_rounds,
            variant: params.variant,
            burstiness: params.burstiness,
        });
        Self(Box::new(Tuned { fast, tuning: Tuning::of(&params), meter: Meter::default() }))
    }
}

#[deny(clippy::missing_trait_methods)]
impl Controller for FastAt {
    fn on_feedback(&mut self, granted: Echo) {
        self.0.fast.on_feedback(granted);
    }

    fn on_quic(&mut self) {
        self.0.fast.on_quic();
    }

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.fast.on_start(now_s, path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let Tuned { fast, tuning, meter } = &mut *self.0;
        if let Some(per_s) = meter.round(ack) {
            fast.set_alpha(tuning.follow(per_s));
        }
        fast.on_ack(ack, path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        self.0.meter = Meter::default();
        self.0.fast.on_congestion(event, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.fast.on_recovery_ack(ack, path, window);
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.0.fast.on_segment_lost(sent, path, window);
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.fast.on_recovered(now_s, path, window);
    }

    fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
        self.0.fast.on_undo(before, path, window);
    }

    fn on_restart(&mut self, restart: &Restart, path: &Path, window: &mut Window) {
        self.0.fast.on_restart(restart, path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        self.0.fast.controls_cwnd_in_recovery()
    }

    fn echo(&self) -> Echo {
        self.0.fast.echo()
    }

    fn answers_marks(&self) -> bool {
        self.0.fast.answers_marks()
    }

    fn codepoint(&self) -> Ecn {
        self.0.fast.codepoint()
    }

    fn wants_rate(&self) -> bool {
        self.0.fast.wants_rate()
    }

    fn scheme(&self) -> Option<u8> {
        self.0.fast.scheme()
    }

    fn header(&mut self, path: &Path, window: &Window) -> Words {
        self.0.fast.header(path, window)
    }

    fn on_header(&mut self, header: &Words, now_s: f64, path: &Path, window: &mut Window) {
        self.0.fast.on_header(header, now_s, path, window);
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.0.fast.alpha()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, loss, starting};

    fn controller() -> FastAt {
        FastAt::new(Params::default())
    }

    /// Delivers a round of 100 ms that starts at `now_s` and acknowledges `acked` segments.
    fn round(controller: &mut FastAt, now_s: f64, acked: f64) -> f64 {
        let mut window = starting(1000.0);
        controller.on_ack(&Ack { now_s, acked: acked / 2.0, ..ack(0.2) }, &PATH, &mut window);
        let last = Ack { now_s: now_s + 0.1, acked: acked / 2.0, round_start: true, ..ack(0.2) };
        controller.on_ack(&last, &PATH, &mut window);
        controller.0.fast.alpha()
    }

    #[test]
    fn alpha_follows_the_throughput_with_hysteresis() {
        let mut controller = controller();
        // segments in 0.1 s, and alpha after them; the start time of the first round is unknown
        let rounds = [(900.0, 8.0), (140.0, 8.0), (151.0, 20.0), (126.0, 20.0), (1501.0, 200.0)];
        let back = [(1251.0, 200.0), (1249.0, 20.0), (126.0, 20.0), (124.0, 8.0)];
        for (i, (acked, alpha)) in rounds.into_iter().chain(back).enumerate() {
            assert_eq!(round(&mut controller, 0.1 * i as f64, acked), alpha, "round {i}");
        }
    }

    #[test]
    fn a_fast_flow_climbs_one_value_a_round() {
        let mut controller = controller();
        let alphas = [0.0, 0.1, 0.2].map(|now_s| round(&mut controller, now_s, 5000.0));
        assert_eq!(alphas, [8.0, 20.0, 200.0]);
    }

    #[test]
    fn a_round_with_a_loss_tells_no_throughput() {
        let mut controller = controller();
        let mut window = starting(1000.0);
        round(&mut controller, 0.0, 5000.0);
        controller.on_congestion(&loss(1000), &PATH, &mut window);
        controller.on_recovered(0.15, &PATH, &mut window);
        assert_eq!((window.ssthresh, round(&mut controller, 0.2, 5000.0)), (500.0, 8.0));
        assert_eq!(round(&mut controller, 0.3, 5000.0), 20.0);
    }
}
