//! A flow to begin: who talks to whom, and for whom.

use serde::{Deserialize, Serialize};

use super::hosts::Home;
use super::spec::Spec;

/// Sources that are no Web users are numbered from here on.
pub const OTHERS: u32 = 1 << 31;

/// Who talks to whom, and for whom.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// By which the results name it (see [`crate::shared::Shared::spec`]).
    pub number: u32,
    /// Index of the law among the plan's.
    pub law: u32,
    /// The source at its router: the Web user to wake when the flow ends, or another, from [`OTHERS`] on.
    pub owner: u32,
    pub host: u32,
    /// Router of the receiver, and its host there.
    pub destination: u32,
    pub receiver_host: u32,
    pub size: u32,
    /// Which kind of file it is, and whether both hosts have fast links: for the results.
    pub file: u8,
    pub fast: bool,
    /// The user will look whether it goes fast enough.
    pub impatient: bool,
}

impl Opening {
    /// A flow of a source that is no Web user, under the law of its kind of traffic.
    pub fn between(number: u32, spec: &Spec, source: u32, (from, to): (Home, Home), size: u32) -> Self {
        Self {
            number,
            law: spec.law,
            owner: OTHERS + source,
            host: from.host,
            destination: to.router,
            receiver_host: to.host,
            size,
            file: spec.file,
            fast: from.fast && to.fast,
            impatient: false,
        }
    }
}
