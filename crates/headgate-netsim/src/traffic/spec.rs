//! The properties of a kind of traffic that all host groups share.

use headgate_model::units::{Span, Time, seconds};
use serde::{Deserialize, Serialize};

use super::hosts::Receivers;
use crate::packets::index::FlowId;
use crate::record::FILE;

/// One kind of traffic of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrafficSpec {
    /// Id of its first flow, or of all its flows if they share a name.
    pub first: FlowId,
    /// Congestion control algorithm, in the order of the plan.
    pub controller: u32,
    /// Transport profile, in the order of the plan.
    pub profile: u8,
    /// Kind of file, for the results (see [`crate::record::FlowKeys`]).
    pub file: u8,
    /// Receivers to choose from, if receivers are random.
    pub receivers: Receivers,
    /// When impatient users give up.
    pub patience: Option<Patience>,
    /// Start and end of the times at which the applications send nothing new, picoseconds.
    pub pauses: Vec<[Time; 2]>,
}

/// An impatient user checks a flow once and gives up if it was too slow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Patience {
    /// Time from the request to the check, picoseconds.
    pub check: Span,
    /// Least acceptable rate, segments/s.
    pub floor_per_s: f64,
}

impl TrafficSpec {
    /// Files of given sizes of patient users, to receivers that are not random.
    pub fn new(first: FlowId, controller: u32, transport: u32) -> Self {
        Self {
            first,
            controller,
            profile: transport as u8,
            file: FILE,
            receivers: Receivers::default(),
            patience: None,
            pauses: Vec::new(),
        }
    }

    /// Returns whether the applications pause at `now`, and when that changes next.
    pub fn pause_at(&self, now: Time) -> (bool, Option<Time>) {
        let next = self.pauses.partition_point(|pause| pause[1] <= now);
        match self.pauses.get(next) {
            Some(&[start, end]) if start <= now => (true, Some(end)),
            pause => (false, pause.map(|pause| pause[0])),
        }
    }
}

impl Patience {
    /// Returns whether `segments` in `elapsed` picoseconds are too few.
    pub fn is_over(&self, segments: u32, elapsed: Span) -> bool {
        f64::from(segments) < self.floor_per_s * seconds(elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_pause_from_the_start_of_a_pause_to_its_end() {
        let spec = TrafficSpec { pauses: vec![[10, 20], [20, 25]], ..TrafficSpec::new(FlowId(0), 0, 0) };
        let at = [9, 10, 19, 20, 25].map(|now| spec.pause_at(now));
        let expected =
            [(false, Some(10)), (true, Some(20)), (true, Some(20)), (true, Some(25)), (false, None)];
        assert_eq!(at, expected);
    }

    #[test]
    fn patience_ends_below_the_floor() {
        let patience = Patience { check: 1, floor_per_s: 10.0 };
        let second = headgate_model::units::SECOND;
        assert!(patience.is_over(19, 2 * second) && !patience.is_over(20, 2 * second));
    }
}
