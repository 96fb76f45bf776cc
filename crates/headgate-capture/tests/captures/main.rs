//! Captures built byte by byte, and their contents.

mod build;
mod connections;
mod formats;
mod golden;
mod hostile;
mod links;
