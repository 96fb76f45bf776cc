//! A whole run: shards and their threads, measurement, and the engine.
//!
//! A shard is the set of regions that one thread runs. [`engine::Engine`] is the interface of the crate.

pub mod all_shards;
pub mod balance;
pub mod engine;
mod media_rows;
pub mod network;
pub mod period;
pub mod populate;
mod profiles;
pub mod recorder;
pub mod shard;
pub mod sync;
pub mod thread_pool;
