//! Fluid models: networks as delay differential equations, and their solver.
//!
//! * [`model`]: the interface of a model: a slope from the state and its past, and switches at which it
//!   bends.
//! * [`past`]: lookups of the solution at times that may depend on the state.
//! * [`history`]: the solution so far.
//! * [`solve`]: one interface for the adaptive method and for the fixed steps of published programs.
//! * [`run`]: the state that all methods share.
//! * [`batch`]: many runs on all cores, with identical results for any number of workers.
//! * [`linear`]: the linearisation of a model about a state, for small perturbations.
//! * [`start`]: a model that starts from any state.
//! * [`summary`]: statistics of the columns of a run.
//! * [`network`]: classes of flows over links, for models of any network.
//! * [`queues`]: queues of links, with their switches.
//! * [`flow_rates`]: the equations that models share if links send feedback to flows.
//! * [`flow_level`]: the equations that flow-level models share: utilities and prices.
//! * [`models`]: the models, one file and one line each.
//!
//! The solver knows no model, and a model knows no solver.

mod adaptive;
pub mod batch;
mod bends;
mod breaks;
mod fixed;
pub mod flow_level;
pub mod flow_rates;
pub mod history;
pub mod linear;
pub mod model;
pub mod models;
pub mod network;
pub mod past;
pub mod queues;
mod root;
pub mod run;
pub mod solve;
pub mod start;
mod stepper;
pub mod summary;
mod tableau;
