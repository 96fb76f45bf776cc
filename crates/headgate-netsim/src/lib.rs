//! The machine: packets over links, endpoints with TCP's machinery, exact and deterministic. It is
//! generic over the registry of laws and knows none of them.

pub mod agenda;
pub mod calendar;
pub mod cells;
pub mod engine;
pub mod excess;
pub mod fabric;
pub mod meter;
pub mod packet;
pub mod papers;
pub mod period;
pub mod port;
pub mod prefetch;
pub mod record;
pub mod region;
pub mod regions;
pub mod routes;
pub mod rows;
pub mod setup;
pub mod shared;
pub mod site;
pub mod timers;
pub mod traffic;
pub mod transport;
pub mod world;
