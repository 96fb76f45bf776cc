//! The error of user-defined code.

use std::fmt;

/// A failure of user-defined code, as one sentence without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginError(String);

impl From<String> for PluginError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for PluginError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PluginError {}
