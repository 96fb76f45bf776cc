//! BBR, version 3: paces at the measured bandwidth as version 1 does, and bounds the flight by what losses
//! have revealed.
//!
//! # Overview
//! BBRv3 measures the largest delivery rate of the last two probes and the smallest RTT of the last ten
//! seconds. It probes for bandwidth every two to three seconds, or sooner if Reno would, and stops a probe at
//! a loss of more than 2 %. The flight at that point bounds the window until a later probe finds more.
//!
//! # The rule
//! `pace = gain (1 - 0.01) bw`; `cwnd` grows by the acknowledged segments up to `max(cwnd_gain bw min_rtt +
//! extra_acked, 3 quanta, 4)`, within the bounds below.
//!
//! * STARTUP: the pacing gain is 2.77 until `bw` has grown by less than 25 % for three round trips, or 2 % of
//!   a round trip is lost in six places.
//! * DRAIN: the pacing gain is 0.5.
//! * The cycle then repeats DOWN (0.90) until the queue is empty and headroom is free, CRUISE (1), REFILL (1)
//!   for a round trip, and UP (1.25) until `bw` stops growing or losses exceed 2 %. Window gains are 2, in UP
//!   2.25.
//! * After an idle time it paces with a gain of 1, and skips a PROBE_RTT that is due.
//! * A loss of more than 2 % of a probe's flight sets `inflight_long = max(flight, 0.7 target)`. It grows by
//!   1, 2, 4, ... segments per round trip in UP, and CRUISE leaves 15 % of it free.
//! * A round trip with losses outside a probe sets `bw_short = max(latest, 0.7 bw_short)`, and
//!   `inflight_short` likewise, until the next REFILL.
//! * PROBE_RTT: every 5 s to half a bandwidth-delay product, for 0.2 s and a round trip.
//!
//! # Differences from the paper
//! The variant `draft` is the IETF's draft of August 2026; `linux-v3` is the Linux module from which it came.
//!
//! NOTE(draft-ietf-ccwg-bbr): the variant `linux-v3` drains with 1/2.885 and no limit of three round trips,
//! and uses 0.91 in DOWN. Growth of `bw` counts on every ACK, losses that end a probe count in DOWN too, and
//! an equal RTT renews the smallest one. Segments that pacing still holds back are not in the network.
//! extra_acked covers 5 to 10 round trips and at most 0.1 s of `bw`, and the target includes room for quanta.
//!
//! * Marks count like losses in `draft`; `linux-v3` ignores them.
//! * The variants `linux-ecn` and `linux-ecn-any` are the Linux module on a route with the attribute `ecn_low`:
//!   marks count too, if the receiver reports them exactly. In `linux-ecn` they count only if the smallest RTT
//!   is at most 5 ms. A round trip with marks outside a probe sets `inflight_short = (1 - alpha/3)
//!   inflight_short`; `alpha` averages the share of marks with a weight of 1/16. A probe stops if more
//!   than half of a sample is marked, STARTUP after two such round trips, and a probe begins once marks cease
//!   in a cycle without losses.
//!
//! NOTE(google/bbr tcp_bbr.c): load balancing (PLB) and bursts by RTT of the Linux module are not implemented.
//! Its averages are multiples of 1/256.
//!
//! NOTE(draft-ietf-ccwg-bbr): "places" of loss are ACKs that report losses. The draft's table of caps bounds
//! DRAIN by `inflight_long`, but its pseudocode does not; the pseudocode is followed.
//!
//! NOTE(draft-ietf-ccwg-bbr): waits between probes come from a hash of the start time, the RTT and the
//! delivered segments instead of a random number.
//!
//! # When to use it
//! As the model-driven algorithm that shares with Reno and CUBIC and causes few losses.
//!
//! # References
//! draft-ietf-ccwg-bbr (Cardwell, Swett, Beshay; August 2026); google/bbr `tcp_bbr.c`, BBR_VERSION 3.

