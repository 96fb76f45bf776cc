//! The shared vocabulary of algorithms, transport, engine and laboratory.
//!
//! * [`units`]: time as integer picoseconds, and a clock that serialises bytes without drift.
//! * [`chance`]: random streams keyed by name.
//! * [`mod@column`]: self-describing columns of results, and counters.
//! * [`control`]: the interface of a congestion control algorithm.
//! * [`ecn`]: the ECN field of the IP header.
//! * [`queue`]: the interface of a queue discipline.
//! * [`feedback`]: the interface of a router that sends feedback to senders.
//! * [`impairment`]: the interface of an impairment of a link.
//! * [`media`]: the interface of a rate controller of real-time media.
//! * [`layout`]: the memory layout of records, for algorithms in other languages.
//! * [`mod@params`]: self-describing parameters and named choices, and the card of an algorithm.
//! * [`whole`]: rounding without a function call.
//! * [`plan`]: the parts of a run's plan, with all defaults filled in and all units resolved.
//! * [`check`]: validation of plans, with errors that name their place.

#![warn(missing_docs)]

pub mod chance;
pub mod check;
pub mod column;
pub mod control;
pub mod ecn;
pub mod feedback;
pub mod impairment;
pub mod layout;
pub mod media;
pub mod params;
pub mod plan;
pub mod queue;
mod size;
mod transport;
pub mod units;
pub mod whole;
