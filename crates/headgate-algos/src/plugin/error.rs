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

/// Writes a number for a message: very large and very small ones with an exponent.
pub fn plain(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (1e-4..1e7).contains(&size) { number.to_string() } else { format!("{number:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_numbers_are_written_with_an_exponent() {
        let written = [0.0, 0.5, 1e6, 1e300, -2.5e-9, f64::NAN, f64::INFINITY].map(plain);
        assert_eq!(written, ["0", "0.5", "1000000", "1e300", "-2.5e-9", "NaN", "inf"]);
    }
}
