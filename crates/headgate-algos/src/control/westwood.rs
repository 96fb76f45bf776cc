//! Westwood+: standard TCP that reduces its window to the measured bandwidth.
//!
//! # Overview
//! Westwood+ grows as Reno, and measures the rate of ACKs. After a loss, the window is what fills the path at
//! that rate without a queue. A loss without a queue therefore reduces it only slightly.
//!
//! # The rule
//! Increase: Reno's. Once per `max(srtt, 50 ms)` a sample `b = acknowledged / interval` passes two filters:
//! `b1 = 7/8 b1 + 1/8 b`, `bwe = 7/8 bwe + 1/8 b1`; the first sample initialises both. Loss: `cwnd = ssthresh
//! = max(2, bwe min_rtt)`. Time-out: `ssthresh` likewise, and `min_rtt` is reset. A duplicate ACK that names
//! no segment counts as one, and later ACKs are corrected for it.
//!
//! # Differences from the paper
//! NOTE(Grieco, Mascolo 2004): the variant `linux` follows the kernel's module. Recovery aims at half the
//! flight. At its end, window and threshold are set by the bandwidth measured until then, and the increase of
//! the window is sent at once.
//!
//! NOTE(Linux tcp_westwood.c): the kernel counts times in whole ticks, with RTTs rounded up; `tick_s`
//! reproduces this. At 100 Hz, 40.6 ms are 5 ticks, so that the window that should fill the path is a quarter
//! too large.
//!
//! NOTE(Grieco, Mascolo 2004): the variant `ns2` is that module within ns-2's TCP/Linux, which never reports
//! the end of a recovery. At a loss, the window is what fills the path, but at least half the flight; a
//! time-out halves.
//!
//! `min_rtt` is that of data, without the handshake. If the profile counts ACKs instead of segments,
//! bandwidth is in ACKs too.
//!
//! # When to use it
//! On paths with losses that are not congestion, and with buffers larger than the path, which it empties.
//!
//! # References
//! Grieco, Mascolo 2004; Mascolo et al. 2001; Linux `tcp_westwood.c` and ns-2's (50 ms, filters of 7/8).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno::{self, Reno};

headgate_model::choices! {
    /// The texts that Westwood+ can follow.
    pub enum Variant {
        /// Grieco, Mascolo 2004.
        Paper = "paper",
        /// Linux `tcp_westwood.c`.
        Linux = "linux",
        /// Linux `tcp_westwood.c` within ns-2's TCP/Linux (`tcp-linux.cc`).
        Ns2 = "ns2",
    }
}

headgate_model::params! {
    /// Shortest interval of a bandwidth sample.
    interval_s: number(0.05, (0.001, 10.0), "s", "Linux tcp_westwood.c"),
    /// Weight of the past in each of the two filters.
    memory: number(0.875, (0.0, 0.999), "1", "Linux tcp_westwood.c"),
    /// Tick of the clock in which times are counted; 0 = exact. Linux uses 1 / CONFIG_HZ: 1, 4 or 10 ms.
    tick_s: number(0.0, (0.0, 0.1), "s", "Linux tcp_westwood.c (usecs_to_jiffies), CONFIG_HZ"),
    /// When the window is set: paper, at the loss; linux, at the end of its recovery; ns2, at the loss, to at
    /// least half.
    variant: choice(Variant, "Grieco, Mascolo 2004; Linux tcp_westwood.c; ns-2 tcp-linux.cc"),
}

pub(crate) const CARD: Card = Card {
    name: "westwood",
    title: "Westwood+",
    aliases: &["westwood+"],
    family: "loss",
    rule: "w += 1/w per ACK; w = bandwidth * min_rtt on loss",
    response: "w = (rtt / ((rtt - min_rtt) p))^0.5",
    references: &["Grieco, Mascolo 2004", "Mascolo, Casetti, Gerla, Sanadidi, Wang 2001"],
    params: Params::TABLE,
};

/// The smallest window, segments.
const FLOOR: f64 = 2.0;

