//! What all host groups share of a kind of traffic.

use headgate_model::units::{Span, seconds};
use serde::{Deserialize, Serialize};

use super::hosts::Receivers;
use crate::record::FILE;

/// One kind of traffic of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// The number of its first flow, or of all of them if it has one name.
    pub first: u32,
    pub law: u32,
    pub profile: u8,
    /// Which kind of file it is, for the results (see [`crate::record::FlowKeys`]).
    pub file: u8,
    /// Whom to draw as receivers.
    pub receivers: Receivers,
    /// When those give up who are impatient.
    pub patience: Option<Patience>,
}

/// A look so long after the request: fewer segments a second than the floor are too few.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Patience {
    pub check: Span,
    pub floor_per_s: f64,
}

impl Spec {
    /// Files of given sizes, of patient users, to receivers that are not drawn.
    pub fn new(first: u32, law: u32, transport: u32) -> Self {
        Self {
            first,
            law,
            profile: transport as u8,
            file: FILE,
            receivers: Receivers::default(),
            patience: None,
        }
    }
}

impl Patience {
    /// Whether so many segments in that time are too few.
    pub fn is_over(&self, segments: u32, elapsed: Span) -> bool {
        f64::from(segments) < self.floor_per_s * seconds(elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_has_a_floor() {
        let patience = Patience { check: 1, floor_per_s: 10.0 };
        let second = headgate_model::units::SECOND;
        assert!(patience.is_over(19, 2 * second) && !patience.is_over(20, 2 * second));
    }
}
