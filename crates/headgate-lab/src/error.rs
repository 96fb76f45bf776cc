//! What is wrong, in one sentence with its place.

/// A refusal: the place in the plan (or "plan", "snapshot") and what is allowed there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {says}")]
pub struct Wrong {
    pub place: String,
    pub says: String,
}

impl Wrong {
    pub fn new(place: impl Into<String>, says: impl Into<String>) -> Self {
        Self { place: place.into(), says: says.into() }
    }
}

/// The outcome of a check.
pub type Checked<T = ()> = Result<T, Wrong>;
