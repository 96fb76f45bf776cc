//! The error of an emulation.

use std::fmt;

/// An operation of the emulation failed, as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmulationError(String);

impl From<String> for EmulationError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for EmulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EmulationError {}
