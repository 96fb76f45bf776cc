//! TCP's machinery, once for all laws: handshake, loss detection, recovery, timers, pacing.

pub mod alarm;
pub mod ecn;
pub mod episode;
pub mod growth;
pub mod handshake;
pub mod journal;
pub mod marks;
pub mod output;
pub mod profile;
pub mod rack;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod sack;
pub mod scoreboard;
pub mod sender;
pub mod state;
