//! What the plan says of Web users.

use headgate_model::plan::{Pool, Size};
use serde::Deserialize;

/// Users who think (exponential), fetch a file from a random receiver, and think again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    pub name: String,
    pub law: u32,
    pub transport: u32,
    pub sources: Vec<Pool>,
    pub receivers: Vec<Pool>,
    pub think_s: f64,
    pub size: Size,
    /// Share of the users who ask at once; the others begin by thinking.
    pub at_once: f64,
    /// Other kinds of file; what they leave of the probability is for `size`.
    #[serde(default)]
    pub kinds: Vec<FileKind>,
    /// Which part of the users has which law; absent = all have `law`.
    #[serde(default)]
    pub laws: Vec<LawShare>,
    #[serde(default)]
    pub patience: Option<Patience>,
    #[serde(default)]
    pub surge: Option<Surge>,
}

/// A kind of file, which a user fetches with this probability.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileKind {
    /// Index in `files`.
    pub file: u32,
    pub share: f64,
    pub size: Size,
}

/// A part of the users and their law. The shares of a class add up to 1; those of the class "" are for
/// all routers whose class has none of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LawShare {
    pub law: u32,
    pub share: f64,
    #[serde(default)]
    pub class: String,
}

/// With this probability a user looks once, so long after the request: a connection that has delivered
/// fewer segments a second than the floor is given up.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    pub share: f64,
    pub check_ps: u64,
    pub floor_per_s: f64,
}

/// For a time, a part of the users at routers of one class fetch files of another kind, whatever they
/// would have asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surge {
    pub class: String,
    pub share: f64,
    pub from_ps: u64,
    pub until_ps: u64,
    /// Index in `files`.
    pub file: u32,
    pub size: Size,
}
