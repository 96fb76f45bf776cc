//! Validation of plans: errors that name their place, and checks of numbers and indices.

use std::collections::BTreeSet;

use crate::units::{SECOND, seconds};

/// An invalid part of a plan or a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct PlanError {
    /// The path of the invalid part, for example `links[3].loss`; "plan" or "snapshot" for the whole.
    pub place: String,
    /// One sentence: the value, and what is allowed.
    pub message: String,
}

impl PlanError {
    /// Creates an error at a place.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

/// The result of a check.
pub type Result<T = (), E = PlanError> = std::result::Result<T, E>;

/// The longest run, seconds. Sums of times then stay far below the largest 64-bit number.
pub const LONGEST_RUN_S: u64 = 100 * 86_400;

/// The longest delay or time-out, seconds.
pub const LONGEST_DELAY_S: u64 = 1000;

/// The longest finite flow, packets. The last two 32-bit numbers have special meanings.
pub const LONGEST_FLOW: u64 = u32::MAX as u64 - 2;

/// The path of a part of the plan, as error messages name it: `links[3]`, or empty for the plan itself.
#[derive(Clone, Debug)]
pub struct PlanPath(String);

impl PlanPath {
    /// The path of the plan itself.
    pub fn top() -> Self {
        Self(String::new())
    }

    /// The path of a named part.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The path `name[index]`.
    pub fn item(name: &str, index: usize) -> Self {
        Self(format!("{name}[{index}]"))
    }

    /// Returns the path of one of this part's keys.
    pub fn key(&self, key: &str) -> String {
        if self.0.is_empty() { key.to_owned() } else { format!("{}.{key}", self.0) }
    }

    /// Checks a condition on the whole part.
    pub fn holds(&self, good: bool, message: impl FnOnce() -> String) -> Result {
        if good { Ok(()) } else { Err(PlanError::new(self.0.clone(), message())) }
    }

    /// Checks a condition on one key.
    pub fn ensure(&self, good: bool, key: &str, message: impl FnOnce() -> String) -> Result {
        if good { Ok(()) } else { Err(PlanError::new(self.key(key), message())) }
    }

    /// Checks that a number lies within a range, inclusive. NaN never does.
    pub fn number(&self, key: &str, value: f64, (low, high): (f64, f64), unit: &str) -> Result {
        let good = (low..=high).contains(&value);
        self.ensure(good, key, || outside(&plain(value), &plain(low), &plain(high), unit))
    }

    /// Checks that a count lies within a range, inclusive.
    pub fn count(&self, key: &str, value: u64, (low, high): (u64, u64), unit: &str) -> Result {
        let good = (low..=high).contains(&value);
        self.ensure(good, key, || outside(&value.to_string(), &low.to_string(), &high.to_string(), unit))
    }

    /// Checks a duration in picoseconds against an upper bound in seconds.
    pub fn span(&self, key: &str, ps: u64, high_s: u64) -> Result {
        self.ensure(ps <= high_s * SECOND, key, || {
            outside(&plain(seconds(ps)), "0", &high_s.to_string(), "s")
        })
    }

    /// Checks a duration in picoseconds, which must be above zero, against an upper bound in seconds.
    pub fn positive_span(&self, key: &str, ps: u64, high_s: u64) -> Result {
        self.ensure(ps > 0, key, || format!("0 s is not allowed; it must be above 0 s, at most {high_s} s"))?;
        self.span(key, ps, high_s)
    }

    /// Checks an index into a list of `len` items; `what` names an item in messages.
    pub fn index(&self, key: &str, index: u32, len: usize, what: &str) -> Result {
        self.ensure((index as usize) < len, key, || no_such(u64::from(index), len, what))
    }
}

fn outside(value: &str, low: &str, high: &str, unit: &str) -> String {
    format!("{value} is not allowed; it must be from {low} to {high} {unit}").trim_end().to_owned()
}

/// Returns the message for an invalid index into a list of `len` items; `what` names an item.
pub fn no_such(index: u64, len: usize, what: &str) -> String {
    match len {
        0 => format!("there is no {what} {index}; the plan has none"),
        _ => format!("there is no {what} {index}; they are numbered 0 to {}", len - 1),
    }
}

/// Checks that the names of a list are unique.
pub fn different(list: &str, names: impl Iterator<Item = String>) -> Result {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        let at = PlanPath::item(list, i);
        at.ensure(!seen.contains(&name), "name", || format!("'{name}' is taken; names must differ"))?;
        seen.insert(name);
    }
    Ok(())
}

/// Formats a number; very large and very small ones with an exponent.
fn plain(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_says_what_is_inside() {
        let error = PlanPath::item("links", 3).number("loss", 1.5, (0.0, 1.0), "").unwrap_err();
        assert_eq!(error.to_string(), "links[3].loss: 1.5 is not allowed; it must be from 0 to 1");
        assert!(PlanPath::top().number("x", f64::NAN, (0.0, 1.0), "").is_err());
        let error = PlanPath::top().span("duration_ps", u64::MAX, 10).unwrap_err();
        assert_eq!(error.place, "duration_ps");
        assert!(error.message.contains("0 to 10 s"), "{error}");
    }

    #[test]
    fn an_index_of_nothing() {
        assert!(PlanPath::top().index("law", 0, 0, "law").unwrap_err().message.contains("has none"));
        assert!(PlanPath::top().index("law", 2, 2, "law").unwrap_err().message.contains("0 to 1"));
        assert!(PlanPath::top().index("law", 1, 2, "law").is_ok());
    }
}
