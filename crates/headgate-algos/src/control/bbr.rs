//! BBR, version 1: paces at the measured bandwidth of the path, and keeps about one bandwidth-delay product
//! in flight.
//!
//! # Overview
//! BBR measures the largest delivery rate of the last ten round trips and the smallest RTT of the last ten
//! seconds. It probes for more bandwidth an eighth of the time. Every ten seconds it empties the path for 0.2
//! s to probe for a smaller RTT. Losses change neither estimate.
//!
//! # The rule
//! `pace = gain (1 - 0.01) bw`; `cwnd` grows by the acknowledged segments up to `cwnd_gain bw min_rtt +
//! extra_acked + 3 quanta`, at least 4.
//!
//! * STARTUP: both gains are 2.885 (2/ln 2) until `bw` has grown by less than 25 % for three round trips.
//! * DRAIN: the pacing gain is 1/2.885 until one bandwidth-delay product is in flight.
//! * PROBE_BW: the cwnd gain is 2. The pacing gains are 5/4, 3/4 and six times 1, each for a `min_rtt`. 5/4
//!   lasts until 5/4 of the product is in flight or a segment is lost, 3/4 only until one product is in
//!   flight.
//! * PROBE_RTT: `cwnd = 4` for 0.2 s and a round trip.
//!
//! In the first round trip of recovery, as much is sent as is delivered; then `cwnd` grows again, and the
//! earlier window is restored at the end. After an idle time PROBE_BW starts with a gain of 1, and the RTT is
//! not probed, because the path is empty. Two intervals of the same rate that lose a fifth reveal a policer,
//! whose rate is used for 48 round trips.
//!
//! # Differences from the paper
//! NOTE(Cardwell et al. 2016): follows Linux since 5.10 in the margin of 1 %, the policer, ACK aggregation
//! and recovery. Only a smaller RTT postpones PROBE_RTT; in the paper an equal one does too.
//!
//! NOTE(Linux tcp_bbr.c): the RTT of an ACK that may have been delayed is not excluded. Linux excludes the
//! ACK of a lone short segment (`FLAG_ACK_MAYBE_DELAYED`); here all segments are full.
//!
//! NOTE(Linux tcp_bbr.c): gains are not rounded to 1/256. The first phase of PROBE_BW comes from a hash of
//! the start time, the RTT and the delivered segments instead of a random number, so that the same flow
//! always draws the same phase.
//!
//! NOTE(RFC 3168 section 5): marks are ignored, as in Linux. Such a flow does not slow down for them.
//!
//! The smallest RTT starts with that of the handshake, as in Linux.
//!
//! # When to use it
//! As the model-driven algorithm. It fully uses a path under random loss and with shallow buffers, and is
//! unfair to loss-driven algorithms.
//!
//! # References
//! Linux 6.18 `tcp_bbr.c` (all constants); Cardwell, Cheng, Gunn, Yeganeh, Jacobson 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00; Flach et al. 2016 (policers).

mod cycle;
mod estimate;
mod output;

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Rate, Restart, Window};
use headgate_model::params::Card;

use crate::parts::aggregation::Aggregation;
use crate::parts::conservation::Conservation;
use crate::parts::draw::Draw;
use crate::parts::full_pipe::FullPipe;
use crate::parts::policer::{Counts, Policer};
use crate::parts::probe_rtt::ProbeRtt;
use crate::parts::rounds::Rounds;
use crate::parts::windowed::WindowedMax;

headgate_model::params! {
    /// Pacing and window gain of STARTUP; DRAIN paces at its inverse.
    startup_gain: number(2.885, (1.25, 10.0), "1", "Linux tcp_bbr.c, 2/ln 2"),
    /// Ratio of window to bandwidth-delay product in PROBE_BW.
    cwnd_gain: number(2.0, (1.0, 10.0), "1", "Linux tcp_bbr.c"),
    /// How far the pace lies below the estimated bandwidth.
    pacing_margin: number(0.01, (0.0, 0.5), "1", "Linux tcp_bbr.c"),
    /// Round trips over which the largest rate is taken.
    bw_window: number(10.0, (2.0, 100.0), "round trips", "Linux tcp_bbr.c"),
    /// Time over which the smallest RTT is taken.
    min_rtt_window_s: number(10.0, (0.1, 1000.0), "s", "Linux tcp_bbr.c"),
    /// Shortest duration of PROBE_RTT.
    probe_rtt_s: number(0.2, (0.0, 10.0), "s", "Linux tcp_bbr.c"),
    /// Share of extra_acked by which the window grows; 0 = no allowance for aggregation.
    extra_acked_gain: number(1.0, (0.0, 10.0), "1", "Linux tcp_bbr.c"),
    /// Whether policers are detected.
    policer: switch(["on", "off"], "Linux tcp_bbr.c"),
}

pub(crate) const CARD: Card = Card {
    name: "bbr",
    title: "BBR v1",
    aliases: &[],
    family: "model",
    rule: "pace = gain 0.99 bw; w = 2 bw min_rtt + extra_acked + 3 quanta",
    response: "rate = (1 - p) C while p < 0.2 and no time-outs occur",
    references: &["Cardwell, Cheng, Gunn, Yeganeh, Jacobson 2016", "Linux tcp_bbr.c"],
    params: Params::TABLE,
};

