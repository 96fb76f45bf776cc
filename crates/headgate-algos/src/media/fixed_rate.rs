//! Fixed rate: media that reacts to nothing, as a load with frames.
//!
//! # Overview
//! The encoder produces the start rate of the stream throughout, and the queue is sent at a multiple of it.
//!
//! # The rule
//! `target = start rate`; `pacing = headroom * target`.
//!
//! # Differences from the paper
//! None.
//!
//! # When to use it
//! As a comparison for rate controllers, and as unresponsive cross traffic in frames.
//!
//! # References
//! RFC 8868 section 5.1 (unresponsive media as a reference); the pacing headroom is that of SCReAMv2.

use headgate_model::ecn::Ecn;
use headgate_model::media::{Feedback, MediaStream, RateController, Rates};
use headgate_model::params::Card;

headgate_model::choices! {
    /// The ECN field of the packets.
    pub enum Field {
        /// Not ECN-capable.
        NotEct = "not-ect",
        /// ECN-capable: other traffic.
        Ect0 = "ect0",
        /// ECN-capable: low-latency traffic.
        Ect1 = "ect1",
    }
}

headgate_model::params! {
    /// Pacing rate as a multiple of the target rate.
    pacing_headroom: number(1.5, (1.0, 100.0), "1", "draft-johansson-ccwg-rfc8298bis-screamv2"),
    /// ECN field of the packets.
    ecn: choice(Field, "free"),
}

pub(crate) const CARD: Card = Card {
    name: "fixed-rate",
    title: "Fixed rate",
    aliases: &[],
    family: "none",
    rule: "rate = start rate",
    response: "",
    references: &["RFC 8868"],
    params: Params::TABLE,
};

/// The state of one stream.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct FixedRate {
    params: Params,
}

impl FixedRate {
    /// Creates a rate controller in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl RateController for FixedRate {
    fn on_start(&mut self, stream: &MediaStream, _now_s: f64, rates: &mut Rates) {
        rates.target_bps = stream.start_bps;
        rates.pacing_bps = self.params.pacing_headroom * stream.start_bps;
    }

    fn on_feedback(&mut self, _feedback: &Feedback, _rates: &mut Rates) {}

    fn codepoint(&self) -> Ecn {
        match self.params.ecn {
            Field::NotEct => Ecn::NotEct,
            Field::Ect0 => Ecn::Ect0,
            Field::Ect1 => Ecn::Ect1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pacing_rate_is_a_multiple_of_the_start_rate() {
        let mut controller = FixedRate::new(Params { pacing_headroom: 2.0, ecn: Field::Ect1 });
        let stream =
            MediaStream { min_bps: 1e5, max_bps: 1e7, start_bps: 3e6, frame_s: 0.02, packet_bytes: 1200.0 };
        let mut rates = Rates::starting_at(stream.start_bps);
        controller.on_start(&stream, 0.0, &mut rates);
        assert_eq!((rates.target_bps, rates.pacing_bps), (3e6, 6e6));
        assert_eq!(controller.codepoint(), Ecn::Ect1);
    }
}
