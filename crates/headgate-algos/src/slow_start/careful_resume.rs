//! Careful Resume: jumps to half of the window of an earlier connection, and validates it.
//!
//! # Overview
//! A server that knows the path from an earlier connection need not discover its capacity again. After the
//! initial window was acknowledged, and if the RTT has not changed much, the window jumps to half of the saved
//! one. If the jump causes a loss, the window falls to half of the data that passed.
//!
//! # The rule
//! *Reconnaissance*: slow start until the initial window is acknowledged. *Unvalidated*: `cwnd =
//! min(max_jump, saved_cwnd / 2)`, paced over one RTT, without growth; `pipe` is the flight before the jump
//! plus all that is acknowledged. It ends when the window is full, when a segment of the jump is acknowledged,
//! or after one RTT: `cwnd` becomes the flight, or `pipe` if the flight is no larger. *Validating*: slow start
//! until all segments of the jump are acknowledged. *Safe retreat*: at a loss in the two phases before, `cwnd =
//! pipe / 2` until the recovery ends, and then `ssthresh <= beta pipe`.
//!
//! # Differences from the paper
//! NOTE(draft-ietf-tsvwg-careful-resume section 3.1): the parameters contain the saved window and RTT. Nothing
//! is observed during a run, and each flow of the traffic uses the saved values once.
//!
//! NOTE(draft-ietf-tsvwg-careful-resume section 3.5): a safe retreat ends with TCP's recovery. By then the
//! last segment of the jump is acknowledged, and retransmissions too. Only segments that were outstanding at
//! the loss add to `pipe`.
//!
//! NOTE(draft-ietf-tsvwg-careful-resume section 3.5): at a congestion mark the transport reduces the window
//! over a round trip, to at most `beta pipe`.
//!
//! # When to use it
//! For repeated connections over paths with a large bandwidth-delay product, such as satellites.
//!
//! # References
//! draft-ietf-tsvwg-careful-resume-23.

use headgate_model::control::{Ack, Cause, Congestion, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::params! {
    /// Window of the earlier connection, segments.
    saved_cwnd: required((1.0, 1e7), "segments", "draft-ietf-tsvwg-careful-resume §3.1"),
    /// Smallest RTT of the earlier connection, seconds; 0 = not compared.
    saved_rtt_s: number(0.0, (0.0, 100.0), "s", "draft-ietf-tsvwg-careful-resume §3.1"),
    /// Largest window after the jump, segments.
    max_jump: number(1e6, (1.0, 1e7), "segments", "draft-ietf-tsvwg-careful-resume §3.3"),
    /// Share of the validated capacity that `ssthresh` keeps after a safe retreat.
    beta: number(0.5, (0.5, 1.0), "1", "draft-ietf-tsvwg-careful-resume §3.5"),
}

pub(crate) const CARD: Card = Card {
    name: "careful-resume",
    title: "Careful Resume",
    aliases: &[],
    family: "slow-start",
    rule: "after the initial window w = saved/2, paced; at a loss w = delivered/2",
    response: "saved/2 after one RTT; then slow start",
    references: &["draft-ietf-tsvwg-careful-resume-23"],
    params: Params::TABLE,
};

/// Share of the saved window to which the window jumps (§3.3).
const JUMP: f64 = 0.5;

/// RTTs, in saved ones, outside which the path has changed (§3.2 and §4.2.1).
const SAME_PATH: (f64, f64) = (0.5, 10.0);

/// Smallest window, segments (RFC 5681 equation 4).
const LEAST_CWND: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Phase {
    Reconnaissance,
    Unvalidated {
        /// Time of the jump, and the latest end of this phase, seconds.
        until_s: f64,
        /// Segments that were sent before the jump.
        before: f64,
    },
    Validating {
        /// Segments that were sent before the end of the jump.
        jumped: f64,
    },
    Retreat {
        /// Segments outstanding at the loss whose fate is not yet known.
        unknown: f64,
    },
    Over,
}

/// The state of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct CarefulResume {
    params: Params,
    phase: Phase,
    initial_cwnd: f64,
    /// The validated capacity, segments (PipeSize).
    pipe: f64,
    /// Whether the window grows for the current ACK.
    grows: bool,
}

impl CarefulResume {
    /// Creates the slow start of a flow.
    pub fn new(params: Params) -> Self {
        let phase = if params.saved_cwnd > 0.0 { Phase::Reconnaissance } else { Phase::Over };
        Self { params, phase, initial_cwnd: 1.0, pipe: 0.0, grows: true }
    }

