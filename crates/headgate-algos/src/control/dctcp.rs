//! DCTCP: shrinks by the share of marked packets.
//!
//! # What it does
//! Grows like Reno. Ports mark packets early, receivers echo every mark, and the window shrinks in
//! proportion to how many were marked lately: hardly at the first sign of a queue, by half when
//! everything is marked. Queues stay short, throughput does not suffer.
//!
//! # The law
//! At the end of each window of data `alpha = (1 - g) alpha + g F`, where `F` is the share of its
//! segments that were marked. On marks, once for each window: `w *= 1 - alpha/2`. Growth, losses and
//! time-outs are Reno's. An ACK that echoes a mark does not raise the window.
//!
//! # Where it differs from the paper
//! Not in its rules; the share is of segments, where a kernel counts bytes. The paper's own ns-2 code
//! starts `alpha` at 0 instead of 1: set `alpha_start`. Without ports that mark, this is Reno.
//!
//! # When to use it
//! Where all ports mark and all senders are of this kind: a data centre. It needs a queue of kind
//! `threshold`, above about C RTT / 7 packets.
//!
//! # References
//! RFC 8257 §3.2 (echo), §3.3 (alpha, its start, the reduction), §4.2 (g); Alizadeh et al. 2010 §3.

use headgate_model::control::{Ack, Cause, Congestion, Echo, Controller, Path, Window};
use headgate_model::params::Card;

use super::reno;

headgate_model::params! {
    /// Weight g of the newest window in the estimate of the marked share.
    gain: number(0.0625, (0.001, 1.0), "1", "RFC 8257 §4.2"),
    /// First estimate of the marked share.
    alpha_start: number(1.0, (0.0, 1.0), "1", "RFC 8257 §3.3; 0 in ns-2"),
}

pub(crate) const CARD: Card = Card {
    name: "dctcp",
    title: "DCTCP",
    aliases: &[],
    family: "loss",
    law: "w += 1/w per ACK; w *= 1 - alpha/2 once per marked window; alpha += g (marked share - alpha)",
    response: "alpha = (2/w)^0.5 where one window of each cycle is marked",
    references: &["RFC 8257", "Alizadeh et al. 2010, Data Center TCP"],
    params: Params::TABLE,
};

/// One flow's DCTCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Dctcp {
    gain: f64,
    /// Estimated share of marked segments.
    alpha: f64,
    /// Segments of the window under observation, and the marked ones among them.
    seen: f64,
    marked: f64,
}

impl Dctcp {
    /// A flow that has not begun.
    pub fn new(params: Params) -> Self {
        Self { gain: params.gain, alpha: params.alpha_start, seen: 0.0, marked: 0.0 }
    }

    fn observe(&mut self, ack: &Ack) {
        self.seen += ack.acked;
        self.marked += ack.marked;
        if ack.round_start && self.seen > 0.0 {
            self.alpha += self.gain * (self.marked / self.seen - self.alpha);
            (self.seen, self.marked) = (0.0, 0.0);
        }
    }
}

impl Controller for Dctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.observe(ack);
        reno::grow(ack, window);
    }

    fn on_recovery_ack(&mut self, ack: &Ack, _path: &Path, _window: &mut Window) {
        self.observe(ack);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        if event.cause == Cause::Mark {
            window.ssthresh = (window.cwnd * (1.0 - self.alpha / 2.0)).max(2.0);
        } else {
            reno::halve(event.in_flight, window);
        }
    }

    fn echo(&self) -> Echo {
        Echo::Accurate
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("alpha", self.alpha))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{PATH, ack, avoiding, congestion, loss};

    fn law(alpha_start: f64) -> Dctcp {
        Dctcp::new(Params { gain: 0.0625, alpha_start })
    }

    /// A window of ten segments, the first `marked` of them marked.
    fn round(law: &mut Dctcp, marked: u32, window: &mut Window) {
        for i in 0..10 {
            let is_marked = i < marked;
            let ack = Ack {
                marked: f64::from(u8::from(is_marked)),
                cwnd_limited: !is_marked,
                round_start: i == 9,
                ..ack(0.1)
            };
            law.on_ack(&ack, &PATH, window);
        }
    }

    #[test]
    fn alpha_follows_the_marked_share() {
        let (mut law, mut window) = (law(1.0), avoiding(10.0));
        round(&mut law, 2, &mut window);
        assert!((law.alpha - 0.95).abs() < 1e-12); // 15/16 + 0.2/16
        round(&mut law, 0, &mut window);
        assert!((law.alpha - 0.890_625).abs() < 1e-12); // 0.95 * 15/16
    }

    #[test]
    fn marked_acks_raise_no_window() {
        let (mut law, mut window) = (law(0.0), avoiding(10.0));
        round(&mut law, 10, &mut window);
        assert_eq!(window.cwnd, 10.0);
    }

    #[test]
    fn marks_take_half_of_alpha_and_losses_take_half() {
        let (mut law, mut window) = (law(0.5), avoiding(100.0));
        law.on_congestion(&congestion(Cause::Mark, 100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 75.0);
        law.on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }
}
