//! TCP and QUIC as a pair of state machines: a [`Sender`] that any congestion controller drives, and a [`Receiver`].
//!
//! Neither depends on a network, a clock or a socket. The embedder passes arriving packets in. Departing
//! packets, timers and statistics go out through a [`context`] that the embedder implements. Sequence numbers
//! count segments, times are integer picoseconds, windows are in segments.
//!
//! * handshake (RFC 9293 §3.5, with the size of the flow in the SYN), RTT and RTO (RFC 6298, RFC 7323)
//! * fast retransmit and recovery: Reno (RFC 5681), NewReno (RFC 6582), SACK (RFC 2018, RFC 6675), PRR (RFC 9937),
//!   limited transmit (RFC 3042), RACK and TLP (RFC 8985)
//! * undo of needless reductions: D-SACK (RFC 2883, RFC 3708), Eifel (RFC 3522, RFC 4015), F-RTO (RFC 5682)
//! * writes of an application with idle times between them (RFC 5681 §4.1, RFC 2861)
//! * delayed ACKs (RFC 5681 §4.2), ECN (RFC 3168), its exact echo (RFC 8257), accurate ECN (RFC 9768), pacing,
//!   delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation)
//! * QUIC instead ([`quic`]): packet numbers, ACK ranges, loss detection and probe timeouts (RFC 9002)
//!
//! Which of them a connection has, and with which constants, is its [`Profile`]. Controllers are
//! [`Controller`](headgate_model::control::Controller)s: those of headgate-algos, or the embedder's own.
//!
//! ```
//! use headgate_algos::control::reno::Reno;
//! use headgate_model::units::{SECOND, Time};
//! use headgate_tcp::context::*;
//! use headgate_tcp::{Flags, Profile, Sender};
//!
//! /// A host that only writes down what leaves it.
//! #[derive(Default)]
//! struct Host {
//!     now: Time,
//!     profile: Profile,
//!     sent: Vec<u32>,
//! }
//!
//! impl Context for Host {
//!     fn now(&self) -> Time {
//!         self.now
//!     }
//!     fn profile(&self) -> &Profile {
//!         &self.profile
//!     }
//!     fn set_timer(&mut self, _timer: Timer, _at: Time) {}
//! }
//!
//! impl SenderContext for Host {
//!     fn send_syn(&mut self, _syn: Syn, _label: Option<CongestionHeader>) {}
//!     fn send_data(&mut self, segment: DataSegment, _label: Option<CongestionHeader>) {
//!         self.sent.push(segment.seq);
//!     }
//!     fn limit_exceeded(&mut self, excess: LimitExceeded) {
//!         panic!("{excess}");
//!     }
//! }
//!
//! let mut host = Host::default();
//! let mut sender = Sender::new(100, Reno, &host.profile);
//! sender.open(&mut host);
//! host.now = SECOND / 10;
//! sender.on_syn_ack(SynAck::default(), None, &mut host);
//! assert_eq!(host.sent, (0..10).collect::<Vec<_>>()); // the first window (RFC 6928)
//!
//! host.now = SECOND / 5;
//! let ack = AckSegment { next: 2, stamp: 0, blocks: None, flags: Flags::NONE };
//! sender.on_ack(&ack, None, &mut host);
//! assert_eq!(sender.window.cwnd, 12.0); // slow start: one for each (RFC 5681 §3.1)
//! assert_eq!(host.sent.len(), 14);
//! ```
//!
//! `examples/channel` drives both ends over a channel with a delay, a rate and a loss.

#![warn(missing_docs)]

mod accecn;
mod alarm;
mod clock;
pub mod context;
mod ecn;
mod fast_recovery;
mod feedback;
mod flags;
mod growth;
mod handshake;
mod idle;
mod loss_recovery;
mod marks;
mod output;
mod profile;
pub mod quic;
mod rack;
mod receiver;
mod recovery;
mod reduction;
mod reports;
mod retransmit;
mod rto;
mod rtt;
mod scoreboard;
mod send_order;
mod sender;
mod sent_packets;
mod state;
mod stats;
mod timeout_recovery;
mod transmissions;
mod undo;
mod usage;
mod write_queue;
mod writes;

pub use accecn::{ByteCounts, MarkCounter, MarkDecoder};
pub use feedback::Feedback;
pub use flags::Flags;
pub use profile::{AfterIdle, ENDLESS, Profile, RtoRule, SynRetry};
pub use receiver::Receiver;
pub use rtt::Estimator;
pub use sender::Sender;
pub use state::Phase;
pub use stats::{Repairs, SlowStartExit, Stats};
