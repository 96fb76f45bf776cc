//! DCTCP: reduces the window by the share of marked packets.
//!
//! # Overview
//! DCTCP grows like Reno. Ports mark packets early, receivers echo every mark, and the window shrinks in
//! proportion to the recent share of marks: slightly at the first sign of a queue, by half if everything is
//! marked. Queues stay short without a loss of throughput.
//!
//! # The rule
//! At the end of each window of data `alpha = (1 - g) alpha + g F`; `F` is the share of its segments
//! that were marked. On marks, once per window: `w *= 1 - alpha/2`. Growth, losses and time-outs are Reno's.
//! An ACK that echoes a mark does not increase the window.
//!
//! # Differences from the paper
//! NOTE(RFC 8257 section 3.3): the marked share is that of segments, not of bytes.
//!
//! NOTE(RFC 8257 section 3.3): the ns-2 code of the paper starts `alpha` at 0 instead of 1; `alpha_start`
//! sets it.
//!
//! NOTE(RFC 8257 section 3.3): the variant `linux` counts `alpha` in 1/1024. Its decrease and its increase in
//! a window are rounded down, except that a decrease below 1/1024 removes all of `alpha`. The reduction `w
//! alpha/2` is rounded down to whole segments, so that the remaining window is up to one segment larger than
//! by the RFC.
//!
//! Without ports that mark, the algorithm is Reno.
//!
//! # When to use it
//! If all ports mark and all senders run DCTCP: a data centre. It needs a queue of kind `threshold`, above
//! about C RTT / 7 packets.
//!
//! # References
//! RFC 8257 §3.2 (echo), §3.3 (alpha, its start, the reduction), §4.2 (g); Alizadeh et al. 2010 §3; Linux
//! `tcp_dctcp.c` (6.x).

use headgate_model::control::{Ack, Cause, Congestion, Controller, Echo, Path, Window};
use headgate_model::params::Card;
use headgate_model::whole::floor;

use super::reno;

headgate_model::choices! {
    /// The texts that DCTCP can follow.
    pub enum Variant {
        /// RFC 8257, in exact arithmetic.
        Rfc = "rfc8257",
        /// Linux `tcp_dctcp.c`, in whole parts of 1024.
        Linux = "linux",
    }
}

headgate_model::params! {
    /// Weight g of the newest window in the estimate of the marked share.
    gain: number(0.0625, (0.001, 1.0), "1", "RFC 8257 §4.2"),
    /// First estimate of the marked share.
    alpha_start: number(1.0, (0.0, 1.0), "1", "RFC 8257 §3.3; 0 in ns-2"),
    /// Which text is followed: rfc8257, or linux, which counts in whole parts.
    variant: choice(Variant, "RFC 8257; Linux tcp_dctcp.c"),
}

/// Parts of `alpha` that the kernel counts (Linux `DCTCP_MAX_ALPHA`).
const ALPHA_PARTS: f64 = 1024.0;

pub(crate) const CARD: Card = Card {
    name: "dctcp",
    title: "DCTCP",
    aliases: &[],
    family: "loss",
    rule: "w += 1/w per ACK; w *= 1 - alpha/2 once per marked window; alpha += g (marked share - alpha)",
    response: "alpha = (2/w)^0.5 where one window of each cycle is marked",
    references: &["RFC 8257", "Alizadeh et al. 2010, Data Center TCP"],
    params: Params::TABLE,
};

/// One flow's DCTCP.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Dctcp {
    params: Params,
    /// Estimated share of marked segments.
    alpha: f64,
    /// Segments of the window under observation, and the marked ones among them.
    seen: f64,
    marked: f64,
}

impl Dctcp {
    /// Creates a flow in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params, alpha: params.alpha_start, seen: 0.0, marked: 0.0 }
    }

    fn observe(&mut self, ack: &Ack) {
        self.seen += ack.acked;
        self.marked += ack.marked;
        if ack.round_start && self.seen > 0.0 {
            let share = self.marked / self.seen;
            self.alpha = if self.is_linux() { self.average_in_parts(share) } else { self.average(share) };
            (self.seen, self.marked) = (0.0, 0.0);
        }
    }

    /// Whether `alpha` and reductions are counted in whole parts, as in the kernel.
    fn is_linux(&self) -> bool {
        self.params.variant == Variant::Linux
    }

    fn average(&self, share: f64) -> f64 {
        self.alpha + self.params.gain * (share - self.alpha)
    }

    /// Returns the average in parts of 1/1024 (Linux `dctcp_update_alpha`).
    fn average_in_parts(&self, share: f64) -> f64 {
        let parts = floor(ALPHA_PARTS * self.alpha);
        let loss = match floor(self.params.gain * parts) {
            0.0 => parts,
            loss => loss,
        };
        let gain = floor(ALPHA_PARTS * self.params.gain * share + 1e-9);
        (parts - loss + gain).min(ALPHA_PARTS) / ALPHA_PARTS
    }

    /// Returns the reduction of the window by a mark, segments.
    fn reduction(&self, cwnd: f64) -> f64 {
        let reduction = cwnd * self.alpha / 2.0;
        if self.is_linux() { floor(reduction) } else { reduction }
    }
}

