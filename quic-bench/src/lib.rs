//! A test bench for the congestion control of QUIC stacks: scripted, repeatable, in simulated time.
//!
//! * [`stack`]: the two traits that a stack implements; [`stacks`]: those that come with the bench.
//! * [`path`]: a path in one expression; [`scenario`]: a path, flows, seeds and expectations.
//! * [`run`]: one run; [`bench`]: all seeds, and verdicts by 95 % intervals ([`expect`], [`estimate`]).
//! * [`report`]: text, JSON and JUnit XML; [`cli`]: the command line for any list of stacks.

pub mod bench;
pub mod cli;
pub mod device;
pub mod error;
pub mod estimate;
pub mod expect;
pub mod path;
mod plan;
pub mod report;
pub mod run;
pub mod scenario;
pub mod stack;
pub mod stacks;
pub mod units;

pub use device::Device;
pub use error::{Error, Result};
pub use path::Path;
pub use scenario::{Flow, Scenario};
pub use stack::{Connect, Datagram, Ecn, Endpoint, Stack, Stats};
