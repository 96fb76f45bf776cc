//! The laws. Each is one file, and one word in its folder's list.

pub mod control;
mod parts;
mod round;

#[cfg(test)]
mod trial;
