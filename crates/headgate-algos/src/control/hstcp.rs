//! HighSpeed TCP: standard TCP whose two constants depend on the window.
//!
//! # Overview
//! The larger the window, the faster it grows and the smaller its reduction on a loss. The mean window
//! follows a straight line in the log-log plane of loss rates. At small windows it is Reno.
//!
//! # The rule
//! Above `low_window` = 38 segments: `cwnd += a(w)/w` per acknowledged segment and `cwnd *= 1 - b(w)` on a
//! loss, with `b(w) = 0.5 + (high_decrease - 0.5) (ln w - ln low)/(ln high - ln low)` and `a(w) = w^2 p(w) 2
//! b(w)/(2 - b(w))`; `ln p` is linear in `ln w` from 1e-3 at 38 segments to `high_p` at `high_window`:
//! about `0.078/w^1.2`. Up to `low_window` `a` = 1, `b` = 1/2.
//!
//! # Differences from the paper
//! NOTE(RFC 3649 section 5): windows are fractional. `a` is computed for the next integer window, and is at
//! least 1 (the formula gives 0.98 at 39). For another `low_window` the line starts at `1e-3 (38/low)^2`, the
//! loss rate at which standard TCP has that window. `b` stays `high_decrease` beyond `high_window`.
//!
//! NOTE(RFC 3649 section 5): the variant `linux` follows the kernel's table. `a` is rounded up to an integer
//! (2 to 73), and `b` is that of the window at which the formula reaches it. The rows are computed with the
//! RFC's rounded `p = 1/(12.8 w^1.2)` and lie within 0.6 % of the kernel's. `a/w` is added per ACK, not per
//! segment, so that with delayed ACKs growth is half of the RFC's. A loss uses the row of the last congestion
//! avoidance; after a first slow start that is the first row, a half. The variant takes no other parameters.
//!
//! # When to use it
//! As the standardised step beyond standard TCP at large windows, fair at small ones.
//!
//! # References
//! RFC 3649 §5 (response, a, b; points (38, 1e-3), (83000, 1e-7), 0.1); Linux `tcp_highspeed.c`.

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

headgate_model::choices! {
    /// The texts that HighSpeed TCP can follow.
    pub enum Variant {
        /// RFC 3649's formulas.
        Rfc = "rfc",
        /// The table of Linux `tcp_highspeed.c`, with whole increases.
        Linux = "linux",
    }
}

headgate_model::params! {
    /// Window up to which the algorithm is Reno's.
    low_window: number(38.0, (2.0, 10_000.0), "segments", "RFC 3649 §5"),
    /// Window at `high_p`.
    high_window: number(83000.0, (2000.0, 1e7), "segments", "RFC 3649 §5", at_least ["low_window"]),
    /// Loss rate at which the mean window is `high_window`.
    high_p: number(1e-7, (1e-12, 1e-5), "1", "RFC 3649 §5"),
    /// Share of the window that a loss takes at `high_window`.
    high_decrease: number(0.1, (0.01, 0.5), "1", "RFC 3649 §5"),
    /// Which text is followed: rfc, or linux with whole increases by a table.
    variant: choice(Variant, "RFC 3649; Linux tcp_highspeed.c"),
}

pub(crate) const CARD: Card = Card {
    name: "hstcp",
    title: "HighSpeed TCP",
    aliases: &["highspeed"],
    family: "loss",
    rule: "w += a(w)/w per ACK; w *= 1 - b(w) on loss; a = 1 to 73, b = 0.5 to 0.1 for w = 38 to 83000",
    response: "w = 0.12 / p^0.835",
    references: &["RFC 3649"],
    params: Params::TABLE,
};

/// The loss rate at which standard TCP and the line meet by default (RFC 3649 §5).
const LOW_P: f64 = 1e-3;
const LOW_WINDOW: f64 = 38.0;

/// The end of the line by default, and the reduction there.
const HIGH_WINDOW: f64 = 83_000.0;
const HIGH_DECREASE: f64 = 0.1;

/// The rounded line of RFC 3649 appendix B, `p = 1/(12.8 w^1.2)`.
const ROUNDED: (f64, f64) = (1.0 / 12.8, -1.2);

/// Linux's last increase (HSTCP_AIMD_MAX), and a window beyond the one that reaches it.
const LAST_ROW: f64 = 73.0;
const BEYOND_ROWS: f64 = 200_000.0;

/// An increase per round trip, and the windows above `from` and up to `to` for which it applies.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Row {
    a: f64,
    from: f64,
    to: f64,
}

