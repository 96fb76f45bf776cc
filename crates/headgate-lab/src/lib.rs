//! The laboratory: plans in, tables of results out. It is the Rust side of the Python interface, without
//! Python.
//!
//! * [`validate`]: validation of plans, with errors in one sentence.
//! * [`simulation`]: a run that can be stopped, saved and resumed.
//! * [`snapshot`]: the bytes of a stopped run.
//! * [`tables`]: the counts of a run as named columns; [`trace_log`]: rows of a trace while it is written.
//! * [`catalog`]: descriptions of algorithms, devices, records and columns.
//! * [`fluid`]: solutions of fluid models, one or many.
//! * [`plugin`], [`control`] and [`queue`]: the interfaces and records of user-defined code; [`user_code`]:
//!   its way into a run.
//! * [`builtin`]: a built-in algorithm without a transport, for events made by hand.

pub mod builtin;
pub mod catalog;
#[cfg(test)]
mod extremes;
pub mod fluid;
mod periods;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod sample;
pub mod simulation;
pub mod snapshot;
mod table;
pub mod tables;
pub mod trace_log;
pub mod user_code;
pub mod validate;

pub use headgate_algos::plugin;
pub use headgate_model::{check, control, ecn, layout, queue};
pub use headgate_netsim::traffic::routes;

/// The version of Headgate, which results and snapshots contain.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
