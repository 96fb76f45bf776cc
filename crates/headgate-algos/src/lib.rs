//! The laws. Each is one file, and one word in its folder's list. A user's own come from outside.

pub mod control;
pub mod own;
mod parts;
mod round;

#[cfg(test)]
mod trial;
