//! Traffic: the sources, receivers, times, sizes and routes of flows.
//!
//! Each kind of traffic ([`kinds`]) contains its part of the plan, its check, and the processes that begin
//! its flows ([`process`]). A [`TrafficSpec`] contains the properties that all host groups share.
//! [`routes`] finds the shortest paths.

pub mod builder;
pub mod check;
pub mod flow_schedule;
pub mod flow_start;
pub mod hosts;
pub mod kind;
pub mod kinds;
pub mod media_stream;
pub mod mix;
pub mod pairs;
pub mod plan_context;
pub mod process;
pub mod routes;
pub mod size;
pub mod sources;
pub mod spec;
pub mod times;
pub mod validate;

pub use flow_start::FlowStart;
pub use hosts::{HostPool, Receivers};
pub use kinds::Traffic;
pub use sources::Sources;
pub use spec::TrafficSpec;
