//! The mark for packets that have waited longer than a threshold, which Linux adds to CoDel.

use headgate_model::ecn::Ecn;
use headgate_model::queue::QueuedPacket;

headgate_model::choices! {
    /// The packets that the threshold of the wait marks.
    pub enum MarkedPackets {
        /// All that are capable of ECN.
        All = "all",
        /// Those with ECT(1).
        Ect1 = "ect1",
    }
}

/// Returns whether a packet is marked because it has waited longer than a threshold, unless that is 0 (Linux
/// `codel_impl.h`).
pub(crate) fn exceeds_ce_threshold(
    packet: &QueuedPacket,
    now_s: f64,
    threshold_s: f64,
    of: MarkedPackets,
) -> bool {
    let is_meant = match of {
        MarkedPackets::All => packet.ecn.is_capable(),
        MarkedPackets::Ect1 => packet.ecn == Ecn::Ect1,
    };
    threshold_s > 0.0 && now_s - packet.since_s > threshold_s && is_meant
}
