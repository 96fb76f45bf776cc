//! Scalable TCP: multiplicative increase, multiplicative decrease.
//!
//! # Overview
//! Scalable TCP grows by a fixed share of the window in each round trip and loses an eighth on a loss, so
//! that the recovery time does not depend on the window. At small windows it is Reno.
//!
//! # The rule
//! `w += a` per acknowledged segment and `w *= 1 - b` on a loss, with `a` = 0.01 and `b` = 0.125; Reno's
//! rules while the window (on a loss: the flight) is below `low_window` = 16 segments.
//!
//! # Differences from the paper
//! NOTE(Kelly 2003): the variant `linux` follows the kernel's module up to 5.5, which ns-2 contains too: one
//! segment per `min(w, 50)` acknowledged, no low window. The 50 compensates for delayed ACKs, so that the
//! variant grows twice as fast if every segment is acknowledged.
//!
//! NOTE(Kelly 2003): the variant `linux-5.6` follows the kernel since 5.6, which counts acknowledged segments
//! and adds one per `min(w, 100)`.
//!
//! NOTE(Linux tcp_scalable.c): the window is fractional; the older kernel counts whole segments (and 51
//! instead of 50).
//!
//! # When to use it
//! As the aggressive extreme of loss-driven algorithms: fast at large windows, unfair to Reno.
//!
//! # References
//! Kelly 2003 (increase 0.01, decrease 1/8, low window 16); Linux `tcp_scalable.c` (1/50, later 1/100).

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;

headgate_model::choices! {
    /// The texts that Scalable TCP can follow.
    pub enum Variant {
        /// Kelly 2003.
        Kelly = "kelly",
        /// Linux `tcp_scalable.c` up to 5.5.
        Linux = "linux",
        /// Linux `tcp_scalable.c` from 5.6 on.
        Linux56 = "linux-5.6",
    }
}

headgate_model::params! {
    /// Increase `a` per acknowledged segment (variant kelly).
    increase: number(0.01, (1e-6, 1.0), "segments", "Kelly 2003") used_with variant ["kelly"],
    /// Share `b` of the window that a loss takes.
    decrease: number(0.125, (0.01, 0.9), "1", "Kelly 2003"),
    /// Window below which the algorithm is Reno's (variant kelly); 0 = never.
    low_window: number(16.0, (0.0, 10000.0), "segments", "Kelly 2003 (lwnd)") used_with variant ["kelly"],
    /// Which text is followed: kelly, or Linux with 1/min(w, 50) per segment (up to 5.5) or 1/min(w, 100)
    /// (from 5.6 on) and no low window.
    variant: choice(Variant, "Kelly 2003; Linux tcp_scalable.c"),
}

pub(crate) const CARD: Card = Card {
    name: "scalable",
    title: "Scalable TCP",
    aliases: &["stcp"],
    family: "loss",
    rule: "w += 0.01 per ACK; w *= 0.875 on loss; Reno below 16 segments",
    response: "w = 0.075 / p",
    references: &["Kelly 2003, Scalable TCP: improving performance in highspeed wide area networks"],
    params: Params::TABLE,
};

/// Acknowledged segments per added one in Linux, up to 5.5 and since 5.6 (TCP_SCALABLE_AI_CNT).
const LINUX_COUNTS: (f64, f64) = (50.0, 100.0);

/// One flow's Scalable TCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scalable {
    increase: f64,
    decrease: f64,
    low_window: f64,
    /// Acknowledged segments per segment added, at most, as in Linux; 0 = Kelly's rule.
    linux_count: f64,
}

impl Scalable {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        let (linux_count, low_window) = match params.variant {
            Variant::Kelly => (0.0, params.low_window),
            Variant::Linux => (LINUX_COUNTS.0, 0.0),
            Variant::Linux56 => (LINUX_COUNTS.1, 0.0),
        };
        Self { increase: params.increase, decrease: params.decrease, low_window, linux_count }
    }

    fn gain(&self, cwnd: f64) -> f64 {
        if self.linux_count > 0.0 { 1.0 / cwnd.min(self.linux_count) } else { self.increase }
    }

    fn avoid(&self, acked: f64, window: &mut Window) {
        if window.cwnd < self.low_window {
            reno::avoid(acked, window);
        } else {
            window.cwnd += acked * self.gain(window.cwnd);
        }
    }
}

impl Controller for Scalable {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if !ack.cwnd_limited {
            return;
        }
        let left = if window.slow_starts() { window.slow_start(ack.acked) } else { ack.acked };
        if left > 0.0 {
            self.avoid(left, window);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        let flight = f64::from(event.in_flight);
        if flight < self.low_window {
            reno::halve(event.in_flight, window);
        } else {
            window.ssthresh = (flight * (1.0 - self.decrease)).max(2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss};

    fn controller(variant: Variant) -> Scalable {
        Scalable::new(Params { increase: 0.01, decrease: 0.125, low_window: 16.0, variant })
    }

    fn acked(controller: &mut Scalable, cwnd: f64) -> f64 {
        let mut window = avoiding(cwnd);
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        window.cwnd
    }

    fn after_loss(controller: &mut Scalable, in_flight: u32) -> f64 {
        let mut window = avoiding(f64::from(in_flight));
        controller.on_congestion(&loss(in_flight), &PATH, &mut window);
        window.ssthresh
    }

    #[test]
    fn one_segment_adds_a_hundredth() {
        assert_eq!(acked(&mut controller(Variant::Kelly), 200.0), 200.01);
        assert_eq!(acked(&mut controller(Variant::Kelly), 16.0), 16.01);
    }

    #[test]
    fn below_the_low_window_it_is_reno() {
        assert_eq!(acked(&mut controller(Variant::Kelly), 8.0), 8.125); // 8 + 1/8
        assert_eq!(after_loss(&mut controller(Variant::Kelly), 15), 7.5);
    }

    #[test]
    fn a_loss_takes_an_eighth() {
        assert_eq!(after_loss(&mut controller(Variant::Kelly), 16), 14.0); // 16 * 7/8
        assert_eq!(after_loss(&mut controller(Variant::Linux), 8), 7.0);
        assert_eq!(after_loss(&mut controller(Variant::Linux), 1), 2.0);
    }

    #[test]
    fn linux_adds_one_per_fifty_or_a_hundred_or_per_window() {
        assert_eq!(acked(&mut controller(Variant::Linux), 200.0), 200.02); // 1/50
        assert_eq!(acked(&mut controller(Variant::Linux), 20.0), 20.05); // 1/20
        assert_eq!(acked(&mut controller(Variant::Linux56), 200.0), 200.01); // 1/100
        assert_eq!(acked(&mut controller(Variant::Linux56), 50.0), 50.02);
    }
}