    /// Leaves the reconnaissance phase once the initial window is acknowledged.
    fn confirm(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.rate.delivered < self.initial_cwnd || ack.rtt_s <= 0.0 {
            return;
        }
        let jump = (JUMP * self.params.saved_cwnd).min(self.params.max_jump).floor();
        let is_of_use = window.cwnd < jump && jump < window.ssthresh;
        if !is_of_use || !self.is_same_path(path.min_rtt_s) {
            self.phase = Phase::Over;
            return;
        }
        let flight = ack.rate.in_flight;
        self.phase =
            Phase::Unvalidated { until_s: ack.now_s + ack.rtt_s, before: ack.rate.delivered + flight };
        (self.pipe, self.grows) = (flight, false);
        (window.cwnd, window.pace) = (jump, jump / ack.rtt_s);
    }

    fn is_same_path(&self, min_rtt_s: f64) -> bool {
        let saved_s = self.params.saved_rtt_s;
        let (low_s, high_s) = (SAME_PATH.0 * saved_s, SAME_PATH.1 * saved_s);
        saved_s == 0.0 || (low_s < min_rtt_s && min_rtt_s <= high_s)
    }

    /// Ends the unvalidated phase.
    fn validate(&mut self, ack: &Ack, window: &mut Window) {
        let flight = ack.rate.in_flight;
        window.pace = f64::INFINITY;
        if flight < self.initial_cwnd || flight <= self.pipe {
            window.cwnd = self.pipe.max(self.initial_cwnd).min(window.cwnd);
            self.phase = Phase::Over;
        } else {
            window.cwnd = flight;
            self.phase = Phase::Validating { jumped: ack.rate.delivered + flight };
        }
    }
}

impl SlowStart for CarefulResume {
    fn on_start(&mut self, _now_s: f64, _path: &Path, window: &mut Window) {
        self.initial_cwnd = window.cwnd;
    }

    fn on_ack(&mut self, ack: &Ack, _base_rtt_s: f64, path: &Path, window: &mut Window) {
        self.grows = true;
        match self.phase {
            Phase::Reconnaissance => self.confirm(ack, path, window),
            Phase::Unvalidated { until_s, before } => {
                self.pipe += ack.rate.newly;
                self.grows = false;
                let is_full = ack.rate.in_flight_before() >= window.cwnd.floor();
                if is_full || ack.rate.delivered > before || ack.now_s > until_s {
                    self.validate(ack, window);
                }
            }
            Phase::Validating { jumped } => {
                self.pipe += ack.rate.newly;
                if ack.rate.delivered >= jumped {
                    self.phase = Phase::Over;
                }
            }
            Phase::Retreat { .. } | Phase::Over => {}
        }
    }

    fn growth(&self, ack: &Ack) -> f64 {
        if self.grows { ack.acked } else { 0.0 }
    }

    fn on_exit(&mut self, window: &mut Window) {
        if matches!(self.phase, Phase::Unvalidated { .. }) {
            window.pace = f64::INFINITY;
        }
        self.phase = Phase::Over;
    }

    fn on_congestion(&mut self, event: &Congestion, window: &mut Window) {
        self.grows = true;
        let jumps = matches!(self.phase, Phase::Unvalidated { .. } | Phase::Validating { .. });
        if jumps {
            window.pace = f64::INFINITY;
        }
        self.phase = match event.cause {
            Cause::Loss if jumps => {
                window.cwnd = (self.pipe / 2.0).min(window.cwnd).max(LEAST_CWND);
                Phase::Retreat { unknown: f64::from(event.in_flight) }
            }
            Cause::Mark if jumps => {
                self.limit_threshold(window);
                Phase::Over
            }
            _ => Phase::Over,
        };
    }

    fn on_repair(&mut self, ack: &Ack, _window: &mut Window) {
        if let Phase::Retreat { unknown } = &mut self.phase {
            let delivered = ack.rate.newly.min(*unknown);
            *unknown = (*unknown - delivered - ack.rate.newly_lost).max(0.0);
            self.pipe += delivered;
        }
    }

    fn on_recovered(&mut self, window: &mut Window) {
        self.limit_threshold(window);
        self.phase = Phase::Over;
    }

    fn on_undo(&mut self) {
        self.phase = Phase::Over;
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        matches!(self.phase, Phase::Retreat { .. })
    }

    fn wants_rate(&self) -> bool {
        self.phase != Phase::Over
    }
}

impl CarefulResume {
    fn limit_threshold(&self, window: &mut Window) {
        window.ssthresh = window.ssthresh.min(self.params.beta * self.pipe).max(LEAST_CWND);
    }
}

#[cfg(test)]
mod tests;
