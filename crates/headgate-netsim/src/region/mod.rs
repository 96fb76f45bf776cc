//! Regions: the parts of a network that are simulated independently within a window.
//!
//! A region contains routers with their ports, and groups of hosts with their flows and sources. Regions
//! exchange packets and timers only between windows, so they run in any order, or at the same time.

pub mod fabric;
pub mod hosts;
pub mod limits;
pub mod mail;
pub mod partition;
#[allow(clippy::module_inception)]
pub mod region;
pub mod setup;
pub mod shard_state;
