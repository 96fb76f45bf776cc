//! The laboratory: plans in, tables of facts out. What Python sees is here, without Python.
//!
//! * [`validate`] — a plan runs, or is refused in one sentence.
//! * [`simulation`] — a run that can be stopped, kept and resumed.
//! * [`snapshot`] — the bytes of a stopped run.
//! * [`tables`] — what was counted, as named columns; [`trace_log`] — rows of a trace while it is written.
//! * [`catalog`] — what the laws say of themselves.
//! * [`fluid`] — fluid models solved, one or many.
//! * [`plugin`], [`control`] and [`queue`] — what a user's own law or discipline is, and what it meets; [`own`], how
//!   it comes into a run.
//! * [`builtin`] — one of our laws without a machine around it, for events made by hand.

pub mod builtin;
pub mod catalog;
#[cfg(test)]
mod extremes;
pub mod fluid;
pub mod own;
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
pub mod validate;

pub use headgate_algos::plugin;
pub use headgate_model::{check, control, layout, queue};
pub use headgate_netsim::routes;

/// The version of Headgate: results and snapshots name it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