/// One flow's Westwood+.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Westwood {
    interval_s: f64,
    memory: f64,
    tick_s: f64,
    /// Bandwidth after one filter and after both, segments/s; 0 before the first sample.
    once: f64,
    bandwidth: f64,
    /// Segments of the current sample, and its start time.
    acked: f64,
    since_s: f64,
    /// Smallest RTT since the last time-out, seconds.
    min_rtt_s: f64,
    /// Segments counted by duplicate ACKs that a later ACK will cover again.
    ahead: f64,
    variant: Variant,
}

impl Westwood {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self {
            interval_s: params.interval_s,
            memory: params.memory,
            tick_s: params.tick_s,
            once: 0.0,
            bandwidth: 0.0,
            acked: 0.0,
            since_s: 0.0,
            min_rtt_s: f64::INFINITY,
            ahead: 0.0,
            variant: params.variant,
        }
    }

    fn note(&mut self, ack: &Ack, srtt_s: f64) {
        let now_s = self.in_ticks(ack.now_s, f64::floor);
        let elapsed_s = now_s - self.since_s;
        // both sides are multiples of a tick except for rounding errors, which are below half a tick
        if elapsed_s > self.in_ticks(srtt_s, f64::ceil).max(self.interval_s) + self.tick_s / 2.0 {
            self.filter(self.acked / elapsed_s);
            (self.acked, self.since_s) = (0.0, now_s);
        }
        self.acked += self.arrived(ack.acked);
        if ack.rtt_s > 0.0 {
            self.min_rtt_s = self.min_rtt_s.min(self.in_ticks(ack.rtt_s, f64::ceil));
        }
    }

    /// Rounds a time to whole ticks, if the clock has ticks.
    fn in_ticks(&self, time_s: f64, round: fn(f64) -> f64) -> f64 {
        if self.tick_s > 0.0 { round(time_s / self.tick_s) * self.tick_s } else { time_s }
    }

    fn filter(&mut self, sample: f64) {
        if self.bandwidth == 0.0 {
            (self.once, self.bandwidth) = (sample, sample);
        } else {
            self.once += (1.0 - self.memory) * (sample - self.once);
            self.bandwidth += (1.0 - self.memory) * (self.once - self.bandwidth);
        }
    }

    /// Returns the segments that left the network by an ACK of `acked` (Linux, westwood_acked_count).
    fn arrived(&mut self, acked: f64) -> f64 {
        if acked <= 0.0 {
            self.ahead += 1.0;
        }
        if acked <= 1.0 {
            return 1.0;
        }
        let told = self.ahead.min(acked);
        self.ahead -= told;
        (acked - told).max(1.0)
    }

    /// Returns the window that fills the path without a queue, segments.
    fn fill(&self, path: &Path) -> f64 {
        let min_rtt_s = if self.min_rtt_s.is_finite() { self.min_rtt_s } else { path.min_rtt_s };
        if min_rtt_s.is_finite() { (self.bandwidth * min_rtt_s).max(FLOOR) } else { FLOOR }
    }
}

