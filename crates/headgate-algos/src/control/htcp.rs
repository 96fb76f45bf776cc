//! H-TCP: grows faster the longer no loss has occurred, and reduces the window by no more than the queue.
//!
//! # Overview
//! H-TCP is standard TCP for a second after each loss, then grows at an increasing rate. A loss takes just
//! enough to empty the queue, estimated from RTTs. If the throughput between losses has changed, a loss takes
//! half.
//!
//! # The rule
//! With `d` the seconds since the last loss: `cwnd += alpha/cwnd` per acknowledged segment, `alpha = 2
//! (1-beta) f`, `f = 1` up to `d = delta_l` = 1 s and `1 + 10 (d-1) + ((d-1)/2)^2` beyond; RTT scaling
//! divides `f` by `0.1 s/min_rtt` within 0.5 and 10, but leaves at least 1. Loss: `ssthresh = beta in_flight`
//! with `beta = min_rtt/max_rtt` within 0.5 and 0.8. `beta` = 0.5 if the greatest throughput since the last
//! loss differs by more than a fifth from the one before it (bandwidth switch), at the loss after such a one,
//! and if `min_rtt` is at most 10 ms.
//!
//! # Differences from the paper
//! NOTE(draft-leith-tcp-htcp): the variant `linux` counts whole segments. An ACK adds a segment if the
//! segments counted before it, times `alpha`, make a window. The count then restarts at 0; the segments of
//! that ACK are not counted, nor those of slow start or recovery. The window therefore grows by at most one
//! segment per ACK, and by somewhat less than `alpha` per round trip. `alpha` is computed at a loss, before
//! the time since the last loss restarts, and whenever a segment is added, so that the first segment after a
//! loss still comes at the old rate.
//!
//! NOTE(draft-leith-tcp-htcp): in the variant `linux`, `f` is an integer, `beta` counts in 1/128, and RTT
//! scaling in 1/8. The variant `paper` adds fractions of a segment, by exact factors.
//!
//! NOTE(Linux tcp_htcp.c): without `tick_s`, times are exact. With it they follow the kernel's clock: RTTs
//! are rounded up to whole ticks. At 100 Hz, 40.6 and 80.6 ms are 5 and 9 ticks, so that a loss leaves 0.55
//! instead of 0.5.
//!
//! `min_rtt` is that of data, without the handshake. Throughput is a moving average (weight 1/4) of the rates
//! of whole windows; in the first four round trips after a loss each rate replaces the average. Recovery does
//! not count. `max_rtt` rises by at most 20 ms per sample and loses a twentieth of its distance from
//! `min_rtt` at each loss. `d` counts from the end of recovery.
//!
//! NOTE(ns-2 tcp_htcp.c): ns-2's older module does not change `max_rtt` for three round trips after a loss.
//!
//! # When to use it
//! On fast long paths on which standard TCP should not suffer: with less than a second between losses it is
//! standard TCP.
//!
//! # References
//! Leith, Shorten 2004; draft-leith-tcp-htcp (alpha, beta, 1 s, 0.2); Linux `tcp_htcp.c` (6.x).

mod throughput;

#[cfg(test)]
mod tests;

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;
use headgate_model::whole::floor;

use throughput::Throughput;

headgate_model::choices! {
    /// The texts that H-TCP can follow.
    pub enum Variant {
        /// Linux `tcp_htcp.c`: whole segments and fixed-point factors.
        Linux = "linux",
        /// Leith, Shorten 2004: fractions of a segment and exact factors.
        Paper = "paper",
    }
}

