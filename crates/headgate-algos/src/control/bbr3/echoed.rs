//! The response to congestion marks of the draft, which treats any mark as congestion (draft-ietf-ccwg-bbr
//! section 3.7).
//!
//! NOTE(draft-ietf-ccwg-bbr section 3.7): marks count as congestion, but the draft does not specify the
//! response. In the variant `draft` a mark counts like a loss without selective ACKs, because the classic echo
//! reports at most one per round trip. It ends STARTUP after a round trip and a probe at once. Outside probes it
//! reduces the short-term bounds once per round trip. The delivered volume counts there without the queue, as the
//! delivered rate times the least RTT, because marked segments are delivered.
//!
//! NOTE(RFC 3168 section 5): the variant `linux-v3` ignores marks, as the Linux module does on a route without
//! `ecn_low`.

use super::*;

/// The marks of a flow that counts each like a loss.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Echoed {
    /// Whether a mark waits for the next sample.
    pub(super) waits: bool,
    /// Whether a mark counts in this round trip, and in this one of STARTUP.
    pub(super) in_round: bool,
    in_startup: bool,
}

impl Model {
    /// Counts a mark that the transport has reported, at most once per window of data.
    #[inline]
    pub(super) fn heed_echo(&mut self, event: &Event<'_>) {
        if self.echoed.waits && self.sampled(&event.ack.rate) {
            self.count_mark(event);
        }
    }

    /// Counts a mark like a loss of a connection without selective ACKs, of which any ends a probe
    /// (`IsInflightTooHigh`, section 5.5.10.2).
    #[cold]
    fn count_mark(&mut self, event: &Event<'_>) {
        let rate = &event.ack.rate;
        self.echoed = Echoed { waits: false, in_round: true, in_startup: !self.pipe.full };
        self.latest.note_loss(rate.delivered);
        if self.probes {
            let sent = (rate.then_in_flight, self.probe_rtt.limits(rate));
            self.answer_loss(sent, event.path, event.window);
        }
    }

    /// Returns the volume that the round trip delivered, segments; after a mark, without the queue.
    pub(super) fn delivered_volume(&self) -> f64 {
        let volume = self.latest.inflight;
        if self.echoed.in_round { volume.min(self.bdp(self.latest.bw, 1.0)) } else { volume }
    }

    /// Returns whether the round trip of STARTUP that ends contains a mark (section 5.3.1.3).
    pub(super) fn ends_marked(&mut self) -> bool {
        std::mem::take(&mut self.echoed.in_startup)
    }
}