impl Controller for Dctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _path: &Path, window: &mut Window) {
        self.observe(ack);
        let is_mixed = ack.marked > 0.0 && ack.marked < ack.acked;
        if is_mixed {
            reno::grow(&Ack { acked: ack.acked - ack.marked, ..*ack }, window); // as if acknowledged alone
        } else {
            reno::grow(ack, window);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, _path: &Path, _window: &mut Window) {
        self.observe(ack);
    }

    fn on_congestion(&mut self, event: &Congestion, _path: &Path, window: &mut Window) {
        if event.cause == Cause::Mark {
            window.ssthresh = (window.cwnd - self.reduction(window.cwnd)).max(2.0);
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

    const RFC: Variant = Variant::Rfc;
    const LINUX: Variant = Variant::Linux;

    fn variant(variant: Variant, alpha_start: f64) -> Dctcp {
        Dctcp::new(Params { gain: 0.0625, alpha_start, variant })
    }

    fn controller(alpha_start: f64) -> Dctcp {
        variant(RFC, alpha_start)
    }

    /// A window of ten segments, the first `marked` of them marked.
    fn round(controller: &mut Dctcp, marked: u32, window: &mut Window) {
        for i in 0..10 {
            let is_marked = i < marked;
            let ack = Ack {
                marked: f64::from(u8::from(is_marked)),
                cwnd_limited: !is_marked,
                round_start: i == 9,
                ..ack(0.1)
            };
            controller.on_ack(&ack, &PATH, window);
        }
    }

    #[test]
    fn alpha_follows_the_marked_share() {
        let (mut controller, mut window) = (controller(1.0), avoiding(10.0));
        round(&mut controller, 2, &mut window);
        assert!((controller.alpha - 0.95).abs() < 1e-12); // 15/16 + 0.2/16
        round(&mut controller, 0, &mut window);
        assert!((controller.alpha - 0.890_625).abs() < 1e-12); // 0.95 * 15/16
    }

    #[test]
    fn a_kernel_counts_alpha_in_parts_of_1024() {
        let (mut controller, mut window) = (variant(LINUX, 1.0), avoiding(10.0));
        round(&mut controller, 2, &mut window);
        assert_eq!(controller.alpha, 972.0 / 1024.0); // 1024 - 64 + 0.2 * 64, cut to 12
        controller.alpha = 200.0 / 1024.0;
        round(&mut controller, 0, &mut window);
        assert_eq!(controller.alpha, 188.0 / 1024.0); // 200 - 12.5, cut to 12
        controller.alpha = 15.0 / 1024.0;
        round(&mut controller, 0, &mut window);
        assert_eq!(controller.alpha, 0.0); // less than one part would remain to subtract: all is subtracted
    }

    #[test]
    fn a_kernel_takes_whole_segments() {
        let mut controller = variant(LINUX, 200.0 / 1024.0);
        let mut window = avoiding(70.0);
        controller.on_congestion(&congestion(Cause::Mark, 70), &PATH, &mut window);
        assert_eq!(window.ssthresh, 64.0); // 70 * 200 / 2048 = 6.8: six
        controller.alpha = 0.01;
        controller.on_congestion(&congestion(Cause::Mark, 70), &PATH, &mut window);
        assert_eq!(window.ssthresh, 70.0); // 0.35: none
    }

    #[test]
    fn marked_acks_raise_no_window() {
        let (mut controller, mut window) = (controller(0.0), avoiding(10.0));
        round(&mut controller, 10, &mut window);
        assert_eq!(window.cwnd, 10.0);
    }

    #[test]
    fn unmarked_segments_of_a_partly_marked_ack_raise_the_window() {
        let (mut controller, mut window) = (controller(0.0), avoiding(10.0));
        controller.on_ack(&Ack { acked: 4.0, marked: 3.0, ..ack(0.1) }, &PATH, &mut window);
        assert!((window.cwnd - 10.1).abs() < 1e-12);
        assert_eq!((controller.seen, controller.marked), (4.0, 3.0));
    }

    #[test]
    fn marks_take_half_of_alpha_and_losses_take_half() {
        let (mut controller, mut window) = (controller(0.5), avoiding(100.0));
        controller.on_congestion(&congestion(Cause::Mark, 100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 75.0);
        controller.on_congestion(&loss(100), &PATH, &mut window);
        assert_eq!(window.ssthresh, 50.0);
    }
}