impl Controller for Westwood {
    fn on_start(&mut self, now_s: f64, _path: &Path, _window: &mut Window) {
        self.since_s = self.in_ticks(now_s, f64::floor);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.note(ack, path.srtt_s);
        Reno.on_ack(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, _window: &mut Window) {
        self.note(ack, path.srtt_s);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        let timeout = event.cause == Cause::Timeout;
        reno::halve(event.in_flight, window);
        window.ssthresh = match self.variant {
            Variant::Linux if !timeout => window.ssthresh,
            Variant::Ns2 if timeout => window.ssthresh,
            Variant::Ns2 => self.fill(path).max(window.ssthresh),
            _ => self.fill(path),
        };
        if timeout {
            self.min_rtt_s = f64::INFINITY;
        }
    }

    fn on_recovered(&mut self, _now_s: f64, path: &Path, window: &mut Window) {
        if self.variant == Variant::Linux {
            window.ssthresh = self.fill(path);
            window.cwnd = window.ssthresh;
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("bandwidth", self.bandwidth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, congestion, loss, timeout};

    fn controller(variant: Variant) -> Westwood {
        Westwood::new(Params { interval_s: 0.05, memory: 0.875, tick_s: 0.0, variant })
    }

    fn measured(variant: Variant) -> Westwood {
        Westwood { once: 1000.0, bandwidth: 1000.0, min_rtt_s: 0.08, ..controller(variant) }
    }

    fn acked(controller: &mut Westwood, now_s: f64, acked: f64) {
        controller.note(&Ack { now_s, acked, ..ack(0.1) }, 0.1);
    }

    #[test]
    fn bandwidth_passes_two_filters() {
        let mut controller = controller(Variant::Paper);
        acked(&mut controller, 0.05, 200.0);
        acked(&mut controller, 0.1, 1.0);
        assert_eq!(controller.bandwidth, 0.0); // no more than one RTT yet
        acked(&mut controller, 0.201, 200.0);
        let first = 201.0 / 0.201;
        assert_eq!((controller.once, controller.bandwidth), (first, first));
        acked(&mut controller, 0.301 + 1e-9, 1.0);
        assert!((controller.once - (875.0 + 250.0)).abs() < 1e-3); // 2000/s: 7/8 1000 + 1/8 2000
        assert!((controller.bandwidth - (875.0 + 1125.0 / 8.0)).abs() < 1e-3);
    }

    #[test]
    fn a_kernel_counts_in_ticks() {
        let mut controller = Westwood { tick_s: 0.01, ..controller(Variant::Linux) };
        let mut hear = |now_s| {
            controller.note(&Ack { now_s, acked: 10.0, ..ack(0.0406) }, 0.0406);
            (controller.min_rtt_s, controller.bandwidth)
        };
        assert_eq!(hear(0.0399), (0.05, 0.0)); // 4.06 ticks are 5
        assert_eq!(hear(0.0599), (0.05, 0.0)); // 5 ticks, no more than the RTT
        let (_, bandwidth) = hear(0.0601);
        assert!((bandwidth - 20.0 / 0.06).abs() < 1e-9);
    }

    #[test]
    fn a_duplicate_counts_once() {
        let mut controller = controller(Variant::Paper);
        // three duplicates, then an ACK of five that covers them again, then plain ones
        let counted = [0.0, 0.0, 0.0, 5.0, 1.0, 2.0].map(|acked| controller.arrived(acked));
        assert_eq!(counted, [1.0, 1.0, 1.0, 2.0, 1.0, 2.0]);
    }

    #[test]
    fn a_loss_leaves_what_fills_the_path() {
        let mut window = avoiding(100.0);
        measured(Variant::Paper).on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 80.0); // 1000/s * 80 ms
        controller(Variant::Paper).on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 2.0); // nothing is known
    }

    #[test]
    fn linux_sets_the_window_when_recovery_ends() {
        let (mut controller, mut window) = (measured(Variant::Linux), avoiding(100.0));
        controller.on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 50.0);
        controller.on_recovered(1.0, &PATH, &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (80.0, 80.0));
    }

    #[test]
    fn ns2_takes_no_more_than_half() {
        for (in_flight, event, left) in
            [(100, Cause::Loss, 80.0), (200, Cause::Loss, 100.0), (100, Cause::Timeout, 50.0)]
        {
            let mut window = avoiding(f64::from(in_flight));
            measured(Variant::Ns2).on_congestion(&congestion(event, in_flight), &PATH, &mut window);
            assert_eq!(window.ssthresh, left); // 1000/s * 80 ms, or half
        }
    }

    #[test]
    fn a_timeout_learns_the_smallest_rtt_anew() {
        let (mut controller, mut window) = (measured(Variant::Linux), avoiding(1.0));
        controller.on_congestion(&timeout(100), &PATH, &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (1.0, 80.0));
        acked(&mut controller, 0.01, 1.0);
        assert_eq!(controller.min_rtt_s, 0.1);
    }

    #[test]
    fn it_grows_as_reno() {
        let (mut controller, mut window) = (controller(Variant::Paper), avoiding(8.0));
        controller.on_ack(&ack(0.1), &PATH, &mut window);
        assert_eq!(window.cwnd, 8.125);
    }
}