headgate_model::params! {
    /// Time after a loss in which the algorithm is standard TCP.
    delta_l: number(1.0, (0.0, 100.0), "s", "draft-leith-tcp-htcp"),
    /// Least share of the window that is kept on a loss.
    beta_min: number(0.5, (0.1, 0.95), "1", "draft-leith-tcp-htcp"),
    /// Greatest share of the window that is kept on a loss; not below `beta_min`.
    beta_max: number(0.8, (0.1, 0.95), "1", "draft-leith-tcp-htcp", at_least ["beta_min"]),
    /// Relative change of throughput between losses above which a loss takes the most.
    switch_share: number(0.2, (0.0, 10.0), "1", "draft-leith-tcp-htcp"),
    /// Keep `min_rtt/max_rtt` on a loss.
    adaptive_backoff: switch(["on", "off"], "Leith, Shorten 2004"),
    /// Make growth per second independent of the RTT.
    rtt_scaling: switch(["on", "off"], "Linux tcp_htcp.c (use_rtt_scaling)"),
    /// Tick of the kernel's clock, such as 10, 4 or 1 ms; 0 = exact.
    tick_s: number(0.0, (0.0, 0.1), "s", "Linux tcp_htcp.c (usecs_to_jiffies), CONFIG_HZ"),
    /// Take the most after throughput has changed.
    bandwidth_switch: switch(["on", "off"], "Linux tcp_htcp.c (use_bandwidth_switch)"),
    /// Which text is followed: linux, which counts whole segments, or paper.
    variant: choice(Variant, "Linux tcp_htcp.c; Leith, Shorten 2004"),
}

pub(crate) const CARD: Card = Card {
    name: "htcp",
    title: "H-TCP",
    aliases: &[],
    family: "loss",
    rule: "w += 2 (1-b) (1 + 10 (d-1) + ((d-1)/2)^2)/w per ACK, d s after a loss; w *= b = min/max RTT",
    response: "w = (2/rtt) (d + 5 (d-1)^2 + (d-1)^3/12) at a loss d s after the last",
    references: &["Leith, Shorten 2004, H-TCP", "draft-leith-tcp-htcp-06"],
    params: Params::TABLE,
};

/// RTT at which scaling changes nothing, seconds, and the bounds of its ratio (Linux).
const SCALE_RTT_S: f64 = 0.1;
const SCALE: (f64, f64) = (0.5, 10.0);

/// Largest `min_rtt` for which `beta` is not adapted, seconds (Linux).
const ADAPTED_RTT_S: f64 = 0.010;

/// Largest rise of `max_rtt` by one sample, seconds, and the share of its excess that a loss keeps (Linux).
const RISE_S: f64 = 0.020;
const MEMORY: f64 = 0.95;

