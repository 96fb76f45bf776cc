//! The vocabulary: what a law, the machine and the laboratory must agree on, and nothing else.
//!
//! * [`units`] — time as integer picoseconds, and a clock that serialises bytes without drift.
//! * [`chance`] — random streams keyed by name.
//! * [`mod@column`] — columns of results that describe themselves, and counters.
//! * [`control`] — the interface of a congestion-control law.
//! * [`queue`] — the interface of a queue discipline.
//! * [`feedback`] — the interface of a router that tells senders something.
//! * [`impairment`] — the interface of what a link does to packets besides sending them.
//! * [`layout`] — where the fields of its records lie, for laws in other languages.
//! * [`mod@params`] — parameters that describe themselves, and the card of a law.
//! * [`whole`] — rounding without a call.
//! * [`plan`] — the parts of a run's plan, every default filled in and every unit resolved.
//! * [`check`] — what is wrong with one, in one sentence with its place.

#![warn(missing_docs)]

pub mod chance;
pub mod check;
pub mod column;
pub mod control;
pub mod feedback;
pub mod impairment;
pub mod layout;
pub mod params;
pub mod plan;
pub mod queue;
mod size;
mod transport;
pub mod units;
pub mod whole;
