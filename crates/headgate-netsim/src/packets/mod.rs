//! Packets: their addresses and fields, and the headers and SACK blocks that they carry.
//!
//! This is the lowest layer. Its modules depend on nothing else in the crate.

pub mod address;
pub mod foreign;
pub mod index;
pub mod media;
pub mod packet;
pub mod prefetch;
pub mod sacks;
pub mod side_table;
mod views;
