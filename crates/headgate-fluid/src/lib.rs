//! Fluid models: networks as delay differential equations, and what solves them.
//!
//! * [`model`] — the interface of a model: a slope from the state and its past, and where it bends.
//! * [`past`] — how it looks at what was solved, at moments that may depend on the state.
//! * [`history`] — what was solved so far.
//! * [`solve`] — one interface for the adaptive method and the fixed steps of published programs.
//! * [`run`] — a model on its way, by whatever method.
//! * [`batch`] — many runs on all cores, the same to the bit whatever their number.
//! * [`linear`] — a model linearised about a state, for small perturbations.
//! * [`start`] — a model that starts from any state.
//! * [`summary`] — what a run comes to, column by column.
//! * [`network`] — classes of flows over links, for the models that take any.
//! * [`queues`] — queues of links, with their switches.
//! * [`flow_rates`] — what models share whose flows change rates by what links say of themselves.
//! * [`flow_level`] — what models of laws at flow level share: utilities, prices.
//! * [`models`] — the models, one file and one line each.
//!
//! The machine knows no model, a model no machine.

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
