//! The points in which the programs of Prague differ.

use headgate_model::control::{Path, Window};
use headgate_model::whole::{ceil, floor};

use super::{State, Variant};

/// The smallest window that is sent, segments (Linux `MIN_CWND`, udp_prague `MIN_PKT_WIN`).
pub(super) const FLOOR: f64 = 2.0;
/// Round trips after slow start until shares are equal, in Linux 0.7 (`DEFAULT_RTT_TRANSITION`).
pub(super) const TRANSITION_07: f64 = 4.0;
/// Segments up to which Linux 0.7 paces by halves of a round trip (`prague_cwnd_transit`).
const FEW: f64 = 4.0;
/// Segments that the Linux of 2019 adds to the window when it paces.
const EXTRA_2019: f64 = 2.0;
/// Growth per target round trip after a time without marks, seconds of the rate (udp_prague `QUEUE_GROWTH`).
const QUEUE_GROWTH_S: f64 = 0.001;
/// Target round trips without marks until then: these, and one per step of the rate (udp_prague `MIN_STEP`,
/// `RATE_STEP`).
const QUIET_ROUNDS: f64 = 7.0;
const RATE_STEP_BYTES_S: f64 = 1.92e6;
/// The smallest rate, bytes/s (Linux 0.7 `MINIMUM_RATE`, udp_prague `PRAGUE_MINRATE`).
const LEAST_RATE_BYTES_S: f64 = 12_500.0;
/// The kernel's rate is in bytes of packets of 1500 B, and each segment takes its 1448 B of payload from it
/// (`prague_update_pacing_rate`; `tcp_update_skb_after_send`).
const PACKET_OVER_PAYLOAD: f64 = 1500.0 / 1448.0;
/// Pacing above the rate in the first half of a round trip, and below it in the second.
const SWING: f64 = 1.03;

/// Returns the target round trips without marks until growth is faster, at this rate.
pub(super) fn quiet_after(rate_bytes_s: f64) -> f64 {
    floor(rate_bytes_s / RATE_STEP_BYTES_S) + QUIET_ROUNDS
}

/// Returns the pacing rate over the rate of the window, in the first half of a round trip or `is_late`.
fn swing(is_late: bool) -> f64 {
    if is_late { 1.0 / SWING } else { SWING }
}

impl Variant {
    pub(super) fn first_alpha(self) -> f64 {
        if self.waits_for_marks() && self != Self::Linux07 { 1.0 } else { 0.0 }
    }

    /// Whether `alpha` keeps its first value until the first mark.
    pub(super) fn waits_for_marks(self) -> bool {
        matches!(self, Self::Linux | Self::Linux07 | Self::Of2020)
    }

    /// Whether growth is divided by the fractional window, not by the whole one.
    pub(super) fn counts_fractions(self) -> bool {
        matches!(self, Self::Linux07 | Self::Udp)
    }

    /// Whether the window moves by one segment per ACK (`prague_update_cwnd`).
    pub(super) fn steps(self) -> bool {
        matches!(self, Self::Linux | Self::Linux07 | Self::Of2020)
    }

    /// Returns the smallest fractional window, segments.
    pub(super) fn least_window(self, path: &Path) -> f64 {
        if self.counts_fractions() { self.least_pace(path) * path.srtt_s } else { FLOOR }
    }

    /// Returns the smallest pacing rate, segments/s.
    #[inline]
    pub(super) fn least_pace(self, path: &Path) -> f64 {
        if self.counts_fractions() { LEAST_RATE_BYTES_S / f64::from(path.segment_bytes) } else { 0.0 }
    }
}

impl State {
    /// Adopts a window that the transport or a slow start has set.
    #[inline]
    pub(super) fn adopt(&mut self, window: &Window) {
        if window.cwnd != self.whole {
            self.exact = window.cwnd;
        }
    }

    /// Sets the window to the fractional one, unless the variant goes there by steps.
    #[inline]
    pub(super) fn follow(&self, window: &mut Window) {
        if !self.params.variant.steps() {
            window.cwnd = self.whole_window(window.cwnd);
        }
    }

    /// Moves the window by at most one segment towards the fractional one.
    #[inline]
    pub(super) fn step(&self, window: &mut Window) {
        if !self.params.variant.steps() || window.slow_starts() {
            return;
        }
        let whole = self.whole_window(window.cwnd);
        if whole > window.cwnd {
            window.cwnd += 1.0;
        } else if whole < window.cwnd {
            window.cwnd = (window.cwnd - 1.0).max(FLOOR);
            window.ssthresh = window.cwnd;
        }
    }

    /// Returns the fractional window in whole segments; `cwnd` is the present one. udp_prague adds 3 % and
    /// one segment, so that its pacing is the limit. The Linux of 2020 waits until the difference is a
    /// segment.
    #[inline]
    pub(super) fn whole_window(&self, cwnd: f64) -> f64 {
        let whole = match self.params.variant {
            Variant::Of2020 if (self.exact - cwnd).abs() < 1.0 => cwnd,
            Variant::Of2020 if self.exact > cwnd => floor(self.exact),
            Variant::Udp => floor(self.exact * SWING) + 1.0,
            Variant::Of2019 => floor(self.exact),
            _ => ceil(self.exact),
        };
        whole.max(FLOOR)
    }

    /// Returns the growth per target round trip, segments: one, or a millisecond of the rate after a time
    /// without marks.
    pub(super) fn step_after_quiet(&self, path: &Path) -> f64 {
        let step = self.exact / path.srtt_s * QUEUE_GROWTH_S;
        if self.quiet > 0.0 || path.srtt_s <= 0.0 { 1.0 } else { step.max(1.0) }
    }

    /// Returns the target round trips in which a flow with the target's round trip regains half of this rate.
    pub(super) fn rounds_to_regrow(&self, path: &Path) -> f64 {
        if path.srtt_s <= 0.0 {
            return 0.0;
        }
        let target_s = self.params.target_s;
        floor(self.exact / path.srtt_s / 2.0 * target_s * target_s / self.virtual_rtt_s(path))
    }

    pub(super) fn rate_bytes_s(&self, path: &Path) -> f64 {
        if path.srtt_s > 0.0 { self.exact / path.srtt_s * f64::from(path.segment_bytes) } else { 0.0 }
    }

    #[inline]
    pub(super) fn pace(&self, now_s: f64, path: &Path, window: &mut Window) {
        if path.srtt_s <= 0.0 {
            return;
        }
        let starts = window.cwnd < window.ssthresh / 2.0;
        let is_late = now_s - self.updated_s >= self.virtual_rtt_s(path) / 2.0;
        let segments = match self.params.variant {
            Variant::Linux => self.exact,
            Variant::Udp => self.exact * swing(is_late),
            Variant::Linux07 if self.is_independent(window) && window.cwnd <= FEW => {
                self.exact * swing(is_late)
            }
            Variant::Of2019 if !starts => window.cwnd + EXTRA_2019,
            _ => window.cwnd,
        };
        let doubled = if starts { 2.0 * segments } else { segments };
        let faster = if self.is(Variant::Udp) { 1.0 } else { PACKET_OVER_PAYLOAD };
        window.pace = (doubled * faster / path.srtt_s).max(self.params.variant.least_pace(path));
    }
}
