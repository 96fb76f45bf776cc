//! Building blocks of several algorithms.

pub mod aggregation;
pub mod bounds;
pub mod cobalt;
pub mod conservation;
pub mod delays;
pub mod draw;
pub mod ethernet;
pub mod full_pipe;
pub mod latest;
pub mod order;
pub mod policer;
pub mod probe_rtt;
pub mod round_robin;
pub mod rounds;
pub mod whole;
pub mod windowed;
