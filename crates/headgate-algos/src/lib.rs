//! The laws. Each is one file, and one word in its folder's list.

pub mod control;

#[cfg(test)]
mod trial;
