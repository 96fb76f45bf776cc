//! The laws. Each is one file, and one word in its folder's list. A user's own come from outside.

#![warn(missing_docs)]

pub mod control;
mod forward;
pub mod own;
mod parts;
pub mod queue;
mod round;
pub mod scheme;

#[cfg(test)]
mod trial;