mod cycle;
mod echoed;
mod estimate;
mod marks;
mod output;
mod phase;
#[cfg(test)]
mod tests;
mod undo;

use headgate_model::control::{Ack, Cause, Congestion, Controller, Echo, Path, Rate, Restart, Window};
use headgate_model::params::Card;

use self::echoed::Echoed;
use self::marks::Marks;
use self::phase::{Feedback, Mode};
use self::undo::Before;
use crate::parts::aggregation::{Aggregation, Epoch};
use crate::parts::bounds::Bounds;
use crate::parts::conservation::Conservation;
use crate::parts::draw::Draw;
use crate::parts::full_pipe::FullPipe;
use crate::parts::latest::Latest;
use crate::parts::probe_rtt::ProbeRtt;
use crate::parts::rounds::Rounds;
use crate::parts::windowed::WindowedMax;

headgate_model::choices! {
    /// The texts that BBRv3 can follow.
    pub enum Variant {
        /// draft-ietf-ccwg-bbr.
        Draft = "draft",
        /// google/bbr `tcp_bbr.c`, BBR_VERSION 3.
        LinuxV3 = "linux-v3",
        /// The same with marks, on paths of at most 5 ms.
        LinuxEcn = "linux-ecn",
        /// The same with marks, on all paths (`ecn_max_rtt_us = 0`).
        LinuxEcnAny = "linux-ecn-any",
    }
}

headgate_model::params! {
    /// Pacing gain of STARTUP.
    startup_gain: number(2.77, (1.25, 10.0), "1", "draft-ietf-ccwg-bbr §2.4, 4 ln 2"),
    /// Ratio of window to bandwidth-delay product; 5/4 of it in UP.
    cwnd_gain: number(2.0, (1.0, 10.0), "1", "draft-ietf-ccwg-bbr §2.5"),
    /// How far the pace lies below the estimated bandwidth.
    pacing_margin: number(0.01, (0.0, 0.5), "1", "draft-ietf-ccwg-bbr §2.4"),
    /// Share of a round trip's segments whose loss a probe tolerates.
    loss_threshold: number(0.02, (0.0, 0.5), "1", "draft-ietf-ccwg-bbr §2.7"),
    /// Least share that a round trip with losses keeps.
    beta: number(0.7, (0.1, 0.99), "1", "draft-ietf-ccwg-bbr §2.7"),
    /// Share of the long-term bound that CRUISE leaves to others.
    headroom: number(0.15, (0.0, 0.5), "1", "draft-ietf-ccwg-bbr §2.7"),
    /// Shortest time between probes for bandwidth; a random time of up to one second is added.
    probe_wait_s: number(2.0, (0.0, 100.0), "s", "draft-ietf-ccwg-bbr §5.3.3"),
    /// Time between probes for the RTT.
    probe_rtt_interval_s: number(5.0, (0.1, 1000.0), "s", "draft-ietf-ccwg-bbr §2.13.2"),
    /// Which text is followed.
    variant: choice(Variant, "draft-ietf-ccwg-bbr; google/bbr tcp_bbr.c"),
}

