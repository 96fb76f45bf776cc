//! Fluid models solved: an order in, columns out.

mod order;
mod run;

pub use order::{How, Order};
pub use run::{Run, Sweep, demand, run, sweep};
