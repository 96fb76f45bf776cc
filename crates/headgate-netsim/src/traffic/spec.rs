//! What all sites share of a kind of traffic.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use super::habits::Habits;
use super::hosts::Receivers;
use super::size::Size;

/// One kind of traffic of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// The number of its first flow, or of all of them if it has one name.
    pub first: u32,
    pub law: u32,
    pub profile: u8,
    /// Which kind of file it is, for the results (see [`crate::cells`]).
    pub file: u8,
    pub size: Size,
    pub habits: Habits,
    /// Mean thinking time of Web users, seconds.
    pub think_s: f64,
    /// No flow arrives after this.
    pub stop: Time,
    /// From here on its flows send nothing new.
    pub ends: Time,
    pub receivers: Receivers,
}
