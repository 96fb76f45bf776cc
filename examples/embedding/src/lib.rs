//! Congestion controllers across the border between two worlds: those of Headgate count segments and seconds, those
//! of QUIC libraries bytes and instants.
//!
//! * [`quinn`]: ours behind quinn-proto's `congestion::Controller`
//! * [`s2n`]: the CUBIC of s2n-quic-core as one of ours

pub mod quinn;
pub mod s2n;
