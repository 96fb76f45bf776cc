//! Solutions of fluid models: a request in, columns out.

mod linear;
mod request;
mod run;

pub use linear::{EquilibriumReport, Linearised, equilibrium, linearise};
pub use request::{Method, SolveRequest, read_networks};
pub use run::{Run, Sweep, demand, levels, run, sweep};
