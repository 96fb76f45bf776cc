//! A deterministic packet-level network simulator, generic over congestion control algorithms.
//!
//! The crate has seven layers, the lowest first. A module depends only on its own layer and on lower ones.
//!
//! 1. [`packets`] defines packets and addresses, and stores the headers and SACK blocks that packets carry.
//! 2. [`time`] cuts time into windows, keeps the calendar of packets in flight, and keeps timers.
//! 3. [`record`] defines counters, events and the rows of results.
//! 4. [`port`] simulates output ports: the queue, the line, and impairments of the link.
//! 5. [`traffic`] defines kinds of traffic, which begin flows, and finds routes.
//! 6. [`region`] simulates a part of the network: routers, ports, hosts and flows.
//! 7. [`run`] runs all regions on one or several threads, measures, and contains the [`run::engine::Engine`].
//!
//! Two modules describe the input of a run: [`plan`] is the scenario that Python writes, and [`devices`] lists
//! the algorithms and queue disciplines that the plan names, resolved from their registries.
//!
//! Times are integer picoseconds, rates bit/s and sizes bytes, unless a comment says otherwise.

#![warn(missing_docs)]

pub mod devices;
pub mod packets;
pub mod plan;
pub mod port;
pub mod record;
pub mod region;
pub mod run;
pub mod time;
pub mod traffic;
