//! TCP as a pair of state machines: a [`Sender`] that any congestion controller drives, and a [`Receiver`].
//!
//! Neither knows a network, a clock or a socket. What arrives is handed in; what leaves, timers and statistics
//! go out through a [`context`] that the embedder writes. Sequence numbers count segments, times are integer
//! picoseconds, windows are in segments.
//!
//! * handshake (RFC 9293 §3.5, with the size of the flow in the SYN), RTT and RTO (RFC 6298, RFC 7323)
//! * fast retransmit and recovery: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 2018, RFC 6675), PRR (RFC 9937),
//!   limited transmit (RFC 3042), RACK and TLP (RFC 8985)
//! * delayed ACKs (RFC 5681 §4.2), ECN (RFC 3168) and its accurate echo (RFC 8257), pacing,
//!   delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation)
//!
//! Which of them a connection has, and with which constants, is its [`Profile`].

#![warn(missing_docs)]

mod alarm;
pub mod context;
mod ecn;
mod episode;
mod flags;
mod growth;
mod handshake;
mod journal;
mod marks;
mod output;
mod profile;
mod rack;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod sender;
mod state;
mod stats;

pub use flags::Flags;
pub use profile::{ENDLESS, Profile};
pub use receiver::Receiver;
pub use rtt::Estimator;
pub use sender::Sender;
pub use state::Phase;
pub use stats::{Repairs, Stats};
