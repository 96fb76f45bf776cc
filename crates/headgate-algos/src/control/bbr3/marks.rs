//! The response to congestion marks of the Linux module (google/bbr `tcp_bbr.c`, BBR_VERSION 3).
//!
//! Linux uses marks only on routes for which an administrator has declared that a mark means a short queue
//! (`ecn_low`), and if the receiver reports them exactly.

use std::collections::VecDeque;

use headgate_model::control::{Ack, Rate};
use headgate_model::whole::floor;

use super::Variant;

/// Weight of a round trip in the average share of marks (`bbr_ecn_alpha_gain`).
const ALPHA_GAIN: f64 = 1.0 / 16.0;
/// Reduction of the flight by a round trip that is wholly marked (`bbr_ecn_factor`).
const FACTOR: f64 = 1.0 / 3.0;
/// Share of marked segments that is too large (`bbr_ecn_thresh`).
const THRESHOLD: f64 = 0.5;
/// Round trips with such a share that end STARTUP (`bbr_full_ecn_cnt`).
const STARTUP_ROUNDS: u32 = 2;
/// Share of the long-term bound by which a probe begins to grow once marks cease (`bbr_ecn_reprobe_gain`).
const REPROBE_GAIN: f64 = 0.5;
/// Doublings of the growth that a probe begins with at most.
const MOST_DOUBLINGS: f64 = 30.0;
/// The longest smallest RTT with which marks count, seconds (`bbr_ecn_max_rtt_us`).
const MAX_RTT_S: f64 = 0.005;

/// The marks of a flow, and what the model has learnt from them.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Marks {
    max_rtt_s: f64,
    /// Whether the receiver reports marks exactly.
    pub(super) granted: bool,
    /// Whether marks count on this path; it stays true.
    eligible: bool,
    /// Average share of marked segments of a round trip (`ecn_alpha`).
    alpha: f64,
    /// Segments delivered in this round trip, and the marked ones among them.
    delivered: f64,
    marked: f64,
    /// Marked segments of the connection, and those delivered before the newest sampled segment was sent.
    total: f64,
    before_sample: f64,
    /// For each ACK with marks since then: `Rate::delivered`, and `total` after the ACK.
    reports: VecDeque<(f64, f64)>,
    startup_rounds: u32,
    /// Marks in this round trip (`ecn_in_round`) and in this cycle, and losses in this cycle.
    in_round: bool,
    in_cycle: bool,
    loses_in_cycle: bool,
    /// Whether a mark reduces the window of the transport (Linux's state CWR).
    pub(super) reduces: bool,
}

impl Marks {
    /// Returns the initial state of a flow of this variant; `None` if it does not use marks.
    pub(super) fn of(variant: Variant) -> Option<Box<Self>> {
        let max_rtt_s = match variant {
            Variant::Draft | Variant::LinuxV3 => return None,
            Variant::LinuxEcn => MAX_RTT_S,
            Variant::LinuxEcnAny => f64::INFINITY,
        };
        Some(Box::new(Self::new(max_rtt_s)))
    }

    /// Returns the state of a flow that uses marks while its smallest RTT is at most `max_rtt_s`, seconds.
    pub(super) fn new(max_rtt_s: f64) -> Self {
        Self {
            max_rtt_s,
            granted: false,
            eligible: false,
            alpha: 1.0,
            delivered: 0.0,
            marked: 0.0,
            total: 0.0,
            before_sample: 0.0,
            reports: VecDeque::new(),
            startup_rounds: 0,
            in_round: false,
            in_cycle: false,
            loses_in_cycle: false,
            reduces: false,
        }
    }

    /// Takes the marks of an ACK. Returns true if it completes the round trips that end STARTUP.
    pub(super) fn take(&mut self, ack: &Ack, round_starts: bool, min_rtt_s: f64) -> bool {
        if !self.granted {
            return false;
        }
        self.delivered += ack.rate.newly;
        self.marked += ack.marked;
        self.locate(ack);
        let ends = round_starts && self.end_round(min_rtt_s);
        self.in_round |= self.eligible && ack.marked > 0.0;
        ends
    }

    /// Counts the marks since the sampled segment was sent.
    fn locate(&mut self, ack: &Ack) {
        if ack.marked > 0.0 {
            self.total += ack.marked;
            self.reports.push_back((ack.rate.delivered, self.total));
        }
        while let Some(&(delivered, total)) = self.reports.front()
            && delivered <= ack.rate.prior
        {
            self.before_sample = total;
            self.reports.pop_front();
        }
    }

    fn end_round(&mut self, min_rtt_s: f64) -> bool {
        self.eligible |= min_rtt_s <= self.max_rtt_s;
        if !self.eligible || self.delivered <= 0.0 {
            return false;
        }
        let share = self.marked / self.delivered;
        self.alpha = (self.alpha + ALPHA_GAIN * (share - self.alpha)).min(1.0);
        (self.delivered, self.marked) = (0.0, 0.0);
        self.startup_rounds = if share >= THRESHOLD { self.startup_rounds + 1 } else { 0 };
        self.startup_rounds >= STARTUP_ROUNDS
    }

    /// Whether more than half of the segments of a sample were marked.
    pub(super) fn are_too_many(&self, rate: &Rate) -> bool {
        let marked = self.total - self.before_sample;
        let delivered = rate.delivered - rate.prior;
        self.eligible && rate.per_s > 0.0 && marked > 0.0 && marked > floor(THRESHOLD * delivered)
    }

    /// Returns the flight that remains after a round trip with marks, segments; `None` after one without.
    pub(super) fn reduce(&self, in_flight: f64) -> Option<f64> {
        self.in_round.then(|| floor(in_flight * (1.0 - FACTOR * self.alpha)))
    }

    /// Begins a round trip.
    pub(super) fn begin_round(&mut self) {
        self.in_round = false;
    }

    /// Records that a segment was lost.
    pub(super) fn note_loss(&mut self) {
        self.loses_in_cycle = true;
    }

    /// Ends an ACK: records whether its sample had marks or losses.
    pub(super) fn advance(&mut self, rate: &Rate) {
        self.loses_in_cycle |= rate.lost_since > 0.0;
        self.in_cycle |= rate.per_s > 0.0 && self.total > self.before_sample;
    }

    /// Begins a cycle.
    pub(super) fn forget(&mut self) {
        (self.in_round, self.in_cycle, self.loses_in_cycle) = (false, false, false);
    }

    /// Whether marks have ceased in a cycle without losses, so that a probe begins at once.
    pub(super) fn have_ceased(&self, ack: &Ack) -> bool {
        let is_open = !self.reduces && !ack.recovers && !ack.after_timeout;
        self.eligible && self.in_cycle && !self.loses_in_cycle && is_open
    }
}

/// Returns how often the growth of a probe has doubled when it begins after marks have ceased.
pub(super) fn count_doublings(inflight_long: f64) -> u32 {
    floor((REPROBE_GAIN * inflight_long).max(1.0).log2()).min(MOST_DOUBLINGS) as u32
}
