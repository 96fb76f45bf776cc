//! Captures made byte by byte, and what is read of them.

mod build;
mod connections;
mod formats;
mod golden;
mod hostile;
mod links;