pub(crate) const CARD: Card = Card {
    name: "bbr3",
    title: "BBR v3",
    aliases: &[],
    family: "model",
    rule: "pace = gain 0.99 bw; w = 2 bw min_rtt + extra_acked, bounded by what lost 2 %",
    response: "rate = (1 - p) C while each round loses less than 2 %",
    references: &["draft-ietf-ccwg-bbr", "google/bbr tcp_bbr.c"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 4.0;
/// The largest random addition to `probe_wait_s`, seconds.
const WAIT_SPREAD_S: f64 = 1.0;
/// Round trips after which it probes at the latest, on paths with a longer Reno cycle.
const PROBE_ROUNDS: f64 = 63.0;
/// Number of ACKs with loss reports in a round trip from which STARTUP may end.
const STARTUP_LOSSES: u32 = 6;
/// Time over which the smallest RTT is taken, and the shortest duration of PROBE_RTT, seconds.
const MIN_RTT_WINDOW_S: f64 = 10.0;
const PROBE_RTT_S: f64 = 0.2;
/// Ratio of window to bandwidth-delay product in PROBE_RTT.
const PROBE_RTT_GAIN: f64 = 0.5;
/// Pacing gain of UP, and its addition to the window's gain.
const UP_GAIN: f64 = 1.25;
const UP_CWND: f64 = 0.25;
/// Round trips of the filter of aggregation: the draft's, and half of Linux's longest.
const EXTRA_ROUNDS: f64 = 10.0;
const EXTRA_SLOT: u32 = 5;
/// Longest allowance for aggregation, seconds (Linux).
const EXTRA_S: f64 = 0.1;
/// Round trips after which DRAIN ends in any case (draft).
const DRAIN_ROUNDS: f64 = 3.0;
/// RTT assumed before the first sample, seconds.
const NOMINAL_RTT_S: f64 = 0.001;

/// One flow's BBR v3.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Bbr3(Box<Model>);

/// The inputs of the window's target.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Basis {
    bw: f64,
    min_rtt_s: f64,
    extra: f64,
    pace: f64,
    mode: Mode,
}

/// The model of the path, and the phase of the cycle.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Model {
    params: Params,
    mode: Mode,
    rounds: Rounds,
    /// Largest delivery rate of the last cycle and of this one, segments/s.
    bw: [f64; 2],
    latest: Latest,
    bounds: Bounds,
    pipe: FullPipe,
    repair: Conservation,
    /// The marks, in the variants of Linux and in the draft.
    marks: Option<Box<Marks>>,
    echoed: Echoed,
    before: Before,
    /// The smallest RTT of the window of 10 s and its time, and that of the interval between PROBE_RTTs.
    min_rtt_s: f64,
    min_rtt_at_s: f64,
    least_rtt_s: f64,
    least_rtt_at_s: f64,
    probe_rtt: ProbeRtt,
    /// Whether the flow sends again after an idle time, and none of those segments is acknowledged yet
    /// (`idle_restart`).
    restarts: bool,
    feedback: Feedback,
    /// Whether samples belong to a probe that has not been answered yet.
    probes: bool,
    /// Whether the last probe lost too much, and whether it ended at a rate at which the previous one had
    /// lost too much.
    too_high: bool,
    cautious: bool,
    cycle_at_s: f64,
    wait_s: f64,
    rounds_since_probe: f64,
    drain_round: f64,
    startup_losses: u32,
    epoch: Epoch,
    extra: WindowedMax,
    aggregation: Aggregation,
    basis: Basis,
    window_target: f64,
    /// Quanta that the end hosts hold (`offload_budget`).
    quanta: f64,
    /// Whether the window limited the flow in the last round trip, and in this one.
    full_window: [bool; 2],
    pacing_gain: f64,
    seen_rtt: bool,
    first_cwnd: f64,
    /// Window, time and counts as of the last event.
    cwnd: f64,
    now_s: f64,
    delivered: f64,
    draw: Draw,
}

impl Bbr3 {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self(Box::new(Model {
            params,
            mode: Mode::Startup,
            rounds: Rounds::default(),
            bw: [0.0; 2],
            latest: Latest::new(),
            bounds: Bounds::default(),
            pipe: FullPipe::default(),
            repair: Conservation::default(),
            marks: Marks::of(params.variant),
            echoed: Echoed::default(),
            before: Before::default(),
            min_rtt_s: f64::INFINITY,
            min_rtt_at_s: 0.0,
            least_rtt_s: f64::INFINITY,
            least_rtt_at_s: 0.0,
            probe_rtt: ProbeRtt::default(),
            restarts: false,
            feedback: Feedback::None,
            probes: false,
            too_high: false,
            cautious: false,
            cycle_at_s: 0.0,
            wait_s: 0.0,
            rounds_since_probe: 0.0,
            drain_round: 0.0,
            startup_losses: 0,
            epoch: Epoch::default(),
            extra: WindowedMax::default(),
            aggregation: Aggregation::default(),
            basis: Basis::default(),
            window_target: 0.0,
            quanta: output::TCP_QUANTA,
            full_window: [false; 2],
            pacing_gain: params.startup_gain,
            seen_rtt: false,
            first_cwnd: 0.0,
            cwnd: 0.0,
            now_s: 0.0,
            delivered: 0.0,
            draw: Draw::default(),
        }))
    }
}