/// One flow's HighSpeed TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Hstcp {
    low_window: f64,
    /// Smallest share that a loss takes.
    least: f64,
    /// `p(w) = scale w^slope`.
    scale: f64,
    slope: f64,
    /// Change of `b` per unit of `ln w`.
    fall: f64,
    row: Row,
    linux: bool,
}

impl Hstcp {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        if params.variant == Variant::Linux {
            return Self::of((LOW_WINDOW, HIGH_WINDOW), HIGH_DECREASE, ROUNDED, true);
        }
        let (low, high) = (params.low_window, params.high_window);
        let low_p = LOW_P * (LOW_WINDOW / low) * (LOW_WINDOW / low);
        let slope = libm::log(params.high_p / low_p) / libm::log(high / low);
        let line = (low_p * libm::pow(low, -slope), slope);
        Self::of((low, high), params.high_decrease, line, false)
    }

    fn of((low, high): (f64, f64), high_decrease: f64, (scale, slope): (f64, f64), linux: bool) -> Self {
        let fall = (high_decrease - 0.5) / libm::log(high / low);
        let row = Row { a: 1.0, from: 0.0, to: low };
        // the table continues beyond the line's end
        let least = if linux { 0.0 } else { high_decrease };
        Self { low_window: low, least, scale, slope, fall, row, linux }
    }

    /// Returns the share that a loss takes.
    fn b(&self, w: f64) -> f64 {
        (0.5 + self.fall * libm::log(w / self.low_window)).clamp(self.least, 0.5)
    }

    /// Returns the increase per round trip, segments.
    fn a(&self, w: f64) -> f64 {
        let b = self.b(w);
        self.scale * libm::pow(w, 2.0 + self.slope) * 2.0 * b / (2.0 - b)
    }

    fn row(&self, w: f64) -> Row {
        if w <= self.low_window {
            return Row { a: 1.0, from: 0.0, to: self.low_window };
        }
        if self.linux {
            return self.linux_row(w);
        }
        let to = w.ceil();
        Row { a: self.a(to).clamp(1.0, to), from: to - 1.0, to } // no faster than slow start
    }

    fn linux_row(&self, w: f64) -> Row {
        // the smallest increase that no integer window below `w` reaches
        let below = (w.ceil() - 1.0).min(BEYOND_ROWS);
        let a = (self.a(below).floor() + 1.0).clamp(2.0, LAST_ROW);
        let to = if a == LAST_ROW { f64::MAX } else { self.reaches(a) };
        Row { a, from: self.reaches(a - 1.0).max(self.low_window), to }
    }

    /// Returns the smallest integer window at which the formula reaches this increase.
    fn reaches(&self, a: f64) -> f64 {
        let (mut low, mut high) = (self.low_window.floor(), BEYOND_ROWS);
        while high - low > 1.0 {
            let middle = ((low + high) / 2.0).floor();
            if self.a(middle) < a {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    fn avoid(&mut self, acked: f64, window: &mut Window) {
        let w = window.cwnd;
        if w <= self.row.from || w > self.row.to {
            self.row = self.row(w);
        }
        window.cwnd += self.row.a * (acked / w).min(1.0);
    }

    /// Returns the window after a loss at this flight, segments.
    fn left(&self, flight: f64) -> f64 {
        if self.linux {
            let at = self.row.to.min(self.reaches(LAST_ROW));
            let share = (256.0 * self.b(at)).floor() / 256.0; // as the kernel's table
            return flight - (flight * share).floor();
        }
        if flight <= self.low_window { flight / 2.0 } else { flight * (1.0 - self.b(flight)) }
    }
}

impl Controller for Hstcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            self.avoid(if self.linux { 1.0 } else { left }, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        window.ssthresh = self.left(f64::from(event.in_flight)).max(2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss};

    const RFC: Variant = Variant::Rfc;
    const LINUX: Variant = Variant::Linux;

    fn controller(low_window: f64, variant: Variant) -> Hstcp {
        let (high_window, high_p, high_decrease) = (83_000.0, 1e-7, 0.1);
        Hstcp::new(Params { low_window, high_window, high_p, high_decrease, variant })
    }

    fn left(controller: &mut Hstcp, in_flight: u32) -> f64 {
        let mut window = avoiding(f64::from(in_flight));
        controller.on_congestion(&loss(in_flight), &PATH, &mut window);
        window.ssthresh
    }

    fn acked(controller: &mut Hstcp, cwnd: f64) -> f64 {
        let mut window = avoiding(cwnd);
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        window.cwnd - cwnd
    }

    #[test]
    fn no_increase_is_faster_than_slow_start() {
        // the steepest line that is allowed: it gives a(1e9) = 8.6e27
        let params = Params {
            low_window: 1000.0,
            high_window: 2000.0,
            high_p: 1e-5,
            high_decrease: 0.1,
            variant: RFC,
        };
        let (mut controller, mut window) = (Hstcp::new(params), avoiding(1e9));
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 1e9 + 1.0);
    }

    #[test]
    fn the_constants_at_the_ends_of_the_line() {
        let controller = controller(38.0, RFC);
        assert!((controller.b(38.0) - 0.5).abs() < 1e-12 && (controller.b(83_000.0) - 0.1).abs() < 1e-12);
        // 38^2 1e-3 * 2/3 = 0.963; 83000^2 1e-7 * 0.2/1.9 = 72.52
        assert!((controller.a(38.0) - 0.9627).abs() < 1e-4 && (controller.a(83_000.0) - 72.516).abs() < 1e-3);
    }

    #[test]
    fn one_ack_adds_a_share_of_a() {
        // b(1000) = 0.5 - 0.4 * 3.2702/7.6890 = 0.32988; p = 1e-3 (1000/38)^-1.19785 = 1.9893e-5;
        // a = 19.893 * 0.65975/1.67012 = 7.858
        assert!((acked(&mut controller(38.0, RFC), 1000.0) - 7.858e-3).abs() < 2e-6);
        assert_eq!(acked(&mut controller(38.0, RFC), 32.0), 1.0 / 32.0);
    }

    #[test]
    fn a_loss_takes_b_and_half_of_a_small_window() {
        assert!((left(&mut controller(38.0, RFC), 1000) - 670.12).abs() < 0.02);
        assert_eq!(left(&mut controller(38.0, RFC), 38), 19.0);
        assert!((left(&mut controller(38.0, RFC), 1_000_000) - 900_000.0).abs() < 1e-6);
    }

    #[test]
    fn another_low_window_starts_where_standard_tcp_has_it() {
        let controller = controller(31.0, RFC);
        let p = controller.scale * libm::pow(31.0, controller.slope);
        assert!((p - 1.5026e-3).abs() < 1e-7); // 1e-3 (38/31)^2
        assert_eq!(controller.row(31.0).a, 1.0);
    }

    #[test]
    fn the_rows_of_linux_are_where_the_formula_reaches_whole_increases() {
        // RFC 3649 appendix B, as in the kernel: increase and window
        let controller = controller(38.0, LINUX);
        for (a, window) in [(2.0, 118.0), (3.0, 221.0), (8.0, 1058.0), (29.0, 9991.0), (71.0, 84_035.0)] {
            assert!((controller.reaches(a) / window - 1.0).abs() < 0.006, "{a}: {}", controller.reaches(a));
            assert_eq!((controller.row(window * 0.99).a, controller.row(window * 1.01).a), (a, a + 1.0));
        }
        assert_eq!(
            (controller.row(118.0).a, controller.row(118.5).a, controller.reaches(2.0)),
            (2.0, 3.0, 118.0)
        );
        assert_eq!((controller.row(39.0).a, controller.row(38.0).a, controller.row(1e6).a), (2.0, 1.0, 73.0));
    }

    #[test]
    fn linux_takes_the_share_of_the_row() {
        let mut controller = controller(38.0, LINUX);
        assert_eq!(left(&mut controller, 100), 50.0); // no row has been used yet
        assert!((acked(&mut controller, 100.0) - 0.02).abs() < 1e-12);
        assert_eq!(left(&mut controller, 100), 57.0); // the row of 118: 112/256 are 43.75 %, truncated to 43
    }

    #[test]
    fn linux_counts_acks_and_the_rfc_segments() {
        // the RFC at 100: b = 0.4497, p = 3.139e-4, a = 1.82
        for (variant, acked, grown) in [(LINUX, 2.0, 0.02), (LINUX, 1.0, 0.02), (RFC, 2.0, 0.0364)] {
            let mut window = avoiding(100.0);
            controller(38.0, variant).on_ack(&Ack { acked, ..ack(0.1) }, &PATH, &mut window);
            assert!((window.cwnd - 100.0 - grown).abs() < 1e-4, "{}", window.cwnd);
        }
    }

    #[test]
    fn a_row_holds_for_the_windows_of_one_increase() {
        let ends = |variant, w| {
            let row = controller(38.0, variant).row(w);
            (row.from, row.to)
        };
        assert_eq!(ends(RFC, 100.5), (100.0, 101.0));
        let at = |a| controller(38.0, LINUX).reaches(a);
        assert_eq!(ends(LINUX, 200.0), (at(2.0), at(3.0)));
        assert_eq!(ends(LINUX, 1e9), (at(72.0), f64::MAX));
    }
}
