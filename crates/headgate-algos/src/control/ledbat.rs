//! LEDBAT: a background transfer that keeps the queueing delay at a target and yields to others.
//!
//! # Overview
//! LEDBAT grows while the queueing delay is below `target_s` and shrinks while it is above, in proportion,
//! and never faster than standard TCP. Flows that fill the buffer push it to its smallest window.
//!
//! # The rule
//! `queueing = min(last filter delays) - min(delays of the last base_minutes minutes)`, `off = (target -
//! queueing)/target`. Per ACK: `w += gain off acked / w`, then at most `in_flight + allowed_increase`, at
//! least 2. Loss: `w = max(w/2, 2)`; time-out: `ssthresh` as after a loss, and `w = 1`.
//!
//! # Differences from the paper
//! NOTE(RFC 6817 section 2.2): the delay is the RTT, not the one-way delay, so that queueing of ACKs counts
//! too. Without it the two differ by a constant, which the base delay removes.
//!
//! NOTE(RFC 6817 section 2.4.2): slow start up to `ssthresh`, as in ns-3; the RFC's pseudocode has none
//! (`slow_start` "no"). Slow start also ends without a loss when the queueing delay exceeds nine tenths of
//! the target, as in libutp; that of ns-3 does not, and overshoots the target by far in a large buffer. A
//! shrinking window lowers `ssthresh` too, so that slow start does not begin again.
//!
//! NOTE(RFC 6817 section 2.4.2): an ACK that echoes a mark, and one of a flow that its window does not limit,
//! do not increase the window, as in all algorithms here. There is no random pause.
//!
//! # When to use it
//! As background traffic, and to study the late-comer effect: a flow that starts with a full queue takes that
//! delay for the base delay.
//!
//! # References
//! RFC 6817 §2.4.2 (rule), §2.5 (target, gain, history, windows); ns-3 `tcp-ledbat.cc` (filter, slow start);
//! libutp `utp_internal.cpp` (end of slow start).

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;
use crate::parts::delays::Delays;

headgate_model::params! {
    /// Queueing delay that the flow aims for.
    target_s: number(0.1, (0.001, 0.1), "s", "RFC 6817: 100 ms or less"),
    /// Increase per round trip of a flow that queues nothing.
    gain: number(1.0, (0.01, 1.0), "segments", "RFC 6817: at most that of TCP"),
    /// Number of segments by which the window may exceed the flight.
    allowed_increase: number(1.0, (1.0, 100.0), "segments", "RFC 6817"),
    /// Minutes over which the base delay is the minimum.
    base_minutes: number(10.0, (2.0, 60.0), "min", "RFC 6817"),
    /// Number of samples whose minimum is the current delay.
    filter: number(4.0, (1.0, 64.0), "samples", "ns-3 tcp-ledbat.cc"),
    /// Whether the window doubles each round trip up to ssthresh, or until the delay is near the target.
    slow_start: switch(["yes", "no"], "ns-3 tcp-ledbat.cc; RFC 6817"),
}

pub(crate) const CARD: Card = Card {
    name: "ledbat",
    title: "LEDBAT",
    aliases: &[],
    family: "delay",
    rule: "w += (target - queueing delay)/target per RTT; w *= 1/2 on loss",
    response: "queueing delay = 100 ms, however many flows",
    references: &["RFC 6817"],
    params: Params::TABLE,
};

/// The smallest window, segments (RFC 6817 MIN_CWND).
const FLOOR: f64 = 2.0;

/// Share of the target above which slow start ends (libutp).
const SLOW_START_SHARE: f64 = 0.9;

/// One flow's LEDBAT.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ledbat {
    target_s: f64,
    gain: f64,
    allowed_increase: f64,
    starts_slow: bool,
    delays: Box<Delays>,
}

