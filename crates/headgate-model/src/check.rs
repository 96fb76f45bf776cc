//! What all checks of a plan share: a refusal in one sentence with its place, a number in its range, an index
//! of something that exists.

use std::collections::BTreeSet;

use crate::units::{SECOND, seconds};

/// A refusal: the place in the plan (or "plan", "snapshot") and what is allowed there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {says}")]
pub struct Wrong {
    /// Where: `links[3].loss`.
    pub place: String,
    /// The value, and what is allowed.
    pub says: String,
}

impl Wrong {
    /// Refuses what is at a place.
    pub fn new(place: impl Into<String>, says: impl Into<String>) -> Self {
        Self { place: place.into(), says: says.into() }
    }
}

/// The outcome of a check.
pub type Checked<T = ()> = Result<T, Wrong>;

/// No instant of a run lies beyond this: sums of times stay far from the end of 64 bits.
pub const LONGEST_RUN_S: u64 = 100 * 86_400;

/// Delays and time-outs end here; nothing on Earth takes longer.
pub const LONGEST_DELAY_S: u64 = 1000;

/// The longest finite flow, packets: the last two 32-bit numbers have a meaning of their own.
pub const LONGEST_FLOW: u64 = u32::MAX as u64 - 2;

/// Part of the plan that is being checked, as messages name it: `links[3]`, or nothing at the top.
#[derive(Clone, Debug)]
pub struct Spot(String);

impl Spot {
    /// The plan itself.
    pub fn top() -> Self {
        Self(String::new())
    }

    /// A part by its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// `name[index]`.
    pub fn item(name: &str, index: usize) -> Self {
        Self(format!("{name}[{index}]"))
    }

    /// The place of one of its keys.
    pub fn key(&self, key: &str) -> String {
        if self.0.is_empty() { key.to_owned() } else { format!("{}.{key}", self.0) }
    }

    /// Refuses the whole spot unless `good`.
    pub fn holds(&self, good: bool, says: impl FnOnce() -> String) -> Checked {
        if good { Ok(()) } else { Err(Wrong::new(self.0.clone(), says())) }
    }

    /// Refuses one key of the spot unless `good`.
    pub fn ensure(&self, good: bool, key: &str, says: impl FnOnce() -> String) -> Checked {
        if good { Ok(()) } else { Err(Wrong::new(self.key(key), says())) }
    }

    /// Refuses a number that is not within a range, its ends included; NaN never is.
    pub fn number(&self, key: &str, value: f64, (low, high): (f64, f64), unit: &str) -> Checked {
        let good = (low..=high).contains(&value);
        self.ensure(good, key, || outside(&plain(value), &plain(low), &plain(high), unit))
    }

    /// Refuses a count that is not within a range, its ends included.
    pub fn count(&self, key: &str, value: u64, (low, high): (u64, u64), unit: &str) -> Checked {
        let good = (low..=high).contains(&value);
        self.ensure(good, key, || outside(&value.to_string(), &low.to_string(), &high.to_string(), unit))
    }

    /// A time in picoseconds, from zero to a bound in seconds.
    pub fn span(&self, key: &str, ps: u64, high_s: u64) -> Checked {
        self.ensure(ps <= high_s * SECOND, key, || {
            outside(&plain(seconds(ps)), "0", &high_s.to_string(), "s")
        })
    }

    /// A time in picoseconds above zero.
    pub fn positive_span(&self, key: &str, ps: u64, high_s: u64) -> Checked {
        self.ensure(ps > 0, key, || format!("0 s is not allowed; it must be above 0 s, at most {high_s} s"))?;
        self.span(key, ps, high_s)
    }

    /// An index into a list of `len` things called `what`.
    pub fn index(&self, key: &str, index: u32, len: usize, what: &str) -> Checked {
        self.ensure((index as usize) < len, key, || no_such(u64::from(index), len, what))
    }
}

fn outside(value: &str, low: &str, high: &str, unit: &str) -> String {
    format!("{value} is not allowed; it must be from {low} to {high} {unit}").trim_end().to_owned()
}

/// Says that a list of `len` things called `what` has none at `index`.
pub fn no_such(index: u64, len: usize, what: &str) -> String {
    match len {
        0 => format!("there is no {what} {index}; the plan has none"),
        _ => format!("there is no {what} {index}; they are numbered 0 to {}", len - 1),
    }
}

/// Refuses the second thing of one name in a list.
pub fn different(list: &str, names: impl Iterator<Item = String>) -> Checked {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        let at = Spot::item(list, i);
        at.ensure(!seen.contains(&name), "name", || format!("'{name}' is taken; names must differ"))?;
        seen.insert(name);
    }
    Ok(())
}

/// A number as people write it: very large and very small ones with an exponent.
fn plain(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_says_what_is_inside() {
        let wrong = Spot::item("links", 3).number("loss", 1.5, (0.0, 1.0), "").unwrap_err();
        assert_eq!(wrong.to_string(), "links[3].loss: 1.5 is not allowed; it must be from 0 to 1");
        assert!(Spot::top().number("x", f64::NAN, (0.0, 1.0), "").is_err());
        let wrong = Spot::top().span("duration_ps", u64::MAX, 10).unwrap_err();
        assert_eq!(wrong.place, "duration_ps");
        assert!(wrong.says.contains("0 to 10 s"), "{wrong}");
    }

    #[test]
    fn an_index_of_nothing() {
        assert!(Spot::top().index("law", 0, 0, "law").unwrap_err().says.contains("has none"));
        assert!(Spot::top().index("law", 2, 2, "law").unwrap_err().says.contains("0 to 1"));
        assert!(Spot::top().index("law", 1, 2, "law").is_ok());
    }
}
