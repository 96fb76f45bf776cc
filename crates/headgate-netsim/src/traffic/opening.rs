//! A flow to begin: who talks to whom, and for whom.

use serde::{Deserialize, Serialize};

use super::hosts::Home;
use super::spec::Spec;

/// Who talks to whom, and for whom.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// By which the results name it (see [`crate::setup::Setup::spec`]).
    pub number: u32,
    /// Index of the law among the plan's.
    pub law: u32,
    /// Its source, by its number among those of its process, or of all at the router.
    pub owner: u32,
    pub host: u32,
    /// Router of the receiver, and its host there.
    pub destination: u32,
    pub receiver_host: u32,
    pub size: u32,
    /// Which kind of file it is, and the class of the slower of its hosts' links: for the results.
    pub file: u8,
    pub interface: u8,
    /// The user will look whether it goes fast enough.
    pub impatient: bool,
}

impl Opening {
    /// A flow under the law of its kind of traffic, of somebody patient.
    pub fn between(number: u32, spec: &Spec, source: u32, [from, to]: [Home; 2], size: u32) -> Self {
        Self {
            number,
            law: spec.law,
            owner: source,
            host: from.host,
            destination: to.router,
            receiver_host: to.host,
            size,
            file: spec.file,
            interface: from.interface.min(to.interface),
            impatient: false,
        }
    }
}