/// One ACK with its context.
struct Event<'a> {
    ack: &'a Ack,
    path: &'a Path,
    window: &'a mut Window,
}

impl Model {
    fn is_linux(&self) -> bool {
        self.params.variant != Variant::Draft
    }

    fn take(&mut self, event: &mut Event<'_>) {
        let rate = &event.ack.rate;
        (self.delivered, self.now_s) = (rate.delivered, event.ack.now_s);
        self.leave_repair(event);
        self.take_round(rate, event.window.cwnd);
        self.heed_marks(event);
        self.heed_echo(event);
        self.take_bandwidth(rate, event.window.cwnd);
        self.take_aggregation(event);
        self.heed_startup_losses(event);
        self.check_full(rate);
        self.check_drained(event);
        if self.pipe.full {
            self.advance_cycle(event);
        }
        self.take_rtt(event);
        self.pacing_gain = self.gain();
        self.set_pace(event.path, event.window);
        self.set_cwnd(event);
        if self.sampled(rate) {
            self.latest.advance(rate);
        }
        if let Some(marks) = &mut self.marks {
            marks.advance(rate);
        }
        self.end_event();
        self.cwnd = event.window.cwnd;
    }

    /// Restores the window when losses are repaired. Linux's fast recovery has not reduced it.
    fn leave_repair(&mut self, event: &mut Event<'_>) {
        let (_, ends) = self.repair.heed(event.ack);
        if ends {
            event.window.cwnd = event.window.cwnd.max(self.repair.saved());
        }
    }
}

impl Controller for Bbr3 {
    fn on_feedback(&mut self, granted: Echo) {
        if let Some(marks) = &mut self.0.marks {
            marks.granted = granted == Echo::Accurate;
        }
    }

    fn on_quic(&mut self) {
        self.0.heed_quic();
    }

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.0.start(now_s, path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(&mut Event { ack, path, window });
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.0.take(&mut Event { ack, path, window });
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.0.lose(sent, path, window);
    }

    /// Saves the window before the event. `ssthresh` is unchanged.
    fn on_congestion(&mut self, event: &Congestion, _path: &Path, _window: &mut Window) {
        let model = &mut self.0;
        model.now_s = event.now_s;
        if let Some(marks) = &mut model.marks {
            marks.reduces = event.cause == Cause::Mark;
        }
        model.echoed.waits |= event.cause == Cause::Mark && !model.is_linux();
        model.repair.save(model.cwnd, model.mode == Mode::ProbeRtt);
        model.begin_episode();
        if event.cause == Cause::Timeout {
            model.time_out();
        }
    }

    fn on_recovered(&mut self, _now_s: f64, _path: &Path, _window: &mut Window) {
        if let Some(marks) = &mut self.0.marks {
            marks.reduces = false;
        }
    }

    fn on_undo(&mut self, _before: f64, _path: &Path, window: &mut Window) {
        self.0.undo(window);
    }

    fn on_restart(&mut self, restart: &Restart, _path: &Path, window: &mut Window) {
        self.0.restart(restart, window);
    }

    fn echo(&self) -> Echo {
        if self.0.marks.is_some() { Echo::Accurate } else { Echo::None }
    }

    fn answers_marks(&self) -> bool {
        self.0.params.variant != Variant::LinuxV3
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
