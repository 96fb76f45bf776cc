//! Classic slow start: the growth of the algorithm itself, until a loss or a mark.
//!
//! # Overview
//! Each acknowledged segment adds one, so that the window doubles in each round trip. Slow start ends at
//! `ssthresh`, which is infinite until the first loss or mark.
//!
//! # The rule
//! `cwnd += acked` below `ssthresh`.
//!
//! # Differences from the paper
//! NOTE(RFC 5681 section 3.1): a plan with this slow start is that of the algorithm without one, and no code
//! of it runs.
//!
//! # When to use it
//! As the reference, and to remove HyStart from an algorithm that includes it.
//!
//! # References
//! RFC 5681 §3.1.

use headgate_model::control::{Ack, Path, Window};
use headgate_model::params::Card;

use super::SlowStart;

headgate_model::params! {}

pub(crate) const CARD: Card = Card {
    name: "classic",
    title: "Slow start",
    aliases: &[],
    family: "slow-start",
    rule: "w += 1 per acknowledged segment until ssthresh",
    response: "exit at the first loss: w = 2 (BDP + buffer)",
    references: &["RFC 5681"],
    params: Params::TABLE,
};

/// The state of one flow: none.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Classic;

impl Classic {
    /// Creates the slow start of a flow.
    pub fn new(_params: Params) -> Self {
        Self
    }
}

impl SlowStart for Classic {
    fn on_ack(&mut self, _ack: &Ack, _base_rtt_s: f64, _path: &Path, _window: &mut Window) {}
}
