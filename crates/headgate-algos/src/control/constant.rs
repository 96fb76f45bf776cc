//! A constant rate, regardless of the network: voice and video, which no loss slows down.
//!
//! # Overview
//! Sends packets at the given rate from the handshake to the end. Losses, marks and delay do not change the
//! rate. It serves as competing traffic, and as a probe of what other flows do to such traffic.
//!
//! # The rule
//! `pace = rate`; there is no window.
//!
//! # Differences from the paper
//! There is no paper. A real-time UDP flow retransmits nothing; here a lost packet is repeated in the next
//! turn instead of a new one. The link sees the same packets, and the share of repeated packets is the loss
//! of such a flow. In a time series it reports the last RTT, so that rows at the interval of its packets show
//! the delay of each packet.
//!
//! # When to use it
//! As real-time traffic beside other algorithms, to measure its delay, jitter and loss, or as a load that
//! does not yield.
//!
//! # References
//! RFC 3551 (voice: 64 kbit/s in packets of 20 ms).

use headgate_model::control::{Ack, Congestion, Controller, Path, Window};
use headgate_model::params::Card;

headgate_model::params! {
    /// Rate on the wire: a packet each `packet size / rate`.
    rate_mbps: number(0.08, (1e-6, 1e6), "Mbit/s", "RFC 3551: 50 packets/s of 160 B, and 40 B of headers"),
}

pub(crate) const CARD: Card = Card {
    name: "constant",
    title: "Constant rate",
    aliases: &["cbr"],
    family: "none",
    rule: "pace = rate",
    response: "the rate, whatever p",
    references: &["RFC 3551"],
    params: Params::TABLE,
};

/// The substitute for a window: more segments than any path can hold.
const NO_WINDOW: f64 = 1e9;

/// One flow at a constant rate.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Constant {
    bytes_s: f64,
    rtt_s: f64,
}

impl Constant {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self { bytes_s: params.rate_mbps * 1e6 / 8.0, rtt_s: f64::NAN }
    }

    fn send_on(&self, path: &Path, window: &mut Window) {
        let pace = self.bytes_s / f64::from(path.segment_bytes);
        *window = Window { cwnd: NO_WINDOW, ssthresh: NO_WINDOW, pace };
    }

    fn hear(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.rtt_s > 0.0 {
            self.rtt_s = ack.rtt_s;
        }
        self.send_on(path, window);
    }
}

impl Controller for Constant {
    fn on_start(&mut self, _now_s: f64, path: &Path, window: &mut Window) {
        self.send_on(path, window);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.hear(ack, path, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.hear(ack, path, window);
    }

    fn on_congestion(&mut self, _event: &Congestion, path: &Path, window: &mut Window) {
        self.send_on(path, window);
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        true
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("rtt_s", self.rtt_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, loss};

    #[test]
    fn nothing_changes_the_rate() {
        let mut controller = Constant::new(Params { rate_mbps: 8.0 });
        let mut window = avoiding(2.0);
        controller.on_start(0.0, &PATH, &mut window);
        let pace = 1e6 / f64::from(PATH.segment_bytes);
        assert_eq!((window.cwnd, window.pace), (NO_WINDOW, pace));
        window.cwnd = 1.0; // a time-out
        controller.on_congestion(&loss(10), &PATH, &mut window);
        assert_eq!((window.cwnd, window.pace), (NO_WINDOW, pace));
        controller.on_ack(&ack(0.3), &PATH, &mut window);
        assert_eq!((window.cwnd, window.pace), (NO_WINDOW, pace));
    }

    #[test]
    fn it_shows_the_last_rtt() {
        let mut controller = Constant::new(Params { rate_mbps: 8.0 });
        let mut window = avoiding(2.0);
        controller.on_ack(&ack(0.3), &PATH, &mut window);
        controller.on_recovery_ack(&ack(0.0), &PATH, &mut window); // no sample
        assert_eq!(controller.gauge(), Some(("rtt_s", 0.3)));
    }
}