/// Pacing gains of PROBE_BW's phases.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The smallest window, segments.
const FLOOR: f64 = 4.0;
/// The window before the first RTT sample, and the segments for which STARTUP grows unconditionally.
const INITIAL: f64 = 10.0;
/// Round trips of one window of ACK aggregation. Its allowance covers at most `EXTRA_S`, seconds.
const EXTRA_ROUNDS: u32 = 5;
const EXTRA_S: f64 = 0.1;
/// RTT assumed before the first sample, seconds.
const NOMINAL_RTT_S: f64 = 0.001;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// One flow's BBR v1.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Bbr(Box<Model>);

/// The inputs of the window's target.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Basis {
    bw: f64,
    min_rtt_s: f64,
    extra: f64,
    pace: f64,
    mode: Mode,
    probes: bool,
    full: bool,
}

/// The model of the path, and the phase of the cycle.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Model {
    params: Params,
    mode: Mode,
    /// Delivery rates, segments/s, by round trip.
    bw: WindowedMax,
    rounds: Rounds,
    min_rtt_s: f64,
    min_rtt_at_s: f64,
    probe_rtt: ProbeRtt,
    /// Whether the flow sends again after an idle time, and none of those segments is acknowledged yet.
    restarts: bool,
    phase: usize,
    phase_at_s: f64,
    pacing_gain: f64,
    pipe: FullPipe,
    /// Window at the last ACK, segments.
    cwnd: f64,
    repair: Conservation,
    seen_rtt: bool,
    aggregation: Aggregation,
    basis: Basis,
    target: f64,
    policer: Policer,
    /// Counts as of the last event.
    delivered: f64,
    lost: f64,
    draw: Draw,
}

impl Bbr {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(Model {
            params,
            mode: Mode::Startup,
            bw: WindowedMax::default(),
            rounds: Rounds::default(),
            min_rtt_s: f64::INFINITY,
            min_rtt_at_s: 0.0,
            probe_rtt: ProbeRtt::default(),
            restarts: false,
            phase: 0,
            phase_at_s: 0.0,
            pacing_gain: params.startup_gain,
            pipe: FullPipe::default(),
            cwnd: 0.0,
            repair: Conservation::default(),
            seen_rtt: false,
            aggregation: Aggregation::default(),
            basis: Basis::default(),
            target: 0.0,
            policer: Policer::default(),
            delivered: 0.0,
            lost: 0.0,
            draw: Draw::default(),
        }))
    }
}

impl Model {
    fn start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.min_rtt_s = path.min_rtt_s;
        self.min_rtt_at_s = now_s;
        self.aggregation = Aggregation::new(now_s);
        self.draw = Draw::new(now_s, path.srtt_s);
        self.cwnd = window.cwnd;
        window.ssthresh = f64::INFINITY;
        self.pace_from_rtt(path, window);
    }

    #[cold]
    fn pace_from_rtt(&mut self, path: &Path, window: &mut Window) {
        self.seen_rtt = path.srtt_s > 0.0;
        let rtt_s = if self.seen_rtt { path.srtt_s } else { NOMINAL_RTT_S };
        window.pace = self.params.startup_gain * (1.0 - self.params.pacing_margin) * window.cwnd / rtt_s;
    }

    /// Handles the first transmission after an idle time (Linux `bbr_cwnd_event`).
    fn restart(&mut self, restart: &Restart, window: &mut Window) {
        self.restarts = true;
        self.delivered = restart.delivered;
        self.aggregation.begin_epoch(restart.now_s);
        if self.mode == Mode::ProbeBw {
            window.pace = (1.0 - self.params.pacing_margin) * self.bandwidth();
        } else if self.mode == Mode::ProbeRtt && self.probe_rtt.has_lasted(restart.now_s) {
            self.leave_probe_rtt(restart.now_s, window);
        }
    }

    fn take(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let rate = &ack.rate;
        (self.delivered, self.lost) = (rate.delivered, rate.lost);
        self.take_rate(ack, path);
        self.take_aggregation(ack, window.cwnd);
        if self.mode == Mode::ProbeBw && self.phase_is_over(ack, path, window) {
            self.next_phase(ack.now_s);
        }
        if self.rounds.starts && !self.pipe.full && !self.probe_rtt.limits(rate) {
            self.pipe.take(self.bw.get(), true);
        }
        self.check_drained(ack, path, window);
        self.take_rtt(ack, window);
        self.pacing_gain = self.gain();
        self.set_pace(path, window);
        self.set_cwnd(ack, path, window);
        self.cwnd = window.cwnd;
    }
}

impl Controller for Bbr {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.start(now_s, path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(ack, path, window);
    }

    fn on_segment_lost(&mut self, sent: &Rate, _path: &Path, _window: &mut Window) {
        self.0.lost = sent.lost;
    }

    /// Saves the window before the event. `ssthresh` is unchanged.
    fn on_congestion(&mut self, event: &Congestion, path: &Path, _window: &mut Window) {
        let model = &mut self.0;
        model.repair.save(model.cwnd, model.mode == Mode::ProbeRtt);
        if event.cause == Cause::Timeout {
            model.time_out(event.now_s, path);
        }
    }

    /// Handles a spurious loss, which may have ended STARTUP or resembled a policer (Linux `bbr_undo_cwnd`).
    /// The window is restored as after any recovery.
    fn on_undo(&mut self, _before: f64, _path: &Path, _window: &mut Window) {
        self.0.pipe.restart(0.0);
        self.0.policer.reset();
    }

    fn on_restart(&mut self, restart: &Restart, _path: &Path, window: &mut Window) {
        self.0.restart(restart, window);
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        true
    }

    fn wants_rate(&self) -> bool {
        true
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("bandwidth", self.0.bandwidth()))
    }
}

#[cfg(test)]
mod tests;
