//! Fluid models solved: an order in, columns out.

mod linear;
mod order;
mod run;

pub use linear::{Near, Settled, near, settled};
pub use order::{How, Order, read_networks};
pub use run::{Run, Sweep, demand, levels, run, sweep};