impl Ledbat {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self {
            target_s: params.target_s,
            gain: params.gain,
            allowed_increase: params.allowed_increase,
            starts_slow: params.slow_start,
            delays: Box::new(Delays::new(params.base_minutes as usize, params.filter as usize)),
        }
    }

    /// Whether this ACK still doubles the window. Slow start ends once the delay is near the target.
    fn slow_starts(&self, window: &mut Window) -> bool {
        if !self.starts_slow || !window.slow_starts() {
            return false;
        }
        if self.delays.queueing_s().is_some_and(|delay_s| delay_s > SLOW_START_SHARE * self.target_s) {
            window.ssthresh = window.cwnd.max(FLOOR);
        }
        window.slow_starts()
    }

    fn aim(&self, acked: f64, ack: &Ack, window: &mut Window) {
        let Some(queueing_s) = self.delays.queueing_s() else { return };
        let off = (self.target_s - queueing_s) / self.target_s;
        if off < 0.0 || ack.cwnd_limited {
            window.cwnd += self.gain * off * acked / window.cwnd;
        }
        let most = f64::from(ack.in_flight) + self.allowed_increase;
        window.cwnd = window.cwnd.min(most).max(FLOOR);
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }
}

impl Controller for Ledbat {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        if ack.rtt_s > 0.0 {
            self.delays.sample(ack.now_s, ack.rtt_s);
        }
        if !self.slow_starts(window) {
            self.aim(ack.acked, ack, window);
        } else if ack.cwnd_limited {
            window.slow_start(ack.acked);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        reno::halve(event.in_flight, window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss, starting, timeout};

    fn controller() -> Ledbat {
        Ledbat::new(Params::default())
    }

    /// Returns the window after an ACK on an empty path and one that gives all samples of the filter this
    /// queueing delay.
    fn window_at(queueing_s: f64, in_flight: u32) -> f64 {
        let (mut controller, mut window) = (controller(), avoiding(50.0));
        controller.on_ack(&Ack { acked: 0.0, in_flight, ..ack(0.1) }, &PATH, &mut window);
        (0..3).for_each(|_| controller.delays.sample(1.0, 0.1 + queueing_s));
        controller.on_ack(&Ack { in_flight, ..ack(0.1 + queueing_s) }, &PATH, &mut window);
        window.cwnd
    }

    #[test]
    fn the_window_moves_with_the_distance_from_the_target() {
        for (queueing_s, off) in [(0.0, 1.0), (0.05, 0.5), (0.1, 0.0), (0.3, -2.0)] {
            assert!((window_at(queueing_s, 50) - (50.0 + off / 50.0)).abs() < 1e-12, "{queueing_s}");
        }
    }

    #[test]
    fn the_window_stays_near_the_flight_and_at_two() {
        assert_eq!(window_at(0.0, 20), 21.0);
        assert_eq!(window_at(0.0, 0), 2.0);
    }

    #[test]
    fn slow_start_is_taken_or_not() {
        for (starts_slow, cwnd) in [(true, 11.0), (false, 10.1)] {
            let (mut controller, mut window) = (controller(), starting(10.0));
            controller.starts_slow = starts_slow;
            controller.on_ack(&Ack { in_flight: 10, ..ack(0.1) }, &PATH, &mut window);
            assert_eq!(window.cwnd, cwnd); // 1 for one, or 1/10
        }
    }

    #[test]
    fn slow_start_ends_at_nine_tenths_of_the_target() {
        for (queueing_s, cwnd, ssthresh) in [(0.089, 51.0, f64::INFINITY), (0.091, 50.0 + 0.09 / 50.0, 50.0)]
        {
            let (mut controller, mut window) = (controller(), starting(50.0));
            controller.delays.sample(1.0, 0.1);
            (0..3).for_each(|_| controller.delays.sample(1.0, 0.1 + queueing_s));
            controller.on_ack(&Ack { in_flight: 50, ..ack(0.1 + queueing_s) }, &PATH, &mut window);
            assert!((window.cwnd - cwnd).abs() < 1e-12, "{queueing_s}: {}", window.cwnd);
            assert_eq!(window.ssthresh, ssthresh);
        }
    }

    #[test]
    fn a_loss_and_a_timeout_halve() {
        for event in [loss(50), timeout(50)] {
            let mut window = avoiding(50.0);
            controller().on_congestion(&event, &PATH, &mut window);
            assert_eq!(window.ssthresh, 25.0);
        }
    }
}
