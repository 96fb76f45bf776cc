//! The error of bad input: a place, and a sentence with the value and what is allowed.

use std::fmt;

/// Bad input, found before anything runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The place, such as `path.rate` or `flows[1].controller`; empty for a whole file.
    pub place: String,
    /// The value, and what is allowed.
    pub message: String,
}

impl Error {
    /// Makes an error.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// Puts a place in front: `rate` becomes `path.rate`.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let place = match (outer, self.place.as_str()) {
            ("", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        Self { place, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

impl std::error::Error for Error {}

/// A result whose error is bad input.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Returns `"'a', 'b' or 'c'"`.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("'{word}'")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
