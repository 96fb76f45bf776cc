//! Web users, as the plan describes them.

use headgate_model::plan::{Pool, Size};
use serde::Deserialize;

use crate::traffic::mix::ControllerShare;

/// Users who think (exponential times), fetch a file from a random receiver, and think again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Name in the results.
    pub name: String,
    /// Congestion control algorithm, in the order of the plan.
    #[serde(rename = "law")]
    pub controller: u32,
    /// Transport profile, in the order of the plan.
    pub transport: u32,
    /// Hosts of the users, one user each.
    pub sources: Vec<Pool>,
    /// Hosts that receive.
    pub receivers: Vec<Pool>,
    /// For each pool of sources the pool of receivers that its users fetch from; empty = all.
    #[serde(default)]
    pub receivers_of: Vec<u32>,
    /// Mean thinking time, seconds.
    pub think_s: f64,
    /// Sizes of ordinary files.
    pub size: Size,
    /// Share of the users who fetch at once. The others begin by thinking.
    pub at_once: f64,
    /// Other kinds of file. The rest of the probability belongs to `size`.
    #[serde(default)]
    pub kinds: Vec<FileKind>,
    /// Shares of the users with other algorithms; empty = all users have `law`.
    #[serde(default)]
    #[serde(rename = "laws")]
    pub controllers: Vec<ControllerShare>,
    /// When users give up; absent = never.
    #[serde(default)]
    pub patience: Option<Patience>,
    /// A surge of requests, if there is one.
    #[serde(default)]
    pub surge: Option<Surge>,
}

/// A kind of file, which a user fetches with a given probability.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileKind {
    /// Index in `files` of the plan.
    pub file: u32,
    /// Probability of the kind.
    pub share: f64,
    /// Sizes of its files.
    pub size: Size,
}

/// Impatient users check a connection once. If it has delivered fewer segments/s than the floor, they
/// abandon it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    /// Probability that a request is of an impatient user.
    pub share: f64,
    /// Time from the request to the check, picoseconds.
    pub check_ps: u64,
    /// Least acceptable rate, segments/s.
    pub floor_per_s: f64,
}

/// For a time, a share of the users at routers of one class fetch only files of another kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surge {
    /// Class of the users' routers; empty = all.
    pub class: String,
    /// Share of the users there.
    pub share: f64,
    /// Beginning, picoseconds.
    pub from_ps: u64,
    /// End, picoseconds.
    pub until_ps: u64,
    /// Index in `files` of the plan.
    pub file: u32,
    /// Sizes of the files.
    pub size: Size,
}