/// Fixed-point denominators of `beta` and of the ratio of RTTs (Linux `tcp_htcp.c`).
const BETA_PARTS: f64 = 128.0;
const SCALE_PARTS: f64 = 8.0;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct State {
    beta: f64,
    /// End of the last recovery, seconds, and its value before the last reduction if that may be undone.
    lost_s: f64,
    undo_s: Option<f64>,
    /// Smallest RTT of data, seconds; 0 = none yet. The greatest recent one.
    min_rtt_s: f64,
    max_rtt_s: f64,
    /// Segments per round trip, and those acknowledged since one was added; used by the variant `linux`.
    alpha: f64,
    counted: f64,
    throughput: Throughput,
    /// Whether throughput was steady at the last loss, so that `beta` may adapt.
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
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let state = State {
            beta: params.beta_min,
            lost_s: 0.0,
            undo_s: None,
            min_rtt_s: 0.0,
            max_rtt_s: 0.0,
            alpha: 1.0,
            counted: 0.0,
            throughput: Throughput::default(),
            steady: false,
            recovering: false,
        };
        Self { params, state: Box::new(state) }
    }

    /// Whether segments are counted and factors are integers, as in the kernel.
    fn is_linux(&self) -> bool {
        self.params.variant == Variant::Linux
    }

    fn note(&mut self, ack: &Ack, cwnd: f64) {
        if ack.rtt_s > 0.0 {
            self.note_rtt(self.ticks(ack.rtt_s));
        }
        let alpha = if self.is_linux() { self.state.alpha } else { self.alpha(ack.now_s) };
        let State { min_rtt_s, lost_s, throughput, .. } = &mut *self.state;
        throughput.count(ack.acked, cwnd - alpha.max(1.0), ack.now_s, *lost_s, *min_rtt_s);
    }

    /// Rounds a time up to whole ticks.
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

    /// Returns the increase per round trip at this time, segments.
    fn alpha(&self, now_s: f64) -> f64 {
        let late_s = (now_s - self.state.lost_s - self.params.delta_l).max(0.0);
        let raw = self.truncate(1.0, 1.0 + 10.0 * late_s + late_s * late_s / 4.0);
        2.0 * (1.0 - self.state.beta) * self.truncate(1.0, self.scaled(raw))
    }

    /// Rounds a factor down to a multiple of `1/parts`, as the kernel's fixed-point numbers do.
    fn truncate(&self, parts: f64, factor: f64) -> f64 {
        if self.is_linux() { floor(parts * factor) / parts } else { factor }
    }

    fn scaled(&self, raw: f64) -> f64 {
        if !self.params.rtt_scaling || self.state.min_rtt_s == 0.0 {
            return raw;
        }
        let ratio = self.truncate(SCALE_PARTS, SCALE_RTT_S / self.state.min_rtt_s);
        (raw / ratio.clamp(SCALE.0, SCALE.1)).max(1.0)
    }

    fn adapt(&mut self) {
        let min_rtt_s = self.state.min_rtt_s;
        let Params { beta_min, beta_max, switch_share, .. } = self.params;
        let changed = self.state.throughput.has_changed(switch_share);
        let switched = self.params.bandwidth_switch && changed;
        let wide = min_rtt_s > ADAPTED_RTT_S && self.state.max_rtt_s > 0.0;
        let adapts = self.params.adaptive_backoff && wide && self.state.steady && !switched;
        let ratio = min_rtt_s / self.state.max_rtt_s;
        let beta = if adapts { ratio.min(beta_max).max(beta_min) } else { beta_min };
        self.state.beta = self.truncate(BETA_PARTS, beta);
        self.state.steady = !switched;
    }

    /// Lets the greatest RTT decay, so that it follows route changes.
    fn fade(&mut self) {
        let min_rtt_s = self.state.min_rtt_s;
        let excess_s = self.state.max_rtt_s - min_rtt_s;
        if excess_s > 0.0 {
            self.state.max_rtt_s = min_rtt_s + self.ticks(MEMORY * excess_s - self.params.tick_s);
        }
    }

    /// Congestion avoidance in fractions of a segment.
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            window.cwnd += self.alpha(ack.now_s) * (left / window.cwnd).min(1.0);
        }
    }

    /// Congestion avoidance as in the kernel. The rest of an ACK that ends slow start is not counted.
    fn grow_whole(&mut self, ack: &Ack, window: &mut Window) {
        if window.slow_starts() {
            window.slow_start(ack.acked);
        } else if self.state.counted * self.state.alpha >= floor(window.cwnd) {
            window.cwnd += 1.0;
            self.state.counted = 0.0;
            self.state.alpha = self.alpha(ack.now_s);
        } else {
            self.state.counted += ack.acked;
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
        if self.is_linux() {
            self.grow_whole(ack, window);
        } else {
            self.grow(ack, window);
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
        (self.state.alpha, self.state.counted) = (self.alpha(event.now_s), 0.0);
        self.fade();
        window.ssthresh = self.truncate(1.0, self.state.beta * f64::from(event.in_flight)).max(2.0);
        self.state.undo_s = Some(self.state.lost_s);
        self.begin(event.now_s);
        self.state.recovering = event.cause != Cause::Timeout;
    }

    fn on_recovered(&mut self, now_s: f64, _path: &Path, _window: &mut Window) {
        if self.state.undo_s.take().is_some() {
            self.begin(now_s);
        }
    }

    /// The time since the previous loss is restored (Linux `htcp_cwnd_undo`).
    fn on_undo(&mut self, before: f64, _path: &Path, window: &mut Window) {
        window.cwnd = window.cwnd.max(before);
        self.state.lost_s = self.state.undo_s.take().unwrap_or(self.state.lost_s);
        self.state.recovering = false;
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("beta", self.state.beta))
    }
}
