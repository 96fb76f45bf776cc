//! Adapters between congestion controllers of Headgate, which count segments and seconds, and those of QUIC
//! libraries, which count bytes and instants.
//!
//! * [`quinn`]: Headgate's controllers behind quinn-proto's `congestion::Controller`
//! * [`s2n`]: the CUBIC of s2n-quic-core as a controller of Headgate

pub mod quinn;
pub mod s2n;
